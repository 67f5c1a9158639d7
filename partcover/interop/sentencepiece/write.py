"""Writes sentencepiece's model files: Unigram and BPE."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...corpus import symbols as sym
from ...corpus.normalizers.normalizer import Normalizer
from ...errors import InputError
from ...runtime.files.writing import atomic_writer
from ...vocabulary.roles import roles_of
from ...vocabulary.vocabulary import Vocabulary
from .around import own_spec
from .origin import kept_file
from .pieces import MARK, open_characters, text_of
from .proto import BPE, BYTE, CONTROL, NORMAL, UNIGRAM, UNKNOWN, UNUSED, USER_DEFINED, new_model
from .read import from_bytes

MERGING = ("merges", "character_merges")
# Unigram gives a character that is no piece, and becomes its n bytes, the lowest score − 10.  With
# pieces of −10 / (n − 1) each that is n of them.  In 32-bit floats this is exact for n of 2 and 3.
_PRICE = {2: 10.0, 3: 5.0}

Piece = tuple[str, float, int]  # its spelling, score and kind


def write(vocabulary: Vocabulary, path: Path) -> list[str]:
    """Writes a model file and returns remarks on what it does not carry."""
    file_before = kept_file(vocabulary)
    kept = None
    if file_before is not None:
        base, _, kept = from_bytes(file_before, "the sentencepiece model that the vocabulary keeps")
        if base == vocabulary.with_(provenance=base.provenance, method=base.method):
            with atomic_writer(path) as file:
                file.write(file_before)
            return ["the file is the original one, byte for byte"]
    placed, added, unknown = pieces_by_id(vocabulary)
    left = vocabulary.decode_only.keys() - placed.keys()
    model = new_model() if kept is None else kept
    # sentencepiece itself leaves out the kind that is usual, and others state it
    usual = None if any(p.type == NORMAL and p.HasField("type") for p in model.pieces) else NORMAL
    model.ClearField("pieces")
    n_unused = _add_pieces(model, placed, added, unknown, None if kept is None else usual)
    _set_options(model, vocabulary, unknown, kept=kept is not None)
    with atomic_writer(path) as file:
        file.write(model.SerializeToString())
    remarks = list(_remarks(vocabulary, n_unused, len(added)))
    if kept is not None:
        remarks.append("everything except the pieces is as in the original file")
    if left:
        remarks.append(f"left out {len(left):,} ids that no text is encoded to")
    return remarks


def _scores(vocabulary: Vocabulary) -> tuple[Sequence[float], dict[int, float]]:
    """Returns the scores of the tokens, and of the ASCII characters that are pieces."""
    n_tokens = len(vocabulary)
    if vocabulary.rule == "likelihood" and vocabulary.scores is not None:
        given = {bytes(symbol)[0]: s for symbol, s in vocabulary.symbol_scores.items()}  # type: ignore[arg-type]
        # what is no piece costs this, as it was read
        no_piece = given.get(0xFF) if given.get(0x80) == 0.0 else None
        singles = {b: score for b, score in given.items() if 0 < b < 128 and score != no_piece}
        return vocabulary.scores, singles
    if vocabulary.rule in MERGING:
        ranks = [-float(place) for place in range(n_tokens)]
        return ranks, dict.fromkeys(range(1, 128), -float(n_tokens))
    sizes = open_characters(vocabulary)
    price = 1.0
    if sizes:
        price = _PRICE.get(next(iter(sizes)), 10.0) if len(sizes) == 1 else 10.0
    return [-price] * n_tokens, dict.fromkeys(range(1, 128), -price)


def _speller(vocabulary: Vocabulary) -> Callable[[sym.Token], str]:
    """Returns the function that spells a token as a piece."""
    spec = own_spec(vocabulary)
    steps = [] if spec is None else Normalizer(vocabulary.normalizer or "").steps
    # a second step writes the mark, so that it stands in tokens
    marked = spec is not None and spec["escape_whitespaces"] and len(steps) == 1

    def spell(token: sym.Token) -> str:
        text = text_of(token)
        if text is None:
            raise InputError(
                f"the token {sym.show(token)!r} cannot be a piece: pieces are text, other than "
                "<0xHH> and without NUL"
            )
        return text.replace(" ", MARK) if marked else text

    return spell


def pieces_by_id(vocabulary: Vocabulary) -> tuple[dict[int, Piece], list[Piece], str]:
    """Returns the pieces by id, those without an id, and the name of the unknown piece."""
    ids = vocabulary.id_of
    scores, singles = _scores(vocabulary)
    spell = _speller(vocabulary)
    user_defined = set((own_spec(vocabulary) or {"user_defined": ()})["user_defined"])
    unknown = vocabulary.unknown.token if vocabulary.unknown else "<unk>"
    others = {
        text: number
        for number, text in vocabulary.decode_only.items()
        if len(text) == 1 and text[0] in singles
    }
    placed: dict[int, Piece] = {}
    added: list[Piece] = []

    def add_piece(number: int, token: sym.Token, score: float) -> None:
        name = spell(token)
        add(number, (name, score, USER_DEFINED if name in user_defined else NORMAL))

    def add(number: int, piece: Piece) -> None:
        if number == -1:
            added.append(piece)
        else:
            placed[number] = piece

    for byte in range(256):
        as_byte = (f"<0x{byte:02X}>", 0.0, BYTE)
        if vocabulary.unknown is not None:
            if ids[byte] >= 0:
                add_piece(ids[byte], bytes([byte]), singles.get(byte, 0.0))
        # where some bytes stand beside their characters, others have none
        elif chr(byte) in vocabulary.special:
            add(ids[byte], as_byte)
        elif byte in singles and (bytes([byte]) in others or not others):
            add_piece(ids[byte], bytes([byte]), singles[byte])
            add(others.get(bytes([byte]), -1), as_byte)
        else:
            add(ids[byte], as_byte)
    for token, score, number in zip(vocabulary, scores, ids[256:], strict=True):
        add_piece(number, token, score)
    for name, number in vocabulary.special.items():
        own = [each for each in (name, name.replace(" ", MARK)) if each in user_defined]
        if own:
            add(number, (own[0], 0.0, USER_DEFINED))
        else:
            add(number, (name, 0.0, UNKNOWN if name == unknown else CONTROL))
    if unknown not in vocabulary.special:
        names = {name for name, _, _ in placed.values()}
        while unknown in names:
            unknown = f"<{unknown}>"
        added.append((unknown, 0.0, UNKNOWN))
    return placed, added, unknown


def _add_pieces(
    model: Any, placed: dict[int, Piece], added: list[Piece], unknown: str, usual: int | None
) -> int:
    """Adds the pieces to a model in the order of their ids; returns how many fill gaps.

    `usual` is the kind that is not stated.
    """
    names = {unknown, *(name for name, _, _ in placed.values())}
    n_unused = 0
    last = max(placed)
    later = iter(added)
    for number in range(last + 1 + len(added)):
        if number in placed:
            name, score, kind = placed[number]
        elif number > last:
            name, score, kind = next(later)
        else:
            name, score, kind = f"<unused{number}>", 0.0, UNUSED
            while name in names:
                name = f"<{name}>"
            names.add(name)
            n_unused += 1
        model.pieces.add(piece=name, score=score, type=None if kind == usual else kind)
        if kind == UNKNOWN:
            _set(model.trainer_spec, "unk_id", number)
    return n_unused


def _set_options(model: Any, vocabulary: Vocabulary, unknown: str, *, kept: bool) -> None:
    """Sets how the model segments: text as it is, and bytes for unknown characters.

    `kept`: the model has the options of the file that the vocabulary came from.
    """
    spec = model.trainer_spec
    roles = roles_of(vocabulary)
    for role in ("bos", "eos", "pad"):
        if not kept:
            _set(spec, f"{role}_piece", roles.get(role, getattr(spec, f"{role}_piece")))
        if not kept or getattr(spec, f"{role}_id") >= 0:
            _set(spec, f"{role}_id", vocabulary.special.get(getattr(spec, f"{role}_piece"), -1))
    _set(spec, "model_type", BPE if vocabulary.rule in MERGING else UNIGRAM)
    _set(spec, "vocab_size", len(model.pieces))
    _set(spec, "byte_fallback", vocabulary.unknown is None)
    _set(spec, "unk_piece", unknown)
    own = own_spec(vocabulary)
    suffix = own is not None and own["treat_whitespace_as_suffix"]
    _set(spec, "treat_whitespace_as_suffix", suffix)
    normalizer = model.normalizer_spec
    if own is not None:
        _set(normalizer, "precompiled_charsmap", base64.b64decode(own["precompiled_charsmap"]))
        for key in ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"):
            _set(normalizer, key, own[key])
        return
    if not kept:
        normalizer.name = "identity"
    _set(normalizer, "add_dummy_prefix", False)
    _set(normalizer, "remove_extra_whitespaces", False)
    _set(normalizer, "escape_whitespaces", _marks_spaces(vocabulary))


def _set(spec: Any, key: str, value: Any) -> None:
    """Sets an option that is another; one that is the default is not written."""
    if getattr(spec, key) != value:
        setattr(spec, key, value)


def _marks_spaces(vocabulary: Vocabulary) -> bool:
    """Returns whether the mark stands for spaces in the words."""
    return vocabulary.pretokenizer == f"space-prefix:{MARK}"


def _remarks(vocabulary: Vocabulary, n_unused: int, n_added: int) -> Iterator[str]:
    """Says what the model file does not carry, or has besides."""
    likely = vocabulary.rule == "likelihood" and vocabulary.scores is not None
    if likely and vocabulary.sums != "text32":
        yield "scores are rounded to 32 bits, and added up so"
    if n_unused:
        yield f"{n_unused:,} ids that nothing has became unused pieces"
    if n_added:
        yield (
            f"{n_added:,} pieces were added behind: bytes that sentencepiece falls back to, which "
            "characters held as text come before, and what it calls unknown"
        )
    if _marks_spaces(vocabulary):
        yield f"llama.cpp reads {MARK} in a text as a space"
        if MARK.encode("utf-8") not in vocabulary.tokens:
            yield f"llama.cpp decodes a space outside of tokens as {MARK}"
    if any(MARK in (text_of(token) or "") for token in vocabulary):
        yield f"sentencepiece decodes {MARK} in a token as a space"
