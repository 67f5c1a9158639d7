"""Runs child processes that end when this process ends, however it ends."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any

OWN_SESSION: dict[str, Any]
"""Options of `subprocess.Popen` that protect the child from the terminal's Ctrl-C."""
if sys.platform == "win32":
    OWN_SESSION = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
else:
    OWN_SESSION = {"start_new_session": True}

# The guard reads from a pipe whose only writer is this process.  The pipe closes when this process
# ends, even by SIGKILL, which no code in the process can handle.  9 ends a process on Windows, too.
_WATCH = "import os, sys; sys.stdin.read(); os.kill(int(sys.argv[1]), 9)"


@contextmanager
def guarded(pid: int) -> Iterator[None]:
    """Kills a child process if this process ends while the context is open.

    A small Python process waits next to it.  PR_SET_PDEATHSIG of Linux depends on the thread that
    started the child, and other systems have nothing like it.

    Parameters
    ----------
    pid : int
        The child, which has not been waited for yet.
    """
    watch = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _WATCH, str(pid)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **OWN_SESSION,  # so that neither Ctrl-C nor the end of the terminal reaches the guard
    )
    try:
        yield
    finally:
        # before its pipe closes, which would mean to the guard that this process has ended
        watch.kill()
        watch.wait()
        assert watch.stdin is not None
        watch.stdin.close()


def run(
    command: Sequence[str | PathLike[str]],
    *,
    input: str | None = None,  # noqa: A002 - as subprocess.run calls it
    cwd: str | PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs a program to its end and returns its output, like `subprocess.run`, but guarded.

    Parameters
    ----------
    command : sequence of str or path
        The program and its arguments.
    input : str, optional
        Text for its standard input.
    cwd, env, timeout
        As for `subprocess.run`.

    Raises
    ------
    subprocess.TimeoutExpired
        After `timeout` seconds; the program is killed.
    """
    with (
        subprocess.Popen(
            command,
            stdin=None if input is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
            encoding="utf-8",
            errors="backslashreplace",
        ) as process,
        guarded(process.pid),
    ):
        try:
            out, error = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, error)


def die_with_parent() -> None:
    """Ends this process, a child of `multiprocessing`, when its parent process has ended."""
    from multiprocessing import connection, parent_process  # a heavy import, rarely needed

    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
