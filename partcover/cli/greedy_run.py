"""Runs a greedy method for its command."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .inputs import InstanceSource
from .results import write_solution
from .shown.output import Output

if TYPE_CHECKING:
    from ..problem.solution import Solution

__all__ = ["run_greedy"]


def run_greedy(
    method: Callable[..., Solution], out: Output, source: InstanceSource, time_limit: float | None
) -> int:
    """Runs a greedy method, writes its solution and returns the exit status."""
    instance = source.read(several=True, threads=out.threads)
    with out.progress(method.__name__) as progress:
        solution = method(
            instance,
            time_limit=time_limit,
            threads=out.threads,
            progress=progress,
        )
    return write_solution(out, solution, instance, source.name)
