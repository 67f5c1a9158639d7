"""Rounds of cuts: steps, an exact bound over all candidates, separation of violated cuts."""

from __future__ import annotations

import time
from copy import copy
from dataclasses import dataclass

import numpy as np

from ...runtime.limits import Deadline
from ..counting.price_counter import PriceCounter, largest
from ..steps.part_ascent import PartAscent
from ..steps.separation import separate
from ..steps.word_ascent import WordAscent
from .dual_point import Case, DualPoint, Rewards

__all__ = ["CutRounds", "Round"]

_STEPS = 200  # steps of a round
_STEPS_BEFORE = 400  # steps after which a restart is made at the latest
_ACTIVE = 0.8  # smallest reward in the first active set, as a part of the k-th largest
_NEAR = 0.9  # the same for candidates that are added when one is violated
_CHOSEN = 0.01  # x at or above which a candidate stays active
_CALM = 1 / 32  # factor of the primal weight where a case begins: its prices are nearly right
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
        self._settled = self.steps.weight  # the primal weight of these rounds, and of their cases

    def branch(self, case: Case) -> CutRounds:
        """Returns rounds for a case within this one, which begin at the present point."""
        other = copy(self)
        other.case = case
        other.steps = self.steps.branch(case.inside, case.outside, case.free)
        # not a part of the present weight, which is still small where this case has just begun
        other.steps.weight = other._settled * _CALM
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
        """Makes steps until the deadline, computes the bound, and adds the violated cuts."""
        self._step(_STEPS if most_steps is None else min(_STEPS, most_steps), deadline)
        steps = self.steps
        begun = time.monotonic()
        prices = DualPoint.of(steps)
        value, rewards = prices.count(self.counter, self.case)
        self.count_seconds = max(self.count_seconds, time.monotonic() - begun)
        if self._is_root:
            self._settled = steps.weight
        known = set(steps.cuts)
        separates &= not deadline.is_over
        cuts = [cut for cut in separate(steps) if cut not in known] if separates else []
        active, violated = self._active(rewards)
        round_ = Round(value, prices, rewards, len(cuts), violated)
        kept = steps.cuts
        if self.n_rounds % _KEPT_ROUNDS == _KEPT_ROUNDS - 1:
            kept = [cut for cut, m in zip(kept, steps.cut_multipliers, strict=True) if m > 0]
        if cuts or violated or steps.lacks_rows:
            steps.change(active, [*kept, *cuts])
        self.n_rounds += 1
        return round_

    def remark(self, prices: DualPoint | None) -> str:
        """Returns a description: cuts of some prices by kind, and the number of parts of words."""
        kinds = {} if prices is None else prices.kinds
        named = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        return f"{named or 'no cuts'}; {len(self.steps.parts.counts):,} parts of words"

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
