"""A solver finds the optimum of a linear relaxation."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..problem.instance import Instance
from ..problem.solution import Termination
from ..runtime.arguments import Seconds, Seed, Threads, checked
from ..runtime.progress import Progress
from .formulations import build as forms
from .formulations.build import build
from .solver_io import Log, SolverOptions, SolverReport
from .solver_run import SolverRun, building_seconds
from .solvers.registry import require, run
from .sparse_model import Sense, SparseModel

__all__ = ["Relaxation", "relax"]


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The optimum of a linear relaxation.

    Attributes
    ----------
    formulation, solver : str
        Of which model, and by whom.
    tokens, cover : float or None
        Its value, in floating point and within the solver's tolerances; None where a limit
        ended it.
    x : ndarray of float64, shape (tokens,)
        How much of each of ``model.tokens`` is chosen.
    duals : ndarray of float64, shape (rows,), or None
        Of each row of the model, where the solver gives them.
    termination : str
        Why it stopped.
    seconds : float
        Building the model included.
    model : SparseModel or None
        The model; None where there was no time to build it.
    """

    formulation: str
    solver: str
    tokens: float | None
    cover: float | None
    x: npt.NDArray[np.float64]
    duals: npt.NDArray[np.float64] | None
    termination: Termination
    seconds: float
    model: SparseModel | None

    @property
    def fractional(self) -> int:
        """How many tokens are neither chosen nor not, beyond 1e-6."""
        return int((np.abs(self.x - np.round(self.x)) > 1e-6).sum())


@checked
def relax(
    instance: Instance,
    formulation: str = "path",
    *,
    solver: str = "glop",
    sense: Sense | None = None,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    log: Log | None = None,
) -> Relaxation:
    """Solve the linear relaxation of a formulation.

    Parameters
    ----------
    instance, formulation, sense, time_limit, seed, threads, log
        As for `solve`.
    solver : {"glop", "pdlp", "highs", "scip", "cbc"}
        GLOP is a simplex method, PDLP a first-order one (to relative tolerances of 1e-7).

    Returns
    -------
    Relaxation
        Its value.

    Raises
    ------
    InputError
        For a solver that is unknown, not installed or takes no linear programs; as `solve` does.
    """
    started = time.monotonic()
    require(solver, linear=True)
    SolverRun(instance, solver, time_limit, 0.0, seed, threads, log, Progress(), integers=False)
    forms.require(formulation)
    model: SparseModel | None = None
    report = SolverReport("none", "time_limit")
    if time_limit is None or building_seconds(instance, formulation) < time_limit:
        model = build(instance, formulation, sense=sense).relaxed()
        left = None
        if time_limit is not None:
            left = max(0.0, time_limit - (time.monotonic() - started))
        report = run(model, solver, SolverOptions(left, 0.0, threads, seed, log=log))
    tokens = cover = None
    if model is not None and report.has == "optimal" and report.values is not None:
        value = float(model.objective @ report.values)
        other = instance.words.total_symbols - value
        tokens, cover = (other, value) if model.maximize else (value, other)
    return Relaxation(
        formulation,
        solver,
        tokens,
        cover,
        np.zeros(0)
        if model is None or report.values is None
        else report.values[: len(model.tokens)],
        report.duals,
        report.stopped,
        time.monotonic() - started,
        model,
    )
