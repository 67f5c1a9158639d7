"""Proves lower bounds for whole corpora: first-order steps find prices, integers count them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import InputError
from ..heuristics.greedy import greedtok
from ..problem.certificate import Certificate, Leaf
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.arguments import Seconds, Share, Threads, Whole, checked
from ..runtime.arrays import Int64
from ..runtime.limits import Deadline, RunLimits
from ..runtime.parallel import workers
from ..runtime.progress import Event, Progress
from ..segmentation.segmentation import segment
from ..verification.certificate_check import check_certificate
from ..vocabulary.vocabulary import Vocabulary
from .bound import Bound
from .price_counter import PriceCounter
from .primal_dual import Ascent
from .reduced_costs import reduced_costs

__all__ = ["PATIENCE", "bounds", "lower_bound"]


PATIENCE, PATIENCE_NEAR = 4000, 256
"""Steps within which the gap to the relaxation must fall, far from its optimum and near it."""

_STEPS = 32  # between two exact bounds
_NEAR = 1e-7  # relative gap at which the relaxation is nearly solved
_FALL = 0.9  # factor by which the gap must fall
_START_SECONDS = 6e-7  # a symbol, before the first bound
_FINISH_COUNTS = 3  # the last count, over all candidates, and the proof take so many counts


@checked
def lower_bound(
    instance: Instance,
    *,
    incumbent: int | None = None,
    warm_start: Certificate | None = None,
    greedy: Solution | None = None,
    time_limit: Seconds | None = None,
    target_gap: Share | None = None,
    iterations: Whole | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Bound:
    """Finds prices that prove a lower bound on the tokens needed, for corpora of any size.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions.  Group budgets are not used.
    incumbent : int, optional
        Tokens that some vocabulary needs: for the gap, and to prove candidates in or out.
    warm_start : Certificate, optional
        A warm start: prices of the same words and conditions, for any k.  The bound is at least
        what they prove; of a certificate for this k, all that it proves, and it is kept where no
        better one is found.
    greedy : Solution, optional
        The solution of `greedtok` for this instance; by default GreedTok is run.
    time_limit : float, optional
        Seconds, the last count included.  Enumerating the candidates and hashing the words take
        place whatever the limit is; where no time is left then, the bound is a token for each
        counted word.
    target_gap : float, optional
        The gap to the incumbent at which to stop; without an incumbent, to GreedTok's vocabulary.
    iterations : int, optional
        The largest number of steps.
    threads : int
        Number of threads; the result is the same for any number, bit by bit.
    progress : Progress, optional
        Receives an `Event` for each better bound.

    Returns
    -------
    Bound
        At a limit or after Ctrl-C: the best so far.  Every bound is counted in integers from
        rounded prices, so rounding can only lower it.

    Raises
    ------
    InputError
        For a bad limit, an incumbent below what is proven, a start that is about other words or
        conditions, more occurrences of candidates than fit in memory, or counts that add up to
        2^53 symbols or more.

    Notes
    -----
    Maximises g(d) = Σ_W c(W)·Σ d_p − (the k largest rewards) over prices d ≤ 1, which is dual to
    the linear relaxation of ``path`` with cuts over overlapping occurrences.  The steps are the
    primal-dual hybrid gradient of Chambolle and Pock (2011), with their diagonal step sizes,
    reflected and drawn back to an anchor (Halpern), and restarted, as in PDLP and its successors
    (Applegate et al. 2021; Lu and Yang 2024).  A step is O(symbols + occurrences of candidates
    that matter + candidates).  A candidate matters if it might save as much as GreedTok's k-th
    token; all others are still counted in every bound.

    Examples
    --------
    >>> from partcover import Instance, lower_bound
    >>> bound = lower_bound(Instance({"banana": 2, "bandana": 1}, 1), incumbent=9)
    >>> bound.lower_bound, bound.gap, bound.status
    (9, 0.0, 'optimal')
    """
    return bounds(
        instance,
        [instance.k],
        incumbents=None if incumbent is None else {instance.k: incumbent},
        warm_start=warm_start,
        greedy=greedy,
        time_limit=time_limit,
        target_gap=target_gap,
        iterations=iterations,
        threads=threads,
        progress=progress,
    )[0]


@checked
def bounds(
    instance: Instance,
    budgets: Sequence[int],
    *,
    incumbents: dict[int, int] | None = None,
    warm_start: Certificate | None = None,
    greedy: Solution | None = None,
    time_limit: Seconds | None = None,
    target_gap: Share | None = None,
    iterations: Whole | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
    done: Callable[[Bound], None] | None = None,
) -> list[Bound]:
    """Proves lower bounds for several budgets, each started from the one before.

    Parameters
    ----------
    instance : Instance
        The instance, as for `lower_bound`; its own k does not matter.
    budgets : sequence of int
        The budgets, in the order to take them.
    incumbents : dict of int to int, optional
        For a budget, tokens that some vocabulary within it needs.
    warm_start, target_gap, threads, progress
        As for `lower_bound`.
    greedy : Solution, optional
        The solution of `greedtok` for the largest budget; by default GreedTok is run.
    time_limit, iterations
        As for `lower_bound`, for each budget.
    done : callable, optional
        Receives each bound as soon as it is proven.

    Returns
    -------
    list of Bound
        One for each budget; after Ctrl-C, those up to the one interrupted.

    Raises
    ------
    InputError
        As `lower_bound` does, and for no budget.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.bounds.lower_bound import bounds
    >>> instance = Instance({"banana": 2, "bandana": 1}, 0)
    >>> [bound.lower_bound for bound in bounds(instance, [2, 1, 0])]
    [3, 9, 19]
    """
    if not budgets:
        raise InputError("no budget is given")
    limits = RunLimits(time_limit, threads=threads)
    deadline = limits.start()
    _refuse_large_counts(instance)
    _ = instance.index  # once for all budgets
    instances = {k: instance.with_k(k) for k in budgets}
    for k, tokens in (incumbents or {}).items():
        if tokens < instance.words.total_count:
            raise InputError(
                f"an incumbent of {tokens} tokens for k = {k}: the words alone are "
                f"{instance.words.total_count}"
            )
    _ = instance.words.digest  # every certificate has it: made before the steps are timed
    proven: list[Bound] = []
    with workers(threads) as share:
        counter = PriceCounter(instance, share)
        prices = None if warm_start is None else counter.prices_of(warm_start)
        known = None if warm_start is None else _checked(counter, warm_start)
        if greedy is None:
            greedy = greedtok(instances[max(budgets)], time_limit=deadline.left, threads=threads)
        vocabulary = greedy.vocabulary or Vocabulary((), instance.symbols)
        ascent = Ascent(counter, vocabulary, greedy.gains)
        if prices is not None:
            ascent.prices = prices
        for k in budgets:
            best = BestPrices(
                counter,
                instances[k],
                None if incumbents is None else incumbents.get(k),
                known if known is not None and known.k == k else None,
                deadline,
                progress or Progress(),
            )
            rule = StoppingRule(deadline, target_gap, iterations)
            n_steps, termination = 0, greedy.termination
            if termination != "interrupted":
                n_steps, termination = _climb(ascent, best, rule, limits)
            bound = best.bound(n_steps, termination, limits)
            proven.append(bound)
            if done is not None:
                done(bound)
            if bound.termination == "interrupted":
                break
            deadline = limits.start()
    return proven


def _checked(counter: PriceCounter, certificate: Certificate) -> Certificate | None:
    """Returns a certificate with its bound recounted, for its own k; None if it proves nothing."""
    instance = counter.instance.with_k(certificate.k)
    if certificate.k < len(instance.fixed):
        return None
    proven = counter.proven_by(certificate)
    if proven is None:
        proven = check_certificate(instance, certificate).lower_bound
    return replace(certificate, lower_bound=proven) if proven else None


def _refuse_large_counts(instance: Instance) -> None:
    """Refuses counts for which prices in floating point have too few digits."""
    if instance.words.total_symbols >= 2**53:
        raise InputError(
            "the counts are too large for prices of enough digits: scale them down, or take fewer "
            "words"
        )


@dataclass(frozen=True)
class StoppingRule:
    """When the steps for one budget end.

    Attributes
    ----------
    deadline : Deadline
        When time is up.
    target_gap : float or None
        The relative gap that is enough.
    iterations : int or None
        The largest number of steps.
    """

    deadline: Deadline
    target_gap: float | None
    iterations: int | None

    def steps_left(self, step: int) -> int:
        """Returns how many steps to make before the next exact bound."""
        return _STEPS if self.iterations is None else min(_STEPS, self.iterations - step)

    def termination(self, best: BestPrices, incumbent: int | None, step: int) -> Termination | None:
        """Returns why the steps end now; None if they go on."""
        if best.is_solved(step):
            return "completed"
        if (
            self.target_gap is not None
            and incumbent is not None
            and incumbent - best.lower_bound <= self.target_gap * incumbent
        ):
            return "gap"
        if self.iterations is not None and step >= self.iterations:
            return "completed"
        return "time_limit" if self.deadline.is_over else None


def _climb(
    ascent: Ascent, best: BestPrices, rule: StoppingRule, limits: RunLimits
) -> tuple[int, Termination]:
    """Makes steps until the rule ends them; returns their number and the reason."""
    instance, incumbent = best.instance, best.incumbent
    step = 0
    try:
        if rule.target_gap is not None and incumbent is None:
            chosen = Vocabulary(ascent.vocabulary.tokens[: instance.k], instance.symbols)
            incumbent = segment(instance.words, chosen, threads=limits.threads).tokens
        seconds = math.inf
        if not rule.deadline.earlier(_START_SECONDS * len(instance.words.data)).is_over:
            ascent.begin(instance.k)
            seconds = _FINISH_COUNTS * best.offer(ascent, step)
        rule = replace(rule, deadline=rule.deadline.earlier(seconds))
        previous = first = math.inf
        while (termination := rule.termination(best, incumbent, step)) is None:
            for _ in range(rule.steps_left(step)):
                moved = ascent.step()
                step += 1
                if ascent.steps == 1:
                    first = moved
                elif (
                    moved <= 0.2 * first
                    or (moved <= 0.8 * first and moved > previous)
                    or ascent.steps >= max(0.36 * step, 8)
                ):
                    ascent.reweigh()
                    if not ascent.update_active_set(step):
                        ascent.restart()
                    moved = math.inf
                previous = moved
                if rule.deadline.is_over:
                    break
            best.offer(ascent, step)
    except KeyboardInterrupt:
        termination = "interrupted"
    return step, termination


class BestPrices:
    """The best prices so far for one budget, and the lower bound that they prove.

    Parameters
    ----------
    counter : PriceCounter
        Counts what prices prove.
    instance : Instance
        The instance with the budget.
    incumbent : int or None
        Tokens that some vocabulary needs.
    known : Certificate or None
        A certificate to start from.
    deadline : Deadline
        The clock of the call.
    progress : Progress
        Receives each better bound.
    """

    def __init__(
        self,
        counter: PriceCounter,
        instance: Instance,
        incumbent: int | None,
        known: Certificate | None,
        deadline: Deadline,
        progress: Progress,
    ) -> None:
        self.counter = counter
        self.instance = instance
        self.incumbent = incumbent
        self.known = known
        self.deadline = deadline
        self.progress = progress
        self.lower_bound = instance.words.total_count
        if known is not None:
            self._prove(known.lower_bound, "start")
        self.value = 0  # in units of 1 / counter.one tokens
        self.prices: Int64 | None = None
        self.last_fall = math.inf, 0  # the distance that last fell much, and the step
        self.relaxation = math.inf
        self.x = np.zeros(len(instance.index))

    def offer(self, ascent: Ascent, step: int) -> float:
        """Counts what the present prices prove; returns the seconds that took."""
        begun = time.monotonic()
        cost = ascent.cost()
        if cost < self.relaxation:
            self.relaxation = cost
            self.x = ascent.x_all()
        self._count(ascent)
        counter = self.counter
        if counter.bits < counter.finest and self.distance() < 8 * self._rounding_loss():
            # rounding is in the way: count with more digits
            added_bits = min(counter.finest, counter.bits + 12) - counter.bits
            counter.refine(counter.bits + added_bits)
            if self.prices is not None:
                self.value, self.prices = self.value << added_bits, self.prices << added_bits
            self._count(ascent)
        if self.distance() < _FALL * self.last_fall[0]:
            self.last_fall = self.distance(), step
        return time.monotonic() - begun

    def _count(self, ascent: Ascent) -> None:
        """Counts the present prices and keeps them if they prove more."""
        counter = self.counter
        prices = counter.rounded(ascent.proposed())
        value, ascent.rewards = counter.count(prices, self.instance.k)
        if self.prices is None or value > self.value:
            self.value, self.prices = value, prices
        self._prove(counter.bound(value), "prices")

    def distance(self) -> float:
        """Returns the tokens between the relaxation and what the prices prove."""
        if self.prices is None:
            return math.inf
        return self.relaxation - self.value / self.counter.one

    def _rounding_loss(self) -> float:
        """Returns the most tokens that rounding the prices may cost."""
        return self.instance.words.total_symbols / (2 * self.counter.one)

    def _prove(self, bound: int, source: str) -> None:
        """Keeps a lower bound if it is better."""
        if bound <= self.lower_bound:
            return
        self.lower_bound = bound
        if self.incumbent is not None and bound > self.incumbent:
            raise InputError(
                f"{self.incumbent} tokens are given as enough, and {bound} are proven to be "
                "needed: the incumbent is not of this instance"
            )
        self.progress.event(Event(self.deadline.seconds, "bound", self.incumbent, bound, source))

    def is_solved(self, step: int) -> bool:
        """Returns whether no better bound is possible, of use, or to be expected."""
        proven = self.lower_bound
        if proven == self.incumbent or proven >= self.relaxation * (1 - 1e-14):
            return True
        # neither end moves any more: floating point has no more digits
        near = self.distance() <= _NEAR * max(1.0, self.relaxation)
        return step - self.last_fall[1] >= (PATIENCE_NEAR if near else max(PATIENCE, step // 2))

    def bound(self, iterations: int, termination: Termination, limits: RunLimits) -> Bound:
        """Returns the bound with its certificate, and what it proves about candidates."""
        counter, instance = self.counter, self.instance
        size = len(instance.index)
        costs = np.zeros(size, np.int64)
        inside = outside = np.zeros(0, np.int64)
        certificate = self.known
        if certificate is None or certificate.lower_bound < self.lower_bound:
            prices = None
            if self.prices is not None:
                prices = self.prices[instance.index.positions_ascending()]
            if prices is not None and counter.bits <= 30:
                prices = prices.astype(np.int32)
            leaf = Leaf(prices)
            certificate = Certificate.of(instance, (leaf,), self.lower_bound, counter.bits)
        if self.prices is not None:
            value, rewards = counter.count(self.prices, instance.k, every=True)
            costs, chosen = reduced_costs(rewards, counter.fixed, instance)
            costs = costs[:size]
            if self.incumbent is not None:
                # a case that needs as many tokens as the incumbent holds nothing better; rewards
                # are rounded down by less than a unit each
                rounded = counter.one // counter.unit
                left = (self.incumbent - 1) * counter.unit - value // rounded + (rounded > 1)
                optional = ~counter.fixed[:size]
                inside = np.flatnonzero(optional & chosen[:size] & (-costs > left))
                outside = np.flatnonzero(optional & ~chosen[:size] & (costs > left))
            # where the start proves more than these prices, forcing adds that much less to it
            excess = max(0, (self.lower_bound - counter.bound(value)) * counter.unit)
            costs = np.where(costs > 0, np.maximum(costs - excess, 0), costs)
        return Bound(
            instance,
            certificate,
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
        )
