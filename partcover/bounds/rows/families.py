"""The families of rows that an instance has in addition to its budgets."""

from __future__ import annotations

from ..counting.price_counter import PriceCounter
from .family import Family
from .merges import Merges
from .needs import Needs

__all__ = ["families_of"]


def families_of(counter: PriceCounter) -> tuple[Family, ...]:
    """Returns the families of an instance, without budgets and cuts."""
    if counter.merges is None:
        return ()
    merges = Merges(counter, counter.merges)
    return merges, Needs(merges)
