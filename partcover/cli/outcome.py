"""Ends a command that chooses a vocabulary: saves it and shows it."""

from __future__ import annotations

from pathlib import Path

from ..problem.instance import Instance
from ..problem.solution import Result
from ..report.tables import solution_parts
from .exit_status import exit_status
from .output import Output


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
