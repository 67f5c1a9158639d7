"""Ends a command: sets the exit status, saves a solution and shows it."""

from __future__ import annotations

from pathlib import Path

from ..problem.instance import Instance
from ..problem.solution import Result
from ..report.tables import solution_parts
from .output import Output

EXIT_USAGE = 2
EXIT_LIMIT = 3
EXIT_INFEASIBLE = 4
EXIT_NOTHING = 5
EXIT_VERIFICATION = 6
EXIT_INTERRUPTED = 130


def finish(
    out: Output,
    solution: Result,
    instance: Instance,
    no_vocabulary: bool,
    corpus: str,
    *,
    proof: bool = False,
) -> int:
    """Save a solution, show it, and give the exit status.

    `proof`: a proof was asked for, so that a limit that left none has a status of its own.
    """

    def write(path: str) -> None:
        solution.recorded(instance.words, corpus=Path(corpus).name).save(path)

    parts = solution_parts(solution, shown=0 if no_vocabulary else 20)
    data = solution.to_json(vocabulary=not no_vocabulary)
    if solution.vocabulary is None:
        out.show(data, *parts)
    else:
        with out.saved(write):
            out.show(data, *parts)
    if solution.vocabulary is not None and solution.extra.get("nothing_left_to_gain"):
        out.note(
            f"nothing left to gain after {len(solution.vocabulary):,} tokens; k is {solution.k:,}"
        )
    elif instance.candidates is None and instance.k > instance.index.total:
        out.note(f"k is {instance.k:,}, and there are {instance.index.total:,} candidates")
    if solution.termination == "error":
        out.note(f"the solver stopped: {solution.extra.get('message') or 'no reason given'}")
    return exit_status(solution, proof=proof)


def exit_status(solution: Result, *, proof: bool = False) -> int:
    """The exit status that a solution has; `proof`: one was asked for."""
    if solution.termination == "interrupted":
        return EXIT_INTERRUPTED
    if solution.status == "infeasible":
        return EXIT_INFEASIBLE
    if solution.status == "none":
        return EXIT_NOTHING
    limited = solution.termination in ("time_limit", "error")
    return EXIT_LIMIT if proof and limited and solution.status != "optimal" else 0
