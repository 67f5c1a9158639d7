"""Writes sentencepiece's model files: Unigram and BPE."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...runtime.files import atomic_writer
from ...vocabulary.vocabulary import Vocabulary
from .pieces import MARK, open_characters, text_of
from .proto import BPE, BYTE, CONTROL, NORMAL, UNIGRAM, UNKNOWN, UNUSED, new_model

__all__ = ["MERGING", "write"]

MERGING = ("merges", "character_merges")
# Unigram gives a character that is no piece, and becomes its n bytes, the least score − 10. With
# pieces of −10 / (n − 1) each that is n of them. In 32-bit floats this is exact for n of 2 and 3.
_PRICE = {2: 10.0, 3: 5.0}


def write(vocabulary: Vocabulary, path: Path) -> list[str]:
    """Writes a model file and returns remarks on what it does not carry."""
    remarks = []
    ids = vocabulary.id_of
    unigram = vocabulary.rule not in MERGING
    scores: Sequence[float]
    singles: dict[int, float]  # of ASCII characters that are pieces
    if vocabulary.rule == "likelihood" and vocabulary.scores is not None:
        scores = vocabulary.scores
        singles = {
            bytes(symbol)[0]: score  # type: ignore[arg-type]
            for symbol, score in vocabulary.symbol_scores.items()
            if 0 < bytes(symbol)[0] < 128  # type: ignore[arg-type]
        }
        remarks.append("scores are rounded to 32 bits, and added up so")
    elif unigram:
        sizes = open_characters(vocabulary)
        price = _PRICE.get(next(iter(sizes)), 10.0) if len(sizes) == 1 else 1.0
        price = 10.0 if len(sizes) > 1 else price
        scores = [-price] * len(vocabulary)
        singles = dict.fromkeys(range(1, 128), -price)
    else:
        scores = [-float(place) for place in range(len(vocabulary))]
        singles = dict.fromkeys(range(1, 128), -float(len(vocabulary)))
    pieces: dict[int, tuple[str, float, int]] = {}
    rest: list[tuple[str, float, int]] = []

    def add(number: int, piece: tuple[str, float, int]) -> None:
        if number == -1:
            rest.append(piece)
        else:
            pieces[number] = piece

    for byte in range(256):
        as_byte = (f"<0x{byte:02X}>", 0.0, BYTE)
        if byte in singles:
            add(ids[byte], (chr(byte), singles[byte], NORMAL))
            rest.append(as_byte)
        else:
            add(ids[byte], as_byte)
    for token, score, number in zip(vocabulary, scores, ids[256:], strict=True):
        add(number, (text_of(token) or "", score, NORMAL))
    for name, number in vocabulary.special.items():
        add(number, (name, 0.0, UNKNOWN if name == "<unk>" else CONTROL))
    names = {name for name, _, _ in pieces.values()}
    unknown = "<unk>"
    if "<unk>" not in vocabulary.special:
        while unknown in names:
            unknown = f"<{unknown}>"
        rest.append((unknown, 0.0, UNKNOWN))
        names.add(unknown)
    size = max(pieces) + 1 + len(rest)
    filled = 0
    later = iter(rest)
    model = new_model()
    for number in range(size):
        if number in pieces:
            name, score, kind = pieces[number]
        elif number > max(pieces):
            name, score, kind = next(later)
        else:
            name, score, kind = f"<unused{number}>", 0.0, UNUSED
            while name in names:
                name = f"<{name}>"
            names.add(name)
            filled += 1
        model.pieces.add(piece=name, score=score, type=kind)
        if kind == UNKNOWN:
            model.trainer_spec.unk_id = number
    if filled:
        remarks.append(f"{filled:,} ids that nothing has became unused pieces")
    if added := len(rest):
        remarks.append(
            f"{added:,} pieces were added behind: bytes that sentencepiece falls back to, which "
            "characters held as text come before, and what it calls unknown"
        )
    spec = model.trainer_spec
    spec.model_type = UNIGRAM if unigram else BPE
    spec.vocab_size = size
    spec.byte_fallback = True
    spec.unk_piece = unknown
    spec.bos_id = spec.eos_id = spec.pad_id = -1
    spec.treat_whitespace_as_suffix = False
    normalizer = model.normalizer_spec
    normalizer.name = "identity"
    normalizer.add_dummy_prefix = normalizer.remove_extra_whitespaces = False
    normalizer.escape_whitespaces = vocabulary.pretokenizer == f"space-prefix:{MARK}"
    if normalizer.escape_whitespaces:
        remarks.append(f"a {MARK} that stands in a text is read there as a space")
        if MARK.encode("utf-8") not in vocabulary.tokens:
            remarks.append(f"a space that no token takes is decoded there as {MARK}")
    if any(MARK in (text_of(token) or "") for token in vocabulary):
        remarks.append(f"sentencepiece decodes {MARK} in a token as a space")
    with atomic_writer(path) as file:
        file.write(model.SerializeToString())
    return remarks
