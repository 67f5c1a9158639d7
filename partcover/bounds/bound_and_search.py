"""Runs a lower bound and a local search together: each uses the results of the other."""

from __future__ import annotations

import math
import time
from bisect import bisect_right
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..errors import InputError
from ..heuristics.greedy import greedtok
from ..heuristics.search_space import legal_start
from ..heuristics.search_steps import LocalSearch
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..problem.memory_plan import MOST_TOGETHER
from ..problem.solution import Checkpoint, Solution, Status, Termination
from ..runtime.checkpoints import Checkpoints
from ..runtime.limits import RunLimits, begun
from ..runtime.phase_events import PhaseEvents
from ..runtime.processes.parallel import ForEach, workers
from ..segmentation.segmentation import segment
from ..verification.certificate_check import mismatches
from ..verification.recount import recount_seconds
from ..vocabulary.vocabulary import Vocabulary
from .climbing.best_prices import BestPrices
from .climbing.climb import Climb
from .climbing.warm_start import first_point, within_reach
from .counting.price_counter import PriceCounter

_GREEDY_SECONDS = 0.5  # GreedTok always gets these seconds: a vocabulary is worth the wait
_RECOUNTS = 1.5  # multiple of the time of a recount that the bound leaves at the end
_ALONE = 0.4  # largest share of the time that the bound takes before the search begins
_SEARCHING = 0.2  # share of the time kept for the search where both do not fit in memory at once
_RARER = 5  # the slower of bound and search gets this many times less time
_LAST = 0.1  # before branching, a search without gains in this part of its time ends with the bound


@dataclass(frozen=True)
class Task:
    """The instance, the warm starts and the limits of a bound and a search."""

    instance: Instance
    warm_start: Vocabulary | None  # in addition to GreedTok's vocabulary
    start_certificate: Certificate | None  # for any k
    cuts: bool
    gap: float
    limits: RunLimits
    phases: PhaseEvents  # the clock, and the best solution so far
    checkpoint: Checkpoint | None = None
    # whether branching follows: then a search that has stalled ends with the bound
    branches: bool = False

    def __post_init__(self) -> None:
        start, instance = self.warm_start, self.instance
        if start is not None and start.symbols != instance.symbols:
            raise InputError(
                f"the start is over {start.symbols}, the words over {instance.symbols}"
            )

    def reported(self, solution: Solution) -> Solution:
        """Reports a solution that is already optimal; returns it with the time it took."""
        phases, start = self.phases, self.start_certificate
        if start is not None and (problems := mismatches(self.instance.with_k(start.k), start)):
            raise InputError(problems[0])
        checkpoints = Checkpoints(self.checkpoint, lambda: solution)
        termination = solution.termination
        try:
            phases.offer("incumbent", solution.tokens, None, "words")
            phases.offer("bound", None, solution.tokens, "words")
            checkpoints.make()
        except KeyboardInterrupt:
            termination = "interrupted"
        checkpoints.report(solution.extra)
        return replace(solution, termination=termination, seconds=phases.deadline.seconds)

    def first_incumbents(self) -> Solution:
        """Returns GreedTok's solution; reports the tokens that it and the warm start need."""
        instance, phases, threads = self.instance, self.phases, self.limits.threads
        phases.enter("greedtok")
        _ = instance.promising_index(threads)
        left = phases.deadline.left
        patience = None if left is None else max(left, _GREEDY_SECONDS)
        greedy = greedtok(instance, time_limit=patience, threads=threads)
        try:
            needed = int(greedy.extra["tokens_shortest_path"])
            phases.offer("incumbent", needed, None, "greedtok")
            if self.warm_start is not None and greedy.termination != "interrupted":
                legal = legal_start(instance, self.warm_start)
                cut = segment(instance.words, legal, "shortest_path", threads=threads)
                phases.offer("incumbent", cut.tokens, None, "start")
        except KeyboardInterrupt:
            return replace(greedy, termination="interrupted")
        return greedy


class _Pace:
    """How much a number has improved in the last part of the time that it was given."""

    def __init__(self) -> None:
        self._values = [(0.0, math.inf)]  # after each number of seconds

    def note(self, seconds: float, value: float) -> None:
        """Adds seconds, and the value at their end."""
        self._values.append((self._values[-1][0] + seconds, value))

    def rate(self, part: float = 0.5) -> float:
        """Returns the improvement per second; infinite before there is a value."""
        end, last = self._values[-1]
        begin, value = self._values[bisect_right(self._values, ((1 - part) * end, math.inf)) - 1]
        return math.inf if math.isinf(value) else abs(last - value) / (end - begin)


