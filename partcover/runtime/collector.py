"""Pauses the garbage collector while many permanent objects are created."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pauses the cycle collector, which would otherwise visit all objects again and again.

    Examples
    --------
    >>> import gc
    >>> from partcover.runtime.collector import collector_paused
    >>> with collector_paused():
    ...     gc.isenabled()
    False
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
