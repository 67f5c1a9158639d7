"""Small instances to proven optimality, every answer recounted independently."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus.symbols import Token
from ..errors import InputError, VerificationError
from ..heuristics.greedy import greedtok
from ..problem.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Event, Result, Solution, Status, Termination
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..segmentation.segmentation import segment
from ..verification.recount import check_certificate, verify
from ..vocabulary.vocabulary import Vocabulary
from .formulations import build as forms
from .formulations.build import build, entries
from .solver_io import Log, SolverOptions, SolverReport
from .solvers.registry import complete, require, run
from .sparse_model import Sense, SparseModel

__all__ = ["Relaxation", "building_seconds", "decide", "relax", "smallest", "solve"]

Progress = Callable[[Event], None]


@checked
def solve(
    instance: Instance,
    *,
    solver: str = "highs",
    formulation: str = "path",
    sense: Sense | None = None,
    start: Vocabulary | None = None,
    start_certificate: Certificate | None = None,
    time_limit: Seconds | None = None,
    gap: Share = 0.0,
    seed: Seed = 0,
    threads: Threads = 1,
    log: Log | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Solve an instance with an integer programming solver.

    Parameters
    ----------
    instance : Instance
        The instance; small: the model has a variable for each occurrence of each candidate.
    solver : {"highs", "scip", "cp-sat", "cbc"}
        Which solver.
    formulation : {"path", "occurrence", "printed", "wmc"}
        ``path`` and ``occurrence`` are Tok itself.  ``wmc`` is the relaxation: its optimum's
        vocabulary, costed by the shortest path, and the bound it gives, tokens ≥ symbols −
        relaxed cover.  ``printed`` is neither: its vocabulary, costed by the shortest path.
    sense : {"min", "max"}, optional
        How the model is written; see `partcover.exact.formulations.build.build`.
    start : Vocabulary, optional
        Tokens for the solver to start from; GreedTok's are the incumbent anyway.
        ``extra["start_taken"]`` says whether the solver's log shows that it took them.
    start_certificate : Certificate, optional
        A proof of a lower bound, of this instance: it counts beside the solver's, and where it
        meets a vocabulary there is nothing left to solve.  For ``path`` and ``occurrence``.
    time_limit : float, optional
        Seconds, building the model included.
    gap : float
        Relative gap at which to stop.
    seed, threads : int
        For the solver; one without threads of its own takes 1, as the solution then says.
    log : callable, optional
        Gets the solver's log, line by line.
    progress : callable, optional
        Gets an `Event` for each new incumbent or bound (of ``path`` and ``occurrence``).

    Returns
    -------
    Solution
        Its vocabulary keeps the tokens that the fewest-token segmentation uses (with ``wmc``
        and ``printed``: all that were chosen) and the fixed ones, the fixed first, then by
        symbols saved, most first, then shorter, then smaller.  `tokens` is recounted by
        `verify`.  ``extra["relaxed_cover"]`` is the objective of ``wmc``, recounted too;
        ``extra["printed_cover"]`` is that of ``printed``, as the solver says.  On Ctrl-C or at
        the time limit: the better of the solver's best and GreedTok's vocabulary, with the
        bound reached.  (SCIP and HiGHS cannot be stopped from outside: their bound is read from
        their log, and their thread is parked at its next line.  HiGHS writes its best to a file,
        SCIP keeps it to itself.)

    Raises
    ------
    InputError
        For an unknown solver or formulation, a solver that is not installed or does not support
        what is asked, a bad limit, a start that breaks a budget, or a model beyond the memory.
    VerificationError
        If the recount contradicts the solver, or the certificate does not hold.

    Notes
    -----
    Solvers work in floating point: a bound is rounded up to the next integer only beyond
    1e-6 + 1e-9·|bound|, more than the tolerances they are left at can move it on instances
    whose counts they can represent.
    """
    run_ = _Run(instance, solver, time_limit, gap, seed, threads, log, progress)
    form = forms.require(formulation)
    total = instance.words.total_symbols
    fallback = greedtok(instance, time_limit=time_limit)
    tokens, order = run_.recounted(fallback.vocabulary)
    given = None if start is None else run_.recounted(start)
    if start is not None:
        problems = verify(instance, start).problems
        if problems:
            raise InputError(f"the start is no vocabulary of this instance: {problems[0]}")
    exact = form.exact
    if start_certificate is not None and not exact:
        raise InputError(f"a certificate to start from bounds no {formulation}")
    known = 0 if start_certificate is None else _proven(instance, start_certificate)
    run_.found(tokens, "greedtok")
    if known:
        run_.bounded(known, "start")
    best = tokens if given is None else min(tokens, given[0])
    if known and best - known <= gap * best:
        model, report = None, SolverReport("none", "completed")
    else:
        model, report = run_.model_and_report(
            formulation,
            sense,
            "tokens",
            None if start is None else set(start),
            interrupted=fallback.termination == "interrupted",
            watched=exact,
        )
    if report.has == "infeasible":
        raise VerificationError(
            f"{solver} finds no vocabulary, and GreedTok's is one: please report the instance"
        )

    extra: dict[str, Any] = {"solver": solver, "formulation": formulation}
    if model is not None and report.values is not None:
        chosen = Vocabulary(model.chosen(report.values), instance.symbols)
        claimed = float(model.objective @ report.values)
        claimed = total - claimed if model.maximize else claimed
        if exact:
            solver_tokens, solver_order = run_.recounted(chosen)
            _hold_to_account(solver, claimed, solver_tokens, total)
            if solver_tokens <= tokens:
                tokens, order = solver_tokens, solver_order
        else:
            tokens, order = run_.recounted(chosen, every=True)
            extra["relaxation_solved"] = report.has == "optimal"
            if formulation == "wmc":
                relaxed_cover = verify(instance, chosen).relaxed_cover
                extra["relaxed_cover"] = relaxed_cover
                _hold_to_account(solver, claimed, total - relaxed_cover, total)
            else:
                extra["printed_cover"] = round(total - claimed)
    if given is not None and exact and given[0] < tokens:
        tokens, order = given
    method = "solve" if exact else formulation
    vocabulary = instance.vocabulary(order, method)

    # every word needs a token, whatever the vocabulary
    bound = max(instance.words.total_count, known)
    if model is not None and report.bound is not None and formulation != "printed":
        bound = max(bound, _tokens_bound(model, report.bound, total))
    if bound > tokens:
        raise VerificationError(
            f"{solver} claims that {bound} tokens are needed, and {tokens} suffice: its "
            "tolerances broke; try another solver, and report the instance"
        )
    status: Status = "optimal" if bound == tokens else "feasible"
    stopped: Termination = report.stopped
    if stopped == "completed" and status != "optimal" and exact:
        stopped = "gap"
    if exact:
        run_.found(tokens, solver)
        run_.bounded(bound, solver)
    if start is not None:
        extra["start_taken"] = report.start_taken
    if instance.threshold is not None:
        met = True if tokens <= instance.threshold else None
        extra["threshold"] = instance.threshold
        extra["meets_threshold"] = False if bound > instance.threshold else met
    solution = run_.solution(model, report, vocabulary, tokens, bound, status, stopped, extra)
    return replace(solution, certificate=start_certificate if bound == known else None)


