"""Parts of words, cut where no active candidate crosses and merged where they are the same."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..kernels._parts import merge_parts, pair_rows
from ..kernels._saddle_point import Saddle, arcs
from ..runtime.arrays import Float64, Int32, Int64
from .price_counter import PriceCounter

__all__ = ["PairRows", "Parts"]


@dataclass(frozen=True)
class PairRows:
    """The rows of some pairs: the largest sets of arcs of both tokens over one place.

    Attributes
    ----------
    pairs : ndarray of int64, shape (pairs,)
        The pairs, as `pair_key` names them, ascending.
    pair, place : ndarray of int64, shape (rows,)
        The number of each row's pair, and a place that all of its arcs lie over.
    first, arcs : ndarray
        The arcs, as `Saddle.set_pairs` takes them.
    """

    pairs: Int64
    pair: Int64
    place: Int64
    first: Int64
    arcs: Int32


class Parts:
    """The merged parts of the words for an active set, and their arcs.

    An arc is an occurrence of an active candidate.

    Parameters
    ----------
    counter : PriceCounter
        The words and candidates.
    active : ndarray of int32
        The active set, ascending.

    Attributes
    ----------
    place : ndarray of int32, shape (symbols,)
        Where a position of the words is among the parts; −1 where no arc lies.
    position : ndarray of int64, shape (places,)
        The first position of the words at each place.
    offsets : ndarray of int64, shape (parts + 1,)
        First place of each part.
    counts : ndarray of float64, shape (parts,)
        Counts of the words that have the part, summed.
    which, start, end, back : ndarray of int32, shape (arcs,)
        The arcs: which of the active set, places, and what `arcs` tells of those before.
    """

    def __init__(self, counter: PriceCounter, active: Int32) -> None:
        self.counter = counter
        self.active = active
        lo, hi, length = (a[active] for a in (counter.lo, counter.hi, counter.length))
        which, start, end, back = arcs(counter.places, lo, hi, length, len(counter.count_at))
        self.place, self.offsets, counts, kept = merge_parts(counter.count_at, which, start, end)
        self.counts = counts.astype(float)
        self._position_of_arc = start[kept]
        self.start = self.place[self._position_of_arc]
        self.end = self.start + (end - start)[kept]
        self.which, self.back = which[kept], back[kept]
        self.position = np.zeros(int(self.offsets[-1]), np.int64)
        covered = np.flatnonzero(self.place >= 0)[::-1]
        self.position[self.place[covered]] = covered

    def saddle(self) -> Saddle:
        """Returns steps over these parts, at 0."""
        return Saddle(self.offsets, self.counts, self.which, self.start, self.end, self.back)

    def pair_rows(self, pairs: Int64) -> PairRows:
        """Returns the rows of some pairs of active candidates."""
        local = np.full(int(self.active.max(initial=0)) + 1, -1, np.int32)
        local[self.active] = np.arange(len(self.active))
        a, b = local[pairs >> 32], local[pairs & 0xFFFFFFFF]
        token, partner = np.concatenate([a, b]), np.concatenate([b, a])
        order = np.lexsort((partner, token))
        first = np.searchsorted(token[order], np.arange(len(self.active) + 1)).astype(np.int64)
        number = (order % max(len(pairs), 1)).astype(np.int32)
        rows, row_first, row_arcs = pair_rows(
            self.offsets, self.which, self.start, self.end, first, partner[order], number
        )
        return PairRows(pairs, rows[:, 0], rows[:, 1], row_first, row_arcs)

    def arcs_of(self, position: Int32, candidate: Int32) -> tuple[Int64, Int64]:
        """Returns the arcs that stand for occurrences in the words, and for which of them."""
        size = int(max(self.active.max(initial=0), candidate.max(initial=0))) + 1
        wanted = self.place[position].astype(np.int64) * size + candidate
        which, arc = _matches(wanted, self.start.astype(np.int64) * size + self.active[self.which])
        return arc, which

    def merged(self, values: Float64) -> Float64:
        """Returns the means of values of positions over the words that are merged."""
        covered = np.flatnonzero(self.place >= 0)
        place, counts = self.place[covered], self.counter.count_at[covered]
        total = np.bincount(place, counts * values[covered], len(self.position))
        mean: Float64 = total / np.repeat(self.counts, np.diff(self.offsets))
        return mean

    def copy_point(self, saddle: Saddle, old: Parts, old_saddle: Saddle) -> None:
        """Copies the point of other parts of the same words, but for the rows of pairs."""
        if old is self:
            saddle.price[:], saddle.made[:] = old_saddle.price, old_saddle.made
            saddle.flow[:], saddle.row[:] = old_saddle.flow, old_saddle.row
            return
        at = old.place[self.position]
        covered = at >= 0
        saddle.price[:] = saddle.made[:] = 1.0
        saddle.price[covered] = old_saddle.price[at[covered]]
        saddle.made[covered] = old_saddle.made[at[covered]]
        theirs, ours = old.arcs_of(self._position_of_arc, self.active[self.which])
        saddle.flow[ours], saddle.row[ours] = old_saddle.flow[theirs], old_saddle.row[theirs]

    def copy_multipliers(
        self, saddle: Saddle, rows: PairRows, old: Parts, old_saddle: Saddle, old_rows: PairRows
    ) -> None:
        """Copies the multipliers of pairs that have rows in other parts of the same words."""
        n = max(len(old_rows.pairs), 1)
        number = np.searchsorted(old_rows.pairs, rows.pairs)
        known = np.isin(rows.pairs, old_rows.pairs)[rows.pair]
        place = old.place[self.position[rows.place]].astype(np.int64)
        ours, theirs = _matches(
            np.where(known, place * n + number[rows.pair], -1), old_rows.place * n + old_rows.pair
        )
        saddle.pair_row[ours] = old_saddle.pair_row[theirs]
        saddle.pair_made[ours] = old_saddle.pair_made[theirs]

    @cached_property
    def _by_place(self) -> tuple[Int64, Int64]:
        """All positions that arcs lie over, by place, and where those of each place begin."""
        covered = np.flatnonzero(self.place >= 0)
        order = covered[np.argsort(self.place[covered], kind="stable")]
        return order, np.searchsorted(self.place[order], np.arange(len(self.position) + 1))

    def everywhere(self, places: Int64) -> tuple[Int64, Int64]:
        """Returns all positions of some places, and for each the index of its place."""
        order, first = self._by_place
        begin = first[places]
        sizes = first[places + 1] - begin
        at = np.repeat(begin - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
        return order[at], np.repeat(np.arange(len(places)), sizes)


def _matches(ours: Int64, theirs: Int64) -> tuple[Int64, Int64]:
    """Returns which of `ours` are in `theirs`, and where; those are distinct and not below 0."""
    order = np.argsort(theirs)
    ranked = theirs[order]
    at = np.minimum(np.searchsorted(ranked, ours), max(len(theirs) - 1, 0))
    same = np.flatnonzero(ranked[at] == ours) if len(theirs) else np.zeros(0, np.int64)
    return same, order[at[same]]
