"""Keeps the best prices for one budget, and the bound that they prove."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...errors import InputError
from ...heuristics.search import Target
from ...problem.bound import Bound
from ...problem.certificates.certificate import Certificate
from ...problem.certificates.nodes import Leaf
from ...problem.solution import Termination
from ...runtime.arrays import Bools, Int64
from ...runtime.limits import Deadline, RunLimits
from ...runtime.progress import Event, Progress
from ..counting.price_counter import PriceCounter
from ..counting.reduced_costs import reduced_costs
from ..steps.word_ascent import WordAscent
from .cut_rounds import CutRounds, Round
from .dual_point import Case, DualPoint
from .leaf_prices import rounds_at

PATIENCE, PATIENCE_NEAR = 4000, 256
"""Steps in which the gap to the relaxation must shrink, far from its optimum and near it."""

_NEAR = 1e-7  # relative gap at which the relaxation counts as solved
_FALL = 0.9  # factor by which the gap must shrink


def refuse_below(incumbent: int | Fraction | None, proven: int | Fraction) -> None:
    """Raises an error if less is given as enough than is proven to be needed."""
    if incumbent is not None and proven > incumbent:
        raise InputError(
            f"{incumbent} tokens are given as enough, but {proven} are proven to be needed: the "
            "incumbent is for another instance"
        )


@dataclass(eq=False)
class BestPrices:
    """The best prices so far, and the lower bound that they prove."""

    counter: PriceCounter
    incumbent: int | None  # tokens that some vocabulary needs
    known: Certificate | None  # a certificate to start from
    deadline: Deadline  # the clock of the call
    progress: Progress

    def __post_init__(self) -> None:
        counter, known = self.counter, self.known
        self.instance = instance = counter.instance
        self.lower_bound = instance.words.total_count
        if known is not None:
            self._prove(int(known.lower_bound), "start")
        self.value = 0  # in units of 1 / counter.one tokens
        self.prices: DualPoint | None = None
        self._rewards: Int64 | None = None  # rewards of all candidates, once they are counted
        self.case = Case.whole(counter)
        self.plain_bound = self.lower_bound
        self.n_rounds = 0
        # the last distance that was much smaller than before, and its step
        self.last_fall = math.inf, 0
        self.relaxation = math.inf
        self.x = self.plain_x = np.zeros(len(instance.index))

    def offer(self, ascent: WordAscent, step: int) -> float:
        """Computes the bound of the present prices; returns the seconds that this took."""
        begun = time.monotonic()
        cost = ascent.cost()
        if cost < self.relaxation:
            self.relaxation = cost
            self.x = self.plain_x = ascent.x_all()
        self._count(ascent)
        counter = self.counter
        loss = self.instance.words.total_symbols / (2 * counter.one)  # of rounding, at most
        if counter.bits < counter.finest and self.distance() < 8 * loss:
            # rounding costs too much: count with more digits
            self.refine(min(counter.finest, counter.bits + 12))
            self._count(ascent)
        if self.distance() < _FALL * self.last_fall[0]:
            self.last_fall = self.distance(), step
        return time.monotonic() - begun

    def begin_cuts(self, ascent: WordAscent) -> CutRounds:
        """Returns rounds of cuts that begin at the present point and count with more digits.

        If the best prices have cuts, as those of a start may, rounds begin at these.

        The multiplier of a cut may be as large as a reward, and numbers in a certificate have 63
        bits.  Where counts are in the billions, all digits would list a cut many times.
        """
        digits = min(self.counter.finest, 66 - int(ascent.fee).bit_length())
        self.refine(max(self.counter.bits, digits))
        if self.prices is not None and self.prices.cuts:
            return rounds_at(ascent, self.case, self.prices, self.prices.rewards(self.counter))
        _, _, ascent.rewards = self._counted(ascent)
        return CutRounds(ascent, self.case)

    def keep(self, value: int, prices: DualPoint) -> None:
        """Keeps the prices of a start."""
        self.value, self.prices = value, prices
        self._prove(self.counter.bound(value), "start")

    def offer_round(self, round_: Round, rounds: CutRounds) -> None:
        """Keeps the prices of a round of cuts if they prove a better bound."""
        self.n_rounds += 1
        if round_.value > self.value:
            self.value, self.prices = round_.value, round_.prices
            self._rewards = round_.rewards.optional
            self.x = rounds.steps.x_all()
        self._prove(self.counter.bound(round_.value), "cuts")

    def refine(self, bits: int) -> None:
        """Sets the number of binary digits of prices."""
        added = bits - self.counter.bits
        self.counter.refine(bits)
        self._rewards = None
        if self.prices is not None:
            self.value, self.prices = self.value << added, self.prices.finer(added)

    def _count(self, ascent: WordAscent) -> None:
        """Computes the bound of the present prices, and keeps them if it is better."""
        value, point, ascent.rewards = self._counted(ascent)
        if self.prices is None or value > self.value:
            self.value, self.prices = value, point
            self._rewards = None
        proven = self.counter.bound(value)
        self.plain_bound = max(self.plain_bound, proven)
        self._prove(proven, "prices")

    def _counted(self, ascent: WordAscent) -> tuple[int, DualPoint, Int64]:
        """Returns the bound of the present point, the point, and the rewards.

        Without other multipliers, only candidates that may have one of the k largest rewards are
        counted.
        """
        counter = self.counter
        if not ascent.families and not counter.groups:
            point = DualPoint(counter.rounded(ascent.proposed()))
            value, units = counter.count(point.prices, self.instance.k)
            return value, point, units
        point = DualPoint.of(ascent)
        value, rewards = point.count(counter, self.case)
        return value, point, rewards.optional

    def distance(self) -> float:
        """Returns the tokens between the value of the relaxation and the proven bound."""
        if self.prices is None:
            return math.inf
        return self.relaxation - self.value / self.counter.one

    def _prove(self, bound: int, source: str) -> None:
        """Keeps a lower bound if it is better."""
        if bound <= self.lower_bound:
            return
        self.lower_bound = bound
        refuse_below(self.incumbent, bound)
        self.progress.event(Event(self.deadline.seconds, "bound", self.incumbent, bound, source))

    @property
    def is_met(self) -> bool:
        """Whether the bound equals the tokens that the incumbent needs."""
        return self.lower_bound == self.incumbent

    def is_solved(self, step: int) -> bool:
        """Returns whether no better bound is possible, needed or likely."""
        proven = self.lower_bound
        if self.is_met or proven >= self.relaxation * (1 - 1e-14):
            return True
        # neither value changes any more: floating point has no more digits
        near = self.distance() <= _NEAR * max(1.0, self.relaxation)
        return step - self.last_fall[1] >= (PATIENCE_NEAR if near else max(PATIENCE, step // 2))

    def _reduced_costs(self) -> tuple[Int64, Bools]:
        """Returns the reduced costs of all tokens, and which tokens are chosen."""
        assert self.prices is not None
        counter = self.counter
        if self._rewards is None:
            self._rewards = self.prices.rewards(counter).optional
        return reduced_costs(self._rewards, counter.fixed, self.instance, counter.largest_unseen)

    def _beyond(self, costs: Int64) -> Int64:
        """Returns reduced costs beyond the proven bound.

        If the start proves more than these prices, forcing a token adds that much less to it.
        """
        counter = self.counter
        excess = max(0, (self.lower_bound - counter.bound(self.value)) * counter.unit)
        return np.where(costs > 0, np.maximum(costs - excess, 0), costs)

    def target(self) -> Target:
        """Returns the proven bound and the reduced costs, for a search."""
        if self.prices is None:
            return Target(self.lower_bound)
        counter = self.counter
        costs, _ = self._reduced_costs()
        in_tokens = np.maximum(self._beyond(costs[: len(self.x)]) / counter.unit, 0)
        points = (self.x,) if self.x is self.plain_x else (self.x, self.plain_x)
        return Target(self.lower_bound, in_tokens, points)

    def certificate(self) -> Certificate:
        """Returns the certificate of the best lower bound so far."""
        if self.known is not None and self.known.lower_bound >= self.lower_bound:
            return self.known
        leaf = Leaf(None) if self.prices is None else self.prices.leaf(self.counter)
        return self.counter.certificate((leaf,), self.lower_bound)

    def bound(self, iterations: int, termination: Termination, limits: RunLimits) -> Bound:
        """Returns the bound with its certificate, and the candidates that it decides."""
        counter, instance = self.counter, self.instance
        size = len(instance.index)
        costs = np.zeros(size, np.int64)
        inside = outside = np.zeros(0, np.int64)
        if self.prices is not None:
            costs, chosen = self._reduced_costs()
            costs = costs[:size]
            if self.incumbent is not None:
                # a case whose bound reaches the incumbent's tokens holds no better vocabulary; each
                # reward is rounded down by less than a unit
                rounded = counter.one // counter.unit
                left = (self.incumbent - 1) * counter.unit - self.value // rounded + (rounded > 1)
                optional = ~counter.fixed[:size]
                inside = np.flatnonzero(optional & chosen[:size] & (-costs > left))
                outside = np.flatnonzero(optional & ~chosen[:size] & (costs > left))
            costs = self._beyond(costs)
        return Bound(
            counter.asked,
            self.certificate(),
            self.lower_bound,
            self.incumbent,
            self.relaxation,
            self.x,
            costs,
            counter.unit,
            inside.astype(np.int32),
            outside.astype(np.int32),
            self.deadline.seconds,
            iterations,
            termination,
            limits.seed,
            limits.threads,
            self.plain_bound,
            self.plain_x,
            {} if self.prices is None else self.prices.kinds,
            self.n_rounds,
        )
