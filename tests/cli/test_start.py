"""Ctrl-C while the command starts, at fixed places: one line, and the status of an interrupt."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals"),
]

# the process sends itself the signal as it imports a module
IN_AN_IMPORT = """
import sys, _signal
class Sending:
    def find_spec(self, name, *_):
        if name == {name!r}:
            _signal.raise_signal(_signal.SIGINT)
sys.meta_path.insert(0, Sending())
sys.modules.pop("signal", None)
from partcover.__main__ import entry
entry()
"""
# it does as it calls a function
IN_A_CALL = """
import signal
import {module} as module
def sending(*_, **__):
    signal.raise_signal(signal.SIGINT)
module.{function} = sending
from partcover.__main__ import entry
entry()
"""


def started(code):
    return subprocess.run(
        [sys.executable, "-c", code, "instances", "list", "--quiet"],
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.mark.parametrize("name", ["signal", "partcover.cli", "partcover.cli.main", "click"])
def test_in_an_import(name):
    done = started(IN_AN_IMPORT.format(name=name))
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "partcover: interrupted\n"


@pytest.mark.parametrize(
    ("module", "function"),
    [
        ("partcover.__main__", "_fill_closed_streams"),
        ("partcover.cli.main", "lead_to_standard_error"),
        ("partcover.cli.main", "main"),
    ],
)
def test_in_a_call(module, function):
    done = started(IN_A_CALL.format(module=module, function=function))
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.removeprefix("partcover: stopping\n") == "partcover: interrupted\n"
