"""Responds immediately to Ctrl-C, SIGTERM and SIGHUP on the command line, without losing results.

The first signal interrupts the work (`KeyboardInterrupt` in the main thread), which ends with its
best result.  A second signal changes nothing.  A third one ends the process immediately.

Python runs a signal handler between two steps of the main thread, which may be seconds away while a
kernel runs.  So another thread writes the message.  The interpreter's signal handler wakes it with
a byte in a pipe (`signal.set_wakeup_fd`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

_EXIT_INTERRUPTED = 130
_SIGNALS = [signal.SIGINT, signal.SIGTERM]
if sys.platform == "win32":
    _SIGNALS.append(signal.SIGBREAK)
else:
    _SIGNALS.append(signal.SIGHUP)


class _State:
    """The state that the handlers of a process share."""

    keeps_best = False
    raised = False  # whether the one KeyboardInterrupt was raised
    answered = threading.Event()
    deferring = False
    pending = False


def keeps_best(keeps: bool) -> None:
    """Sets whether the current work has a best result so far, which the message mentions."""
    _State.keeps_best = keeps


def was_interrupted() -> bool:
    """Returns whether a signal has interrupted the work."""
    return _State.raised


def install() -> None:
    """Handles the signals that end a process; ignored signals stay ignored.

    Call it once, from the main thread, before the work begins.
    """
    handled = [number for number in _SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    if not handled:  # a background job under nohup
        return
    reader, writer = os.pipe()
    # Python 3.11 cannot set this on Windows, where it is not needed
    if sys.platform != "win32":
        os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_answer, args=(reader, frozenset(handled)), daemon=True).start()
    for number in handled:
        signal.signal(number, _interrupt)


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """Delays a `KeyboardInterrupt` to the end of the block, so that a result is saved completely.

    Raises
    ------
    KeyboardInterrupt
        After the block, or the outermost one of several, if a signal arrived inside it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # a signal never interrupts another thread
        return
    before, _State.deferring = _State.deferring, True
    try:
        yield
    finally:
        _State.deferring = before
        if _State.pending and not before:
            _State.pending = False
            raise KeyboardInterrupt


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Interrupts the main thread once."""
    if _State.raised:
        return
    _State.raised = True
    _State.answered.wait(1.0)  # so that the message precedes those of the work's end
    if _State.deferring:
        _State.pending = True
    else:
        raise KeyboardInterrupt


def _answer(reader: int, numbers: frozenset[int]) -> None:
    """Prints the effect of each signal; the third one ends the process."""
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
    """Writes a line to standard error, replacing a progress line on a terminal."""
    start = "\r\x1b[K" if os.isatty(2) and os.environ.get("TERM", "dumb") != "dumb" else ""
    with contextlib.suppress(OSError):  # the terminal may be closed
        os.write(2, f"{start}partcover: {line}\n".encode())