def _proven(instance: Instance, certificate: Certificate) -> int:
    """The lower bound that a certificate to start from proves."""
    checked = check_certificate(instance, certificate)
    if not checked.ok:
        raise VerificationError(f"the certificate to start from: {checked.problems[0]}")
    return checked.lower_bound


@checked
def decide(
    instance: Instance,
    threshold: int | None = None,
    *,
    solver: str = "highs",
    formulation: str = "path",
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    log: Log | None = None,
    progress: Progress | None = None,
) -> tuple[bool | None, Solution]:
    """Decide whether a vocabulary within the budget needs at most `threshold` tokens.

    Parameters
    ----------
    instance : Instance
        The instance; its own threshold is asked about if none is given.
    threshold : int, optional
        ℓ.
    solver, time_limit, seed, threads, log, progress
        As for `solve`.
    formulation : {"path", "occurrence"}
        Nothing is optimised: the threshold is a row of the model.

    Returns
    -------
    tuple
        True, False, or None where a limit left it open; and the solution that says so: its
        vocabulary proves a yes, its lower bound is a no (as the solver says, within its
        tolerances).

    Raises
    ------
    InputError
        If there is no threshold, and as `solve` does.
    """
    instance = _asked(instance, threshold, formulation)
    asked = instance.threshold or 0
    run_ = _Run(instance, solver, time_limit, 0.0, seed, threads, log, progress)
    fallback = greedtok(instance, time_limit=time_limit)
    tokens, order = run_.recounted(fallback.vocabulary)
    run_.found(tokens, "greedtok")
    bound = instance.words.total_count
    report = SolverReport("none", "completed")
    model: SparseModel | None = None
    if bound <= asked < tokens:
        model, report = run_.model_and_report(
            formulation,
            None,
            "decision",
            None,
            interrupted=fallback.termination == "interrupted",
            watched=False,
        )
        if report.has == "infeasible":
            bound = asked + 1
        elif model is not None and report.values is not None:
            found = run_.recounted(Vocabulary(model.chosen(report.values), instance.symbols))
            if found[0] < tokens:
                tokens, order = found
                run_.found(tokens, solver)
    answer = True if tokens <= asked else False if bound > asked else None
    extra = {
        "solver": solver,
        "formulation": formulation,
        "threshold": asked,
        "meets_threshold": answer,
    }
    status: Status = "optimal" if bound == tokens else "feasible"
    stopped = report.stopped
    if answer is not None and stopped != "interrupted":
        stopped = "completed"
    vocabulary = instance.vocabulary(order, "solve")
    return answer, run_.solution(model, report, vocabulary, tokens, bound, status, stopped, extra)


