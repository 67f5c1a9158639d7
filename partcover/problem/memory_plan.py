"""Estimates the memory that work on an instance takes, before it begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

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
    "SMALL",
    "TAIL",
    "MemoryPlan",
    "Work",
    "memory_plan",
    "refuse_beyond_memory",
]

Work = Literal["greedy", "bound", "search", "merges", "model"]
_PRICED_WORK = "bound", "search"

# bytes, at the peak
_PROGRAM = 60 << 20  # the interpreter and the libraries
_TOKEN, _MERGED = 400, 1000  # a token in Python and in the file; one with its merge
_SPELLED, _SPELLED_OFTEN = 120, 250  # a symbol of a token, for the rules; in several vocabularies
_PRICED = 160  # a candidate whose reward is counted
_PRICE = 72  # a symbol in the steps of a bound
_ARC, _HELD_ARC = 24, 64  # an occurrence there: made word by word, or held
_PIECE = 48  # a symbol while words are cut into pieces that are merged, with its pairs
_ENTRY = 250  # a nonzero or a variable of a solver's model
TAIL = 96 << 20
"""Bytes of the words outside of a head, block by block, and of what is summed over them."""
SMALL = 1 << 28  # what takes less is not looked at: the index itself refuses what is too large
_SCORED = 5  # candidates that are scored occur about so often at each position, at most
MOST_COUNTED = 1 << 24
"""Where there are more positions, substrings are not counted: it takes seconds."""
MOST_PRICED, MOST_ARCS = 1 << 22, 1 << 27
"""How many candidates and occurrences a bound looks at, unless those of GreedTok are more."""
MOST_HELD_ARCS = 1 << 22
"""Where a bound looks at more occurrences, they are made word by word."""


@dataclass(frozen=True)
class MemoryPlan:
    """The memory that work takes at its peak, about, and what takes it.

    Attributes
    ----------
    parts : dict of str to int
        Bytes of each part.
    available : int
        Bytes that may be taken.

    Examples
    --------
    >>> from partcover.problem.memory_plan import MemoryPlan
    >>> plan = MemoryPlan({"words": 2**20, "index": 2**22}, available=2**22)
    >>> plan.need, plan.fits
    (5242880, False)
    """

    parts: dict[str, int]
    available: int

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

    def to_json(self) -> dict[str, Any]:
        """Returns the plan as a JSON object; sizes are bytes."""
        return {"need": self.need, "available": self.available, "fits": self.fits} | {
            "parts": dict(self.parts)
        }

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
            f"this takes about {shown_size(self.need)}, most of it ({shown_size(size)}) for "
            f"{what}, and {shown_size(self.available)} of memory are available: leave out rare "
            f"words{', or cap candidates with --max-length (max_length)' * self.has_candidates}"
        )


def memory_plan(instance: Instance, work: Work, *, available: int | None = None) -> MemoryPlan:
    """Estimates the memory that work on an instance takes at its peak.

    Candidates and their occurrences are counted, by the index of the words, where these have at
    most `MOST_COUNTED` positions and the index fits.  Of more words, and where groups are bounded,
    the number of substrings is an upper bound of both, found in O(words) time.

    Parameters
    ----------
    instance : Instance
        The words, k, and the limits on the candidates.
    work : {"greedy", "bound", "search", "merges", "model"}
        GreedTok or GreedWMC; a lower bound; one with a search for vocabularies or for their
        proof; the training of BPE or WordPiece; or a solver's model of all candidates.
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
    plan = _plan(instance, work, available, _by_lengths(instance))
    if not plan.has_candidates or not _is_counted(instance, available):
        return plan
    return _plan(instance, work, available, _by_index(instance))


def refuse_beyond_memory(instance: Instance, work: Work) -> None:
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
    rough = _plan(instance, work, 0, _by_lengths(instance))
    if rough.need - _held(instance) > SMALL:
        available = available_memory() + _held(instance)
        if rough.need > available:
            memory_plan(instance, work, available=available).refuse()


