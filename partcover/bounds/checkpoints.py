"""Passes the best so far on while a call runs, so that little is lost where it is ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

from ..problem.solution import Solution

__all__ = ["Checkpoint", "Checkpoints"]

#: Receives the best solution so far, with its certificate.
Checkpoint: TypeAlias = Callable[[Solution], None]

_SECONDS = 60.0  # between two
_SECONDS_NEWS = 5.0  # where there is a better vocabulary
_SHARE = 20.0  # making one takes no more than such a part of the time


class Checkpoints:
    """Calls a function with the best so far, neither too often nor too seldom.

    An error of the function ends nothing: its line is kept, and the next checkpoint is tried.

    Parameters
    ----------
    callback : callable or None
        Receives the best solution.
    best : callable
        Makes the best solution so far.

    Attributes
    ----------
    error : str
        What went wrong in the last checkpoint; empty if nothing did.
    """

    def __init__(self, callback: Checkpoint | None, best: Callable[[], Solution]) -> None:
        self.callback = callback
        self.best = best
        self.error = ""
        self._news = False
        self._at = time.monotonic()
        self._took = 0.0

    def offer(self, *, news: bool = False) -> None:
        """Makes a checkpoint if it is time for one.

        Parameters
        ----------
        news : bool
            Whether there is a better vocabulary.
        """
        self._news |= news
        wait = max(_SECONDS_NEWS if self._news else _SECONDS, _SHARE * self._took)
        if self.callback is not None and time.monotonic() - self._at >= wait:
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
