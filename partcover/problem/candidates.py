"""Finds the candidates of an instance and where they occur, without occurrence lists.

All words stand in one text, separated; a candidate is an interval of the text's suffix array
and a length, and its occurrences are the positions in that interval.  Memory is a few arrays
over the text, whatever the number of candidates or occurrences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..kernels._saddle_point import arcs
from ..kernels._suffix import (
    candidate_intervals,
    common_prefixes,
    find,
    interval_words,
    suffix_array,
)
from ..runtime.memory import available_memory, refuse_beyond

__all__ = ["CandidateIndex"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Array = npt.NDArray[Any]

# at most, while the suffixes are sorted; of a candidate here and in GreedTok
_BYTES_A_POSITION = 44
_BYTES_A_CANDIDATE = 96
_SHARE = 0.5  # of the memory that candidates may take: others come to it


class CandidateIndex:
    """Candidates of counted words, in lexicographic order, exactly dominated ones left out.

    A candidate that occurs in only one distinct word is dropped where that whole word is a
    candidate too: in any vocabulary the whole word can stand in its place without loss.  No
    greedy choice changes either.  GreedTok: where the candidate can be placed, a pair of the
    word beside it is uncovered and stays so, hence the whole word scores strictly more.
    GreedWMC: the whole word scores at least as much, and ties go to the longer.

    Parameters
    ----------
    data : ndarray, shape (symbols,), integer
        The symbols of all words, one word after another.
    offsets : ndarray of int64, shape (words + 1,)
        Word ``w`` is ``data[offsets[w]:offsets[w + 1]]``.
    counts : ndarray of int64, shape (words,)
        How often each word occurs.
    explicit : sequence of ndarray, optional
        The candidates; all substrings of two or more symbols if not given.
    forbidden : sequence of ndarray
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
    lo, hi, length : ndarray of int32, shape (candidates,)
        The occurrences of candidate ``c`` start at ``sa[lo[c]:hi[c]]`` of `text`.
    weight : ndarray of int64, shape (candidates,)
        Occurrences of each candidate, weighted by word counts (overlapping ones included).
    data : ndarray
        As given.
    text, sa, word_of : ndarray of int32
        Symbol ranks with separators 0; positions in suffix order; the word at each position
        (at a separator: the word after it).

    Raises
    ------
    InputError
        If words and separators do not fit in 2^31 − 2 positions, or there are more candidates
        than memory holds.

    Notes
    -----
    O(symbols) time and memory: suffix array by induced sorting (Nong, Zhang and Chan 2009),
    common prefixes (Kasai et al. 2001), one pass over the intervals (Abouelhoda, Kurtz and
    Ohlebusch 2004).
    """

    def __init__(
        self,
        data: Array,
        offsets: Int64,
        counts: Int64,
        *,
        explicit: Sequence[Array] | None = None,
        forbidden: Sequence[Array] = (),
        max_length: int | None = None,
        min_count: int = 1,
        dominated: bool = False,
    ) -> None:
        words = len(counts)
        size = len(data) + words + 1
        if size > 2**31 - 2:
            raise InputError(
                f"the distinct words have {len(data)} symbols, more than the 2^31 - 2 positions "
                "that can be indexed: raise the least count of a word, or split the corpus"
            )
        refuse_beyond(
            size * _BYTES_A_POSITION,
            f"indexing the {len(data):,} symbols of the distinct words takes",
            "raise the least count of a word, or split the corpus",
        )
        self.offsets = offsets
        self.counts = counts
        lengths = np.diff(offsets)
        self.data = data
        self._alphabet = None if data.dtype == np.uint8 else np.unique(data)
        upper = 256 if self._alphabet is None else len(self._alphabet)
        self.text = np.zeros(size, np.int32)
        inside = np.ones(size, bool)
        inside[offsets + np.arange(words + 1)] = False
        self.text[inside] = self._ranks(data)
        del inside
        self.word_of = np.empty(size, np.int32)
        self.word_of[:-1] = np.repeat(np.arange(words, dtype=np.int32), lengths + 1)
        self.word_of[-1] = words
        self.sa = suffix_array(self.text, upper)

        forbidden_lo, forbidden_hi, forbidden_length = self.find(forbidden)
        occur = forbidden_hi > forbidden_lo
        forbidden_keys = set(
            zip(forbidden_lo[occur].tolist(), forbidden_length[occur].tolist(), strict=True)
        )
        whole = lengths >= 2
        if explicit is None:
            whole &= (lengths <= (max_length or size)) & (counts >= min_count)
            for lo, hi, length in zip(forbidden_lo, forbidden_hi, forbidden_length, strict=True):
                whole[self._words_equal(lo, hi, length)] = False
            if dominated:
                whole[:] = False
            # those of long words that are much the same number the square of their length
            most = int(available_memory() * _SHARE) // _BYTES_A_CANDIDATE
            try:
                self.lo, self.hi, self.length, self.weight, self.total = candidate_intervals(
                    self.sa,
                    common_prefixes(self.text, self.sa),
                    self.word_of,
                    offsets,
                    counts,
                    whole.view(np.uint8),
                    max_length or size,
                    min_count,
                    min(most, 2**31 - 1),
                )
            except OverflowError as error:
                many = int(error.args[0])
                what = f"there are {many:,} candidates"
                need = many * _BYTES_A_CANDIDATE
                advice = (
                    "cap their length with --max-length (max_length), or cut the words with a "
                    "pre-tokenizer"
                )
                refuse_beyond(need, f"{what}, which need", advice, share=_SHARE)
                raise InputError(f"{what}, more than 2^31 - 1: {advice}") from None
            if forbidden_keys:
                _, weight = interval_words(
                    self.sa, self.word_of, counts, forbidden_lo, forbidden_hi
                )
                listed = occur & (forbidden_length <= (max_length or size)) & (weight >= min_count)
                self.total -= int(listed.sum())
                self._keep(~self._is_in(forbidden_keys))
        else:
            lo, hi, length = self.find(explicit)
            word, weight = interval_words(self.sa, self.word_of, counts, lo, hi)
            order = np.lexsort((length, lo))
            self.lo, self.hi, self.length = lo[order], hi[order], length[order]
            self.weight, word = weight[order], word[order]
            keep = (self.hi > self.lo) & ~self._is_in(forbidden_keys)
            self.total = int(keep.sum())
            whole[:] = False
            for index in np.flatnonzero(keep).tolist():
                whole[self._words_equal(self.lo[index], self.hi[index], self.length[index])] = True
            alone = (word >= 0) & (not dominated)
            needless = np.zeros(len(word), bool)
            needless[alone] = whole[word[alone]] & (self.length[alone] < lengths[word[alone]])
            self._keep(keep & ~needless)

    def __len__(self) -> int:
        return len(self.lo)

    def _ranks(self, data: Array) -> Int32:
        """Symbols to ranks from 1, in symbol order; −1 for a symbol that no word has."""
        if self._alphabet is None:
            return data.astype(np.int32) + np.int32(1)
        ranks = np.searchsorted(self._alphabet, data).astype(np.int32)
        if len(self._alphabet):
            known = self._alphabet[np.minimum(ranks, len(self._alphabet) - 1)] == data
        else:
            known = np.zeros(len(data), bool)
        return np.where(known, ranks + np.int32(1), np.int32(-1)).astype(np.int32)

    def _words_equal(self, lo: int, hi: int, length: int) -> Array:
        """Words equal to the substring (at most one)."""
        starts = self.sa[lo:hi]
        words = self.word_of[starts]
        begins = starts == self.offsets[words] + words + 1
        equal: Array = begins & (self.offsets[words + 1] - self.offsets[words] == length)
        return np.asarray(words[equal])

    def _is_in(self, keys: set[tuple[int, int]]) -> npt.NDArray[np.bool_]:
        hit = np.zeros(len(self.lo), bool)
        for lo, length in keys:
            left, right = np.searchsorted(self.lo, [lo, lo + 1])
            hit[left:right] |= self.length[left:right] == length
        return hit

    def _keep(self, mask: npt.NDArray[np.bool_]) -> None:
        self.lo, self.hi = self.lo[mask], self.hi[mask]
        self.length, self.weight = self.length[mask], self.weight[mask]

    def find(self, tokens: Sequence[Array]) -> tuple[Int32, Int32, Int32]:
        """Intervals and lengths of tokens, in the order given; empty where one has no occurrence.

        O(Σ length · log(symbols)).
        """
        length = np.array([len(token) for token in tokens], np.int32)
        offsets = np.zeros(len(tokens) + 1, np.int64)
        np.cumsum(length, out=offsets[1:])
        patterns = self._ranks(np.concatenate(tokens)) if len(tokens) else np.zeros(0, np.int32)
        lo, hi = find(self.text, self.sa, patterns, offsets)
        return lo, hi, length

    def positions_ascending(self) -> Int64:
        """Positions of the symbols in the words' data, words in ascending order.

        What `partcover.problem.certificate.sorted_symbols` gives, read off the suffix array.
        """
        words = len(self.counts)
        begins = np.zeros(len(self.text), bool)
        begins[self.offsets[:-1] + np.arange(1, words + 1)] = True
        order = self.word_of[self.sa[begins[self.sa]]]
        lengths = np.diff(self.offsets)[order]
        ends = np.cumsum(lengths)
        first = np.repeat(self.offsets[order] - (ends - lengths), lengths)
        positions: Int64 = first + np.arange(len(self.data))
        return positions

    def weight_of(self, lo: Int32, hi: Int32) -> Int64:
        """Occurrences in each interval, weighted by word counts."""
        return interval_words(self.sa, self.word_of, self.counts, lo, hi)[1]

    def substring(self, lo: int, length: int) -> Array:
        """The symbols of a substring given by an interval's start and a length."""
        start = self.sa[lo]
        begin = start - self.word_of[start] - 1
        return self.data[begin : begin + length]

    def begins(self, lo: Int32) -> Int64:
        """Where substrings given by the starts of their intervals begin in the words' data."""
        start = self.sa[lo]
        begin: Int64 = start.astype(np.int64) - self.word_of[start] - 1
        return begin

    def token(self, index: int) -> Array:
        """The symbols of candidate `index`."""
        return self.substring(int(self.lo[index]), int(self.length[index]))

    def occurrences(self) -> tuple[Int32, Int32, Int32]:
        """All occurrences of all candidates: (candidate, word, start in the word).

        Returns
        -------
        tuple of three ndarray of int32, shape (occurrences,)
            Sorted by word, start, length.  The size is quadratic in the length of words.
        """
        return self.occurrences_of(self.lo, self.hi, self.length)

    def occurrences_of(self, lo: Int32, hi: Int32, length: Int32) -> tuple[Int32, Int32, Int32]:
        """`occurrences` for given intervals, numbered from 0 in the order given.

        O(occurrences + symbols).
        """
        order = np.argsort(length, kind="stable").astype(np.int32)
        places = (self.sa - self.word_of[self.sa] - 1).astype(np.int32)
        which, start, _, _ = arcs(places, lo[order], hi[order], length[order], len(self.data))
        sizes = np.diff(self.offsets)
        word = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)[start]
        begin = (start - self.offsets[word]).astype(np.int32)
        return order[which], word, begin
