"""Keeps standard output for results while libraries that print there are at work.

HiGHS, for one, prints lines of its own whatever it is told.  What native code prints can be led
elsewhere for the process alone, so a program that uses partcover as a library is left as it is: the
command line asks for it.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["lead_to_standard_error", "native_output"]

_asked = threading.Event()
_lock = threading.Lock()
_inside: list[int] = []  # for each that is inside, what standard output was before the first


def lead_to_standard_error() -> None:
    """Says that `native_output` is to lead to standard error from here on."""
    _asked.set()


@contextmanager
def native_output() -> Iterator[None]:
    """Leads what native code prints on standard output to standard error, if that was asked for.

    Several threads may be inside: the last one that leaves puts standard output back.

    Examples
    --------
    >>> from partcover.runtime.native_output import native_output
    >>> with native_output():
    ...     pass
    """
    if not _asked.is_set() or sys.platform == "win32":
        yield
        return
    with _lock:
        if not _inside:
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
