"""Maps places in one sequence to places in another: spans of bytes to characters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["character_lengths", "spans"]


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
