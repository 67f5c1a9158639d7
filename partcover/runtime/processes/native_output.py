"""Keeps standard output free for results while libraries run that print there.

HiGHS, for one, prints lines of its own whatever it is told.  Such lines come from C's ``stdout``,
which Python's ``print`` does not use: `silent_c` leads that elsewhere, and a program that uses
partcover as a library may go on printing from other threads.  What is written to the file
descriptor past C's ``stdout`` can be led elsewhere for the whole process alone: the command line
asks for it.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

__all__ = ["lead_to_standard_error", "native_output", "silent_c"]

_asked = threading.Event()
_lock = threading.Lock()
_inside: list[int] = []  # for each that is inside, what standard output was before the first
_silent: list[int | None] = []  # the same for C's


def lead_to_standard_error() -> None:
    """Says that `native_output` is to lead to standard error from here on."""
    _asked.set()


@contextmanager
def native_output() -> Iterator[None]:
    """Leads what native code prints on standard output to standard error, if that was asked for.

    Several threads may be inside: the last one that leaves puts standard output back.

    Examples
    --------
    >>> from partcover.runtime.processes.native_output import native_output
    >>> with native_output():
    ...     pass
    """
    if not _asked.is_set() or sys.platform == "win32" or not (_is_open(1) and _is_open(2)):
        yield
        return
    with _lock:
        if not _inside and sys.stdout is not None:
            sys.stdout.flush()
        _inside.append(_inside[0] if _inside else os.dup(1))
        os.dup2(2, 1)
    try:
        yield
    finally:
        with _lock:
            results = _inside.pop()
            if not _inside:
                ctypes.CDLL(None).fflush(None)  # what C still holds
                os.dup2(results, 1)
                os.close(results)


def _is_open(descriptor: int) -> bool:
    """Whether a file descriptor is open: a process may be started without any."""
    with suppress(OSError):
        os.fstat(descriptor)
        return True
    return False


@contextmanager
def silent_c() -> Iterator[None]:
    """Discards what C prints on its ``stdout``, where it can be replaced: with glibc and on macOS.

    Several threads may be inside: the last one that leaves puts ``stdout`` back.  A thread that
    is left behind inside stays silent.

    Examples
    --------
    >>> import ctypes, sys
    >>> from partcover.runtime.processes.native_output import silent_c
    >>> with silent_c():
    ...     if sys.platform != "win32":
    ...         _ = ctypes.CDLL(None).puts(b"not seen")
    """
    streams = _streams()
    if streams is None:
        yield
        return
    stdout, nowhere = streams
    with _lock:
        _silent.append(_silent[0] if _silent else stdout.value)
        stdout.value = nowhere
    try:
        yield
    finally:
        with _lock:
            before = _silent.pop()
            if not _silent:
                stdout.value = before


@cache
def _streams() -> tuple[ctypes.c_void_p, int] | None:
    """Returns C's variable ``stdout`` and a stream that leads nowhere; None where it is constant.

    Musl, for one, has a constant in its place, and Windows a function.
    """
    if sys.platform == "win32":
        return None
    library = ctypes.CDLL(None)
    if sys.platform == "darwin":
        name = "__stdoutp"
    elif hasattr(library, "gnu_get_libc_version"):
        name = "stdout"
    else:
        return None
    library.fopen.restype = ctypes.c_void_p
    nowhere = library.fopen(os.devnull.encode(), b"w")
    return None if nowhere is None else (ctypes.c_void_p.in_dll(library, name), nowhere)
