"""A solver decides whether a threshold can be met, and with how few tokens of vocabulary."""

from __future__ import annotations

import math
from dataclasses import replace

from ..errors import InputError, VerificationError
from ..heuristics.greedy import greedtok
from ..problem.instance import Instance
from ..problem.solution import Result, Solution, Status
from ..runtime.arguments import Seconds, Seed, Threads, checked
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .formulations import build as forms
from .solver_io import Log, SolverReport
from .solver_run import SolverRun
from .sparse_model import SparseModel
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
    instance = with_threshold(instance, threshold, formulation)
    asked = instance.threshold or 0
    run_ = SolverRun(instance, solver, time_limit, 0.0, seed, threads, log, progress or Progress())
    fallback = greedtok(instance, time_limit=time_limit)
    tokens, order = run_.recounted(fallback.vocabulary)
    run_.report_incumbent(tokens, "greedtok")
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
                run_.report_incumbent(tokens, solver)
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
    instance = with_threshold(instance, threshold, formulation)
    asked = instance.threshold or 0
    run_ = SolverRun(instance, solver, time_limit, 0.0, seed, threads, log, progress or Progress())
    trivial = instance.words.total_count
    fallback = greedtok(instance, time_limit=time_limit)
    best = shortest_prefix(instance, fallback.vocabulary, asked)
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


def with_threshold(instance: Instance, threshold: int | None, formulation: str) -> Instance:
    if threshold is not None:
        instance = replace(instance, threshold=threshold)
    if instance.threshold is None:
        raise InputError("no threshold to decide about: give one")
    if not forms.require(formulation).exact:
        raise InputError(f"{formulation} is not Tok itself: use {', '.join(forms.EXACT)}")
    return instance
