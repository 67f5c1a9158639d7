"""Primal-dual steps for vocabularies whose tokens merges make."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..problem.merge_condition import MergeCondition
from ..runtime.arrays import Bools, Float64
from ..vocabulary.vocabulary import Vocabulary
from .held_steps import HeldSteps
from .merge_rows import MergeRows, Ways
from .need_rows import NeedLists, NeedRows
from .price_counter import PriceCounter
from .primal_dual import Ascent

__all__ = ["MergeAscent"]


class MergeAscent(Ascent):
    """Steps that keep each token below the parts that make it.

    The rows of `MergeRows` get multipliers: what a token pays to its parts, which lowers what it
    gains and raises what they do.  Those of `NeedRows` get them, too: what each use of a token pays
    to those that it cannot be made without.

    Parameters
    ----------
    counter : PriceCounter
        Counts what prices prove.
    vocabulary : Vocabulary
        GreedTok's, the first point.
    gains : sequence of int
        The gains of its tokens.
    condition : MergeCondition
        What makes tokens.

    Attributes
    ----------
    made_multiplier : ndarray of float64, shape (rows,)
        The multipliers of the last step.
    """

    always_held = True

    def __init__(
        self,
        counter: PriceCounter,
        vocabulary: Vocabulary,
        gains: Sequence[int],
        condition: MergeCondition,
    ) -> None:
        super().__init__(counter, vocabulary, gains)
        self.ways = Ways(counter, condition)
        self.rows: MergeRows | None = None
        self.needs = NeedLists(self.ways)
        self.need_rows: NeedRows | None = None
        self.multiplier = self.made_multiplier = np.zeros(0)
        self._known: tuple[NeedRows | None, Float64] = None, np.zeros(0)

    @property
    def held(self) -> HeldSteps:
        """The steps, whose arcs have rows and are therefore held."""
        assert isinstance(self.saddle, HeldSteps)
        return self.saddle

    def _make(self, active: Bools) -> None:
        """Makes the arcs of the active set with all parts of its tokens, and the rows."""
        closed = np.zeros(len(active), bool)
        closed[self.ways.with_parts(np.flatnonzero(active).astype(np.int32))] = True
        super()._make(closed)
        counter = self.counter
        known = {}
        if self.rows is not None:
            known = dict(zip(self.rows.keys, self.multiplier.tolist(), strict=True))
        self.rows = rows = MergeRows(self.ways, self.active)
        self.multiplier = np.array([known.get(key, 0.0) for key in rows.keys])
        self.way = np.zeros(rows.n_ways)
        # a row is scaled by what its token weighs, so that it moves as fast as the rows of arcs
        self.scale = self.metric[rows.token]
        self.size = np.maximum(np.bincount(rows.row, np.abs(rows.coef), len(rows)), 1)
        n = len(self.active)
        added = np.bincount(
            rows.column, np.abs(rows.coef) * self.scale[rows.row], n + rows.n_ways
        ).astype(float)
        held = self.held
        self.need_rows = needs = NeedRows(
            self.needs, counter, self.active, held.which, held.begin, held.end
        )
        held.saddle.set_pairs(needs.first, needs.arcs, needs.target)
        counts = counter.count_at[needs.position]
        self.metric = self.metric + added[:n] + np.bincount(needs.target, counts, n)
        self.way_metric = np.maximum(added[n:], 1.0)

    def _activate(self, active: Bools) -> None:
        """Changes the active set, and keeps the point."""
        self._known = self.need_rows, self.held.saddle.pair_row
        super()._activate(active)

    def _gain(self) -> None:
        """Sums what each active candidate gains at the present point, and restarts there."""
        old, multipliers = self._known
        if old is not None:
            assert self.need_rows is not None
            self.need_rows.copy_multipliers(self.held.saddle, old, multipliers)
        super()._gain()

    def restart(self) -> None:
        """Makes the present point the anchor."""
        super().restart()
        self.way_from, self.multiplier_from = self.way, self.multiplier
        self.made_multiplier = np.maximum(self.multiplier, 0)

    def step(self) -> float:
        """Makes one step; returns how far it moved."""
        assert self.rows is not None
        rows, weight, n = self.rows, self.weight, len(self.active)
        keep = (self.steps + 1) / (self.steps + 2)
        x, way, multiplier = self.x[self.active], self.way, self.multiplier
        owed = rows.owed(multiplier)
        self.gain = self.gain - owed[:n]
        moved = super().step() ** 2
        way_made = np.clip(way - owed[n:] / (self.way_metric * weight), 0, 1)
        ahead = 2 * np.concatenate([self.x_made, way_made]) - np.concatenate([x, way])
        pushed = weight * self.scale * rows.violation(ahead) / self.size
        made = np.maximum(multiplier + pushed, 0)
        self.way = keep * (2 * way_made - way) + (1 - keep) * self.way_from
        self.multiplier = keep * (2 * made - multiplier) + (1 - keep) * self.multiplier_from
        self.made_multiplier = made
        moved += weight * float(np.sum(self.way_metric * (way_made - way) ** 2))
        moved += float(np.sum(self.size / self.scale * (made - multiplier) ** 2)) / weight
        return math.sqrt(moved)

    def reweigh(self) -> None:
        """Balances prices and flows by how far both have moved since the anchor."""
        flows, prices = self.saddle.distance()
        flows += float(np.sum(self.metric * (self.x[self.active] - self.x_from) ** 2))
        flows += float(np.sum(self.way_metric * (self.way - self.way_from) ** 2))
        moved = (self.multiplier - self.multiplier_from) ** 2
        prices += float(np.sum(self.size / self.scale * moved))
        if flows > 1e-20 and prices > 1e-20:
            self.weight = math.sqrt(self.weight * math.sqrt(prices / flows))

    def keep_to_rows(self) -> None:
        """Lowers the x of the last step to what the rows allow."""
        assert self.rows is not None
        self.x_made = self.rows.kept(self.x_made)
