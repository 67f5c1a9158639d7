"""Solves the linear relaxation of a formulation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..problem.instance import Instance
from ..problem.solution import Termination
from ..runtime.arguments import Seconds, Seed, Threads, checked
from ..runtime.arrays import keep_arrays
from ..runtime.limits import RunLimits
from ..runtime.notebook import brief
from .formulations import build as forms
from .formulations.build import build
from .solver_io import Log, SolverOptions, SolverReport
from .solver_run import building_seconds, refuse_large_counts
from .solvers.registry import require, run
from .sparse_model import Sense, SparseModel


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The optimum of a linear relaxation.

    Attributes
    ----------
    formulation, solver : str
        The names of the formulation and of the solver.
    tokens, cover : float or None
        The optimal value, in floating point and within the solver's tolerances; None if a limit was
        reached first.
    x : ndarray of float64, shape (tokens,)
        x of each of ``model.tokens``, between 0 and 1.
    duals : ndarray of float64, shape (rows,), or None
        The dual value of each row of the model, if the solver returns them.
    termination : str
        The reason why the solver stopped.
    seconds : float
        Wall-clock seconds, including the time to build the model.
    model : SparseModel or None
        The model; None if there was no time to build it.

    Examples
    --------
    >>> from partcover import Instance, relax
    >>> relaxation = relax(Instance({"banana": 2, "bandana": 1}, 1))
    >>> relaxation.termination, relaxation.x.shape == (len(relaxation.model.tokens),)
    ('completed', True)
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

    def __post_init__(self) -> None:
        keep_arrays(self)

    def __repr__(self) -> str:
        return brief(
            "Relaxation",
            self.formulation,
            self.solver,
            None if self.tokens is None else f"tokens={self.tokens:,.6f}",
            f"{self.fractional:,} of {len(self.x):,} fractional",
            self.termination,
        )

    @property
    def fractional(self) -> int:
        """The number of tokens whose x is fractional, by more than 1e-6."""
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
    """Solves the linear relaxation of a formulation.

    Parameters
    ----------
    instance, formulation, sense, time_limit, seed, threads, log
        As for `solve`.
    solver : {"glop", "pdlp", "highs", "scip", "cbc"}
        GLOP is a simplex method, PDLP a first-order one (to relative tolerances of 1e-7).

    Returns
    -------
    Relaxation
        The optimum, or the best known solution at the time limit.

    Raises
    ------
    InputError
        For a solver that is unknown or takes no linear programs; as `solve` does.
    MissingExtra
        If the solver is not installed.

    Examples
    --------
    >>> from partcover import Instance, relax
    >>> relaxation = relax(Instance({"banana": 2, "bandana": 1}, 1))
    >>> round(relaxation.tokens, 6), relaxation.fractional
    (9.0, 0)
    """
    deadline = RunLimits(time_limit, seed, threads).start()
    require(solver, linear=True)
    refuse_large_counts(instance)
    forms.require(formulation)
    model: SparseModel | None = None
    report = SolverReport("none", "time_limit")
    if deadline.has_time_for(building_seconds(instance, formulation)):
        model = build(instance, formulation, sense=sense).relaxed()
        limits = RunLimits(deadline.left, seed, threads)
        report = run(model, solver, SolverOptions(limits, log=log))
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
        deadline.seconds,
        model,
    )
