"""Saves the best result so far while a call runs, so that little is lost if it is stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Best = TypeVar("Best")

_SECONDS = 10.0  # seconds between two checkpoints
_SECONDS_NEWS = 3.0  # the same if there is a better result
_SHARE = 20.0  # a checkpoint may take at most 1 / 20 of the time


class Checkpoints(Generic[Best]):
    """Calls a function with the best result so far: first immediately, then every few seconds.

    If the function raises an error, the call continues; the error is stored, and the next
    checkpoint is tried.

    Parameters
    ----------
    callback : callable or None
        Receives the best result.
    best : callable
        Returns the best result so far.

    Attributes
    ----------
    error : str
        The error of the last checkpoint; empty if there was none.

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
        self._at: float | None = None  # the time of the last one
        self._took = 0.0

    def offer(self, *, news: bool = False) -> None:
        """Makes a checkpoint if it is time for one.

        Parameters
        ----------
        news : bool
            Whether there is a better result than before.
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

    def report(self, extra: dict[str, Any]) -> None:
        """Stores the error of the last checkpoint in what a solution says besides."""
        if self.error:
            extra["checkpoint_error"] = self.error
