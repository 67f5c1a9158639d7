"""Without what Windows lacks the command works: a Python from which POSIX has been taken."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from partcover.runtime.processes import children

pytest.importorskip("psutil")
pytest.importorskip("pulp")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="this is Windows")

# what other libraries need of POSIX they have read before it is taken away
WINDOWS = """
import click, cloup, concurrent.futures, json, multiprocessing.connection, multiprocessing.spawn
import multiprocessing.popen_spawn_posix, multiprocessing.resource_tracker, multiprocessing.util
import numpy.testing, os, psutil, pulp, rich.console, rich.progress, rich.table, signal, subprocess
import sys, tempfile

start, pipe, unblock, hangup = subprocess.Popen, os.pipe, os.set_blocking, signal.SIGHUP

def piped():
    reader, writer = pipe()
    unblock(writer, False)  # a pipe for signals has to be like that, which Windows does not check
    return reader, writer

class Popen(start):
    def __init__(self, *given, creationflags=0, start_new_session=None, **options):
        assert start_new_session is None, "Windows knows no sessions"
        own = creationflags == subprocess.CREATE_NEW_PROCESS_GROUP
        super().__init__(*given, **options, start_new_session=own)

    def send_signal(self, number):
        assert number == signal.SIGTERM, "Windows sends no other signal to a process"
        super().send_signal(number)

    def kill(self):
        super().send_signal(signal.SIGKILL)

sys.platform, os.pipe, subprocess.Popen = "win32", piped, Popen
subprocess.CREATE_NEW_PROCESS_GROUP = 512
signal.SIGBREAK = hangup
del signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM, signal.setitimer, signal.pthread_kill
for name in "resource fcntl termios tty pty pwd grp".split():
    sys.modules[name] = None
os.environ["PATHEXT"] = "."  # programs have no ending here; Python 3.13.15 looks for one
for name in "openpty set_blocking sysconf sched_getaffinity killpg getpgid setsid fork".split():
    delattr(os, name)

from partcover.cli.main import main
from partcover.runtime.processes import signals

signals.install()

def run(line):
    try:
        main(line.split())
    except SystemExit as stop:
        return stop.code
"""


def python(code: str, folder) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh process where the machine seems to be Windows."""
    return subprocess.run(
        [sys.executable, "-c", WINDOWS + code], capture_output=True, text=True, cwd=folder
    )


@pytest.mark.long
def test_the_commands_run(tmp_path):
    (tmp_path / "text.txt").write_bytes(b"the cat and the hat\r\nand the bat sat\r\n" * 30)
    done = python(
        """
for line in (
    "count text.txt --pretokenizer gpt2 -o c.tsv",
    "greedtok c.tsv -k 3 -o v.json --threads 2",
    "improve c.tsv -k 3 -o v.json --time-limit 1 --write-certificate p.cert",
    "verify c.tsv -k 3 --vocab v.json --certificate p.cert",
    "solve c.tsv -k 3 --solver cbc --time-limit 20 -o best.json",
    "compare c.tsv -k 2,3 --methods greedtok,bpe --memory -o rows.json",
    "encode v.json text.txt --threads 2 -o ids.npy",
    "decode v.json ids.npy -o again.txt",
    "export v.json --to huggingface -o hf --corpus c.tsv",
):
    status = run(line)
    assert status == 0, (line, status)

from pathlib import Path
from partcover.runtime.memory import available_memory
assert available_memory(proc=Path("nowhere"), groups=Path("nowhere")) > 2**20
""",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "again.txt").read_bytes() == (tmp_path / "text.txt").read_bytes()
    rows = json.loads((tmp_path / "rows.json").read_text("utf-8"))["rows"]
    assert all(row["memory"] >= 0 for row in rows)


@pytest.mark.long
def test_a_reader_that_has_gone_is_no_error(tmp_path):
    code = """
import errno

class Gone:
    encoding = "utf-8"
    def __getattr__(self, name):
        return getattr(sys.__stdout__, name)
    def write(self, text=""):
        raise OSError(errno.EINVAL, "Invalid argument")
    flush = write

sys.stdout = Gone()
os._exit(run("solvers"))
"""
    done = python(code, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.long
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_and_ctrl_break_are_answered(tmp_path, sent):
    code = WINDOWS + "print('ready', flush=True)\nimport time\ntime.sleep(60)\n"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(sent)
        assert process.stderr.readline() == "partcover: stopping\n"
        process.kill()


def test_the_terminal_does_not_reach_a_child_of_its_own_session():
    with subprocess.Popen(
        [sys.executable, "-c", "import os; print(os.getsid(0) == os.getpid())"],
        stdout=subprocess.PIPE,
        text=True,
        **children.OWN_SESSION,
    ) as process:
        assert process.stdout.read() == "True\n"
