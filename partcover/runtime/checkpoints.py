"""Saves the best result so far while a call runs, so that little is lost if it is stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Checkpoints"]

Best = TypeVar("Best")

_SECONDS = 10.0  # between two
_SECONDS_NEWS = 3.0  # where there is a better result
_SHARE = 20.0  # making one takes no more than such a part of the time


class Checkpoints(Generic[Best]):
    """Calls a function with the best so far: the first time at once, then every few seconds.

    An error of the function does not stop the call: it is kept, and the next checkpoint is tried.

    Parameters
    ----------
    callback : callable or None
        Receives the best.
    best : callable
        Makes the best so far.

    Attributes
    ----------
    error : str
        What went wrong in the last checkpoint; empty if nothing did.

    Examples
    --------
    >>> from partcover.runtime.checkpoints import Checkpoints
    >>> checkpoints = Checkpoints(print, lambda: "the best so far")
    >>> checkpoints.offer()
    the best so far
    >>> checkpoints.offer()  # too soon after the first
    """

    def __init__(self, callback: Callable[[Best], None] | None, best: Callable[[], Best]) -> None:
        self.callback = callback
        self.best = best
        self.error = ""
        self._news = False
        self._at: float | None = None  # when the last one was made
        self._took = 0.0

    def offer(self, *, news: bool = False) -> None:
        """Makes a checkpoint if it is time for one.

        Parameters
        ----------
        news : bool
            Whether there is a better result.
        """
        self._news |= news
        wait = max(_SECONDS_NEWS if self._news else _SECONDS, _SHARE * self._took)
        if self._at is None or time.monotonic() - self._at >= wait:
            self.make()

    def make(self) -> None:
        """Makes a checkpoint now."""
        if self.callback is None:
            return
        begun = time.monotonic()
        self._news = False
        try:
            self.callback(self.best())
            self.error = ""
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"
        self._at = time.monotonic()
        self._took = self._at - begun
