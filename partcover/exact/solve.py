"""A solver brings a small instance to proven optimality, and every answer is recounted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import InputError, VerificationError
from ..heuristics.greedy import greedtok
from ..problem.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Solution, Status, Termination
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..runtime.progress import Progress
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .formulations import build as forms
from .solver_io import Log, SolverReport
from .solver_run import SolverRun, hold_to_account, tokens_bound
from .sparse_model import Sense
from .warm_start import proven_bound

__all__ = ["solve"]


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
    progress : Progress, optional
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
    run_ = SolverRun(instance, solver, time_limit, gap, seed, threads, log, progress or Progress())
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
    known = 0 if start_certificate is None else proven_bound(instance, start_certificate)
    run_.report_incumbent(tokens, "greedtok")
    if known:
        run_.report_bound(known, "start")
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
            hold_to_account(solver, claimed, solver_tokens, total)
            if solver_tokens <= tokens:
                tokens, order = solver_tokens, solver_order
        else:
            tokens, order = run_.recounted(chosen, every=True)
            extra["relaxation_solved"] = report.has == "optimal"
            if formulation == "wmc":
                relaxed_cover = verify(instance, chosen).relaxed_cover
                extra["relaxed_cover"] = relaxed_cover
                hold_to_account(solver, claimed, total - relaxed_cover, total)
            else:
                extra["printed_cover"] = round(total - claimed)
    if given is not None and exact and given[0] < tokens:
        tokens, order = given
    method = "solve" if exact else formulation
    vocabulary = instance.vocabulary(order, method)

    # every word needs a token, whatever the vocabulary
    bound = max(instance.words.total_count, known)
    if model is not None and report.bound is not None and formulation != "printed":
        bound = max(bound, tokens_bound(model, report.bound, total))
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
        run_.report_incumbent(tokens, solver)
        run_.report_bound(bound, solver)
    if start is not None:
        extra["start_taken"] = report.start_taken
    if instance.threshold is not None:
        met = True if tokens <= instance.threshold else None
        extra["threshold"] = instance.threshold
        extra["meets_threshold"] = False if bound > instance.threshold else met
    solution = run_.solution(model, report, vocabulary, tokens, bound, status, stopped, extra)
    return replace(solution, certificate=start_certificate if bound == known else None)
