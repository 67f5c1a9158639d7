"""One adapter for each solver: a sparse model in, what it has and why it stopped out."""

from __future__ import annotations

import datetime
import math
import re
import signal
import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import InputError
from .formulation import SparseModel
from .model_files import write_model
from .solution import Status, Termination

__all__ = ["SOLVERS", "SolverOptions", "SolverReport", "available", "require", "run"]

Log = Callable[[str], None]

_PATIENCE = 5.0  # seconds a solver gets to hand over its answer when interrupted


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
    log : callable or None
        Gets the solver's own log, line by line.
    """

    time_limit: float | None = None
    gap: float = 0.0
    threads: int = 1
    seed: int = 0
    log: Log | None = None


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
    """

    has: Status
    stopped: Termination
    values: npt.NDArray[np.float64] | None = None
    bound: float | None = None
    message: str = ""


def available() -> list[str]:
    """Names of the solvers that are installed."""
    return [name for name, (library, _) in SOLVERS.items() if find_spec(library) is not None]


def require(solver: str) -> Callable[[SparseModel, SolverOptions], SolverReport]:
    """The adapter of a solver.

    Raises
    ------
    InputError
        For an unknown solver, or one that is not installed, naming those there are.
    """
    if solver not in SOLVERS:
        raise InputError(f"unknown solver {solver!r}: use {', '.join(SOLVERS)}")
    library, adapter = SOLVERS[solver]
    if solver not in available():
        raise InputError(
            f"solver {solver!r} needs {library.split('.')[0]}, which is not installed; "
            f"there are: {', '.join(available()) or 'none'}"
        )
    return adapter


def run(model: SparseModel, solver: str, options: SolverOptions) -> SolverReport:
    """Solve a model.

    Parameters
    ----------
    model : SparseModel
        The model.
    solver : {"scip", "highs", "cp-sat", "cbc"}
        SCIP, HiGHS and CP-SAT through OR-Tools, CBC through PuLP.
    options : SolverOptions
        Limits.

    Returns
    -------
    SolverReport
        After Ctrl-C: the best so far where the solver hands it over within seconds.

    Raises
    ------
    InputError
        For an unknown solver, or one that is not installed.
    """
    adapter = require(solver)
    if not len(model.objective):  # nothing to decide; some solvers reject an empty model
        return SolverReport("optimal", "completed", np.zeros(0), 0.0)
    return adapter(model, options)


def _in_thread(
    work: Callable[[], SolverReport],
    interrupt: Callable[[], None],
    patience: float,
    time_limit: float | None,
) -> SolverReport:
    """Run `work` so that Ctrl-C reaches us while it is inside a solver.

    Then `interrupt` is called, and the answer awaited for `patience` seconds.  A solver that
    overruns its time limit, in presolve say, is left behind half a second (or 3 %) later.
    """
    answer: list[SolverReport | BaseException] = []

    def target() -> None:
        try:
            answer.append(work())
        except BaseException as error:  # handed to the caller's thread
            answer.append(error)
        finally:
            done.set()

    done = threading.Event()
    threading.Thread(target=target, daemon=True).start()
    interrupted = False
    deadline = math.inf
    if time_limit is not None:
        deadline = time.monotonic() + time_limit + max(0.5, 0.03 * time_limit)
    while not done.is_set() and time.monotonic() < deadline:
        try:
            done.wait(0.1)
        except KeyboardInterrupt:
            if interrupted:
                raise
            interrupted = True
            deadline = time.monotonic() + patience
            interrupt()
    if not answer:
        return SolverReport("none", "interrupted" if interrupted else "time_limit")
    if isinstance(answer[0], BaseException):
        raise answer[0]
    report = answer[0]
    if interrupted and report.has != "optimal":
        return SolverReport(report.has, "interrupted", report.values, report.bound)
    return report


