"""The line on the terminal: what it says, that it fits, and that it is on a terminal alone."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from partcover.cli.shown.status_line import StatusLine
from partcover.runtime.progress import Event

pty = pytest.importorskip("pty")


class Clock:
    """Seconds that pass when they are told to."""

    now = 100.0

    def __call__(self):
        return self.now


def at(width=80, **more):
    clock = Clock()
    line = StatusLine("greedtok", more.pop("time_limit", None), clock)
    for event in more.pop("events", ()):
        line.event(event)
    clock.now += more.pop("passed", 0)
    return line.line(width)


def event(kind="bound", tokens=1_234_567, bound=1_200_000, phase="search", left=None):
    return Event(1.0, kind, tokens, bound, "swaps", phase, left)


def test_it_says_what_is_known():
    assert at() == "greedtok  0:00 elapsed"
    assert at(time_limit=90, passed=20) == "greedtok  1:10 left"
    assert at(time_limit=90, passed=200) == "greedtok  0:00 left"
    known = event("incumbent", bound=None, phase="bound", left=3700)
    assert at(events=[known], passed=10) == "bound  best 1,234,567  1:01:30 left"
    assert at(events=[known, event()], passed=3) == (
        "search  best 1,234,567  bound 1,200,000  gap 2.800 %  1:01:37 left"
    )
    assert "swaps" not in at(events=[event()]), "names of moves are for --events"
    assert at(events=[event(phase="")]).startswith("greedtok  best")


@pytest.mark.parametrize("width", range(8, 90))
def test_it_fits_and_no_number_is_cut(width):
    line = at(width, events=[event(left=75.0)])
    assert len(line) <= width
    known = {"search", "best", "1,234,567", "bound", "1,200,000", "gap", "2.800", "%"}
    assert set(line.split()) <= known | {"1:15", "left"}


def test_a_remark_comes_last_and_goes_first():
    line = StatusLine("branches", float("inf"), Clock())
    line.event(event(phase="branches"))
    line.advance(3, None, "2 open of 5 cases")
    told = "branches  best 1,234,567  bound 1,200,000  gap 2.800 %  0:00 elapsed"
    assert line.line(100) == f"{told}  2 open of 5 cases"
    assert line.line(80) == told
    line.event(event(phase="recount"))
    assert "cases" not in line.line(100), "it was about the phase before"


def on_a_terminal(folder, *arguments, **environment):
    """What a command writes to standard error, which is a terminal of 60 columns."""
    code = "import sys; from partcover.cli import main as cli; cli.entry()"
    ours, theirs = pty.openpty()
    settings = {"TERM": "xterm", "COLUMNS": "60", **environment}
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **settings},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # Linux: the other end is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert process.wait() == 0
    return b"".join(parts).decode()


@pytest.fixture
def corpus(tmp_path):
    lines = [f"{(i * 2654435761) % 3**11:011d}\t{i + 1}\n" for i in range(300)]
    (tmp_path / "C.tsv").write_text("".join(lines))
    return tmp_path


@pytest.mark.long
def test_one_line_is_rewritten(corpus):
    shown = on_a_terminal(corpus, "improve", "C.tsv", "-k", 40, "--time-limit", 2, "-o", "V.json")
    frames = shown.replace("\x1b[2K", "\r").split("\r")
    lines = {state.split("  ")[0] for state in frames if "best" in state}
    assert "search" in lines
    assert all(len(state) <= 60 for state in frames if "best" in state)
    # the line makes no new line but the one that is taken back at the end
    assert shown.count("\n") == 1 + shown.count("partcover: wrote V.json")


@pytest.mark.long
@pytest.mark.parametrize("how", [{"TERM": "dumb"}, {"quiet": True}])
def test_nothing_moves_where_it_should_not(corpus, how):
    more = ["--quiet"] if how.pop("quiet", False) else []
    shown = on_a_terminal(
        corpus, "improve", "C.tsv", "-k", 40, "--time-limit", 0.5, "-o", "V.json", *more, **how
    )
    assert shown == ("" if more else "partcover: wrote V.json\r\n")


@pytest.mark.long
def test_no_color_is_heeded(corpus):
    shown = on_a_terminal(corpus, "improve", "C.tsv", "-k", 9, "--time-limit", 1, NO_COLOR="1")
    assert "\x1b[3" not in shown
    assert "\x1b[1m" not in shown
