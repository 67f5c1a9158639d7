"""What a family of rows says: its rows, what it does to a point, and what it proves."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ...runtime.arrays import Bools, Float64, Int32
from .rows import Arcs, Rows
from .terms import LastStep, Term

__all__ = ["Family"]


class Family(ABC):
    """A family of rows of the relaxation."""

    @abstractmethod
    def rows(self, arcs: Arcs) -> Rows:
        """Returns the rows for an active set."""

    @abstractmethod
    def term(self, last: LastStep) -> Term:
        """Returns what the multipliers of the last step prove, whatever they are."""

    @property
    def most(self) -> int:
        """How many multipliers of its rows over flows a token pays at most for a symbol."""
        return 1

    def of_case(self, outside: Bools) -> Family:
        """Returns the same family for a case without some tokens."""
        return self

    def closed(self, active: Bools) -> Bools:
        """Returns an active set with all candidates that its rows are about."""
        return active

    def kept(self, active: Int32, x: Float64) -> Float64:
        """Returns the largest x of an active set, none above the one given, that rows allow."""
        return x
