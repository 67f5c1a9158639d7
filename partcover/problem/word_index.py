"""A suffix array of counted words, in which a token's occurrences form one interval.

All words are stored in one text, with a separator before each.  A token that occurs is an interval
of the text's suffix array and a length.  Memory is a few arrays over the text, for any number of
tokens or occurrences.  Positions in the text have 32 bits if they all fit, otherwise 64.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..kernels.candidates._candidates import LENGTH_BITS, WIDE_LENGTH_BITS
from ..kernels.candidates._suffix_array import find, interval_words, lay_out, suffix_array
from ..kernels.search._search_arcs import search_arcs
from ..kernels.steps._saddle_point import arcs
from ..runtime.arrays import Bools, Int32, Int64, Integers, Positions, np, read_only
from ..runtime.memory import refuse_beyond

NARROW_POSITIONS = 2**31 - 2
"""Up to this many positions, symbols of distinct words plus one end each, 32 bits are used."""

MOST_POSITIONS = 2 ** (63 - WIDE_LENGTH_BITS) - 2
"""Maximum number of positions of an index: a position and a length have 63 bits together."""

MOST_WORDS = 2**31 - 2
"""Maximum number of distinct words, and of distinct symbols: their numbers have 32 bits."""

LONGEST_WORD = 2**WIDE_LENGTH_BITS - 1
"""Maximum number of symbols of a word if positions have 64 bits."""


Arcs: TypeAlias = tuple[Int32, Int64, Int32, Int64, Int64, Int32, Int32]


class Intervals(NamedTuple):
    """Tokens: ``t`` has ``length[t]`` symbols and occurs at ``sa[lo[t]:hi[t]]``, if anywhere."""

    lo: Positions
    hi: Positions
    length: Int32

    @property
    def occurs(self) -> Bools:
        """Whether each token occurs."""
        return self.hi > self.lo

    @property
    def occurrences(self) -> int:
        """The number of occurrences of all tokens, including overlapping ones."""
        return int(np.subtract(self.hi, self.lo, dtype=np.int64).sum())

    @property
    def key(self) -> Int64:
        """A number for each token, in lexicographic order; −1 for tokens that do not occur."""
        bits = LENGTH_BITS if self.lo.dtype == np.int32 else WIDE_LENGTH_BITS
        # an empty interval may begin where another token's begins
        return np.where(self.occurs, self.lo.astype(np.int64) << bits | self.length, -1)

    def kept(self) -> Intervals:
        """Returns the same in read-only arrays, for an index that hands them out."""
        return Intervals(read_only(self.lo), read_only(self.hi), read_only(self.length))

    def take(self, which: Integers | Bools) -> Intervals:
        """Returns some of the tokens, by their indices or by a mask."""
        return Intervals(self.lo[which], self.hi[which], self.length[which])

    def joined(self, other: Intervals) -> Intervals:
        """Returns these tokens followed by others."""
        lo: Positions = np.concatenate([self.lo, other.lo])
        hi: Positions = np.concatenate([self.hi, other.hi])
        return Intervals(lo, hi, np.concatenate([self.length, other.length]))


class WordIndex:
    """The suffix array of counted words, which finds all occurrences of a token at once.

    All arrays are read-only and have the shape (symbols + words + 1,): `text` has symbol ranks from
    1, with separators 0; `word_of` the word at each position (at a separator: the word after it);
    `sa` the positions in suffix order, int32 if all fit.  Words that do not fit in 2^35 − 2
    positions or in memory are refused, and so are 2^31 − 1 words or more, and beyond 2^31 − 2
    positions one of 2^28 symbols.  O(symbols) time and memory: induced sorting (Nong, Zhang and
    Chan 2009).
    """

    def __init__(self, words: WordCounts) -> None:
        data, offsets = words.data, words.offsets
        size = n_positions(words)
        _refuse_beyond_numbers(words)
        refuse_beyond(
            size * (9 + 2 * position_bytes(size)),  # at most, while the suffixes are sorted
            f"indexing the {len(data):,} symbols of the distinct words takes",
            "leave out rare words; bound and improve take all words with --head",
        )
        self.words = words
        # bytes are their own ranks
        self._alphabet = None if data.dtype == np.uint8 else sym.distinct(data)
        upper = int(data.max(initial=0)) + 1 if self._alphabet is None else len(self._alphabet)
        if upper > MOST_WORDS:
            raise InputError(
                f"the words have {upper:,} distinct symbols, but at most {MOST_WORDS:,} can be "
                "indexed: leave out rare words"
            )
        text, word_of = np.empty(size, np.int32), np.empty(size, np.int32)
        ranks = data if self._alphabet is None else sym.numbered(data, self._alphabet)
        lay_out(ranks, offsets, text, word_of)
        del ranks
        sa: Positions = np.empty(size, f"int{8 * position_bytes(size)}")
        suffix_array(text, upper, sa)
        self.text, self.word_of = read_only(text), read_only(word_of)
        self.sa = read_only(sa)

    def _ranks(self, data: Integers) -> Int32:
        """Converts symbols to ranks from 1, in symbol order; −1 for a symbol that no word has."""
        if self._alphabet is None:
            return data.astype(np.int32) + np.int32(1)
        ranks = sym.numbered(data, self._alphabet)
        ranks += np.int32(1)
        ranks[ranks > len(self._alphabet)] = -1
        return ranks

    def find_tokens(self, tokens: Iterable[Token]) -> Intervals:
        """Finds tokens; returns them in the given order.  O(Σ length · log(symbols))."""
        return self._located(*sym.packed(tokens, self.words.symbols))

    def find_words(self) -> Intervals:
        """Finds each word as a token, in the order of the words."""
        return self._located(self.words.data, self.words.offsets)

    def _located(self, data: Integers, offsets: Int64) -> Intervals:
        """Finds tokens that are concatenated in one array."""
        found = find(self.text, self.sa, self._ranks(data), offsets)
        return Intervals(*found, np.diff(offsets).astype(np.int32))

    def tokens_at(self, intervals: Intervals) -> Iterator[Token]:
        """Yields the tokens of intervals, all of which occur."""
        start = self.sa[intervals.lo]
        begin = start.astype(np.int64) - self.word_of[start] - 1
        return sym.slices(self.words.data, begin, begin + intervals.length, self.words.symbols)

    def weight_of(self, intervals: Intervals) -> Int64:
        """Returns the occurrences of each token, weighted by word counts.  O(occurrences)."""
        return self.only_word_and_weight(intervals)[1]

    def only_word_and_weight(self, intervals: Intervals) -> tuple[Int32, Int64]:
        """Returns each token's only word (−1 if it occurs in several), and its weight."""
        counts = self.words.counts
        return interval_words(self.sa, self.word_of, counts, intervals.lo, intervals.hi)

    def words_equal(self, intervals: Intervals) -> Int32:
        """Returns the numbers of the words that equal one of the tokens.  O(occurrences)."""
        offsets = self.words.offsets
        equal = [np.zeros(0, np.int32)]
        for lo, hi, length in zip(*intervals, strict=True):
            start = self.sa[lo:hi]
            word = self.word_of[start]
            at_begin = start == offsets[word] + word + 1
            equal.append(word[at_begin & (offsets[word + 1] - offsets[word] == length)])
        return np.concatenate(equal)

    def words_ascending(self) -> Int32:
        """Returns the numbers of the words in ascending order, read from the suffix array."""
        offsets, n_words = self.words.offsets, len(self.words)
        begins = np.zeros(len(self.text), bool)
        begins[offsets[:-1] + np.arange(1, n_words + 1)] = True
        order: Int32 = self.word_of[self.sa[begins[self.sa]]]
        return order

    def positions_ascending(self) -> Int64:
        """Returns the positions of the symbols in the words' data, words in ascending order."""
        offsets, order = self.words.offsets, self.words_ascending()
        lengths = np.diff(offsets)[order]
        ends = np.cumsum(lengths)
        first = np.repeat(offsets[order] - (ends - lengths), lengths)
        positions: Int64 = first + np.arange(len(self.words.data))
        return positions

    def occurrences_of(self, intervals: Intervals) -> tuple[Int32, Int32, Int32]:
        """Returns token, word and start of all occurrences, sorted by word, start and length.

        O(occurrences + symbols), which is quadratic in the length of words for all candidates.
        """
        order = np.argsort(intervals.length, kind="stable").astype(np.int32)
        places = self.sa - self.word_of[self.sa] - np.int32(1)
        which, start, _, _ = arcs(places, *intervals.take(order), len(self.words.data))
        sizes = np.diff(self.words.offsets)
        word = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)[start]
        begin = (start - self.words.offsets[word]).astype(np.int32)
        return order[which], word, begin


