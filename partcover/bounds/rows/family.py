"""The interface of a family of rows: its rows, its multipliers, and what they prove."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ...runtime.arrays import Bools, Float64, Int32
from .rows import Arcs, Rows
from .terms import LastStep, Term

__all__ = ["Family"]


class Family(ABC):
    """A family of rows of the relaxation.

    Attributes
    ----------
    begins_late : bool
        Whether its rows are added together with cuts, and only those that a point violates.
    """

    begins_late = False

    @abstractmethod
    def rows(self, arcs: Arcs) -> Rows:
        """Returns the rows for an active set."""

    @abstractmethod
    def term(self, last: LastStep) -> Term:
        """Returns what the multipliers of the last step prove; valid for any multipliers."""

    def of_case(self, outside: Bools) -> Family:
        """Returns the same family for a case, without the tokens outside it."""
        return self

    def closed(self, active: Bools) -> Bools:
        """Returns an active set extended by all candidates that its rows contain."""
        return active

    def kept(self, active: Int32, x: Float64) -> Float64:
        """Returns the largest x that is at most the given one and satisfies the rows."""
        return x
