"""Runs a solver in a worker thread so that Ctrl-C and the time limit take effect."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from ...runtime.processes.native_output import native_output, silent_c
from ...runtime.processes.threads import watch
from ..solver_io import SolverReport

PATIENCE = 5.0  # seconds in which a solver must return its answer after Ctrl-C


def in_thread(
    work: Callable[[], SolverReport],
    interrupt: Callable[[], None],
    patience: float,
    time_limit: float | None,
) -> SolverReport:
    """Runs a solver in a thread of its own and returns its report.

    Parameters
    ----------
    work : callable
        Runs the solver.
    interrupt : callable
        Stops the solver; it is called on Ctrl-C.
    patience : float
        Seconds to wait for the report after Ctrl-C.
    time_limit : float or None
        Seconds; a solver that overruns it, for example in presolve, is abandoned half a second
        (or 3 %) later.
    """
    answer: list[SolverReport | BaseException] = []

    def target() -> None:
        try:
            with silent_c():  # in this thread, since an abandoned solver prints later
                answer.append(work())
        except BaseException as error:  # re-raised in the caller's thread
            answer.append(error)
        finally:
            done.set()

    done = threading.Event()
    thread = threading.Thread(target=target, daemon=True)
    watch(thread)
    interrupted = False
    deadline = math.inf
    if time_limit is not None:
        deadline = time.monotonic() + time_limit + max(0.5, 0.03 * time_limit)
    with native_output():
        thread.start()
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
    # also for an optimum: a caller that solves one model after another has to stop
    return replace(answer[0], stopped="interrupted") if interrupted else answer[0]