def arcs_of(index: WordIndex, tokens: Intervals) -> Arcs:
    """Returns the first seven arguments of `partcover.kernels.search._local_search.State`.

    O(occurrences + symbols) time, 28 bytes for each occurrence, which are refused from 2^31 on.
    """
    words = index.words
    occurrences = tokens.occurrences
    if occurrences >= 2**31:
        raise InputError(
            f"the tokens occur {occurrences:,} times, but a search can use at most {2**31 - 1:,} "
            "occurrences: leave out rare words, or cap candidates with --max-length (max_length)"
        )
    sa, word_of, lo, hi, length = (
        np.asarray(part, np.int32)
        for part in (index.sa, index.word_of, tokens.lo, tokens.hi, tokens.length)
    )
    found = search_arcs(sa, word_of, words.offsets, lo, hi, length)
    listed, word_first, places_first, places, place_arc = found
    sizes = np.diff(words.offsets).astype(np.int32)
    return listed, word_first, sizes, words.counts, places_first, places, place_arc


def n_positions(words: WordCounts) -> int:
    """Returns the number of positions of words: symbols, one end each, and a first position."""
    return len(words.data) + len(words) + 1


def position_bytes(positions: int) -> int:
    """Returns the bytes of each position in an index of this size, 4 or 8."""
    return 4 if positions <= NARROW_POSITIONS else 8


