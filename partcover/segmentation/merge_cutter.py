"""Segments words by merges (byte pair encoding)."""

from __future__ import annotations

from itertools import chain, repeat, starmap
from operator import add
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..kernels.segmentation._merge_segmentation import FIRST_SYMBOL, MergeSegmenter
from .token_trie import NO_NUMBERS, TokenTrie

__all__ = ["MergeCutter", "MergePairs", "merge_cutter", "merge_pairs"]


class MergePairs(NamedTuple):
    """The pairs of pieces that may merge, in the form that `MergeSegmenter` takes."""

    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    rank: npt.NDArray[np.int32]
    token: npt.NDArray[np.int32]


def merge_pairs(trie: TokenTrie) -> MergePairs:
    """Returns the merges of a vocabulary; without a list, all pairs that form a token."""
    vocabulary = trie.vocabulary
    if vocabulary.merges is None:
        left, right, token = trie.segmenter.splits(trie.flat, trie.offsets)
        return MergePairs(left, right, token, token)
    merges = vocabulary.merges
    index = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
    sides = [*chain.from_iterable(merges)]
    numbers = np.fromiter(map(index.get, sides, repeat(-1)), np.int32, len(sides))
    single = np.flatnonzero(numbers < 0)
    symbols = sym.packed([sides[place] for place in single.tolist()], vocabulary.symbols)[0]
    numbers[single] = FIRST_SYMBOL - trie.place(symbols)
    token = np.fromiter(map(index.__getitem__, starmap(add, merges)), np.int32, len(merges))
    rank = np.arange(len(merges), dtype=np.int32)
    return MergePairs(numbers[::2].copy(), numbers[1::2].copy(), rank, token)


def merge_cutter(trie: TokenTrie, dropout: float, seed: int, *, whole: bool) -> MergeCutter:
    """Returns a segmenter by merges; with `whole` and no list of merges, a token stays whole."""
    whole &= trie.vocabulary.merges is None
    merger = MergeSegmenter(*merge_pairs(trie), trie.names)
    return MergeCutter(trie, merger, dropout, seed, whole=whole)


class MergeCutter:
    """Segments words by byte pair encoding; implements `Cut` and `Draw`.

    Attributes
    ----------
    keeps_whole : bool
        Whether a word that is a token stays whole, even if merges do not make it.
    last_merges : tuple of ndarray, or None
        The left and right side and the rank of each token's last merge, as
        `MergeSegmenter.last_pairs` returns them; None with dropout.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.segmentation.cutters import cutter
    >>> from partcover.segmentation.merge_cutter import MergeCutter
    >>> vocabulary = Vocabulary(["th", "the"], rule="merges")
    >>> isinstance(cutter(vocabulary), MergeCutter)
    True
    """

    def __init__(
        self, trie: TokenTrie, merger: MergeSegmenter, dropout: float, seed: int, *, whole: bool
    ) -> None:
        self._segmenter = trie.segmenter
        self._merger = merger
        self._dropout = dropout
        self._seed = seed % 2**64
        self.keeps_whole = whole
        self.last_merges: tuple[npt.NDArray[np.int32], ...] | None = None
        if not dropout:
            self.last_merges = merger.last_pairs(trie.flat, trie.offsets)
            self._segmenter.join(*self.last_merges, trie.flat, trie.offsets)

    def __call__(
        self,
        data: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        first: int,
        last: int,
        which: npt.NDArray[np.int32],
        draws: npt.NDArray[np.int64] = NO_NUMBERS,
        *,
        seed: int | None = None,
    ) -> None:
        """Segments the words."""
        if self._dropout:
            seed = self._seed if seed is None else seed
            self._merger.merge(data, offsets, first, last, which, self._dropout, seed, draws)
            return
        long = self._segmenter.merges(data, offsets, first, last, which, self.keeps_whole)
        for word in long.tolist():
            self._merger.merge(data, offsets, word, word + 1, which, 0.0, 0, NO_NUMBERS)
