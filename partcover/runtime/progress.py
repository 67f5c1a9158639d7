"""The interface for progress reports: a class whose methods do nothing by default."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal


def gap_of(tokens: int | Fraction | None, lower_bound: int | Fraction | None) -> float | None:
    """Returns (tokens − lower_bound) / tokens; None without a bound or an answer."""
    if tokens is None or lower_bound is None:
        return None
    return float((tokens - lower_bound) / tokens) if tokens else 0.0


def _number(value: int | Fraction | None) -> int | float | None:
    return float(value) if isinstance(value, Fraction) else value


@dataclass(frozen=True)
class Event:
    """A new incumbent, a new lower bound or a new phase of a running method.

    Attributes
    ----------
    seconds : float
        Seconds since the method began.
    kind : {"incumbent", "bound", "phase"}
        What is new.
    tokens, lower_bound : int, Fraction or None
        The best so far; for several corpora, the largest ratio.  A number from a solver's log is
        rounded to the safe side by the precision of the log.
    source : str
        The step that found it; empty for a new phase.
    phase : str
        What the method is doing, in a word or two: ``greedtok``, ``bound``, ``search``,
        ``recount``; empty for a method of one phase.
    time_left : float or None
        Seconds until the time limit; None without a limit, or where it is not known.

    Examples
    --------
    >>> from partcover import Event
    >>> Event(1.5, "bound", 100, 95, "prices").gap
    0.05
    """

    seconds: float
    kind: Literal["incumbent", "bound", "phase"]
    tokens: int | Fraction | None
    lower_bound: int | Fraction | None
    source: str
    phase: str = ""
    time_left: float | None = None

    @property
    def gap(self) -> float | None:
        """(tokens − lower_bound) / tokens."""
        return gap_of(self.tokens, self.lower_bound)

    def to_json(self) -> dict[str, Any]:
        """Returns the event as a JSON object."""
        return {
            "event": self.kind,
            "seconds": round(self.seconds, 3),
            "tokens": _number(self.tokens),
            "lower_bound": _number(self.lower_bound),
            "gap": self.gap,
            "source": self.source,
            "phase": self.phase,
        }


class Progress:
    """Receives reports while a call runs; every method does nothing until a subclass overrides it.

    A subclass overrides the methods that it needs.  A method that raises KeyboardInterrupt ends
    the call as Ctrl-C does.

    Examples
    --------
    >>> from partcover import Instance, greedtok
    >>> from partcover.runtime.progress import Progress
    >>> class Printer(Progress):
    ...     def advance(self, done, total, remark=""):
    ...         print(done, "of", total, remark)
    >>> solution = greedtok(Instance({"banana": 2, "bandana": 1}, 2), progress=Printer())
    1 of 2 cover 10
    2 of 2 cover 16
    """

    def advance(self, done: float, total: float | None, remark: str = "") -> None:
        """Receives how far the work is.

        Parameters
        ----------
        done : float
            The work done so far: bytes, tokens or rounds.
        total : float or None
            All the work; None where it is not known.
        remark : str
            What else is worth a word.
        """

    def stage(self, name: str) -> None:
        """Receives the name of the part of the work that begins.

        Parameters
        ----------
        name : str
            The part, in a few words.
        """

    def event(self, event: Event) -> None:
        """Receives a new incumbent, lower bound or phase.

        Parameters
        ----------
        event : Event
            What is new, with the best so far.
        """


class EventLog(Progress):
    """Keeps the events of a call in a list.

    Attributes
    ----------
    events : list of Event
        All events so far, the first one first.

    Examples
    --------
    >>> from partcover import Instance, improve
    >>> from partcover.runtime.progress import EventLog
    >>> log = EventLog()
    >>> solution = improve(Instance({"banana": 2, "bandana": 1}, 2), progress=log)
    >>> log.events[-1].tokens == solution.tokens
    True
    """

    def __init__(self) -> None:
        self.events: list[Event] = []

    def event(self, event: Event) -> None:
        """Appends an event to the list."""
        self.events.append(event)
