"""Every command with a standard stream that is closed, as ``>&-`` closes it in a shell."""

from __future__ import annotations

import os
import subprocess

import pytest
from fuzz.arguments import LINES, NAMED, complete
from fuzz.sandbox import Sandbox
from shared.command_server import CAN_FORK, quick_command

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not CAN_FORK, reason="starts many commands, which takes long elsewhere"),
]

CLOSED = "partcover: standard output: it is closed, so the result cannot be written to it"
SLOW = {"demo", "instances check"}
EACH = [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in NAMED]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory):
    return Sandbox(tmp_path_factory.mktemp("sandbox"))


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    with quick_command(tmp_path_factory.mktemp("command"), clock=0.01) as folder:
        yield folder / "partcover"


@pytest.fixture
def shell(sandbox, command):
    """Runs a command with redirections; returns how it ends, and the files that it has written."""

    def run(arguments, redirections=""):
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {redirections}', "sh", command, *arguments],
            cwd=sandbox.work,
            env={**os.environ, "TMPDIR": str(sandbox.temporary)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert "Traceback" not in done.stderr
        return done, sandbox._restore()

    return run


@pytest.mark.parametrize("name", EACH)
def test_a_closed_stream(shell, name):
    line = next((line for line in LINES[name] if " -o " in line), LINES[name][0])
    arguments = complete(name, line.split())
    usual, written = shell(arguments)

    done, files = shell(arguments, ">&-")
    assert files == written
    # a status says that there is a result that nobody gets
    assert done.returncode == (2 if usual.stdout else usual.returncode)
    assert done.stderr.splitlines()[-1:].count(CLOSED) == bool(usual.stdout)
    assert done.stderr.count("\n") <= usual.stderr.count("\n") + 1

    done, files = shell(arguments, "<&- 2>&-")
    assert files == written
    assert (done.returncode, done.stderr) == (usual.returncode, "")
    assert done.stdout.count("\n") == usual.stdout.count("\n")


@pytest.mark.parametrize(
    "line",
    ["greedtok - -k 2", "count - -o out.tsv", "encode V.json -", "decode V.json -", "solve - -k 2"],
)
def test_standard_input_that_is_closed_cannot_be_read(shell, line):
    done, written = shell(line.split(), "<&-")
    error = "partcover: standard input: cannot be read (Bad file descriptor)\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", error)
    assert not written


@pytest.mark.parametrize("line", ["greedtok C.tsv", "--nothing", "", "count nowhere"])
def test_errors_and_help(shell, line):
    usual, _ = shell(line.split())
    assert usual.returncode == 2
    for redirections in ("2>&-", ">&-", "<&- >&- 2>&-"):
        done, _ = shell(line.split(), redirections)
        assert done.returncode == 2
        if redirections == ">&-":
            assert done.stderr == (f"{CLOSED}\n" if usual.stdout else usual.stderr)
