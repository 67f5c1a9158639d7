"""Defines the exit statuses of the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..problem.solution import Result

EXIT_USAGE = 2
EXIT_LIMIT = 3
EXIT_INFEASIBLE = 4
EXIT_NOTHING = 5
EXIT_VERIFICATION = 6
EXIT_GAP = 7
EXIT_INTERRUPTED = 130


def exit_status(solution: Result, *, proof: bool = False) -> int:
    """Returns the exit status for a solution; `proof`: whether a proof was asked for."""
    if solution.termination == "interrupted":
        return EXIT_INTERRUPTED
    if solution.status == "infeasible":
        return EXIT_INFEASIBLE
    if solution.status == "none":
        return EXIT_NOTHING
    limited = solution.termination in ("time_limit", "error")
    return EXIT_LIMIT if proof and limited and solution.status != "optimal" else 0