class _Sizes(NamedTuple):
    """Bytes at the peak, which depend on those of a position."""

    position: int  # text, suffixes, words and common prefixes, and two segmentations
    candidate: int  # while it is enumerated, and in the queue of GreedTok
    listed: int  # a candidate of the best ones that are left, while those before are there
    occurrence: int  # of a candidate that was scored


_NARROW = _Sizes(28, 120, 52, 4)
_WIDE = _Sizes(37, 144, 68, 8)  # a position takes most while the suffixes are sorted


class _Substrings(NamedTuple):
    """How many candidates there are at most, and how often they occur."""

    candidates: int
    occurrences: int


def _by_lengths(instance: Instance) -> _Substrings:
    """Returns how many places and lengths of two or more symbols the words have."""
    lengths = np.diff(instance.words.offsets)
    longest = _capped(instance, lengths)
    # of a word of n symbols: the sum of n - l + 1 for l = 2 … m
    pairs = int(((longest - 1) * (2 * lengths - longest) // 2).sum())
    if instance.candidates is None:
        return _Substrings(pairs, pairs)
    return _Substrings(min(pairs, len(instance.candidates)), pairs)


def _is_counted(instance: Instance, available: int) -> bool:
    """Returns whether the index of the words, which work needs in any case, is made at once."""
    positions = n_positions(instance.words)
    fits = _held(instance) + positions * _sizes(instance).position <= available
    return fits and positions <= MOST_COUNTED and not instance.groups


def _by_index(instance: Instance) -> _Substrings:
    index = instance.promising
    return _Substrings(index.n_undominated, index.most_occurrences)


def _held(instance: Instance) -> int:
    """Returns what is there before the work begins."""
    words = instance.words
    return _PROGRAM + words.data.nbytes + words.offsets.nbytes + words.counts.nbytes


def _sizes(instance: Instance) -> _Sizes:
    return _NARROW if position_bytes(instance.words) == 4 else _WIDE


def _capped(instance: Instance, lengths: Int64) -> Int64:
    return lengths if instance.max_length is None else np.minimum(lengths, instance.max_length)


def _plan(instance: Instance, work: Work, available: int, found: _Substrings) -> MemoryPlan:
    program = {"the program": _PROGRAM, "the words": _held(instance) - _PROGRAM}
    return MemoryPlan(program | dict(_parts(instance, work, found)), available)


def _parts(instance: Instance, work: Work, found: _Substrings) -> Iterator[tuple[str, int]]:
    n_symbols, positions = len(instance.words.data), n_positions(instance.words)
    if work == "merges":
        yield "pieces and their pairs", n_symbols * _PIECE
        yield "tokens", min(instance.k, n_symbols) * _MERGED
        return
    size = _sizes(instance)
    yield "the index of the words", positions * size.position
    if work == "model":
        yield "candidates", found.candidates * size.candidate
        yield "the model", (2 * n_symbols + 3 * found.occurrences) * _ENTRY
        return
    is_priced = work in _PRICED_WORK
    # as if the tokens were the longest words
    lengths = _capped(instance, np.diff(instance.words.offsets))
    others = max(0, len(lengths) - instance.k)
    longest = np.partition(lengths, others - 1)[others:] if others else lengths
    spelled = int(longest.sum()) * (_SPELLED_OFTEN if is_priced else _SPELLED)
    yield "tokens", min(instance.k, n_symbols) * _TOKEN + spelled
    held = found.candidates if instance.groups else min(found.candidates, MOST_HELD)
    listed = held * size.listed if held < found.candidates else 0
    yield "candidates", held * size.candidate + listed
    occurrences = min(found.occurrences, positions * _SCORED) * size.occurrence
    prices = n_symbols * _PRICE
    if work == "bound":  # GreedTok's occurrences are gone when there are prices
        prices = max(prices, occurrences)
    else:
        yield "occurrences", occurrences
    if is_priced:
        yield "candidates that are priced", min(found.candidates, MOST_PRICED) * _PRICED
        yield "prices", prices
        arcs = min(found.occurrences, MOST_ARCS)
        held_arcs = min(arcs, MOST_HELD_ARCS) * _HELD_ARC
        yield "occurrences that are priced", max(held_arcs, arcs * _ARC)
