"""Parts of words, split where no active candidate crosses; equal parts are merged."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...kernels.bounds._parts import merge_parts
from ...kernels.steps._saddle_point import Saddle, arcs
from ...runtime.arrays import Float64, Int32, Int64
from ..counting.price_counter import PriceCounter
from ..rows.rows import matches, ranges


class Parts:
    """The merged parts of the words for an ascending active set, and their arcs.

    An arc is an occurrence of an active candidate.
    """

    def __init__(self, counter: PriceCounter, active: Int32) -> None:
        self.counter = counter
        self.active = active
        lo, hi, length = (a[active] for a in (counter.lo, counter.hi, counter.length))
        which, start, end, back = arcs(counter.places, lo, hi, length, len(counter.count_at))
        # first place of each part; shape (parts + 1,)
        # the place of each position of the words among the parts; −1 where no arc lies; shape
        # (symbols,)
        self.place, self.offsets, counts, kept = merge_parts(counter.count_at, which, start, end)
        # the summed counts of the words that have each part; shape (parts,)
        self.counts = counts.astype(float)
        self._position_of_arc = start[kept]
        self.start = self.place[self._position_of_arc]
        self.end = self.start + (end - start)[kept]
        # the arcs: index in the active set, places, and what `arcs` returns about earlier ones;
        # shape (arcs,)
        self.which, self.back = which[kept], back[kept]
        # the first position in the words of each place; shape (places,)
        self.position = np.zeros(int(self.offsets[-1]), np.int64)
        covered = np.flatnonzero(self.place >= 0)[::-1]
        self.position[self.place[covered]] = covered

    def saddle(self) -> Saddle:
        """Returns steps over these parts, with a point of zeros."""
        return Saddle(self.offsets, self.counts, self.which, self.start, self.end, self.back)

    def arcs_of(self, position: Int32, candidate: Int32) -> tuple[Int64, Int64]:
        """Returns the arcs of occurrences in the words, and the occurrence of each."""
        size = int(max(self.active.max(initial=0), candidate.max(initial=0))) + 1
        wanted = self.place[position].astype(np.int64) * size + candidate
        which, arc = matches(wanted, self.start.astype(np.int64) * size + self.active[self.which])
        return arc, which

    def merged(self, values: Float64) -> Float64:
        """Returns the means of values of positions over merged positions."""
        covered = np.flatnonzero(self.place >= 0)
        place, counts = self.place[covered], self.counter.count_at[covered]
        total = np.bincount(place, counts * values[covered], len(self.position))
        mean: Float64 = total / np.repeat(self.counts, np.diff(self.offsets))
        return mean

    def copy_point(self, saddle: Saddle, old: Parts, old_saddle: Saddle) -> None:
        """Copies the point of other parts of the same words, without the rows of pairs."""
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

    @cached_property
    def _by_place(self) -> tuple[Int64, Int64]:
        """All positions that arcs cover, sorted by place, and where those of each place begin."""
        covered = np.flatnonzero(self.place >= 0)
        order = covered[np.argsort(self.place[covered], kind="stable")]
        return order, np.searchsorted(self.place[order], np.arange(len(self.position) + 1))

    def everywhere(self, places: Int64) -> tuple[Int64, Int64]:
        """Returns all positions of some places, and for each the index of its place."""
        order, first = self._by_place
        begin = first[places]
        sizes = first[places + 1] - begin
        return order[ranges(begin, sizes)], np.repeat(np.arange(len(places)), sizes)
