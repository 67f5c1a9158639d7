"""Runs solvers within limits: GreedTok's incumbent, the model, and a recount of each answer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..corpus.symbols import Token
from ..errors import InputError, VerificationError
from ..heuristics.greedy import greedtok
from ..problem.instance import Instance
from ..problem.solution import Result, Solution, Status, Termination
from ..runtime.limits import Deadline, RunLimits
from ..runtime.progress import Event, Progress
from ..segmentation.segmentation import segment
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .formulations.build import Formulation, Goal, build, entries
from .formulations.build import require as require_formulation
from .solver_io import Log, SolverOptions, SolverReport
from .solvers.registry import complete, require, run
from .sparse_model import Sense, SparseModel

LARGEST_COUNTS = 2**53
"""Up to this many counted symbols, floating point adds counts exactly."""


@dataclass(frozen=True)
class Incumbent:
    """A vocabulary with the fewest tokens that the words need with it.

    Attributes
    ----------
    tokens : int
        Tokens needed, recounted by `segment`.
    vocabulary : tuple of token
        The tokens in use (or all), fixed tokens first, then by symbols saved.
    """

    tokens: int
    vocabulary: tuple[Token, ...]


@dataclass(frozen=True, eq=False)
class Answer:
    """A solver's answer to one model.

    Attributes
    ----------
    report : SolverReport
        The solver's report, or the reason why it was not called.
    model : SparseModel or None
        The model; None if it was not built.
    """

    report: SolverReport
    model: SparseModel | None = None

    @property
    def vocabulary(self) -> list[Token] | None:
        """The tokens that the solver's best solution chooses; None without a solution."""
        if self.model is None or self.report.values is None:
            return None
        return self.model.chosen(self.report.values)

    def claimed_tokens(self, total_symbols: int) -> float:
        """Returns the tokens that the solver claims for its best solution."""
        assert self.model is not None
        assert self.report.values is not None
        value = float(self.model.objective @ self.report.values)
        return total_symbols - value if self.model.maximize else value

    def lower_bound(self, total_symbols: int) -> int:
        """Returns the solver's bound as a valid bound on tokens, rounded safely; 0 without one."""
        if self.model is None or self.report.bound is None:
            return 0
        bound = self.report.bound
        slack = 1e-6 + 1e-9 * abs(bound)
        if self.model.maximize:
            return total_symbols - math.floor(bound + slack)
        return math.ceil(bound - slack)


