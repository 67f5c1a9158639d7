"""Commands with arguments that nobody means: a result or one line, and nothing written beside."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from fuzz.arguments import (
    LINES,
    NAMED,
    RARE,
    any_arguments,
    complete,
    every_hostile,
    fitting,
    given,
    options,
)
from fuzz.sandbox import Sandbox

from partcover.cli.paths import WritablePath
from partcover.runtime.files.locks import held_output

RUN = Path(__file__).with_name("run.py")
EACH = [pytest.param(name, marks=pytest.mark.slow if name == "demo" else ()) for name in NAMED]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory):
    return Sandbox(tmp_path_factory.mktemp("sandbox"))


def test_every_command_has_lines():
    assert LINES.keys() == NAMED.keys()


@pytest.mark.long
@pytest.mark.parametrize("name", EACH)
def test_every_option_is_reached(sandbox, name):
    """Not only parsed: with a value that fits, on one of its lines, the command does its work."""

    def works(*arguments):
        done = sandbox.attempt(complete(name, arguments))
        return done.status != 2 or "which is not installed" in done.error

    assert works(*LINES[name][0].split())
    for option in options(name):
        tries = [given(option, value) for value in fitting(option)]
        assert any(works(*line.split(), *add) for add in tries for line in LINES[name]), option.opts


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(NAMED.keys() - RARE))
def test_some_arguments(sandbox, name):
    draw = Random(name)
    for _ in range(8):
        sandbox.attempt(any_arguments(name, draw))


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(NAMED.keys() - RARE))
def test_other_files(sandbox, name):
    """What a message about a file of another kind suggests is an option of the command."""
    for line in LINES[name]:
        words = line.split()
        for at in range(len(words)):
            for path in ("odd", "empty", "bpe.json", "C.tsv", "P.cert"):
                sandbox.attempt(complete(name, [*words[:at], path, *words[at + 1 :]]))


@pytest.mark.long  # only the folder takes long to fill
@pytest.mark.skipif(sys.platform == "win32", reason="no locks there")
def test_what_another_run_writes(sandbox):
    """Whatever option names the file: one line, at once, and nothing is changed."""
    tried = set()
    for name in NAMED:
        for option in options(name):
            if not isinstance(option.type, WritablePath) or option.type.is_folder:
                continue
            (path, *_) = fitting(option)
            line = complete(name, [*LINES[name][0].split(), *given(option, path)])
            with held_output(sandbox.work / path):
                done = sandbox.run(line)
            assert (done.status, done.output) == (2, "")
            assert (
                done.error == f"partcover: {path}: another run is writing this file: wait for it\n"
            )
            assert {path for path, _ in sandbox._state()} == sandbox.before.keys()
            tried.add((name, option.opts[0]))
    assert len(tried) > 40


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(NAMED.keys() - {"demo"}))
def test_every_hostile_value(sandbox, name):
    for arguments in every_hostile(name):
        sandbox.attempt(arguments)


@pytest.mark.slow
def test_many_arguments(tmp_path):
    """In a process with little memory, which a crash of compiled code ends alone."""
    command = [sys.executable, RUN, "commands", "--tries", "5000", "--keep", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