@checked
def smallest(
    instance: Instance,
    threshold: int | None = None,
    *,
    solver: str = "highs",
    formulation: str = "path",
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    log: Log | None = None,
    progress: Progress | None = None,
) -> Result:
    """Find the fewest tokens k with which the corpus needs at most `threshold` tokens.

    Parameters
    ----------
    instance : Instance
        The instance; its k is the most that may be chosen, and its own threshold is asked
        about if none is given.
    threshold : int, optional
        ℓ.
    solver, time_limit, seed, threads, log, progress
        As for `solve`; no events while the solver runs.
    formulation : {"path", "occurrence"}
        Of the model, whose objective is the number of chosen tokens.

    Returns
    -------
    Result
        A `Solution` where there is a vocabulary.
        ``extra["size"]`` is the number of tokens of its vocabulary, ``extra["smallest_size"]``
        a lower bound of it; ``status`` is about the size: optimal where the two agree.
        ``infeasible`` (as the solver says) where no k tokens do, ``none`` where a limit left
        that open.  There is no `lower_bound` on tokens, which are not minimised.

    Raises
    ------
    InputError
        If there is no threshold, and as `solve` does.
    """
    instance = _asked(instance, threshold, formulation)
    asked = instance.threshold or 0
    run_ = _Run(instance, solver, time_limit, 0.0, seed, threads, log, progress)
    trivial = instance.words.total_count
    fallback = greedtok(instance, time_limit=time_limit)
    best = _shortest_prefix(instance, fallback.vocabulary, asked)
    least = len(instance.fixed)
    model, report = None, SolverReport("infeasible", "completed")
    if asked >= trivial:
        model, report = run_.model_and_report(
            formulation,
            None,
            "size",
            None,
            interrupted=fallback.termination == "interrupted",
            watched=False,
        )
    if model is not None and report.values is not None:
        found = model.chosen(report.values)
        cost, order = run_.recounted(Vocabulary(found, instance.symbols))
        if cost > asked:
            raise VerificationError(
                f"{solver} claims at most {asked} tokens, its vocabulary needs {cost}"
            )
        if best is None or len(order) <= len(best):
            best = order
    if report.bound is not None:
        least = max(least, math.ceil(report.bound - 1e-6))
    size = None if best is None else len(best)
    if size is not None and (least > size or report.has == "infeasible"):
        raise VerificationError(
            f"{solver} claims that {least} tokens are needed, and {size} suffice: please report"
        )
    status: Status = "feasible" if size != least else "optimal"
    if size is None:
        status = "infeasible" if report.has == "infeasible" else "none"
    extra = {
        "solver": solver,
        "formulation": formulation,
        "threshold": asked,
        "meets_threshold": True if size is not None else False if status == "infeasible" else None,
        "smallest_size": None if status == "infeasible" else least,
    }
    vocabulary = None if best is None else instance.vocabulary(best, "solve")
    stopped = report.stopped
    if status == "optimal" and stopped != "interrupted":
        stopped = "completed"
    if vocabulary is None:
        return run_.nothing(model, report, status, stopped, extra)
    tokens, _ = run_.recounted(vocabulary)
    return run_.solution(model, report, vocabulary, tokens, None, status, stopped, extra)


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The optimum of a linear relaxation.

    Attributes
    ----------
    formulation, solver : str
        Of which model, and by whom.
    tokens, cover : float or None
        Its value, in floating point and within the solver's tolerances; None where a limit
        ended it.
    x : ndarray of float64, shape (tokens,)
        How much of each of ``model.tokens`` is chosen.
    duals : ndarray of float64, shape (rows,), or None
        Of each row of the model, where the solver gives them.
    termination : str
        Why it stopped.
    seconds : float
        Building the model included.
    model : SparseModel or None
        The model; None where there was no time to build it.
    """

    formulation: str
    solver: str
    tokens: float | None
    cover: float | None
    x: npt.NDArray[np.float64]
    duals: npt.NDArray[np.float64] | None
    termination: Termination
    seconds: float
    model: SparseModel | None

    @property
    def fractional(self) -> int:
        """How many tokens are neither chosen nor not, beyond 1e-6."""
        return int((np.abs(self.x - np.round(self.x)) > 1e-6).sum())


@checked
def relax(
    instance: Instance,
    formulation: str = "path",
    *,
    solver: str = "glop",
    sense: Sense | None = None,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    log: Log | None = None,
) -> Relaxation:
    """Solve the linear relaxation of a formulation.

    Parameters
    ----------
    instance, formulation, sense, time_limit, seed, threads, log
        As for `solve`.
    solver : {"glop", "pdlp", "highs", "scip", "cbc"}
        GLOP is a simplex method, PDLP a first-order one (to relative tolerances of 1e-7).

    Returns
    -------
    Relaxation
        Its value.

    Raises
    ------
    InputError
        For a solver that is unknown, not installed or takes no linear programs; as `solve` does.
    """
    started = time.monotonic()
    require(solver, linear=True)
    _Run(instance, solver, time_limit, 0.0, seed, threads, log, None, integers=False)
    forms.require(formulation)
    model: SparseModel | None = None
    report = SolverReport("none", "time_limit")
    if time_limit is None or building_seconds(instance, formulation) < time_limit:
        model = build(instance, formulation, sense=sense).relaxed()
        left = None
        if time_limit is not None:
            left = max(0.0, time_limit - (time.monotonic() - started))
        report = run(model, solver, SolverOptions(left, 0.0, threads, seed, log=log))
    tokens = cover = None
    if model is not None and report.has == "optimal" and report.values is not None:
        value = float(model.objective @ report.values)
        other = instance.words.total_symbols - value
        tokens, cover = (other, value) if model.maximize else (value, other)
    return Relaxation(
        formulation,
        solver,
        tokens,
        cover,
        np.zeros(0)
        if model is None or report.values is None
        else report.values[: len(model.tokens)],
        report.duals,
        report.stopped,
        time.monotonic() - started,
        model,
    )


@dataclass
class _Run:
    """One call: its limits, its clock, and who listens."""

    instance: Instance
    solver: str
    time_limit: float | None
    gap: float
    seed: int
    threads: int
    log: Log | None
    progress: Progress | None
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

    def found(self, tokens: int, source: str) -> None:
        """Tell of an incumbent, if it is better."""
        if self.tokens is None or tokens < self.tokens:
            self.tokens = tokens
            self._tell("incumbent", source)

    def bounded(self, bound: int, source: str) -> None:
        """Tell of a bound, if it is better."""
        if self.bound is None or bound > self.bound:
            self.bound = bound
            self._tell("bound", source)

    def _tell(self, kind: Any, source: str) -> None:
        if self.progress is not None:
            seconds = time.monotonic() - self.started
            self.progress(Event(seconds, kind, self.tokens, self.bound, source))

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
                self._watch(model) if watched and self.progress is not None else None,
            )
            report = run(model, self.solver, options)
            if start is not None and values is None:
                report = replace(report, start_taken=False)
        except KeyboardInterrupt:
            report = SolverReport("none", "interrupted")
        return model, report

    def _watch(self, model: SparseModel) -> Callable[[float | None, float | None], None]:
        total = self.instance.words.total_symbols

        def tokens(value: float) -> float:
            return total - value if model.maximize else value

        def watch(incumbent: float | None, bound: float | None) -> None:
            if incumbent is not None:
                # a log of few digits may say less than is possible
                self.found(max(math.floor(tokens(incumbent) + 1e-6), self.bound or 0), self.solver)
            if bound is not None:
                self.bounded(math.ceil(tokens(bound) - 1e-6), self.solver)

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
        solution = Solution(
            method=vocabulary.method,
            vocabulary=vocabulary,
            tokens=tokens,
            cover=self.instance.words.total_symbols - tokens,
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
        return Result(
            method="solve",
            vocabulary=None,
            tokens=None,
            cover=None,
            lower_bound=None,
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
        instance = self.instance
        if model is not None:
            rows, variables = model.shape
            extra |= {"rows": rows, "variables": variables, "nonzeros": model.nonzeros}
        if stopped == "error":
            extra["message"] = report.message
        return {
            "k": instance.k,
            "words": len(instance.words),
            "total_count": instance.words.total_count,
            "symbols": instance.symbols,
            "candidates": instance.index.total,
            "policy": instance.policy,
            "rule": "shortest_path",
            "seconds": time.monotonic() - self.started,
            "seed": self.seed,
            "threads": self.threads,
            "extra": extra,
        }


def _asked(instance: Instance, threshold: int | None, formulation: str) -> Instance:
    if threshold is not None:
        instance = replace(instance, threshold=threshold)
    if instance.threshold is None:
        raise InputError("no threshold to decide about: give one")
    if not forms.require(formulation).exact:
        raise InputError(f"{formulation} is not Tok itself: use {', '.join(forms.EXACT)}")
    return instance


def _shortest_prefix(
    instance: Instance, vocabulary: Vocabulary | None, threshold: int
) -> list[Token] | None:
    """The fewest first tokens of a vocabulary that meet a threshold."""
    tokens = list(vocabulary or ())
    least, most = len(instance.fixed), len(tokens)

    def meets(size: int) -> bool:
        cut = segment(instance.words, Vocabulary(tokens[:size], instance.symbols))
        return cut.tokens <= threshold

    if most < least or not meets(most):
        return None
    while least < most:
        middle = (least + most) // 2
        if meets(middle):
            most = middle
        else:
            least = middle + 1
    return tokens[:most]


def _tokens_bound(model: SparseModel, bound: float, total: int) -> int:
    """A solver's bound on its objective as one on tokens, rounded so that it holds."""
    slack = 1e-6 + 1e-9 * abs(bound)
    if model.maximize:
        return total - math.floor(bound + slack)
    return math.ceil(bound - slack)


def building_seconds(instance: Instance, formulation: str) -> float:
    """How long building a model takes at least, on a slow machine; little where it is small."""
    return entries(instance, formulation) / 3e6


def _hold_to_account(solver: str, claimed: float, counted: int, total: int) -> None:
    """Raise where a solver's objective is better than its vocabulary allows.

    Solvers take up to 1e-5 for 0 in an integer variable, and so may use every arc of a closed
    token by that much: the claim may be better than the count by that part of all symbols.
    """
    if claimed < counted - (0.5 + 1e-5 * total):
        raise VerificationError(
            f"{solver} claims {round(claimed)} tokens, its vocabulary needs {counted}: please "
            "report"
        )