@dataclass
class SolverRun:
    """Runs one solver call within its time limit and reports progress.

    Attributes
    ----------
    instance : Instance
        The instance.
    solver, formulation : str
        The names of the solver and of the formulation.
    limits : RunLimits
        The time limit, the random seed and the threads; one thread if the solver has only one.
    gap : float
        The relative gap at which the solver may stop.
    log : callable or None
        Receives the solver's log.
    progress : Progress
        Receives each new incumbent and lower bound.
    deadline : Deadline
        The clock of the call.
    interrupted : bool
        Whether Ctrl-C was pressed before the solver was called.
    """

    instance: Instance
    solver: str
    formulation: str
    limits: RunLimits
    gap: float = 0.0
    log: Log | None = None
    progress: Progress = field(default_factory=Progress)
    deadline: Deadline = field(init=False)
    interrupted: bool = field(default=False, init=False)
    recount_seconds: float = field(default=0.0, init=False)
    tokens: int | None = field(default=None, init=False)
    lower_bound: int | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.deadline = self.limits.start()
        if not require(self.solver, integers=True).threads:
            self.limits = replace(self.limits, threads=1)
        require_formulation(self.formulation)

    @property
    def form(self) -> Formulation:
        """The formulation."""
        return require_formulation(self.formulation)

    def greedtok(self) -> Vocabulary:
        """Runs GreedTok, whose vocabulary is the answer if the solver has none."""
        solution = greedtok(self.instance, time_limit=self.limits.time_limit)
        self.interrupted = solution.termination == "interrupted"
        return solution.vocabulary

    def recount(
        self, tokens: Vocabulary | list[Token] | tuple[Token, ...], *, every: bool = False
    ) -> Incumbent:
        """Returns an incumbent with the tokens that the shortest paths use, or with all tokens."""
        begun = time.monotonic()
        given = list(tokens)
        instance = self.instance
        cut = segment(instance.words, Vocabulary(given, instance.symbols))
        saved: dict[Token, int] = dict.fromkeys(given, 0)
        for index, count in enumerate(instance.words.counts.tolist()):
            for piece in cut.of(index):
                if len(piece) > 1:
                    saved[piece] += count * (len(piece) - 1)
        fixed = set(instance.fixed)
        used = [token for token in given if (every or saved[token]) and token not in fixed]
        used.sort(key=lambda token: (-saved[token], len(token), token))
        self.recount_seconds = max(self.recount_seconds, time.monotonic() - begun)
        return Incumbent(cut.tokens, (*instance.fixed, *used))

    def report_incumbent(self, tokens: int, source: str) -> None:
        """Reports an incumbent if it is better than all earlier ones."""
        if self.tokens is None or tokens < self.tokens:
            self.tokens = tokens
            self._report("incumbent", source)

    def report_bound(self, bound: int, source: str) -> None:
        """Reports a lower bound if it is better than all earlier ones."""
        if self.lower_bound is None or bound > self.lower_bound:
            self.lower_bound = bound
            self._report("bound", source)

    def _report(self, kind: Literal["incumbent", "bound"], source: str) -> None:
        """Reports the best value so far as an event."""
        self.progress.event(
            Event(self.deadline.seconds, kind, self.tokens, self.lower_bound, source)
        )

    def solve(
        self,
        goal: Goal,
        *,
        sense: Sense | None = None,
        warm_start: Vocabulary | None = None,
        watched: bool = False,
    ) -> Answer:
        """Builds the model and solves it within the remaining time; Ctrl-C ends either.

        Parameters
        ----------
        goal : {"tokens", "decision", "size"}
            The goal of the model.
        sense : {"min", "max"}, optional
            The sense of the model.
        warm_start : Vocabulary, optional
            The warm start.
        watched : bool
            Whether to report the solver's incumbents and bounds, converted to tokens.
        """
        refuse_large_counts(self.instance, "name no solver, and branch and cut counts in integers")
        if self.interrupted:
            return Answer(SolverReport("none", "interrupted"))
        # after the solver come a recount and the independent check, in plain Python
        deadline = self.deadline.earlier(4 * self.recount_seconds)
        answer = Answer(SolverReport("none", "time_limit"))
        try:
            if deadline.has_time_for(building_seconds(self.instance, self.formulation)):
                model = build(self.instance, self.formulation, sense=sense, goal=goal)
                answer = replace(answer, model=model)
            if answer.model is None or deadline.is_over:
                return answer
            values = None if warm_start is None else complete(model, set(warm_start))
            options = SolverOptions(
                RunLimits(deadline.left, self.limits.seed, self.limits.threads),
                self.gap,
                values,
                self.log,
                self._watch(model) if watched and self._has_listener else None,
            )
            report = run(model, self.solver, options)
            if warm_start is not None and values is None:
                report = replace(report, start_taken=False)
        except KeyboardInterrupt:
            report = SolverReport("none", "interrupted")
        return replace(answer, report=report)

    @property
    def _has_listener(self) -> bool:
        """Whether anything listens to events; if not, the solver need not write its log."""
        return type(self.progress).event is not Progress.event

    def _watch(self, model: SparseModel) -> Callable[[float | None, float | None], None]:
        """Returns a function that reports objective values of a model as tokens."""
        total = self.instance.words.total_symbols

        def tokens(value: float) -> float:
            return total - value if model.maximize else value

        def watch(incumbent: float | None, bound: float | None) -> None:
            if incumbent is not None:
                # a log with few digits may show a smaller value than is possible
                self.report_incumbent(
                    max(math.floor(tokens(incumbent) + 1e-6), self.lower_bound or 0), self.solver
                )
            if bound is not None:
                self.report_bound(math.ceil(tokens(bound) - 1e-6), self.solver)

        return watch

    def check_claim(self, claimed: float, counted: int) -> None:
        """Raises an error if a solver's objective is better than its vocabulary allows.

        Solvers treat up to 1e-5 as 0 in an integer variable, and so may use every arc of a token
        that is not chosen by that much.  So the claim may be better than the count by that part of
        all symbols.
        """
        if claimed < counted - (0.5 + 1e-5 * self.instance.words.total_symbols):
            raise VerificationError(
                f"{self.solver} claims {round(claimed)} tokens, but its vocabulary needs "
                f"{counted}: please report the instance"
            )

    def solution(
        self,
        answer: Answer,
        incumbent: Incumbent,
        lower_bound: int | None,
        termination: Termination,
        extra: dict[str, Any],
    ) -> Solution:
        """Returns an incumbent as a solution that `verify` has checked."""
        vocabulary = self.instance.vocabulary(
            incumbent.vocabulary, "solve" if self.form.exact else self.formulation
        )
        tokens = incumbent.tokens
        if "smallest_size" in extra:  # the status is about the size
            status: Status = "optimal" if extra["smallest_size"] == len(vocabulary) else "feasible"
        else:
            status = "optimal" if lower_bound == tokens else "feasible"
        solution = Solution.of(
            self.instance,
            vocabulary,
            tokens,
            lower_bound=lower_bound,
            status=status,
            termination=termination,
            **self._facts(answer, len(vocabulary), termination, extra),
        )
        check = verify(self.instance, vocabulary, claim=solution)
        if not check.ok:
            raise VerificationError(check.problems[0])
        return solution

    def no_solution(
        self, answer: Answer, status: Status, termination: Termination, extra: dict[str, Any]
    ) -> Result:
        """Returns the result if there is no vocabulary."""
        return Result.of(
            self.instance,
            None,
            None,
            method="solve",
            status=status,
            termination=termination,
            **self._facts(answer, None, termination, extra),
        )

    def _facts(
        self, answer: Answer, size: int | None, termination: Termination, extra: dict[str, Any]
    ) -> dict[str, Any]:
        """Returns the fields that all results share."""
        extra = {"size": size, "solver": self.solver, "formulation": self.formulation, **extra}
        if answer.model is not None:
            rows, variables = answer.model.shape
            extra |= {"rows": rows, "variables": variables, "nonzeros": answer.model.nonzeros}
        if termination == "error":
            extra["message"] = answer.report.message
        return {
            "seconds": self.deadline.seconds,
            "seed": self.limits.seed,
            "threads": self.limits.threads,
            "extra": extra,
        }


def refuse_large_counts(
    instance: Instance, instead: str = "scale them down, or take fewer words"
) -> None:
    """Raises an error for counts that floating point does not add exactly, with a remedy."""
    if instance.words.total_symbols > LARGEST_COUNTS:
        raise InputError(
            f"the counts are too large for a floating-point solver to be exact: {instead}"
        )


def building_seconds(instance: Instance, formulation: str) -> float:
    """Estimates the time to build a model on a slow machine; little for a small model."""
    return entries(instance, formulation) / 3e6
