"""Defines how functions that segment words into tokens are called."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Cut", "Draw"]


class Cut(Protocol):
    """Segments words `first` to `last` − 1 of a flat array.

    Writes to `which` (int32, as long as `data`) each token's index in the vocabulary at its last
    symbol, −1 (`SINGLE`) at a symbol that stands alone, and −2 (`INSIDE`) elsewhere.  Runs
    without the interpreter lock.
    """

    def __call__(
        self,
        data: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        first: int,
        last: int,
        which: npt.NDArray[np.int32],
    ) -> None:
        """Segments the words."""


class Draw(Protocol):
    """Segments words as `Cut` does, at random.

    `draws` (int64) holds a number for each word, which distinguishes the draws of equal words; if
    it is empty, every word has the number 0.  The segmentation depends on the seed, the word's
    symbols and its number alone, not on the word's place.  `seed`, from 0 to 2^64 − 1, replaces
    the one that `sampler` was given.
    """

    def __call__(
        self,
        data: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        first: int,
        last: int,
        which: npt.NDArray[np.int32],
        draws: npt.NDArray[np.int64],
        *,
        seed: int = ...,
    ) -> None:
        """Segments the words."""
