"""Collects the numbers of many sections of text in one array, or counts them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.encoding._encoder import WordCache

__all__ = ["Collected", "Counted"]

_MORE = 1.1  # times the room that the sections so far let expect


class Collected:
    """Numbers, or ids, one section behind another.

    Parameters
    ----------
    size : int
        Bytes of all text that is to come, for the room that is taken.
    kind : dtype
        Their type, in which all fit.
    """

    def __init__(self, size: int, kind: npt.DTypeLike) -> None:
        self._size = size
        self._array: npt.NDArray[Any] = np.empty(0, kind)
        self._n = self._done = 0

    def add(self, cache: WordCache, size: int) -> None:
        """Adds the numbers of a section of `size` bytes."""
        end = self._room_for(cache.total, size)
        cache.write(self._array, self._n)
        self._n = end

    def append(self, numbers: npt.NDArray[Any], size: int) -> None:
        """Adds numbers that are there, of `size` bytes."""
        end = self._room_for(len(numbers), size)
        self._array[self._n : end] = numbers
        self._n = end

    def _room_for(self, more: int, size: int) -> int:
        """Makes room for some numbers of `size` bytes, and returns where they end."""
        end = self._n + more
        self._done += size
        if end > len(self._array):
            room = end
            if self._done < self._size:
                room = int(end * _MORE * self._size / self._done)
            if self._n:  # it was too little: so that few copies are made whatever follows
                room = max(room, end + end // 4)
            larger = np.empty(room, self._array.dtype)
            larger[: self._n] = self._array[: self._n]
            self._array = larger
        return end

    def result(self) -> npt.NDArray[Any]:
        """Returns the array, which nothing is added to any more."""
        if self._n < len(self._array):
            self._array.resize(self._n, refcheck=False)  # gives the rest back, without a copy
        return self._array


class Counted:
    """How many numbers there are, where nobody asks which."""

    def __init__(self, size: int) -> None:
        self._n = 0

    def add(self, cache: WordCache, size: int) -> None:
        """Adds the numbers of a section."""
        self._n += cache.total

    def result(self) -> int:
        """Returns how many there were."""
        return self._n
