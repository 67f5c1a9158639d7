"""Converts text to bytes, exchanges space marks, and numbers unknown symbols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..kernels.segmentation._segment import INSIDE
from ..runtime.arguments import plain, shown
from ..vocabulary.unknown import Part
from .utf8 import SMALL, utf8

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
    """Returns whether values of a type are integers; True and 1.0 do not count as integers."""
    return kind is int or (issubclass(kind, int | np.integer) and kind is not bool)


def as_bytes(text: object, what: str) -> bytes:
    """Returns a text as bytes in UTF-8; `what` names it in errors."""
    if isinstance(text, bytes):
        return plain(text)
    if not isinstance(text, str):
        raise InputError(f"{what} is {shown(text)}: it must be str or bytes")
    try:
        text = plain(text)
        if len(text) < SMALL:
            return text.encode("utf-8", "surrogateescape")
        return utf8(text, 0, len(text))
    except UnicodeEncodeError:
        raise InputError(f"{what} has a lone surrogate, which UTF-8 cannot encode") from None


def space_mark(mark: str | None, others: Iterable[str | None]) -> bytes:
    """Returns the mark that replaces a leading space; a space if there is none."""
    if any(other not in (None, " ") for other in others):
        raise InputError(
            "space-prefix must be the first rule, because its mark could not be removed in decoding"
        )
    data = as_bytes(mark or " ", "the mark of space-prefix")
    if data != b" " and (b" " in data or any(data[:n] == data[-n:] for n in range(1, len(data)))):
        raise InputError(
            f"the mark {mark!r} cannot be told from text (it contains a space, or overlaps "
            "itself): use a single character"
        )
    return data


def exchange(text: bytes, mark: bytes) -> bytes:
    """Exchanges mark and space.

    The function is its own inverse, since a mark does not overlap itself and contains no space.
    """
    return b" ".join(part.replace(b" ", mark) for part in text.split(mark))


def placed(parts: Iterable[Section], first: int = 0) -> Iterator[tuple[int, Section]]:
    """Yields each part with its position in the text; special tokens have length 0."""
    for part in parts:
        yield first, part
        first += len(part) if isinstance(part, bytes) else 0


def joined(arrays: Sequence[Numbers]) -> Numbers:
    """Returns several arrays of numbers joined into one."""
    if len(arrays) == 1:
        return arrays[0]
    return np.concatenate([np.zeros(0, np.int32), *arrays])


@dataclass(frozen=True)
class UnknownNumbers:
    """Numbers for unknown bytes: `first` + n represents n bytes.

    Parameters
    ----------
    first : int
        The largest number of a special token, plus 1.
    part : {"run", "character", "word"}
        The text that one number represents; see `partcover.vocabulary.unknown`.
    longest : int, optional
        Words with more characters are unknown.
    """

    first: int
    part: Part
    longest: int | None = None

    def too_long(
        self, data: npt.NDArray[np.uint8], words: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """Returns for each byte whether its word is too long; parameters as for `mark`."""
        before = np.concatenate([[0], np.cumsum((data & 0xC0) != 0x80)])
        long = np.diff(before[words]) > self.longest
        return np.repeat(long, np.diff(words))

    def mark(
        self,
        which: npt.NDArray[np.int32],
        data: npt.NDArray[np.uint8],
        words: npt.NDArray[np.int64],
        bad: npt.NDArray[np.bool_],
    ) -> None:
        """Replaces unknown single bytes in the segmentation of words.

        Parameters
        ----------
        which : ndarray of int32, shape (len(data),)
            The segmentation by the kernels; it is changed.
        data : ndarray of uint8
            The words, one after another.
        words : ndarray of int64
            The starts of the words, and the end of the last one.
        bad : ndarray of bool, shape (len(data),)
            Which single bytes are unknown.
        """
        starts = np.zeros(len(data) + 1, bool)  # where an unknown part may begin
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
