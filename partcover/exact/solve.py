"""Solves an instance to proven optimality with an integer programming solver."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import VerificationError
from ..problem.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .solver_io import Log, SolverReport
from .solver_run import Answer, Incumbent, SolverRun
from .sparse_model import Sense
from .warm_start import WarmStart

__all__ = ["solve", "threshold_facts"]


@checked
def solve(
    instance: Instance,
    *,
    solver: str = "highs",
    formulation: str = "path",
    sense: Sense | None = None,
    warm_start: Vocabulary | None = None,
    start_certificate: Certificate | None = None,
    time_limit: Seconds | None = None,
    gap: Share = 0.0,
    seed: Seed = 0,
    threads: Threads = 1,
    log: Log | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Finds an optimal vocabulary with an integer programming solver.

    Parameters
    ----------
    instance : Instance
        The instance; a small one: the model has a variable for each occurrence of each candidate.
    solver : {"highs", "scip", "cp-sat", "cbc"}
        The solver.
    formulation : {"path", "occurrence", "printed", "wmc"}
        ``path`` and ``occurrence`` model the problem itself.  ``wmc`` is the relaxation to
        weighted maximum coverage: its optimal vocabulary, with the tokens needed under the
        shortest path, and the bound tokens ≥ symbols − relaxed cover.  ``printed`` is neither:
        its vocabulary, with the tokens needed under the shortest path.
    sense : {"min", "max"}, optional
        The sense of the model; see `partcover.exact.formulations.build.build`.
    warm_start : Vocabulary, optional
        A warm start for the solver, beside GreedTok's vocabulary, which is always an incumbent.
        ``extra["start_taken"]`` is whether the solver's log shows that it took the start.
    start_certificate : Certificate, optional
        A proof of a lower bound of this instance: it counts beside the solver's bound, and where
        it meets an incumbent nothing is solved.  For ``path`` and ``occurrence``.
    time_limit : float, optional
        Seconds, building the model included.
    gap : float
        The relative gap at which to stop.
    seed : int
        Random seed of the solver.
    threads : int
        Number of threads of the solver; 1 where it has no more, as the solution then says.
    log : callable, optional
        Receives the solver's log, line by line.
    progress : Progress, optional
        Receives an `Event` for each new incumbent or bound (of ``path`` and ``occurrence``).

    Returns
    -------
    Solution
        The vocabulary has the fixed tokens first, then the tokens that the shortest paths use
        (with ``wmc`` and ``printed``: all that were chosen), by symbols saved, the most first,
        then shorter, then smaller.  `tokens` is recounted by `verify`.
        ``extra["relaxed_cover"]`` is the objective of ``wmc``, recounted too;
        ``extra["printed_cover"]`` is the solver's objective of ``printed``.  After Ctrl-C or at
        the time limit: the better of the solver's best and GreedTok's vocabulary, with the best
        bound.  (SCIP and HiGHS cannot be stopped from outside: their bound is read from their
        log, and their thread is parked at its next line.  HiGHS writes its best solution to a
        file, SCIP hands none over.)

    Raises
    ------
    InputError
        For an unknown solver or formulation, a solver that is not installed or does not support
        the call, a bad limit, a start that breaks a budget, or a model beyond the memory.
    VerificationError
        If the recount contradicts the solver, or the certificate does not hold.

    Notes
    -----
    Solvers work in floating point: a bound is rounded up to the next integer only beyond
    1e-6 + 1e-9·|bound|, which is more than their default tolerances can move it on instances
    whose counts they can represent.

    Examples
    --------
    >>> from partcover import Instance, solve
    >>> solution = solve(Instance({"banana": 2, "bandana": 1}, 1))
    >>> solution.tokens, solution.lower_bound, solution.status
    (9, 9, 'optimal')
    >>> list(solution.vocabulary)
    [b'banana']
    """
    run = SolverRun(
        instance,
        solver,
        formulation,
        RunLimits(time_limit, seed, threads),
        gap,
        log,
        progress or Progress(),
    )
    # GreedTok's incumbent, and the warm start
    greedy = run.recount(run.greedtok())
    given = WarmStart.of(run, warm_start, start_certificate)
    run.report_incumbent(greedy.tokens, "greedtok")
    if given.lower_bound:
        run.report_bound(given.lower_bound, "start")

    # the solver, unless the two close the gap
    if given.closes(greedy.tokens, gap):
        answer = Answer(SolverReport("none", "completed"))
    else:
        answer = run.solve("tokens", sense=sense, warm_start=warm_start, watched=run.form.exact)

    # a recount of its answer
    extra: dict[str, Any] = {}
    if run.form.exact:
        incumbent = _best(run, answer, greedy, given)
    else:
        incumbent, extra = _relaxed(run, answer, greedy)
    lower_bound = _lower_bound(run, answer, incumbent, given)

    # the solution
    termination = answer.report.stopped
    if run.form.exact:
        if termination == "completed" and lower_bound < incumbent.tokens:
            termination = "gap"
        run.report_incumbent(incumbent.tokens, solver)
        run.report_bound(lower_bound, solver)
    if warm_start is not None:
        extra["start_taken"] = answer.report.start_taken
    extra |= threshold_facts(instance, incumbent.tokens, lower_bound)
    solution = run.solution(answer, incumbent, lower_bound, termination, extra)
    proven = lower_bound == given.lower_bound
    return replace(solution, certificate=given.certificate if proven else None)


