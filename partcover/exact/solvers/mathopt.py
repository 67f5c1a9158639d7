"""Runs the solvers in OR-Tools through MathOpt: SCIP, HiGHS, CP-SAT, GLOP and PDLP."""

from __future__ import annotations

import datetime
import math
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...problem.solution import Status, Termination
from ..solver_io import SolverOptions, SolverReport
from ..sparse_model import SparseModel
from .interruptible import PATIENCE, in_thread
from .log_reader import LogReader

Adapter = Callable[[SparseModel, SolverOptions], SolverReport]

_TYPES = {"scip": "GSCIP", "highs": "HIGHS", "cp-sat": "CP_SAT", "glop": "GLOP", "pdlp": "PDLP"}
_PDLP_TOLERANCE = 1e-7
_FULL_PORTFOLIO = 8  # workers; with fewer, CP-SAT chooses none that is good at these models


def adapter(solver: str) -> Adapter:
    """Returns the function that runs one of the solvers.

    Parameters
    ----------
    solver : {"scip", "highs", "cp-sat", "glop", "pdlp"}
        The solver.
    """

    def solve(model: SparseModel, options: SolverOptions) -> SolverReport:
        if solver != "highs":
            return _Run(solver, model, options).report()
        with tempfile.TemporaryDirectory(prefix="partcover-", ignore_cleanup_errors=True) as folder:
            return _Run(solver, model, options, Path(folder) / "improving.txt").report()

    return solve


class _Run:
    """One run of a solver, in its own thread.

    `improving` is the file for HiGHS to write each better solution to.
    """

    def __init__(
        self,
        solver: str,
        model: SparseModel,
        options: SolverOptions,
        improving: Path | None = None,
    ) -> None:
        self.solver = solver
        self.model = model
        self.options = options
        self.improving = improving
        self.deadline = options.limits.start()
        self.log = LogReader(solver, model.maximize, options)
        self.interrupters: list[Any] = []
        self.interrupted = threading.Event()
        # SCIP and HiGHS ignore MathOpt's interrupter, so the bound is read from their log, and
        # HiGHS writes each better solution to a file
        self.can_be_interrupted = solver in ("cp-sat", "glop", "pdlp")

    def report(self) -> SolverReport:
        """Runs the solver and returns its report."""
        patience = PATIENCE if self.can_be_interrupted else 0.0
        report = in_thread(self._solve, self._interrupt, patience, self.options.limits.time_limit)
        self.log.left_behind = True
        if report.has == "none" and self.improving is not None and self.improving.exists():
            values = last_solution(self.improving.read_text(), len(self.model.objective))
            if values is not None:
                report = replace(report, has="feasible", values=values)
        if self.options.warm_start is not None:
            report = replace(report, start_taken=self.log.start_taken)
        if report.bound is not None:
            return report
        return replace(report, bound=self.log.stepped_back())

    def _interrupt(self) -> None:
        """Stops the solver, or prevents it from starting."""
        self.interrupted.set()
        for interrupter in self.interrupters:
            interrupter.interrupt()

    def _solve(self) -> SolverReport:
        """Builds MathOpt's model and solves it."""
        # imported in this thread, since in the main thread Ctrl-C would break the import or be
        # lost; and the layer below mathopt.solve, whose Model takes a minute for ten million
        # entries
        from ortools.math_opt.core.python import solver as core
        from ortools.math_opt.python import mathopt
        from ortools.util.python.solve_interrupter import SolveInterrupter
        from pybind11_abseil.status import StatusNotOk

        self.interrupters.append(SolveInterrupter())
        # CP-SAT supports only integers, and is exact for them
        problem = to_proto(self.model, self.solver == "cp-sat")
        if self.deadline.is_over or self.interrupted.is_set():
            return SolverReport("none", "time_limit")
        parameters = self._parameters(mathopt)
        try:
            result = core.solve(
                problem,
                getattr(mathopt.SolverType, _TYPES[self.solver]).value,
                mathopt.StreamableSolverInitArguments().to_proto(),
                parameters.to_proto(),
                self._model_parameters(mathopt),
                self.log.read,
                mathopt.CallbackRegistration().to_proto(),
                None,
                self.interrupters[0].pybind_interrupter if self.can_be_interrupted else None,
            )
        except StatusNotOk as error:
            return SolverReport("none", "error", message=str(error))
        report = _read_result(result, self.model)
        time_limit = self.options.limits.time_limit
        is_late = time_limit is not None and self.deadline.seconds >= 0.9 * time_limit
        if is_late and report.stopped == "error":
            return replace(report, stopped="time_limit")
        return report

    def _parameters(self, mathopt: Any) -> Any:
        """Returns MathOpt's parameters for the options."""
        solver, options = self.solver, self.options
        left = self.deadline.left
        is_linear = not self.model.integer.any() and solver != "cp-sat"
        parameters = mathopt.SolveParameters(
            time_limit=None if left is None else datetime.timedelta(seconds=left),
            relative_gap_tolerance=None if is_linear else options.gap,
            absolute_gap_tolerance=None if is_linear else 0.0,
            # leave these alone: HiGHS's number of threads is set once for the process, SCIP's
            # concurrent mode writes to standard output, and GLOP has one thread
            threads=options.limits.threads if solver in ("cp-sat", "pdlp") else None,
            random_seed=None if solver == "pdlp" else options.limits.seed,
        )
        # by default, a single CP-SAT worker uses little of the linear relaxation
        parameters.cp_sat.linearization_level = 2
        if 1 < options.limits.threads < _FULL_PORTFOLIO:
            parameters.cp_sat.subsolvers.extend(["max_lp", "reduced_costs"])
        if self.improving is not None:
            parameters.highs.string_options["mip_improving_solution_file"] = str(self.improving)
            parameters.highs.bool_options["mip_improving_solution_report_sparse"] = True
        if solver == "pdlp":
            criteria = parameters.pdlp.termination_criteria.detailed_optimality_criteria
            # in tokens; no relative gap is reached at an optimum of 0
            criteria.eps_optimal_objective_gap_absolute = 1e-6
            criteria.eps_optimal_objective_gap_relative = _PDLP_TOLERANCE
            criteria.eps_optimal_primal_residual_absolute = _PDLP_TOLERANCE
            criteria.eps_optimal_dual_residual_absolute = _PDLP_TOLERANCE
        if options.basis is not None:
            # the basis of a model with other bounds: it stays dual feasible
            parameters.lp_algorithm = mathopt.LPAlgorithm.DUAL_SIMPLEX
        return parameters

    def _model_parameters(self, mathopt: Any) -> Any:
        """Returns the basis and the warm start."""
        parameters = mathopt.ModelSolveParameters().to_proto()
        if self.options.basis is not None:
            parameters.initial_basis.CopyFrom(self.options.basis)
        if self.options.warm_start is not None:
            hint = parameters.solution_hints.add().variable_values
            hint.ids.extend(range(len(self.options.warm_start)))
            hint.values.extend(self.options.warm_start.tolist())
        return parameters


