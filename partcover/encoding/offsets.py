"""Converts spans: from bytes to characters, and from marked text to the original."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

__all__ = ["character_lengths", "spans", "token_spans"]


def spans(
    lengths: npt.NDArray[np.int64], start: npt.NDArray[np.int64], end: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Converts spans over positions to spans over items of these lengths.

    A span covers every item that it reaches into; items of length 0 belong to the item before.
    """
    ends = np.cumsum(lengths)
    last = np.searchsorted(ends, end, "right")
    inside = (last == 0) | (ends[last - 1] != end) if len(ends) else np.zeros(0, np.int64)
    return np.searchsorted(ends, start, "right"), last + inside


def character_lengths(text: bytes) -> npt.NDArray[np.int64]:
    """Returns the bytes of each character; a byte that is part of none counts as one."""
    decoded = text.decode("utf-8", "surrogateescape")
    points = np.frombuffer(decoded.encode("utf-32-le", "surrogatepass"), "<u4")
    lengths = np.ones(len(points), np.int64)
    for first in (0x80, 0x800, 0x10000):
        lengths += points >= first
    lengths[(points >= 0xDC80) & (points <= 0xDCFF)] = 1
    return lengths


def token_spans(
    text: bytes, lengths: npt.NDArray[np.int64], mark: bytes
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns the spans of tokens of these lengths in the text that they make up."""
    end = np.cumsum(lengths)
    start = end - lengths
    return spans(exchanged_lengths(text, mark), start, end) if len(mark) > 1 else (start, end)


def exchanged_lengths(text: bytes, mark: bytes) -> npt.NDArray[np.int64]:
    """Returns how many bytes each byte of a text becomes when mark and space are exchanged."""
    lengths = np.ones(len(text), np.int64)
    lengths[np.frombuffer(text, np.uint8) == 0x20] = len(mark)
    for match in re.finditer(re.escape(mark), text):
        lengths[match.start() + 1 : match.end()] = 0
    return lengths
