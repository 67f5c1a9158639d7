"""Solves an instance with a named integer programming solver."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import VerificationError
from ..problem.certificates.certificate import Certificate
from ..problem.solution import Solution
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .claims import threshold_facts
from .solver_io import SolverReport
from .solver_run import Answer, Incumbent, SolverRun
from .sparse_model import Sense
from .warm_start import WarmStart


def solve_model(
    run: SolverRun,
    warm_start: Vocabulary | None = None,
    start_certificate: Certificate | None = None,
    sense: Sense | None = None,
) -> Solution:
    """Solves the model of a run, and recounts the solver's answer and GreedTok's.

    Parameters
    ----------
    run : SolverRun
        The instance, the solver and the formulation.
    warm_start, start_certificate, sense
        As for `partcover.solve`.
    """
    # GreedTok's vocabulary and the warm start are incumbents
    greedy = run.recount(run.greedtok())
    given = WarmStart.of(run, warm_start, start_certificate)
    run.report_incumbent(greedy.tokens, "greedtok")
    if given.lower_bound:
        run.report_bound(given.lower_bound, "start")

    # run the solver, unless these close the gap
    if given.closes(greedy.tokens, run.gap):
        answer = Answer(SolverReport("none", "completed"))
    else:
        answer = run.solve("tokens", sense=sense, warm_start=warm_start, watched=run.form.exact)

    # recount its answer
    extra: dict[str, Any] = {}
    if run.form.exact:
        incumbent = _best(run, answer, greedy, given)
    else:
        incumbent, extra = _relaxed(run, answer, greedy)
    lower_bound = _lower_bound(run, answer, incumbent, given)

    # build the solution
    termination = answer.report.stopped
    if run.form.exact:
        if termination == "completed" and lower_bound < incumbent.tokens:
            termination = "gap"
        run.report_incumbent(incumbent.tokens, run.solver)
        run.report_bound(lower_bound, run.solver)
    if warm_start is not None:
        extra["start_taken"] = answer.report.start_taken
    extra |= threshold_facts(run.instance, incumbent.tokens, lower_bound)
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
    """Returns the vocabulary of a relaxation, recounted, with the relaxation's objective."""
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
    """Returns the best lower bound; raises an error if an incumbent contradicts one."""
    if answer.report.has == "infeasible":
        raise VerificationError(
            f"{run.solver} finds no vocabulary, but GreedTok's is one: please report the instance"
        )
    # every word needs a token, with any vocabulary
    lower_bound = max(run.instance.words.total_count, warm_start.lower_bound)
    if run.formulation != "printed":
        lower_bound = max(lower_bound, answer.lower_bound(run.instance.words.total_symbols))
    if lower_bound > incumbent.tokens:
        raise VerificationError(
            f"{run.solver} claims that {lower_bound} tokens are needed, but {incumbent.tokens} "
            "are enough: its tolerances failed; try another solver, and report the instance"
        )
    return lower_bound
