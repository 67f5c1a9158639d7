"""Proves lower bounds for whole corpora: first-order steps find prices, integers count them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..errors import InputError
from ..heuristics.greedy import greedtok
from ..problem.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.arguments import Seconds, Share, Threads, Whole, checked
from ..runtime.limits import Deadline, RunLimits
from ..runtime.parallel import workers
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment
from ..verification.certificate_check import check_certificate
from ..vocabulary.vocabulary import Vocabulary
from .best_prices import BestPrices
from .bound import Bound
from .cut_rounds import CutRounds
from .price_counter import PriceCounter
from .primal_dual import Ascent

__all__ = ["bounds", "lower_bound"]


_STEPS = 32  # between two exact bounds
NEAR_ENOUGH = 1e-4  # relative gap to the relaxation at which cuts begin
_ROUNDS_WITHOUT_GAIN = 8  # after which cuts bring no more
_GAIN = 1e-6  # of the bound, that counts as one
_CUT_STEPS = 1500  # cuts take so many plain steps before they prove more
_CUT_COUNTS = 6  # a count with cuts takes so many plain ones, until it is known
_START_SECONDS = 6e-7  # a symbol, before the first bound
_FINISH_COUNTS = 3  # the last count, over all candidates, and the proof take so many counts


@checked
def lower_bound(
    instance: Instance,
    *,
    incumbent: int | None = None,
    warm_start: Certificate | None = None,
    greedy: Solution | None = None,
    cuts: bool = True,
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
    cuts : bool
        Whether to go on with cuts where the linear relaxation is nearly solved; without them its
        value is the best that can be proven.
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

    Then come rounds of cuts: inequalities of odd cycles and cliques of tokens whose occurrences
    overlap, which separation finds at the point that steps over merged parts of words have
    reached (`CutRounds`; docs/certificates.md, "Cuts").

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
        cuts=cuts,
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
    cuts: bool = True,
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
    warm_start, cuts, target_gap, threads, progress
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
                n_steps, termination = _climb(ascent, best, rule, limits, cuts=cuts)
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
        """Returns why the plain steps end now; None if they go on."""
        return "completed" if best.is_solved(step) else self.limit(best, incumbent, step)

    def limit(self, best: BestPrices, incumbent: int | None, step: int) -> Termination | None:
        """Returns which limit is reached; None if none is."""
        if (
            self.target_gap is not None
            and incumbent is not None
            and incumbent - best.lower_bound <= self.target_gap * incumbent
        ):
            return "gap"
        if self.iterations is not None and step >= self.iterations:
            return "completed"
        return "time_limit" if self.deadline.is_over else None


class Climb:
    """The steps for one budget: plain ones, then rounds of cuts."""

    def __init__(
        self, ascent: Ascent, best: BestPrices, rule: StoppingRule, incumbent: int | None
    ) -> None:
        self.ascent = ascent
        self.best = best
        self.rule = rule
        self.incumbent = incumbent
        self.step = 0
        self.count_seconds = 0.0
        self.step_seconds = 0.0
        self.rounds: CutRounds | None = None
        self._first = self._previous = math.inf

    @property
    def may_gain(self) -> bool:
        """Whether cuts could prove more: a better bound is of use, and there is time for them."""
        best = self.best
        if best.prices is None or best.is_met or not len(self.ascent.active):
            return False
        left = self.rule.deadline.left
        if left is not None and left < _CUT_STEPS * self.step_seconds:
            return False
        return self.rule.iterations is None or self.step < self.rule.iterations

    def begin(self) -> None:
        """Makes the first point and counts its prices, if there is time."""
        instance = self.best.instance
        seconds = math.inf
        if not self.rule.deadline.earlier(_START_SECONDS * len(instance.words.data)).is_over:
            self.ascent.begin(instance.k)
            self.count_seconds = self.best.offer(self.ascent, self.step)
            seconds = _FINISH_COUNTS * self.count_seconds
        self.rule = replace(self.rule, deadline=self.rule.deadline.earlier(seconds))

    def plain(self, near: float) -> Termination | None:
        """Makes plain steps until the rule ends them, or the relaxation is as near as `near`."""
        ascent, best = self.ascent, self.best
        while (ended := self.rule.termination(best, self.incumbent, self.step)) is None:
            if best.distance() <= near * best.relaxation:
                return None
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
            self.step_seconds = (time.monotonic() - begun) / max(1, self.step - before)
            best.offer(ascent, self.step)
        return ended

    def cut(self) -> Termination | None:
        """Makes rounds of cuts until they bring no more; None if there is nothing to cut."""
        best, rule = self.best, self.rule
        self.rounds = rounds = best.begin_cuts(self.ascent)
        before = self.step
        last_gain = best.value, 0
        while True:
            round_ = rounds.round(
                rule.deadline.earlier(_CUT_COUNTS * self.count_seconds),
                None if rule.iterations is None else rule.iterations - self.step,
            )
            self.count_seconds = max(self.count_seconds, rounds.count_seconds / _CUT_COUNTS)
            self.step = before + rounds.n_steps
            best.offer_round(round_, rounds)
            if not rounds.steps.cuts:
                return None
            if best.value - last_gain[0] > _GAIN * best.value:
                last_gain = best.value, round_.number
            ended = rule.limit(best, self.incumbent, self.step)
            if ended is not None or best.is_met:
                return ended or "completed"
            if round_.number - last_gain[1] >= _ROUNDS_WITHOUT_GAIN:
                return "completed"


def _climb(
    ascent: Ascent, best: BestPrices, rule: StoppingRule, limits: RunLimits, *, cuts: bool
) -> tuple[int, Termination]:
    """Makes steps and rounds of cuts until the rule ends them; returns their number, and why."""
    instance, incumbent = best.instance, best.incumbent
    climb = Climb(ascent, best, rule, incumbent)
    try:
        if rule.target_gap is not None and incumbent is None:
            chosen = Vocabulary(ascent.vocabulary.tokens[: instance.k], instance.symbols)
            climb.incumbent = segment(instance.words, chosen, threads=limits.threads).tokens
        climb.begin()
        termination = climb.plain(NEAR_ENOUGH if cuts else 0.0)
        if cuts and termination in (None, "completed") and climb.may_gain:
            termination = climb.cut()
        termination = termination or climb.plain(0.0)
    except KeyboardInterrupt:
        termination = "interrupted"
    return climb.step, termination or "completed"
