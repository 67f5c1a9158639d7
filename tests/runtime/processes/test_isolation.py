"""Calls in a process of their own: their answer, their memory, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from partcover import (
    InputError,
)
from partcover.errors import MissingExtra
from partcover.runtime.processes.isolation import run_isolated


def fill(mebibytes):
    return len(bytearray(mebibytes * 2**20))


def lack():
    raise MissingExtra("thing", "extra", "this")


def fill_a_child(mebibytes):
    code = f"len(bytearray({mebibytes} * 2**20))"
    subprocess.run([sys.executable, "-c", code], check=True)


def wait(begun, answers):
    try:
        begun.touch()
        time.sleep(60)
    except KeyboardInterrupt:
        if answers:
            return "stopped"
        raise


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("answers", [True, False])
def test_ctrl_c_reaches_a_process_of_its_own(answers, tmp_path):
    begun = tmp_path / "begun"

    def stop():
        while not begun.exists():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=stop, daemon=True).start()
    if answers:
        assert run_isolated(wait, begun, answers)[0] == "stopped"
    else:
        with pytest.raises(KeyboardInterrupt):
            run_isolated(wait, begun, answers)


def end():
    os._exit(1)


@pytest.mark.long
def test_a_process_that_ends_without_an_answer():
    with pytest.raises(InputError, match="without a result"):
        run_isolated(end)


@pytest.mark.long
def test_memory_is_of_processes_too():
    _, memory = run_isolated(fill_a_child, 300)
    assert 290 * 2**20 < memory < 420 * 2**20


@pytest.mark.long
def test_memory_is_of_the_call():
    size, memory = run_isolated(fill, 48)
    assert size == 48 * 2**20
    assert 40 * 2**20 < memory < 80 * 2**20
    with pytest.raises(InputError, match="this needs 'thing'"):
        run_isolated(lack)
