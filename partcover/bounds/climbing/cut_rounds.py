"""Rounds of cuts: steps, an exact bound over all candidates, separation of violated cuts."""

from __future__ import annotations

import time
from copy import copy
from dataclasses import dataclass

import numpy as np

from ...runtime.arrays import Float64, Int32
from ...runtime.limits import Deadline
from ..counting.price_counter import PriceCounter, largest
from ..steps.link_separation import separate_links
from ..steps.part_ascent import PartAscent
from ..steps.separation import separate
from ..steps.word_ascent import WordAscent
from .dual_point import Case, DualPoint, Rewards

_STEPS = 200  # steps of a round
_STEPS_BEFORE = 400  # steps after which a restart is made at the latest
_ACTIVE = 0.8  # smallest reward in the first active set, as a part of the k-th largest
_NEAR = 0.9  # the same for candidates that are added when one is violated
_CHOSEN = 0.01  # x at or above which a candidate stays active
# A case differs from the one above it in a few words.  So its steps are made in turns: of all parts
# of words, and then of those with most of the change, whose steps take a small part of the time.
_TURNS, _OF_ALL, _OF_CHANGED = 2, 40, 300
_CHANGE = 0.9
_FIRST_WEIGHT = 0.16  # the primal weight where a case begins
# links, whose separation takes longest, are looked for if there are no other cuts, or a round gains
# at most this part of what all rounds have gained
_STALLED = 0.1
_KEPT_ROUNDS = 3  # every so many rounds, cuts with a multiplier of 0 are dropped


@dataclass(frozen=True)
class Round:
    """The result of a round."""

    value: int  # the lower bound of the case, times `one` of the counter
    prices: DualPoint  # the prices and multipliers that prove it
    rewards: Rewards  # the rewards at these prices
    new: int  # number of new violated cuts
    violated: int  # candidates outside the active set with a reward above the k-th largest


class CutRounds:
    """Rounds of cuts for a case, which begin at the point of the steps without cuts."""

    def __init__(self, ascent: WordAscent, case: Case) -> None:
        counter = ascent.counter
        self.counter = counter
        self.case = case
        optional = ~(case.inside | case.outside)
        threshold = largest(ascent.rewards[optional], case.free)[1]
        active = case.inside | (ascent.x > _CHOSEN) | (ascent.rewards > _ACTIVE * threshold)
        active &= ~case.outside
        first = np.flatnonzero(active).astype(np.int32)
        self.steps = PartAscent(ascent, first, case.inside, case.outside, case.free)
        cuts = separate(self.steps)
        if cuts:
            self.steps.change(self.steps.active, cuts)
        self._is_root = True  # whether no branch led here
        self.n_rounds = 0
        self.n_steps = 0
        self.count_seconds = 0.0
        self._values: tuple[int, int] | None = None  # the first bound of the rounds and the best
        self._begun_at: Float64 = np.zeros(0)  # the prices of all positions where a case began

    def branch(self, case: Case) -> CutRounds:
        """Returns rounds for a case within this one, which begin at the present point."""
        other = copy(self)
        other.case = case
        other.steps = self.steps.branch(case.inside, case.outside, case.free)
        other.steps.weight = _FIRST_WEIGHT
        other._begun_at = other.steps.proposed()
        other._is_root = False
        other.n_steps = _STEPS_BEFORE
        return other

    def counted_by(self, counter: PriceCounter) -> CutRounds:
        """Returns rounds for other counts of the words, which begin at the present point."""
        other = copy(self)
        other.counter = counter
        other.steps = self.steps.counted_by(counter)
        return other

    def round(
        self, deadline: Deadline, most_steps: int | None = None, *, separates: bool = True
    ) -> Round:
        """Makes steps until the deadline, computes the bound, and adds the violated cuts.

        A trial does not separate cuts; then the rows stay, too.
        """
        if self._is_root:
            self._step(_STEPS if most_steps is None else min(_STEPS, most_steps), deadline)
        else:
            self._take_turns(_TURNS if separates else 1, deadline)
        steps = self.steps
        begun = time.monotonic()
        prices = DualPoint.of(steps)
        value, rewards = prices.count(self.counter, self.case)
        self.count_seconds = max(self.count_seconds, time.monotonic() - begun)
        known = set(steps.cuts)
        separates &= not deadline.is_over
        cuts = [cut for cut in separate(steps) if cut not in known] if separates else []
        if separates and (self._has_stalled(value) or not cuts):
            cuts += separate_links(steps)
        active, violated = self._active(rewards)
        round_ = Round(value, prices, rewards, len(cuts), violated)
        kept = steps.cuts
        if self.n_rounds % _KEPT_ROUNDS == _KEPT_ROUNDS - 1:
            kept = [cut for cut, m in zip(kept, steps.cut_multipliers, strict=True) if m > 0]
        if (separates or self._is_root) and (cuts or violated or steps.lacks_rows):
            steps.change(active, [*kept, *cuts])
        self.n_rounds += 1
        return round_

    def _has_stalled(self, value: int) -> bool:
        """Keeps the bound of a round; returns whether it is hardly better than those before."""
        first, best = self._values or (value, value)
        gain = max(0, value - best)
        is_first, self._values = self._values is None, (first, best + gain)
        return not is_first and gain <= _STALLED * (best + gain - first)

    def remark(self, prices: DualPoint | None) -> str:
        """Returns a description: cuts of some prices by kind, and the number of parts of words."""
        kinds = {} if prices is None else prices.kinds
        named = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        return f"{named or 'no cuts'}; {len(self.steps.parts.counts):,} parts of words"

    def _take_turns(self, turns: int, deadline: Deadline) -> None:
        """Makes steps of all parts of words, in turn with those whose prices change most."""
        steps = self.steps
        for _ in range(turns):
            steps.let_move(steps.all_parts)
            if steps.n_shards == 1:  # so few that a step of some takes as long
                self._step(_STEPS, deadline)
                break
            self._step(_OF_ALL, deadline)
            steps.let_move(self._changed())
            self._step(_OF_CHANGED, deadline)
            if deadline.is_over:
                break

    def _changed(self) -> Int32:
        """Returns the parts of words that have most of the change since the case began."""
        parts = self.steps.parts
        moved = np.abs(self.steps.saddle.made - parts.merged(self._begun_at))
        change = parts.counts * np.add.reduceat(moved, parts.offsets[:-1])
        order = np.argsort(-change, kind="stable")
        total = np.cumsum(change[order])
        most = np.searchsorted(total, _CHANGE * total.max(initial=0.0)) + 1
        return np.sort(order[:most]).astype(np.int32)

    def _step(self, count: int, deadline: Deadline) -> None:
        """Makes steps, with restarts."""
        for _ in range(count):
            self.n_steps += 1
            if self.steps.advance(0.36 * max(self.n_steps, _STEPS_BEFORE)):
                self.steps.reweigh()
                self.steps.restart()
            if deadline.is_over:
                break

    def _active(self, rewards: Rewards) -> tuple[np.ndarray, int]:
        """Returns the active set with the violated candidates added, and the number of these."""
        case, units = self.case, rewards.optional
        active = np.zeros(len(units), bool)
        active[self.steps.active] = True
        optional = ~(case.inside | case.outside)
        threshold = largest(units[optional], case.free)[1]
        violated = int(np.count_nonzero(optional & ~active & (units > threshold)))
        if violated:
            # also add candidates with nearly as large rewards: they would be violated next
            active |= optional & (units > _NEAR * threshold)
        return np.flatnonzero(active).astype(np.int32), violated
