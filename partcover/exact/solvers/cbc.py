"""Runs the CBC program that PuLP ships, and reads its log and its solution file."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...problem.solution import Status, Termination
from ...runtime.processes.children import OWN_SESSION, guarded
from ..model_files import read_solution, write_model, write_start
from ..solver_io import SolverOptions, SolverReport
from ..sparse_model import SparseModel
from .interruptible import PATIENCE, in_thread
from .log_reader import LogReader

_END = "partcover: the log ends here"


def cbc_program() -> str:
    """Returns the path of the CBC program in PuLP.

    Raises
    ------
    InputError
        If PuLP has no CBC for this machine.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the warning about PuLP's version 4
        import pulp

        solver = pulp.PULP_CBC_CMD(msg=False)
        if not solver.available():
            raise InputError("PuLP has no CBC for this machine: use another solver")
        return str(solver.path)


def cbc(model: SparseModel, options: SolverOptions) -> SolverReport:
    """Solves a model with CBC."""
    with tempfile.TemporaryDirectory(prefix="partcover-", ignore_cleanup_errors=True) as folder:
        return _Run(model, options, Path(folder)).report()


def _log_channel() -> tuple[int, int]:
    """Returns the reading and the writing end of a terminal, or of a pipe on Windows.

    CBC writes its log to a pipe in blocks, minutes late.
    """
    if sys.platform == "win32":
        return os.pipe()
    return os.openpty()


class _Run:
    """One run of CBC, with its files in a folder."""

    def __init__(self, model: SparseModel, options: SolverOptions, folder: Path) -> None:
        self.model = model
        self.options = options
        self.problem = folder / "model.mps"
        self.answer = folder / "answer.sol"
        self.warm_start = folder / "start.sol"
        self.deadline = options.limits.start()
        self.log = LogReader("cbc", model.maximize, options, keep=True)
        self.processes: list[subprocess.Popen[bytes]] = []
        self.over = threading.Event()  # when set, no process may start any more

    def report(self) -> SolverReport:
        """Runs CBC and returns its report."""
        try:
            time_limit = self.options.limits.time_limit
            report = in_thread(self._solve, self._interrupt, PATIENCE, time_limit)
        finally:
            self.over.set()
            for process in self.processes:
                process.kill()
        if self.options.warm_start is not None:
            report = replace(report, start_taken=self.log.start_taken)
        if report.stopped == "error" and self.deadline.is_over:
            # CBC may end without a last line at its time limit
            report = replace(report, stopped="time_limit")
        if report.bound is None and report.has != "infeasible":
            report = replace(report, bound=self.log.stepped_back())
        return report

    def _interrupt(self) -> None:
        """Asks CBC to stop, or prevents it from starting."""
        if not self.processes:
            self.over.set()
        for process in self.processes:
            # on Windows it cannot be asked, and its best solution is lost
            if sys.platform == "win32":
                process.terminate()
            else:
                process.send_signal(signal.SIGINT)

    def _solve(self) -> SolverReport:
        """Writes the model, runs CBC on it, and reads its answer."""
        # in this thread, since Ctrl-C must not interrupt the import of PuLP
        program = cbc_program()
        write_model(self.model, self.problem)
        if self.options.warm_start is not None:
            write_start(self.model, self.options.warm_start, self.warm_start)
        if self.over.is_set() or self.deadline.is_over:
            return SolverReport("none", "time_limit")
        ours, its = _log_channel()
        with (
            open(ours, encoding="utf-8", errors="replace") as lines,
            os.fdopen(its, "wb", buffering=0) as terminal,
        ):
            process = subprocess.Popen(
                self._command(program),
                stdin=subprocess.DEVNULL,
                stdout=terminal,
                stderr=subprocess.STDOUT,
                **OWN_SESSION,  # Ctrl-C reaches CBC only through `_interrupt`
            )
            self.processes.append(process)
            if self.over.is_set():  # the call has already ended
                process.kill()

            def end_log() -> None:
                # if CBC closed the terminal last, unread lines could be lost
                process.wait()
                terminal.write(f"\n{_END}\n".encode())

            ending = threading.Thread(target=end_log, daemon=True)
            ending.start()
            with guarded(process.pid):
                for line in lines:
                    if line.rstrip() == _END:
                        break
                    if not self.over.is_set():
                        self.log.read([line.rstrip()])
                ending.join()
        return _read_answer(self.log.lines, self.answer, self.model)

    def _command(self, program: str) -> list[str]:
        """Returns the command line of CBC."""
        limits, left = self.options.limits, self.deadline.left
        command = [program, str(self.problem)]
        if self.model.maximize:
            command += ["-max"]
        if left is not None:
            # CBC reads 0 as no limit, and measures processor time by default
            command += ["-timeMode", "elapsed", "-sec", str(max(0.01, left))]
        command += ["-ratio", repr(self.options.gap), "-allow", "0"]
        if limits.threads > 1:
            command += ["-threads", str(limits.threads)]
        seed = str(limits.seed or 1234567)  # CBC reads 0 as the time of day
        command += ["-randomSeed", seed, "-randomCbcSeed", seed]
        if self.options.warm_start is not None:
            command += ["-mips", str(self.warm_start)]
        return [*command, "-solve", "-printingOptions", "all", "-solution", str(self.answer)]


def _read_answer(lines: list[str], answer: Path, model: SparseModel) -> SolverReport:
    """Returns the report from the log and the solution file of a run."""
    text = "\n".join(lines)
    values = duals = None
    has: Status = "none"
    if answer.exists():
        head = answer.read_text("utf-8").partition("\n")[0].lower()
        if "infeasible" not in head and "no solution" not in head:
            values, duals = read_solution(model, answer)
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
    # the claimed solution can be the LP's, if the time limit came before any integer solution
    if values is not None:
        whole = values[model.integer]
        if np.abs(whole - np.round(whole)).max(initial=0) > 1e-5:
            values, has = None, "none"
    bounds = re.findall(r"^(?:Lower|Upper) bound:\s+(\S+)", text, re.MULTILINE)
    bound: float | None = None
    if bounds:
        bound = float(bounds[-1])
    elif has == "optimal" and values is not None:
        bound = float(model.objective @ values)
    if has == "optimal" and values is None:
        has, stopped = "none", "error"
    message = lines[-1] if lines else ""
    return SolverReport(
        has, stopped, values, bound, message, None if model.integer.any() else duals
    )
