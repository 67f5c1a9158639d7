"""The interface of a family of rows: its rows, its multipliers, and what they prove in integers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from ...problem.certificates.cuts import PairPrices
from ...runtime.arrays import Bools, Float64, Int32, Int64
from ..counting.payers import Payments
from ..counting.price_counter import PriceCounter
from .rows import Arcs, Rows

Multipliers: TypeAlias = Mapping[Any, int]
"""The multipliers of rows, by key."""


class Family(ABC):
    """A family of rows of the relaxation."""

    # whether its rows are added together with cuts, and only those that a point violates
    begins_late = False

    def rows(self, arcs: Arcs) -> Rows:
        """Returns the rows for an active set, apart from budgets."""
        return Rows()

    def term(self, counter: PriceCounter, multipliers: Multipliers, over: OverFlows) -> Term:
        """Returns the multipliers to count with, given those of rows, by key, and over flows.

        In units of 1 / one of the counter; what they prove is valid for any multipliers.
        """
        return Term(self, multipliers, over)

    @abstractmethod
    def gives(self, counter: PriceCounter, term: Term) -> Given:
        """Returns what multipliers add and subtract."""

    def payments(self, counter: PriceCounter, over: OverFlows) -> Payments | None:
        """Returns what candidates pay for lying over symbols; None if they pay nothing."""
        return None

    def added(self, counter: PriceCounter, over: OverFlows) -> Int64 | None:
        """Returns what is added to the price of each symbol; None if nothing is."""
        return None

    @abstractmethod
    def in_leaf(self, counter: PriceCounter, term: Term) -> dict[str, Any]:
        """Returns multipliers as fields of a `Leaf`."""

    def of_case(self, outside: Bools) -> Family:
        """Returns the same family for a case, without the tokens outside it."""
        return self

    def closed(self, active: Bools) -> Bools:
        """Returns an active set extended by all candidates that its rows contain."""
        return active

    def kept(self, active: Int32, x: Float64) -> Float64:
        """Returns the largest x that is at most the given one and satisfies the rows."""
        return x


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
        if not len(self.names):
            return []
        symbols = counter.instance.words.total_symbols
        # each position has at most one multiplier of a name: sums of these digits fit in 63 bits
        digits = max(1, 63 - symbols.bit_length())
        sums = [0] * len(self.names)
        counts = counter.count_at[self.position]
        for shift in range(0, int(self.multiplier.max(initial=0)).bit_length(), digits):
            part = self.multiplier >> shift & ((1 << digits) - 1)
            added = np.zeros(len(self.names), np.int64)
            np.add.at(added, self.which, part * counts)
            sums = [s + (a << shift) for s, a in zip(sums, added.tolist(), strict=True)]
        return sums

    def pairs(self, owners: Iterable[Any], counter: PriceCounter) -> tuple[PairPrices, ...]:
        """Returns the multipliers as in a leaf; `owners` are the tokens of each name."""
        at = counter.ranks()[self.position]
        order = np.lexsort((at, self.which))
        bounds = np.searchsorted(self.which[order], np.arange(len(self.names) + 1)).tolist()
        own = [order[first:last] for first, last in pairwise(bounds)]
        named = [each for each in zip(owners, own, strict=True) if len(each[1])]
        return tuple(PairPrices(tokens, at[n], self.multiplier[n]) for tokens, n in named)


NO_FLOWS = OverFlows(*[np.zeros(0, np.int64)] * 4)


@dataclass(frozen=True)
class Term:
    """The multipliers of a family's rows, in units of 1 / one tokens."""

    family: Family
    multipliers: Multipliers
    over: OverFlows = NO_FLOWS

    def finer(self, bits: int) -> Term:
        """Returns the same multipliers in units that are finer by this many binary digits."""
        finer = {key: multiplier << bits for key, multiplier in self.multipliers.items()}
        return Term(self.family, finer, self.over.finer(bits))


@dataclass
class Given:
    """What a term adds to and subtracts from rewards and the bound, in units of 1 / one tokens."""

    # what is added to the rewards of candidates
    tokens: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    # what is added to the rewards of all candidates of a group
    groups: list[tuple[Bools, int]] = field(default_factory=list)
    loss: int = 0  # what is subtracted from the bound
