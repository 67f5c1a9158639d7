"""The interfaces of functions that segment words into tokens."""

from __future__ import annotations

from typing import Protocol

from ..runtime.arrays import Array, Int32, Int64


class Cut(Protocol):
    """Segments words `first` to `last` − 1 of a flat array.

    Writes to `which` (int32, as long as `data`) each token's index in the vocabulary at its last
    symbol, −1 (`SINGLE`) at a symbol that stands alone, and −2 (`INSIDE`) elsewhere.  Runs
    without the interpreter lock.
    """

    def __call__(
        self,
        data: Array,
        offsets: Int64,
        first: int,
        last: int,
        which: Int32,
    ) -> None:
        """Segments the words."""


class Draw(Protocol):
    """Segments words at random; otherwise like `Cut`.

    `draws` (int64) has a number for each word, which distinguishes the draws of equal words; if it
    is empty, every word has the number 0.  The segmentation depends only on the seed, the word's
    symbols and its number, not on the word's position.  `seed`, from 0 to 2^64 − 1, replaces the
    one given to `sampler`.
    """

    def __call__(
        self,
        data: Array,
        offsets: Int64,
        first: int,
        last: int,
        which: Int32,
        draws: Int64,
        *,
        seed: int = ...,
    ) -> None:
        """Segments the words."""
