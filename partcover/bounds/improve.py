"""Finds a good vocabulary and bounds its gap: GreedTok, a lower bound, and a local search."""

from __future__ import annotations

from dataclasses import replace

from ..errors import InputError
from ..heuristics.every_word import every_word
from ..heuristics.local_search import local_search
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..problem.memory_plan import refuse_beyond_memory
from ..problem.solution import Checkpoint, Solution
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..runtime.limits import RunLimits
from ..runtime.phase_events import PhaseEvents
from ..runtime.processes.parallel import workers
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .bound_and_search import Task, bound_and_search
from .heads.head_improve import HeadImprovement
from .lower_bound import head_bounds
from .merges_start import start_of_merges
from .tree.tree_search import with_known
from .weighted_rounds import WeightedRounds


@checked
def improve(
    instance: Instance,
    *,
    warm_start: Vocabulary | Solution | None = None,
    start_certificate: Certificate | None = None,
    bound: bool = True,
    cuts: bool = True,
    gap: Share = 0.0,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
) -> Solution:
    """Finds a vocabulary that needs few tokens, and proves how far from optimal it is.

    GreedTok runs first, then a lower bound.  The prices and x of the bound guide a local search,
    which exchanges tokens by the exact gain of adding and removing them under the shortest path.
    Once the linear relaxation is nearly solved, bound and search run side by side, and each uses
    the results of the other.  With one thread they take turns, and most of the time goes to the one
    that closes more of the gap in a second.  If every word can be a token, no search is needed
    (`partcover.heuristics.every_word`).

    Parameters
    ----------
    instance : Instance
        The words, candidates, budget and conditions.
    warm_start : Vocabulary or Solution, optional
        A warm start in addition to GreedTok's vocabulary.  The certificate of a solution is used
        as `start_certificate` if none is given.
    start_certificate : Certificate, optional
        A warm start for the bound, for the same words and conditions.  The prices of any k are a
        start; the bound of a certificate for this k is kept if no better one is proven.
    bound : bool
        Whether to compute a lower bound; without it, nothing shows how far from optimal the result
        is.
    cuts : bool
        Whether the bound uses cuts; see `lower_bound`.
    gap : float
        The relative gap at which to stop.
    time_limit : float, optional
        Seconds for the whole call.  The bound alone may take up to two fifths, or four fifths if
        the words have more than 2^26 symbols, because the search then runs after it.  Listing the
        candidates, half a second of GreedTok and the recount of the result are always done.
        Without a limit the bound ends when the relaxation is solved, and the search after five
        cycles.
    seed : int
        Random seed.
    threads : int
        Number of threads; the result is the same for any number if no limit ends it early.
    progress : Progress, optional
        Receives an `Event` for each phase, better vocabulary and better bound, all on one clock.
    checkpoint : callable, optional
        Receives the best solution so far with its certificate, as soon as there is one and then
        every few seconds; its tokens are in no particular order.  If it raises an exception, the
        call continues, and ``extra["checkpoint_error"]`` is the last exception.

    Returns
    -------
    Solution
        Rule ``shortest_path``; at most as many tokens as GreedTok's vocabulary and as `warm_start`
        need.  ``certificate`` proves ``lower_bound``.  At the time limit or after Ctrl-C: the
        best so far.

    Raises
    ------
    InputError
        For a bad limit or gap, a start over other symbols, several corpora without a bound, and
        as `lower_bound` does.
    VerificationError
        If a recount finds other numbers; of several corpora also if a start breaks a condition, or
        its certificate does not hold.

    Notes
    -----
    `partcover.heuristics.local_search` and `lower_bound` are the two parts, for use on their own.

    With several corpora, this runs on all words under weights of the corpora, round by round.  A
    corpus whose ratio is above the mean gets more weight, and the next round begins with the best
    vocabulary and the last prices.  At the end tokens are exchanged as long as that helps the worst
    corpus; in small corpora, exchanges also start from vocabularies with a few tokens replaced at
    random.  With merges, or with a head and a tail, no tokens are exchanged at the end.

    Examples
    --------
    >>> from partcover import Instance, improve
    >>> solution = improve(Instance({"banana": 2, "bandana": 1}, 1))
    >>> solution.tokens, solution.lower_bound, solution.status
    (9, 9, 'optimal')
    """
    limits = RunLimits(time_limit, seed, threads)
    deadline = limits.start()
    if isinstance(warm_start, Solution):
        start_certificate = start_certificate or (warm_start.certificate if bound else None)
        warm_start = warm_start.vocabulary
    kinds = (
        ("several corpora", instance.corpora),
        ("a head and a tail", instance.tail),
        ("merges", instance.merges),
    )
    for kind, given in kinds if not bound else ():
        if given is not None:
            raise InputError(
                f"with {kind}, a search needs a bound: leave out bound=False (--no-bound)"
            )
    if instance.corpora is not None:
        events = progress or Progress()
        rounds = WeightedRounds(
            instance, limits, gap, events, improve, checkpoint, cuts=cuts, searches=True
        )
        if warm_start is not None:
            rounds.offer_checked(warm_start)
        if start_certificate is not None:
            rounds.start_from(start_certificate)
        rounds.make(offers=True)
        return rounds.solution()
    if instance.tail is not None:
        bound_head = head_bounds(gap or None, None, threads)
        run = HeadImprovement(instance, bound_head, limits, progress or Progress(), cuts=cuts)
        return run.solution(warm_start, start_certificate, gap, checkpoint)
    if start_certificate is not None and not bound:
        raise InputError(
            "a certificate to start from is given, but no bound is computed: leave it out"
        )
    phases = PhaseEvents(deadline, progress or Progress())
    task = Task(instance, warm_start, start_certificate, cuts, gap, limits, phases, checkpoint)
    if instance.merges is not None:
        refuse_beyond_memory(instance.unmerged, "search")
        with workers(threads) as share:
            tree = start_of_merges(task, share)
            found = tree.best()
        found = with_known(instance, found, start_certificate)
        return replace(found, termination=tree.termination, seconds=deadline.seconds)
    if (optimum := every_word(instance, limits)) is not None:
        certificate = optimum.certificate if bound else None
        return task.reported(replace(optimum, certificate=certificate))
    refuse_beyond_memory(instance, "search" if bound else "greedy")
    greedy = task.first_incumbents()
    if not bound:
        phases.enter("search")
        solution = local_search(
            instance,
            warm_start,
            greedy=greedy,
            gap=gap,
            time_limit=deadline.left,
            seed=seed,
            threads=threads,
            progress=phases,
        )
        return replace(solution, seconds=deadline.seconds)
    return bound_and_search(task, greedy)
