"""Lower bounds for whole corpora: the best prices, found by first-order steps, counted exactly."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..heuristics.greedy import greedtok
from ..problem.certificate import Certificate, Leaf
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.arguments import Seconds, Seed, Share, Threads, Whole, checked
from ..runtime.limits import Deadline
from ..runtime.progress import Event, Progress
from ..segmentation.segmentation import segment
from ..verification.certificate_check import check_certificate
from ..vocabulary.vocabulary import Vocabulary
from .bound import Bound
from .price_counter import PriceCounter, workers
from .primal_dual import Ascent

__all__ = ["bounds", "lower_bound"]

Bools = npt.NDArray[np.bool_]
Int64 = npt.NDArray[np.int64]

_EVERY = 32  # steps between two exact bounds
_SOLVED = 1e-7  # relative gap at which the relaxation is nearly solved
_FALLS = 0.9  # by this factor the gap must fall
_WAIT, _WAIT_NEAR = 4000, 256  # within so many steps, far from the relaxation and near it
_BEGINNING = 6e-7  # seconds a symbol before the first bound
_FINISHING = 3  # times the time of a count: the last one, over all candidates, and the proof


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
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Bound:
    """Find prices that prove a lower bound on the tokens needed; for corpora of any size.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions.  Group budgets are not made use of.
    incumbent : int, optional
        Tokens that some vocabulary needs: for the gap, and to prove candidates in or out.
    warm_start : Certificate, optional
        Prices to start from: of the same words and conditions, for any k.  The bound is at
        least what they prove; of a certificate for this k, all of it, which is then the result's
        where nothing better is found.
    greedy : Solution, optional
        What `greedtok` gives for this instance, where it has been run already.
    time_limit : float, optional
        Seconds, about what a last count takes included.  Enumerating the candidates and hashing
        the words take place whatever the limit is; where no time is left then, the bound is a
        token for each counted word.
    target_gap : float, optional
        Stop at this gap to the incumbent; without one, to what GreedTok's vocabulary needs.
    iterations : int, optional
        Most steps.
    seed : int
        Recorded; nothing is random.
    threads : int
        Words are shared among this many threads; the result is the same, bit by bit.
    progress : Progress, optional
        Gets an `Event` for each better bound.

    Returns
    -------
    Bound
        At a limit or on Ctrl-C: the best so far.  Every bound is counted in integers from
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
    """
    found = bounds(
        instance,
        [instance.k],
        incumbents=None if incumbent is None else {instance.k: incumbent},
        warm_start=warm_start,
        greedy=greedy,
        time_limit=time_limit,
        target_gap=target_gap,
        iterations=iterations,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    return found[0]


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
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
    done: Callable[[Bound], None] | None = None,
) -> list[Bound]:
    """Lower bounds for several budgets, each started from the one before.

    Parameters
    ----------
    instance : Instance
        As for `lower_bound`; its own k does not matter.
    budgets : sequence of int
        The budgets, in the order to take them.
    incumbents : dict of int to int, optional
        For a budget, tokens that some vocabulary within it needs.
    warm_start, target_gap, seed, threads, progress
        As for `lower_bound`.
    greedy : Solution, optional
        What `greedtok` gives for the largest budget, where it has been run already.
    time_limit, iterations
        For each budget.
    done : callable, optional
        Gets each bound as soon as it is there.

    Returns
    -------
    list of Bound
        One for each budget; on Ctrl-C, those up to the one interrupted.

    Raises
    ------
    InputError
        As `lower_bound` does, and for no budget.
    """
    if not budgets:
        raise InputError("no budget is given")
    clock = Deadline(time_limit)
    _refuse_large_counts(instance)
    _ = instance.index  # once for all budgets
    instances = {k: instance.with_k(k) for k in budgets}
    for k, tokens in (incumbents or {}).items():
        if tokens < instance.words.total_count:
            raise InputError(
                f"an incumbent of {tokens} tokens for k = {k}: the words alone are "
                f"{instance.words.total_count}"
            )
    _ = instance.words.digest  # of every certificate: made while the clock is looked at
    found: list[Bound] = []
    with workers(threads) as share:
        counter = PriceCounter(instance, share)
        prices = None if warm_start is None else counter.prices_of(warm_start)
        known = None if warm_start is None else _checked(counter, warm_start)
        if greedy is None:
            greedy = greedtok(instances[max(budgets)], time_limit=clock.left, threads=threads)
        vocabulary = greedy.vocabulary or Vocabulary((), instance.symbols)
        ascent = Ascent(counter, vocabulary, greedy.gains)
        if prices is not None:
            ascent.prices = prices
        for k in budgets:
            bound = _climb(
                ascent,
                instances[k],
                None if incumbents is None else incumbents.get(k),
                known if known is not None and known.k == k else None,
                clock,
                target_gap,
                iterations,
                progress or Progress(),
                seed,
                threads,
                greedy.termination == "interrupted",
            )
            found.append(bound)
            if done is not None:
                done(bound)
            if bound.termination == "interrupted":
                break
            clock = Deadline(time_limit)
    return found


def _checked(counter: PriceCounter, certificate: Certificate) -> Certificate | None:
    """The certificate with what it proves, recounted, for its own k; None if that is nothing."""
    instance = counter.instance.with_k(certificate.k)
    if certificate.k < len(instance.fixed):
        return None
    proven = counter.proven_by(certificate)
    if proven is None:
        proven = check_certificate(instance, certificate).lower_bound
    return replace(certificate, lower_bound=proven) if proven else None


def _refuse_large_counts(instance: Instance) -> None:
    if instance.words.total_symbols >= 2**53:
        raise InputError(
            "the counts are too large for prices of enough digits: scale them down, or take fewer "
            "words"
        )


def _climb(
    ascent: Ascent,
    instance: Instance,
    incumbent: int | None,
    known: Certificate | None,
    clock: Deadline,
    target_gap: float | None,
    iterations: int | None,
    progress: Progress,
    seed: int,
    threads: int,
    interrupted: bool,
) -> Bound:
    """The bound for one budget."""
    counter = ascent.counter
    k = instance.k
    best = _Best(counter, instance, incumbent, known, clock, progress)
    goal = incumbent
    most = math.inf if iterations is None else iterations
    total = 0
    stopped: Termination = "completed"
    try:
        if interrupted:
            raise KeyboardInterrupt
        if target_gap is not None and goal is None:
            chosen = Vocabulary(ascent.vocabulary.tokens[:k], instance.symbols)
            goal = segment(instance.words, chosen, threads=threads).tokens
        if not clock.earlier(_BEGINNING * len(instance.words.data)).is_over:
            ascent.begin(k)
            clock = clock.earlier(_FINISHING * best.meet(ascent, total))
        else:
            clock = clock.earlier(math.inf)
        previous = first = math.inf
        while True:
            if best.is_solved(total):
                break
            if (
                target_gap is not None
                and goal is not None
                and goal - best.lower_bound <= target_gap * goal
            ):
                stopped = "gap"
                break
            if total >= most:
                break
            if clock.is_over:
                stopped = "time_limit"
                break
            for _ in range(int(min(_EVERY, most - total))):
                moved = ascent.step()
                total += 1
                if ascent.steps == 1:
                    first = moved
                elif (
                    moved <= 0.2 * first
                    or (moved <= 0.8 * first and moved > previous)
                    or ascent.steps >= max(0.36 * total, 8)
                ):
                    ascent.reweigh()
                    if not ascent.choose(total):
                        ascent.restart()
                    moved = math.inf
                previous = moved
                if clock.is_over:
                    break
            best.meet(ascent, total)
    except KeyboardInterrupt:
        stopped = "interrupted"
    return best.finish(total, stopped, seed, threads)


class _Best:
    """The best prices so far for a budget."""

    def __init__(
        self,
        counter: PriceCounter,
        instance: Instance,
        incumbent: int | None,
        known: Certificate | None,
        clock: Deadline,
        progress: Progress,
    ) -> None:
        self.counter = counter
        self.instance = instance
        self.incumbent = incumbent
        self.known = known
        self.clock = clock
        self.progress = progress
        self.lower_bound = instance.words.total_count
        if known is not None:
            self._prove(known.lower_bound, "start")
        self.value = 0  # in units of 1 / counter.one tokens
        self.prices: Int64 | None = None
        self.mark = math.inf, 0  # how far apart they were when that last fell much, and the step
        self.relaxation = math.inf
        self.x = np.zeros(len(instance.index))

    def meet(self, ascent: Ascent, step: int) -> float:
        """Count what the prices at hand prove; the seconds it took."""
        begun = time.monotonic()
        cost = ascent.cost()
        if cost < self.relaxation:
            self.relaxation = cost
            self.x = ascent.x_all()
        self._count(ascent)
        counter = self.counter
        if counter.bits < counter.finest and self.apart() < 8 * self._lost():
            # rounding is what is in the way: count finer
            more = min(counter.finest, counter.bits + 12) - counter.bits
            counter.refine(counter.bits + more)
            if self.prices is not None:
                self.value, self.prices = self.value << more, self.prices << more
            self._count(ascent)
        if self.apart() < _FALLS * self.mark[0]:
            self.mark = self.apart(), step
        return time.monotonic() - begun

    def _count(self, ascent: Ascent) -> None:
        counter = self.counter
        prices = counter.rounded(ascent.proposed())
        value, ascent.rewards = counter.count(prices, self.instance.k)
        if self.prices is None or value > self.value:
            self.value, self.prices = value, prices
        self._prove(counter.bound(value), "prices")

    def apart(self) -> float:
        """How many tokens the relaxation is above what the prices prove."""
        if self.prices is None:
            return math.inf
        return self.relaxation - self.value / self.counter.one

    def _lost(self) -> float:
        """The most tokens that rounding the prices may cost."""
        return self.instance.words.total_symbols / (2 * self.counter.one)

    def _prove(self, bound: int, source: str) -> None:
        """Keep a bound if it is better."""
        if bound <= self.lower_bound:
            return
        self.lower_bound = bound
        if self.incumbent is not None and bound > self.incumbent:
            raise InputError(
                f"{self.incumbent} tokens are given as enough, and {bound} are proven to be "
                "needed: the incumbent is not of this instance"
            )
        self.progress.event(Event(self.clock.seconds, "bound", self.incumbent, bound, source))

    def is_solved(self, step: int) -> bool:
        """No better bound is possible, or of use, or to be expected."""
        proven = self.lower_bound
        if proven == self.incumbent or proven >= self.relaxation * (1 - 1e-14):
            return True
        # both ends stand still: floating point can do no more
        near = self.apart() <= _SOLVED * max(1.0, self.relaxation)
        return step - self.mark[1] >= (_WAIT_NEAR if near else max(_WAIT, step // 2))

    def finish(self, iterations: int, stopped: Termination, seed: int, threads: int) -> Bound:
        """The bound with its certificate, and what it proves about candidates."""
        counter, instance = self.counter, self.instance
        size = len(instance.index)
        costs = np.zeros(size, np.int64)
        inside = outside = np.zeros(0, np.int32)
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
            value, found = counter.count(self.prices, instance.k, every=True)
            costs, chosen = _reduced_costs(found, counter.fixed, instance)
            costs = costs[:size]
            if self.incumbent is not None:
                # a case that needs as many tokens as the incumbent holds nothing better; rewards
                # are rounded down by less than a unit each
                rounded = counter.one // counter.unit
                left = (self.incumbent - 1) * counter.unit - value // rounded + (rounded > 1)
                apart = ~counter.fixed[:size]
                inside = np.flatnonzero(apart & chosen[:size] & (-costs > left)).astype(np.int32)
                outside = np.flatnonzero(apart & ~chosen[:size] & (costs > left)).astype(np.int32)
            # where the start proves more than these prices, forcing adds the less to it
            more = max(0, (self.lower_bound - counter.bound(value)) * counter.unit)
            costs = np.where(costs > 0, np.maximum(costs - more, 0), costs)
        return Bound(
            instance,
            certificate,
            self.lower_bound,
            self.incumbent,
            self.relaxation,
            self.x,
            costs,
            counter.unit,
            inside,
            outside,
            self.clock.seconds,
            iterations,
            stopped,
            seed,
            threads,
        )


def _reduced_costs(found: Int64, fixed: Bools, instance: Instance) -> tuple[Int64, Bools]:
    """What it costs to force each candidate in (or out, negative), and which are the best."""
    free = instance.k - len(instance.fixed)
    apart = np.flatnonzero(~fixed)
    order = apart[np.argsort(-found[apart], kind="stable")]
    chosen = np.zeros(len(found), bool)
    chosen[order[:free]] = True
    costs = np.zeros(len(found), np.int64)
    if 0 < free <= len(order):
        costs[order[free:]] = found[order[free - 1]] - found[order[free:]]
        after = found[order[free]] if free < len(order) else 0
        costs[order[:free]] = after - found[order[:free]]
    elif free <= 0:
        costs[order] = 2**62  # no room
    return costs, chosen
