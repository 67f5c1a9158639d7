"""Runs a call in a process of its own, and measures its memory."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ...errors import InputError, PartcoverError
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
        during the call (VmHWM) less what was resident when it began; elsewhere the growth of the
        peak.  If it started processes itself, with the peak of the largest of them, which Windows
        does not say.

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
                if sys.platform != "win32":  # where the console has interrupted it, too
                    os.kill(process.pid, signal.SIGINT)
                continue  # the call may end with a result
            if begun:
                break
            begun = receiver.recv()
        result, memory = receiver.recv()
    except EOFError:
        raise InputError(
            "a subprocess ended without a result; it may have run out of memory"
        ) from None
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
        Path("/proc/self/clear_refs").write_bytes(b"5")  # the peak begins anew
    before = _memory("VmRSS")
    result = function(*arguments, **options)
    return result, max(0, _memory("VmHWM") - before) + _peak_of_children()


def _memory(key: str) -> int:
    """Returns the bytes resident now (VmRSS) or at the peak (VmHWM); without /proc the latter."""
    # not ru_maxrss on Linux: a process inherits its parent's
    if _STATUS.exists():
        for line in _STATUS.read_text("ascii", "replace").splitlines():
            if line.startswith(f"{key}:"):
                return int(line.split()[1]) * 1024
    return _peak()


if sys.platform == "win32":
    import psutil

    def _peak() -> int:
        """Returns the peak in bytes of this process."""
        return int(psutil.Process().memory_info().peak_wset)

    def _peak_of_children() -> int:
        """Returns 0: there is no peak of processes that have ended."""
        return 0

else:
    import resource

    def _peak() -> int:
        """Returns the peak in bytes of this process."""
        return _bytes(resource.RUSAGE_SELF)

    def _peak_of_children() -> int:
        """Returns the peak in bytes of the largest child process so far."""
        return _bytes(resource.RUSAGE_CHILDREN)

    def _bytes(who: int) -> int:
        """Returns a peak, which macOS states in bytes, other systems in KiB."""
        peak = resource.getrusage(who).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
