"""Defines what goes into a solver and what comes out, whichever solver it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..problem.solution import Status, Termination

__all__ = ["Log", "SolverOptions", "SolverReport", "Watch"]

Float = npt.NDArray[np.float64]
Log = Callable[[str], None]
Watch = Callable[[float | None, float | None], None]


@dataclass(frozen=True)
class SolverOptions:
    """What every solver is asked for.

    Attributes
    ----------
    time_limit : float or None
        Seconds.
    gap : float
        Relative gap at which it may stop.
    threads, seed : int
        As the solver understands them.
    start : ndarray of float64 or None
        A solution to start from, a value for each variable.
    log : callable or None
        Gets the solver's own log, line by line.
    watch : callable or None
        Called with (incumbent, bound), objective values or None, whenever one has changed: as
        far on the safe side as the digits of the solver's log leave open.
    basis : object or None
        A report's basis, for GLOP to start from: of the same model, but for bounds of variables.
    """

    time_limit: float | None = None
    gap: float = 0.0
    threads: int = 1
    seed: int = 0
    start: Float | None = None
    log: Log | None = None
    watch: Watch | None = None
    basis: Any = None


@dataclass(frozen=True, eq=False)
class SolverReport:
    """What a solver has, and, apart from it, why it stopped.

    Attributes
    ----------
    has : {"optimal", "feasible", "infeasible", "none"}
        The solver's claim; nothing here is checked yet.
    stopped : {"completed", "gap", "time_limit", "interrupted", "error"}
        Why it stopped.
    values : ndarray of float64 or None
        A value for each variable of the best solution.
    bound : float or None
        Its bound on the objective, as it says: within its own tolerances.
    message : str
        Its own word, for errors.
    duals : ndarray of float64 or None
        A dual value for each row, where a linear program was solved by a solver that tells them.
    start_taken : bool or None
        Its log says that it took the start; None where none was given.
    basis : object or None
        The simplex basis it ended with, in its own form.
    """

    has: Status
    stopped: Termination
    values: Float | None = None
    bound: float | None = None
    message: str = ""
    duals: Float | None = None
    start_taken: bool | None = None
    basis: Any = None
