"""The steps of a lower bound for one budget: first without cuts, then rounds of cuts."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ...problem.certificates.certificate import Certificate
from ...problem.solution import Termination
from ...runtime.checkpoints import Checkpoints
from ...runtime.limits import Deadline
from ...segmentation.segmentation import segment
from ...vocabulary.vocabulary import Vocabulary
from ..steps.word_ascent import WordAscent
from .best_prices import BestPrices
from .cut_rounds import CutRounds

_STEPS = 32  # steps between two exact bounds
# the first steps gain most; steps between two exact bounds among these
_EARLY, _EARLY_STEPS = 64, 16
# Relative gap to the relaxation at which cuts begin.  They also begin if the bound has risen by
# less than that in the second half of so many steps or more: flows are far from meeting rows then.
_NEAR, _MANY_STEPS = 1e-4, 256
# Rounds without gain after which cuts end, and the same as a part of all rounds: new cuts may lower
# the bound, and late in a long run it takes many rounds to return
_ROUNDS_WITHOUT_GAIN, _PART_WITHOUT_GAIN = 8, 1 / 6
_GAIN = 1e-6  # relative increase of the bound that counts as a gain
_CUT_STEPS = 1500  # cuts need the time of so many plain steps before they prove more
# a count with cuts is taken to need this multiple of a plain one until it is measured
_CUT_COUNTS = 6
# the last count, over all candidates, and the certificate take this multiple of a count
_FINISH_COUNTS = 3


@dataclass(eq=False)
class Climb:
    """The steps for one budget: first without cuts, then rounds of cuts (if `cuts`).

    They end at a gap to the incumbent, after a number of steps, or at the deadline.
    """

    ascent: WordAscent
    best: BestPrices
    deadline: Deadline
    gap: float | None
    iterations: int | None = None
    cuts: bool = field(kw_only=True)  # whether rounds of cuts may follow

    def __post_init__(self) -> None:
        self.step = 0
        self.rounds: CutRounds | None = None
        self._needed: int | None = None  # tokens to compute the gap with, without an incumbent
        self._count_seconds = self._step_seconds = 0.0
        self._values: dict[int, float] = {}  # the bound after each number of steps
        self._steps_before_cuts = 0
        self._last_gain = 0, 0  # the last bound that was a gain, and its round

    def begin(self) -> None:
        """Makes the first point and computes its bound, if there is time."""
        seconds = math.inf
        if self.deadline.has_time_for(self.ascent.first_seconds):
            self.ascent.begin()
            self._count_seconds = self.best.offer(self.ascent, self.step)
            seconds = _FINISH_COUNTS * self._count_seconds
        self.deadline = self.deadline.earlier(seconds)

    def approach(self) -> None:
        """Makes steps without cuts until their x is near the relaxation's: rounds begin there."""
        self.begin()
        while self.ascent.begun and not self.is_near and self.advance() is None:
            pass

    def _limit(self) -> Termination | None:
        """Returns which limit is reached; None if none is."""
        best = self.best
        tokens = best.incumbent if self._needed is None else self._needed
        if (
            self.gap is not None
            and tokens is not None
            and tokens - best.lower_bound <= self.gap * tokens
        ):
            return "gap"
        if self.iterations is not None and self.step >= self.iterations:
            return "completed"
        return "time_limit" if self.deadline.is_over else None

    def run(
        self, threads: int, checkpoint: Callable[[Certificate], None] | None = None
    ) -> Termination:
        """Makes all steps with regular checkpoints; returns why they end."""
        checkpoints = Checkpoints(checkpoint, self.best.certificate)
        instance = self.best.instance
        try:
            if self.gap is not None and self.best.incumbent is None:
                chosen = Vocabulary(self.ascent.vocabulary.tokens[: instance.k], instance.symbols)
                self._needed = segment(instance.words, chosen, threads=threads).tokens
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
        is_near = best.prices is not None and best.distance() <= _NEAR * best.relaxation
        if best.prices is None or is_near or self.step < _MANY_STEPS:
            return is_near
        half = [value for step, value in self._values.items() if 2 * step <= self.step]
        return half[-1] >= (1 - _NEAR) * best.value / best.counter.one

    def advance(self) -> Termination | None:
        """Makes the next plain steps or the next round of cuts; returns why it ended, or None."""
        if self.rounds is not None:
            return self._round(self.rounds)
        ended = "completed" if self.best.is_solved(self.step) else self._limit()
        if self.cuts and (self.is_near or ended == "completed"):
            self.cuts = False
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
        left = self.deadline.left
        if left is not None and left < _CUT_STEPS * self._step_seconds:
            return False
        return self.iterations is None or self.step < self.iterations

    def _plain_steps(self) -> None:
        """Makes steps without cuts, and computes the bound."""
        ascent, best = self.ascent, self.best
        begun, before = time.monotonic(), self.step
        count = _EARLY_STEPS if before < _EARLY else _STEPS
        if self.iterations is not None:
            count = min(count, self.iterations - before)
        for _ in range(count):
            is_due = ascent.advance(max(0.36 * (self.step + 1), 8))
            self.step += 1
            if is_due:
                ascent.reweigh()
                if not ascent.update_active_set(self.step):
                    ascent.restart()
            if self.deadline.is_over:
                break
        self._step_seconds = (time.monotonic() - begun) / max(1, self.step - before)
        best.offer(ascent, self.step)
        self._values[self.step] = best.value / best.counter.one

    def _round(self, rounds: CutRounds) -> Termination | None:
        """Makes a round of cuts; if no cut is violated, steps without cuts continue."""
        best = self.best
        round_ = rounds.round(
            self.deadline.earlier(_CUT_COUNTS * self._count_seconds),
            None if self.iterations is None else self.iterations - self.step,
        )
        self._count_seconds = max(self._count_seconds, rounds.count_seconds / _CUT_COUNTS)
        self.step = self._steps_before_cuts + rounds.n_steps
        best.offer_round(round_, rounds)
        if not rounds.steps.cuts:
            self.rounds = None
            return None
        if best.value - self._last_gain[0] > _GAIN * best.value:
            self._last_gain = best.value, rounds.n_rounds
        ended = self._limit()
        patience = max(_ROUNDS_WITHOUT_GAIN, _PART_WITHOUT_GAIN * rounds.n_rounds)
        if ended is None and (best.is_met or rounds.n_rounds - self._last_gain[1] >= patience):
            ended = "completed"
        return ended

    def end(self) -> None:
        """Frees the memory of further steps; keeps the best prices."""
        vars(self).pop("ascent", None)  # it may have been freed already
        self.rounds = None
