"""Draws new examples for the property tests, over and over, until the time is up.

    python tests/explore.py --minutes 10
    python tests/explore.py --minutes 60 --only tests/bounds --seed 7

The ordinary suite tries the same examples each time; this command looks for others.  Each process
runs the property tests in a random order with a seed of its own, which it prints.  It keeps the
report of a run that fails in --keep, and Hypothesis writes a patch that adds the arguments to the
test as an `@example`, where they can be written down.  The exit status is 1 if a test failed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from random import Random, SystemRandom

import pytest

ROOT = Path(__file__).parents[1]
PATCH = re.compile(r"`git apply (\S+\.patch)`")


class Explorer:
    """A pytest plugin that keeps the property tests, shuffles them and stops on time."""

    def __init__(self, seed: int, deadline: float) -> None:
        self.draw, self.deadline = Random(seed), deadline
        self.examples = 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keeps the property tests, each function counting its examples."""
        kept = [item for item in items if hasattr(getattr(item, "obj", None), "hypothesis")]
        for handle in {id(item.obj.hypothesis): item.obj.hypothesis for item in kept}.values():
            handle.inner_test = self._counted(handle.inner_test)
        self.draw.shuffle(kept)
        items[:] = kept

    def _counted(self, test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def counted(*arguments: object, **named: object) -> None:
            self.examples += 1
            test(*arguments, **named)

        return counted

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> bool | None:
        """Passes over what is left once the time is up."""
        return True if time.time() >= self.deadline else None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Says how many examples were drawn, for the process that adds them up."""
        terminalreporter.write_line(f"EXAMPLES {self.examples}")


def one_round(seed: int, deadline: float, only: list[str]) -> int:
    """Runs the property tests once with a seed; returns pytest's exit status."""
    options = ["-q", "-p", "no:cacheprovider", "-m", "", "--hypothesis-profile=explore"]
    options += [f"--hypothesis-seed={seed}", "--tb=short"]
    return int(pytest.main([*options, *only], plugins=[Explorer(seed, deadline)]))


def main() -> int:
    """Runs processes until the time is up; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10, help="how long to draw (10)")
    parser.add_argument("--only", nargs="*", default=["tests"], help="files and folders (tests)")
    parser.add_argument("--seed", type=int, help="of the first process (drawn)")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="(one a processor)")
    parser.add_argument("--keep", type=Path, default=Path("explore-found"), help="(explore-found)")
    parser.add_argument("--until", type=float, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.until is not None:
        return one_round(given.seed, given.until, given.only)
    seed = SystemRandom().randrange(2**32) if given.seed is None else given.seed
    deadline = time.time() + 60 * given.minutes
    given.keep.mkdir(parents=True, exist_ok=True)
    running: list[tuple[int, subprocess.Popen[bytes]]] = []
    examples = failures = 0
    while running or time.time() < deadline:
        while len(running) < given.processes and time.time() < deadline:
            command = [sys.executable, __file__, "--until", str(deadline), "--seed", str(seed)]
            with report_of(given.keep, seed).open("wb") as report:
                process = subprocess.Popen([*command, "--only", *given.only], stdout=report)
            running.append((seed, process))
            seed += 1
        first, process = running.pop(0)
        status = process.wait()
        text = report_of(given.keep, first).read_text("utf-8", "replace")
        examples += sum(map(int, re.findall(r"^EXAMPLES (\d+)$", text, re.MULTILINE)))
        print(f"seed {first}: exit status {status}, {examples:,} examples in all", flush=True)
        if status:
            failures += 1
            print(f"  the report is {report_of(given.keep, first)}", flush=True)
            for patch in PATCH.findall(text):
                print(f"  to add the examples: git apply {patch}", flush=True)
        else:
            report_of(given.keep, first).unlink()
    with suppress(OSError):
        given.keep.rmdir()  # it holds no report
    return int(failures > 0)


def report_of(folder: Path, seed: int) -> Path:
    """Returns where the output of a process goes."""
    return folder / f"{seed}.txt"


if __name__ == "__main__":
    sys.exit(main())