def _math_opt(solver_type: str) -> Callable[[SparseModel, SolverOptions], SolverReport]:
    """The adapter of a solver behind OR-Tools' MathOpt."""

    def adapter(model: SparseModel, options: SolverOptions) -> SolverReport:
        # the layer below mathopt.solve, whose Model takes a minute for ten million entries
        from ortools.math_opt.core.python import solver as core
        from ortools.math_opt.python import mathopt
        from ortools.util.python.solve_interrupter import SolveInterrupter
        from pybind11_abseil.status import StatusNotOk

        started = time.monotonic()
        limit = math.inf if options.time_limit is None else options.time_limit
        interrupter = SolveInterrupter()
        logged = _LoggedBound(solver_type, options.log)
        # only CP-SAT obeys MathOpt's interrupter; of the others the log tells the bound
        obeys = solver_type == "CP_SAT"

        def work() -> SolverReport:
            # CP-SAT takes integers only, and is exact for them
            problem = _proto(model, obeys)
            left = limit - (time.monotonic() - started)
            if left <= 0:
                return SolverReport("none", "time_limit")
            parameters = mathopt.SolveParameters(
                time_limit=None if left == math.inf else datetime.timedelta(seconds=left),
                relative_gap_tolerance=options.gap,
                absolute_gap_tolerance=0.0,
                # HiGHS's number of threads is one for the process, set once: leave it alone
                threads=None if solver_type == "HIGHS" else options.threads,
                random_seed=options.seed,
            )
            # a single CP-SAT worker leaves the linear relaxation half unused by default
            parameters.cp_sat.linearization_level = 2
            try:
                result = core.solve(
                    problem,
                    getattr(mathopt.SolverType, solver_type).value,
                    mathopt.StreamableSolverInitArguments().to_proto(),
                    parameters.to_proto(),
                    mathopt.ModelSolveParameters().to_proto(),
                    logged.read,
                    mathopt.CallbackRegistration().to_proto(),
                    None,
                    interrupter.pybind_interrupter if obeys else None,
                )
            except StatusNotOk as error:
                return SolverReport("none", "error", message=str(error))
            report = _read_result(result, model)
            late = time.monotonic() - started >= 0.9 * limit
            return (
                replace(report, stopped="time_limit")
                if late and report.stopped == "error"
                else report
            )

        patience = _PATIENCE if obeys else 0.0
        report = _in_thread(work, interrupter.interrupt, patience, options.time_limit)
        logged.left_behind = True
        if report.bound is None and logged.bound is not None:
            # logs round to seven digits or more: step back by what that can hide
            back = 1e-6 * abs(logged.bound) + 1.0
            report = replace(report, bound=logged.bound + (back if model.maximize else -back))
        return report

    return adapter


def _proto(model: SparseModel, all_integer: bool) -> Any:
    """A model as MathOpt's protocol buffer; row and variable numbers are their ids."""
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


class _LoggedBound:
    """Passes a log on and remembers the dual bound in it."""

    _HIGHS = re.compile(r"^ ?\S? +\d+ +\d+ +\d+ +[\d.]+% +(-?[\d.e+]+) ")

    def __init__(self, solver_type: str, log: Log | None) -> None:
        self.solver_type = solver_type
        self.log = log
        self.bound: float | None = None
        self.left_behind = False

    def read(self, lines: Sequence[str]) -> None:
        if self.left_behind:
            # park: no more work, and no foreign thread that asks a closing interpreter for its lock
            threading.Event().wait()
        for line in lines:
            if self.solver_type == "HIGHS":
                match = self._HIGHS.match(line)
                found = match.group(1) if match else ""
            else:
                fields = line.split("|")
                found = fields[-4].strip() if len(fields) > 15 else ""
            if re.fullmatch(r"-?\d[\d.]*(e[+-]?\d+)?", found):
                self.bound = float(found)
            if self.log is not None:
                self.log(line)


def _read_result(result: Any, model: SparseModel) -> SolverReport:
    """What MathOpt's result, a protocol buffer, says; absent variables are 0."""
    from ortools.math_opt import result_pb2

    reason, limit = result.termination.reason, result.termination.limit
    bound = result.termination.objective_bounds.dual_bound
    values = None
    if result.solutions and result.solutions[0].HasField("primal_solution"):
        found = result.solutions[0].primal_solution.variable_values
        values = np.zeros(len(model.objective))
        values[np.array(found.ids, np.int64)] = found.values
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
        has, stopped, values, bound if math.isfinite(bound) else None, result.termination.detail
    )


