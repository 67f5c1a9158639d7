"""Rounds of cuts: steps, an exact bound over all candidates, separation, and again."""

from __future__ import annotations

import math
import time
from collections import Counter
from copy import copy
from dataclasses import dataclass

import numpy as np

from ...runtime.limits import Deadline
from ..counting.price_counter import PriceCounter, largest
from ..rows.cuts import Inequality
from ..steps.part_ascent import PartAscent
from ..steps.separation import separate
from ..steps.word_ascent import WordAscent
from .dual_point import Case, DualPoint, Rewards

__all__ = ["CutRounds", "Round"]

_STEPS, _STEPS_LATER = 150, 300  # of a round, and of one after the first ten
_EARLY = 10
_STEPS_BEFORE = 400  # restarts come as late as after so many steps
_ACTIVE = 0.8  # rewards of the first active set, as a part of the k-th largest
_NEAR = 0.9  # of those that are added where a candidate is violated
_CHOSEN = 0.01  # x of a candidate that is kept
_CALM = 1 / 32  # of the primal weight, where a case begins: its prices are nearly right
_KEPT_ROUNDS = 3  # a cut without a multiplier is dropped every so many rounds


@dataclass(frozen=True)
class Round:
    """What a round found.

    Attributes
    ----------
    number : int
        The round's number.
    value : int
        The lower bound of the case, times `one` of the counter.
    prices : DualPoint
        What proves it.
    rewards : Rewards
        What these give.
    new : int
        Cuts that were violated and are new.
    kinds : dict of str to int
        Cuts with a multiplier, by kind: triangles, longer cycles, cliques.
    violated : int
        Candidates outside the active set with a reward above the k-th largest.
    """

    number: int
    value: int
    prices: DualPoint
    rewards: Rewards
    new: int
    kinds: dict[str, int]
    violated: int


class CutRounds:
    """Rounds of cuts for a case, from the point of the plain steps.

    Parameters
    ----------
    ascent : WordAscent
        The plain steps.
    case : Case
        The vocabularies that the bound is about.
    """

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
        self.n_rounds = 0
        self.n_steps = 0
        self.count_seconds = 0.0
        self._first = self._previous = math.inf

    def branch(self, case: Case) -> CutRounds:
        """Returns rounds from the present point for a case within this one."""
        other = copy(self)
        other.case = case
        other.steps = self.steps.branch(case.inside, case.outside, case.free)
        other.steps.weight *= _CALM
        other.n_steps = _STEPS_BEFORE
        other._first = other._previous = math.inf
        return other

    def counted_by(self, counter: PriceCounter) -> CutRounds:
        """Returns rounds from the present point for other counts of the words."""
        other = copy(self)
        other.counter = counter
        other.steps = self.steps.counted_by(counter)
        other._first = other._previous = math.inf
        return other

    def round(
        self, deadline: Deadline, most_steps: int | None = None, *, separates: bool = True
    ) -> Round:
        """Makes steps, counts the bound, and adds the cuts that are violated.

        Parameters
        ----------
        deadline : Deadline
            When to stop.
        most_steps : int, optional
            The largest number of steps.
        separates : bool
            Whether cuts are looked for.
        """
        count = _STEPS if self.n_rounds < _EARLY else _STEPS_LATER
        self._step(count if most_steps is None else min(count, most_steps), deadline)
        steps = self.steps
        begun = time.monotonic()
        prices = DualPoint.of(steps)
        value, rewards = prices.count(self.counter, self.case)
        self.count_seconds = max(self.count_seconds, time.monotonic() - begun)
        known = set(steps.cuts)
        separates &= not deadline.is_over
        cuts = [cut for cut in separate(steps) if cut not in known] if separates else []
        active, violated = self._active(rewards)
        round_ = Round(self.n_rounds, value, prices, rewards, len(cuts), _kinds(prices), violated)
        kept = steps.cuts
        if self.n_rounds % _KEPT_ROUNDS == _KEPT_ROUNDS - 1:
            kept = [cut for cut, m in zip(kept, steps.cut_multipliers, strict=True) if m > 0]
        if cuts or violated or steps.lacks_rows:
            steps.change(active, [*kept, *cuts])
        self.n_rounds += 1
        return round_

    def _step(self, count: int, deadline: Deadline) -> None:
        """Makes steps, with restarts where they have come nearer or go round."""
        for _ in range(count):
            moved = self.steps.step()
            self.n_steps += 1
            since = self.steps.steps
            if since == 1:
                self._first = moved
            elif (
                moved <= 0.2 * self._first
                or (moved <= 0.8 * self._first and moved > self._previous)
                or since >= 0.36 * max(self.n_steps, _STEPS_BEFORE)
            ):
                self.steps.reweigh()
                self.steps.restart()
                moved = math.inf
            self._previous = moved
            if deadline.is_over:
                break

    def _active(self, rewards: Rewards) -> tuple[np.ndarray, int]:
        """Returns the active set with the candidates that are violated, and how many these are."""
        case, units = self.case, rewards.optional
        active = np.zeros(len(units), bool)
        active[self.steps.active] = True
        optional = ~(case.inside | case.outside)
        threshold = largest(units[optional], case.free)[1]
        violated = int(np.count_nonzero(optional & ~active & (units > threshold)))
        if violated:
            # those near as well: else they come next
            active |= optional & (units > _NEAR * threshold)
        return np.flatnonzero(active).astype(np.int32), violated


def _kinds(prices: DualPoint) -> dict[str, int]:
    def kind(cut: Inequality) -> str:
        if cut.kind == "clique":
            return "cliques"
        kind = "triangles" if len(cut.nodes) == 3 else "cycles"
        return kind if len(cut.tokens) == len(cut.nodes) else kind + " of groups"

    return dict(Counter(kind(cut) for cut in prices.cuts))
