"""Steps over merged parts of words, for the relaxation with cuts."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from ...kernels.steps._saddle_point import Saddle
from ...runtime.arrays import Bools, Float64, Int32, Int64
from ...runtime.processes.parallel import SHARDS
from ..counting.price_counter import PriceCounter
from ..rows.cuts import Cuts, Inequality
from ..rows.rows import ArcRows, Arcs, Rows, sums
from .parts import Parts
from .primal_dual import PrimalDual
from .word_ascent import WordAscent

_ROOM = 0.1  # a row with more unused flow than this is left out until it has less
_VIOLATED = 0.01  # flow by which a row that was left out is violated
_WORTH_A_SHARD = 1 << 12  # rows and symbols; with fewer, calling a shard costs more than its step


class PartAscent(PrimalDual):
    """Steps toward the optimum of the relaxation with cuts, from the point of steps over words.

    `free` tokens may be chosen in addition to those inside, and none of those outside.
    """

    parts: Parts
    saddle: Saddle

    def __init__(
        self, ascent: WordAscent, active: Int32, inside: Bools, outside: Bools, free: int
    ) -> None:
        super().__init__(
            ascent.counter, ascent.budgets.of_case(free, inside, outside), np.zeros(len(inside))
        )
        given = (*ascent.families, *ascent.late)
        self._given = [family.of_case(outside) for family in given]
        self.weight = ascent.weight
        self.cuts: list[Inequality] = []
        self.active = active = self._closed(active)
        self.x[active] = ascent.x[active]
        self.own, self.mu, self.rows = ascent.own, ascent.mu, ascent.rows  # taken over by key
        self.parts = parts = Parts(self.counter, active)
        self.saddle = saddle = parts.saddle()  # flows, prices and multipliers
        self._build()
        price = parts.merged(ascent.proposed())
        saddle.price[:] = saddle.made[:] = price
        which, start, flow, row = ascent.saddle.used()
        arc, known = parts.arcs_of(start, ascent.active[which])
        counts = self.arcs.count_at(parts.start)
        share = self.counter.count_at[start[known]] / counts[arc]
        saddle.flow[:] = sums(arc, share * flow[known], len(saddle.flow))
        saddle.row[:] = sums(arc, share * row[known], len(saddle.row))
        rows = self.rows.arcs
        if len(rows):
            ours, theirs = rows.same(parts.position[rows.place], ascent.rows.arcs)
            saddle.pair_row[ours] = ascent.saddle.pair_row[theirs]
        self._sum_gains()
        if ascent.late:
            self.change(active, [])

    def change(self, active: Int32, cuts: Sequence[Inequality]) -> None:
        """Changes the active set and the cuts; keeps the point."""
        self._change(self._closed(active), cuts, self.counter)

    def _change(self, active: Int32, cuts: Sequence[Inequality], counter: PriceCounter) -> None:
        """Changes the active set, the cuts and the counts of the words."""
        inactive = np.ones(len(self.x), bool)
        inactive[active] = False
        self.x[inactive] = 0
        self.cuts = list(cuts)
        old, old_saddle, old_rows = self.parts, self.saddle, self.rows.arcs
        if counter is not self.counter or not np.array_equal(active, self.active):
            self.counter, self.active = counter, active
            self.parts = Parts(counter, active)
        self.saddle = self.parts.saddle()
        self.parts.copy_point(self.saddle, old, old_saddle)
        self._build(old_rows, old_saddle, old)
        self._sum_gains()

    def move(self, price: Float64, pair_row: Float64, mu: Float64) -> None:
        """Moves to other prices and multipliers of rows, and restarts there.

        What an arc gains beyond its cost and its payments becomes the multiplier of its own row.
        """
        parts, rows, saddle = self.parts, self.rows.arcs, self.saddle
        before = np.concatenate([[0.0], np.cumsum(price)])
        worth = before[parts.end] - before[parts.start] - 1
        saddle.row[:] = np.maximum(worth - rows.pushes(pair_row, len(parts.start)), 0)
        saddle.price[:], saddle.pair_row[:], self.mu = price, pair_row, mu
        self._sum_gains()

    def branch(self, inside: Bools, outside: Bools, free: int) -> PartAscent:
        """Returns steps for a case that begin at the present point; these steps are not changed.

        Tokens outside stay in the active set, with an x of 0, and in the cuts, because without
        these the bound would fall far below the present one.  Where an instance has families of
        its own, their rows leave tokens outside out, and so do the cuts.
        """
        other = copy(self)
        other.budgets = self.budgets.of_case(free, inside, outside)
        other._given = [family.of_case(outside) for family in self._given]
        other.x = np.where(outside, 0.0, np.where(inside, 1.0, self.x))
        active = inside.copy()
        active[self.active] = True
        if not self._given and np.count_nonzero(active) == len(self.active):
            other._copy(self.saddle)
            return other
        cuts = self.cuts
        if self._given:
            active &= ~outside
            cuts = [cut for cut in cuts if not outside[list(cut.tokens)].any()]
        other.change(np.flatnonzero(active).astype(np.int32), cuts)
        return other

    def _copy(self, saddle: Saddle) -> None:
        """Takes over the point of steps with the same parts and rows."""
        parts, rows = self.parts, self.rows.arcs
        self.saddle = parts.saddle()
        parts.copy_point(self.saddle, parts, saddle)
        rows.put(self.saddle)
        self.saddle.pair_row[:], self.saddle.pair_made[:] = saddle.pair_row, saddle.pair_made
        self.budgets.over(self.active)
        self.let_move(self.all_parts)

    def counted_by(self, counter: PriceCounter) -> PartAscent:
        """Returns steps for other counts of the words that begin at the present point."""
        other = copy(self)
        other._change(self.active, self.cuts, counter)
        return other

    def tokens_by_corpus(self) -> Float64:
        """Returns the tokens of each corpus at the present point, at least one for each word."""
        corpora, parts = self.counter.corpora, self.parts
        assert corpora is not None
        covered = np.flatnonzero(parts.place >= 0)
        word = np.repeat(np.arange(len(corpora.joined)), np.diff(corpora.joined.offsets))[covered]
        saved = self.saddle.flow * (parts.end - parts.start - 1)
        tokens = []
        for words, counts in zip(corpora.words, corpora.counts, strict=True):
            weights = counts[word].astype(float)
            at = np.bincount(parts.place[covered], weights, len(parts.position))
            # while rows are violated, flows may save more than there is
            left = words.total_symbols - float(np.dot(saved, at[parts.start]))
            tokens.append(max(left, float(words.total_count)))
        return np.array(tokens)

    def _closed(self, active: Int32) -> Int32:
        """Returns an active set extended by all candidates that rows of families contain."""
        if not self._given:
            return active
        closed = np.zeros(len(self.x), bool)
        closed[active] = True
        for family in self._given:
            closed = family.closed(closed)
        return np.flatnonzero(closed).astype(np.int32)

    def _build(
        self, known: ArcRows | None = None, before: Saddle | None = None, old: Parts | None = None
    ) -> None:
        """Builds the rows of families and cuts over the present parts.

        Multipliers of rows over flows are taken from known rows over other parts.  A row without a
        known multiplier is kept only if it is nearly tight.
        """
        parts, saddle = self.parts, self.saddle
        held = self.active, parts.which, parts.start, parts.end, parts.offsets, parts.counts
        self.arcs = Arcs(*held, self.weight_of_active, self.x[self.active])
        cuts = Cuts(self.cuts)
        self.cuts = cuts.cuts
        self.families = (*self._given, cuts)
        is_first = known is None
        found = [
            Rows() if own.begins_late and is_first else own.rows(self.arcs) for own in self.families
        ]
        rows = Rows.stacked(found, len(self.active))
        self._left_out = replace(rows, arcs=ArcRows())
        ours = theirs = np.zeros(0, np.int64)
        if known is not None and before is not None and old is not None:
            place = old.place[parts.position[rows.arcs.place]]
            ours, theirs = rows.arcs.same(place, known)
            least = np.array([-_VIOLATED if own.begins_late else _ROOM for own in self.families])
            tight = self._room(rows) < least[rows.arcs.part]
            tight[ours[before.pair_row[theirs] > 0]] = True
            kept = np.cumsum(tight) - 1
            self._left_out = replace(rows, arcs=rows.arcs.take(~tight))
            rows = replace(rows, arcs=rows.arcs.take(tight))
            same = tight[ours]
            ours, theirs = kept[ours[same]], theirs[same]
        rows.arcs.put(saddle)
        self._share_out(self.all_parts)
        self._take(rows, self.arcs)
        if before is not None:
            saddle.pair_row[ours] = before.pair_row[theirs]
            saddle.pair_made[ours] = before.pair_made[theirs]

    @property
    def all_parts(self) -> Int32:
        """All parts of words."""
        return np.arange(len(self.parts.counts), dtype=np.int32)

    def let_move(self, parts: Int32) -> None:
        """Lets only some parts of words move; others keep their flows, prices and multipliers."""
        self._share_out(parts)
        self.gains_of = np.zeros((self.n_shards, len(self.metric)))
        self.moves = np.zeros((self.n_shards, 2))
        self._sum_gains()

    def _share_out(self, parts: Int32) -> None:
        sizes = np.diff(self.saddle.first + self.saddle.pair_rows + self.parts.offsets)[parts]
        self.n_shards = min(SHARDS, 1 + int(sizes.sum()) // _WORTH_A_SHARD)
        self.saddle.share_out(self.n_shards, parts)

    def _sum_gains(self) -> None:
        self.at_rest = np.zeros(len(self.metric))
        self.saddle.gains_at_rest(self.at_rest)
        super()._sum_gains()

    @property
    def lacks_rows(self) -> bool:
        """Whether the present point violates rows that were left out."""
        return bool((self._room(self._left_out) < -_VIOLATED).any())

    def _room(self, rows: Rows) -> Float64:
        """Returns the unused flow of each row over flows."""
        columns = np.concatenate([self.x[self.active], self._own_of(rows)])
        return rows.arcs.room(columns, self.saddle.flow)

    def positions(self, places: Int64) -> tuple[Int64, Int64]:
        """Returns all positions in ``words.data`` of some places, and the place of each."""
        return self.parts.everywhere(places)

    def proposed(self) -> Float64:
        """Returns the prices to count; 1 at positions without an arc."""
        prices = np.ones(len(self.parts.place))
        covered = self.parts.place >= 0
        prices[covered] = self.saddle.made[self.parts.place[covered]]
        return prices

    @property
    def cut_multipliers(self) -> list[float]:
        """The multipliers of the cuts after the last step."""
        multipliers: list[float] = self.mu_made.tolist()
        return multipliers[len(multipliers) - len(self.cuts) :]  # their rows are the last ones

    def owed(self) -> Float64:
        """Returns what the cuts over each token of the active set add to its reward."""
        given = self.mu_made.copy()
        given[: len(given) - len(self.cuts)] = 0
        gives = self.rows.without(np.zeros(len(self.metric)), given)
        return gives[: len(self.active)]
