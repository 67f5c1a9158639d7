"""Finds the best tokens that are closed under parents, by an integer program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..exact.formulations.build import build
from ..exact.solver_io import SolverOptions
from ..exact.solvers.registry import available, run
from ..exact.sparse_model import Rows, SparseModel
from ..problem.group_budget import GroupBudget
from ..problem.instance import Instance
from ..runtime.limits import RunLimits
from .merge_state import Pair
from .pieces import Run

__all__ = ["ClosedOptimum", "closed_optimum", "is_small"]

_SOLVER = "highs"
_MOST = 400  # candidates of an instance that is solved


@dataclass(frozen=True)
class ClosedOptimum:
    """The best tokens, each made of two available ones; single symbols are available.

    Attributes
    ----------
    tokens : tuple of Run
        The tokens, shorter ones first.
    bound : float
        What the solver says that the words need at least, by the shortest path; not certified.
    is_proven : bool
        Whether the solver has proven them best, by its own claim.

    Examples
    --------
    >>> from partcover.adaptation.closed_optimum import ClosedOptimum
    >>> ClosedOptimum(((0, 1), (0, 1, 2)), 3.0, True).merges
    (((0,), (1,)), ((0, 1), (2,)))
    """

    tokens: tuple[Run, ...]
    bound: float
    is_proven: bool

    @property
    def merges(self) -> tuple[Pair, ...]:
        """For each token the merge that makes it, with the longest possible first part."""
        there = set(self.tokens)
        return tuple(
            next(
                (token[:cut], token[cut:])
                for cut in range(len(token) - 1, 0, -1)
                if all(len(part) == 1 or part in there for part in (token[:cut], token[cut:]))
            )
            for token in self.tokens
        )


def is_small(instance: Instance) -> bool:
    """Returns whether an instance is small enough for the solver, and the solver installed."""
    return instance.promising.total <= _MOST and _SOLVER in available()


def closed_optimum(instance: Instance, limits: RunLimits) -> ClosedOptimum | None:
    """Solves an instance over integers whose tokens must each be made of two available ones.

    Parameters
    ----------
    instance : Instance
        The words, k and candidates; prefix tokens are there and need no parents.
    limits : RunLimits
        Time limit and threads.

    Returns
    -------
    ClosedOptimum or None
        None if the solver has found nothing in time.

    Notes
    -----
    To the formulation ``path``, whose x_t says whether token t is chosen, this adds for each token
    of three or more symbols x_t ≤ Σ y_s over its splits s into two parts, where y_s ≤ x of either
    part that is no single symbol.

    Examples
    --------
    >>> from partcover import Instance, WordCounts
    >>> from partcover.adaptation.closed_optimum import closed_optimum
    >>> from partcover.runtime.limits import RunLimits
    >>> words = WordCounts.from_counts({(0, 1, 2): 3, (1, 2): 1}, "ints")
    >>> closed_optimum(Instance(words, 1), RunLimits()).tokens  # not (0, 1, 2), which needs parts
    ((1, 2),)
    """
    # a group makes candidates of tokens that a word alone holds, too, which parents may be
    every = GroupBudget("all", instance.k)
    model = closed(build(replace(instance, groups=(every,)), "path"), instance.fixed)
    report = run(model, _SOLVER, SolverOptions(limits))
    if report.values is None:
        return None
    fixed = set(instance.fixed)
    chosen: list[Any] = [token for token in model.chosen(report.values) if token not in fixed]
    bound = float("-inf") if report.bound is None else report.bound
    ordered = sorted(chosen, key=lambda token: (len(token), token))
    return ClosedOptimum(tuple(ordered), bound, report.has == "optimal")


def closed(model: SparseModel, given: Iterable[Any]) -> SparseModel:
    """Returns a model whose tokens must each be made of two available parts."""
    number: dict[Any, int] = {token: place for place, token in enumerate(model.tokens)}
    known = set(given)
    rows = Rows()
    first = extra = len(model.objective)
    for token, place in number.items():
        if token in known or len(token) == 2:
            continue
        splits = []
        for cut in range(1, len(token)):
            needed = [
                part for part in (token[:cut], token[cut:]) if len(part) > 1 and part not in known
            ]
            if not needed:
                break
            if any(part not in number for part in needed):
                continue
            if len(needed) < 2:
                splits += [number[part] for part in needed]
                continue
            row = rows.add(2, -np.inf, 0)
            rows.put([row, row + 1], [extra, extra], 1)
            rows.put([row, row + 1], [number[part] for part in needed], -1)
            splits.append(extra)
            extra += 1
        else:
            row = rows.add(1, -np.inf, 0)
            listed = sorted(set(splits))
            rows.put([row], [place], 1)
            rows.put([row] * len(listed), listed, -1)
    if not rows.count:
        return model
    starts, columns, values, row_lower, row_upper = rows.arrays()
    n_new = extra - first
    names, row_names = model.variable_names, model.row_names
    return replace(
        model,
        objective=np.append(model.objective, np.zeros(n_new, np.int64)),
        lower=np.append(model.lower, np.zeros(n_new)),
        upper=np.append(model.upper, np.ones(n_new)),
        integer=np.append(model.integer, np.zeros(n_new, bool)),
        starts=np.append(model.starts, model.starts[-1] + starts[1:]),
        columns=np.append(model.columns, columns),
        values=np.append(model.values, values),
        row_lower=np.append(model.row_lower, row_lower),
        row_upper=np.append(model.row_upper, row_upper),
        variable_names=lambda: [*names(), *(f"y{place}" for place in range(n_new))],
        row_names=lambda: [*row_names(), *(f"closed{place}" for place in range(rows.count))],
    )
