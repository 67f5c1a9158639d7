"""Finds the candidates of an instance: which substrings of its words may become tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NoReturn

import numpy as np

from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..kernels._suffix import candidate_intervals, common_prefixes
from ..runtime.arrays import Bools, Int32, Int64, Integers
from ..runtime.memory import available_memory, refuse_beyond
from .word_index import Intervals, WordIndex

__all__ = ["CandidateIndex"]


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

    Attributes
    ----------
    total : int
        Number of distinct candidates that occur, dominated ones included.
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
    ) -> None:
        super().__init__(words)
        excluded = self.find_tokens(forbidden)
        if explicit is None:
            longest = max_length or len(self.text)
            self._enumerate(excluded, longest, min_count, dominated=dominated)
        else:
            self._select(self.find_tokens(explicit), excluded, dominated=dominated)

    def _enumerate(
        self, excluded: Intervals, longest: int, min_count: int, *, dominated: bool
    ) -> None:
        """Makes all substrings candidates, within the limits."""
        counts, lengths = self.words.counts, np.diff(self.words.offsets)
        whole = (lengths >= 2) & (lengths <= longest) & (counts >= min_count) & (not dominated)
        whole[self.words_equal(excluded)] = False
        # substrings of long words that are much the same number the square of their length
        limit = int(available_memory() * _SHARE) // _BYTES_A_CANDIDATE
        try:
            *intervals, self.weight, self.total = candidate_intervals(
                self.sa,
                common_prefixes(self.text, self.sa),
                self.word_of,
                self.words.offsets,
                counts,
                whole.view(np.uint8),
                longest,
                min_count,
                min(limit, 2**31 - 1),
            )
        except OverflowError as error:
            _refuse(int(error.args[0]))
        self.intervals = Intervals(*intervals)
        if len(excluded.lo):
            listed = (excluded.length <= longest) & (self.weight_of(excluded) >= min_count)
            self.total -= int((excluded.occurs & listed).sum())
            self._keep(self._is_none_of(excluded))

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


def _refuse(candidates: int) -> NoReturn:
    """Refuse more candidates than memory, or 32 bits, can hold."""
    what = f"there are {candidates:,} candidates"
    advice = (
        "cap their length with --max-length (max_length), or cut the words with a pre-tokenizer"
    )
    need = candidates * _BYTES_A_CANDIDATE
    refuse_beyond(need, f"{what}, which need", advice, share=_SHARE)
    raise InputError(f"{what}, more than 2^31 - 1: {advice}") from None