class BoundAndSearch:
    """A lower bound and a local search on one clock, which use each other's results (`improve`).

    Without a time limit the bound runs to its end and then the search, so that the result is the
    same for any number of threads.  If the words have more than `MOST_TOGETHER` symbols, the two
    also run one after the other, because the steps of the bound leave little memory.
    """

    def __init__(self, task: Task, greedy: Solution, counter: PriceCounter) -> None:
        instance, phases = task.instance, task.phases
        self.limits = task.limits
        self.phases = phases
        self.branches = task.branches
        self.is_apart = not task.branches and len(instance.words.data) > MOST_TOGETHER
        ascent, known = first_point(counter, greedy, task.start_certificate)
        clock = phases.deadline
        best = BestPrices(counter, phases.needed, known, clock, phases)
        kept = _RECOUNTS * recount_seconds(instance.words, greedy.vocabulary)
        deadline = clock.earlier(kept)
        if deadline.left is not None and self.is_apart:
            deadline = deadline.earlier(_SEARCHING * deadline.left)
        self.climb = Climb(ascent, best, deadline, task.gap or None, cuts=task.cuts)
        self.search = LocalSearch(
            instance, greedy, task.warm_start, task.gap, task.limits, clock, phases
        )
        self._checkpoints = Checkpoints(task.checkpoint, self._present)
        self._saved = 0  # tokens saved by the vocabulary that was last offered
        self._told = -1
        self._pace = _Pace()  # of the search

    @property
    def is_closed(self) -> bool:
        """Whether the gap is at most the one asked for."""
        tokens = self.phases.tokens
        return tokens is not None and (
            tokens - self.climb.best.lower_bound <= self.search.gap * tokens
        )

    def solution(self, termination: Termination) -> Solution:
        """Returns the best vocabulary, recounted, with the certificate of the bound."""
        self.search.aim(self.climb.best.target())
        solution = self.search.solution(termination)
        self._checkpoints.report(solution.extra)
        certificate = self.climb.best.certificate()
        # a search that took every candidate claims an optimum, which rounded prices may not prove
        proven = certificate.lower_bound
        status: Status = "optimal" if proven == solution.tokens else "feasible"
        return replace(solution, certificate=certificate, lower_bound=proven, status=status)

    def run(self, termination: Termination) -> Termination:
        """Runs both unless the call was interrupted before; returns why they ended."""
        try:
            return termination if termination == "interrupted" else self._run()
        except KeyboardInterrupt:
            return "interrupted"

    def _run(self) -> Termination:
        """Runs both until the gap is closed, the time limit is reached or both have ended."""
        self.phases.enter("bound")
        self._checkpoints.offer()
        if not self.is_closed:
            self.climb.begin()
        ended = self._bound_alone()
        if self.is_apart:
            self.climb.end()
        self.phases.enter("search")
        self._tell()
        with workers(self.limits.threads) as share:
            self.search.use(share)
            steps = self.search.steps()
            if self.is_closed:
                next(steps, None)  # counts the vocabularies that it starts from
            else:
                if ended is None and self.limits.threads > 1:
                    ended = self._side_by_side(steps)
                    self.search.use(share)
                self._in_turns(steps, ended)
            steps.close()
        if self.is_closed:
            return "completed" if self.search.gap == 0 else "gap"
        return self.search.ended

    def _bound_alone(self) -> Termination | None:
        """Runs the bound until the search may begin; returns why it has ended, or None."""
        deadline = self.phases.deadline
        left = deadline.left
        until = None if left is None or self.is_apart else deadline.seconds + _ALONE * left
        while (ended := self.climb.advance()) is None:
            self._checkpoints.offer()
            if until is not None and (self.climb.is_near or deadline.seconds >= until):
                return None
        return ended

    def _side_by_side(self, steps: Generator[None]) -> Termination | None:
        """Runs the search in a thread of its own until the bound has ended, or the gap is closed.

        Returns why the bound has ended, or None.
        """
        ended: Termination | None = None
        is_over = False

        def search() -> None:
            while not is_over and self._search_step(steps):
                pass

        threads, counter = self.limits.threads, self.climb.ascent.counter
        whole = counter.share
        with (
            workers(threads // 2) as half,
            workers(threads - threads // 2) as rest,
            ThreadPoolExecutor(1) as own,
        ):
            self.search.use(half)
            counter.share = rest
            searching = own.submit(search)
            try:
                while ended is None and not self.is_closed:
                    ended = self._advance()
                    if searching.done():
                        searching.result()  # raises its error
                        counter.share = whole
            finally:
                is_over = True
                counter.share = whole
            searching.result()
        return ended

    def _in_turns(self, steps: Generator[None], ended: Termination | None) -> None:
        """Continues one of the two at a time; the search alone once the bound has ended.

        Most of the time goes to the one that closes more of the gap in a second.
        """
        branching_follows = self.branches and self.limits.time_limit is not None
        search, bound = self._pace, _Pace()
        searched = bounded = 0.0
        while not self.is_closed:
            begun = time.monotonic()
            if ended is None and bounded <= searched:
                ended = self._advance()
                seconds = time.monotonic() - begun
                bound.note(seconds, self.climb.best.lower_bound)
                bounded += seconds * (_RARER if bound.rate() < search.rate() else 1)
            elif ended is not None and branching_follows and search.rate(_LAST) == 0:
                return
            else:
                if not self._search_step(steps):
                    if ended is not None or self.search.ended == "time_limit":
                        return
                    bounded = -math.inf  # all the time goes to the bound
                self._save()
                seconds = time.monotonic() - begun
                searched += seconds * (_RARER if search.rate() < bound.rate() else 1)

    def _search_step(self, steps: Generator[None]) -> bool:
        """Makes a step of the search; returns whether there was one."""
        begun = time.monotonic()
        is_left = next(steps, False) is None
        tokens = self.search.tokens
        self._pace.note(time.monotonic() - begun, math.inf if tokens is None else tokens)
        return is_left

    def _advance(self) -> Termination | None:
        """Makes steps or a round of the bound, and tells the search about better bounds."""
        self.climb.best.incumbent = self.phases.needed
        ended = self.climb.advance()
        if self.climb.rounds is not None or ended is not None:
            self._tell()
        self._save()
        return ended

    def _tell(self) -> None:
        """Tells the search about a new bound; reports the gap."""
        climb, best = self.climb, self.climb.best
        if best.value == self._told:
            return
        self._told = best.value
        target = best.target()
        self.search.aim(target)
        if climb.rounds is None:
            return
        tokens, costs = self.phases.needed, target.reduced_costs
        remark = climb.rounds.remark(best.prices)
        if tokens is not None and costs is not None:
            possible = np.count_nonzero(costs <= tokens - best.lower_bound)
            remark += f", {possible:,} of {len(costs):,} candidates left"
        self.phases.advance(climb.rounds.n_rounds, None, remark)

    def _save(self) -> None:
        """Makes a checkpoint if it is time for one."""
        tokens = self.search.tokens
        if tokens is not None:
            self._checkpoints.offer(news=tokens < self._saved)
            self._saved = tokens

    def _present(self) -> Solution:
        """Returns the best vocabulary so far, not recounted, with the certificate of the bound."""
        certificate = self.climb.best.certificate()
        solution = self.search.present()
        return replace(solution, lower_bound=certificate.lower_bound, certificate=certificate)


def bound_and_search(task: Task, greedy: Solution) -> Solution:
    """Runs a bound and a search until the deadline, over as many candidates as can be listed."""
    deadline = task.phases.deadline

    def begin(share: ForEach) -> BoundAndSearch:
        reached = within_reach(task.instance, greedy, deadline)
        # on a large instance the bound never gets near enough to the relaxation for cuts to help
        cuts = task.cuts and reached.index.min_promise == 0
        begins = replace(task, instance=reached, cuts=cuts)
        return BoundAndSearch(begins, greedy, PriceCounter(reached, share))

    with workers(task.limits.threads) as share:
        both, is_stopped = begun(partial(begin, share), deadline)
        termination = both.run("interrupted" if is_stopped else greedy.termination)
        both.climb.end()  # on large instances the steps leave no memory for the search
        return replace(both.solution(termination), seconds=deadline.seconds)
