"""The interface of a family of rows: its rows, its multipliers, and what they prove."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping

from ...runtime.arrays import Bools, Float64, Int32
from ..counting.price_counter import PriceCounter
from .rows import Arcs, Rows
from .terms import OverFlows, Term

__all__ = ["Family"]


class Family(ABC):
    """A family of rows of the relaxation."""

    # whether its rows are added together with cuts, and only those that a point violates
    begins_late = False

    @abstractmethod
    def rows(self, arcs: Arcs) -> Rows:
        """Returns the rows for an active set."""

    @abstractmethod
    def term(
        self, counter: PriceCounter, multipliers: Mapping[Hashable, int], over: OverFlows
    ) -> Term:
        """Returns what multipliers of the rows, by key, and of rows over flows prove.

        In units of 1 / one of the counter; valid for any multipliers.
        """

    def of_case(self, outside: Bools) -> Family:
        """Returns the same family for a case, without the tokens outside it."""
        return self

    def closed(self, active: Bools) -> Bools:
        """Returns an active set extended by all candidates that its rows contain."""
        return active

    def kept(self, active: Int32, x: Float64) -> Float64:
        """Returns the largest x that is at most the given one and satisfies the rows."""
        return x