def last_solution(text: str, variables: int) -> npt.NDArray[np.float64] | None:
    """Returns the last complete solution in the file that HiGHS writes, of nonzero values.

    ``Objective 12``, ``# Columns -2`` (two lines follow), then `` VALUE COLUMN`` in each line.
    """
    for solution in reversed(text.split("Objective ")[1:]):
        _, _, listing = solution.partition("# Columns -")
        count, *entries = listing.split("\n")[:-1] or [""]
        if count.isdigit() and len(entries) == int(count):
            values = np.zeros(variables)
            for entry in entries:
                value, column = entry.split()
                values[int(column)] = float(value)
            return values
    return None


def to_proto(model: SparseModel, all_integer: bool) -> Any:
    """Returns a model as MathOpt's protocol buffer; row and variable numbers are their ids."""
    from ortools.math_opt import model_pb2

    rows, columns = model.shape
    proto = model_pb2.ModelProto()
    proto.variables.ids.extend(range(columns))
    proto.variables.lower_bounds.extend(model.lower.tolist())
    proto.variables.upper_bounds.extend(model.upper.tolist())
    proto.variables.integers.extend((model.integer | all_integer).tolist())
    proto.objective.maximize = model.maximize
    used = np.flatnonzero(model.objective)
    proto.objective.linear_coefficients.ids.extend(used.tolist())
    proto.objective.linear_coefficients.values.extend(model.objective[used].astype(float).tolist())
    proto.linear_constraints.ids.extend(range(rows))
    proto.linear_constraints.lower_bounds.extend(model.row_lower.tolist())
    proto.linear_constraints.upper_bounds.extend(model.row_upper.tolist())
    matrix = proto.linear_constraint_matrix
    matrix.row_ids.extend(np.repeat(np.arange(rows), np.diff(model.starts)).tolist())
    matrix.column_ids.extend(model.columns.tolist())
    matrix.coefficients.extend(model.values.astype(float).tolist())
    return proto


def _read_result(result: Any, model: SparseModel) -> SolverReport:
    """Returns the report of MathOpt's result; missing variables and rows are 0."""
    from ortools.math_opt import result_pb2

    reason, limit = result.termination.reason, result.termination.limit
    bound = result.termination.objective_bounds.dual_bound
    values = duals = basis = None
    if result.solutions and result.solutions[0].HasField("basis"):
        basis = result.solutions[0].basis
    if result.solutions and result.solutions[0].HasField("primal_solution"):
        primal = result.solutions[0].primal_solution.variable_values
        values = np.zeros(len(model.objective))
        values[np.array(primal.ids, np.int64)] = primal.values
    if result.solutions and result.solutions[0].HasField("dual_solution"):
        dual = result.solutions[0].dual_solution.dual_values
        duals = np.zeros(len(model.row_lower))
        duals[np.array(dual.ids, np.int64)] = dual.values
    has: Status = "none" if values is None else "feasible"
    stopped: Termination = "completed"
    if reason == result_pb2.TERMINATION_REASON_OPTIMAL:
        has = "optimal"
    elif reason == result_pb2.TERMINATION_REASON_INFEASIBLE:
        has = "infeasible"
    elif limit == result_pb2.LIMIT_TIME:
        stopped = "time_limit"
    elif limit == result_pb2.LIMIT_INTERRUPTED:
        stopped = "interrupted"
    else:
        stopped = "error"
    return SolverReport(
        has,
        stopped,
        values,
        bound if math.isfinite(bound) else None,
        result.termination.detail,
        duals,
        basis=basis,
    )
