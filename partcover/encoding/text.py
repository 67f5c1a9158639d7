"""Handles text as bytes, special tokens and the mark of a space."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..kernels._segment import INSIDE
from ..runtime.arguments import shown
from ..vocabulary.unknown import Part

__all__ = [
    "Numbers",
    "Special",
    "SpecialTokens",
    "UnknownNumbers",
    "as_bytes",
    "check_special",
    "exchange",
    "is_integer_type",
    "joined",
    "naming",
    "placed",
    "space_mark",
]

Special: TypeAlias = Literal["text", "parse", "error"]
Numbers: TypeAlias = npt.NDArray[np.int32]
Section = TypeVar("Section", bytes, bytes | Numbers)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Adds the name of the text to its errors."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def is_integer_type(kind: type) -> bool:
    """Returns whether values of a type are integers; True and 1.0 are not, although equal to 1."""
    return kind is int or (issubclass(kind, int | np.integer) and kind is not bool)


def as_bytes(text: object, what: str) -> bytes:
    """Returns a text as bytes in UTF-8; `what` names it in errors."""
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise InputError(f"{what} is {shown(text)}: str or bytes is expected")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise InputError(f"{what} has a lone surrogate, not UTF-8") from None


def space_mark(mark: str | None, others: Iterable[str | None]) -> bytes:
    """Returns the mark that replaces a leading space; a space if there is none."""
    if any(other not in (None, " ") for other in others):
        raise InputError("space-prefix must be the first rule, or its mark cannot be undone")
    data = as_bytes(mark or " ", "the mark of space-prefix")
    if data != b" " and (b" " in data or any(data[:n] == data[-n:] for n in range(1, len(data)))):
        raise InputError(
            f"the mark {mark!r} cannot be told from text (it holds a space, or overlaps itself): "
            "use a single character"
        )
    return data


def exchange(text: bytes, mark: bytes) -> bytes:
    """Exchanges mark and space.

    It is its own inverse, since a mark neither overlaps itself nor holds a space.
    """
    return b" ".join(part.replace(b" ", mark) for part in text.split(mark))


def placed(parts: Iterable[Section], first: int = 0) -> Iterator[tuple[int, Section]]:
    """Yields each part with its position in the text; special tokens have no length."""
    for part in parts:
        yield first, part
        first += len(part) if isinstance(part, bytes) else 0


def joined(arrays: Sequence[Numbers]) -> Numbers:
    """Returns arrays of numbers as one array."""
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate([np.zeros(0, np.int32), *arrays])


def check_special(special: str) -> None:
    """Checks how special tokens in a text are to be treated."""
    if not isinstance(special, str) or special not in get_args(Special):
        raise InputError(f"special is {shown(special)}: use 'text', 'parse' or 'error'")


@dataclass(frozen=True)
class UnknownNumbers:
    """Gives numbers to what is unknown: `first` + n to n bytes of it.

    Parameters
    ----------
    first : int
        One more than the largest number of a special token.
    part : {"run", "character", "word"}
        What a number stands for, see `partcover.vocabulary.unknown`.
    """

    first: int
    part: Part

    def mark(
        self,
        which: npt.NDArray[np.int32],
        data: npt.NDArray[np.uint8],
        words: npt.NDArray[np.int64],
        bad: npt.NDArray[np.bool_],
    ) -> None:
        """Replaces single bytes that are unknown in what words were cut into.

        Parameters
        ----------
        which : ndarray of int32, shape (len(data),)
            The pieces, as the cutting kernels give them; changed.
        data : ndarray of uint8
            The words, one after another.
        words : ndarray of int64
            Where they start, and the end of the last.
        bad : ndarray of bool, shape (len(data),)
            Which single bytes are unknown.
        """
        starts = np.zeros(len(data) + 1, bool)  # where something unknown may begin
        starts[words] = True
        if self.part == "word":
            number = np.repeat(np.arange(len(words) - 1), np.diff(words))
            unknown = np.zeros(len(words) - 1, bool)
            unknown[number[bad]] = True
            bad = unknown[number]
        elif self.part == "character":
            starts[:-1] |= (data & 0xC0) != 0x80
        before = np.concatenate([[False], bad])
        after = np.concatenate([bad, [False]])
        begins = np.flatnonzero(after & (starts | ~before))
        ends = np.flatnonzero(before & (starts | ~after)) - 1
        which[bad] = INSIDE
        which[ends] = self.first - 256 + (ends - begins + 1)


class SpecialTokens:
    """The special tokens of a vocabulary, each with its number.

    Parameters
    ----------
    texts : iterable of str
        The special tokens.
    first : int
        The number of the first; the others follow.
    """

    def __init__(self, texts: Iterable[str], first: int) -> None:
        self.texts = list(texts)
        self.numbers = {as_bytes(text, f"special token {text!r}"): first + place
                        for place, text in enumerate(self.texts)}  # fmt: skip
        by_length = sorted(self.numbers, key=len, reverse=True)
        self.pattern = re.compile(b"(" + b"|".join(map(re.escape, by_length)) + b")")

    def cut(self, text: bytes, special: Special) -> list[bytes | Numbers]:
        """Cuts a text at its special tokens, which are replaced by their numbers."""
        check_special(special)
        if special == "text" or not self.numbers:
            return [text]
        if special == "error":
            if match := self.pattern.search(text):
                raise InputError(
                    f"the text has the special token {match[0].decode('utf-8', 'replace')!r} at "
                    f"byte {match.start()}: --special parse (special='parse') takes it as such, "
                    "text as text"
                )
            return [text]
        return [
            np.array([self.numbers[part]], np.int32) if place % 2 else part
            for place, part in enumerate(self.pattern.split(text))
        ]

    def ending(self, text: str) -> Numbers:
        """Returns the number of the special token that ends documents."""
        place = self.numbers.get(as_bytes(text, "the end of documents"))
        if place is None:
            known = ", ".join(map(repr, self.texts)) or "none"
            raise InputError(
                f"end of document {text!r} is no special token of the vocabulary; there is {known}"
            )
        return np.array([place], np.int32)
