"""What a family of rows says: its rows, and what it does to a point."""

from __future__ import annotations

from ...runtime.arrays import Bools, Float64, Int32
from .rows import Arcs, Rows

__all__ = ["Family"]


class Family:
    """A family of rows of the relaxation; what it proves in integers, `DualPoint` counts."""

    def rows(self, arcs: Arcs) -> Rows:
        """Returns the rows for an active set."""
        raise NotImplementedError

    def closed(self, active: Bools) -> Bools:
        """Returns an active set with all candidates that its rows are about."""
        return active

    def kept(self, active: Int32, x: Float64) -> Float64:
        """Returns the largest x of an active set, none above the one given, that rows allow."""
        return x
