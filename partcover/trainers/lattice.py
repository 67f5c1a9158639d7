"""Finds where the pieces of a vocabulary occur in counted words, for trainers that prune."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..problem.word_index import WordIndex

__all__ = ["Lattice", "shards"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Lattice:
    """Occurrences of pieces as arcs from symbol to symbol: each way through is a segmentation.

    Attributes
    ----------
    words : WordCounts
        The words.
    pieces : tuple of token
        The single symbols of the words, ascending, and then the tokens.
    singles : int
        How many of them are single symbols.
    length : ndarray of int32, shape (pieces,)
        Symbols of each piece.
    begin : ndarray of int64, shape (symbols + 1,)
        The arcs that begin at symbol ``i`` of `WordCounts.data` are
        ``arcs[begin[i]:begin[i + 1]]``, shorter ones first.
    arcs : ndarray of int32, shape (occurrences,)
        The piece of each arc.

    Notes
    -----
    Memory is four bytes an occurrence: at most symbols · (longest token).
    """

    words: WordCounts
    pieces: tuple[Token, ...]
    singles: int
    length: Int32
    begin: Int64
    arcs: Int32

    @classmethod
    def of(cls, words: WordCounts, index: WordIndex, tokens: Sequence[Token]) -> Lattice:
        """The lattice of tokens of two or more symbols over the words that `index` is of.

        O(occurrences · log(occurrences)).
        """
        single = [
            sym.from_array(symbol, words.symbols) for symbol in np.unique(words.data)[:, None]
        ]
        pieces = (*single, *tokens)
        intervals = index.find_tokens(pieces)
        arcs, word, start = index.occurrences_of(intervals)
        many = np.bincount(words.offsets[word] + start, minlength=len(words.data))
        begin = np.zeros(len(words.data) + 1, np.int64)
        np.cumsum(many, out=begin[1:])
        return cls(words, pieces, len(single), intervals.length, begin, arcs)

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The pieces of two or more symbols."""
        return self.pieces[self.singles :]

    def keep(self, mask: npt.NDArray[np.bool_]) -> Lattice:
        """The lattice of the pieces where `mask` is true, in their order.

        Parameters
        ----------
        mask : ndarray of bool, shape (pieces,)
            True for each single symbol.
        """
        number = np.cumsum(mask, dtype=np.int32) - np.int32(1)
        stays = mask[self.arcs]
        before = np.zeros(len(stays) + 1, np.int64)
        np.cumsum(stays, out=before[1:])
        return Lattice(
            self.words,
            tuple(piece for piece, kept in zip(self.pieces, mask.tolist(), strict=True) if kept),
            self.singles,
            self.length[mask],
            before[self.begin],
            number[self.arcs[stays]],
        )


def shards(words: WordCounts, many: int) -> list[tuple[int, int]]:
    """Ranges of words with about as many symbols each; they depend on the words and `many` alone.

    Returns
    -------
    list of tuple of int
        First word and the one past the last, at most `many` of them, none empty.
    """
    at = len(words.data) * np.arange(many + 1) // many
    cuts = np.unique(np.searchsorted(words.offsets, at)).tolist()
    return list(pairwise(cuts))
