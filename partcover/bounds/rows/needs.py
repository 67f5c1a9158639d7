"""Needs: where a token lies, all tokens that it cannot be made without are chosen."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...problem.merge_condition import MergeNeeds
from ...runtime.arrays import Int32, Int64
from ..counting.payers import Payments
from ..counting.price_counter import PriceCounter
from .family import Family, Given, OverFlows, Term
from .merges import Merges
from .rows import ArcRows, Arcs, Rows, ranges


class Needs(Family):
    """Rows that keep the flows of a token, and of all tokens that need it, at most its x.

    Only one token lies over a position of a word.  If it is the token T, or one that cannot be made
    without T, then T is chosen.  So the flows of these arcs over a position sum to at most x_T.

    Each of these tokens pays the multiplier of a row for lying over the position, and T gets it
    (`check_certificate` has the proof).
    """

    def __init__(self, merges: Merges) -> None:
        self._merges = merges

    @cached_property
    def lists(self) -> tuple[Int64, Int32]:
        """The tokens that each candidate cannot be made without, and itself, in lists.

        Where each list begins, shape (candidates + 1,), and the lists, one after another.
        """
        merges = self._merges
        if merges.condition.pairs is None:  # each candidate needs only itself
            own = np.arange(len(merges.tokens) + 1)
            return own, own[:-1].astype(np.int32)
        needs = MergeNeeds(merges.condition, merges.exempt)
        found = [merges.numbers(needs.of(token)) for token in merges.tokens]
        first = np.cumsum([0, *map(len, found)])
        return first, np.array([number for own in found for number in own], np.int32)

    def rows(self, arcs: Arcs) -> Rows:
        """Returns the rows for an active set."""
        active, which = arcs.active, arcs.which
        fixed = self._merges.fixed
        place = np.full(len(fixed), -1, np.int64)
        place[active] = np.arange(len(active))
        place[fixed] = -1  # required tokens are always chosen
        first, listed = self.lists
        sizes = np.diff(first)[active]
        listed = listed[ranges(first[:-1][active], sizes)]
        kept = place[listed] >= 0
        owner = np.repeat(np.arange(len(active)), sizes)[kept]
        needed = place[listed[kept]]
        # a token that no other needs already has the rows of its own arcs
        several = np.bincount(needed, minlength=len(active))[needed] > 1
        owner, needed = owner[several], needed[several]
        begin = np.searchsorted(owner, np.arange(len(active) + 1))
        n_needed = np.diff(begin)[which]
        arc = np.repeat(np.arange(len(which)), n_needed)
        target = needed[ranges(begin[:-1][which], n_needed)]
        order = np.argsort(arcs.part[arc] * len(active) + target, kind="stable")
        column, place, first, own = arcs.rows_of_groups(target[order], arc[order])
        token = active[column].astype(np.int64)
        return Rows(arcs=ArcRows(token, place, column.astype(np.int32), first, own))

    def gives(self, counter: PriceCounter, term: Term) -> Given:
        """Returns what tokens get: the sum of all that is paid to them."""
        over = term.over
        return Given(dict(zip(over.names.tolist(), over.sums(counter), strict=True)))

    def payments(self, counter: PriceCounter, over: OverFlows) -> Payments:
        """Returns the payments: each token pays all tokens that it needs."""
        first, listed = self.lists
        payer = np.repeat(np.arange(len(counter.lo)), np.diff(first))
        owner = over.names[over.which]
        return Payments(owner, over.position, over.multiplier, payer, listed.astype(np.int64))

    def in_leaf(self, counter: PriceCounter, term: Term) -> dict[str, Any]:
        """Returns the multipliers as those of single tokens."""
        tokens = counter.tokens(term.over.names)
        return {"pairs": term.over.pairs(((token,) for token in tokens), counter)}
