"""Estimates the memory that work on an instance takes, before it begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..errors import InputError
from ..runtime.arrays import Int64
from ..runtime.memory import available_memory, shown_size
from .candidates import MOST_HELD
from .instance import Instance

__all__ = [
    "MOST_ARCS",
    "MOST_HELD_ARCS",
    "MOST_PRICED",
    "SMALL",
    "MemoryPlan",
    "Work",
    "memory_plan",
    "refuse_beyond_memory",
]

Work = Literal["greedy", "bound", "merges", "model"]

# bytes, at the peak
_PROGRAM = 60 << 20  # the interpreter and the libraries
_POSITION = 21  # text, suffixes, words and common prefixes, while these are counted
_CANDIDATE = 120  # while it is enumerated, and in the queue of GreedTok
_OCCURRENCE = 4  # of a candidate that was scored
_PRICED = 160  # a candidate whose reward is counted
_PRICE = 72  # a symbol in the steps of a bound
_ARC, _HELD_ARC = 28, 64  # an occurrence there: made word by word, or held
_PIECE = 48  # a symbol while words are cut into pieces that are merged, with its pairs
_ENTRY = 250  # a nonzero or a variable of a solver's model
SMALL = 1 << 28  # what takes less is not looked at: the index itself refuses what is too large
_SCORED = 10  # candidates that are scored occur about so often at each position, at most
MOST_PRICED, MOST_ARCS = 1 << 22, 1 << 25
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

    From the number of words, symbols and substrings alone, in O(words) time.

    Parameters
    ----------
    instance : Instance
        The words and the limits on the candidates; its index is not needed.
    work : {"greedy", "bound", "merges", "model"}
        GreedTok or GreedWMC; a lower bound, with or without a search for vocabularies or for
        their proof; the training of BPE or WordPiece; or a solver's model of all candidates.
    available : int, optional
        Bytes that may be taken, with those of the words; by default what is available now.

    Returns
    -------
    MemoryPlan
        An upper estimate: a run takes between a fifth of it and all of it.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.problem.memory_plan import memory_plan
    >>> plan = memory_plan(Instance({"banana": 2, "bandana": 1}, 1), "greedy", available=2**30)
    >>> plan.fits, list(plan.parts)
    (True, ['the program', 'the words', 'the index of the words', 'candidates', 'occurrences'])
    """
    words = instance.words
    size = words.data.nbytes + words.offsets.nbytes + words.counts.nbytes
    if available is None:
        available = available_memory() + size + _PROGRAM
    parts = {"the program": _PROGRAM, "the words": size} | dict(_parts(instance, work))
    return MemoryPlan(parts, available)


def refuse_beyond_memory(instance: Instance, work: Work) -> None:
    """Refuses work that does not fit in memory, unless the instance has its index already.

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
    if not instance.is_indexed and sum(dict(_parts(instance, work)).values()) > SMALL:
        memory_plan(instance, work).refuse()


def _parts(instance: Instance, work: Work) -> Iterator[tuple[str, int]]:
    words = instance.words
    n_symbols = len(words.data)
    positions = n_symbols + len(words) + 1
    if work == "merges":
        yield "pieces and their pairs", n_symbols * _PIECE
        return
    substrings = _substrings(np.diff(words.offsets), instance.max_length)
    yield "the index of the words", positions * _POSITION
    if work == "model":
        yield "candidates", substrings * _CANDIDATE
        yield "the model", (2 * n_symbols + 3 * substrings) * _ENTRY
        return
    yield "candidates", min(substrings, MOST_HELD) * _CANDIDATE
    yield "occurrences", min(substrings, positions * _SCORED) * _OCCURRENCE
    if work == "bound":
        yield "candidates that are priced", min(substrings, MOST_PRICED) * _PRICED
        yield "prices", n_symbols * _PRICE
        arcs = min(substrings, MOST_ARCS)
        held = min(arcs, MOST_HELD_ARCS) * _HELD_ARC
        yield "occurrences that are priced", max(held, arcs * _ARC)


def _substrings(lengths: Int64, max_length: int | None) -> int:
    """Returns how many places and lengths of two or more symbols the words have."""
    longest = lengths if max_length is None else np.minimum(lengths, max_length)
    # of a word of n symbols: the sum of n - l + 1 for l = 2 … m
    pairs = (longest - 1) * (2 * lengths - longest) // 2
    return int(pairs.sum())
