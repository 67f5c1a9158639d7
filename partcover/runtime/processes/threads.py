"""Keeps track of threads that nobody waits for, such as a solver that does not stop."""

from __future__ import annotations

import threading

_lock = threading.Lock()
_watched: list[threading.Thread] = []


def watch(thread: threading.Thread) -> None:
    """Records a daemon thread that may still run when the process ends."""
    with _lock:
        _watched[:] = [*filter(threading.Thread.is_alive, _watched), thread]


def left_behind() -> bool:
    """Returns whether a recorded thread is still running.

    If so, the process should end by ``os._exit``: some solvers abort it during a normal exit.
    """
    return any(thread.is_alive() for thread in _watched)
