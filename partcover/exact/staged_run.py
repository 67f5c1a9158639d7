"""Runs a solver where it is quick, and branch and cut where it is not, within one time limit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ..bounds.bound_and_search import Task
from ..bounds.branch_and_cut import branch_and_cut
from ..bounds.phase_events import PhaseEvents
from ..heuristics.every_word import every_word
from ..problem.certificate import Certificate, Leaf
from ..problem.instance import Instance
from ..problem.memory_plan import refuse_beyond_memory
from ..problem.solution import Checkpoint, Solution
from ..runtime.limits import Deadline, RunLimits
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary
from .branch_and_bound import prove_by_relaxations
from .claims import with_proof
from .formulations.build import entries
from .solver_run import LARGEST_COUNTS, SolverRun
from .solvers.registry import available
from .warm_start import refuse_other_instance

__all__ = ["QUICK", "QUICK_SECONDS", "QUICK_WITH_GROUPS", "StagedRun"]

First = Callable[[SolverRun, Vocabulary | None, Certificate | None], Solution]

QUICK = 20_000
"""Nonzeros and variables of a model up to which a solver comes first."""

QUICK_SECONDS = 10.0
"""Seconds that a solver has: what it does not close in these it seldom closes in minutes."""

QUICK_WITH_GROUPS = 200_000
"""The same as `QUICK` with group budgets, which bounds of branch and cut do not use."""


@dataclass
class StagedRun:
    """One call of `solve` or `prove` that names no solver.

    Attributes
    ----------
    instance : Instance
        The instance.
    warm_start : Vocabulary or None
        The warm start.
    start_certificate : Certificate or None
        A proof of the instance to start from.
    limits : RunLimits
        The time limit, random seed and threads.
    gap : float
        The relative gap at which to stop.
    progress : Progress or None
        Receives what is new.
    checkpoint : callable or None
        Receives the best so far from time to time.
    """

    instance: Instance
    warm_start: Vocabulary | None
    start_certificate: Certificate | None
    limits: RunLimits
    gap: float
    progress: Progress | None
    checkpoint: Checkpoint | None
    deadline: Deadline = field(init=False)

    def __post_init__(self) -> None:
        self.deadline = self.limits.start()
        if self.progress is not None:
            self.progress = PhaseEvents(self.deadline, self.progress)

    def run(self, first: First) -> Solution:
        """Returns what a solver closes quickly, or else what branch and cut makes of it.

        Parameters
        ----------
        first : callable
            Uses a solver, from the start, within the limits of the run that it is given.
        """
        if (optimum := every_word(self.instance, self.limits)) is not None:
            return self._at_once(optimum)
        refuse_beyond_memory(self.instance, "proof")
        solution: Solution | None = None
        try:
            solution = self._first(first, self.warm_start, self._solver_seconds())
            if self._is_left_to_tolerances(solution) and first is not prove_by_relaxations:
                assert solution is not None
                seconds = min(self._seconds_left, QUICK_SECONDS)
                proof = self._first(prove_by_relaxations, solution.vocabulary, seconds)
                assert proof is not None
                solution = proof if self._is_near(proof) else solution
            if solution is not None and self._is_enough(solution):
                return solution
            return self._branch_and_cut(solution)
        except KeyboardInterrupt:
            solution = solution or self._start()
            return replace(solution, termination="interrupted", seconds=self.deadline.seconds)

    def _at_once(self, optimum: Solution) -> Solution:
        """Reports an optimum that no solver was needed for, and returns it."""
        refuse_other_instance(self.instance, self.warm_start, self.start_certificate)
        phases = PhaseEvents(self.deadline, self.progress or Progress())
        start, checkpoint = self.start_certificate, self._checkpoint(None)
        task = Task(self.instance, None, start, True, self.gap, self.limits, phases, checkpoint)
        solution = self._best(task.reported(optimum), None)
        return replace(solution, extra={**solution.extra, "solver": None})

    def _first(
        self, first: First, warm_start: Vocabulary | None, seconds: float | None
    ) -> Solution | None:
        """Returns what a solver makes of a small model within its seconds; None without any."""
        if seconds is None:
            return None
        limits = RunLimits(seconds, self.limits.seed, self.limits.threads)
        progress = self.progress or Progress()
        run = SolverRun(self.instance, "highs", "path", limits, self.gap, progress=progress)
        solution = first(run, warm_start, self.start_certificate)
        solution = replace(solution, threads=self.limits.threads)
        if solution.termination == "time_limit" and self._is_near(solution):
            return replace(solution, termination="gap")  # the limit was that of the solver alone
        return solution

    def _is_near(self, solution: Solution) -> bool:
        """Whether a solution is optimal, or as near as asked for."""
        return solution.tokens - (solution.lower_bound or 0) <= self.gap * solution.tokens

    def _is_enough(self, solution: Solution) -> bool:
        """Whether nothing is left to do, or no time to do it."""
        is_interrupted = solution.termination == "interrupted"
        return self._is_near(solution) or is_interrupted or self.deadline.is_over

    def _solver_seconds(self) -> float | None:
        """Returns the seconds that a solver has; None where its model is too large to be quick.

        None without HiGHS, too, but with group budgets, which branch and cut is no match for; and
        None for counts that floating point does not add up exactly.
        """
        if self.instance.words.total_symbols > LARGEST_COUNTS:
            return None
        has_groups = bool(self.instance.groups)
        if not has_groups and "highs" not in available():
            return None
        most = QUICK_WITH_GROUPS if has_groups else QUICK
        # of many candidates it takes long, and much memory, to list all
        if self.instance.promising.n_undominated > most or entries(self.instance, "path") > most:
            return None
        return min(self._seconds_left / 2, math.inf if has_groups else QUICK_SECONDS)

    @property
    def _seconds_left(self) -> float:
        return math.inf if self.deadline.left is None else self.deadline.left

    def _is_left_to_tolerances(self, solution: Solution | None) -> bool:
        """Whether a solver has ended, and its tolerances are all that is missing for a proof.

        With group budgets, that is: without them branch and cut closes what is left.
        """
        if solution is None or self._is_enough(solution):
            return False
        return bool(self.instance.groups) and solution.termination != "time_limit"

    def _branch_and_cut(self, first: Solution | None) -> Solution:
        """Runs branch and cut from what a solver has, and returns the best of both."""
        if first is None:
            refuse_other_instance(self.instance, self.warm_start, self.start_certificate)
        left = self._seconds_left
        if self._is_left_to_tolerances(first):
            left = min(left, QUICK_SECONDS)  # bounds that use no groups may stay there
        solution = branch_and_cut(
            self.instance,
            self.warm_start if first is None else first.vocabulary,
            start_certificate=self.start_certificate,
            gap=self.gap,
            time_limit=None if math.isinf(left) else left,
            seed=self.limits.seed,
            threads=self.limits.threads,
            progress=self.progress,
            checkpoint=self._checkpoint(first),
        )
        return self._best(solution, first)

    def _start(self) -> Solution:
        """Returns what there is before anything is found: the warm start or the required tokens."""
        instance = self.instance
        refuse_other_instance(instance, self.warm_start, None)
        tokens = instance.fixed if self.warm_start is None else self.warm_start.tokens
        vocabulary = instance.vocabulary(tokens, "solve")
        needed = segment(instance.words, vocabulary).tokens
        certificate = Certificate.of(instance, (Leaf(None),), instance.words.total_count)
        solution = Solution.of(instance, vocabulary, needed, seconds=0.0, seed=self.limits.seed)
        solution = replace(solution, threads=self.limits.threads)
        return with_proof(instance, solution, certificate, certificate.lower_bound)

    def _checkpoint(self, first: Solution | None) -> Checkpoint | None:
        """Returns a checkpoint of branch and cut that passes on the best of both."""
        passed_on = self.checkpoint
        if passed_on is None:
            return None
        return lambda solution: passed_on(self._best(solution, first))

    def _best(self, solution: Solution, first: Solution | None) -> Solution:
        """Returns a solution of branch and cut with the best bound of both."""
        certificate = solution.certificate
        assert certificate is not None
        lower_bound = certificate.lower_bound
        if first is not None:
            lower_bound = max(lower_bound, first.lower_bound or 0)
            known = first.certificate
            if known is not None and known.lower_bound > certificate.lower_bound:
                certificate = known
        solution = replace(
            solution,
            method="solve",
            vocabulary=solution.vocabulary.with_(method="solve"),
            seconds=self.deadline.seconds,
            extra={**solution.extra, "solver": "branch and cut"},
        )
        return with_proof(self.instance, solution, certificate, lower_bound)
