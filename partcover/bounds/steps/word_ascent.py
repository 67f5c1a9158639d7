"""Steps over the words, for the candidates that may be chosen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import InputError
from ...kernels.steps._word_steps import WordSteps
from ...problem.memory_plan import MOST_ARCS, MOST_HELD_ARCS
from ...runtime.arrays import Bools, Float64, Int64
from ...runtime.memory import refuse_beyond
from ...runtime.processes.parallel import SHARDS
from ...segmentation.segmentation import segment
from ...vocabulary.vocabulary import Vocabulary
from ..counting.price_counter import PriceCounter, largest
from ..rows.budgets import Budgets
from ..rows.family import Family
from ..rows.rows import Arcs, Rows
from .held_steps import HeldSteps
from .primal_dual import PrimalDual

_FIRST_SECONDS = 1.5e-7  # seconds for an occurrence of a candidate before the first bound
_SETTLED = 8  # steps before the active set is updated
_FEW_ARCS = 1 << 22  # up to this many arcs are made at once, whatever their rewards
# limits of rewards for leaving and joining, as a part of the k-th largest
_REMOVED_BELOW, _ADDED_ABOVE = 0.6, 0.9
BYTES_A_HELD_ARC = 80  # while arcs are made from others
BYTES_AN_ARC = 24  # at most half of all flows and rows are nonzero while arcs change


class WordAscent(PrimalDual):
    """Steps from GreedTok's vocabulary toward the best prices, over occurrences of an active set.

    `gains` are those of its tokens; `families` are added to the budgets.
    """

    saddle: HeldSteps | WordSteps

    def __init__(
        self,
        counter: PriceCounter,
        vocabulary: Vocabulary,
        gains: Sequence[int],
        families: Sequence[Family] = (),
    ) -> None:
        budgets = Budgets(0, counter.fixed, counter.groups)
        super().__init__(counter, budgets, counter.fixed.astype(float))
        self.vocabulary = vocabulary
        self.gains = gains
        self.families = [family for family in families if not family.begins_late]
        # those of the families whose rows are added together with cuts
        self.late = [family for family in families if family.begins_late]
        self.prices: Float64 | None = None
        self.begun = False
        # the present prices, those of the anchor, and those of the last step
        self.point = np.zeros((3, len(counter.instance.words.data)))
        # the last counted rewards; shape (tokens,)
        self.rewards = np.zeros(len(counter.lo), np.int64)
        self.returned = np.zeros(len(counter.lo), bool)

    @property
    def first_seconds(self) -> float:
        """The estimated time until the first bound is counted."""
        return _FIRST_SECONDS * self.counter.intervals.occurrences

    def begin(self) -> None:
        """Makes arcs, and a point from GreedTok's vocabulary."""
        counter, k = self.counter, self.counter.instance.k
        free = k - len(counter.instance.fixed)
        gains = self.gains[:k]
        smallest_gain = min(gains) if len(gains) == k and free > 0 else 0
        active = counter.fixed | (counter.largest_reward >= max(smallest_gain, 1))
        if free <= 0:
            active = counter.fixed.copy()
        self._first_prices(k)
        active = self._most_rewarding(active, k)
        self.budgets = self.budgets.of_case(free, counter.fixed)
        self.budgets.fee = float(smallest_gain)
        self._first_point(active)
        self.begun = True

    def _first_prices(self, k: int) -> None:
        """Segments the words with GreedTok's vocabulary; first prices split the cost of tokens."""
        counter = self.counter
        words, symbols = counter.instance.words, counter.instance.symbols
        chosen = Vocabulary(self.vocabulary.tokens[:k], symbols)
        index = counter.instance.index
        self.x[np.isin(counter.intervals.key, index.find_tokens(chosen).key)] = 1.0
        ends = np.flatnonzero(segment(words, chosen).ends)
        sizes = np.diff(np.concatenate([[-1], ends]))
        self.piece = np.zeros(len(words.data), np.int32)  # for the start of each token its end
        self.piece[ends - sizes + 1] = ends + 1
        if self.prices is None:
            self.prices = np.repeat(1.0 / sizes, sizes)

    def _most_rewarding(self, active: Bools, k: int) -> Bools:
        """Returns the candidates with the largest rewards now, as many as may have arcs."""
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
        """Returns the tokens of the point, and as many others with the largest rewards as fit.

        All together occur at most `MOST_ARCS` times, or the others half as often alone: prices are
        good only if candidates that are not chosen compete with chosen ones.
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
        """Makes a point from GreedTok's vocabulary, with its segmentations as flows."""
        self._make(active)
        assert self.prices is not None
        self.saddle.price[:] = self.prices
        before = np.zeros(len(self.prices) + 1)
        np.cumsum(self.prices, out=before[1:])
        self.saddle.start(self.piece, before, self.x[self.active])
        del self.piece
        self._sum_gains()

    def _make(self, active: Bools) -> None:
        """Makes the arcs of the active set and of the tokens that its rows need, and the rows."""
        counter = self.counter
        words = counter.instance.words
        for family in self.families:
            active = family.closed(active)
        # frequent candidates first: they are looked up most, and are then adjacent in memory
        self.active = np.flatnonzero(active).astype(np.int32)
        occurrences = counter.hi[self.active] - counter.lo[self.active]
        self.active = self.active[np.argsort(-occurrences, kind="stable")]
        lo, hi, length = (a[self.active] for a in (counter.lo, counter.hi, counter.length))
        n_arcs = int((hi - lo).astype(np.int64).sum())
        # rows over flows need arcs in memory
        is_held = bool(self.families) or n_arcs <= MOST_HELD_ARCS
        _refuse_beyond_memory(n_arcs, BYTES_A_HELD_ARC if is_held else BYTES_AN_ARC)
        steps = HeldSteps if is_held else WordSteps
        index, borders = counter.instance.index, counter.overlaps[self.active]
        arrays = (counter.sa, index.word_of, lo, hi, length, borders, self.point)
        self.saddle = steps(words.offsets, words.counts, *arrays, SHARDS)
        if not isinstance(self.saddle, HeldSteps) or not self.families:
            self._take(Rows())
            return
        saddle, x = self.saddle, self.x[self.active]
        held = self.active, saddle.which, saddle.begin, saddle.end, words.offsets, words.counts
        arcs = Arcs(*held, self.weight_of_active, x)
        rows = Rows.stacked([family.rows(arcs) for family in self.families], len(self.active))
        rows.arcs.put(saddle)
        self._take(rows, arcs)

    def _activate(self, active: Bools) -> None:
        """Changes the active set; keeps the point."""
        which, start, flow, row = self.saddle.used()
        which = self.active[which]
        old = self.rows.arcs
        paid = self.saddle.pair_row
        del self.saddle
        self._make(active)
        number = np.full(len(active), -1, np.int32)
        number[self.active] = np.arange(len(self.active), dtype=np.int32)
        self.saddle.place(number[which], start, flow, row)
        if len(old):
            ours, theirs = self.rows.arcs.same(self.rows.arcs.place, old)
            self.saddle.pair_row[ours] = paid[theirs]
        self.x[~active] = 0
        self._sum_gains()

    def update_active_set(self, steps: int) -> bool:
        """Updates the active set by rewards; returns whether it changed."""
        if steps < _SETTLED or self.budgets.free <= 0:
            return False
        counter = self.counter
        threshold = largest(self.rewards[~counter.fixed], int(self.budgets.free))[1]
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

    def restart(self) -> None:
        """Makes the present point the anchor."""
        super().restart()
        self.x_made = self.budgets.fitted(self.x_from)  # the point may exceed the budget

    def step(self) -> float:
        """Makes one step; returns the distance that the point moved."""
        self.prices = None
        return super().step()

    def positions(self, places: Int64) -> tuple[Int64, Int64]:
        """Returns all positions in ``words.data`` of some places, and the place of each."""
        return places, np.arange(len(places))

    def proposed(self) -> Float64:
        """Returns the prices to count: those of the last step before averaging."""
        return self.saddle.made if self.prices is None else self.prices

    def cost(self) -> float:
        """Returns the cost of the present point; it is at least the value of the relaxation."""
        for family in self.families:
            self.x_made = family.kept(self.active, self.x_made)
        saddle, x = self.saddle, np.concatenate([self.x_made, self.own_made])
        costs = [0.0] * SHARDS

        def work(n: int) -> None:
            costs[n] = saddle.cost(n, x)

        self.counter.share(work, SHARDS)
        return sum(costs)


_FEWER = (
    "split the words with a pre-tokenizer, or cap candidates with --max-length (max_length); the "
    "bound is then about vocabularies of such tokens only"
)


def _refuse_beyond_memory(n_arcs: int, size: int) -> None:
    """Raises an error if the arcs do not fit in memory or in 32 bits."""
    if n_arcs >= 2**31 - 1:
        raise InputError(f"the relevant candidates occur {n_arcs:,} times: {_FEWER}")
    what = f"the candidates that matter occur {n_arcs:,} times, which needs"
    refuse_beyond(n_arcs * size, what, _FEWER)
