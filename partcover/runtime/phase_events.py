"""Forwards the events of several phases, with times on one clock."""

from __future__ import annotations

import threading
from fractions import Fraction
from typing import Literal

from .limits import Deadline
from .progress import Event, Progress


class PhaseEvents(Progress):
    """Forwards the events of all phases on one clock, with the best results so far.

    Parameters
    ----------
    deadline : Deadline
        The clock.
    progress : Progress
        Receives each new event.
    """

    def __init__(self, deadline: Deadline, progress: Progress) -> None:
        self._lock = threading.Lock()  # phases may run in parallel
        self.deadline = deadline
        self.progress = progress
        self.phase = ""
        self.tokens: int | Fraction | None = None
        self.lower_bound: int | Fraction | None = None

    @property
    def needed(self) -> int | None:
        """The tokens of the best vocabulary so far, for one corpus."""
        return None if self.tokens is None else int(self.tokens)

    def enter(self, phase: str) -> None:
        """Begins a phase."""
        with self._lock:
            self.phase = phase
            self._send("phase", "")

    def advance(self, done: float, total: float | None, remark: str = "") -> None:
        """Forwards the progress of the work."""
        with self._lock:
            self.progress.advance(done, total, remark)

    def offer(
        self,
        kind: str,
        tokens: int | Fraction | None,
        lower_bound: int | Fraction | None,
        source: str,
    ) -> None:
        """Reports an incumbent or a lower bound if it is better than all earlier ones."""
        with self._lock:
            if kind == "incumbent" and tokens is not None:
                if self.tokens is not None and tokens >= self.tokens:
                    return
                self.tokens = tokens
                self._send("incumbent", source)
            if kind == "bound" and lower_bound is not None:
                if self.lower_bound is not None and lower_bound <= self.lower_bound:
                    return
                self.lower_bound = lower_bound
                self._send("bound", source)

    def event(self, event: Event) -> None:
        """Forwards an event of a phase if it is new."""
        if event.kind == "phase":
            self.enter(event.phase)
        self.offer(event.kind, event.tokens, event.lower_bound, event.source)

    def _send(self, kind: Literal["phase", "incumbent", "bound"], source: str) -> None:
        """Sends an event with the best results so far."""
        self.progress.event(
            Event(
                self.deadline.seconds,
                kind,
                self.tokens,
                self.lower_bound,
                source,
                self.phase,
                self.deadline.left,
            )
        )
