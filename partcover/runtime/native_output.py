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


def lead_to_standard_error() -> None:
    """Says that `native_output` is to lead to standard error from here on."""
    _asked.set()


@contextmanager
def native_output() -> Iterator[None]:
    """Leads what native code prints on standard output to standard error, if that was asked for.

    Examples
    --------
    >>> from partcover.runtime.native_output import native_output
    >>> with native_output():
    ...     pass
    """
    if not _asked.is_set() or sys.platform == "win32":
        yield
        return
    sys.stdout.flush()
    results = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        ctypes.CDLL(None).fflush(None)  # what C still holds
        os.dup2(results, 1)
        os.close(results)
