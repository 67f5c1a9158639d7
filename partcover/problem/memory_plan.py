"""Estimates the memory that work on an instance takes, before it begins."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ..errors import InputError
from ..runtime.arrays import Int64
from ..runtime.memory import available_memory, shown_size
from .candidates import MOST_HELD
from .instance import Instance
from .word_index import n_positions, position_bytes, refuse_wide

__all__ = [
    "MOST_ARCS",
    "MOST_COUNTED",
    "MOST_HELD_ARCS",
    "MOST_PRICED",
    "MOST_SEARCHED",
    "MOST_TOGETHER",
    "SMALL",
    "MemoryPlan",
    "Pieces",
    "Work",
    "memory_plan",
    "refuse_beyond_memory",
]


@dataclass(frozen=True)
class Pieces:
    """The work of a trainer that begins with many pieces, and prunes them.

    Attributes
    ----------
    most : int
        How many it begins with, at most.
    longest : int
        The symbols of the longest substring that it looks at.
    """

    most: int = 10**6
    longest: int = 17


Work: TypeAlias = (
    Literal["greedy", "bound", "search", "proof", "merges", "model", "draws", "phrases", "words"]
    | Pieces
)
_PRICED_WORK = "bound", "search", "proof"

# bytes, at the peak
_PROGRAM = 62 << 20  # the interpreter and the libraries
if "free-threading" in sys.version:
    _PROGRAM += 20 << 20  # without the interpreter lock, memory is freed later
_WORD = 16  # a word: where it begins, and its count
_TOKEN, _MERGED = 400, 1000  # a token in Python and in the file; one with its merge
_SPELLED, _SPELLED_OFTEN = 60, 250  # a symbol of a token, for the rules; in several vocabularies
_PRICED = 160  # a candidate whose reward is counted
_PRICE, _BEST_PRICE = 48, 8  # a symbol in the steps of a bound; and once these have ended
_INDEXED = 16  # a position of the index beside prices
_SEARCHED = 44  # an occurrence in a search, and in its chains
_ARC, _HELD_ARC = 24, 64  # an occurrence there: made word by word, or held
_PIECE = 48  # a symbol while words are segmented into pieces that are merged, with its pairs
_CUT, _ATOM = 20, 84  # a symbol while words are segmented; while their atoms are counted, too
_LISTED, _DRAWN = 36, 56  # a candidate of an index that has all of them; with its weight, drawn
_PRUNED, _PLACE = 180, 30  # a piece that may be pruned; an occurrence of one
_MOST_DRAWN = 1 << 26  # candidates that are drawn from
_ENTRY = 250  # a nonzero or a variable of a solver's model
_TAIL = 96 << 20  # the words outside of a head, block by block, and what is summed over them
# times the index of a head: that of a sample, and a search
_SAMPLED: dict[Work, int] = {"bound": 2, "search": 4, "proof": 4}
SMALL = 1 << 28  # what takes less is not looked at: the index itself refuses what is too large
_SCORED = 5  # candidates that are scored occur about so often at each position, at most
MOST_COUNTED = 1 << 24
"""Where there are more positions, substrings are not counted: it takes seconds."""
MOST_PRICED, MOST_ARCS = 1 << 22, 1 << 27
"""How many candidates and occurrences a bound looks at, about; see `WordAscent` for which."""
MOST_SEARCHED = 1 << 23
"""How many occurrences a search looks at, beside those of the tokens that it starts from."""
MOST_HELD_ARCS = 1 << 22
"""Where a bound looks at more occurrences, they are made word by word."""
MOST_TOGETHER = 1 << 26
"""Where words have more symbols, a bound ends before a search for vocabularies begins."""


@dataclass(frozen=True)
class MemoryPlan:
    """The memory that work takes at its peak, about, and what takes it.

    Attributes
    ----------
    parts : dict of str to int
        Bytes of each part.
    available : int
        Bytes that may be taken.
    words_that_fit : int or None
        How many of the most frequent words the same work takes in this memory; None where all
        fit, or not even one does.
    takes_head : bool
        Whether it is a bound, or a search with one, which take all words by a head of so many.

    Examples
    --------
    >>> from partcover.problem.memory_plan import MemoryPlan
    >>> plan = MemoryPlan({"words": 2**20, "index": 2**22}, available=2**22)
    >>> plan.need, plan.fits
    (5242880, False)
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
        """Whether so much is available."""
        return self.need <= self.available

    @property
    def has_candidates(self) -> bool:
        """Whether the memory depends on how many candidates there are."""
        return "candidates" in self.parts

    @property
    def advice(self) -> str:
        """What makes it fit."""
        n = self.words_that_fit
        if n is None:
            advice = "leave out rare words, or cut long ones with a pre-tokenizer"
        else:
            advice = (
                f"the {n:,} most frequent words fit, which are the first lines of what count "
                "writes (WordCounts.most_frequent)"
            )
            if self.takes_head:
                advice += f"; bound and improve take all words with --head {n} (HeadAndTail)"
        return advice + "; --max-length (max_length) caps candidates" * self.has_candidates

    def to_json(self) -> dict[str, Any]:
        """Returns the plan as a JSON object; sizes are bytes."""
        sizes = {"need": self.need, "available": self.available, "fits": self.fits}
        return {**sizes, "words_that_fit": self.words_that_fit, "parts": dict(self.parts)}

    def refuse(self) -> None:
        """Refuses work that does not fit.

        Raises
        ------
        InputError
            With the sizes, and what makes it fit.
        """
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
    """Estimates the memory that work on an instance takes at its peak.

    Candidates and their occurrences are counted, by the index of the words, where these have at
    most `MOST_COUNTED` positions and the index fits.  Of more words, and where groups are bounded,
    the number of substrings is an upper bound of both, found in O(words) time.

    Parameters
    ----------
    instance : Instance
        The words, k, and the limits on the candidates.
    work : str or Pieces
        ``greedy``: GreedTok or GreedWMC; ``bound``: a lower bound; ``search``: one with a search
        for vocabularies; ``proof``: one with both, and cases to look at; ``model``: a solver's
        model of all candidates.  Of trainers: ``merges`` as BPE makes them, `Pieces` that are
        pruned as by Unigram, ``draws`` from all candidates, ``phrases`` of atoms, and ``words``
        that are only cut.
    is_head : bool
        Whether there are other words, which are read in parts.
    available : int, optional
        Bytes that may be taken, with those of the words; by default what is available now.

    Returns
    -------
    MemoryPlan
        An upper estimate: a run takes between half of it and all of it, about.

    Raises
    ------
    InputError
        For a bound, if the words have more positions than it looks at.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.problem.memory_plan import memory_plan
    >>> plan = memory_plan(Instance({"banana": 2, "bandana": 1}, 1), "greedy", available=2**30)
    >>> plan.fits, list(plan.parts)  # doctest: +NORMALIZE_WHITESPACE
    (True, ['the program', 'the words', 'the index of the words', 'tokens', 'candidates',
    'occurrences'])
    """
    if work in _PRICED_WORK:
        refuse_wide(instance.words)
    if available is None:
        available = available_memory() + _held(instance)
    estimate = _Estimate(instance, work, is_head)
    lengths = np.diff(instance.words.offsets)
    found = estimate.by_lengths(lengths)
    parts = estimate.parts(lengths, found)
    if "candidates" in parts and _is_counted(instance, available):
        found = _by_index(instance, work)
        parts = estimate.parts(lengths, found)
    plan = MemoryPlan(parts, available, takes_head=work in _PRICED_WORK)
    if plan.fits:
        return plan
    instance.forget_index()
    return replace(plan, words_that_fit=estimate.words_that_fit(found, available))


