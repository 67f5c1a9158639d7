"""Computes the start of a tree if merges must be able to make every token."""

from __future__ import annotations

from ..heuristics.closed_tokens import ClosedTokens
from ..heuristics.greedy import greedtok
from ..problem.solution import Solution, Termination
from ..runtime.limits import begun
from ..runtime.processes.parallel import ForEach
from ..vocabulary.vocabulary import Vocabulary
from .bound_and_search import Task
from .climbing.best_prices import BestPrices
from .climbing.climb import Climb
from .climbing.warm_start import first_point
from .counting.price_counter import PriceCounter
from .tree.branch_tree import root_of, tree_of
from .tree.tree_search import TreeSearch, recounted

# Share of the remaining time for a vocabulary, and for the bound of all vocabularies.  Without a
# tree the bound gets all but what is kept for another search, which begins with its x.
_SHARE, _SEARCHING = 0.3, 0.25


def start_of_merges(task: Task, share: ForEach) -> TreeSearch:
    """Bounds all vocabularies, and finds one whose tokens can be made by merges."""
    instance, limits, phases = task.instance, task.limits, task.phases
    deadline = phases.deadline
    first = [] if task.warm_start is None else [*task.warm_start]

    def begin() -> tuple[Solution, ClosedTokens, Vocabulary]:
        phases.enter("greedtok")
        greedy = greedtok(instance.unmerged, time_limit=deadline.left, threads=limits.threads)
        closed = ClosedTokens(instance)
        # alone, the tokens to start from may need fewer
        starts = ([*first, *greedy.vocabulary], first)
        tried = [closed.counted(closed.first(tokens)) for tokens in starts]
        return greedy, closed, min(tried, key=lambda found: found[1])[0]

    (greedy, closed, vocabulary), is_stopped = begun(begin, deadline)
    is_stopped |= greedy.termination == "interrupted"
    left = deadline.left or 0.0
    try:
        phases.enter("search")
        if not is_stopped:
            vocabulary, _ = closed.search(vocabulary, deadline.earlier((1 - _SHARE) * left))
        solution = recounted(instance, vocabulary, limits, deadline)
        phases.offer("incumbent", solution.tokens, None, "search")
        phases.enter("bound")
    except KeyboardInterrupt:
        is_stopped = True
        solution = recounted(instance, vocabulary, limits, deadline)
    counter = PriceCounter(instance, share)
    known = task.start_certificate
    ascent, proven = first_point(counter, greedy, known)
    best = BestPrices(counter, solution.tokens, proven, deadline, phases)
    kept = (1 - _SHARE if task.branches else _SEARCHING) * (deadline.left or 0.0)
    climb = Climb(ascent, best, deadline.earlier(kept), task.gap, cuts=task.cuts)
    if not is_stopped:
        is_stopped = climb.run(limits.threads) == "interrupted"
    root = root_of(best, climb.rounds)
    if known is not None and known.k == instance.k:
        given = tree_of(counter, best.case, known)
        root = given if given.children else root
    try:
        clock = deadline.earlier((1 - _SHARE) * (deadline.left or 0.0) if task.branches else 0.0)
        if best.is_met or is_stopped:
            clock.stop()
        other, needed = closed.search(closed.by_x(best.x), clock)
        if needed < solution.tokens:
            solution = recounted(instance, other, limits, deadline)
            phases.offer("incumbent", needed, None, "rounding")
    except KeyboardInterrupt:
        is_stopped = True
    ended: Termination = "interrupted" if is_stopped else "completed"
    return TreeSearch(counter, root, solution, greedy, ascent, phases, task.checkpoint, ended)
