"""The steps of a lower bound for one budget: first without cuts, then rounds of cuts."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

from ...problem.certificates.certificate import Certificate
from ...problem.solution import Termination
from ...runtime.checkpoints import Checkpoints
from ...runtime.limits import Deadline
from ...segmentation.segmentation import segment
from ...vocabulary.vocabulary import Vocabulary
from ..steps.word_ascent import WordAscent
from .best_prices import BestPrices
from .cut_rounds import CutRounds

__all__ = ["Climb", "StoppingRule"]


_STEPS = 32  # steps between two exact bounds
# the first steps gain most; steps between two exact bounds among these
_EARLY, _EARLY_STEPS = 64, 16
# Relative gap to the relaxation at which cuts begin.  They also begin if the bound has risen by
# less than that in the second half of so many steps or more: flows are far from meeting rows then.
_NEAR, _MANY_STEPS = 1e-4, 256
_ROUNDS_WITHOUT_GAIN = 8  # rounds without gain after which cuts end
_GAIN = 1e-6  # relative increase of the bound that counts as a gain
_CUT_STEPS = 1500  # cuts need the time of so many plain steps before they prove more
# a count with cuts is taken to need this multiple of a plain one until it is measured
_CUT_COUNTS = 6
# the last count, over all candidates, and the certificate take this multiple of a count
_FINISH_COUNTS = 3


@dataclass(frozen=True)
class StoppingRule:
    """The conditions under which the steps for one budget end.

    Attributes
    ----------
    deadline : Deadline
        The time limit.
    gap : float or None
        The relative gap at which to stop.
    iterations : int or None
        Maximum number of steps.
    incumbent : int or None
        Tokens to compute the gap with if the bound has no incumbent.
    """

    deadline: Deadline
    gap: float | None
    iterations: int | None
    incumbent: int | None = None

    def steps_left(self, step: int) -> int:
        """Returns how many steps to make before the next exact bound."""
        steps = _EARLY_STEPS if step < _EARLY else _STEPS
        return steps if self.iterations is None else min(steps, self.iterations - step)

    def termination(self, best: BestPrices, step: int) -> Termination | None:
        """Returns why the steps without cuts end now; None if they continue."""
        return "completed" if best.is_solved(step) else self.limit(best, step)

    def limit(self, best: BestPrices, step: int) -> Termination | None:
        """Returns which limit is reached; None if none is."""
        tokens = best.incumbent if self.incumbent is None else self.incumbent
        if (
            self.gap is not None
            and tokens is not None
            and tokens - best.lower_bound <= self.gap * tokens
        ):
            return "gap"
        if self.iterations is not None and step >= self.iterations:
            return "completed"
        return "time_limit" if self.deadline.is_over else None


class Climb:
    """The steps for one budget: first without cuts, then rounds of cuts.

    Parameters
    ----------
    ascent : WordAscent
        The steps without cuts.
    best : BestPrices
        Keeps the best prices and their bound.
    rule : StoppingRule
        The conditions for stopping.
    cuts : bool
        Whether to add cuts once the relaxation is nearly solved.

    Attributes
    ----------
    step : int
        The number of steps so far.
    rounds : CutRounds or None
        The rounds of cuts; None before the first.
    """

    def __init__(
        self, ascent: WordAscent, best: BestPrices, rule: StoppingRule, *, cuts: bool
    ) -> None:
        self.ascent = ascent
        self.best = best
        self.rule = rule
        self.step = 0
        self.rounds: CutRounds | None = None
        self._may_cut = cuts
        self._count_seconds = self._step_seconds = 0.0
        self._first = self._previous = math.inf
        self._values: dict[int, float] = {}  # the bound after each number of steps
        self._steps_before_cuts = 0
        self._last_gain = 0, 0  # the last bound that was a gain, and its round

    def begin(self) -> None:
        """Makes the first point and computes its bound, if there is time."""
        seconds = math.inf
        if self.rule.deadline.has_time_for(self.ascent.first_seconds):
            self.ascent.begin(self.best.instance.k)
            self._count_seconds = self.best.offer(self.ascent, self.step)
            seconds = _FINISH_COUNTS * self._count_seconds
        self.rule = replace(self.rule, deadline=self.rule.deadline.earlier(seconds))

    def run(self, threads: int, checkpoints: Checkpoints[Certificate]) -> Termination:
        """Makes all steps with regular checkpoints; returns why they end."""
        rule, best = self.rule, self.best
        try:
            if rule.gap is not None and best.incumbent is None:
                tokens = self.ascent.vocabulary.tokens[: best.instance.k]
                chosen = Vocabulary(tokens, best.instance.symbols)
                needed = segment(best.instance.words, chosen, threads=threads).tokens
                self.rule = replace(rule, incumbent=needed)
            self.begin()
            checkpoints.offer()
            while (termination := self.advance()) is None:
                checkpoints.offer()
        except KeyboardInterrupt:
            return "interrupted"
        return termination

    @property
    def is_near(self) -> bool:
        """Whether the relaxation is nearly solved, so that its x can guide a search."""
        best = self.best
        if best.prices is None:
            return False
        return best.distance() <= _NEAR * best.relaxation or self._is_slow

    @property
    def _is_slow(self) -> bool:
        """Whether the bound has risen little in the second half of the steps."""
        half = [value for step, value in self._values.items() if 2 * step <= self.step]
        now = self.best.value / self.best.counter.one
        return self.step >= _MANY_STEPS and half[-1] >= (1 - _NEAR) * now

    def advance(self) -> Termination | None:
        """Makes the next plain steps or the next round of cuts; returns why it ended, or None."""
        if self.rounds is not None:
            return self._round(self.rounds)
        ended = self.rule.termination(self.best, self.step)
        if self._may_cut and (self.is_near or ended == "completed"):
            self._may_cut = False
            if self._cuts_may_gain():
                self.rounds = self.best.begin_cuts(self.ascent)
                self._steps_before_cuts = self.step
                self._last_gain = self.best.value, 0
                return None
        if ended is None:
            self._plain_steps()
        return ended

    def _cuts_may_gain(self) -> bool:
        """Returns whether a better bound is needed and there is time for cuts."""
        best = self.best
        if best.prices is None or best.is_met or not len(self.ascent.active):
            return False
        left = self.rule.deadline.left
        if left is not None and left < _CUT_STEPS * self._step_seconds:
            return False
        return self.rule.iterations is None or self.step < self.rule.iterations

    def _plain_steps(self) -> None:
        """Makes steps without cuts, and computes the bound."""
        ascent, best = self.ascent, self.best
        begun, before = time.monotonic(), self.step
        for _ in range(self.rule.steps_left(self.step)):
            moved = ascent.step()
            self.step += 1
            if ascent.steps == 1:
                self._first = moved
            elif (
                moved <= 0.2 * self._first
                or (moved <= 0.8 * self._first and moved > self._previous)
                or ascent.steps >= max(0.36 * self.step, 8)
            ):
                ascent.reweigh()
                if not ascent.update_active_set(self.step):
                    ascent.restart()
                moved = math.inf
            self._previous = moved
            if self.rule.deadline.is_over:
                break
        self._step_seconds = (time.monotonic() - begun) / max(1, self.step - before)
        best.offer(ascent, self.step)
        self._values[self.step] = best.value / best.counter.one

    def _round(self, rounds: CutRounds) -> Termination | None:
        """Makes a round of cuts; if no cut is violated, steps without cuts continue."""
        best, rule = self.best, self.rule
        round_ = rounds.round(
            rule.deadline.earlier(_CUT_COUNTS * self._count_seconds),
            None if rule.iterations is None else rule.iterations - self.step,
        )
        self._count_seconds = max(self._count_seconds, rounds.count_seconds / _CUT_COUNTS)
        self.step = self._steps_before_cuts + rounds.n_steps
        best.offer_round(round_, rounds)
        if not rounds.steps.cuts:
            self.rounds = None
            return None
        if best.value - self._last_gain[0] > _GAIN * best.value:
            self._last_gain = best.value, round_.number
        ended = rule.limit(best, self.step)
        if ended is None and (
            best.is_met or round_.number - self._last_gain[1] >= _ROUNDS_WITHOUT_GAIN
        ):
            ended = "completed"
        return ended

    def end(self) -> None:
        """Frees the memory of further steps; keeps the best prices."""
        vars(self).pop("ascent", None)  # it may have been freed already
        self.rounds = None
