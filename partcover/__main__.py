"""Runs ``partcover`` and ``python -m partcover``, and answers Ctrl-C from the first line."""

from __future__ import annotations

import os

try:  # imports take longer than anything else here
    import signal
    import sys
except KeyboardInterrupt:
    os.write(2, b"partcover: interrupted\n")
    os._exit(130)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn


def entry() -> NoReturn:
    """Load the command and run it; until it is there, Ctrl-C ends the process with a line."""
    try:
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            signal.signal(signal.SIGINT, _leave)
        _fill_closed_streams()
        from .cli.main import entry as run

        run()
    except KeyboardInterrupt:  # before the first line here, or after the last one of the command
        _leave()


def _fill_closed_streams() -> None:
    """Open something in place of standard streams that are closed (``>&-`` in a shell).

    No file of the program then gets the number of a stream by accident.  Reading standard input and
    writing standard output fail, so that a result that nobody gets is an error; what is written to
    standard error is lost.
    """
    for number, flags in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, flags), True)  # the lowest number that is free
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def _leave(number: int = signal.SIGINT, frame: FrameType | None = None) -> NoReturn:
    os.write(2, b"partcover: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    entry()
