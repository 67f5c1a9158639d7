"""Primal-dual hybrid gradient steps over the occurrences of the candidates that matter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ..errors import InputError
from ..kernels._saddle_point import project
from ..kernels._word_steps import WordSteps
from ..problem.memory_plan import MOST_ARCS, MOST_HELD_ARCS
from ..runtime.arrays import Bools, Float64
from ..runtime.memory import refuse_beyond
from ..runtime.parallel import SHARDS
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary
from .held_steps import HeldSteps
from .price_counter import PriceCounter, largest

__all__ = ["Ascent"]


_FIRST_SECONDS = 1.5e-7  # an occurrence of a candidate, before the first bound
_SETTLED = 8  # steps before the active set is updated
_FEW_ARCS = 1 << 22  # so many are made at once, whatever their rewards
_REMOVED_BELOW, _ADDED_ABOVE = 0.6, 0.9  # rewards, as a part of the k-th largest
BYTES_A_HELD_ARC = 80  # while arcs are made from others
BYTES_AN_ARC = 24  # at most half of all flows and rows are there, while arcs change


class Ascent:
    """Steps of the primal-dual hybrid gradient from a vocabulary towards the best prices.

    Parameters
    ----------
    counter : PriceCounter
        Counts what prices prove.
    vocabulary : Vocabulary
        GreedTok's, the first point.
    gains : sequence of int
        The gains of its tokens.

    Attributes
    ----------
    active : ndarray of int32
        The active set: the candidates whose occurrences are arcs.
    rewards : ndarray of int64, shape (tokens,)
        The rewards as last counted.
    """

    saddle: HeldSteps | WordSteps
    always_held: ClassVar[bool] = False  # or only where arcs are few

    def __init__(self, counter: PriceCounter, vocabulary: Vocabulary, gains: Sequence[int]) -> None:
        self.counter = counter
        self.vocabulary = vocabulary
        self.gains = gains
        self.prices: Float64 | None = None
        self.begun = False
        self.weight = 1.0
        self.x = counter.fixed.astype(float)
        self.active = np.zeros(0, np.int32)
        # prices, those of the anchor, and those of the last step
        self.point = np.zeros((3, len(counter.instance.words.data)))
        self.rewards = np.zeros(len(counter.lo), np.int64)
        self.returned = np.zeros(len(counter.lo), bool)

    @property
    def first_seconds(self) -> float:
        """About how long it takes to begin and to count the first bound."""
        return _FIRST_SECONDS * self.counter.intervals.occurrences

    def begin(self, k: int) -> None:
        """Makes arcs for a budget, and a point: the present one, or GreedTok's vocabulary."""
        counter = self.counter
        instance = counter.instance
        free = k - len(instance.fixed)
        gains = self.gains[:k]
        smallest_gain = min(gains) if len(gains) == k and free > 0 else 0
        active = counter.fixed | (counter.largest_reward >= max(smallest_gain, 1))
        if free <= 0:
            active = counter.fixed.copy()
        if not self.begun:
            self._first_prices(k)
        active = self._most_rewarding(active, k)
        self.free = float(max(free, 0))
        self.fee = float(smallest_gain)
        if self.begun:
            self._activate(active)
        else:
            self._first_point(active)
            self.begun = True

    def _first_prices(self, k: int) -> None:
        """Cuts the words by GreedTok's vocabulary: the pieces' shares are the first prices."""
        counter = self.counter
        words, symbols = counter.instance.words, counter.instance.symbols
        chosen = Vocabulary(self.vocabulary.tokens[:k], symbols)
        index = counter.instance.index
        self.x[np.isin(counter.intervals.key, index.find_tokens(chosen).key)] = 1.0
        ends = np.flatnonzero(segment(words, chosen).ends)
        sizes = np.diff(np.concatenate([[-1], ends]))
        self.piece = np.zeros(len(words.data), np.int32)  # where a piece begins: where it ends
        self.piece[ends - sizes + 1] = ends + 1
        if self.prices is None:
            self.prices = np.repeat(1.0 / sizes, sizes)

    def _most_rewarding(self, active: Bools, k: int) -> Bools:
        """Returns those of many candidates whose rewards are large now, as many as may be arcs."""
        counter = self.counter
        if int((counter.hi - counter.lo)[active].sum(dtype=np.int64)) <= _FEW_ARCS:
            return active
        prices = counter.rounded(self.proposed())
        self.rewards = counter.count(prices, k, every=True)[1]
        free = k - len(counter.instance.fixed)
        threshold = largest(self.rewards[~counter.fixed], free)[1]
        active = active & (self.rewards > _REMOVED_BELOW * threshold)
        return self._fitting(active)

    def _fitting(self, active: Bools) -> Bools:
        """Returns the tokens of the point, and of others those of the largest rewards.

        These are so few that all occur `MOST_ARCS` times, or they alone half as often: prices are
        good only if what is not chosen competes with what is.
        """
        counter = self.counter
        chosen: Bools = counter.fixed | (self.x > 0.01)
        occurrences = (counter.hi - counter.lo).astype(np.int64)
        room = max(MOST_ARCS - int(occurrences[chosen].sum()), MOST_ARCS // 2)
        further = np.flatnonzero(active & ~chosen)
        further = further[np.argsort(-self.rewards[further], kind="stable")]
        chosen[further[np.cumsum(occurrences[further]) <= room]] = True
        return chosen

    def _first_point(self, active: Bools) -> None:
        """Makes a point of GreedTok's vocabulary: its paths are the flows."""
        self._make(active)
        assert self.prices is not None
        self.saddle.price[:] = self.prices
        before = np.zeros(len(self.prices) + 1)
        np.cumsum(self.prices, out=before[1:])
        self.saddle.start(self.piece, before, self.x[self.active])
        del self.piece
        self._gain()

    def _make(self, active: Bools) -> None:
        """Makes the arcs of the active set."""
        counter = self.counter
        words = counter.instance.words
        # the most frequent first: they are looked up most, and then lie side by side
        self.active = np.flatnonzero(active).astype(np.int32)
        occurrences = counter.hi[self.active] - counter.lo[self.active]
        self.active = self.active[np.argsort(-occurrences, kind="stable")]
        lo, hi, length = (a[self.active] for a in (counter.lo, counter.hi, counter.length))
        n_arcs = int((hi - lo).astype(np.int64).sum())
        is_held = self.always_held or n_arcs <= MOST_HELD_ARCS
        _refuse_beyond_memory(n_arcs, BYTES_A_HELD_ARC if is_held else BYTES_AN_ARC)
        steps = HeldSteps if is_held else WordSteps
        index, borders = counter.instance.index, counter.overlaps[self.active]
        arrays = (counter.sa, index.word_of, lo, hi, length, borders, self.point)
        self.saddle = steps(words.offsets, words.counts, *arrays, SHARDS)
        self.gains_of = np.zeros((SHARDS, len(self.active)))
        self.moves = np.zeros((SHARDS, 2))
        self.metric = np.maximum(counter.weight[self.active].astype(float), 1.0)
        self.kept = counter.fixed[self.active]

    def _activate(self, active: Bools) -> None:
        """Changes the active set, and keeps the point."""
        which, start, flow, row = self.saddle.used()
        which = self.active[which]
        del self.saddle
        self._make(active)
        number = np.full(len(active), -1, np.int32)
        number[self.active] = np.arange(len(self.active), dtype=np.int32)
        self.saddle.place(number[which], start, flow, row)
        self.x[~active] = 0
        self._gain()

    def update_active_set(self, steps: int) -> bool:
        """Updates the active set by reward; returns whether it changed."""
        if steps < _SETTLED or self.free <= 0:
            return False
        counter = self.counter
        threshold = largest(self.rewards[~counter.fixed], int(self.free))[1]
        active = np.zeros(len(counter.lo), bool)
        active[self.active] = True
        added = ~active & (self.rewards > _ADDED_ABOVE * threshold)
        self.returned |= added
        occurrences = counter.hi - counter.lo
        kept = counter.fixed | self.returned | (self.x > 0.01)
        kept |= self.rewards > _REMOVED_BELOW * threshold
        kept &= active
        if int(occurrences[kept].sum()) > 0.8 * int(occurrences[active].sum()):
            if not added.any():
                return False
            kept = active
        self._activate(self._fitting(kept | added))
        return True

    def _gain(self) -> None:
        """Sums what each active candidate gains at the present point, and restarts there."""
        self.gain = np.zeros(len(self.active))
        self.saddle.gains(self.gain)
        self.restart()

    def restart(self) -> None:
        """Makes the present point the anchor."""
        self.saddle.anchor()
        self.x_from = self.x[self.active]
        self.x_made = np.clip(self.x_from, 0, 1)
        taken = float(self.x_made[~self.kept].sum())
        if taken > self.free:  # the point may be of a larger budget
            self.x_made[~self.kept] *= self.free / taken
        self.steps = 0

    def step(self) -> float:
        """Makes one step; returns how far it moved."""
        saddle, weight = self.saddle, self.weight
        keep = (self.steps + 1) / (self.steps + 2)
        x = self.x[self.active]
        made = np.empty_like(x)
        scale = 1 / (self.metric * weight)
        if self.kept.any():
            optional = ~self.kept
            part = np.empty(int(optional.sum()))
            arrays = x[optional], self.gain[optional], scale[optional]
            self.fee = project(*arrays, self.free, self.fee, part)
            made[optional], made[self.kept] = part, 1.0
        else:
            self.fee = project(x, self.gain, scale, self.free, self.fee, made)
        ahead = 2 * made - x

        def work(n: int) -> None:
            saddle.step(n, weight, keep, ahead, self.gains_of[n], self.moves[n])

        self.counter.share(work, SHARDS)
        self.gain = self.gains_of.sum(axis=0)
        moved = float(np.sum(self.metric * (made - x) ** 2))
        self.x[self.active] = keep * ahead + (1 - keep) * self.x_from
        self.x_made, self.prices = made, None
        self.steps += 1
        flows, prices = self.moves.sum(axis=0).tolist()
        return math.sqrt(weight * (flows + moved) + prices / weight)

    def reweigh(self) -> None:
        """Balances prices and flows by how far both have moved since the anchor."""
        flows, prices = self.saddle.distance()
        flows += float(np.sum(self.metric * (self.x[self.active] - self.x_from) ** 2))
        if flows > 1e-20 and prices > 1e-20:
            self.weight = math.sqrt(self.weight * math.sqrt(prices / flows))

    def proposed(self) -> Float64:
        """Returns the prices to count: those of the last step, before they were drawn back."""
        return self.saddle.made if self.prices is None else self.prices

    def x_all(self) -> Float64:
        """Returns how much of each candidate of the index is chosen, 0 to 1."""
        x = np.zeros(len(self.counter.lo))
        x[self.active] = self.x_made
        return x[: len(self.counter.instance.index)]

    def cost(self) -> float:
        """Returns the cost of the present point, at least the value of the relaxation."""
        saddle, x = self.saddle, self.x_made
        costs = [0.0] * SHARDS

        def work(n: int) -> None:
            costs[n] = saddle.cost(n, x)

        self.counter.share(work, SHARDS)
        return sum(costs)


_FEWER = (
    "cut the words with a pre-tokenizer, or cap candidates with --max-length (max_length); the "
    "bound is then about vocabularies of such tokens only"
)


def _refuse_beyond_memory(n_arcs: int, size: int) -> None:
    """Refuses more arcs than fit in memory or in 32 bits."""
    if n_arcs >= 2**31 - 1:
        raise InputError(f"the candidates that matter occur {n_arcs:,} times: {_FEWER}")
    what = f"the candidates that matter occur {n_arcs:,} times, which needs"
    refuse_beyond(n_arcs * size, what, _FEWER)
