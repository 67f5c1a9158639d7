"""Reads sentencepiece's model files: Unigram and BPE."""

from __future__ import annotations

from collections.abc import Sequence, Set
from math import isfinite
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...runtime.files import open_input
from ...vocabulary.vocabulary import Vocabulary
from .pieces import BYTE_PIECE, MARK, open_characters
from .proto import BPE, BYTE, NORMAL, UNIGRAM, UNUSED, USER_DEFINED, new_model

__all__ = ["looks_like", "parse", "read"]


def parse(path: Path) -> Any:
    """Reads a model file as a message.

    Raises
    ------
    InputError
        If it holds no model, or a piece that is not UTF-8 or has no finite score.
    """
    model = new_model()
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


def read(path: Path) -> tuple[Vocabulary, list[str]]:
    """Reads the vocabulary of a model file, and remarks on what is not carried.

    Raises
    ------
    InputError
        Naming the file, if it is no model of tokens or holds what no vocabulary can express.
    """
    model = parse(path)
    kind = model.trainer_spec.model_type
    if kind not in (UNIGRAM, BPE):
        raise InputError(f"{path}: a sentencepiece model of words or characters, not of tokens")
    remarks = _normalizer_remarks(model)
    escaped = model.normalizer_spec.escape_whitespaces
    names = {piece.piece for piece in model.pieces}
    normal = [p.piece for p in model.pieces if p.type == NORMAL]
    inside = any(MARK in piece[1:] for piece in normal)
    spaced = escaped and (inside or (kind == BPE and MARK in normal))
    pretokenizer: str | None
    if not escaped:
        pretokenizer = "none" if any(" " in piece[1:] for piece in normal) else "first-space"
    elif inside:
        pretokenizer = "none"
        remarks.append(f"pieces hold spaces inside: {MARK} is read as a space")
    else:
        pretokenizer = "first-space" if spaced else f"space-prefix:{MARK}"
    if spaced and MARK not in normal:
        there = f"the bytes of {MARK}" if BYTE in {p.type for p in model.pieces} else "unknown"
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
            if not BYTE_PIECE.fullmatch(text):
                raise InputError(f"{path}: piece {number}, {text!r}, is no byte")
            byte = int(text[1:-1], 16)
            byte_ids[byte] = number if byte_ids[byte] == -1 else byte_ids[byte]
        elif piece.type == NORMAL:
            if escaped and " " in text:
                unmet += 1
                continue
            if spaced:
                text = text.replace(MARK, " ")
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
                spelled = text.replace(MARK, " ") if escaped else text  # as it stands in a text
                text = text if spelled in names else spelled
            special[text] = number
    if unused:
        remarks.append(f"{len(unused):,} unused pieces are left out")
    if kind == BPE and (merged := _merged(unused, {*normal, *unused})):
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
    if kind == BPE:
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
    if kind == UNIGRAM and any(
        vocabulary.rule == "likelihood" or (size - 1) * -max(every) != 10
        for size in open_characters(vocabulary)
    ):
        remarks.append(
            "a character that is in pieces, but none itself, weighs as one there, and as its bytes "
            "here"
        )
    return vocabulary, remarks


def _merged(unused: Sequence[str], pieces: Set[str]) -> int:
    """Counts the unused pieces that two other pieces, or characters, merge into."""

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
        remarks.append(f"a {MARK} that stands in a text is read there as a space")
    if spec.add_dummy_prefix:
        remarks.append("it puts a space before each text: that is not carried")
    if spec.remove_extra_whitespaces:
        remarks.append("it drops spaces at the ends of a text and doubled ones: not carried")
    if model.trainer_spec.treat_whitespace_as_suffix:
        remarks.append("it puts spaces at the end of words: that is not carried")
    return remarks


def looks_like(path: Path) -> bool:
    """Returns whether a path looks like a model file, by its name and first byte."""
    if not path.is_file() or path.suffix not in (".model", ".spm"):
        return False
    with path.open("rb") as file:
        return file.read(1) == b"\n"  # field 1, a message: a piece
