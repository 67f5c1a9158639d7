"""Finds the candidates of an instance: which substrings of its words may become tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..kernels._suffix import (
    candidate_intervals,
    class_floor,
    common_prefixes,
    promise_classes,
)
from ..runtime.arrays import Bools, Int32, Int64, Integers
from ..runtime.memory import available_memory, refuse_beyond
from .word_index import Intervals, WordIndex

Flags: TypeAlias = npt.NDArray[np.uint8]

__all__ = ["MOST_HELD", "CandidateIndex"]

MOST_HELD = 1 << 20
"""Where only the promising candidates are held at first, about so many."""

_BYTES_A_CANDIDATE = 96  # here and in GreedTok
_SHARE = 0.5  # of the memory that candidates may take: other work needs the rest


class CandidateIndex(WordIndex):
    """Candidates of counted words, numbered in lexicographic order, without the dominated ones.

    A candidate that occurs in only one distinct word is dominated where that whole word is a
    candidate too, and left out.

    Parameters
    ----------
    words : WordCounts
        The words.
    explicit : iterable of token, optional
        The candidates; all substrings of two or more symbols if not given.
    forbidden : iterable of token
        Substrings that are not candidates.
    max_length : int, optional
        Longest candidate, in symbols.
    min_count : int
        Fewest occurrences (positions, weighted by word counts) of a candidate.
    dominated : bool
        Keep the dominated ones.
    most : int, optional
        Hold about so many candidates, those of the most promise, where there are more; a list
        is held whole.

    Attributes
    ----------
    total : int
        Number of distinct candidates that occur, dominated ones and those not held included.
    min_promise : int
        All candidates of at least this promise are held; 0 if all are.
    n_undominated : int
        Number of candidates, those not held included, but not the dominated ones.
    intervals : Intervals
        Candidate ``c`` occurs at ``sa[lo[c]:hi[c]]``.
    weight : ndarray of int64, shape (candidates,)
        Occurrences of each candidate, weighted by word counts (overlapping ones included).

    Raises
    ------
    InputError
        If the words are too long for `WordIndex`, or there are more candidates than memory
        holds.

    Notes
    -----
    Dropping a dominated candidate loses nothing.  Let T occur in the word W only, W ≠ T, and let
    W be a candidate.  Take a vocabulary that holds T.  If it holds W too, W is one token and T is
    never used: T may go.  If not, put W in the place of T: W is then one token, no other word
    changes, so no more tokens are needed.  Hence some optimum holds no dominated candidate.

    No greedy choice changes either.  GreedTok: where T can be placed, a pair of W beside it is
    uncovered and stays so, hence W scores strictly more.  GreedWMC: W scores at least as much,
    and ties go to the longer.

    The *promise* of a candidate is its weight times its pairs, length − 1: no vocabulary saves
    more tokens by it.

    O(symbols + candidates) time and memory beyond the index of the words: common prefixes (Kasai
    et al. 2001), one pass over the intervals (Abouelhoda, Kurtz and Ohlebusch 2004).

    Examples
    --------
    >>> from partcover import Instance
    >>> index = Instance({"that": 3, "hat": 2}, k=1).index
    >>> list(index.tokens()), index.total
    ([b'at', b'ha', b'hat', b'that'], 6)
    >>> index.numbers(index.find_tokens([b"hat", b"tha"])).tolist()
    [2, -1]
    """

    def __init__(
        self,
        words: WordCounts,
        *,
        explicit: Iterable[Token] | None = None,
        forbidden: Iterable[Token] = (),
        max_length: int | None = None,
        min_count: int = 1,
        dominated: bool = False,
        most: int | None = None,
    ) -> None:
        super().__init__(words)
        self.min_promise = 0
        self._excluded = self.find_tokens(forbidden)
        if explicit is None:
            self._longest = min(max_length or len(self.text), len(self.text))
            self._min_count = min_count
            self._enumerate(most, dominated=dominated)
        else:
            self._select(self.find_tokens(explicit), self._excluded, dominated=dominated)

    def _enumerate(self, most: int | None, *, dominated: bool) -> None:
        """Makes all substrings candidates, within the limits."""
        counts, lengths, excluded = self.words.counts, np.diff(self.words.offsets), self._excluded
        whole = (lengths >= 2) & (lengths <= self._longest) & (counts >= self._min_count)
        whole &= not dominated
        whole[self.words_equal(excluded)] = False
        self._whole = whole.view(np.uint8)
        self._prefixes = common_prefixes(self.text, self.sa)
        if most is None:
            self.intervals, self.weight, self.total = self._of_promise(0)
            self.n_undominated = len(self)
            del self._prefixes
        else:
            classes, self.total = promise_classes(*self._tree, self._longest, self._min_count)
            self.n_undominated = int(classes.sum())
            self.min_promise = _promise_of(classes, most)
            self.intervals, self.weight = self._of_promise(self.min_promise)[:2]
        if len(excluded.lo):
            listed = excluded.length <= self._longest
            listed &= self.weight_of(excluded) >= self._min_count
            self.total -= int((excluded.occurs & listed).sum())

    @property
    def _tree(self) -> tuple[Int32, Int32, Int32, Int64, Int64, Flags]:
        """The first arguments of the kernels that walk all substrings."""
        words = self.words
        return self.sa, self._prefixes, self.word_of, words.offsets, words.counts, self._whole

    def held(self, least: int) -> CandidateIndex:
        """Returns an index of the candidates of at least this promise, over the same arrays."""
        other = copy(self)
        other.intervals, other.weight = self._of_promise(least)[:2]
        other.min_promise = least
        return other

    def most_promising(self, blocked: Flags, most: int) -> tuple[Intervals, Int64, int]:
        """Enumerates candidates by the promise that is left to them.

        Parameters
        ----------
        blocked : ndarray of uint8, shape (symbols + words + 1,)
            Positions where an occurrence that begins adds nothing any more.
        most : int
            How many candidates are wanted, at most; there may be more where many have much the
            same promise.

        Returns
        -------
        intervals : Intervals
            The candidates.
        weight : ndarray of int64
            The weight of their other occurrences; that times length − 1 is the promise left.
        least : int
            All candidates of at least this promise are there; 0 if all are that have any.

        Raises
        ------
        InputError
            If they are more than memory holds.
        """
        classes, _ = promise_classes(*self._tree, self._longest, self._min_count, blocked)
        least = _promise_of(classes, most)
        return *self._of_promise(least, blocked)[:2], least

    def _of_promise(self, least: int, blocked: Flags | None = None) -> tuple[Intervals, Int64, int]:
        """Enumerates candidates of at least a promise.

        Returns them, their weights, and the number of all candidates, the excluded ones included.
        """
        # substrings of long words that are much the same number the square of their length
        limit = int(available_memory() * _SHARE) // _BYTES_A_CANDIDATE
        limits = self._longest, self._min_count, blocked, min(limit, 2**31 - 1), least
        try:
            *arrays, weight, total = candidate_intervals(*self._tree, *limits)
        except OverflowError as error:
            _refuse(int(error.args[0]))
        intervals = Intervals(*arrays)
        if len(self._excluded.lo):
            kept = ~np.isin(intervals.key, self._excluded.key)
            intervals, weight = intervals.take(kept), weight[kept]
        return intervals, weight, total

    def _select(self, explicit: Intervals, excluded: Intervals, *, dominated: bool) -> None:
        """Makes those of the tokens candidates that occur."""
        explicit = explicit.take(explicit.occurs)
        self.intervals = explicit.take(np.argsort(explicit.key, kind="stable"))
        word, self.weight = self.only_word_and_weight(self.intervals)
        keep = self._is_none_of(excluded)
        self.total = int(keep.sum())
        if not dominated:
            lengths = np.diff(self.words.offsets)
            whole = np.zeros(len(lengths), bool)
            whole[self.words_equal(self.intervals.take(keep))] = True
            alone = np.flatnonzero(word >= 0)
            own = word[alone]
            keep[alone] &= ~whole[own] | (self.length[alone] == lengths[own])
        self._keep(keep)
        self.n_undominated = len(self)

    def _is_none_of(self, tokens: Intervals) -> Bools:
        """Whether each candidate is none of these tokens."""
        mask = np.ones(len(self), bool)
        numbers = self.numbers(tokens)
        mask[numbers[numbers >= 0]] = False
        return mask

    def _keep(self, mask: Bools) -> None:
        self.intervals, self.weight = self.intervals.take(mask), self.weight[mask]

    def __len__(self) -> int:
        return len(self.intervals.lo)

    @property
    def lo(self) -> Int32:
        """Where the candidates' intervals begin."""
        return self.intervals.lo

    @property
    def hi(self) -> Int32:
        """Where the candidates' intervals end."""
        return self.intervals.hi

    @property
    def length(self) -> Int32:
        """Symbols of each candidate."""
        return self.intervals.length

    def numbers(self, tokens: Intervals) -> Int64:
        """Numbers of the candidates that tokens are; −1 for a token that is no candidate.

        O(candidates + tokens · log(candidates)).
        """
        own, key = self.intervals.key, tokens.key
        if not len(own):
            return np.full(len(key), -1, np.int64)
        number = np.minimum(np.searchsorted(own, key), len(own) - 1)
        return np.where(own[number] == key, number, -1)

    def tokens(self, numbers: Integers | None = None) -> Iterator[Token]:
        """Yields the candidates with these numbers, or all of them."""
        return self.tokens_at(self.intervals if numbers is None else self.intervals.take(numbers))


def _promise_of(classes: Int64, most: int) -> int:
    """Returns a promise that about `most` candidates at most have or exceed, and one at least.

    0 if all candidates do.
    """
    # how many candidates have the least promise of a class or more
    as_promising = np.cumsum(classes[::-1])[::-1]
    number = int(np.searchsorted(-as_promising, -most, side="left"))
    highest = int(np.searchsorted(-as_promising, 0, side="left")) - 1
    number = min(number, highest)
    return class_floor(number) if number > 1 else 0  # none has a promise of 0


def _refuse(candidates: int) -> NoReturn:
    """Refuse more candidates than memory, or 32 bits, can hold."""
    what = f"there are {candidates:,} candidates"
    advice = (
        "cap their length with --max-length (max_length), or cut the words with a pre-tokenizer"
    )
    need = candidates * _BYTES_A_CANDIDATE
    refuse_beyond(need, f"{what}, which need", advice, share=_SHARE)
    raise InputError(f"{what}, more than 2^31 - 1: {advice}") from None
