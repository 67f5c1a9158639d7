"""Decides when a call has to end."""

from __future__ import annotations

import math
import time

__all__ = ["Deadline"]


class Deadline:
    """The clock of one call: how long it has run, and what is left of its time limit.

    Parameters
    ----------
    limit : float, optional
        Seconds from now; no limit if not given.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.started = time.monotonic()
        self.limit = limit

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float | None:
        """Seconds left, at least 0; None without a limit."""
        return None if self.limit is None else max(0.0, self.limit - self.seconds)

    @property
    def end(self) -> float:
        """When time is up, on the clock of `time.monotonic`; infinite without a limit."""
        return math.inf if self.limit is None else self.started + self.limit

    @property
    def over(self) -> bool:
        """Whether time is up."""
        return time.monotonic() >= self.end

    def sooner(self, seconds: float) -> Deadline:
        """The same clock, stopped so much earlier, to keep time for what comes after.

        Parameters
        ----------
        seconds : float
            Time to keep.
        """
        other = Deadline(None if self.limit is None else max(0.0, self.limit - seconds))
        other.started = self.started
        return other
