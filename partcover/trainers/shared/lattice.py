"""Finds where the pieces of a vocabulary occur in counted words, for trainers that prune."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from ...corpus import symbols as sym
from ...corpus.symbols import Token
from ...corpus.word_counts import WordCounts
from ...problem.word_index import WordIndex
from ...runtime.arrays import Bools, Int32, Int64, np

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class Lattice:
    """Occurrences of pieces in words, as arcs: each path through a word is a segmentation.

    Attributes
    ----------
    words : WordCounts
        The words.
    pieces : tuple of token
        The single symbols of the words, ascending, and then the tokens.
    singles : int
        Number of single symbols among them.
    length : ndarray of int32, shape (pieces,)
        Length of each piece, in symbols.
    begin : ndarray of int64, shape (symbols + 1,)
        The arcs that begin at symbol ``i`` of `WordCounts.data` are
        ``arcs[begin[i]:begin[i + 1]]``, shorter ones first.
    arcs : ndarray of int32, shape (occurrences,)
        The piece of each arc.

    Notes
    -----
    Memory is four bytes for each occurrence: at most symbols · (longest token).
    """

    words: WordCounts
    pieces: tuple[Token, ...]
    singles: int
    length: Int32
    begin: Int64
    arcs: Int32

    @classmethod
    def of(cls, words: WordCounts, index: WordIndex, tokens: Sequence[Token]) -> Lattice:
        """Makes the lattice of tokens of two or more symbols over the words that `index` is of.

        O(occurrences · log(occurrences)).
        """
        single = [
            sym.from_array(symbol, words.symbols) for symbol in np.unique(words.data)[:, None]
        ]
        pieces = (*single, *tokens)
        intervals = index.find_tokens(pieces)
        arcs, word, start = index.occurrences_of(intervals)
        arcs_at = np.bincount(words.offsets[word] + start, minlength=len(words.data))
        begin = np.zeros(len(words.data) + 1, np.int64)
        np.cumsum(arcs_at, out=begin[1:])
        return cls(words, pieces, len(single), intervals.length, begin, arcs)

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The pieces of two or more symbols."""
        return self.pieces[self.singles :]

    def is_kept(self, tokens: Collection[Token]) -> Bools:
        """Returns which pieces are never pruned: the single symbols and `tokens`."""
        return np.array([len(piece) == 1 or piece in tokens for piece in self.pieces], bool)

    def keep(self, mask: Bools) -> Lattice:
        """Returns the lattice of the pieces where `mask` is true, in their order.

        Parameters
        ----------
        mask : ndarray of bool, shape (pieces,)
            True for each single symbol.
        """
        number = np.cumsum(mask, dtype=np.int32) - np.int32(1)
        kept_arcs = mask[self.arcs]
        before = np.zeros(len(kept_arcs) + 1, np.int64)
        np.cumsum(kept_arcs, out=before[1:])
        return Lattice(
            self.words,
            tuple(piece for piece, kept in zip(self.pieces, mask.tolist(), strict=True) if kept),
            self.singles,
            self.length[mask],
            before[self.begin],
            number[self.arcs[kept_arcs]],
        )


def map_shards(
    work: Callable[[tuple[int, int]], _T], words: WordCounts, n_shards: int, threads: int
) -> list[_T]:
    """Calls a function for each of the `shards` of words, on threads, and returns the results."""
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, shards(words, n_shards)))


def shards(words: WordCounts, n_shards: int) -> list[tuple[int, int]]:
    """Splits words into ranges with about as many symbols each.

    Parameters
    ----------
    words : WordCounts
        The words.
    n_shards : int
        How many ranges there are at most.  The ranges depend on this and the words alone.

    Returns
    -------
    list of tuple of int
        First word and the one past the last of each range, none of them empty.
    """
    at = len(words.data) * np.arange(n_shards + 1) // n_shards
    cuts = np.unique(np.searchsorted(words.offsets, at)).tolist()
    return list(pairwise(cuts))
