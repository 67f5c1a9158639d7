"""States what a solution proves: its bound, its certificate, and whether the threshold is met."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..problem.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Solution

__all__ = ["threshold_facts", "with_proof"]


def with_proof(
    instance: Instance, solution: Solution, certificate: Certificate, lower_bound: int
) -> Solution:
    """Returns a solution with a lower bound, a certificate of it, and what follows from both.

    Parameters
    ----------
    instance : Instance
        What is solved.
    solution : Solution
        The solution; its termination is why the work ended.
    certificate : Certificate
        A certificate, which may prove less than a solver claims.
    lower_bound : int
        The best lower bound.
    """
    is_optimal = lower_bound == solution.tokens
    ended = is_optimal and solution.termination != "interrupted"
    return replace(
        solution,
        lower_bound=lower_bound,
        status="optimal" if is_optimal else "feasible",
        termination="completed" if ended else solution.termination,
        certificate=certificate,
        extra={
            **solution.extra,
            "certified": certificate.lower_bound,
            "leaves": sum(1 for _ in certificate.leaves()),
            **threshold_facts(instance, solution.tokens, lower_bound),
        },
    )


def threshold_facts(instance: Instance, tokens: int, lower_bound: int) -> dict[str, Any]:
    """Returns the threshold of an instance and whether it is met, for `extra`."""
    if instance.threshold is None:
        return {}
    met = True if tokens <= instance.threshold else None
    if lower_bound > instance.threshold:
        met = False
    return {"threshold": instance.threshold, "meets_threshold": met}
