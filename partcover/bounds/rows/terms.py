"""What the multipliers of a family prove, in integers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from ...corpus.symbols import Token
from ...problem.certificates.cuts import PairPrices
from ...runtime.arrays import Bools, Int64
from ..counting.payers import Payments
from ..counting.price_counter import PriceCounter

__all__ = ["Given", "LastStep", "Names", "OverFlows", "Term"]


class Names:
    """Names candidates and positions as a certificate does.

    Parameters
    ----------
    counter : PriceCounter
        The candidates and words.
    """

    def __init__(self, counter: PriceCounter) -> None:
        self._counter = counter

    def tokens(self, numbers: Int64) -> dict[int, Token]:
        """Returns the tokens of some candidates, by number."""
        numbers = np.unique(numbers)
        counter = self._counter
        texts = counter.instance.index.tokens_at(counter.intervals.take(numbers))
        return dict(zip(numbers.tolist(), texts, strict=True))

    @cached_property
    def rank(self) -> Int64:
        """The place of each position of ``words.data`` where words ascend."""
        ascending = self._counter.instance.index.positions_ascending()
        rank = np.empty(len(ascending), np.int64)
        rank[ascending] = np.arange(len(ascending))
        return rank


@dataclass(frozen=True)
class OverFlows:
    """Multipliers of rows over flows, in units of 1 / one tokens.

    Attributes
    ----------
    names : ndarray of int64, shape (names,)
        What rows are about, ascending.
    which, position, multiplier : ndarray of int64, shape (multipliers,)
        The number of a multiplier's name, its position in ``words.data``, and itself: above 0.
    """

    names: Int64
    which: Int64
    position: Int64
    multiplier: Int64

    def finer(self, bits: int) -> OverFlows:
        """The same in units that are smaller by so many binary digits."""
        return replace(self, multiplier=self.multiplier << bits)

    def sums(self, counter: PriceCounter) -> list[int]:
        """Returns the sum of the multipliers of each name, over all words."""
        symbols = counter.instance.words.total_symbols
        # a position is of one multiplier of a name at most: sums of so few digits are exact
        digits = max(1, 53 - symbols.bit_length())
        sums = [0] * len(self.names)
        counts = np.zeros(0)
        if len(self.names):
            counts = counter.count_at[self.position].astype(float)
        for shift in range(0, int(self.multiplier.max(initial=0)).bit_length(), digits):
            part = self.multiplier >> shift & ((1 << digits) - 1)
            added = np.bincount(self.which, part * counts, len(self.names)).astype(np.int64)
            sums = [s + (a << shift) for s, a in zip(sums, added.tolist(), strict=True)]
        return sums

    def pairs(self, owners: Sequence[Sequence[int]], names: Names) -> tuple[PairPrices, ...]:
        """Returns the multipliers as a leaf has them: each name is about some candidates."""
        token = names.tokens(np.array([t for own in owners for t in own], np.int64))
        at = names.rank[self.position]
        order = np.lexsort((at, self.which))
        bounds = np.searchsorted(self.which[order], np.arange(len(self.names) + 1)).tolist()
        pairs = []
        for n, candidates in enumerate(owners):
            own = order[bounds[n] : bounds[n + 1]]
            if len(own):
                named: list[Any] = [token[t] for t in candidates]
                pairs.append(PairPrices(tuple(sorted(named)), at[own], self.multiplier[own]))
        return tuple(pairs)


@dataclass(frozen=True)
class LastStep:
    """What the last step found for a family, rounded to units of 1 / one tokens.

    Attributes
    ----------
    counter : PriceCounter
        The candidates and words, and the unit.
    multipliers : mapping of hashable to int
        Those of the family's rows, by key.
    over_flows : OverFlows
        Those of its rows over flows.
    """

    counter: PriceCounter
    multipliers: Mapping[Hashable, int]
    over_flows: OverFlows


@dataclass
class Given:
    """What a term gives and takes, in units of 1 / one tokens.

    Attributes
    ----------
    tokens : dict of int to int
        What the rewards of candidates are more.
    groups : list of (ndarray of bool, int)
        Likewise for all candidates of a group.
    loss : int
        What the bound is less.
    """

    tokens: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    groups: list[tuple[Bools, int]] = field(default_factory=list)
    loss: int = 0


class Term(ABC):
    """What a family adds to what prices prove."""

    @abstractmethod
    def finer(self, bits: int) -> Self:
        """The same in units that are smaller by so many binary digits."""

    @abstractmethod
    def gives(self, counter: PriceCounter) -> Given:
        """Returns what it gives and takes."""

    def payments(self, counter: PriceCounter) -> Payments | None:
        """Returns what candidates pay for lying over symbols; None if nothing."""
        return None

    @abstractmethod
    def in_leaf(self, names: Names) -> dict[str, Any]:
        """Returns the parts of a `Leaf` that hold it."""
