"""Proves lower bounds for whole corpora: first-order steps find prices, integer sums prove them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from ..errors import InputError
from ..heuristics.every_word import every_word
from ..heuristics.greedy import greedtok
from ..problem.bound import Bound
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..problem.memory_plan import refuse_beyond_memory
from ..problem.solution import Solution
from ..runtime.arguments import Int64, Seconds, Share, Threads, Whole, checked
from ..runtime.limits import RunLimits, begun
from ..runtime.processes.parallel import workers
from ..runtime.progress import Progress
from .climbing.best_prices import BestPrices
from .climbing.climb import Climb
from .climbing.warm_start import first_point, within_reach
from .counting.price_counter import PriceCounter
from .heads.head_bound import BoundHead, HeadRun
from .weighted_rounds import WeightedRounds


@checked
def lower_bound(
    instance: Instance,
    *,
    incumbent: Int64 | Fraction | None = None,
    start_certificate: Certificate | None = None,
    greedy: Solution | None = None,
    cuts: bool = True,
    gap: Share | None = None,
    iterations: Whole | None = None,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
    checkpoint: Callable[[Certificate], None] | None = None,
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
        The solution of `greedtok` for this instance, or for a larger k; by default GreedTok is run.
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
    checkpoint : callable, optional
        Receives the best certificate so far, as soon as there is one and then every few seconds.
        If it raises an exception, the call continues.

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
    reached (`CutRounds`; docs/concepts/certificates.md, "Cuts").

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
    limits = RunLimits(time_limit, threads=threads)
    progress = progress or Progress()
    if instance.corpora is not None:
        if greedy is not None or iterations is not None:
            raise InputError(
                "a number of iterations (--iterations) and a solution of GreedTok are not possible "
                "with several corpora"
            )
        ratio = None if incumbent is None else Fraction(incumbent)
        given = instance, limits, gap or 0.0, progress, lower_bound, checkpoint
        rounds = WeightedRounds(*given, cuts=cuts, known=ratio)
        if start_certificate is not None and start_certificate.k == instance.k:
            rounds.start_from(start_certificate)
        rounds.make(offers=gap is not None and incumbent is None)
        return rounds.bound()
    tokens = None if incumbent is None else int(incumbent)
    if instance.tail is not None:
        if greedy is not None:
            raise InputError("a solution of GreedTok is not possible with a head and a tail")
        bound_head = head_bounds(gap, iterations, threads)
        run = HeadRun(instance, bound_head, limits, progress, cuts=cuts)
        return run.bound(tokens, start_certificate, checkpoint)
    deadline = limits.start()
    free = instance.unmerged
    refuse_beyond_memory(free, "bound")
    _ = free.promising_index(threads)
    if tokens is not None and tokens < instance.words.total_count:
        raise InputError(
            f"an incumbent of {tokens} tokens for k = {instance.k} is too small: the number of "
            f"words is {instance.words.total_count}"
        )
    # every certificate needs it, so it is computed before the steps are timed
    _ = instance.words.digest
    with workers(threads) as share:
        if greedy is None and instance.merges is None:
            greedy = every_word(instance, limits)
        if greedy is None:
            greedy = greedtok(free, time_limit=deadline.left, threads=threads)
        counter, is_stopped = begun(
            lambda: PriceCounter(within_reach(instance, greedy, deadline), share), deadline
        )
        cuts &= counter.instance.index.min_promise == 0  # large instances never get to cuts
        ascent, known = first_point(counter, greedy, start_certificate)
        best = BestPrices(counter, tokens, known, deadline, progress)
        climb = Climb(ascent, best, deadline, gap, iterations, cuts=cuts)
        termination = "interrupted" if is_stopped else greedy.termination
        if termination != "interrupted":
            termination = climb.run(threads, checkpoint)
        return best.bound(climb.step, termination, limits)


def bounds(
    instance: Instance,
    incumbents: Mapping[int, int | None],
    start_certificate: Certificate | None = None,
    **options: Any,
) -> list[Bound]:
    """Bounds several k, given with incumbents, each from the prices of the one before.

    After Ctrl-C, returns those up to the one interrupted.  The options are those of `lower_bound`.
    """
    proven: list[Bound] = []
    start = given = start_certificate
    for k, tokens in incumbents.items():
        first = given if given is not None and given.k == k else start
        instance = instance.with_k(k)
        bound = lower_bound(instance, incumbent=tokens, start_certificate=first, **options)
        proven.append(bound)
        if bound.termination == "interrupted":
            break
        start = bound.certificate
    return proven


def head_bounds(gap: float | None, iterations: int | None, threads: int) -> BoundHead:
    """Returns the function that bounds the words of a head."""

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
        return lower_bound(
            head,
            greedy=greedy,
            start_certificate=next(iter(starts), None),
            cuts=cuts,
            gap=gap,
            iterations=iterations,
            time_limit=seconds,
            threads=threads,
            checkpoint=keep,
        )

    return bound_head