def refuse_beyond_memory(instance: Instance, work: Work, *, is_head: bool = False) -> None:
    """Refuses work that does not fit in memory, unless the instance has its index already.

    A bound, and what has one, also where the words have more positions than it looks at.

    Raises
    ------
    InputError
        As `MemoryPlan.refuse` does.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.problem.memory_plan import refuse_beyond_memory
    >>> refuse_beyond_memory(Instance({"banana": 2}, 1), "greedy")
    """
    if work in _PRICED_WORK:
        refuse_wide(instance.words)
    if instance.is_indexed:
        return
    estimate = _Estimate(instance, work, is_head)
    lengths = np.diff(instance.words.offsets)
    rough = sum(estimate.parts(lengths, estimate.by_lengths(lengths)).values())
    if rough - _held(instance) > SMALL:
        available = available_memory() + _held(instance)
        if rough > available:
            memory_plan(instance, work, is_head=is_head, available=available).refuse()


class _Sizes(NamedTuple):
    """Bytes at the peak, which depend on those of a position."""

    position: int  # text, suffixes, words and common prefixes, and two segmentations
    candidate: int  # while it is enumerated, and in the queue of GreedTok
    listed: int  # a candidate of the best ones that are left, while those before are there
    occurrence: int  # of a candidate that was scored


