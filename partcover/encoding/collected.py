"""Collects the numbers of many sections of a text in one array, or counts them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.encoding._encoder import WordCache

_MORE = 1.1  # factor of the size that the sections so far suggest


class Collected:
    """Collects numbers or ids of consecutive sections.

    Parameters
    ----------
    size : int
        Size of all text to come, in bytes or any other unit, used to estimate that of the array; 0
        if unknown.
    kind : dtype
        A type that can hold all numbers.
    """

    def __init__(self, size: int, kind: npt.DTypeLike) -> None:
        self.size = size
        self._array: npt.NDArray[Any] = np.empty(0, kind)
        self._n = self._done = 0

    def add(self, cache: WordCache, size: int) -> None:
        """Adds the numbers of a section of `size` bytes."""
        end = self._room_for(cache.total, size)
        cache.write(self._array, self._n)
        self._n = end

    def append(self, numbers: npt.NDArray[Any], size: int) -> None:
        """Adds the given numbers, of a section of this size."""
        end = self._room_for(len(numbers), size)
        self._array[self._n : end] = numbers
        self._n = end

    @property
    def numbers(self) -> npt.NDArray[Any]:
        """The numbers so far, in memory that still belongs to this object."""
        return self._array[: self._n]

    def _room_for(self, more: int, size: int) -> int:
        """Makes room for some numbers of `size` bytes, and returns where they end."""
        end = self._n + more
        self._done += size
        if end > len(self._array):
            room = end
            if self._done < self.size:
                room = int(end * _MORE * self.size / self._done)
            if self._n:  # the estimate was too small: grow so that few copies are made in any case
                room = max(room, end + end // 4)
            larger = np.empty(room, self._array.dtype)
            larger[: self._n] = self._array[: self._n]
            self._array = larger
        return end

    def result(self) -> npt.NDArray[Any]:
        """Returns the array; nothing may be added afterwards."""
        if self._n < len(self._array):
            # gives the rest of the memory back without a copy
            self._array.resize(self._n, refcheck=False)
        return self._array


class CollectedInOrder:
    """Collects the parts of a text that threads collect.

    Parameters
    ----------
    size, kind
        As for `Collected`, of the whole text.
    """

    def __init__(self, size: int, kind: npt.DTypeLike) -> None:
        self.whole = Collected(size, kind)
        self.kind = kind
        self._begun = 0
        self.taken = 0  # number of parts whose numbers are in `whole`

    def new(self, size: int) -> Collected:
        """Returns what collects the next part; it is called in the order of the parts."""
        self._begun += 1
        return _Part(self, self._begun - 1, size)

    def take(self, part: Collected) -> None:
        """Adds the numbers of a part, in the order of the parts."""
        if len(part.numbers):
            self.whole.append(part.numbers, part.size)
        self.taken += 1

    def result(self) -> npt.NDArray[Any]:
        """Returns the array; nothing may be added afterwards."""
        return self.whole.result()


class _Part(Collected):
    """Collects a part, in the whole where the parts before it are there, else by itself."""

    def __init__(self, order: CollectedInOrder, place: int, size: int) -> None:
        super().__init__(size, order.kind)
        self._order, self._place = order, place

    def add(self, cache: WordCache, size: int) -> None:
        """Adds the numbers of a section of `size` bytes."""
        if self._n or self._order.taken < self._place:
            super().add(cache, size)
        else:  # no other thread changes the whole before this part is taken
            self._order.whole.add(cache, size)


class Counted:
    """Counts the numbers without storing them."""

    def __init__(self, size: int) -> None:
        self._n = 0

    def add(self, cache: WordCache, size: int) -> None:
        """Adds the numbers of a section."""
        self._n += cache.total

    def append(self, numbers: npt.NDArray[Any], size: int) -> None:
        """Adds the given numbers."""
        self._n += len(numbers)

    def result(self) -> int:
        """Returns the count."""
        return self._n
