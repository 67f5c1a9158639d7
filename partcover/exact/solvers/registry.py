"""Lists the solvers and what each supports, and runs any of them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from ...corpus.symbols import Token
from ...errors import InputError, MissingExtra
from ...runtime.arguments import closest
from ..solver_io import SolverOptions, SolverReport
from ..sparse_model import SparseModel
from . import mathopt
from .cbc import cbc


@dataclass(frozen=True)
class Solver:
    """A solver and the features that it supports.

    Attributes
    ----------
    library : str
        The package that contains it.
    solve : callable
        Runs it.
    integers : bool
        Whether it solves integer programs.
    linear : bool
        Whether it solves linear programs.
    duals : bool
        Whether it returns dual values of a linear program.
    threads : bool
        Whether it can use more than one thread.
    seed : bool
        Whether it takes a random seed.
    start : bool
        Whether it takes a warm start.
    events : bool
        Whether its log shows new incumbents and bounds.
    handover : bool
        Whether it returns its best solution on Ctrl-C; otherwise only the bound is kept.

    Examples
    --------
    >>> from partcover.exact.solvers.registry import SOLVERS
    >>> [name for name, solver in SOLVERS.items() if not solver.integers]
    ['glop', 'pdlp']
    """

    library: str
    solve: Callable[[SparseModel, SolverOptions], SolverReport]
    integers: bool = True
    linear: bool = True
    duals: bool = False
    threads: bool = True
    seed: bool = True
    start: bool = True
    events: bool = True
    handover: bool = True


SOLVERS: dict[str, Solver] = {
    "highs": Solver("ortools", mathopt.adapter("highs"), duals=True, threads=False, handover=False),
    "scip": Solver("ortools", mathopt.adapter("scip"), threads=False, handover=False),
    "cp-sat": Solver("ortools", mathopt.adapter("cp-sat"), linear=False),
    "cbc": Solver("pulp", cbc, duals=True),
    "glop": Solver(
        "ortools",
        mathopt.adapter("glop"),
        integers=False,
        duals=True,
        threads=False,
        start=False,
        events=False,
    ),
    "pdlp": Solver(
        "ortools",
        mathopt.adapter("pdlp"),
        integers=False,
        duals=True,
        seed=False,
        start=False,
        events=False,
    ),
}


_FEATURES = ("integers", "linear", "duals", "threads", "seed", "start", "events", "handover")


def available() -> list[str]:
    """Returns the names of the solvers that are installed."""
    return [name for name, solver in SOLVERS.items() if find_spec(solver.library) is not None]


def features() -> list[dict[str, Any]]:
    """Returns a row for each solver, with its features and the version of its library.

    Examples
    --------
    >>> from partcover.exact.solvers.registry import features
    >>> [row["solver"] for row in features() if row["integers"]]
    ['highs', 'scip', 'cp-sat', 'cbc']
    """
    here = available()
    return [
        {
            "solver": name,
            "library": solver.library,
            "version": version(solver.library) if name in here else None,
            **{key: getattr(solver, key) for key in _FEATURES},
        }
        for name, solver in SOLVERS.items()
    ]


def require(
    solver: str, *, integers: bool = False, linear: bool = False, start: bool = False
) -> Solver:
    """Returns the solver of that name, if it supports the features.

    Raises
    ------
    InputError
        For an unknown solver, or one that lacks a feature, listing those that have it.
    MissingExtra
        If the library of the solver is not installed.
    """
    if solver not in SOLVERS:
        raise InputError(f"unknown solver {solver!r}: {closest(solver, SOLVERS)}")
    entry = SOLVERS[solver]
    if solver not in available():
        raise MissingExtra(entry.library, "solvers", f"the solver {solver}")
    for is_required, feature, lack in (
        (integers, "integers", "solves linear relaxations only"),
        (linear, "linear", "solves integer programs only"),
        (start, "start", "takes no start"),
    ):
        if is_required and not getattr(entry, feature):
            names = ", ".join(name for name, other in SOLVERS.items() if getattr(other, feature))
            raise InputError(f"{solver} {lack}: use {names}")
    return entry


def complete(model: SparseModel, tokens: Collection[Token]) -> npt.NDArray[np.float64] | None:
    """Returns a warm start: a solution that chooses these tokens.

    The other variables come from the remaining linear program, whose vertices are integral except
    for ``printed``.  None if they are not integral, or if the tokens exceed a budget.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, since there is no answer yet.
    """
    lower, upper = model.lower.copy(), model.upper.copy()
    chosen = np.array([token in tokens for token in model.tokens], float)
    lower[: len(chosen)] = upper[: len(chosen)] = chosen
    left = replace(model.relaxed(), lower=lower, upper=upper)
    report = run(left, "glop", SolverOptions())
    if report.stopped == "interrupted":
        raise KeyboardInterrupt
    if report.has != "optimal" or report.values is None:
        return None
    values = np.round(report.values)
    return values if model.violation(values) < 1e-6 else None


def run(model: SparseModel, solver: str, options: SolverOptions) -> SolverReport:
    """Solves a model.

    Parameters
    ----------
    model : SparseModel
        The model; a linear program if none of its variables is an integer.
    solver : {"highs", "scip", "cp-sat", "cbc", "glop", "pdlp"}
        SCIP, HiGHS, CP-SAT, GLOP and PDLP through OR-Tools, CBC through PuLP.
    options : SolverOptions
        The limits, a warm start and the listeners.

    Returns
    -------
    SolverReport
        After Ctrl-C: the best so far, if the solver returns it within seconds.

    Raises
    ------
    InputError
        As `require` does, and for a warm start if the solver accepts none.
    """
    entry = require(
        solver, integers=bool(model.integer.any()), start=options.warm_start is not None
    )
    if not len(model.objective):  # nothing to decide; some solvers reject an empty model
        return SolverReport(
            "optimal", "completed", np.zeros(0), 0.0, duals=np.zeros(model.shape[0])
        )
    return entry.solve(model, options)
