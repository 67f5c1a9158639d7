"""Decides whether a threshold can be met, and finds the smallest vocabulary that meets one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.instance import Instance
from ..problem.solution import Result, Solution, Status
from ..runtime.arguments import Seconds, Seed, Threads, checked
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from .claims import threshold_facts
from .formulations import build as forms
from .in_integers import (
    Counted,
    Sized,
    decide_in_integers,
    is_beyond_tolerances,
    smallest_in_integers,
)
from .solver_io import Log, SolverReport
from .solver_run import Answer, Incumbent, SolverRun
from .warm_start import shortest_prefix

_COUNTED = "branch and cut"
_NO_ANSWER = Answer(SolverReport("none", "completed"))


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
    """Decides whether a vocabulary within the budget needs at most `threshold` tokens.

    Parameters
    ----------
    instance : Instance
        The instance.
    threshold : int, optional
        The number of tokens ℓ; by default the instance's own threshold.
    solver, time_limit, seed, threads, log, progress
        As for `solve`.  Branch and cut, which computes in integers, replaces the solver if the
        counts add up to more than 2^30 symbols, where a solver's tolerances may be whole tokens,
        and if the solver's vocabulary needs more than `threshold` tokens.
    formulation : {"path", "occurrence"}
        The formulation.  The threshold is a row of the model; nothing is optimized.

    Returns
    -------
    tuple
        True, False, or None if a limit was reached first; and the solution that shows it.  Its
        vocabulary proves True, its lower bound proves False (by a certificate of branch and cut,
        or by the solver, within its tolerances).

    Raises
    ------
    InputError
        If there is no threshold, and as `solve` does.

    Examples
    --------
    >>> from partcover import Instance, decide
    >>> instance = Instance({"banana": 2, "bandana": 1}, 1)
    >>> decide(instance, threshold=9)[0], decide(instance, threshold=8)[0]
    (True, False)
    """
    instance, threshold = with_threshold(instance, threshold, formulation)
    run = SolverRun(
        instance,
        solver,
        formulation,
        RunLimits(time_limit, seed, threads),
        log=log,
        progress=progress or Progress(),
    )
    best = run.recount(run.greedtok())
    run.report_incumbent(best.tokens, "greedtok")

    lower_bound = instance.words.total_count
    answer = _NO_ANSWER
    counted: Counted | None = None
    is_open = lower_bound <= threshold < best.tokens
    if is_open and not is_beyond_tolerances(instance):
        answer = run.solve("decision")
        if answer.report.has == "infeasible":
            lower_bound = threshold + 1
        elif answer.vocabulary is not None:
            incumbent = run.recount(answer.vocabulary)
            if incumbent.tokens < best.tokens:
                best = incumbent
                run.report_incumbent(best.tokens, solver)
        is_open = lower_bound <= threshold < best.tokens and not _has_no_time(answer)
    if is_open:
        counted = decide_in_integers(run, instance, threshold, best)
        best, lower_bound = counted.incumbent, max(lower_bound, counted.lower_bound)

    facts = threshold_facts(instance, best.tokens, lower_bound)
    termination = answer.report.stopped if counted is None else counted.termination
    if facts["meets_threshold"] is not None and termination != "interrupted":
        termination = "completed"
    if counted is not None:
        facts["solver"] = _COUNTED
    solution = run.solution(answer, best, lower_bound, termination, facts)
    if counted is not None:
        solution = replace(solution, certificate=counted.certificate)
    return facts["meets_threshold"], solution


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
) -> Result:
    """Finds the smallest vocabulary with which the corpus needs at most `threshold` tokens.

    Parameters
    ----------
    instance : Instance
        The instance; its budget k is the largest size.
    threshold : int, optional
        The number of tokens ℓ; by default the instance's own threshold.
    solver, time_limit, seed, threads, log
        As for `solve`.  Branch and cut replaces the solver as in `decide`, and if the solver's
        bound contradicts a vocabulary.
    formulation : {"path", "occurrence"}
        The formulation of the model, whose objective is the number of chosen tokens.

    Returns
    -------
    Result
        A `Solution` if there is a vocabulary.
        ``extra["size"]`` is the number of tokens in its vocabulary, and ``extra["smallest_size"]``
        a lower bound on it.  ``status`` is about the size: ``optimal`` if the two are equal,
        ``infeasible`` (by the solver) if no k tokens are enough, ``none`` if a limit was reached
        before this was known.  There is no `lower_bound` on tokens, which are not minimized.

    Raises
    ------
    InputError
        If there is no threshold, and as `solve` does.

    Examples
    --------
    >>> from partcover import Instance, smallest
    >>> smallest(Instance({"banana": 2, "bandana": 1}, 5), threshold=6).extra["size"]
    2
    """
    instance, threshold = with_threshold(instance, threshold, formulation)
    run = SolverRun(instance, solver, formulation, RunLimits(time_limit, seed, threads), log=log)
    best = shortest_prefix(instance, run.greedtok(), threshold)

    answer = Answer(SolverReport("infeasible", "completed"))
    facts: dict[str, Any] = {"threshold": threshold}
    if instance.words.total_count > threshold:
        sized = Sized(None, instance.k + 1, "completed")
    else:
        known: Sized | None = None
        if not is_beyond_tolerances(instance):
            answer = run.solve("size")
            known = _claimed(run, answer, best, threshold)
        if known is None:
            answer, facts["solver"] = _NO_ANSWER, _COUNTED
            known = smallest_in_integers(run, threshold, best)
        sized = known

    best, lower, termination = sized.best, sized.smallest, sized.termination
    if best is None:
        infeasible = lower > instance.k
        facts["meets_threshold"] = False if infeasible else None
        facts["smallest_size"] = None if infeasible else lower
        status: Status = "infeasible" if infeasible else "none"
        return run.no_solution(answer, status, termination, facts)
    if lower == len(best) and termination != "interrupted":
        termination = "completed"
    facts |= {"meets_threshold": True, "smallest_size": lower}
    incumbent = Incumbent(run.recount(best).tokens, tuple(best))
    return run.solution(answer, incumbent, None, termination, facts)


def _has_no_time(answer: Answer) -> bool:
    """Whether a solver was stopped without an answer, and no time is left."""
    return answer.report.stopped in ("time_limit", "interrupted")


def _claimed(
    run: SolverRun, answer: Answer, best: list[Token] | None, threshold: int
) -> Sized | None:
    """Returns a solver's answer about the size, recounted.

    None if the recount contradicts it, or if the solver ended without an answer.
    """
    report, smallest = answer.report, len(run.instance.fixed)
    if answer.vocabulary is not None:
        incumbent = run.recount(answer.vocabulary)
        if incumbent.tokens > threshold:
            return None
        if best is None or len(incumbent.vocabulary) <= len(best):
            best = list(incumbent.vocabulary)
    if report.has == "infeasible":
        smallest = run.instance.k + 1
    elif report.bound is not None:
        smallest = max(smallest, math.ceil(report.bound - 1e-6))
    if best is not None and smallest > len(best):
        return None
    if report.stopped == "error" or (report.has == "none" and not _has_no_time(answer)):
        return None
    return Sized(best, smallest, report.stopped)


def with_threshold(
    instance: Instance, threshold: int | None, formulation: str
) -> tuple[Instance, int]:
    """Returns an instance with its threshold; raises an error for a relaxed formulation."""
    if threshold is not None:
        instance = replace(instance, threshold=threshold)
    if instance.threshold is None:
        raise InputError(
            "the threshold is missing: how many tokens are allowed? (--threshold L, threshold=L)"
        )
    if not forms.require(formulation).exact:
        raise InputError(
            f"{formulation} is not equivalent to the problem: use {', '.join(forms.EXACT)}"
        )
    return instance, instance.threshold
