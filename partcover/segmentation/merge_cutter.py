"""Segments words by merges (byte pair encoding)."""

from __future__ import annotations

from array import array
from itertools import chain, starmap
from operator import add
from typing import Any, NamedTuple

from ..kernels.segmentation._merge_segmentation import FIRST_SYMBOL, MergeSegmenter
from ..runtime.arrays import Array, Int32, Int64
from .token_trie import NO_NUMBERS, TokenTrie


class MergePairs(NamedTuple):
    """The pairs of pieces that may merge, in buffers of int32 that `MergeSegmenter` takes."""

    left: Any
    right: Any
    rank: Any
    token: Any


def merge_pairs(trie: TokenTrie) -> MergePairs:
    """Returns the merges of a vocabulary; without a list, all pairs that form a token."""
    vocabulary = trie.vocabulary
    if vocabulary.merges is None:
        left, right, token = trie.segmenter.splits(trie.flat, trie.offsets)
        return MergePairs(left, right, token, token)
    merges = vocabulary.merges
    index = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
    token = array("i", map(index.__getitem__, starmap(add, merges)))
    symbols = [*{*chain.from_iterable(merges)}.difference(index)]
    for symbol, place in zip(symbols, trie.places(symbols), strict=True):
        index[symbol] = FIRST_SYMBOL - place
    left, right = (array("i", [index[pair[side]] for pair in merges]) for side in (0, 1))
    return MergePairs(left, right, array("i", range(len(merges))), token)


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
        self.last_merges: tuple[Int32, ...] | None = None
        if not dropout:
            self.last_merges = merger.last_pairs(trie.flat, trie.offsets)
            self._segmenter.join(*self.last_merges, trie.flat, trie.offsets)

    def __call__(
        self,
        data: Array,
        offsets: Int64,
        first: int,
        last: int,
        which: Int32,
        draws: Int64 = NO_NUMBERS,
        *,
        seed: int | None = None,
    ) -> None:
        """Segments the words."""
        if self._dropout:
            seed = self._seed if seed is None else seed
            self._merger.merge(data, offsets, first, last, which, self._dropout, seed, draws)
            return
        long = self._segmenter.merges(data, offsets, first, last, which, self.keeps_whole)
        for word in long:
            self._merger.merge(data, offsets, word, word + 1, which, 0.0, 0, NO_NUMBERS)
