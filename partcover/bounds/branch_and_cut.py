"""Branch and cut: proves optimal vocabularies of whole corpora, with a certificate."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from ..heuristics.every_word import every_word
from ..heuristics.local_search import local_search
from ..problem.certificates.certificate import Certificate, leaves_weighted
from ..problem.instance import Instance
from ..problem.memory_plan import refuse_beyond_memory
from ..problem.solution import Checkpoint, Solution, Termination
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..runtime.limits import RunLimits
from ..runtime.phase_events import PhaseEvents
from ..runtime.processes.parallel import ForEach, call_in_turn, workers
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .bound_and_search import BoundAndSearch, Task, bound_and_search
from .climbing.best_prices import BestPrices
from .climbing.climb import Climb
from .climbing.dual_point import Case
from .climbing.warm_start import can_list, first_point
from .counting.price_counter import PriceCounter
from .improve import improve
from .merges_start import start_of_merges
from .tree.branch_tree import Node, leaves_of, root_of, tree_of
from .tree.spread import CaseTask, Spread
from .tree.tree_search import TreeSearch, with_known

_SEARCH_SHARE = 0.25  # share of the time for a vocabulary, if a tree is continued without one
_IMPROVE_SHARE = 0.3  # share of the time for weights and a vocabulary of several corpora
_POINTS = 8  # cases of a continued tree whose tokens are tried first


@checked
def branch_and_cut(
    instance: Instance,
    warm_start: Vocabulary | Solution | None = None,
    *,
    start_certificate: Certificate | None = None,
    gap: Share = 0.0,
    threshold: int | None = None,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
) -> Solution:
    """Finds an optimal vocabulary and proves it, by branch and cut; for corpora of any size.

    The arguments are those of `solve`.  In addition, it stops when a vocabulary needs at most
    `threshold` tokens, or when the bound proves that none does.  Of a certificate for another k,
    only the prices are used as a start.  A checkpoint receives the best solution so far, whose
    certificate is the present tree, also before the call returns; ``extra["checkpoint_error"]`` is
    the exception of the last one.

    Raises
    ------
    InputError
        For an invalid limit or gap, a start over other symbols, a certificate of another instance
        or with an invalid leaf, and as `lower_bound` does.

    Notes
    -----
    First, rounds of cuts bound all vocabularies, and a search guided by their x finds a good one.
    Then the case with the smallest bound is bounded again, by rounds that continue those of its
    parent.  When they gain little, the case is split on the token whose two cases prove the most in
    short trials.  A case is closed when its bound reaches the tokens of the best vocabulary.

    With several corpora, each case has its own weights, which follow the ratios at the point of its
    rounds, and the tree begins with the bound of `improve`.

    Two cases are processed at a time, in parallel if there are two threads.  The tree of the
    certificate is the tree of the cases.  If there is no time to list all candidates, the result is
    a bound without cuts over those with the highest upper bounds on their savings.
    """
    limits = RunLimits(time_limit, seed, threads)
    if isinstance(warm_start, Solution):
        start_certificate = start_certificate or warm_start.certificate
        warm_start = warm_start.vocabulary
    if instance.tail is not None:
        instance.candidate_index(dominated=False)  # refuses it
    deadline = limits.start()
    phases = PhaseEvents(deadline, progress or Progress())
    task = Task(
        instance,
        warm_start,
        start_certificate,
        True,
        gap,
        limits,
        phases,
        checkpoint,
        branches=True,
    )
    is_plain = instance.corpora is None and instance.merges is None
    if is_plain and (optimum := every_word(instance, limits)) is not None:
        solution = task.reported(optimum)
        return replace(solution, extra={**solution.extra, "leaves": 1})
    refuse_beyond_memory(instance.joined.unmerged, "proof")
    with workers(threads) as share:
        if instance.corpora is not None:
            tree = _started_for_corpora(task, share)
        elif instance.merges is not None:
            tree = start_of_merges(task, share)
        else:
            tree = _started(task, share)
        if isinstance(tree, Solution):
            return tree
        tree.threshold = threshold
        termination = tree.termination
        if termination != "interrupted":
            spread = None
            if executor is not None:
                spread = Spread(executor, threads, solve_case, tree.greedy, threshold)
            termination = tree.grow(task.gap, threads, spread)
        else:
            tree.checkpoints.make()
        solution = tree.best()
    tree.checkpoints.report(solution.extra)
    solution = with_known(instance, solution, task.start_certificate)
    return replace(solution, termination=termination, seconds=deadline.seconds)


def solve_case(task: CaseTask) -> Solution:
    """Bounds and splits a case in a worker, for the time that the case allows."""
    phases = PhaseEvents(RunLimits(task.seconds).start(), Progress())
    known = task.certificate
    counter = PriceCounter(task.instance, call_in_turn, next(leaves_weighted(known), ()))
    counter.refine(known.scale_bits)
    ascent, _ = first_point(counter, task.greedy, None)
    ascent.prices = counter.prices_of(known)
    best = BestPrices(counter, None, None, phases.deadline, phases)
    Climb(ascent, best, phases.deadline, None, cuts=False).approach()
    root = tree_of(counter, task.case, known, checks=False)
    start = counter, root, task.incumbent, task.greedy, ascent
    tree = TreeSearch(*start, phases, None, "completed", task.threshold)
    tree.grow(0.0, 1)
    return tree.best()


def _started(task: Task, share: ForEach) -> TreeSearch | Solution:
    """Returns the start of the tree, or the final solution if candidates cannot be listed."""
    greedy = task.first_incumbents()  # first: it refuses at once what would take minutes to list
    deadline = task.phases.deadline
    try:
        if can_list(task.instance, deadline):
            start = _Start(task, greedy, PriceCounter(task.instance, share))
            return start.tree()
    except KeyboardInterrupt:
        greedy = replace(greedy, termination="interrupted")
        deadline.stop()
    solution = bound_and_search(replace(task, branches=False), greedy)
    return replace(solution, extra={**solution.extra, "leaves": 1})


def _started_for_corpora(task: Task, share: ForEach) -> TreeSearch | Solution:
    """Runs `improve` and reads its certificate, or the given one, as a tree.

    Returns the solution of `improve` if Ctrl-C came before there was a certificate.
    """
    instance, corpora, limits = task.instance, task.instance.corpora, task.limits
    assert corpora is not None
    left = task.phases.deadline.left
    known = task.start_certificate
    if known is not None and known.k != instance.k:
        known = None
    solution = improve(
        instance,
        warm_start=task.warm_start,
        start_certificate=known,
        cuts=False,
        gap=task.gap,
        time_limit=None if left is None else _IMPROVE_SHARE * left,
        seed=limits.seed,
        threads=limits.threads,
        progress=task.phases,
        checkpoint=task.checkpoint,
    )
    proof = solution.certificate if known is None else known
    if proof is None:
        return replace(solution, extra={**solution.extra, "leaves": 1})
    task.phases.offer("incumbent", solution.worst, None, "improve")
    task.phases.offer("bound", None, solution.lower_bound, "improve")
    shares = corpora.shares(next(leaves_weighted(proof)))
    counter = PriceCounter(instance, share, weights=corpora.integer_weights(shares))
    counter.refine(max(proof.scale_bits, counter.digits_of_cuts))
    ascent, _ = first_point(counter, solution, None)
    root = tree_of(counter, Case.whole(counter), proof)
    ended: Termination = "interrupted" if solution.termination == "interrupted" else "completed"
    first = replace(solution, certificate=None)
    return TreeSearch(counter, root, first, first, ascent, task.phases, task.checkpoint, ended)


class _Start:
    """The start of the tree: a bound for all vocabularies, and a good vocabulary."""

    def __init__(self, task: Task, greedy: Solution, counter: PriceCounter) -> None:
        self.task = task
        self.greedy = greedy
        self.counter = counter
        self.termination = greedy.termination
        known = task.start_certificate
        if known is None or known.k != task.instance.k:
            self.both = BoundAndSearch(task, greedy, counter)
        else:
            counter.refine(max(known.scale_bits, counter.digits_of_cuts))
            self.root = tree_of(counter, Case.whole(counter), known)
            self.both = BoundAndSearch(replace(task, start_certificate=None), greedy, counter)
            self.both.climb.ascent.prices = counter.prices_of(known)
            if self.root.children:
                self._approach()
                self.solution = self._vocabulary(self.root)
                return
            self.both.climb.best.keep(self.root.proof.value, self.root.proof.prices)
        self.termination = self.both.run(self.termination)
        self.solution = self.both.solution(self.termination)
        self.root = root_of(self.both.climb.best, self.both.climb.rounds)

    def tree(self) -> TreeSearch:
        """Returns the tree."""
        start = self.counter, self.root, self.solution, self.greedy, self.both.climb.ascent
        return TreeSearch(*start, self.task.phases, self.task.checkpoint, self.termination)

    def _approach(self) -> None:
        """Makes the first point, where rounds begin."""
        climb, phases = self.both.climb, self.task.phases
        try:
            phases.enter("bound")
            proven = self.counter.bound(min(leaf.proof.value for leaf in leaves_of(self.root)))
            proven = proven if phases.needed is None else min(proven, phases.needed)
            phases.offer("bound", None, proven, "start")
            if self.termination != "interrupted":
                climb.approach()
            phases.enter("search")
        except KeyboardInterrupt:
            self.termination = "interrupted"

    def _vocabulary(self, root: Node) -> Solution:
        """Returns a vocabulary that a search finds from the x of the cases of a tree."""
        task = self.task
        left = task.phases.deadline.left
        seconds = None if left is None else _SEARCH_SHARE * left
        if self.termination == "interrupted" or task.warm_start is not None:
            seconds = 0.0  # the warm start was saved with its tree
        solution = local_search(
            task.instance,
            task.warm_start,
            greedy=self.greedy,
            x=np.stack([leaf.x for leaf in leaves_of(root)][:_POINTS]),
            gap=task.gap,
            time_limit=seconds,
            seed=task.limits.seed,
            threads=task.limits.threads,
            progress=task.phases,
        )
        if solution.termination == "interrupted":
            self.termination = "interrupted"
        return solution
