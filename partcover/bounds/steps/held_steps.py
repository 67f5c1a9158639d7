"""Primal-dual steps whose arcs are kept in memory, which is faster if there are few."""

from __future__ import annotations

import numpy as np

from ...kernels.steps._saddle_point import Saddle, arcs, same_arcs
from ...runtime.arrays import Float64, Int32, Int64, UInt8


class HeldSteps(Saddle):
    """Does the same as `partcover.kernels.steps._word_steps.WordSteps`, with all arcs in arrays.

    An arc takes 48 bytes.
    """

    def __init__(
        self,
        offsets: Int64,
        counts: Int64,
        sa: Int32,
        word_of: Int32,
        lo: Int32,
        hi: Int32,
        length: Int32,
        borders: UInt8,
        prices: Float64,
        shards: int,
    ) -> None:
        places = (sa - word_of[sa] - 1).astype(np.int32)
        self.which, self.begin, self.end, back = arcs(places, lo, hi, length, int(offsets[-1]))
        del places
        self.n_arcs = len(self.which)
        arrays = (self.which, self.begin, self.end, back)
        super().__init__(offsets, counts.astype(float), *arrays, prices)
        self.share_out(shards)

    def start(self, piece: Int32, before: Float64, x: Float64) -> None:
        """Sets the flows to segmentations, and the rows to the gains of chosen candidates."""
        self.flow[:] = piece[self.begin] == self.end
        worth = np.maximum(before[self.end] - before[self.begin] - 1, 0)
        self.row[:] = worth * x[self.which]

    def place(self, which: Int32, start: Int32, flow: Float64, row: Float64) -> None:
        """Sets the flows and rows of given arcs, in the form of `used`; all others become 0."""
        at = same_arcs(which, start, self.which, self.begin)
        same = at >= 0
        self.flow[:] = self.row[:] = 0
        self.flow[at[same]] = flow[same]
        self.row[at[same]] = row[same]

    def used(self) -> tuple[Int32, Int32, Float64, Float64]:
        """Returns the arcs with a nonzero flow or row: candidates, starts, flows and rows."""
        used = (self.flow != 0) | (self.row != 0)
        return self.which[used], self.begin[used], self.flow[used], self.row[used]
