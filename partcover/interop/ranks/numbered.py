"""Reads lines that each hold a token and its number, and makes vocabularies of numbered tokens."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from ...corpus.symbols import show
from ...errors import InputError
from ...runtime.files.writing import open_input
from ...vocabulary.rules import SegmentationRule
from ...vocabulary.vocabulary import Vocabulary

#: Returns the token and the number of a line, or raises `InputError`.
Parse: TypeAlias = Callable[[bytes], tuple[bytes, int]]


def begins_numbered(path: Path, parse: Parse) -> bool:
    """Returns whether the first line of a file, blank ones aside, is a token and its number."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        first = file.read(1000).removeprefix(BOM_UTF8).lstrip().partition(b"\n")[0]
    try:
        parse(first)
    except InputError:
        return False
    return True


def read_numbered(
    path: Path,
    parse: Parse,
    number_is: str,
    each: Callable[[bytes], object],
    longest: int = -1,
) -> dict[bytes, int]:
    """Reads the numbers of the tokens; `each` is given every line, of at most `longest` bytes.

    Raises
    ------
    InputError
        Naming the line that is no token and its number, or holds one that was there before.
    """
    number_of: dict[bytes, int] = {}
    taken: set[int] = set()
    with open_input(path) as file:
        for place, line in enumerate(iter(partial(file.readline, longest), b""), 1):
            each(line)
            if place == 1:
                line = line.removeprefix(BOM_UTF8)
            if not line.strip():
                continue
            try:
                token, number = parse(line)
                if token in number_of:
                    raise InputError(f"token {show(token)!r} is given twice")
                if number in taken:
                    raise InputError(f"{number_is} {number} is given twice")
            except InputError as error:
                raise InputError(f"{path}:{place}: {error}") from None
            number_of[token] = number
            taken.add(number)
    return number_of


def vocabulary_of_ids(
    number_of: Mapping[bytes, int], rule: SegmentationRule, **use: Any
) -> Vocabulary:
    """Returns the vocabulary whose ids are the numbers; an empty token only decodes."""
    tokens = sorted((token for token in number_of if len(token) > 1), key=number_of.__getitem__)
    singles = [number_of.get(bytes([byte]), -1) for byte in range(256)]
    return Vocabulary(
        tokens,
        method="imported",
        rule=rule,
        ids=[*singles, *map(number_of.__getitem__, tokens)],
        decode_only={number_of[b""]: b""} if b"" in number_of else None,
        **use,
    )
