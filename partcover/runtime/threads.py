"""Watches threads that nobody waits for to the end, as a solver that does not stop."""

from __future__ import annotations

import threading

__all__ = ["left_behind", "watch"]

_watched: list[threading.Thread] = []


def watch(thread: threading.Thread) -> None:
    """Remember a daemon thread that may be left behind."""
    _watched[:] = [*filter(threading.Thread.is_alive, _watched), thread]


def left_behind() -> bool:
    """Whether a watched thread is still at work.

    A process should then end by ``os._exit``: some solvers abort it while it is taken apart.
    """
    return any(thread.is_alive() for thread in _watched)
