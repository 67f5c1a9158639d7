"""Runs ``partcover`` and ``python -m partcover``, and answers Ctrl-C from the first line."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import NoReturn

__all__ = ["entry"]


def entry() -> NoReturn:
    """Load the command and run it; until it is there, Ctrl-C ends the process with a line."""
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, _leave)
    from .cli.main import entry as run

    run()


def _leave(number: int, frame: FrameType | None) -> None:
    os.write(2, b"partcover: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    entry()
