"""Estimates the memory that a method needs for an instance, before it begins."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

from ..corpus import symbols as sym
from ..corpus.symbols import Symbols
from ..errors import InputError
from ..runtime.arrays import Int64, np
from ..runtime.memory import available_memory, shown_size
from .candidates import MOST_HELD
from .instance import Instance
from .word_index import n_positions, position_bytes, refuse_wide


@dataclass(frozen=True)
class Pieces:
    """The work of a trainer that prunes `most` pieces at most, substrings of at most `longest`."""

    most: int = 10**6
    longest: int = 17


Work: TypeAlias = (
    Literal["greedy", "bound", "search", "proof", "merges", "model", "draws", "phrases", "words"]
    | Pieces
)
_PRICED_WORK = "bound", "search", "proof"

# bytes at the peak
_PROGRAM = 46 << 20  # the interpreter and the libraries
if "free-threading" in sys.version:
    _PROGRAM += 28 << 20  # without the interpreter lock, memory is freed later
_WORD = 16  # a word: its offset and its count
_TOKEN, _MERGED = 400, 1000  # a token in Python and in the file; a token with its merge
# a symbol of a token, and one in all vocabularies of a bound
_SPELLED: dict[Symbols, int] = {"bytes": 24, "chars": 44, "ints": 72}
_SPELLED_OFTEN = 250
# a symbol of a token in the trie, beside an index; longer tokens are at most whole words
_NODE, _LONG = 36, 1_000
_PRICED = 160  # a candidate whose reward is counted
_PRICE, _BEST_PRICE = 48, 8  # a symbol in the steps of a bound; a symbol after they have ended
_INDEXED = 16  # a position of the index, in addition to prices
_SEARCHED = 44  # an occurrence in a search, with its links
# an occurrence in a bound, if arcs are made word by word; if they are kept
_ARC, _HELD_ARC = 24, 64
_PIECE = 36  # a symbol while words are segmented into pieces that are merged, with its pairs
_LETTER = 84  # a distinct symbol, where words are not only segmented
_PAIR = 48  # a pair of distinct symbols, of those that are merged
# a symbol while words are segmented; in addition, an integer while it is numbered
_CUT, _NUMBERED = 20, 6
_ATOM, _INT_ATOM = 130, 340  # a symbol while atoms of words are also counted; of integers
_LISTED, _DRAWN = 36, 56  # a candidate of an index that has all of them; with its weight, drawn
# a piece that may be pruned, and one of integers; an occurrence of a piece
_PRUNED, _PRUNED_INTS, _PLACE = 168, 300, 30
_MOST_DRAWN = 1 << 26  # most candidates to draw from
_ENTRY = 250  # a nonzero or a variable of a solver's model
_TAIL = 96 << 20  # the words outside of a head, read in blocks, and the sums over them
# multiples of the index of a head: for a sample, and for a search
_SAMPLED: dict[Work, int] = {"bound": 2, "search": 4, "proof": 4}
# less than this is not estimated: the index itself raises an error if it is too large
SMALL = 1 << 28
_SCORED = 5  # scored candidates occur at most about so often at each position
MOST_COUNTED = 1 << 24
"""With more positions, substrings are not counted, since that takes seconds."""
MOST_PRICED, MOST_ARCS = 1 << 22, 1 << 27
"""About how many candidates and occurrences a bound considers; see `WordAscent` for which."""
MOST_SEARCHED = 1 << 23
"""Occurrences that a search considers, in addition to those of its first tokens."""
MOST_HELD_ARCS = 1 << 22
"""If a bound considers more occurrences, they are made word by word."""
MOST_TOGETHER = 1 << 26
"""If words have more symbols, a bound ends before a search for vocabularies begins."""


@dataclass(frozen=True)
class MemoryPlan:
    """The estimated peak memory of some work, and its parts, in bytes.

    `available` may be used.  So many of the most frequent words fit in it (`words_that_fit`), None
    if all do, or not even one.  `takes_head`: the work includes a bound, which can process all
    words with a head of this many.
    """

    parts: dict[str, int]
    available: int
    words_that_fit: int | None = None
    takes_head: bool = False

    @property
    def need(self) -> int:
        """Bytes at the peak."""
        return sum(self.parts.values())

    @property
    def fits(self) -> bool:
        """Whether that many bytes are available."""
        return self.need <= self.available

    @property
    def advice(self) -> str:
        """A recommendation that makes the work fit."""
        n = self.words_that_fit
        if n is None:
            advice = "leave out rare words, or split long ones with a pre-tokenizer"
        else:
            advice = (
                f"the {n:,} most frequent words fit, which are the first lines of what count "
                "writes (WordCounts.most_frequent)"
            )
            if self.takes_head:
                advice += f"; bound and improve take all words with --head {n} (HeadAndTail)"
        return advice + "; --max-length (max_length) caps candidates" * ("candidates" in self.parts)

    def to_json(self) -> dict[str, Any]:
        """Returns the plan as a JSON object; sizes are bytes."""
        sizes = {"need": self.need, "available": self.available, "fits": self.fits}
        return {**sizes, "words_that_fit": self.words_that_fit, "parts": dict(self.parts)}

    def refuse(self) -> None:
        """Raises an error, with the sizes and a recommendation, if the work does not fit."""
        if self.fits:
            return
        what, size = max(self.parts.items(), key=lambda part: part[1])
        raise InputError(
            f"this needs about {shown_size(self.need)} of memory, most of it "
            f"({shown_size(size)}) for {what}, and only {shown_size(self.available)} are "
            f"available: {self.advice}"
        )


def memory_plan(
    instance: Instance, work: Work, *, is_head: bool = False, available: int | None = None
) -> MemoryPlan:
    """Estimates the peak memory of some work on an instance: a run uses half of it to all of it.

    If the words have at most `MOST_COUNTED` positions and their index fits, it is built and the
    candidates and their occurrences are counted.  With more words, or with group budgets, the
    number of substrings is used as an upper bound on both, in O(words) time.  Distinct symbols are
    counted, except of bytes and of words that are only segmented.

    The work is ``greedy``: GreedTok or GreedWMC; ``bound``: a lower bound; ``search``: a bound
    with a search for vocabularies; ``proof``: both, and branching; ``model``: a solver's model of
    all candidates.  For trainers: ``merges`` as in BPE, `Pieces` that are pruned as in Unigram,
    ``draws`` from all candidates, ``phrases`` of atoms, and ``words`` that are only
    segmented.  With `is_head`, there are more words, which are read in parts.  `available` bytes
    may be used, including those of the words; by default what is available now.
    """
    if work in _PRICED_WORK:
        refuse_wide(instance.words)
    if available is None:
        available = available_memory() + _held(instance)
    estimate, lengths = _Estimate(instance, work, is_head), np.diff(instance.words.offsets)
    found = estimate.by_lengths(lengths)
    parts = dict(estimate.parts(lengths, found))
    positions = n_positions(instance.words)
    room = available - _held(instance) - positions * _sizes(positions)[0]
    # the work needs the index in any case
    if "candidates" in parts and room >= 0 and positions <= MOST_COUNTED and not instance.groups:
        found = estimate.by_index()
        parts = dict(estimate.parts(lengths, found))
    plan = MemoryPlan(parts, available, takes_head=work in _PRICED_WORK)
    if plan.fits:
        return plan
    instance.forget_index()
    return replace(plan, words_that_fit=estimate.words_that_fit(found, available))


def refuse_beyond_memory(instance: Instance, work: Work, *, is_head: bool = False) -> None:
    """Raises an error if work does not fit in memory, unless the instance has its index already.

    For a bound, and work that includes one, also if the words have more positions than it supports.
    """
    if work in _PRICED_WORK:
        refuse_wide(instance.words)
    if instance.is_indexed:
        return
    estimate = _Estimate(instance, work, is_head)
    if work == "merges":  # whatever the lengths of the words are, so that no array is made
        words = instance.words
        parts = estimate.of_words(len(words), len(words.views[0]))
    else:
        lengths = np.diff(instance.words.offsets)
        parts = estimate.parts(lengths, estimate.by_lengths(lengths))
    rough = sum(dict(parts).values())
    if rough - _held(instance) > SMALL:
        available = available_memory() + _held(instance)
        if rough > available:
            memory_plan(instance, work, is_head=is_head, available=available).refuse()


# bytes at the peak, with positions of 4 bytes and of 8: of a position (text, suffixes, words and
# common prefixes, and two segmentations); of a candidate while it is listed, and in the queue of
# GreedTok; of one with a high upper bound, while the previous list is in memory; of an occurrence
# of a candidate that was scored
_NARROW, _WIDE = (28, 120, 52, 4), (33, 144, 68, 8)
_Found: TypeAlias = tuple[int, int]  # upper bounds on candidates and on their occurrences


def _sizes(positions: int) -> tuple[int, int, int, int]:
    return _NARROW if position_bytes(positions) == 4 else _WIDE


def _held(instance: Instance) -> int:
    """Returns the bytes that are in use before the work begins."""
    return _PROGRAM + sum(int(view.nbytes) for view in instance.words.views)


@dataclass(frozen=True)
class _Estimate:
    """Estimates the memory of work on words of given lengths.

    The estimate grows with the words: a part of the words never needs more than all.  The exception
    is when all words are just so many that bound and search do not run together.
    """

    instance: Instance
    work: Work
    is_head: bool

    def by_lengths(self, lengths: Int64) -> _Found:
        """Returns the number of places and lengths of substrings of two or more symbols."""
        longest = self._capped(lengths)
        # for a word of n symbols: the sum of n - l + 1 for l = 2 … m
        pairs = int(((longest - 1) * (2 * lengths - longest) // 2).sum())
        listed = self.instance.candidates
        return pairs if listed is None else min(pairs, len(listed)), pairs

    def by_index(self) -> _Found:
        """Returns the number of candidates and an upper bound on their occurrences."""
        instance, work = self.instance, self.work
        if isinstance(work, Pieces):
            index = instance.candidate_index(dominated=False, most=MOST_HELD, longest=work.longest)
            return index.total, index.most_occurrences
        index = instance.promising_index()
        return index.total if work == "draws" else index.n_undominated, index.most_occurrences

    @cached_property
    def letters(self) -> int:
        """The number of distinct symbols; of bytes, which need no arrays, the most there can be."""
        words = self.instance.words
        return 256 if words.symbols == "bytes" else len(sym.distinct(words.data))

    @cached_property
    def often(self) -> int:
        """The number of symbols of words that occur twice or more."""
        words = self.instance.words
        return int(np.diff(words.offsets)[words.counts > 1].sum())

    def words_that_fit(self, found: _Found, available: int) -> int | None:
        """Returns how many of the most frequent words fit, rounded down to two significant digits.

        A bound can also use them as a head.  All words may still be in memory next to the words
        tried.  Of words with equal counts, the longest may be tried.
        """
        words = self.instance.words
        lengths = np.diff(words.offsets)
        lengths = lengths[np.lexsort((-lengths, -words.counts))]
        room = available - (_held(self.instance) - _PROGRAM)
        is_head = {self.is_head, self.is_head or self.work in _PRICED_WORK}
        estimates = [replace(self, is_head=head) for head in is_head]

        def need(n: int) -> int:
            some = lengths[:n]
            candidates, occurrences = self.by_lengths(some)
            # a candidate of some words is also one of all words
            at_most = min(found[0], candidates), min(found[1], occurrences)
            return max(sum(dict(each.parts(some, at_most)).values()) for each in estimates)

        numbers = sorted({n * 10**zeros for n in range(1, 100) for zeros in range(9)})
        fit = bisect_right(numbers, room, hi=bisect_right(numbers, len(lengths)), key=need)
        return numbers[fit - 1] if fit else None

    def _capped(self, lengths: Int64) -> Int64:
        own = self.work.longest if isinstance(self.work, Pieces) else 2**31
        return np.minimum(lengths, min(self.instance.max_length or own, own, 2**31))

    def of_words(self, n_words: int, n_symbols: int) -> Iterator[tuple[str, int]]:
        """Yields the bytes of the parts that depend only on how many words and symbols there are.

        Merges have no other parts.
        """
        yield "the program", _PROGRAM
        itemsize = self.instance.words.views[0].itemsize
        yield "the words", n_words * _WORD + n_symbols * itemsize
        if self.work not in ("words", "phrases"):
            letters = min(n_symbols, self.letters)
            yield "distinct symbols", letters * _LETTER
        if self.is_head:
            yield "the words outside of the head", _TAIL
        if self.work == "merges":
            pairs = min(n_symbols, letters**2)
            yield "pieces and their pairs", n_symbols * _PIECE + pairs * _PAIR
            yield "tokens", min(self.instance.k, n_symbols) * _MERGED

    def parts(self, lengths: Int64, found: _Found) -> Iterator[tuple[str, int]]:
        """Yields the bytes of each part."""
        instance, work = self.instance, self.work
        candidates, occurrences = found
        n_symbols = int(lengths.sum())
        positions = n_symbols + len(lengths) + 1
        yield from self.of_words(len(lengths), n_symbols)
        if work == "merges":
            return
        is_priced = work in _PRICED_WORK
        # as if the tokens were the longest words
        capped = self._capped(lengths)
        others = max(0, len(capped) - instance.k)
        longest = np.partition(capped, others - 1)[others:] if others else capped
        is_ints = instance.words.symbols == "ints"
        a_symbol = _SPELLED_OFTEN if is_priced else _SPELLED[instance.words.symbols]
        spelled = int(longest.sum()) * a_symbol
        if not is_priced and work not in ("words", "phrases"):
            spelled += int(np.minimum(longest, _LONG).sum()) * _NODE
        tokens = min(instance.k, n_symbols) * _TOKEN + spelled
        if work in ("words", "phrases"):
            an_atom = _INT_ATOM if is_ints else _ATOM
            a_cut = _CUT + _NUMBERED * is_ints if work == "words" else an_atom
            yield "the words, cut", n_symbols * a_cut
            yield "tokens", tokens
            return
        a_position, a_candidate, a_listed, an_occurrence = _sizes(positions)
        # GreedTok segments the words and stores occurrences before there are prices
        cuts = positions * (a_position - _INDEXED) if is_priced else 0
        yield "the index of the words", positions * a_position - cuts
        if self.is_head:
            sampled = positions * a_position * _SAMPLED[work]
            yield "words that stand for the others", sampled
        if work == "model":
            yield "candidates", candidates * a_candidate
            yield "the model", (2 * n_symbols + 3 * occurrences) * _ENTRY
            return
        yield "tokens", tokens
        if work == "draws":  # drawn from another index than the one that counts the candidates
            yield "another index", positions * a_position
            yield "candidates", min(candidates, _MOST_DRAWN) * _DRAWN
            return
        if isinstance(work, Pieces):
            yield "candidates", candidates * _LISTED
            # those that occur twice or more; and at each position the longest that occurs there
            # only, if its word occurs twice or more
            rare = min(n_symbols, self.often)
            pieces = min(candidates, occurrences // 2 + rare, work.most)
            a_piece = _PRUNED_INTS if is_ints else _PRUNED
            yield "pieces", (pieces + min(n_symbols, self.letters)) * a_piece
            # single symbols are pieces too
            yield "occurrences", (occurrences + n_symbols) * _PLACE
            return
        held = candidates if instance.groups else min(candidates, MOST_HELD)
        listed = held * a_listed if held < candidates else 0
        yield "candidates", held * a_candidate + listed
        scored = min(occurrences, positions * _SCORED) * an_occurrence
        if not is_priced:
            yield "occurrences", scored
        else:
            yield "candidates that are priced", min(candidates, MOST_PRICED) * _PRICED
            yield "prices", (prices := max(n_symbols * _PRICE, scored + cuts))
            # GreedTok's tokens occur about once for each position
            arcs = min(occurrences, max(MOST_ARCS, MOST_ARCS // 2 + positions))
            held_arcs = min(arcs, MOST_HELD_ARCS) * _HELD_ARC
            yield "occurrences that are priced", (priced := max(held_arcs, arcs * _ARC))
        if work in ("search", "proof"):
            searched = min(occurrences, MOST_SEARCHED + positions) * _SEARCHED
            if work == "search" and (self.is_head or n_symbols > MOST_TOGETHER):
                # it can use the memory of the bound, which keeps only the best prices
                searched = max(0, searched + n_symbols * _BEST_PRICE - prices - priced)
            yield "occurrences that are searched", searched