_NARROW = _Sizes(28, 120, 52, 4)
_WIDE = _Sizes(33, 144, 68, 8)


class _Substrings(NamedTuple):
    """How many candidates there are at most, and how often they occur."""

    candidates: int
    occurrences: int


def _is_counted(instance: Instance, available: int) -> bool:
    """Returns whether the index of the words, which work needs in any case, is made at once."""
    positions = n_positions(instance.words)
    fits = _held(instance) + positions * _sizes(positions).position <= available
    return fits and positions <= MOST_COUNTED and not instance.groups


def _by_index(instance: Instance, work: Work) -> _Substrings:
    if isinstance(work, Pieces):
        index = instance.candidate_index(dominated=False, most=MOST_HELD, longest=work.longest)
        return _Substrings(index.total, index.most_occurrences)
    index = instance.promising
    number = index.total if work == "draws" else index.n_undominated
    return _Substrings(number, index.most_occurrences)


def _held(instance: Instance) -> int:
    """Returns what is there before the work begins."""
    words = instance.words
    return _PROGRAM + words.data.nbytes + words.offsets.nbytes + words.counts.nbytes


def _sizes(positions: int) -> _Sizes:
    return _NARROW if position_bytes(positions) == 4 else _WIDE


@dataclass(frozen=True)
class _Estimate:
    """Estimates what work takes on words of some lengths.

    What it says grows with the words: a few of them never take more than all, but where all are
    just so many that bound and search are not made together.
    """

    instance: Instance
    work: Work
    is_head: bool

    def by_lengths(self, lengths: Int64) -> _Substrings:
        """Returns how many places and lengths of two or more symbols words have."""
        longest = self._capped(lengths)
        # of a word of n symbols: the sum of n - l + 1 for l = 2 … m
        pairs = int(((longest - 1) * (2 * lengths - longest) // 2).sum())
        if self.instance.candidates is None:
            return _Substrings(pairs, pairs)
        return _Substrings(min(pairs, len(self.instance.candidates)), pairs)

    def parts(self, lengths: Int64, found: _Substrings) -> dict[str, int]:
        """Returns the bytes of each part."""
        words = len(lengths) * _WORD + int(lengths.sum()) * self.instance.words.data.itemsize
        held = {"the program": _PROGRAM, "the words": words}
        if self.is_head:
            held["the words outside of the head"] = _TAIL
        return held | dict(self._parts(lengths, found))

    def words_that_fit(self, found: _Substrings, available: int) -> int | None:
        """Returns how many of the most frequent words fit, a number of two digits and zeros.

        A bound takes them as a head, too.  All words may be there still, with those that are tried;
        of equal counts, those may be tried that are the longest.
        """
        words = self.instance.words
        lengths = np.diff(words.offsets)
        lengths = lengths[np.lexsort((-lengths, -words.counts))]
        room = available - (_held(self.instance) - _PROGRAM)
        is_head = {self.is_head, self.is_head or self.work in _PRICED_WORK}
        estimates = [replace(self, is_head=head) for head in is_head]

        def need(n: int) -> int:
            some = lengths[:n]
            # a candidate of some words is one of all words
            at_most = _Substrings(*map(min, found, self.by_lengths(some)))
            return max(sum(each.parts(some, at_most).values()) for each in estimates)

        numbers = sorted({n * 10**zeros for n in range(1, 100) for zeros in range(9)})
        fit = bisect_right(numbers, room, hi=bisect_right(numbers, len(lengths)), key=need)
        return numbers[fit - 1] if fit else None

    def _capped(self, lengths: Int64) -> Int64:
        own = self.work.longest if isinstance(self.work, Pieces) else None
        limits = [limit for limit in (self.instance.max_length, own) if limit is not None]
        longest = min(limits, default=2**31)
        return np.minimum(lengths, min(longest, 2**31))

    def _parts(self, lengths: Int64, found: _Substrings) -> Iterator[tuple[str, int]]:
        instance, work = self.instance, self.work
        n_symbols = int(lengths.sum())
        positions = n_symbols + len(lengths) + 1
        if work == "merges":
            yield "pieces and their pairs", n_symbols * _PIECE
            yield "tokens", min(instance.k, n_symbols) * _MERGED
            return
        is_priced = work in _PRICED_WORK
        # as if the tokens were the longest words
        capped = self._capped(lengths)
        others = max(0, len(capped) - instance.k)
        longest = np.partition(capped, others - 1)[others:] if others else capped
        spelled = int(longest.sum()) * (_SPELLED_OFTEN if is_priced else _SPELLED)
        tokens = min(instance.k, n_symbols) * _TOKEN + spelled
        if work in ("words", "phrases"):
            yield "the words, cut", n_symbols * (_CUT if work == "words" else _ATOM)
            yield "tokens", tokens
            return
        size = _sizes(positions)
        # GreedTok segments the words, and holds occurrences, before there are prices
        cuts = positions * (size.position - _INDEXED) if is_priced else 0
        yield "the index of the words", positions * size.position - cuts
        if self.is_head:
            sampled = positions * size.position * _SAMPLED[work]
            yield "words that stand for the others", sampled
        if work == "model":
            yield "candidates", found.candidates * size.candidate
            yield "the model", (2 * n_symbols + 3 * found.occurrences) * _ENTRY
            return
        yield "tokens", tokens
        if work == "draws":  # from another index than that which counts them
            yield "another index", positions * size.position
            yield "candidates", min(found.candidates, _MOST_DRAWN) * _DRAWN
            return
        if isinstance(work, Pieces):
            yield "candidates", found.candidates * _LISTED
            # which occur twice or more
            pieces = min(found.candidates, found.occurrences // 2, work.most)
            yield "pieces", pieces * _PRUNED
            # single symbols are pieces, too
            yield "occurrences", (found.occurrences + n_symbols) * _PLACE
            return
        held = found.candidates if instance.groups else min(found.candidates, MOST_HELD)
        listed = held * size.listed if held < found.candidates else 0
        yield "candidates", held * size.candidate + listed
        occurrences = min(found.occurrences, positions * _SCORED) * size.occurrence
        if not is_priced:
            yield "occurrences", occurrences
        else:
            yield "candidates that are priced", min(found.candidates, MOST_PRICED) * _PRICED
            yield "prices", (prices := max(n_symbols * _PRICE, occurrences + cuts))
            # GreedTok's tokens occur about once for each position
            arcs = min(found.occurrences, max(MOST_ARCS, MOST_ARCS // 2 + positions))
            held_arcs = min(arcs, MOST_HELD_ARCS) * _HELD_ARC
            yield "occurrences that are priced", (priced := max(held_arcs, arcs * _ARC))
        if work in ("search", "proof"):
            searched = min(found.occurrences, MOST_SEARCHED + positions) * _SEARCHED
            if work == "search" and (self.is_head or n_symbols > MOST_TOGETHER):
                # it has the room of the bound, of which only the best prices are left
                searched = max(0, searched + n_symbols * _BEST_PRICE - prices - priced)
            yield "occurrences that are searched", searched
