"""Whatever a file holds, it is read or refused in one line: a few changed files each time."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from fuzz.inputs import attempt, mutants, seeds
from fuzz.targets import SEEDS, TARGETS

RUN = Path(__file__).with_name("run.py")


def test_every_target_has_seeds():
    assert {path.name for path in SEEDS.iterdir()} == set(TARGETS)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_seeds_and_some_changed_ones(target, tmp_path):
    for path in islice(mutants(target, tmp_path, Random(0)), len(seeds(target)) + 40):
        attempt(target, path)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_many_changed_ones(target, tmp_path):
    """In a process with little memory, which a crash of compiled code ends alone."""
    command = [sys.executable, RUN, target, "--tries", "5000", "--keep", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
