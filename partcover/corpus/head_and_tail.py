"""Splits counted words into the most frequent ones and a tail, which is read in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from os import PathLike, fspath
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels import _word_table
from ..runtime.arrays import Bools
from .counts_file import check_text, read_blocks
from .symbols import Symbols, Token
from .word_arrays import Arrays, from_utf8
from .word_counts import WordCounts

__all__ = ["HeadAndTail"]

_WORDS = 1 << 16  # of a block that is taken from words in memory
_BYTES = 1 << 24  # of a block that is read


class HeadAndTail:
    """The `n` most frequent words, the head, and all others, the tail, which is read in blocks.

    Of equal counts those that come first are in the head.

    Parameters
    ----------
    blocks : callable
        Returns the words in blocks, each time from the beginning.
    n : int
        Words in the head.

    Attributes
    ----------
    n : int
        As given.
    head : WordCounts
        The head.
    total_count : int
        Words that are counted in head and tail.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.corpus.head_and_tail import HeadAndTail
    >>> words = HeadAndTail.of(WordCounts.from_counts({"that": 9, "chat": 1, "hat": 5}), 2)
    >>> words.head.to_dict(), list(words.tail())
    ({b'that': 9, b'hat': 5}, [(b'chat', 1)])
    """

    def __init__(self, blocks: Callable[[], Iterator[WordCounts]], n: int) -> None:
        if n < 1:
            raise InputError(f"a head of {n} words: at least 1 is expected")
        self._blocks = blocks
        self.n = n
        self.total_count = 0
        counts = [np.zeros(0, np.int64)]
        for block in blocks():
            counts.append(block.counts)
            self.total_count += block.total_count
        every = np.concatenate(counts)
        self._least = 0 if len(every) <= n else int(np.partition(every, len(every) - n)[-n])
        self._ties = n - int((every > self._least).sum())  # of the least count, in the head
        self.head = self._head()

    @classmethod
    def of(cls, words: WordCounts, n: int) -> HeadAndTail:
        """Splits words that are in memory."""

        def blocks() -> Iterator[WordCounts]:
            for begin in range(0, len(words), _WORDS):
                end = min(begin + _WORDS, len(words))
                first, last = words.offsets[[begin, end]].tolist()
                offsets = words.offsets[begin : end + 1] - first
                data, counts = words.data[first:last], words.counts[begin:end]
                yield replace(words, data=data, offsets=offsets, counts=counts)

        return cls(blocks, n)

    @classmethod
    def load(cls, path: str | PathLike[str], n: int, symbols: Symbols | None = None) -> HeadAndTail:
        """Splits the words of a file, which is read as often as the tail is.

        Raises
        ------
        InputError
            If it cannot be read so, is of integers, or holds what is no word or count.
        """
        name = fspath(path)

        def blocks() -> Iterator[WordCounts]:
            header, read = read_blocks(name, _BYTES)
            if None not in (symbols, header.symbols) and symbols != header.symbols:
                raise InputError(
                    f"{name}: the words are over {header.symbols}, {symbols} were asked for"
                )
            alphabet: Symbols = symbols or header.symbols or "bytes"
            for block in read:
                if alphabet == "chars":
                    check_text(block, name)
                how = {"pretokenizer": header.pretokenizer, "normalizer": header.normalizer}
                yield _words(block, alphabet, how)

        return cls(blocks, n)

    def _head(self) -> WordCounts:
        """Returns the words of the head; the counts of one that comes several times are summed."""
        parts = [head for head, _ in self._split() if len(head)]
        if not parts:
            raise InputError("empty corpus, there are no words")
        sizes = np.concatenate([np.diff(part.offsets) for part in parts])
        joined = replace(
            parts[0],
            data=np.concatenate([part.data for part in parts]),
            offsets=np.concatenate([[0], np.cumsum(sizes)]),
            counts=np.concatenate([part.counts for part in parts]),
        )
        arrays = joined.utf8_arrays()
        if arrays is None:  # integers come from memory, where words are distinct
            return joined
        table = _word_table.WordTable()
        table.add_words(*arrays)
        return _words(table.export(False), joined.symbols, joined.how)

    def blocks(self) -> Iterator[WordCounts]:
        """Yields the tail in blocks."""
        return (tail for _, tail in self._split() if len(tail))

    def tail(self) -> Iterator[tuple[Token, int]]:
        """Yields the words of the tail, each with its count."""
        return chain.from_iterable(self.blocks())

    def _split(self) -> Iterator[tuple[WordCounts, WordCounts]]:
        """Yields the words of the head and of the tail in each block."""
        ties = self._ties
        for block in self._blocks():
            equal = block.counts == self._least
            inside = block.counts > self._least
            inside[np.flatnonzero(equal)[:ties]] = True
            ties = max(0, ties - int(equal.sum()))
            yield _taken(block, inside), _taken(block, ~inside)


def _words(arrays: Arrays, symbols: Symbols, how: dict[str, Any]) -> WordCounts:
    """Returns words over bytes or characters, which are given in UTF-8."""
    data, offsets, counts = arrays
    if symbols == "chars":
        return WordCounts(*from_utf8(data, offsets), counts, symbols, **how)
    return WordCounts(data, offsets, counts, symbols, **how)


def _taken(words: WordCounts, which: Bools) -> WordCounts:
    """Returns some of the words."""
    inside = np.repeat(which, np.diff(words.offsets))
    offsets = np.concatenate([[0], np.cumsum(np.diff(words.offsets)[which])])
    return replace(words, data=words.data[inside], offsets=offsets, counts=words.counts[which])
