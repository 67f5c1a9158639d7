"""Proves lower bounds for whole corpora: first-order steps find prices, integer sums prove them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import cast

from ..errors import InputError
from ..heuristics.every_word import every_word
from ..heuristics.greedy import greedtok
from ..problem.bound import Bound
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..problem.memory_plan import refuse_beyond_memory
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Share, Threads, Whole, checked
from ..runtime.checkpoints import Checkpoints
from ..runtime.limits import RunLimits
from ..runtime.processes.parallel import workers
from ..runtime.progress import Progress
from .climbing.best_prices import BestPrices
from .climbing.climb import Climb, StoppingRule
from .climbing.warm_start import first_point, within_reach
from .counting.price_counter import PriceCounter
from .heads.head_bound import BoundHead, HeadTask, bound_by_head
from .weighted_rounds import Made, Round, WeightedRounds

__all__ = ["bounds", "head_bounds", "lower_bound"]


@checked
def lower_bound(
    instance: Instance,
    *,
    incumbent: int | Fraction | None = None,
    start_certificate: Certificate | None = None,
    greedy: Solution | None = None,
    cuts: bool = True,
    gap: Share | None = None,
    iterations: Whole | None = None,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Bound:
    """Finds prices that prove a lower bound on the tokens needed, for corpora of any size.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions.
    incumbent : int or Fraction, optional
        Tokens that some vocabulary needs, or its largest ratio over several corpora.  It is used
        for the gap, and to prove candidates in or out.
    start_certificate : Certificate, optional
        A warm start: prices for the same words and conditions, for any k.  The bound is at least
        what they prove.  The bound of a certificate for this k is kept if no better one is found.
    greedy : Solution, optional
        The solution of `greedtok` for this instance; by default GreedTok is run.
    cuts : bool
        Whether to add cuts once the linear relaxation is nearly solved; without them, no bound is
        higher than its value.
    gap : float, optional
        The gap to the incumbent at which to stop, or to GreedTok's vocabulary without an incumbent.
    iterations : int, optional
        Maximum number of steps.
    time_limit : float, optional
        Seconds, including the last count.  Listing the candidates and hashing the words are always
        done; if no time is left then, the bound is one token for each counted word.
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
        If a limit is invalid, the incumbent is below the proven bound, a start is for other words
        or conditions, the occurrences of candidates do not fit into memory, or the counts add up to
        2^57 symbols or more.

    Notes
    -----
    The method maximizes g(d) = Σ_W c(W)·Σ d_p − (the k largest rewards) over prices d ≤ 1, which is
    the dual of the linear relaxation of ``path`` with cuts over overlapping occurrences.  With
    group budgets, the multipliers of a token's groups are subtracted from its reward, and g is
    lower by each group's multiplier times its budget.  The steps are the primal-dual hybrid
    gradient of Chambolle and Pock (2011), with their diagonal step sizes, reflected and pulled back
    to an anchor (Halpern), and restarted, as in PDLP and its successors (Applegate et al. 2021; Lu
    and Yang 2024).  A step takes O(symbols + occurrences of relevant candidates + candidates).  A
    candidate is relevant if it might save as much as GreedTok's k-th token; all others are still
    counted in every bound.

    Then follow rounds of cuts: inequalities of odd cycles and cliques of tokens whose occurrences
    overlap.  They are found by separation at the point that steps over merged parts of words have
    reached (`CutRounds`; docs/certificates.md, "Cuts").

    With a head and a tail, first the head is bounded, then all words, which are read about seven
    times (`partcover.bounds.heads.head_bound`); x and the relaxation are those of the head.

    With several corpora, the words are bounded under weights of the corpora, in six rounds: for any
    weights, the minimum of the weighted tokens bounds the largest ratio (see `check_certificate`).
    The first weights are those of `greedtok`; then they follow the ratios of the tokens in the
    solution of the relaxation.  The last round has cuts; reduced costs are 0.

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
        start_certificates=[] if start_certificate is None else [start_certificate],
        greedy=greedy,
        cuts=cuts,
        gap=gap,
        iterations=iterations,
        time_limit=time_limit,
        threads=threads,
        progress=progress,
    )[0]


