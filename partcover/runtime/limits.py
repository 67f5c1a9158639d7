"""When a call has to end."""

from __future__ import annotations

import math
import time

from ..errors import InputError

__all__ = ["Deadline", "check_time_limit"]


def check_time_limit(seconds: float | None) -> None:
    """Refuse a time limit that is no number of seconds.

    Parameters
    ----------
    seconds : float or None
        The limit; None is no limit.

    Raises
    ------
    InputError
        For a negative number, what is no number, or NaN.
    """
    if seconds is None:
        return
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        raise InputError(f"time limit {seconds!r}: a number of seconds, at least 0, is expected")


class Deadline:
    """The clock of one call: how long it has run, and what is left of its time limit.

    Parameters
    ----------
    limit : float, optional
        Seconds from now; no limit if not given.

    Raises
    ------
    InputError
        For a limit that is no number of seconds.
    """

    def __init__(self, limit: float | None = None) -> None:
        check_time_limit(limit)
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
