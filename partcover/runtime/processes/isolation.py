"""Runs a call in its own process, and measures its memory."""

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
        The increase of that process's peak resident memory by the call, in bytes.  On Linux: the
        peak during the call (VmHWM) minus the resident memory at its start; elsewhere the growth of
        the peak.  If the call started processes itself, the peak of the largest of them is added,
        except on Windows, which does not report it.

    Raises
    ------
    InputError
        For any error of partcover in that process, with the same message, and if the process ends
        without a result.
    KeyboardInterrupt
        On Ctrl-C, unless the call returns a result after it.
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
                if sys.platform != "win32":  # on Windows the console has interrupted it too
                    os.kill(process.pid, signal.SIGINT)
                continue  # the call may still end with a result
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
        os.setsid()  # the terminal's Ctrl-C then reaches this process only through its parent
    die_with_parent()
    sender.send(True)
    try:
        sender.send(_measured(function, arguments, options))
    except PartcoverError as error:  # as a message, since not every error can be pickled
        sender.send((InputError(str(error)), 0))
    except KeyboardInterrupt:
        sender.send((KeyboardInterrupt(), 0))


def _measured(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Any, int]:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_bytes(b"5")  # resets the peak
    before = _memory("VmRSS")
    result = function(*arguments, **options)
    return result, max(0, _memory("VmHWM") - before) + _peak_of_children()


def _memory(key: str) -> int:
    """Returns the resident bytes now (VmRSS) or at the peak (VmHWM); without /proc the peak."""
    # not ru_maxrss on Linux, since a process inherits its parent's
    if _STATUS.exists():
        for line in _STATUS.read_text("ascii", "replace").splitlines():
            if line.startswith(f"{key}:"):
                return int(line.split()[1]) * 1024
    return _peak()


if sys.platform == "win32":
    import psutil

    def _peak() -> int:
        """Returns the peak of this process in bytes."""
        return int(psutil.Process().memory_info().peak_wset)

    def _peak_of_children() -> int:
        """Returns 0: the peak of processes that have ended is unknown."""
        return 0

else:
    import resource

    def _peak() -> int:
        """Returns the peak of this process in bytes."""
        return _bytes(resource.RUSAGE_SELF)

    def _peak_of_children() -> int:
        """Returns the peak of the largest child process so far in bytes."""
        return _bytes(resource.RUSAGE_CHILDREN)

    def _bytes(who: int) -> int:
        """Returns a peak in bytes; macOS reports bytes, other systems KiB."""
        peak = resource.getrusage(who).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
