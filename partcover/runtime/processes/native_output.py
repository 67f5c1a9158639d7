"""Keeps standard output free for results while libraries that print there are running.

For example, HiGHS prints lines whatever its options are.  Such lines are written to C's ``stdout``,
which Python's ``print`` does not use.  `silent_c` redirects it, so that a program that uses
partcover as a library can continue to print from other threads.  Output that is written to the file
descriptor without C's ``stdout`` can only be redirected for the whole process, and only the command
line requests that.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

_asked = threading.Event()
_lock = threading.Lock()
_inside: list[int] = []  # for each user inside, the standard output before the first one
_silent: list[int | None] = []  # the same for C's stdout


def lead_to_standard_error() -> None:
    """Makes `native_output` redirect to standard error from now on."""
    _asked.set()


@contextmanager
def native_output() -> Iterator[None]:
    """Redirects native code's standard output to standard error, if that was requested.

    Several threads may be inside; the last one that leaves restores standard output.

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
                ctypes.CDLL(None).fflush(None)  # what C has buffered
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
    """Discards what C prints on ``stdout``, where it can be replaced: with glibc and on macOS.

    Several threads may be inside; the last one that leaves restores ``stdout``.  A thread that is
    abandoned inside stays silent.

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
    """Returns C's variable ``stdout`` and a stream that discards output; None if it is constant.

    For example, musl has a constant in its place, and Windows has a function.
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
