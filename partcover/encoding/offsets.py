"""Maps places in one sequence to places in another: spans of bytes to characters."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

__all__ = ["character_lengths", "spans", "token_spans"]


def spans(
    lengths: npt.NDArray[np.int64], start: npt.NDArray[np.int64], end: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The items, of these lengths, that spans reach into; those of length 0 go with the last."""
    ends = np.cumsum(lengths)
    last = np.searchsorted(ends, end, "right")
    inside = (last == 0) | (ends[last - 1] != end) if len(ends) else np.zeros(0, np.int64)
    return np.searchsorted(ends, start, "right"), last + inside


def character_lengths(text: bytes) -> npt.NDArray[np.int64]:
    """Bytes of each character, one for a byte that belongs to none."""
    decoded = text.decode("utf-8", "surrogateescape")
    points = np.frombuffer(decoded.encode("utf-32-le", "surrogatepass"), "<u4")
    lengths = np.ones(len(points), np.int64)
    for least in (0x80, 0x800, 0x10000):
        lengths += points >= least
    lengths[(points >= 0xDC80) & (points <= 0xDCFF)] = 1
    return lengths


def token_spans(
    text: bytes, lengths: npt.NDArray[np.int64], mark: bytes
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where tokens of these lengths stand in a text that they make up."""
    end = np.cumsum(lengths)
    start = end - lengths
    return spans(exchanged_lengths(text, mark), start, end) if len(mark) > 1 else (start, end)


def exchanged_lengths(text: bytes, mark: bytes) -> npt.NDArray[np.int64]:
    """How many bytes each byte of a text becomes when mark and space are exchanged."""
    lengths = np.ones(len(text), np.int64)
    lengths[np.frombuffer(text, np.uint8) == 0x20] = len(mark)
    for found in re.finditer(re.escape(mark), text):
        lengths[found.start() + 1 : found.end()] = 0
    return lengths