@checked
def bounds(
    instance: Instance,
    budgets: Sequence[int],
    *,
    incumbents: Mapping[int, int | Fraction] | None = None,
    start_certificates: Sequence[Certificate] = (),
    greedy: Solution | None = None,
    cuts: bool = True,
    gap: Share | None = None,
    iterations: Whole | None = None,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
    checkpoint: Callable[[Certificate], None] | None = None,
    done: Callable[[Bound], None] | None = None,
) -> list[Bound]:
    """Proves lower bounds for several budgets, each started from the one before.

    Parameters
    ----------
    instance : Instance
        The instance, as for `lower_bound`; its own k does not matter.
    budgets : sequence of int
        The budgets, in the order to take them.
    incumbents : dict of int to int or Fraction, optional
        For a budget, tokens that some vocabulary within it needs, or its largest ratio.
    start_certificates : sequence of Certificate, optional
        Certificates as for `lower_bound`, at most one for each budget; the steps begin at the
        prices of the first.
    greedy : Solution, optional
        The solution of `greedtok` for the largest budget; by default GreedTok is run.
    cuts, gap, threads, progress
        As for `lower_bound`.
    iterations, time_limit
        As for `lower_bound`, for each budget.
    checkpoint : callable, optional
        Receives the best certificate so far for the current budget, as soon as there is one and
        then every few seconds.  If it raises an exception, the call continues.
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
        raise InputError("no k is given")
    limits = RunLimits(time_limit, threads=threads)
    proven: list[Bound] = []
    if instance.corpora is not None:
        if greedy is not None or iterations is not None:
            raise InputError(
                "a number of iterations (--iterations) and a solution of GreedTok are not possible "
                "with several corpora"
            )
        for k in budgets:
            rounds = WeightedRounds(
                instance.with_k(k),
                limits,
                gap or 0.0,
                progress or Progress(),
                _bounded_round,
            )
            rounds.known = None if incumbents is None else Fraction(incumbents.get(k, 0)) or None
            starts = [start for start in start_certificates if start.k == k]
            offers = gap is not None
            bound = _for_corpora(rounds, starts, cuts=cuts, offers=offers, checkpoint=checkpoint)
            proven.append(bound)
            if done is not None:
                done(bound)
            if bound.termination == "interrupted":
                break
        return proven
    if instance.tail is not None:
        if greedy is not None:
            raise InputError("a solution of GreedTok is not possible with a head and a tail")
        bound_head = head_bounds(gap, iterations, threads)
        for k in budgets:
            tokens = None if incumbents is None else incumbents.get(k)
            task = HeadTask(
                None if tokens is None else int(tokens),
                cuts,
                limits,
                progress or Progress(),
                checkpoint,
                min(start_certificates, key=lambda start: start.k != k, default=None),
            )
            proven.append(bound_by_head(instance.with_k(k), task, bound_head))
            if done is not None:
                done(proven[-1])
            if proven[-1].termination == "interrupted":
                break
        return proven
    known_tokens = {k: int(tokens) for k, tokens in (incumbents or {}).items()}
    deadline = limits.start()
    merges, instance = instance.merges, instance.unmerged
    refuse_beyond_memory(instance, "bound")
    _ = instance.promising_index(threads)  # computed once for all budgets
    for k, tokens in known_tokens.items():
        if tokens < instance.words.total_count:
            raise InputError(
                f"an incumbent of {tokens} tokens for k = {k} is too small: the number of words is "
                f"{instance.words.total_count}"
            )
    # every certificate needs it, so it is computed before the steps are timed
    _ = instance.words.digest
    with workers(threads) as share:
        if greedy is None and merges is None:
            greedy = every_word(instance.with_k(min(budgets)), limits)
        if greedy is None:
            largest = instance.with_k(max(budgets))
            greedy = greedtok(largest, time_limit=deadline.left, threads=threads)
        instance = instance.with_k(max(budgets))
        try:
            counter = PriceCounter(within_reach(instance, greedy, deadline), share, merges)
        except KeyboardInterrupt:  # raised while candidates are listed
            greedy = replace(greedy, termination="interrupted")
            deadline.stop()
            counter = PriceCounter(within_reach(instance, greedy, deadline), share, merges)
        instance = counter.instance
        instances = {k: instance.with_k(k) for k in budgets}
        cuts &= instance.index.min_promise == 0  # large instances never get to cuts
        ascent, known = first_point(counter, greedy, start_certificates)
        for k in budgets:
            best = BestPrices(
                counter,
                instances[k],
                known_tokens.get(k),
                known.get(k),
                deadline,
                progress or Progress(),
            )
            climb = Climb(ascent, best, StoppingRule(deadline, gap, iterations), cuts=cuts)
            termination = greedy.termination
            if termination != "interrupted":
                termination = climb.run(threads, Checkpoints(checkpoint, best.certificate))
            bound = best.bound(climb.step, termination, limits)
            proven.append(bound)
            if done is not None:
                done(bound)
            if bound.termination == "interrupted":
                break
            deadline = limits.start()
    return proven


def head_bounds(gap: float | None, iterations: int | None, threads: int) -> BoundHead:
    """Returns the function that bounds the words of a head.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.bounds.lower_bound import head_bounds
    >>> bound_head = head_bounds(None, None, 1)
    >>> bound_head(Instance({"banana": 2, "bandana": 1}, 1), None, [], False, None).lower_bound
    9
    """

    def bound_head(
        head: Instance,
        seconds: float | None,
        starts: list[Certificate],
        cuts: bool,
        keep: Callable[[Certificate], None] | None,
    ) -> Bound:
        # one token for each word is optimal for the head if the budget allows it, but such prices
        # are poor for the tail
        greedy = greedtok(head.unmerged, time_limit=seconds, threads=threads)
        return bounds(
            head,
            [head.k],
            greedy=greedy,
            start_certificates=starts,
            cuts=cuts,
            gap=gap,
            iterations=iterations,
            time_limit=seconds,
            threads=threads,
            checkpoint=keep,
        )[0]

    return bound_head


def _for_corpora(
    rounds: WeightedRounds,
    starts: Sequence[Certificate],
    *,
    cuts: bool,
    offers: bool,
    checkpoint: Callable[[Certificate], None] | None,
) -> Bound:
    """Makes rounds of weights for several corpora; returns the best bound."""
    for start in starts:
        rounds.start_from(start)
    rounds.begin(offers=offers and rounds.known is None)
    rounds.proves = Checkpoints(checkpoint, lambda: cast("Certificate", rounds.certificate))
    try:
        rounds.rounds(cuts=cuts, offers=False)
    except KeyboardInterrupt:
        if rounds.certificate is None:
            raise
        rounds.termination = "interrupted"
    return rounds.bound()


def _bounded_round(start: Round) -> Made:
    """Bounds weighted words; returns the certificate and the tokens with the largest x."""
    bound = lower_bound(
        start.weighted,
        start_certificate=start.prices,
        cuts=start.cuts,
        time_limit=start.seconds,
        threads=start.limits.threads,
    )
    return Made(bound.certificate, bound.most_taken, bound.termination, bound)
