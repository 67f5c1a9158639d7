"""The limits of a call: its time limit, random seed and threads, and its deadline."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from .arguments import Seconds, Seed, Threads, checked

_Begun = TypeVar("_Begun")


@dataclass(frozen=True, init=False)
class RunLimits:
    """The time limit, random seed and threads of a call.

    Parameters
    ----------
    time_limit : float, optional
        Seconds that the call may take; no limit if not given.
    seed : int
        Random seed.
    threads : int
        Number of threads.

    Raises
    ------
    InputError
        For a value out of range.

    Examples
    --------
    >>> from partcover.runtime.limits import RunLimits
    >>> RunLimits(time_limit=60, threads=4)
    RunLimits(time_limit=60, seed=0, threads=4)
    >>> RunLimits(threads=0)
    Traceback (most recent call last):
        ...
    partcover.errors.InputError: threads is 0: it must be a whole number from 1 to 1,024
    """

    time_limit: float | None
    seed: int
    threads: int

    @checked
    def __init__(
        self, time_limit: Seconds | None = None, seed: Seed = 0, threads: Threads = 1
    ) -> None:
        object.__setattr__(self, "time_limit", time_limit)
        object.__setattr__(self, "seed", seed)
        object.__setattr__(self, "threads", threads)

    def start(self) -> Deadline:
        """Starts the clock of a call with this time limit."""
        return Deadline(self.time_limit)


class Deadline:
    """Measures how long a call has run and how much of its time limit is left.

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
        """The time of the deadline on the clock of `time.monotonic`; infinite without a limit."""
        return math.inf if self.limit is None else self.started + self.limit

    @property
    def is_over(self) -> bool:
        """Whether the time limit is reached."""
        return time.monotonic() >= self.end

    def stop(self) -> None:
        """Ends the time immediately, for all users of this deadline."""
        self.limit = 0.0

    def has_time_for(self, seconds: float) -> bool:
        """Returns whether more than this many seconds are left.

        Parameters
        ----------
        seconds : float
            The expected time of the next step.
        """
        return seconds < self.end - time.monotonic()

    def earlier(self, seconds: float) -> Deadline:
        """Returns a deadline that much earlier, which leaves time for the steps that follow.

        Parameters
        ----------
        seconds : float
            The time to reserve.
        """
        other = Deadline(None if self.limit is None else max(0.0, self.limit - seconds))
        other.started = self.started
        return other


def begun(begin: Callable[[], _Begun], deadline: Deadline) -> tuple[_Begun, bool]:
    """Calls a function without which there is no result, and returns whether Ctrl-C was pressed.

    Then the time ends, and the function is called again, which takes little time by then.
    """
    try:
        return begin(), False
    except KeyboardInterrupt:
        deadline.stop()
        return begin(), True
