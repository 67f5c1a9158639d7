"""Shows the state of a search on one line of the terminal, which is written over."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING

from ...errors import printable, shorten
from ...runtime.numerals import shown_number
from ...runtime.progress import Event, Progress

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

_PER_SECOND = 4  # how often the line is written


class StatusLine(Progress):
    """A line with the phase, the share done, the best, its bound and gap, the time, a remark."""

    def __init__(
        self,
        phase: str,
        time_limit: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.phase = phase
        self.clock = clock
        self.started = clock()
        self.end = math.inf if time_limit is None else self.started + time_limit
        self.tokens: int | Fraction | None = None
        self.lower_bound: int | Fraction | None = None
        self.gap: float | None = None
        self.share = self.remark = ""

    def advance(self, done: float, total: float | None, remark: str = "") -> None:
        """Puts the share of the work that is done and a remark on the line."""
        self.share = f"{100 * done / total:.0f} %" if total else ""
        self.remark = shorten(printable(remark))

    def stage(self, name: str) -> None:
        """Puts the name of the part of the work on the line."""
        self.advance(0, None, name)

    def event(self, event: Event) -> None:
        """Updates the line with an event; a new phase ends the remark."""
        if event.phase and event.phase != self.phase:
            self.phase, self.share, self.remark = event.phase, "", ""
        self.tokens, self.lower_bound, self.gap = event.tokens, event.lower_bound, event.gap
        if event.time_left is not None:
            self.end = self.clock() + event.time_left

    def line(self, width: int) -> str:
        """Returns the line in at most `width` columns.

        Where there is no room the remark is left out first, then the share, the bound, the gap and
        the time; no number is shortened.
        """
        now = self.clock()
        passed = f"{_clock(now - self.started)} elapsed"
        parts = {
            "phase": self.phase,
            "share": self.share,
            "best": "" if self.tokens is None else f"best {shown_number(self.tokens)}",
            "bound": "" if self.lower_bound is None else f"bound {shown_number(self.lower_bound)}",
            "gap": "" if self.gap is None else f"gap {100 * self.gap:.3f} %",
            "time": f"{_clock(self.end - now)} left" if math.isfinite(self.end) else passed,
            "remark": self.remark,
        }
        for name in ("", "remark", "share", "bound", "gap", "time", "best"):
            parts.pop(name, None)
            line = "  ".join(part for part in parts.values() if part)
            if len(line) <= width:
                return line
        return line[:width]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields the line for rich."""
        from rich.text import Text

        yield Text(self.line(options.max_width - 1), no_wrap=True, end="")


def _clock(seconds: float) -> str:
    """Formats seconds as m:ss, or h:mm:ss."""
    whole = max(0, round(seconds))
    hours, rest = divmod(whole, 3600)
    minutes = f"{rest // 60:02d}" if hours else str(rest // 60)
    return (f"{hours}:" if hours else "") + f"{minutes}:{rest % 60:02d}"


@contextmanager
def shown_line(phase: str, time_limit: float | None = None) -> Iterator[Progress]:
    """Shows a line on standard error until the block ends, if that is a terminal.

    Other lines on standard error appear above it.
    """
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    if not console.is_terminal or console.is_dumb_terminal:
        yield Progress()
        return
    line = StatusLine(phase, time_limit)
    with Live(line, console=console, refresh_per_second=_PER_SECOND, transient=True):
        yield line
