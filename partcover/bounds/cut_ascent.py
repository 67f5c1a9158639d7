"""Primal-dual hybrid gradient steps for the relaxation with cuts, over merged parts of words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy

import numpy as np

from ..kernels._saddle_point import Saddle, project
from ..runtime.arrays import Bools, Float64, Int32, Int64, Integers
from ..runtime.parallel import SHARDS
from .inequality import Inequality
from .parts import PairRows, Parts
from .price_counter import PriceCounter
from .primal_dual import Ascent

__all__ = ["CutAscent"]


class CutAscent:
    """Steps towards the optimum of the relaxation with cuts.

    For some pairs of tokens that conflict, y says whether one of the two is chosen.  Rows of a
    pair keep the flows of both over a position below its y, cuts keep the sum of y below what x
    allows.  The rows push y up, the cuts hold it down, and x pays for it: the value rises.

    Parameters
    ----------
    ascent : Ascent
        The plain steps, at whose point these begin.
    active : ndarray of int32
        The active set.
    inside : ndarray of bool, shape (tokens,)
        Tokens that are required.
    free : int
        How many tokens may be chosen besides.

    Attributes
    ----------
    parts : Parts
        The arcs.
    rows : PairRows
        The rows of pairs that some cut uses.
    saddle : Saddle
        Flows, prices and multipliers.
    cuts : list of Inequality
        The cuts.
    x_made, y_made, mu_made : ndarray of float64
        The last step's x of the active set, y of the pairs and multipliers of the cuts.
    """

    parts: Parts
    rows: PairRows
    saddle: Saddle

    def __init__(self, ascent: Ascent, active: Int32, inside: Bools, free: int) -> None:
        self.counter: PriceCounter = ascent.counter
        self.inside = inside
        self.free = float(free)
        self.fee = ascent.fee
        self.weight = ascent.weight
        self.cuts: list[Inequality] = []
        self.mu = self.y = np.zeros(0)
        self.x = np.zeros(len(inside))
        self.x[active] = ascent.x[active]
        self.active = active
        self.parts = parts = Parts(self.counter, active)
        self.saddle = saddle = parts.saddle()
        self._build(np.zeros(0, np.int64))
        price = parts.merged(ascent.proposed())
        saddle.price[:] = saddle.made[:] = price
        which, start, flow, row = ascent.saddle.used()
        arc, known = parts.arcs_of(start, ascent.active[which])
        share = self.counter.count_at[start[known]] / self.row_counts[arc]
        saddle.flow[:] = _sums(arc, share * flow[known], len(saddle.flow))
        saddle.row[:] = _sums(arc, share * row[known], len(saddle.row))
        self._sum_gains()

    def change(self, active: Int32, cuts: Sequence[Inequality]) -> None:
        """Changes the active set and the cuts, and keeps the point."""
        multipliers = dict(zip(self.cuts, self.mu.tolist(), strict=True))
        known = dict(zip(self.rows.pairs.tolist(), self.y.tolist(), strict=True))
        pairs = np.array(sorted({pair for cut in cuts for pair in cut.pairs}), np.int64)
        inactive = np.ones(len(self.x), bool)
        inactive[active] = False
        self.x[inactive] = 0
        either = np.minimum(self.x[pairs >> 32] + self.x[pairs & 0xFFFFFFFF], 1).tolist()
        self.y = np.array([known.get(p, y) for p, y in zip(pairs.tolist(), either, strict=True)])
        self.cuts = list(cuts)
        self.mu = np.array([multipliers.get(cut, 0.0) for cut in cuts])
        old, old_saddle, old_rows = self.parts, self.saddle, self.rows
        if not np.array_equal(active, self.active):
            self.active = active
            self.parts = Parts(self.counter, active)
        self.saddle = self.parts.saddle()
        self._build(pairs)
        self.parts.copy_point(self.saddle, old, old_saddle)
        self.parts.copy_multipliers(self.saddle, self.rows, old, old_saddle, old_rows)
        self._sum_gains()

    def move(self, price: Float64, pair_row: Float64, mu: Float64) -> None:
        """Moves to other prices and multipliers of pairs and cuts, and restarts there.

        What an arc is worth beyond what it costs and pays becomes the multiplier of its own row.
        """
        parts, rows, saddle = self.parts, self.rows, self.saddle
        paid = np.repeat(pair_row, np.diff(rows.first))
        before = np.concatenate([[0.0], np.cumsum(price)])
        worth = before[parts.end] - before[parts.start] - 1
        saddle.row[:] = np.maximum(worth - _sums(rows.arcs, paid, len(parts.start)), 0)
        saddle.price[:], saddle.pair_row[:], self.mu = price, pair_row, mu
        self._sum_gains()

    def branch(self, inside: Bools, outside: Bools, free: int) -> CutAscent:
        """Returns steps from the present point for a case; these stay as they are."""
        other = copy(self)
        other.inside, other.free = inside, float(free)
        other.x = np.where(outside, 0.0, np.where(inside, 1.0, self.x))
        active = inside.copy()
        active[self.active] = True
        cuts = [cut for cut in self.cuts if not outside[list(cut.tokens)].any()]
        other.change(np.flatnonzero(active & ~outside).astype(np.int32), cuts)
        return other

    def _build(self, pairs: Int64) -> None:
        """Makes the rows of pairs, and the metric of x, y and the cuts' multipliers."""
        active, n = self.active, len(self.active)
        parts, saddle = self.parts, self.saddle
        self.local = np.full(len(self.x), -1, np.int64)
        self.local[active] = np.arange(n)
        self.rows = rows = parts.pair_rows(pairs)
        target = (n + rows.pair).astype(np.int32)
        saddle.set_pairs(rows.first, rows.arcs, target)
        self.targets = np.concatenate([parts.which, target])
        part = np.searchsorted(parts.offsets, np.concatenate([parts.start, rows.place]), "right")
        self.row_counts = parts.counts[part - 1]
        # about as many rows and symbols in each shard
        load = saddle.first + saddle.pair_rows + parts.offsets
        self.shards = np.searchsorted(load, np.linspace(0, load[-1], SHARDS + 1)).tolist()
        self.shards[0], self.shards[-1] = 0, len(parts.counts)
        self.gains_of = np.zeros((SHARDS, n + len(pairs)))
        self.moves = np.zeros((SHARDS, 2))
        self.kept = self.inside[active]
        self._build_cuts(_sums(self.targets, self.row_counts, n + len(pairs)))

    def _build_cuts(self, metric: Float64) -> None:
        """Makes the cuts' columns and scales.

        A cut is scaled by what the rows of its pairs weigh, shared among the cuts of a pair: so
        its multiplier moves as fast as theirs.
        """
        n, m = len(self.active), len(self.cuts)
        number = {pair: i for i, pair in enumerate(self.rows.pairs.tolist())}
        pairs = [[number[pair] for pair in cut.pairs] for cut in self.cuts]
        tokens = [self.local[list(cut.tokens)].tolist() for cut in self.cuts]
        self.pair = np.array([p for row in pairs for p in row], np.int64)
        self.token = np.array([t for row in tokens for t in row], np.int64)
        self.cut_of_pair = np.repeat(np.arange(m), [len(row) for row in pairs])
        self.cut_of_token = np.repeat(np.arange(m), [len(row) for row in tokens])
        self.coef = np.array([float(cut.coef) for cut in self.cuts])
        self.rhs = np.array([float(cut.rhs) for cut in self.cuts])
        n_pairs = np.bincount(self.cut_of_pair, minlength=m)
        share = metric[n:] / np.maximum(np.bincount(self.pair, minlength=len(metric) - n), 1)
        self.scale = _sums(self.cut_of_pair, share[self.pair], m) / n_pairs
        self.size = n_pairs + self.coef * np.bincount(self.cut_of_token, minlength=m)
        metric[n:] += _sums(self.pair, self.scale[self.cut_of_pair], len(metric) - n)
        metric[:n] += _sums(self.token, (self.scale * self.coef)[self.cut_of_token], n)
        self.metric = np.maximum(metric, 1.0)

    def _sum_gains(self) -> None:
        """Sums the rows' multipliers of each target at the present point, and restarts there."""
        row = np.concatenate([self.saddle.row, self.saddle.pair_row])
        self.gain = _sums(self.targets, self.row_counts * row, len(self.metric))
        self.restart()

    def restart(self) -> None:
        """Makes the present point the anchor."""
        self.saddle.anchor()
        self.x_from, self.y_from, self.mu_from = self.x[self.active], self.y, self.mu
        self.x_made, self.y_made, self.mu_made = np.clip(self.x_from, 0, 1), self.y, self.mu
        self.n_steps = 0

    def step(self) -> float:
        """Makes one step; returns how far it moved."""
        n, weight = len(self.active), self.weight
        keep = (self.n_steps + 1) / (self.n_steps + 2)
        x, y, mu = self.x[self.active], self.y, self.mu
        gain = self.gain
        gain[n:] -= _sums(self.pair, mu[self.cut_of_pair], len(y))
        gain[:n] += _sums(self.token, (mu * self.coef)[self.cut_of_token], n)
        scale = 1 / (self.metric * weight)
        x_made = np.ones(n)
        optional = ~self.kept
        part = np.empty(int(optional.sum()))
        arrays = x[optional], gain[:n][optional], scale[:n][optional]
        self.fee = project(*arrays, self.free, self.fee, part)
        x_made[optional] = part
        y_made = np.clip(y + scale[n:] * gain[n:], 0, 1)
        ahead = np.concatenate([2 * x_made - x, 2 * y_made - y])

        def work(i: int) -> None:
            shard = self.shards[i], self.shards[i + 1]
            self.saddle.step(*shard, weight, keep, ahead, self.gains_of[i], self.moves[i])

        self.counter.share(work, SHARDS)
        violation = _sums(self.cut_of_pair, ahead[n:][self.pair], len(mu)) - self.rhs
        violation -= self.coef * _sums(self.cut_of_token, ahead[:n][self.token], len(mu))
        mu_made = np.maximum(mu + weight * self.scale * violation / self.size, 0)
        moved = float(np.sum(self.metric[:n] * (x_made - x) ** 2))
        moved += float(np.sum(self.metric[n:] * (y_made - y) ** 2))
        priced = float(np.sum(self.size / self.scale * (mu_made - mu) ** 2))
        self.gain = self.gains_of.sum(axis=0)
        self.x[self.active] = keep * ahead[:n] + (1 - keep) * self.x_from
        self.y = keep * ahead[n:] + (1 - keep) * self.y_from
        self.mu = keep * (2 * mu_made - mu) + (1 - keep) * self.mu_from
        self.x_made, self.y_made, self.mu_made = x_made, y_made, mu_made
        self.n_steps += 1
        flows, prices = self.moves.sum(axis=0).tolist()
        return math.sqrt(weight * (flows + moved) + (prices + priced) / weight)

    def reweigh(self) -> None:
        """Balances prices and flows by how far both have moved since the anchor."""
        n = len(self.active)
        flows, prices = self.saddle.distance()
        flows += float(np.sum(self.metric[:n] * (self.x[self.active] - self.x_from) ** 2))
        flows += float(np.sum(self.metric[n:] * (self.y - self.y_from) ** 2))
        prices += float(np.sum(self.size / self.scale * (self.mu - self.mu_from) ** 2))
        if flows > 1e-20 and prices > 1e-20:
            self.weight = math.sqrt(self.weight * math.sqrt(prices / flows))

    def owed(self) -> Float64:
        """Returns what the cuts over each token of the active set give to its reward."""
        return _sums(self.token, (self.mu_made * self.coef)[self.cut_of_token], len(self.active))

    def x_all(self) -> Float64:
        """Returns how much of each candidate of the index is chosen, 0 to 1."""
        x = np.zeros(len(self.x))
        x[self.active] = self.x_made
        return x[: len(self.counter.instance.index)]


def _sums(numbers: Integers, values: Float64, size: int) -> Float64:
    """Returns the sums of the values that have each number from 0 to size − 1."""
    return np.bincount(numbers, values, size).astype(np.float64, copy=False)
