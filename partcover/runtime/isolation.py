"""Runs a call in a process of its own, and measures the memory it took."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ..errors import InputError, PartcoverError
from .children import die_with_parent

__all__ = ["run_apart"]

_STATUS = Path("/proc/self/status")


def run_apart(function: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[Any, int]:
    """Call a function in a fresh process.

    Parameters
    ----------
    function, arguments, options
        What to call; all must be picklable.

    Returns
    -------
    result : any
        What it returns.
    memory : int
        Bytes by which the call raised that process's peak resident memory: on Linux the peak
        during the call (VmHWM) less what was resident when it began; elsewhere the growth of
        ``ru_maxrss``.  If it started processes itself, with the peak of the largest of them.

    Raises
    ------
    InputError
        With the line of any error of partcover in there, or if the process ended without an answer.
    KeyboardInterrupt
        On Ctrl-C, where the call has no answer to that; else what it has is returned.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(theirs, function, arguments, options))
    process.start()
    theirs.close()
    begun = False
    try:
        while True:
            try:
                ours.poll(None)
            except KeyboardInterrupt:
                if not begun or process.pid is None:
                    raise
                os.kill(process.pid, signal.SIGINT)  # it ends with what it has
                continue
            if begun:
                break
            begun = ours.recv()
        result, memory = ours.recv()
    except EOFError:
        raise InputError("a process of its own ended without an answer: out of memory?") from None
    except BaseException:
        process.terminate()
        raise
    finally:
        ours.close()
        process.join()
    if isinstance(result, BaseException):
        raise result
    return result, memory


def _work(
    answers: Connection,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    options: dict[str, Any],
) -> None:
    if hasattr(os, "setsid"):
        os.setsid()  # the terminal's Ctrl-C comes by way of the process that waits
    die_with_parent()
    answers.send(True)
    try:
        answers.send(_measured(function, arguments, options))
    except PartcoverError as error:  # as a plain line: not every error can be pickled
        answers.send((InputError(str(error)), 0))
    except KeyboardInterrupt:
        answers.send((KeyboardInterrupt(), 0))


def _measured(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Any, int]:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = _memory("VmRSS")
    result = function(*arguments, **options)
    children = _bytes(resource.getrusage(resource.RUSAGE_CHILDREN))
    return result, max(0, _memory("VmHWM") - before) + children


def _memory(key: str) -> int:
    """Bytes resident now (VmRSS) or at most so far (VmHWM); without /proc the latter for both."""
    # not ru_maxrss on Linux: a process starts with that of the one that started it
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith(f"{key}:"):
                return int(line.split()[1]) * 1024
    return _bytes(resource.getrusage(resource.RUSAGE_SELF))


def _bytes(usage: resource.struct_rusage) -> int:
    """Its peak: macOS states bytes, others KiB."""
    return usage.ru_maxrss if sys.platform == "darwin" else usage.ru_maxrss * 1024
