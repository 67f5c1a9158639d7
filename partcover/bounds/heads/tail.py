"""Sums up the words outside of a head, which are read in blocks and not kept."""

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
        Their digest.
    symbols : int
        The symbols that are counted.
    substrings : int
        Those of two symbols or more, of words that are priced, each word once.
    sizes : dict of int to int
        How many words of each length are counted; those that are not priced with the longest that
        is.
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
        """All substrings of all words are worth no more tokens than so many."""
        return _worth(self.sizes)

    def add(self, block: WordCounts) -> None:
        """Adds words."""
        for word, count in block:
            self.digest.add(word, count)
        self.symbols += block.total_symbols
        self.substrings += priced_substrings(block)
        self.sizes.update(_sizes(block))

    def allows(self, sample: Iterable[WordCounts]) -> bool:
        """Whether sums over words that stand for all fit in 63 bits, where those over all do."""
        parts = list(sample)
        fits = 2 * sum(part.total_symbols for part in parts) < 3 * self.symbols
        return fits and 2 * sum(_worth(_sizes(part)) for part in parts) < 3 * self.worth

    def include(self, other: Tail) -> None:
        """Adds the words of another part."""
        self.digest.include(other.digest)
        self.symbols += other.symbols
        self.substrings += other.substrings
        self.sizes.update(other.sizes)


def priced_substrings(words: WordCounts) -> int:
    """Returns how many substrings of two symbols or more the words have that are priced."""
    sizes = np.diff(words.offsets)
    sizes = sizes[sizes <= LONGEST_PRICED]
    return int(np.dot(sizes, sizes - 1)) // 2


def _sizes(words: WordCounts) -> Counter[int]:
    """Returns how many words of each length are counted, as in `Tail`."""
    sizes = np.minimum(np.diff(words.offsets), LONGEST_PRICED)
    counted = np.zeros(LONGEST_PRICED + 1, np.int64)
    np.add.at(counted, sizes, words.counts)
    return Counter({size: int(counted[size]) for size in np.flatnonzero(counted).tolist()})


def _worth(sizes: Counter[int]) -> int:
    """Returns how many tokens all substrings of words of some lengths are worth at most."""
    return sum(count * (size**3 - size) // 6 for size, count in sizes.items())
