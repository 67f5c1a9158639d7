"""Writes and reads sentencepiece's model files: Unigram and BPE."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from math import isfinite
from pathlib import Path
from typing import Any

from ..corpus import symbols as sym
from ..errors import InputError, MissingExtra
from ..runtime.files import atomic_writer, open_input
from ..vocabulary.subset import only
from ..vocabulary.vocabulary import Vocabulary
from .format import Format, GivenUp, Nearest, Replay
from .merge_ranks import pairs_are_needless
from .sentencepiece_proto import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, model_proto

__all__ = ["SENTENCEPIECE"]

_UNIGRAM, _BPE = 1, 2
_MERGING = ("merges", "character_merges")
_MARK = "▁"  # what sentencepiece writes for a space where it escapes them
_GAPS = 100_000  # ids without a token that are filled up
_BYTE_PIECE = re.compile(r"<0x[0-9A-F]{2}>")
# Unigram gives a character that is no piece, and becomes its n bytes, the least score − 10. With
# pieces of −10 / (n − 1) each that is n of them. In 32-bit floats this is exact for n of 2 and 3.
_PRICE = {2: 10.0, 3: 5.0}


def _model() -> Any:
    try:
        return model_proto()()
    except ImportError:
        raise MissingExtra("protobuf", "sentencepiece", "a sentencepiece model") from None


def _text(token: sym.Token) -> str | None:
    """A token as a piece, or None where it cannot be one."""
    text = sym.text_of(token)
    return None if text is None or "\0" in text or _BYTE_PIECE.fullmatch(text) else text


def _open_characters(vocabulary: Vocabulary) -> set[int]:
    """How many bytes the characters have that are no tokens though longer tokens hold them."""
    held = {bytes(token).decode("utf-8") for token in vocabulary}  # type: ignore[arg-type]
    characters = {character for text in held for character in text} - held
    return {len(character.encode("utf-8")) for character in characters} - {1}


def _adapt(vocabulary: Vocabulary) -> tuple[Vocabulary, list[GivenUp]]:
    lost = []
    kept = [place for place, token in enumerate(vocabulary) if _text(token) is not None]
    if dropped := len(vocabulary) - len(kept):
        lost.append(
            GivenUp(
                f"{dropped:,} tokens that cut a character, hold a NUL or are named as a byte",
                "pieces are text",
                f"the other {len(kept):,} tokens",
            )
        )
        vocabulary = only(vocabulary, kept)
    taken = {_text(token) for token in vocabulary}
    if clashing := [
        name
        for name in vocabulary.special
        if name in taken or _BYTE_PIECE.fullmatch(name) or (len(name) == 1 and name.isascii())
    ]:
        lost.append(
            GivenUp(
                f"special tokens that are named as other pieces: {', '.join(clashing)}",
                "no two pieces have one name",
                "without them",
            )
        )
        left = {text: n for text, n in vocabulary.special.items() if text not in clashing}
        vocabulary = vocabulary.with_(special=left)
    numbers = [*vocabulary.id_of, *vocabulary.special.values()]
    if max(numbers) > 2 * len(numbers) + _GAPS:
        lost.append(
            GivenUp(
                f"ids of up to {max(numbers):,} for {len(numbers):,} pieces",
                "each number between needs a piece",
                "ids 0 to 255 of the bytes and on",
            )
        )
        vocabulary = vocabulary.with_(ids=None, special=list(vocabulary.special))
    if vocabulary.rule in _MERGING and vocabulary.merges is not None:
        if not pairs_are_needless(vocabulary):
            lost.append(
                GivenUp(
                    "which pairs merge",
                    "any two neighbours that together are a piece may merge",
                    "merges without pairs",
                )
            )
        vocabulary = vocabulary.with_(merges=None)
    if vocabulary.rule == "shortest_path" and len(sizes := _open_characters(vocabulary)) > 1:
        lost.append(
            GivenUp(
                "characters that are no tokens but in tokens, of "
                f"{' and '.join(map(str, sorted(sizes)))} bytes",
                "a character that is no piece has one price, whatever its bytes",
                "that of 2 bytes",
            )
        )
    elif vocabulary.rule == "shortest_path" and sizes == {4}:
        lost.append(
            GivenUp(
                "characters of 4 bytes that are no tokens but in tokens",
                "their price is no 32-bit float",
                "that of 2 bytes",
            )
        )
    if not _cuts_as_sentencepiece(vocabulary):
        lost.append(
            GivenUp(
                f"the pre-tokenizer {vocabulary.pretokenizer}",
                "sentencepiece cuts no text into words before it cuts tokens; it does not matter "
                f"for first-space and space-prefix:{_MARK}, if no token holds a space but as its "
                "first symbol",
                "none",
            )
        )
        vocabulary = vocabulary.with_(pretokenizer=None)
    return vocabulary, lost


def _cuts_as_sentencepiece(vocabulary: Vocabulary) -> bool:
    """Whether no token can reach over the borders of the words."""
    name = vocabulary.pretokenizer
    if name in (None, "none"):
        return True
    space = {"first-space": " ", f"space-prefix:{_MARK}": _MARK}.get(name)
    return space is not None and not any(space in (_text(t) or "")[1:] for t in vocabulary)


def _write(vocabulary: Vocabulary, path: Path) -> list[str]:
    remarks = []
    ids = vocabulary.id_of
    unigram = vocabulary.rule not in _MERGING
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
        sizes = _open_characters(vocabulary)
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
        add(number, (_text(token) or "", score, NORMAL))
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
    model = _model()
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
    spec.model_type = _UNIGRAM if unigram else _BPE
    spec.vocab_size = size
    spec.byte_fallback = True
    spec.unk_piece = unknown
    spec.bos_id = spec.eos_id = spec.pad_id = -1
    spec.treat_whitespace_as_suffix = False
    normalizer = model.normalizer_spec
    normalizer.name = "identity"
    normalizer.add_dummy_prefix = normalizer.remove_extra_whitespaces = False
    normalizer.escape_whitespaces = vocabulary.pretokenizer == f"space-prefix:{_MARK}"
    if normalizer.escape_whitespaces:
        remarks.append(f"a {_MARK} that stands in a text is read there as a space")
        if _MARK.encode("utf-8") not in vocabulary.tokens:
            remarks.append(f"a space that no token takes is decoded there as {_MARK}")
    if any(_MARK in (_text(token) or "") for token in vocabulary):
        remarks.append(f"sentencepiece decodes {_MARK} in a token as a space")
    with atomic_writer(path) as file:
        file.write(model.SerializeToString())
    return remarks


def _parse(path: Path) -> Any:
    model = _model()
    with open_input(path) as file:
        data = file.read()
    from google.protobuf.message import DecodeError

    try:
        model.ParseFromString(data)
    except (DecodeError, UnicodeDecodeError):
        raise InputError(f"{path}: not a sentencepiece model (no protobuf message)") from None
    if not model.pieces or not model.HasField("trainer_spec"):
        raise InputError(f"{path}: not a sentencepiece model (it has no pieces)")
    for number, piece in enumerate(model.pieces):
        if not isinstance(piece.piece, str):  # bytes, as they are no UTF-8
            raise InputError(f"{path}: piece {number}, {piece.piece!r}, is not UTF-8")
        if not isfinite(piece.score):
            raise InputError(f"{path}: piece {number} has the score {piece.score}")
    return model


def _read(path: Path) -> tuple[Vocabulary, list[str]]:
    model = _parse(path)
    kind = model.trainer_spec.model_type
    if kind not in (_UNIGRAM, _BPE):
        raise InputError(f"{path}: a sentencepiece model of words or characters, not of tokens")
    remarks = _normalizer_remarks(model)
    escaped = model.normalizer_spec.escape_whitespaces
    names = {piece.piece for piece in model.pieces}
    normal = [p.piece for p in model.pieces if p.type == NORMAL]
    inside = any(_MARK in piece[1:] for piece in normal)
    spaced = escaped and (inside or (kind == _BPE and _MARK in normal))
    pretokenizer: str | None
    if not escaped:
        pretokenizer = "none" if any(" " in piece[1:] for piece in normal) else "first-space"
    elif inside:
        pretokenizer = "none"
        remarks.append(f"pieces hold spaces inside: {_MARK} is read as a space")
    else:
        pretokenizer = "first-space" if spaced else f"space-prefix:{_MARK}"
    if spaced and _MARK not in normal:
        there = f"the bytes of {_MARK}" if BYTE in {p.type for p in model.pieces} else "unknown"
        remarks.append(f"a space is no piece: a space is one byte here, and {there} there")
    tokens: list[tuple[bytes, float, int]] = []
    singles: dict[bytes, float] = {}
    byte_ids = [-1] * 256
    special: dict[str, int] = {}
    unused: list[str] = []
    user_defined = unmet = 0
    for number, piece in enumerate(model.pieces):
        text = piece.piece
        if piece.type == BYTE:
            if not _BYTE_PIECE.fullmatch(text):
                raise InputError(f"{path}: piece {number}, {text!r}, is no byte")
            byte = int(text[1:-1], 16)
            byte_ids[byte] = number if byte_ids[byte] == -1 else byte_ids[byte]
        elif piece.type == NORMAL:
            if escaped and " " in text:
                unmet += 1
                continue
            if spaced:
                text = text.replace(_MARK, " ")
            token = text.encode("utf-8")
            if not token:
                raise InputError(f"{path}: piece {number} is empty")
            if len(token) == 1:
                singles[token] = piece.score
                byte_ids[token[0]] = number
            else:
                tokens.append((token, piece.score, number))
        elif piece.type == UNUSED:
            unused.append(text)
        else:
            if piece.type == USER_DEFINED:
                user_defined += 1
                spelled = text.replace(_MARK, " ") if escaped else text  # as it stands in a text
                text = text if spelled in names else spelled
            special[text] = number
    if unused:
        remarks.append(f"{len(unused):,} unused pieces are left out")
    if kind == _BPE and (merged := _merged(unused, {*normal, *unused})):
        remarks.append(
            f"{merged:,} of them merge there and are split again in the end: words that they come "
            "up in may be cut otherwise"
        )
    if unmet:
        remarks.append(f"{unmet:,} pieces with a space, which no text has there, are left out")
    if user_defined:
        remarks.append(
            f"{user_defined:,} user-defined pieces, which sentencepiece sets apart before it "
            "cuts, are special tokens here"
        )
    options: dict[str, Any] = {"pretokenizer": pretokenizer, "special": special}
    if kind == _BPE:
        tokens.sort(key=lambda token: -token[1])  # stable: of equal scores the first piece first
        options["rule"] = "character_merges"
        scores = [score for token, score, _ in tokens if len(token.decode("utf-8")) > 1]
        if tied := len(scores) - len(set(scores)):
            remarks.append(
                f"{tied:,} pieces have the score of another: the leftmost of such merges first "
                "there, the first in the file here"
            )
    else:
        every = {score for _, score, _ in tokens} | set(singles.values())
        ascii_ = {bytes([byte]) for byte in range(1, 128)}
        if len(every) == 1 and min(every) < 0 and ascii_ <= set(singles):
            options["rule"] = "shortest_path"
        else:
            options |= {
                "rule": "likelihood",
                "scores": [score for _, score, _ in tokens],
                "symbol_scores": singles,
            }
            remarks.append(
                "scores are added up in 32 bits there: of segmentations that are as good but for "
                "that, another may be taken"
            )
    if missing := byte_ids.count(-1):
        remarks.append(f"{missing} bytes have no id: what holds them is unknown there")
    options["ids"] = [*byte_ids, *(number for _, _, number in tokens)]
    try:
        vocabulary = Vocabulary((t for t, _, _ in tokens), method="imported", **options)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    if kind == _UNIGRAM and any(
        vocabulary.rule == "likelihood" or (size - 1) * -max(every) != 10
        for size in _open_characters(vocabulary)
    ):
        remarks.append(
            "a character that is in pieces, but none itself, weighs as one there, and as its bytes "
            "here"
        )
    return vocabulary, remarks


def _merged(unused: Sequence[str], pieces: Set[str]) -> int:
    """How many unused pieces two others, or characters, make."""

    def whole(part: str) -> bool:
        return len(part) == 1 or part in pieces

    return sum(any(whole(t[:i]) and whole(t[i:]) for i in range(1, len(t))) for t in unused)


def _normalizer_remarks(model: Any) -> list[str]:
    spec = model.normalizer_spec
    remarks = []
    if spec.precompiled_charsmap:
        remarks.append(
            f"its normalizer, {spec.name or 'not named'}, changes text before it is cut: that is "
            "not carried, so count text that is normalized"
        )
    if spec.escape_whitespaces:
        remarks.append(f"a {_MARK} that stands in a text is read there as a space")
    if spec.add_dummy_prefix:
        remarks.append("it puts a space before each text: that is not carried")
    if spec.remove_extra_whitespaces:
        remarks.append("it drops spaces at the ends of a text and doubled ones: not carried")
    if model.trainer_spec.treat_whitespace_as_suffix:
        remarks.append("it puts spaces at the end of words: that is not carried")
    return remarks


def _recognises(path: Path) -> bool:
    if not path.is_file() or path.suffix not in (".model", ".spm"):
        return False
    with path.open("rb") as file:
        return file.read(1) == b"\n"  # field 1, a message: a piece


def _replay(path: Path) -> Replay:
    try:
        import sentencepiece
    except ImportError:
        raise MissingExtra("sentencepiece", "sentencepiece", "replaying a model") from None
    processor = sentencepiece.SentencePieceProcessor(model_proto=path.read_bytes())
    content: list[bytes] = []
    id_of: dict[bytes, int] = {}
    special: dict[str, int] = {}
    model = _parse(path)
    for number, piece in enumerate(model.pieces):
        is_byte = piece.type == BYTE
        token = bytes([int(piece.piece[1:-1], 16)]) if is_byte else piece.piece.encode("utf-8")
        content.append(token)
        if piece.type == NORMAL or (is_byte and token not in id_of):
            id_of[token] = number
        elif piece.type in (CONTROL, UNKNOWN):
            special[piece.piece] = number

    spaces = model.normalizer_spec.escape_whitespaces

    def cut(text: str) -> list[bytes]:
        return [content[number] for number in processor.encode(text)]

    def words(pieces: Sequence[bytes]) -> list[list[bytes] | None]:
        found: list[list[bytes] | None] = []
        for piece in pieces:
            try:
                text = piece.decode("utf-8")
            except UnicodeDecodeError:
                found.append(None)
            else:  # where spaces become the mark, no word has one
                found.append(None if spaces and " " in text else cut(text))
        return found

    return Replay(f"sentencepiece {sentencepiece.__version__}", words, cut, id_of.get, special.get)


SENTENCEPIECE = Format(
    name="sentencepiece",
    title="sentencepiece's model file (.model)",
    rules={
        "shortest_path": "Unigram, equal scores, byte fallback",
        "likelihood": "Unigram, scores in 32 bits, byte fallback",
        "merges": "BPE over characters, byte fallback; a word that is a token is not looked up",
        "character_merges": "BPE, byte fallback",
        "random_path": Nearest("shortest_path", "sampling draws by scores, not among the shortest"),
        "priority": Nearest("shortest_path", "no model covers in an order of priority"),
        "longest_match": Nearest("shortest_path", "no model takes the longest match"),
        "single_symbols": Nearest("shortest_path", "its tokens would be used"),
    },
    write=_write,
    replay=_replay,
    read=_read,
    recognises=_recognises,
    adapt=_adapt,
)
