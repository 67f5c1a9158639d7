"""Runs a call in a process of its own, and measures its memory."""

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

__all__ = ["run_isolated"]

_STATUS = Path("/proc/self/status")


def run_isolated(function: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[Any, int]:
    """Calls a function in a fresh process.

    Parameters
    ----------
    function, arguments, options
        The function and its arguments; all must be picklable.

    Returns
    -------
    result : any
        The function's result.
    memory : int
        Bytes by which the call raised that process's peak resident memory: on Linux the peak
        during the call (VmHWM) less what was resident when it began; elsewhere the growth of
        ``ru_maxrss``.  If it started processes itself, with the peak of the largest of them.

    Raises
    ------
    InputError
        For any error of partcover in that process, with the same line, and if the process ends
        without a result.
    KeyboardInterrupt
        On Ctrl-C, unless the call responds to it with a result.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(sender, function, arguments, options))
    process.start()
    sender.close()
    begun = False
    try:
        while True:
            try:
                receiver.poll(None)
            except KeyboardInterrupt:
                if not begun or process.pid is None:
                    raise
                os.kill(process.pid, signal.SIGINT)  # the call may end with a result
                continue
            if begun:
                break
            begun = receiver.recv()
        result, memory = receiver.recv()
    except EOFError:
        raise InputError("a process of its own ended without an answer: out of memory?") from None
    except BaseException:
        process.terminate()
        raise
    finally:
        receiver.close()
        process.join()
    if isinstance(result, BaseException):
        raise result
    return result, memory


def _work(
    sender: Connection,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    options: dict[str, Any],
) -> None:
    if hasattr(os, "setsid"):
        os.setsid()  # the terminal's Ctrl-C reaches this process only through its parent
    die_with_parent()
    sender.send(True)
    try:
        sender.send(_measured(function, arguments, options))
    except PartcoverError as error:  # as one line, since not every error can be pickled
        sender.send((InputError(str(error)), 0))
    except KeyboardInterrupt:
        sender.send((KeyboardInterrupt(), 0))


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
    """Bytes resident now (VmRSS) or at the peak (VmHWM); without /proc the peak for both."""
    # not ru_maxrss on Linux: a process inherits its parent's
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith(f"{key}:"):
                return int(line.split()[1]) * 1024
    return _bytes(resource.getrusage(resource.RUSAGE_SELF))


def _bytes(usage: resource.struct_rusage) -> int:
    """The peak in bytes: macOS states bytes, other systems KiB."""
    return usage.ru_maxrss if sys.platform == "darwin" else usage.ru_maxrss * 1024
