"""The primal-dual hybrid gradient: one step, for any arcs and rows."""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np

from ...kernels.steps._column_step import move_columns, move_rows
from ...kernels.steps._saddle_point import Saddle
from ...kernels.steps._word_steps import WordSteps
from ...runtime.arrays import Float64, Int32
from ...runtime.processes.parallel import SHARDS
from ..counting.price_counter import PriceCounter
from ..rows.budgets import Budgets
from ..rows.rows import Arcs, Rows, sums
from .held_steps import HeldSteps


class PrimalDual:
    """Steps toward a saddle point of flows, x and variables of rows, and all multipliers.

    The relaxation is ::

        min  Σ_W c(W)·(arcs used)    flows are paths,  flow of an arc ≤ x,  `Budgets`,  `Rows`

    The steps are those of Chambolle and Pock (2011) with diagonal step sizes, reflected and
    averaged with an anchor.  Subclasses define the arcs and which candidates are active.  `x_made`,
    `own_made` and `mu_made` are the values of the last step before they were averaged; `x_made` is
    x of the active set.
    """

    saddle: Saddle | HeldSteps | WordSteps

    def __init__(self, counter: PriceCounter, budgets: Budgets, x: Float64) -> None:
        self.counter = counter
        self.budgets = budgets
        self.x = x
        # the active set: the candidates whose occurrences are arcs
        self.active: Int32 = np.zeros(0, np.int32)
        self.rows = Rows()  # all rows except those of arcs and budgets
        # the variables and the multipliers of `rows`
        self.own = self.own_made = self.mu = self.mu_made = np.zeros(0)
        # the primal weight: steps of prices are multiplied by it, steps of flows divided
        self.weight = 1.0
        self.steps = 0  # number of steps since the anchor
        # number of shards of the arcs; it does not depend on the number of threads
        self.n_shards = SHARDS
        self.at_rest = np.zeros(1)  # the gains from arcs that steps do not move
        self._first = self._moved = math.inf  # distances of the first and the last step

    @property
    def fee(self) -> float:
        """The gain that a token needs to be chosen: the multiplier of the budget."""
        return self.budgets.fee

    @property
    def weight_of_active(self) -> Float64:
        """The count of each active candidate's occurrences."""
        return self.counter.weight[self.active].astype(float)

    def _own_of(self, rows: Rows) -> Float64:
        """Returns the variables of rows: known ones by key, and the first values of new ones."""
        known: dict[Hashable, float] = dict(zip(self.rows.own, self.own.tolist(), strict=True))
        fresh = zip(rows.own, rows.own_first.tolist(), strict=True)
        return np.array([known.get(key, first) for key, first in fresh], np.float64)

    def _take(self, rows: Rows, arcs: Arcs | None = None) -> None:
        """Replaces the rows, and keeps the known variables and multipliers by key."""
        self.own = self._own_of(rows)
        known = dict(zip(self.rows.keys, self.mu.tolist(), strict=True))
        self.mu = np.array([known.get(key, 0.0) for key in rows.keys], np.float64)
        self.rows = rows
        columns = len(self.active) + len(rows.own)
        weight = np.concatenate([self.weight_of_active, np.zeros(len(rows.own))])
        if arcs is not None and len(rows.arcs):
            counts = arcs.count_at(rows.arcs.place)
            weight += sums(rows.arcs.target, counts, columns)
        size = np.abs(rows.coef)
        self.size = np.maximum(np.bincount(rows.row, size, len(rows.keys)), 1)
        self.pace = rows.scale / self.size  # the step sizes of rows
        added = np.bincount(rows.column, size * rows.scale[rows.row], columns)
        self.metric = np.maximum(weight + added, 1.0)
        self.budgets.over(self.active)
        self.gains_of = np.zeros((self.n_shards, columns))
        self.moves = np.zeros((self.n_shards, 2))

    def _sum_gains(self) -> None:
        """Sums the gain of each column at the present point, and restarts there."""
        self.gain = np.zeros(len(self.metric))
        self.saddle.gains(self.gain)
        self.restart()

    def restart(self) -> None:
        """Makes the present point the anchor."""
        self.saddle.anchor()
        self.x_from, self.own_from, self.mu_from = self.x[self.active], self.own, self.mu
        self.x_made, self.own_made = self.x_from.clip(0, 1), self.own
        self.mu_made = np.maximum(self.mu, 0)
        self.steps = 0

    def step(self) -> float:
        """Makes one step; returns the distance that the point moved."""
        n, weight, rows = len(self.active), self.weight, self.rows
        keep = (self.steps + 1) / (self.steps + 2)
        x, own, mu = self.x[self.active], self.own, self.mu
        gain = rows.without(self.gain, mu) if len(mu) else self.gain
        scale = 1 / (self.metric * weight)
        made = self.budgets.project(x, gain[:n], scale[:n])
        own_made = own
        if len(own):
            own_made = (own + scale[n:] * gain[n:]).clip(0, 1)
        ahead = np.empty(len(gain))
        flows = move_columns(made, self.x_from, self.metric[:n], keep, x, ahead[:n])
        if len(own):
            own = own.copy()
            own_metric = self.metric[n:]
            flows += move_columns(own_made, self.own_from, own_metric, keep, own, ahead[n:])

        def work(shard: int) -> None:
            self.saddle.step(shard, weight, keep, ahead, self.gains_of[shard], self.moves[shard])

        self.counter.share(work, self.n_shards)
        self.gain = self.at_rest + self.gains_of.sum(axis=0)
        moved_flows, prices = self.moves.sum(axis=0).tolist()
        flows += moved_flows
        self.x[self.active] = x
        self.own = own
        if len(mu):
            over = rows.violation(ahead)
            mu, mu_made = mu.copy(), np.empty(len(mu))
            prices += move_rows(over, self.pace, self.mu_from, weight, keep, mu, mu_made)
            self.mu, self.mu_made = mu, mu_made
        self.x_made, self.own_made = made, own_made
        self.steps += 1
        return math.sqrt(weight * flows + prices / weight)

    def advance(self, longest: float) -> bool:
        """Makes one step; returns whether to restart.

        That is where the point has come nearer to the optimum or no longer does, and at the latest
        after `longest` steps.
        """
        moved, before = self.step(), self._moved
        self._moved = moved
        if self.steps == 1:
            self._first = moved
            return False
        is_nearer = moved <= 0.2 * self._first or (moved <= 0.8 * self._first and moved > before)
        return is_nearer or self.steps >= longest

    def reweigh(self) -> None:
        """Balances prices and flows by the distances that both have moved since the anchor."""
        n = len(self.active)
        flows, prices = self.saddle.distance()
        flows += float(np.sum(self.metric[:n] * (self.x[self.active] - self.x_from) ** 2))
        flows += float(np.sum(self.metric[n:] * (self.own - self.own_from) ** 2))
        prices += float(np.sum((self.mu - self.mu_from) ** 2 / self.pace))
        if flows > 1e-20 and prices > 1e-20:
            self.weight = math.sqrt(self.weight * math.sqrt(prices / flows))

    def x_all(self) -> Float64:
        """Returns x of each candidate of the index, between 0 and 1."""
        x = np.zeros(len(self.x))
        x[self.active] = self.x_made
        return x[: len(self.counter.instance.index)]
