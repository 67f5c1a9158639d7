"""Answers Ctrl-C, SIGTERM and SIGHUP on the command line at once, and loses nothing.

The first one interrupts the work (`KeyboardInterrupt` in the main thread), which ends with the
best it has.  A second one changes nothing.  A third one ends the process as it stands.

Python runs a signal's handler between two steps of the main thread, which may be seconds away
while a kernel runs.  So the line that says what happens comes from a thread of its own, which the
interpreter's signal handler wakes by a byte in a pipe (`signal.set_wakeup_fd`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType

__all__ = ["deferred", "install", "keeps_best"]

_EXIT_INTERRUPTED = 130
_SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


class _State:
    """What the handlers of one process share."""

    keeps_best = False
    raised = False  # the one KeyboardInterrupt
    answered = threading.Event()
    deferring = False
    pending = False


def keeps_best(keeps: bool) -> None:
    """Set whether the work at hand has a best so far, which the answer to a signal mentions."""
    _State.keeps_best = keeps


def install() -> None:
    """Take over the signals that end a process; those that are ignored stay ignored.

    Call it once, from the main thread, before the work begins.
    """
    taken = [number for number in _SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    if not taken:  # a job in the background, under nohup
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_answer, args=(reader, frozenset(taken)), daemon=True).start()
    for number in taken:
        signal.signal(number, _interrupt)


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """Hold a `KeyboardInterrupt` back until the block has ended, so that a result is saved whole.

    Raises
    ------
    KeyboardInterrupt
        Behind the block, if a signal came inside it.
    """
    _State.deferring = True
    try:
        yield
    finally:
        _State.deferring = False
        if _State.pending:
            _State.pending = False
            raise KeyboardInterrupt


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Interrupt the main thread, once."""
    if _State.raised:
        return
    _State.raised = True
    _State.answered.wait(1.0)  # so that the answer comes before whatever the work says at its end
    if _State.deferring:
        _State.pending = True
    else:
        raise KeyboardInterrupt


def _answer(reader: int, numbers: frozenset[int]) -> None:
    """Say what each signal does; the third ends the process."""
    times = 0
    while received := os.read(reader, 1):
        if received[0] not in numbers:
            continue
        times += 1
        if times == 1:
            _write("stopping, keeping the best so far" if _State.keeps_best else "stopping")
            _State.answered.set()
        elif times == 2:
            _write("still stopping; once more ends it at once, and nothing is kept")
        else:
            _write("ended")
            os._exit(_EXIT_INTERRUPTED)


def _write(line: str) -> None:
    """One line on standard error, in place of a progress line on a terminal."""
    start = "\r\x1b[K" if os.isatty(2) and os.environ.get("TERM", "dumb") != "dumb" else ""
    with contextlib.suppress(OSError):  # the terminal may be what has gone
        os.write(2, f"{start}partcover: {line}\n".encode())
