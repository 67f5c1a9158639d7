"""Writes and reads tokens in hexadecimal, one a line: SaGe's and PathPiece's .vocab."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ...corpus import symbols as sym
from ...errors import InputError, MissingExtra
from ...runtime.files.writing import atomic_writer
from ...vocabulary.rules import SegmentationRule
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import pieces_of
from ..format import Format, Replay, only_rule
from ..given_up import GivenUp, give_up
from ..token_list import lines_of, not_carried, own_replay
from .numbered import vocabulary_of_ids

_HEX = re.compile(rb"[0-9a-fA-F \t]*")


def hex_lines(path: Path) -> list[bytes]:
    """Reads tokens written as hexadecimal bytes, one on each line, with or without spaces."""
    line_of: dict[bytes, int] = {}
    for number, line in enumerate(lines_of(path), 1):
        try:
            token = bytes.fromhex(line.decode("ascii")) if _HEX.fullmatch(line) else b""
            if not token:
                raise ValueError
        except ValueError:
            shown = line[:40].decode(errors="replace")
            raise InputError(f"{path}:{number}: {shown!r} is not bytes in hexadecimal") from None
        if token in line_of:
            raise InputError(
                f"{path}:{number}: token {sym.show(token)!r} is given twice, first in line "
                f"{line_of[token]}"
            )
        line_of[token] = number
    if not line_of:
        raise InputError(f"{path}: there are no tokens. Expected bytes in hexadecimal on each line")
    return list(line_of)


def write_hex(path: Path, tokens: Sequence[bytes]) -> None:
    """Writes what `hex_lines` reads."""
    with atomic_writer(path) as file:
        file.writelines(token.hex().encode() + b"\n" for token in tokens)


def by_id(vocabulary: Vocabulary) -> tuple[list[bytes], list[str]]:
    """Returns all bytes and tokens by id, those without an id last, and remarks."""
    pieces = pieces_of(vocabulary)
    ids = vocabulary.id_of
    after = max(ids) + 1
    numbers = [after + place if n == -1 else n for place, n in enumerate(ids)]
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    missing = ids.count(-1)
    remarks = [f"{missing} bytes without an id are written behind"] if missing else []
    return [pieces[place] for place in order], remarks


def from_lines(tokens: Sequence[bytes], rule: SegmentationRule) -> tuple[Vocabulary, list[str]]:
    """Makes the vocabulary whose ids are the lines, and remarks; bytes may be missing."""
    numbers = {token: number for number, token in enumerate(tokens)}
    vocabulary = vocabulary_of_ids(numbers, rule)
    remarks = []
    if missing := vocabulary.id_of[:256].count(-1):
        remarks.append(f"{missing} of the 256 bytes are not listed: they have no id")
    return vocabulary, remarks


def adapt_lines(vocabulary: Vocabulary, lost: list[GivenUp]) -> Vocabulary:
    """Returns the vocabulary with ids that can be line numbers."""
    numbers = [number for number in vocabulary.id_of if number != -1]
    if sorted(numbers) == list(range(len(numbers))):
        return vocabulary
    order = {number: line for line, number in enumerate(sorted(numbers))}
    ids = [order.get(number, -1) for number in vocabulary.id_of]
    what, reason, nearest = "ids with gaps", "an id is the line, from 0", "ids in the same order"
    special = list(vocabulary.special)
    return give_up(vocabulary, lost, what, reason, nearest, ids=ids, special=special)


def _write_vocab(vocabulary: Vocabulary, path: Path) -> list[str]:
    tokens, remarks = by_id(vocabulary)
    write_hex(path, tokens)
    return [*remarks, *not_carried(vocabulary)]


def _replay_sage(path: Path) -> Replay:
    try:
        from importlib.metadata import version

        from sage_tokenizer.model import SaGeTokenizer
    except ImportError:
        # there is no extra: it depends on a NumPy that OR-Tools does not support
        raise MissingExtra("sage-tokenizer", None, "replaying a SaGe vocabulary") from None
    tokens = hex_lines(path)
    # by default it never uses tokens of more than 16 bytes
    tokenizer = SaGeTokenizer(tokens, max_len=max(map(len, tokens)))

    def words(pieces: Sequence[bytes]) -> list[list[bytes] | None]:
        cut = tokenizer.tokenize
        return [[tokens[n] for n in cut(piece, tokens_only=True)] for piece in pieces]

    id_of = {token: number for number, token in enumerate(tokens)}
    return Replay(f"sage-tokenizer {version('sage-tokenizer')}", words, None, id_of.get)


SAGE = Format(
    name="sage",
    title="SaGe's .vocab: bytes and tokens in hexadecimal, one per line in the order of ids",
    rules=only_rule("longest_match", "longest match", "SaGe takes the longest match"),
    write=_write_vocab,
    replay=_replay_sage,
    read=lambda path: from_lines(hex_lines(path), "longest_match"),
    recognises=lambda path: False,  # PathPiece's files look the same
    adapt=adapt_lines,
)
PATHPIECE = Format(
    name="pathpiece",
    title="PathPiece's .vocab: as SaGe's",
    rules=only_rule("shortest_path", "PathPieceL", "PathPieceL takes the fewest tokens"),
    write=_write_vocab,
    # PathPiece is on no package index, so the file is replayed here
    replay=lambda path: own_replay(from_lines(hex_lines(path), "shortest_path")[0]),
    read=lambda path: from_lines(hex_lines(path), "shortest_path"),
    recognises=lambda path: False,
    adapt=adapt_lines,
)
