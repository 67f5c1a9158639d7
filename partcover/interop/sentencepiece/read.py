"""Reads sentencepiece's model files: Unigram, BPE and characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError
from ...runtime.arguments import counted
from ...runtime.files.writing import open_input
from ...vocabulary.decoding import Decoding
from ...vocabulary.merging import halves
from ...vocabulary.unknown import Unknown
from ...vocabulary.vocabulary import Vocabulary
from ..origin import ORIGIN
from ..whole_texts import unknown_scores
from . import around
from .origin import kept_of
from .pieces import BYTE_PIECE, MARK, open_characters
from .proto import BPE, BYTE, CHAR, NORMAL, UNIGRAM, UNKNOWN, UNUSED, USER_DEFINED, new_model

_HEAD = 1 << 12
_LEAST = -1 / 64  # a score that changes each sum of 32 bits up to 100,000
_SCORE_AND_TYPE = re.compile(rb"(?s:\x15.{4})?(?:\x18[\x01-\x06])?")  # fields 2 and 3
_PIECE = b"\n"  # field 1 of a model, a piece, and of a piece, its text


def parse(path: Path) -> Any:
    """Reads a model file as a message.

    Raises
    ------
    InputError
        If it holds no model, or a piece that is not UTF-8 or has no finite score.
    """
    return _parsed(_content(path), path)


def _content(path: Path) -> bytes:
    with open_input(path) as file:
        return file.read()


def _parsed(data: bytes, path: Path | str) -> Any:
    model = new_model()
    from google.protobuf.message import DecodeError

    try:
        model.ParseFromString(data)
    except (DecodeError, UnicodeDecodeError):
        raise InputError(f"{path}: not a sentencepiece model (no protobuf message)") from None
    if not model.pieces or not model.HasField("trainer_spec"):
        raise InputError(f"{path}: not a sentencepiece model (it has no pieces)")
    for number, piece in enumerate(model.pieces):
        if not isinstance(piece.piece, str):  # bytes that are not UTF-8
            raise InputError(f"{path}: piece {number}, {piece.piece!r}, is not UTF-8")
        if not isfinite(piece.score):
            raise InputError(f"{path}: piece {number} has the score {piece.score}")
    return model


def read(path: Path) -> tuple[Vocabulary, list[str]]:
    """Reads the vocabulary of a model file, and remarks on what is not carried.

    Raises
    ------
    InputError
        Naming the file, if it is a model of words or holds what no vocabulary can express.
    """
    data = _content(path)
    vocabulary, remarks, _ = from_bytes(data, path)
    return vocabulary.with_(provenance={ORIGIN: kept_of(data)}), remarks


def from_bytes(data: bytes, path: Path | str) -> tuple[Vocabulary, list[str], Any]:
    """Returns the vocabulary of a model file, remarks, and the message; `path` is named in errors.

    Raises
    ------
    InputError
        As `read`.
    """
    model = _parsed(data, path)
    try:
        vocabulary, remarks = vocabulary_of(model)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    unknown = [piece.piece for piece in model.pieces if piece.type == UNKNOWN]
    decoding = Decoding(
        "sentencepiece",
        # it leaves out marks in front of a text, no spaces
        front_spaces=None if model.normalizer_spec.escape_whitespaces else 0,
        shown=dict.fromkeys(unknown, model.trainer_spec.unk_surface),
    )
    return vocabulary.with_(decoding=decoding), remarks, model


def vocabulary_of(model: Any, *, exact: bool = False) -> tuple[Vocabulary, list[str]]:
    """Returns the vocabulary of a model, and remarks on what is not carried.

    A ▁ in a text is a space in all cases if `exact` is given.

    Raises
    ------
    InputError
        As `read`, without a file.
    """
    kind = model.trainer_spec.model_type
    if kind not in (UNIGRAM, BPE, CHAR):
        raise InputError("sentencepiece models of whole words are not supported")
    spaces = around.spaces_of(model, exact=exact)
    pieces = _sort_pieces(model, spaced=spaces.spaced)
    fallback = model.trainer_spec.byte_fallback
    if kind == BPE:
        rule, rule_remarks = _merge_rule(pieces)
    elif kind == CHAR:
        rule, rule_remarks = {"rule": "longest_match"}, []
    else:
        rule, rule_remarks = _score_rule(pieces, fallback=fallback)
    unknown = None
    if not fallback:
        names = [piece.piece for piece in model.pieces if piece.type == UNKNOWN]
        unknown = Unknown(names[0]) if names else None
    remarks = [*spaces.remarks, *_left_out(model, pieces), *rule_remarks]
    if missing := pieces.byte_ids.count(-1) if unknown is None else 0:
        some = counted(missing, "byte", "has", "have")
        remarks.append(f"{some} no id: words with them become unknown in sentencepiece")
    vocabulary = Vocabulary(
        (token for token, _, _ in pieces.tokens),
        method="imported",
        pretokenizer=spaces.pretokenizer,
        normalizer=spaces.normalizer,
        special=pieces.special,
        special_flags={name: ["normalized", "added"] for name in pieces.user_defined},
        ids=[*pieces.byte_ids, *(number for _, _, number in pieces.tokens)],
        unknown=unknown,
        decode_only=pieces.others,
        **rule,
    )
    return vocabulary, remarks


@dataclass
class _Pieces:
    """The pieces of a model by kind.

    Attributes
    ----------
    tokens : list of tuple
        Each token, its score and its id.
    singles : dict
        The scores of single bytes that are pieces.
    byte_ids : list of int
        The id of each byte; −1 for one without.
    others : dict
        The ids of bytes for which a character goes before.
    special : dict
        The special tokens and their ids.
    unused : list of str
        The unused pieces.
    user_defined : list of str
        Special tokens that are found in every normalized text, before it is segmented.
    n_with_space : int
        How many pieces have a space though no text has one.
    lowest : float or None
        The lowest score of a normal piece.
    """

    tokens: list[tuple[bytes, float, int]] = field(default_factory=list)
    singles: dict[bytes, float] = field(default_factory=dict)
    byte_ids: list[int] = field(default_factory=lambda: [-1] * 256)
    others: dict[int, bytes] = field(default_factory=dict)
    special: dict[str, int] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)
    user_defined: list[str] = field(default_factory=list)
    n_with_space: int = 0
    lowest: float | None = None

    @property
    def scores(self) -> set[float]:
        """The scores there are."""
        return {score for _, score, _ in self.tokens} | set(self.singles.values())


def _sort_pieces(model: Any, *, spaced: bool) -> _Pieces:
    """Sorts the pieces of a model by kind; `spaced`: ▁ in them is a space here."""
    pieces = _Pieces()
    escaped = model.normalizer_spec.escape_whitespaces
    names = {piece.piece for piece in model.pieces}
    # BPE splits a text at user-defined pieces first
    kind = model.trainer_spec.model_type
    tokens = (NORMAL,) if kind == BPE else (NORMAL, USER_DEFINED)
    for number, piece in enumerate(model.pieces):
        text = piece.piece
        if piece.type == NORMAL and (pieces.lowest is None or piece.score < pieces.lowest):
            pieces.lowest = piece.score  # reachable or not
        if piece.type == BYTE:
            if not BYTE_PIECE.fullmatch(text):
                raise InputError(f"piece {number}, {text!r}, is not a byte")
            byte = int(text[1:-1], 16)
            if pieces.byte_ids[byte] == -1:
                pieces.byte_ids[byte] = number
            else:
                pieces.others[number] = bytes([byte])
        elif piece.type == UNUSED or (kind == CHAR and piece.type == NORMAL and len(text) > 1):
            pieces.unused.append(text)
        elif piece.type in tokens and escaped and " " in text:
            pieces.n_with_space += 1
        elif piece.type in tokens:
            token = (text.replace(MARK, " ") if spaced else text).encode("utf-8")
            if not token:
                raise InputError(f"piece {number} is empty")
            score = piece.score
            if piece.type == USER_DEFINED:
                score = float(np.float32(0.1 * (len(text.encode("utf-8")) - 1)))  # as there
            if len(token) == 1:
                pieces.singles[token] = score
                if (before := pieces.byte_ids[token[0]]) != -1:
                    pieces.others[before] = token  # a character that is a piece goes before
                pieces.byte_ids[token[0]] = number
            else:
                pieces.tokens.append((token, score, number))
        elif piece.type == USER_DEFINED:
            name = user_defined_name(text, names, escaped=escaped)
            pieces.special[name] = number
            if not (escaped and " " in text):  # a ▁ stands for each space of a normalized text
                pieces.user_defined.append(name)
        else:
            pieces.special[text] = number
    return pieces


def user_defined_name(text: str, names: Set[str], *, escaped: bool) -> str:
    """Returns the name of a user-defined piece here: as it stands in a text, if no piece has it."""
    spelled = text.replace(MARK, " ") if escaped else text
    return text if spelled in names else spelled


def _left_out(model: Any, pieces: _Pieces) -> Iterator[str]:
    """Returns remarks on pieces that the vocabulary does not have, or has as special tokens."""
    unused = pieces.unused
    if unused:
        yield f"left out {len(unused):,} unused pieces"
    normal = (piece.piece for piece in model.pieces if piece.type == NORMAL)
    is_bpe = model.trainer_spec.model_type == BPE
    if is_bpe and (merged := _merged(unused, {*normal, *unused})):
        yield (
            f"sentencepiece merges {merged:,} of them and splits them again at the end; words with "
            "them may be tokenized differently"
        )
    if pieces.n_with_space:
        yield f"left out {pieces.n_with_space:,} unreachable pieces with a space"


def _merge_rule(pieces: _Pieces) -> tuple[dict[str, Any], list[str]]:
    """Sorts the tokens of a BPE model by rank; returns the rule, and remarks."""
    pieces.tokens.sort(key=lambda token: -token[1])  # of equal scores the first piece stays first
    scores = [score for token, score, _ in pieces.tokens if len(token.decode("utf-8")) > 1]
    remarks = []
    if tied := len(scores) - len(set(scores)):
        remarks.append(
            f"{tied:,} pieces have equal scores: sentencepiece merges the leftmost of them "
            "first, partcover the first in the file"
        )
    return {"rule": "character_merges"}, remarks


def _score_rule(pieces: _Pieces, *, fallback: bool) -> tuple[dict[str, Any], list[str]]:
    """Returns the rule of a Unigram model with its scores, and remarks."""
    scores = pieces.scores
    ascii_ = {bytes([byte]) for byte in range(1, 128)}
    # equal sums of equal terms stay equal, and each term counts in 32 bits
    if fallback and len(scores) == 1 and min(scores) < _LEAST and ascii_ <= set(pieces.singles):
        (score,) = scores
        open_ = open_characters(token for token, _, _ in pieces.tokens)
        # a character that is no piece has the price of its bytes
        if all((size - 1) * -score == 10 for size in open_):
            return {"rule": "shortest_path"}, []
    # what is no piece costs the lowest score of a normal one − 10
    lowest = np.finfo(np.float32).max if pieces.lowest is None else np.float32(pieces.lowest)
    unknown = {}
    if lowest != min(scores, default=0.0):
        unknown = unknown_scores(float(lowest - np.float32(10)))
    rule = {
        "rule": "likelihood",
        "sums": "text32",
        "scores": [score for _, score, _ in pieces.tokens],
        "symbol_scores": unknown | pieces.singles,
    }
    return rule, []


def _merged(unused: Sequence[str], pieces: Set[str]) -> int:
    """Counts the unused pieces that two other pieces, or characters, merge into."""

    def whole(part: str) -> bool:
        return len(part) == 1 or part in pieces

    lengths = {1, *map(len, pieces)}
    return sum(any(whole(a) and whole(b) for a, b in halves(text, lengths)) for text in unused)


def looks_like(path: Path) -> bool:
    """Returns whether a file begins with a piece, as every model does, whatever its name is."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if path.suffix in (".model", ".spm") and head[:1] == _PIECE:
        return True  # what is wrong in it is said when it is read
    return head[:1] == _PIECE and _is_piece(*_delimited(head))


def _is_piece(data: bytes, rest: bytes | None) -> bool:
    """Returns whether a message holds text first, then at most a score and a type."""
    if data[:1] != _PIECE or rest is None:
        return False
    text, after = _delimited(data)
    if not text or after is None or not _SCORE_AND_TYPE.fullmatch(after):
        return False
    # another piece follows, or a message of settings
    return rest[:1] in (b"", _PIECE, b"\x12", b"\x1a", b"\x22", b"\x2a")


def _delimited(data: bytes) -> tuple[bytes, bytes | None]:
    """Returns the bytes whose number stands after a tag, and those after them, if all are there."""
    size = shift = 0
    for place in range(1, min(6, len(data))):
        size |= (data[place] & 0x7F) << shift
        shift += 7
        if data[place] < 0x80:
            end = place + 1 + size
            return data[place + 1 : end], data[end:] if end <= len(data) else None
    return b"", None
