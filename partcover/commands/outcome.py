"""How a command ends: the exit status, and a solution written and printed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ..instance import Instance
from ..options import (
    Output,
)
from ..solution import Solution

EXIT_USAGE = 2
EXIT_LIMIT = 3
EXIT_INFEASIBLE = 4
EXIT_NOTHING = 5
EXIT_VERIFICATION = 6
EXIT_INTERRUPTED = 130


def finish(
    out: Output, solution: Solution, instance: Instance, no_vocabulary: bool, corpus: str
) -> int:
    """Write and print a solution; the exit status."""
    try:
        _print(out, solution, no_vocabulary)
    except (BrokenPipeError, SystemExit):  # which is what rich makes of it
        # whoever read it has gone, as `head` does: the file is written all the same
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    # after it is printed: a full disk must not take the result along
    if out.path is not None and solution.vocabulary is not None:
        solution.recorded(instance.words, corpus=Path(corpus).name).save(out.path)
        out.note(f"wrote {out.path}")
    if solution.vocabulary is not None and solution.extra.get("nothing_left_to_gain"):
        out.note(
            f"nothing left to gain after {len(solution.vocabulary):,} tokens; k is {solution.k:,}"
        )
    elif instance.candidates is None and instance.k > instance.index.total:
        out.note(f"k is {instance.k:,}, and there are {instance.index.total:,} candidates")
    if solution.termination == "interrupted":
        return EXIT_INTERRUPTED
    if solution.status == "infeasible":
        return EXIT_INFEASIBLE
    if solution.status == "none":
        return EXIT_NOTHING
    if solution.termination == "error":
        out.note(f"the solver stopped: {solution.extra.get('message') or 'no reason given'}")
    if solution.termination in ("time_limit", "error") and solution.status != "optimal":
        return EXIT_LIMIT
    return 0


def _print(out: Output, solution: Solution, no_vocabulary: bool) -> None:
    if out.json:
        out.object(solution.to_json(vocabulary=not no_vocabulary))
    else:
        from ..report import solution_tables

        solution_tables(out.console, solution)