def _best(run: SolverRun, answer: Answer, greedy: Incumbent, warm_start: WarmStart) -> Incumbent:
    """Returns the best of the solver's vocabulary, GreedTok's and the warm start, recounted."""
    best = greedy
    if answer.vocabulary is not None:
        incumbent = run.recount(answer.vocabulary)
        run.check_claim(answer.claimed_tokens(run.instance.words.total_symbols), incumbent.tokens)
        if incumbent.tokens <= best.tokens:
            best = incumbent
    if warm_start.incumbent is not None and warm_start.incumbent.tokens < best.tokens:
        best = warm_start.incumbent
    return best


def _relaxed(run: SolverRun, answer: Answer, greedy: Incumbent) -> tuple[Incumbent, dict[str, Any]]:
    """Returns the vocabulary of a relaxation, recounted, with its own objective."""
    if answer.vocabulary is None:
        return greedy, {}
    incumbent = run.recount(answer.vocabulary, every=True)
    extra: dict[str, Any] = {"relaxation_solved": answer.report.has == "optimal"}
    total = run.instance.words.total_symbols
    claimed = answer.claimed_tokens(total)
    if run.formulation == "wmc":
        chosen = Vocabulary(answer.vocabulary, run.instance.symbols)
        extra["relaxed_cover"] = verify(run.instance, chosen).relaxed_cover
        run.check_claim(claimed, total - extra["relaxed_cover"])
    else:
        extra["printed_cover"] = round(total - claimed)
    return incumbent, extra


def _lower_bound(
    run: SolverRun, answer: Answer, incumbent: Incumbent, warm_start: WarmStart
) -> int:
    """Returns the best lower bound, refusing one that an incumbent contradicts."""
    if answer.report.has == "infeasible":
        raise VerificationError(
            f"{run.solver} finds no vocabulary, and GreedTok's is one: please report the instance"
        )
    # every word needs a token, whatever the vocabulary
    lower_bound = max(run.instance.words.total_count, warm_start.lower_bound)
    if run.formulation != "printed":
        lower_bound = max(lower_bound, answer.lower_bound(run.instance.words.total_symbols))
    if lower_bound > incumbent.tokens:
        raise VerificationError(
            f"{run.solver} claims that {lower_bound} tokens are needed, and {incumbent.tokens} "
            "suffice: its tolerances broke; try another solver, and report the instance"
        )
    return lower_bound


def threshold_facts(instance: Instance, tokens: int, lower_bound: int) -> dict[str, Any]:
    """Returns the threshold of an instance and whether it is met, for `extra`."""
    if instance.threshold is None:
        return {}
    met = True if tokens <= instance.threshold else None
    if lower_bound > instance.threshold:
        met = False
    return {"threshold": instance.threshold, "meets_threshold": met}
