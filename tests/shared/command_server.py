"""A ``partcover`` command that starts at once, for tests that run many of them.

A server process imports the package once.  The command sends the server its arguments, folder,
environment and three streams, some of which may be closed; the server forks a process that runs
`partcover.__main__.entry` with them, and the command exits with the status of that process.  So
each command has a process, file descriptors and an exit of its own, as the installed script has,
and only the imports are shared.

Where a test tries no time limits of its own, the clock of time limits can count how often it is
looked at: how far a search comes then does not depend on the machine, nor on what else it does.
"""

from __future__ import annotations

import array
import contextlib
import gc
import importlib
import io
import itertools
import marshal
import os
import pkgutil
import selectors
import shlex
import signal
import site
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

CAN_FORK = sys.platform == "linux"  # elsewhere the command is the installed script
MODULES = ["networkx", "ortools.math_opt.python.mathopt", "tokenizers"]  # that many commands import
# Python starts fastest without its site and with modules that are compiled.  The shell starts it:
# its path may have spaces, or be longer than a first line may be.
SCRIPT = """#!/bin/sh
''':'
exec {python} -IS "$0" "$@"
'''
import os
closed = []
for number in range(3):
    try:
        os.fstat(number)
    except OSError:
        closed.append(os.open(os.devnull, os.O_RDWR))
import _socket, array, marshal, sys
connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
connection.connect({address!r})
request = marshal.dumps((sys.argv, os.getcwd(), dict(os.environ), closed))
streams = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", (0, 1, 2)))
connection.sendmsg([len(request).to_bytes(8, "big")], [streams])
connection.sendall(request)
answer = connection.recv(4)
os._exit(int.from_bytes(answer, "big") if answer else 125)
"""


@contextlib.contextmanager
def quick_command(
    folder: Path, packages: Path | None = None, clock: float | None = None
) -> Iterator[Path]:
    """Starts a server and yields the folder in which the command ``partcover`` is.

    `packages` is a folder of packages to import in place of the installed ones, `clock` the step
    of `counting_clock`.
    """
    if not CAN_FORK:
        assert packages is None, "the installed script imports the installed packages"
        yield Path(sys.executable).parent
        return
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("")  # a name that no file has, made up by the system
    listener.listen()
    command = folder / "partcover"
    python = shlex.quote(sys.executable)
    command.write_text(SCRIPT.format(python=python, address=listener.getsockname()))
    command.chmod(0o755)
    arguments = ["-P", __file__, str(listener.fileno()), str(clock or ""), str(packages or "")]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    if packages is not None:
        arguments.insert(0, "-S")
        environment.pop("PYTHONPATH", None)
    server = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,  # the server ends with it
        env=environment,
        pass_fds=[listener.fileno()],
    )
    listener.close()
    with server:
        yield folder
    assert server.returncode == 0


def import_package() -> None:
    """Imports every module that a command may import."""
    import partcover

    names = [module.name for module in pkgutil.walk_packages(partcover.__path__, "partcover.")]
    for name in [*names, *MODULES]:
        if name != "partcover.__main__":
            # two modules belong to files that an export writes and cannot be imported here
            with contextlib.suppress(ImportError, FileNotFoundError):
                importlib.import_module(name)
    gc.collect()
    gc.freeze()


def serve(listener: socket.socket) -> None:
    """Answers commands until standard input ends; returns in the process of each command."""
    import_package()
    os.fsync = lambda file: None  # nobody cuts the power
    running: dict[int, socket.socket] = {}
    ready = selectors.DefaultSelector()
    ready.register(sys.stdin, selectors.EVENT_READ)
    ready.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in ready.select():
            if key.fileobj is sys.stdin:
                for process in running:
                    os.kill(process, signal.SIGKILL)
                os._exit(0)
            elif key.fileobj is listener:
                connection, _ = listener.accept()
                with warnings.catch_warnings():  # numpy has a thread, which stands still
                    warnings.simplefilter("ignore")
                    process = os.fork()
                if process == 0:
                    for other in (listener, *running.values()):
                        other.close()
                    ready.close()
                    become_command(connection)
                    return
                running[process] = connection
                ready.register(os.pidfd_open(process), selectors.EVENT_READ, process)
            else:
                ready.unregister(key.fileobj)
                os.close(key.fd)
                status = os.waitstatus_to_exitcode(os.waitpid(key.data, 0)[1])
                with running.pop(key.data) as connection, contextlib.suppress(OSError):
                    # as a shell says that a signal has ended a process
                    connection.send((status if status >= 0 else 128 - status).to_bytes(4, "big"))


def become_command(connection: socket.socket) -> None:
    """Takes the streams, arguments, folder and environment that a command has sent."""
    length, [(_, _, data)], _, _ = connection.recvmsg(8, socket.CMSG_SPACE(12))
    streams = array.array("i", data)
    with connection, connection.makefile("rb") as sent:
        request = marshal.loads(sent.read(int.from_bytes(length, "big")))
    sys.argv, folder, environment, closed = request
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = map(reopened, (sys.stdin, sys.stdout, sys.stderr))
    for number in closed:
        os.close(number)
        setattr(sys, ("stdin", "stdout", "stderr")[number], None)  # as Python leaves it
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)


def reopened(stream: TextIO) -> TextIO:
    """Returns a stream as Python makes it for the file that its number stands for now."""
    return io.TextIOWrapper(
        open(stream.fileno(), stream.buffer.mode, closefd=False),
        encoding=stream.encoding,
        errors=stream.errors,
        newline="\n",
        line_buffering=stream.line_buffering,
    )


@contextlib.contextmanager
def counting_clock(step: float) -> Iterator[None]:
    """Lets the clock of time limits go on by `step` seconds when it is looked at, and only then."""
    monotonic = time.monotonic
    begun, looks = monotonic(), itertools.count(1)
    time.monotonic = lambda: begun + step * next(looks)
    try:
        yield
    finally:
        time.monotonic = monotonic


if __name__ == "__main__":
    number, step, packages = sys.argv[1:]
    if packages:
        site.addsitedir(packages)
    serve(socket.socket(fileno=int(number)))
    from partcover.__main__ import entry

    with counting_clock(float(step)) if step else contextlib.nullcontext():
        entry()