def cbc_program() -> str:
    """The path of PuLP's own CBC.

    Raises
    ------
    InputError
        If PuLP brings none for this machine.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about PuLP's version 4
        import pulp

        solver = pulp.PULP_CBC_CMD(msg=False)
        if not solver.available():
            raise InputError("PuLP brings no CBC for this machine: use another solver")
        return str(solver.path)


def _cbc(model: SparseModel, options: SolverOptions) -> SolverReport:
    """CBC's own program, as PuLP brings it; its log says why it stopped and how far it got."""
    program = cbc_program()
    end = math.inf if options.time_limit is None else time.monotonic() + options.time_limit
    processes: list[subprocess.Popen[str]] = []
    over = threading.Event()
    with tempfile.TemporaryDirectory(prefix="partcover-", ignore_cleanup_errors=True) as folder:
        problem, answer = Path(folder) / "model.mps", Path(folder) / "answer.sol"

        def work() -> SolverReport:
            write_model(model, problem)
            left = end - time.monotonic()
            if over.is_set() or left <= 0:
                return SolverReport("none", "time_limit")
            command = [program, str(problem)]
            if model.maximize:
                command += ["-max"]
            if left < math.inf:
                # CBC reads 0 as no limit, and counts processor time unless told otherwise
                command += ["-timeMode", "elapsed", "-sec", str(max(0.01, left))]
            command += ["-ratio", repr(options.gap), "-allow", "0"]
            command += ["-threads", str(options.threads)] if options.threads > 1 else []
            seed = str(options.seed or 1234567)  # CBC reads 0 as the time of day
            command += ["-randomSeed", seed, "-randomCbcSeed", seed]
            command += ["-solve", "-printingOptions", "all", "-solution", str(answer)]
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,  # Ctrl-C is ours to pass on
            )
            processes.append(process)
            if over.is_set():  # nobody waits any more
                process.kill()
            lines = []
            with process:
                for line in process.stdout or ():
                    lines.append(line.rstrip())
                    if options.log is not None and not over.is_set():
                        options.log(lines[-1])
            return _read_cbc(lines, answer, model)

        def interrupt() -> None:
            for process in processes:
                process.send_signal(signal.SIGINT)

        try:
            return _in_thread(work, interrupt, _PATIENCE, options.time_limit)
        finally:
            over.set()
            for process in processes:
                process.kill()


def _read_cbc(lines: list[str], answer: Path, model: SparseModel) -> SolverReport:
    text = "\n".join(lines)
    values: npt.NDArray[np.float64] | None = None
    has: Status = "none"
    if answer.exists():
        head, *body = answer.read_text().splitlines()
        if "infeasible" not in head.lower() and "no solution" not in head.lower():
            values = np.zeros(len(model.objective))
            number = {name: column for column, name in enumerate(model.variable_names())}
            for line in body:
                fields = line.replace("**", "").split()
                if fields[1] in number:  # a pure LP's answer lists its rows too
                    values[number[fields[1]]] = float(fields[2])
            has = "feasible"
    stopped: Termination = "error"
    if re.search(r"Result - (Problem proven infeasible|Linear relaxation infeasible)", text) or (
        "Problem is infeasible" in text
    ):
        return SolverReport("infeasible", "completed")
    if "Result - Optimal solution found" in text or "Optimal objective" in text:
        has, stopped = "optimal", "completed"
    if "Result - Stopped on time limit" in text or "Stopped on time" in text:
        has, stopped = ("none" if values is None else "feasible"), "time_limit"
    elif "Result - User ctrl-c" in text:
        has, stopped = ("none" if values is None else "feasible"), "interrupted"
    # a claimed solution can be the LP's, where the time limit came before any integer one
    if values is not None:
        whole = values[model.integer]
        if np.abs(whole - np.round(whole)).max(initial=0) > 1e-5:
            values, has = None, "none"
    found = re.findall(r"^(?:Lower|Upper) bound:\s+(\S+)", text, re.MULTILINE)
    bound: float | None = None
    if found:
        bound = float(found[-1])
    elif has == "optimal" and values is not None:
        bound = float(model.objective @ values)
    if has == "optimal" and values is None:
        has, stopped = "none", "error"
    return SolverReport(has, stopped, values, bound, lines[-1] if lines else "")


SOLVERS: dict[str, tuple[str, Callable[[SparseModel, SolverOptions], SolverReport]]] = {
    "scip": ("ortools", _math_opt("GSCIP")),
    "highs": ("ortools", _math_opt("HIGHS")),
    "cp-sat": ("ortools", _math_opt("CP_SAT")),
    "cbc": ("pulp", _cbc),
}
