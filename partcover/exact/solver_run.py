"""A run of a solver builds the model, keeps to the time limit, and checks what comes back."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from ..corpus.symbols import Token
from ..errors import InputError, VerificationError
from ..problem.instance import Instance
from ..problem.solution import Result, Solution, Status, Termination
from ..runtime.progress import Event, Progress
from ..segmentation.segmentation import segment
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .formulations import build as forms
from .formulations.build import build, entries
from .solver_io import Log, SolverOptions, SolverReport
from .solvers.registry import complete, require, run
from .sparse_model import Sense, SparseModel

__all__ = ["SolverRun", "building_seconds", "hold_to_account", "tokens_bound"]


@dataclass
class SolverRun:
    """Runs one solver call within its time limit and reports progress."""

    instance: Instance
    solver: str
    time_limit: float | None
    gap: float
    seed: int
    threads: int
    log: Log | None
    progress: Progress
    integers: bool = True
    started: float = field(default_factory=time.monotonic)
    recounting: float = 0.0
    tokens: int | None = None
    bound: int | None = None

    def __post_init__(self) -> None:
        if not require(self.solver, integers=self.integers).threads:
            self.threads = 1
        if self.instance.words.total_symbols > 2**53:
            raise InputError(
                "the counts are too large for a floating-point solver to be exact: scale them "
                "down, or take fewer words"
            )

    def recounted(
        self, vocabulary: Vocabulary | None, *, every: bool = False
    ) -> tuple[int, list[Token]]:
        """Fewest tokens, and the tokens in use (or all) by symbols saved; fixed ones in front."""
        begun = time.monotonic()
        given = list(vocabulary or ())
        instance = self.instance
        cut = segment(instance.words, Vocabulary(given, instance.symbols))
        saved: dict[Token, int] = dict.fromkeys(given, 0)
        for index, count in enumerate(instance.words.counts.tolist()):
            for piece in cut.of(index):
                if len(piece) > 1:
                    saved[piece] += count * (len(piece) - 1)
        fixed = list(instance.fixed)
        used = [token for token in given if (every or saved[token]) and token not in set(fixed)]
        used.sort(key=lambda token: (-saved[token], len(token), token))
        self.recounting = max(self.recounting, time.monotonic() - begun)
        return cut.tokens, fixed + used

    def report_incumbent(self, tokens: int, source: str) -> None:
        """Tell of an incumbent, if it is better."""
        if self.tokens is None or tokens < self.tokens:
            self.tokens = tokens
            self._tell("incumbent", source)

    def report_bound(self, bound: int, source: str) -> None:
        """Tell of a bound, if it is better."""
        if self.bound is None or bound > self.bound:
            self.bound = bound
            self._tell("bound", source)

    def _tell(self, kind: Any, source: str) -> None:
        seconds = time.monotonic() - self.started
        self.progress.event(Event(seconds, kind, self.tokens, self.bound, source))

    def model_and_report(
        self,
        formulation: str,
        sense: Sense | None,
        goal: forms.Goal,
        start: set[Token] | None,
        *,
        interrupted: bool,
        watched: bool,
    ) -> tuple[SparseModel | None, SolverReport]:
        """Build and solve within the time there is; Ctrl-C ends either."""
        # at the end stand a recount and the independent check, in plain Python
        end = math.inf
        if self.time_limit is not None:
            end = self.started + self.time_limit - 4 * self.recounting
        model: SparseModel | None = None
        report = SolverReport("none", "interrupted")
        if interrupted:
            return model, report
        try:
            report = SolverReport("none", "time_limit")
            if building_seconds(self.instance, formulation) < end - time.monotonic():
                model = build(self.instance, formulation, sense=sense, goal=goal)
            if model is None or end - time.monotonic() <= 0:
                return model, report
            values = None if start is None else complete(model, start)
            left = end - time.monotonic()
            options = SolverOptions(
                None if left == math.inf else max(0.0, left),
                self.gap,
                self.threads,
                self.seed,
                values,
                self.log,
                self._watch(model) if watched and self._is_heard else None,
            )
            report = run(model, self.solver, options)
            if start is not None and values is None:
                report = replace(report, start_taken=False)
        except KeyboardInterrupt:
            report = SolverReport("none", "interrupted")
        return model, report

    @property
    def _is_heard(self) -> bool:
        """Whether anyone gets the events: else the solver need not tell of them."""
        return type(self.progress).event is not Progress.event

    def _watch(self, model: SparseModel) -> Callable[[float | None, float | None], None]:
        total = self.instance.words.total_symbols

        def tokens(value: float) -> float:
            return total - value if model.maximize else value

        def watch(incumbent: float | None, bound: float | None) -> None:
            if incumbent is not None:
                # a log of few digits may say less than is possible
                self.report_incumbent(
                    max(math.floor(tokens(incumbent) + 1e-6), self.bound or 0), self.solver
                )
            if bound is not None:
                self.report_bound(math.ceil(tokens(bound) - 1e-6), self.solver)

        return watch

    def solution(
        self,
        model: SparseModel | None,
        report: SolverReport,
        vocabulary: Vocabulary,
        tokens: int,
        bound: int | None,
        status: Status,
        stopped: Termination,
        extra: dict[str, Any],
    ) -> Solution:
        """The solution, checked."""
        solution = Solution.of(
            self.instance,
            vocabulary,
            tokens,
            lower_bound=bound,
            status=status,
            termination=stopped,
            **self._facts(model, report, stopped, {"size": len(vocabulary), **extra}),
        )
        # the status of the inverse problem is about the size, not the tokens
        claim = replace(solution, status="feasible") if "smallest_size" in extra else solution
        checked = verify(self.instance, vocabulary, claim=claim)
        if not checked.ok:
            raise VerificationError(checked.problems[0])
        return solution

    def nothing(
        self,
        model: SparseModel | None,
        report: SolverReport,
        status: Status,
        stopped: Termination,
        extra: dict[str, Any],
    ) -> Result:
        """What is known where there is no vocabulary."""
        return Result.of(
            self.instance,
            None,
            None,
            method="solve",
            status=status,
            termination=stopped,
            **self._facts(model, report, stopped, {"size": None, **extra}),
        )

    def _facts(
        self,
        model: SparseModel | None,
        report: SolverReport,
        stopped: Termination,
        extra: dict[str, Any],
    ) -> dict[str, Any]:
        if model is not None:
            rows, variables = model.shape
            extra |= {"rows": rows, "variables": variables, "nonzeros": model.nonzeros}
        if stopped == "error":
            extra["message"] = report.message
        return {
            "seconds": time.monotonic() - self.started,
            "seed": self.seed,
            "threads": self.threads,
            "extra": extra,
        }


def building_seconds(instance: Instance, formulation: str) -> float:
    """How long building a model takes at least, on a slow machine; little where it is small."""
    return entries(instance, formulation) / 3e6


def tokens_bound(model: SparseModel, bound: float, total: int) -> int:
    """A solver's bound on its objective as one on tokens, rounded so that it holds."""
    slack = 1e-6 + 1e-9 * abs(bound)
    if model.maximize:
        return total - math.floor(bound + slack)
    return math.ceil(bound - slack)


def hold_to_account(solver: str, claimed: float, counted: int, total: int) -> None:
    """Raise where a solver's objective is better than its vocabulary allows.

    Solvers take up to 1e-5 for 0 in an integer variable, and so may use every arc of a closed
    token by that much: the claim may be better than the count by that part of all symbols.
    """
    if claimed < counted - (0.5 + 1e-5 * total):
        raise VerificationError(
            f"{solver} claims {round(claimed)} tokens, its vocabulary needs {counted}: please "
            "report"
        )
