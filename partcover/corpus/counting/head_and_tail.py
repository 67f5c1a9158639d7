"""Splits counted words into the most frequent ones and a tail, which is read in parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from os import PathLike
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from ...errors import InputError
from ...kernels.words import _word_table
from ...runtime.arguments import Whole, checked
from ...runtime.arrays import Bools, Int64, np
from ...runtime.processes.engines import in_order
from ...runtime.processes.shared_value import Shared, shared
from .. import symbols as sym
from ..files.tsv import Header
from ..symbols import Symbols, Token
from ..word_arrays import MAX_COUNT
from ..word_counts import WordCounts, split_words
from .counts_part import parts_of, words_of

_Result = TypeVar("_Result")
_Value = TypeVar("_Value")
_Numbers: TypeAlias = tuple[Int64, Int64]  # counts, ascending, and how many words have each
_WORDS = 1 << 16  # of a part of words in memory
_SHARDS = 128  # of a pass, at most


@runtime_checkable
class _Part(Protocol):
    """A part of the words, which gives them in blocks, each time it is asked."""

    def blocks(self) -> Iterator[WordCounts]: ...


@dataclass(frozen=True)
class _Slice:
    """Words in memory."""

    words: WordCounts
    begin: int
    end: int

    def blocks(self) -> Iterator[WordCounts]:
        yield words_between(self.words, self.begin, self.end)


@dataclass(frozen=True)
class WordShard:
    """Parts of the words that one call reads, and where these are split.

    Attributes
    ----------
    parts : sequence of parts
        The parts, in order.
    least : int
        Words of more are in the head, of fewer in the tail.
    ties : int
        Of the words of just so many, the number of first ones that are in the head.
    protected : sequence of sequence of token
        The words, those of the head or of the tail, are split at these tokens, list by list.
    weight : int
        A factor of all counts, at least 1.
    """

    parts: Sequence[_Part]
    least: int = MAX_COUNT
    ties: int = 0
    protected: tuple[tuple[Token, ...], ...] = ()
    weight: int = 1

    def blocks(self) -> Iterator[WordCounts]:
        """Yields all words in blocks; a word that splitting makes may come several times."""
        return map(self._made, self._whole_words())

    def tail_blocks(self) -> Iterator[WordCounts]:
        """Yields the words of the tail in blocks."""
        return (tail for _, tail in self.split() if len(tail))

    def split(self) -> Iterator[tuple[WordCounts, WordCounts]]:
        """Yields the words of the head and of the tail in each block."""
        ties = self.ties
        for block in self._whole_words():
            equal = block.counts == self.least
            inside = block.counts > self.least
            inside[np.flatnonzero(equal)[:ties]] = True
            ties = max(0, ties - int(equal.sum()))
            yield self._made(_taken(block, inside)), self._made(_taken(block, ~inside))

    def _whole_words(self) -> Iterator[WordCounts]:
        return chain.from_iterable(part.blocks() for part in self.parts)

    def _made(self, words: WordCounts) -> WordCounts:
        """Returns words split at the protected tokens, with weighted counts."""
        for tokens in self.protected:
            pairs = list(split_words(words, tokens))
            data, offsets = sym.packed([word for word, _ in pairs], words.symbols)
            counts = np.array([count for _, count in pairs], np.int64)
            words = replace(words, data=data, offsets=offsets, counts=counts)
        return words if self.weight == 1 else replace(words, counts=self.weight * words.counts)


class HeadAndTail:
    """The `n` most frequent words, the head, and all others, the tail, which is read in parts.

    Of words with equal counts, those that come first are in the head.

    Parameters
    ----------
    parts : sequence of parts
        The words.
    n : int
        Number of words in the head.
    executor : concurrent.futures.Executor, optional
        The workers that read and process the parts; by default this thread.
    scratch : path, optional
        A directory that all workers can read, for data that they share.

    Attributes
    ----------
    n : int
        As given.
    head : WordCounts
        The head.
    total_count, total_symbols : int
        Words that are counted in head and tail, and their symbols.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.corpus.counting.head_and_tail import HeadAndTail
    >>> words = HeadAndTail.of(WordCounts.from_counts({"that": 9, "chat": 1, "hat": 5}), 2)
    >>> words.head.to_dict(), list(words.tail())
    ({b'that': 9, b'hat': 5}, [(b'chat', 1)])
    """

    @checked
    def __init__(
        self,
        parts: Sequence[_Part],
        n: int,
        executor: Executor | None = None,
        scratch: str | PathLike[str] | None = None,
    ) -> None:
        if n < 1:
            raise InputError(f"the head is {n} words: it must be at least 1")
        self.n = n
        self.executor = executor
        self.scratch = scratch
        number = 1 if executor is None else max(1, min(len(parts), _SHARDS))
        cuts = [len(parts) * i // number for i in range(number + 1)]
        self._shards = [WordShard(parts[a:b]) for a, b in pairwise(cuts)]
        self.total_count = self.total_symbols = 0
        self._split()
        self.head = self._head()

    @classmethod
    @checked
    def of(cls, words: WordCounts, n: Whole) -> HeadAndTail:
        """Splits words that are in memory."""
        begins = range(0, len(words), _WORDS)
        return cls([_Slice(words, at, min(at + _WORDS, len(words))) for at in begins], n)

    @classmethod
    @checked
    def load(
        cls,
        path: str | PathLike[str],
        n: Whole,
        symbols: Symbols | None = None,
        *,
        executor: Executor | None = None,
        scratch: str | PathLike[str] | None = None,
    ) -> HeadAndTail:
        """Splits the words of a file, which is read as often as the tail is.

        Raises
        ------
        InputError
            If it cannot be read so, is of integers, or holds what is no word or count.
        """
        parts = parts_of(path, symbols)
        if executor is not None and not isinstance(executor, ThreadPoolExecutor):
            name = os.path.abspath(path)  # noqa: PTH100 - workers may be in other folders
            parts = [replace(part, path=name) for part in parts]
        return cls(parts, n, executor, scratch)

    @staticmethod
    @checked
    def joined(
        parts: Sequence[HeadAndTail], weights: Sequence[int], head: WordCounts
    ) -> HeadAndTail:
        """Returns several heads and tails as one, with all counts multiplied by weights.

        A word of the tail may also be one of the head, and may come several times.

        Parameters
        ----------
        parts : sequence of HeadAndTail
            Heads of equally many words, which are read by the same workers.
        weights : sequence of int
            A weight for each, at least 0.  Where it is 0, the words are left out.
        head : WordCounts
            The words of all heads, with the sums of their weighted counts.
        """
        if not parts or len(parts) != len(weights):
            raise InputError(f"{len(weights)} weights for {len(parts)} heads and tails")
        other = copy(parts[0])
        pairs = [pair for pair in zip(parts, weights, strict=True) if pair[1]]
        other._shards = [
            replace(shard, weight=weight * shard.weight)
            for part, weight in pairs
            for shard in part._shards
        ]
        other.total_count = sum(weight * part.total_count for part, weight in pairs)
        other.total_symbols = sum(weight * part.total_symbols for part, weight in pairs)
        other.head = head
        return other

    def split_at(self, tokens: Sequence[Token]) -> HeadAndTail:
        """Returns the same head and tail, with their words split at protected tokens.

        The words are divided into head and tail first.  So a word of the tail may also be one of
        the head, and may come several times.

        Examples
        --------
        >>> from partcover import WordCounts
        >>> from partcover.corpus.counting.head_and_tail import HeadAndTail
        >>> words = HeadAndTail.of(WordCounts.from_counts({"hat": 9, "chat": 1, "that": 5}), 2)
        >>> split = words.split_at([b"hat"])
        >>> split.head.to_dict(), list(split.tail())
        ({b'hat': 14, b't': 5}, [(b'c', 1), (b'hat', 1)])
        """
        last = (tuple(tokens),)
        if all(shard.protected[-1:] == last for shard in self._shards):
            return self
        other = copy(self)
        other._shards = [replace(shard, protected=shard.protected + last) for shard in self._shards]
        other.total_count = sum(other.map(_total_count))
        other.head = replace(self.head.split_at(tokens), **self.head.how)
        return other

    def map(self, work: Callable[..., _Result], *values: Any) -> Iterator[_Result]:
        """Yields what a function returns for each shard of the words, in order.

        Parameters
        ----------
        work : callable
            Takes a `WordShard` and the values; with an executor of processes, a function at the
            top of a module.
        values : object
            What all calls have in common, which they must not change.  What is large comes from
            `lent`; all else is sent with each call.

        Raises
        ------
        InputError
            For a file that has changed, or cannot be read by a worker.
        PartcoverError
            If a worker is lost.
        """
        call = _Call(work, values)
        if self.executor is None:
            return map(call, self._shards)
        return in_order(self.executor, call, self._shards)

    def lent(self, value: _Value) -> AbstractContextManager[Shared[_Value]]:
        """Returns a context that gives what stands for a large value among those of `map`."""
        return shared(value, self.executor, self.scratch)

    def _split(self) -> None:
        """Finds the least count of the head, and says to each shard how its words are split."""
        found = list(self.map(_numbers))
        self.total_count = sum(count for _, count, _ in found)
        self.total_symbols = sum(symbols for _, _, symbols in found)
        values, numbers = _added(numbers for numbers, *_ in found)
        above = np.cumsum(numbers[::-1])[::-1]  # words of so many or more
        least, ties = 0, 0
        if len(values) and above[0] > self.n:
            at = int(np.flatnonzero(above >= self.n)[-1])
            least, ties = int(values[at]), self.n - int(above[at] - numbers[at])
        for i, ((counts, n), *_) in enumerate(found):
            self._shards[i] = replace(self._shards[i], least=least, ties=ties)
            ties = max(0, ties - int(n[counts == least].sum()))

    def _head(self) -> WordCounts:
        """Returns the words of the head."""
        parts = list(chain.from_iterable(self.map(_head_blocks)))
        if not parts:
            raise InputError("the corpus is empty: it has no words")
        return _joined(parts)

    def sample(self, n: int) -> WordCounts:
        """Returns about `n` words of the tail, with counts that stand for all of it.

        Every so many pairs of adjacent symbols of the tail, counted words one after another, the
        word of one is taken: its count is what as many pairs need.  The tail is read twice.

        Parameters
        ----------
        n : int
            How many words are taken, some of them several times.

        Returns
        -------
        WordCounts
            Without words if the tail has no pairs.

        Raises
        ------
        InputError
            If the tail has more pairs than 62 bits hold.
        """
        total = sum(self.map(_pairs_of_tail))
        if total >= 2**62:
            raise InputError("the counts of the tail are too large: scale them down")
        stride = max(1, total // n)
        parts, before = [_taken(self.head, np.zeros(len(self.head), bool))], stride // 2
        for block in self.blocks():
            pairs = _pairs(block)
            after = before + np.cumsum(pairs * block.counts)
            hits = np.diff(after // stride, prepend=before // stride)
            before = int(after[-1])
            counts = (hits * stride + pairs // 2) // np.maximum(pairs, 1)
            parts.append(_taken(replace(block, counts=np.maximum(counts, 1)), hits > 0))
        return _joined(parts)

    def with_sample(self, n: int) -> WordCounts:
        """Returns the head and a sample of about `n` words of the tail."""
        return _joined([self.head, self.sample(n)])

    def among(self, tokens: Collection[Token]) -> set[Token]:
        """Returns those tokens that are whole words, of the head or the tail.

        Examples
        --------
        >>> from partcover import WordCounts
        >>> from partcover.corpus.counting.head_and_tail import HeadAndTail
        >>> words = HeadAndTail.of(WordCounts.from_counts({"that": 9, "chat": 1, "hat": 5}), 2)
        >>> sorted(words.among([b"hat", b"chat", b"cha"]))
        [b'chat', b'hat']
        """
        with self.lent(frozenset(tokens)) as lent:
            return set().union(*self.map(_words_among, lent))

    def blocks(self) -> Iterator[WordCounts]:
        """Yields the tail in blocks."""
        return chain.from_iterable(shard.tail_blocks() for shard in self._shards)

    def tail(self) -> Iterator[tuple[Token, int]]:
        """Yields the words of the tail, each with its count."""
        return chain.from_iterable(self.blocks())


@dataclass(frozen=True)
class _Call:
    """A function and what is common to all its calls."""

    work: Callable[..., Any]
    values: tuple[Any, ...]

    def __call__(self, shard: WordShard) -> Any:
        values = (v.value if isinstance(v, Shared) else v for v in self.values)
        return self.work(shard, *values)


def _numbers(shard: WordShard) -> tuple[_Numbers, int, int]:
    """Returns how many words have which count, and how many words and symbols are counted."""
    numbers: _Numbers = _added([])
    count = symbols = 0
    for block in shard.blocks():
        numbers = _added([numbers, np.unique(block.counts, return_counts=True)])
        count += block.total_count
        symbols += block.total_symbols
    return numbers, count, symbols


def _total_count(shard: WordShard) -> int:
    """Returns the sum of the counts of all words."""
    return sum(block.total_count for block in shard.blocks())


def _words_among(shard: WordShard, tokens: Collection[Token]) -> set[Token]:
    """Returns those tokens that are words of a shard."""
    return {word for block in shard.blocks() for word, _ in block if word in tokens}


def _added(found: Iterable[_Numbers]) -> _Numbers:
    """Adds up how many words have which count."""
    empty = np.zeros(0, np.int64)
    counts, numbers = zip((empty, empty), *found, strict=True)
    values, places = np.unique(np.concatenate(counts), return_inverse=True)
    added = np.zeros(len(values), np.int64)
    np.add.at(added, places, np.concatenate(numbers))
    return values, added


def _head_blocks(shard: WordShard) -> list[WordCounts]:
    """Returns the words of the head."""
    return [head for head, _ in shard.split() if len(head)]


def _pairs(words: WordCounts) -> Int64:
    """Returns the number of pairs of adjacent symbols in each word."""
    return np.diff(words.offsets) - 1


def _pairs_of_tail(shard: WordShard) -> int:
    """Returns the number of pairs of adjacent symbols in the counted words of a tail."""
    return sum(block.total_symbols - block.total_count for block in shard.tail_blocks())


def _joined(parts: list[WordCounts]) -> WordCounts:
    """Returns the words of several parts; the counts of one that comes several times are summed."""
    sizes = np.concatenate([np.diff(part.offsets) for part in parts])
    joined = replace(
        parts[0],
        data=np.concatenate([part.data for part in parts]),
        offsets=np.concatenate([[0], np.cumsum(sizes)]),
        counts=np.concatenate([part.counts for part in parts]),
    )
    arrays = joined.utf8_arrays()
    if arrays is None:
        return WordCounts.from_counts(joined, joined.symbols, **joined.how)
    table = _word_table.WordTable()
    table.add_words(*arrays)
    header = Header(joined.pretokenizer, joined.symbols, joined.normalizer)
    return words_of(table.export(False), header)


def words_between(words: WordCounts, begin: int, end: int) -> WordCounts:
    """Returns the words of the numbers from one on up to another, not copied.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.corpus.counting.head_and_tail import words_between
    >>> words_between(WordCounts.from_counts({"that": 9, "hat": 5, "chat": 2}), 1, 2).to_dict()
    {b'hat': 5}
    """
    first, last = words.offsets[[begin, end]].tolist()
    offsets = words.offsets[begin : end + 1] - first
    return replace(
        words, data=words.data[first:last], offsets=offsets, counts=words.counts[begin:end]
    )


def _taken(words: WordCounts, which: Bools) -> WordCounts:
    """Returns some of the words."""
    inside = np.repeat(which, np.diff(words.offsets))
    offsets = np.concatenate([[0], np.cumsum(np.diff(words.offsets)[which])])
    return replace(words, data=words.data[inside], offsets=offsets, counts=words.counts[which])
