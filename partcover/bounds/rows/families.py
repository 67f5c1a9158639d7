"""The families of rows that an instance has in addition to its budgets."""

from __future__ import annotations

from ..counting.price_counter import PriceCounter
from .family import Family
from .merges import merges_of
from .needs import Needs
from .order import Order


def families_of(counter: PriceCounter) -> tuple[Family, ...]:
    """Returns the families of an instance, without budgets and cuts."""
    if counter.merges is None:
        return ()
    merges = merges_of(counter)
    families: tuple[Family, ...] = merges, Needs(merges)
    condition = counter.merges
    has_order = condition.in_order and condition.given is None
    return (*families, Order(merges, counter)) if has_order else families
