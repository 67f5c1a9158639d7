"""What cuts words into tokens, and what draws how they are cut, is called in one way."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Cut", "Draw"]


class Cut(Protocol):
    """Cuts words `first` to `last` − 1 of a flat array.

    Writes to `which` (int32, as long as `data`), at the last symbol of each token, the token's
    index in the vocabulary, or −1 for a single symbol, and −2 elsewhere.  Runs without the
    interpreter lock.
    """

    def __call__(
        self,
        data: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        first: int,
        last: int,
        which: npt.NDArray[np.int32],
    ) -> None:
        """Cut."""


class Draw(Protocol):
    """A `Cut` at random: `draws` (int64) tells draws of one word apart.

    Its entry `w` goes with word `w`; where it is empty, all words have the number 0.  What is
    drawn depends on the seed, the word's symbols and its number alone, not on where it stands.
    `seed`, from 0 to 2^64 − 1, takes the place of the one that `sampler` was given.
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
        """Cut."""
