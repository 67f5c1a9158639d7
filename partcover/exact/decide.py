"""Decides whether a threshold can be met, and finds the smallest vocabulary that meets one."""

from __future__ import annotations

import math
from dataclasses import replace

from ..errors import InputError, VerificationError
from ..problem.instance import Instance
from ..problem.solution import Result, Solution
from ..runtime.arguments import Seconds, Seed, Threads, checked
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from .claims import threshold_facts
from .formulations import build as forms
from .solver_io import Log, SolverReport
from .solver_run import Answer, Incumbent, SolverRun
from .warm_start import shortest_prefix

__all__ = ["decide", "smallest"]


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
        As for `solve`.
    formulation : {"path", "occurrence"}
        The formulation.  Nothing is optimised: the threshold is a row of the model.

    Returns
    -------
    tuple
        True, False, or None where a limit left it open; and the solution that shows it: its
        vocabulary proves a yes, its lower bound a no (by the solver, within its tolerances).

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
    answer = Answer(SolverReport("none", "completed"))
    if lower_bound <= threshold < best.tokens:
        answer = run.solve("decision")
    if answer.report.has == "infeasible":
        lower_bound = threshold + 1
    elif answer.vocabulary is not None:
        incumbent = run.recount(answer.vocabulary)
        if incumbent.tokens < best.tokens:
            best = incumbent
            run.report_incumbent(best.tokens, solver)

    facts = threshold_facts(instance, best.tokens, lower_bound)
    termination = answer.report.stopped
    if facts["meets_threshold"] is not None and termination != "interrupted":
        termination = "completed"
    solution = run.solution(answer, best, lower_bound, termination, facts)
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
        As for `solve`.
    formulation : {"path", "occurrence"}
        The formulation of the model, whose objective is the number of chosen tokens.

    Returns
    -------
    Result
        A `Solution` where there is a vocabulary.
        ``extra["size"]`` is the number of tokens of its vocabulary, ``extra["smallest_size"]``
        a lower bound of it; ``status`` is about the size: optimal where the two agree.
        ``infeasible`` (by the solver) where no k tokens are enough, ``none`` where a limit left
        that open.  There is no `lower_bound` on tokens, which are not minimised.

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
    if instance.words.total_count <= threshold:
        answer = run.solve("size")
    if answer.vocabulary is not None:
        incumbent = run.recount(answer.vocabulary)
        if incumbent.tokens > threshold:
            raise VerificationError(
                f"{solver} claims at most {threshold} tokens, its vocabulary needs "
                f"{incumbent.tokens}"
            )
        if best is None or len(incumbent.vocabulary) <= len(best):
            best = list(incumbent.vocabulary)
    lower = len(instance.fixed)
    if answer.report.bound is not None:
        lower = max(lower, math.ceil(answer.report.bound - 1e-6))

    infeasible = answer.report.has == "infeasible"
    termination = answer.report.stopped
    if best is None:
        return run.no_solution(
            answer,
            "infeasible" if infeasible else "none",
            termination,
            {
                "threshold": threshold,
                "meets_threshold": False if infeasible else None,
                "smallest_size": None if infeasible else lower,
            },
        )
    if lower > len(best) or infeasible:
        raise VerificationError(
            f"{solver} claims that {lower} tokens are needed, and {len(best)} suffice: please "
            "report"
        )
    if lower == len(best) and termination != "interrupted":
        termination = "completed"
    facts = {"threshold": threshold, "meets_threshold": True, "smallest_size": lower}
    incumbent = Incumbent(run.recount(best).tokens, tuple(best))
    return run.solution(answer, incumbent, None, termination, facts)


def with_threshold(
    instance: Instance, threshold: int | None, formulation: str
) -> tuple[Instance, int]:
    """Returns an instance with its threshold, refusing a formulation that is a relaxation."""
    if threshold is not None:
        instance = replace(instance, threshold=threshold)
    if instance.threshold is None:
        raise InputError("no threshold to decide about: give one")
    if not forms.require(formulation).exact:
        raise InputError(f"{formulation} is not Tok itself: use {', '.join(forms.EXACT)}")
    return instance, instance.threshold
