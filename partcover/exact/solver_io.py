"""The options and the report of a solver call, the same for all solvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..problem.solution import Status, Termination
from ..runtime.arrays import Float64
from ..runtime.limits import RunLimits

Log = Callable[[str], None]
Watch = Callable[[float | None, float | None], None]


@dataclass(frozen=True)
class SolverOptions:
    """The options of one solver call.

    Attributes
    ----------
    limits : RunLimits
        The time limit, the random seed and the number of threads.
    gap : float
        The relative gap at which the solver may stop.
    warm_start : ndarray of float64 or None
        A value for each variable.
    log : callable or None
        Receives the solver's own log, line by line.
    watch : callable or None
        Receives (incumbent, bound), objective values or None, when one has changed, rounded to the
        safe side by the precision of the solver's log.
    basis : object or None
        The basis of an earlier report, a warm start for GLOP.  The models may differ only in the
        bounds of variables.
    """

    limits: RunLimits = RunLimits()  # noqa: RUF009 - frozen
    gap: float = 0.0
    warm_start: Float64 | None = None
    log: Log | None = None
    watch: Watch | None = None
    basis: Any = None


@dataclass(frozen=True, eq=False)
class SolverReport:
    """The result of one solver call, and the reason why the solver stopped.

    Attributes
    ----------
    has : {"optimal", "feasible", "infeasible", "none"}
        The solver's claim, which is not checked yet.
    stopped : {"completed", "gap", "time_limit", "interrupted", "error"}
        The reason why it stopped.
    values : ndarray of float64 or None
        A value for each variable of the best solution.
    bound : float or None
        The solver's bound on the objective, within its own tolerances.
    message : str
        The solver's error message.
    duals : ndarray of float64 or None
        A dual value for each row of a linear program, if the solver returns them.
    start_taken : bool or None
        Whether the log says that the solver accepted the warm start; None without one.
    basis : object or None
        The last simplex basis, in the solver's own form.
    """

    has: Status
    stopped: Termination
    values: Float64 | None = None
    bound: float | None = None
    message: str = ""
    duals: Float64 | None = None
    start_taken: bool | None = None
    basis: Any = None
