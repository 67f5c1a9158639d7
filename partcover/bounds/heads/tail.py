"""Sums up the tail, the words outside of a head, which are read in blocks and not kept."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...corpus.symbols import Symbols
from ...corpus.word_counts import WordCounts
from ...problem.certificates.tail import LONGEST_PRICED, TailDigest


class Tail:
    """The digest and sums of a tail, which blocks of its words are added to.

    `symbols` are its symbols, each word as often as it is counted; `substrings` those of two or
    more symbols in priced words, each word once; `worth` is an upper bound, in tokens, on what all
    substrings of all words can save.
    """

    def __init__(self, alphabet: Symbols, blocks: Iterable[WordCounts] = ()) -> None:
        self.digest = TailDigest(alphabet)
        self.symbols = self.substrings = self.worth = 0
        for block in blocks:
            for word, count in block:
                self.digest.add(word, count)
            self.symbols += block.total_symbols
            self.substrings += priced_substrings(block)
            self.worth += _worth(block)

    def allows(self, sample: Iterable[WordCounts]) -> bool:
        """Returns whether sums over a sample that stands for the tail fit in 63 bits too."""
        parts = list(sample)
        fits = 2 * sum(part.total_symbols for part in parts) < 3 * self.symbols
        return fits and 2 * sum(map(_worth, parts)) < 3 * self.worth

    def include(self, other: Tail) -> None:
        """Adds the words of another tail."""
        self.digest.include(other.digest)
        self.symbols += other.symbols
        self.substrings += other.substrings
        self.worth += other.worth


def priced_substrings(words: WordCounts) -> int:
    """Returns the number of substrings of two or more symbols in the words that are priced."""
    sizes = np.diff(words.offsets)
    sizes = sizes[sizes <= LONGEST_PRICED]
    return int(np.dot(sizes, sizes - 1)) // 2


def _worth(words: WordCounts) -> int:
    """Returns an upper bound on the tokens that all substrings of the words save.

    Words too long to be priced count as the longest priced ones.
    """
    counted = np.zeros(LONGEST_PRICED + 1, np.int64)
    np.add.at(counted, np.minimum(np.diff(words.offsets), LONGEST_PRICED), words.counts)
    return sum(count * (size**3 - size) // 6 for size, count in enumerate(counted.tolist()))