def refuse_wide(words: WordCounts) -> None:
    """Raises an error if positions need 64 bits, for work that supports only 32."""
    if position_bytes(n_positions(words)) > 4:
        raise InputError(
            f"{_size_of(words)}, and a bound looks at {NARROW_POSITIONS:,} at most: bound and "
            "improve take all words with --head (HeadAndTail), which may be "
            f"{_most_that_fit(words, NARROW_POSITIONS)}"
        )


def _refuse_beyond_numbers(words: WordCounts) -> None:
    """Raises an error if positions, numbers or lengths of words do not fit in their bits."""
    size = n_positions(words)
    if size > MOST_POSITIONS or len(words) > MOST_WORDS:
        raise InputError(
            f"{_size_of(words)}, and {MOST_POSITIONS:,} can be indexed, of {MOST_WORDS:,} words: "
            f"the {_most_that_fit(words, MOST_POSITIONS):,} most frequent words fit, which are the "
            "first lines of what count writes (WordCounts.most_frequent); bound and improve take "
            "all words with --head"
        )
    longest = int(np.diff(words.offsets).max(initial=0))
    if size > NARROW_POSITIONS and longest > LONGEST_WORD:
        raise InputError(
            f"a word has {longest:,} symbols, and {LONGEST_WORD:,} are the most where the distinct "
            f"words have more than {NARROW_POSITIONS:,} positions (symbols, and an end of each): "
            "split the words with a pre-tokenizer"
        )


def _size_of(words: WordCounts) -> str:
    return (
        f"the {len(words):,} distinct words have {n_positions(words):,} positions (symbols, and an "
        "end of each)"
    )


def _most_that_fit(words: WordCounts, positions: int) -> int:
    """Returns how many of the most frequent words fit in an index with this many positions."""
    order = np.argsort(-words.counts, kind="stable")
    ends = 1 + np.cumsum(np.diff(words.offsets)[order] + 1)
    return min(int(np.searchsorted(ends, positions, side="right")), MOST_WORDS)
