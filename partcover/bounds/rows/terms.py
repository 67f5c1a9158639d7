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
    """The names of candidates and positions in a certificate."""

    def __init__(self, counter: PriceCounter) -> None:
        self._counter = counter

    def tokens(self, numbers: Int64) -> dict[int, Token]:
        """Returns the tokens of some candidates, by candidate number."""
        numbers = np.unique(numbers)
        counter = self._counter
        texts = counter.instance.index.tokens_at(counter.intervals.take(numbers))
        return dict(zip(numbers.tolist(), texts, strict=True))

    @cached_property
    def rank(self) -> Int64:
        """The rank of each position of ``words.data`` when the words are sorted."""
        ascending = self._counter.instance.index.positions_ascending()
        rank = np.empty(len(ascending), np.int64)
        rank[ascending] = np.arange(len(ascending))
        return rank


@dataclass(frozen=True)
class OverFlows:
    """Multipliers of rows over flows, in units of 1 / one tokens."""

    names: Int64  # the names of the rows' subjects, ascending; shape (names,)
    # the index of each multiplier's name, its position in ``words.data``, and its value, above 0;
    # shape (multipliers,)
    which: Int64
    position: Int64
    multiplier: Int64

    def finer(self, bits: int) -> OverFlows:
        """Returns the same multipliers in units that are finer by this many binary digits."""
        return replace(self, multiplier=self.multiplier << bits)

    def sums(self, counter: PriceCounter) -> list[int]:
        """Returns the sum of the multipliers of each name, weighted by word counts."""
        symbols = counter.instance.words.total_symbols
        # each position has at most one multiplier of a name: sums of these digits are exact
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
        """Returns the multipliers as in a leaf; `owners` are the candidates of each name."""
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
    """The multipliers of a family in the last step, rounded to units of 1 / one tokens."""

    counter: PriceCounter  # the candidates and words, and the unit
    multipliers: Mapping[Hashable, int]  # the multipliers of the family's rows, by key
    over_flows: OverFlows  # the multipliers of its rows over flows


@dataclass
class Given:
    """What a term adds to and subtracts from rewards and the bound, in units of 1 / one tokens."""

    # what is added to the rewards of candidates
    tokens: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    # what is added to the rewards of all candidates of a group
    groups: list[tuple[Bools, int]] = field(default_factory=list)
    loss: int = 0  # what is subtracted from the bound


class Term(ABC):
    """The contribution of a family to the bound."""

    @abstractmethod
    def finer(self, bits: int) -> Self:
        """Returns the same term in units that are finer by this many binary digits."""

    @abstractmethod
    def gives(self, counter: PriceCounter) -> Given:
        """Returns what the term adds and subtracts."""

    def payments(self, counter: PriceCounter) -> Payments | None:
        """Returns what candidates pay for lying over symbols; None if they pay nothing."""
        return None

    def added(self, counter: PriceCounter) -> Int64 | None:
        """Returns what is added to the price of each symbol; None if nothing is."""
        return None

    @abstractmethod
    def in_leaf(self, names: Names) -> dict[str, Any]:
        """Returns the term as fields of a `Leaf`."""
