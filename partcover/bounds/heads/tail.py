"""Sums up the tail, the words outside of a head, which are read in blocks and not kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from ...corpus.symbols import Symbols
from ...corpus.word_counts import WordCounts
from ...problem.certificates.tail import LONGEST_PRICED, TailDigest

__all__ = ["Tail", "priced_substrings"]


class Tail:
    """Sums up a tail while its words are read.

    Attributes
    ----------
    digest : TailDigest
        The digest of its words.
    symbols : int
        Number of symbols, each word as often as it is counted.
    substrings : int
        Number of substrings of two or more symbols in priced words, each word once.
    sizes : dict of int to int
        Number of counted words of each length; words too long to be priced are added to the
        longest priced length.
    """

    def __init__(self, alphabet: Symbols) -> None:
        self.digest = TailDigest(alphabet)
        self.symbols = self.substrings = 0
        self.sizes: Counter[int] = Counter()

    @property
    def words(self) -> int:
        """The number of words."""
        return self.digest.words

    @property
    def worth(self) -> int:
        """An upper bound, in tokens, on what all substrings of all words can save."""
        return _worth(self.sizes)

    def add(self, block: WordCounts) -> None:
        """Adds words."""
        for word, count in block:
            self.digest.add(word, count)
        self.symbols += block.total_symbols
        self.substrings += priced_substrings(block)
        self.sizes.update(_sizes(block))

    def allows(self, sample: Iterable[WordCounts]) -> bool:
        """Returns whether sums over a sample that stands for the tail fit in 63 bits too."""
        parts = list(sample)
        fits = 2 * sum(part.total_symbols for part in parts) < 3 * self.symbols
        return fits and 2 * sum(_worth(_sizes(part)) for part in parts) < 3 * self.worth

    def include(self, other: Tail) -> None:
        """Adds the words of another tail."""
        self.digest.include(other.digest)
        self.symbols += other.symbols
        self.substrings += other.substrings
        self.sizes.update(other.sizes)


def priced_substrings(words: WordCounts) -> int:
    """Returns the number of substrings of two or more symbols in the words that are priced."""
    sizes = np.diff(words.offsets)
    sizes = sizes[sizes <= LONGEST_PRICED]
    return int(np.dot(sizes, sizes - 1)) // 2


def _sizes(words: WordCounts) -> Counter[int]:
    """Returns how many words of each length are counted, as `Tail.sizes` does."""
    sizes = np.minimum(np.diff(words.offsets), LONGEST_PRICED)
    counted = np.zeros(LONGEST_PRICED + 1, np.int64)
    np.add.at(counted, sizes, words.counts)
    return Counter({size: int(counted[size]) for size in np.flatnonzero(counted).tolist()})


def _worth(sizes: Counter[int]) -> int:
    """Returns an upper bound on the tokens that all substrings of words of these lengths save."""
    return sum(count * (size**3 - size) // 6 for size, count in sizes.items())
