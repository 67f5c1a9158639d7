"""The tables of every command: no wider than the terminal, every number whole, all of it wide."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
import termios
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from partcover.cli.shown.output import Output
from partcover.report.tables.fitting import is_number
from partcover.report.tables.listing import (
    SPARE_COLUMNS,
    Listing,
    facts,
    fitted_table,
    rows_csv,
    rows_markdown,
)

WORDS = re.findall(
    "\\w+", "the cat sat on the mat and the cat ate the rat that sat on the other mat"
)
HOSTILE = "\x1b]0;owned\x07\x1b[31m\x9b1m\u202erat\u2066"
COMMANDS = {
    "greedtok": "greedtok C.tsv -k 3",
    "greedwmc": "greedwmc C.tsv -k 3",
    "train": "train C.tsv --method bpe -k 3",
    "improve": "improve C.tsv -k 3",
    "bound": "bound C.tsv -k 3 --vocab v.json",
    "prices": "prices C.tsv -k 3 --certificate p.cert that the",
    "verify": "verify C.tsv -k 3 --vocab v.json --certificate p.cert",
    "solve": "solve small.json",
    "formulations": "formulations small.json --solvers highs,cbc",
    "solvers": "solvers",
    "compare": "compare C.tsv -k 2,3 --methods greedtok,greedwmc,bpe --rules own,shortest_path "
    "--sets --bound 0.1 --memory",
    "ratio": "ratio C.tsv -k 1,2",
    "inspect": "inspect v.json C.tsv --missing-words --diff w.json",
    "score": "score v.json w.json C.tsv",
    "reproduce": "reproduce tokens-per-word C.tsv -k 2,3",
    "reproduce targets": "reproduce k-for-targets C.tsv -k 2,3",
    "reproduce orders": "reproduce order-divergence C.tsv -k 2,3",
    "reproduce grid": "reproduce greedyphrase-ratio C.tsv -k 2",
    "generate": "generate cubic 10 -o G.json",
    "reduce": "reduce graph.txt -k 2 -o R.json",
    "lift": "reduce --lift graph.json cover.json",
    "instances": "instances list",
    "instance": "instances show cubic-200-half",
    "worst": "worst -k 1 --words 1 --length 3",
}


def read_files(run):
    """Writes what the commands read; counts are large, so that numbers are wide."""
    counts = Counter(WORDS)
    for name, of in (("C", counts), ("D", dict.fromkeys(WORDS[:4], 1))):
        lines = (f"{word}\t{59_423_807 * count}\n" for word, count in of.items())
        Path(f"{name}.tsv").write_text("".join(lines))
    Path("graph.txt").write_text("a b\nb c\nc d\nd a\n")
    for command in (
        "greedtok C.tsv -k 3 -o v.json",
        "train C.tsv --method bpe -k 3 -o w.json",
        "bound C.tsv -k 3 -o p.cert",
        "generate cycle 5 -o small.json",
        "reduce graph.txt -k 2 -o graph.json",
        "solve graph.json -o cover.json",
    ):
        run(*command.split())


@pytest.fixture
def files(made, tmp_path):
    made(read_files, tmp_path)


# what tables are about, and what is there at 80 columns
ABOUT = {
    "compare": ["method", "rule", "k", "tokens", "per word", "gap"],
    "ratio": ["instance", "k", "optimum", "ratio", "certified"],
    "bound": ["k", "lower bound", "gap"],
    "instances": ["name", "k", "best", "lower bound", "proven"],
    "inspect": ["order", "token", "occurs", "uses", "gain"],
    "formulations": ["formulation", "LP tokens", "tokens", "highs", "cbc"],
}


@pytest.fixture
def shown(monkeypatch):
    """The tables and lines that a command prints."""
    parts = []
    tables = Output.tables

    def record(self, *given):
        parts.extend(given)
        tables(self, *given)

    monkeypatch.setattr(Output, "tables", record)
    return parts


def printed(capsys, monkeypatch, width, *parts):
    """What is printed on a terminal of this width, and the remark that goes with it."""
    monkeypatch.setattr(Output, "width", width)
    capsys.readouterr()
    Output().tables(*parts)
    return capsys.readouterr()


def words(listing, left_out=()):
    """The parts of numbers that a table holds, as they stand between spaces."""
    columns = {key: head for key, head in listing.columns.items() if head not in left_out}
    table, _ = fitted_table(replace(listing, columns=columns))
    cells = [cell.plain for column in table.columns for cell in column.cells]
    return Counter(part for cell in cells if is_number(cell) for part in cell.split())


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS)
def test_every_table_fits(run, files, shown, capsys, monkeypatch, command):
    status, out, _ = run(*COMMANDS[command].split())
    assert status == 0
    listings = [part for part in shown if isinstance(part, Listing)]
    assert listings
    for listing in listings:
        for heading in listing.columns.values():
            assert heading in out, "in a pipe every column is there"
        assert not words(listing) - Counter(out.split())
        for width in (120, 80, 60, 40):
            output = printed(capsys, monkeypatch, width, listing)
            assert max(map(cell_len, output.out.splitlines())) <= width
            _, left_out = fitted_table(listing, width)
            assert not words(listing, left_out) - Counter(output.out.split()), "every number whole"
            if left_out:
                remark = (
                    f"partcover: columns left out at width {width}: {', '.join(left_out)} (--wide"
                )
                assert output.err.startswith(remark)
            else:
                assert output.err == ""
    for line in printed(capsys, monkeypatch, 40, *shown).out.splitlines():
        assert cell_len(line) <= 40
    if command in ABOUT:
        about = {*ABOUT[command]}
        listing = next(part for part in listings if about <= {*part.columns.values()})
        assert not {*fitted_table(listing, 80)[1]} & about


def test_the_order_in_which_columns_go():
    names = ("method", "tokens", "lower_bound", "seconds", "relaxed_cover", "extra")
    row = {"method": "greedtok", **dict.fromkeys(names[1:], 10**9), "seconds": 1.0}
    listing = Listing([row], {name: name for name in names})
    gone = []
    for width in range(120, 20, -1):
        gone += [name for name in fitted_table(listing, width)[1] if name not in gone]
    assert gone == ["relaxed_cover", "seconds", "lower_bound", "extra", "tokens"]
    assert len(set(SPARE_COLUMNS)) == len(SPARE_COLUMNS)


def test_a_long_answer_is_shown_whole(run, tmp_path, capsys, monkeypatch, shown):
    (tmp_path / "star.txt").write_text("".join(f"vertex-{n} leaf-{n}\n" for n in range(60)))
    assert run("reduce", "star.txt", "-k", 60, "-o", "I.json")[0] == 0
    assert run("solve", "I.json", "-o", "S.json")[0] == 0
    shown.clear()
    lift = ("reduce", "--lift", "I.json", "S.json")
    status, out, _ = run(*lift)
    narrow = printed(capsys, monkeypatch, 40, *shown).out
    vertices = json.loads(run(*lift, "--json")[1])["vertices"]
    assert (status, len(vertices)) == (0, 60)
    for text in (out, narrow, run(*lift, "--format", "markdown")[1]):
        assert set(vertices) <= set(text.split())
    assert max(map(cell_len, narrow.splitlines())) <= 40


def test_facts_lose_nothing():
    table = facts({"tokens needed, shortest path": 10**12, "sha256": "0123456789abcdef" * 4})
    for width in range(30, 100):
        fitted, left_out = fitted_table(table, width)
        assert not left_out
        assert next(cell.plain for cell in fitted.columns[1].cells) == "1,000,000,000,000"


@pytest.mark.long
def test_nothing_in_a_table_acts_on_the_terminal(run, files, tmp_path, capsys, monkeypatch, shown):
    long = "x" * 3000
    (tmp_path / "E.tsv").write_text(f"{HOSTILE}\t3\n{long}\t2\n[red]rat[/bold]\t7\n")
    tokens = [HOSTILE, long, "[red]", "[/bold]"]
    (tmp_path / "e.json").write_text(
        json.dumps({"version": 1, "symbols": "bytes", "tokens": tokens, "method": HOSTILE})
    )
    for command in (
        "inspect e.json E.tsv --missing-words",
        "greedtok E.tsv -k 2",
        "improve E.tsv -k 2",
        "compare E.tsv --vocab e.json",
    ):
        shown.clear()
        status, out, error = run(*command.split())
        assert status == 0
        assert out.replace("\n", "").isprintable()
        assert error.replace("\n", "").isprintable()
        output = printed(capsys, monkeypatch, 80, *shown)
        assert output.out.replace("\n", "").isprintable()
        assert max(map(cell_len, output.out.splitlines())) <= 80
        assert len(output.out.splitlines()) < 80
    assert "\x1b" not in rows_markdown([{"token": HOSTILE}], {"token": "token"})


def test_what_progress_names_is_no_markup(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with Output().progress("compare") as progress:
        progress.stage("[/x]\x1b]0;owned\x07, k = 3")
    shown = sys.stderr.getvalue()
    assert "[/x]\\x1b]0;owned\\x07, k = 3" in shown
    assert "\x1b]0;owned" not in shown


def test_titles_and_headings_are_no_markup():
    table, _ = fitted_table(Listing([{"[/x]": "[red]a[/]"}], {"[/x]": "[/x]"}, "[/y]\x1b"))
    assert str(table.title) == "[/y]\\x1b"
    assert str(table.columns[0].header) == "[/x]"
    assert [str(cell) for cell in table.columns[0].cells] == ["[red]a[/]"]


def _read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # that is how Linux says that nobody writes to it any more
        return b""


@pytest.mark.long
@pytest.mark.parametrize("width", [80, 40])
def test_at_a_terminal(files, tmp_path, width):
    def lines(*options):
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (40, width))
        environment = {**os.environ, "NO_COLOR": "1", "TERM": "dumb"}
        environment.pop("COLUMNS", None)
        with subprocess.Popen(
            [sys.executable, "-m", "partcover", "instances", "list", *options],
            stdout=theirs,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=tmp_path,
        ) as process:
            os.close(theirs)
            text = b"".join(iter(lambda: _read(ours), b""))
            remark = process.stderr.read().decode()
        os.close(ours)
        assert process.returncode == 0
        return text.decode().splitlines(), remark

    narrow, remark = lines()
    assert len(narrow) > 40
    assert max(map(cell_len, narrow)) <= width
    assert remark.startswith(f"partcover: columns left out at width {width}: ")
    if width == 80:
        return
    wide, remark = lines("--wide")
    assert remark == ""
    for heading in ("name", "family", "alphabet", "symbols", "candidates", "best", "proven"):
        assert any(heading in line for line in wide[:3])


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-", "'-"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("＝1", "'＝1"),
        ("\t=1", "'\\t=1"),
        ("\r=1", "'\\r=1"),
        ("red\x1b[31m\x9b", r"red\x1b[31m\x9b"),
        (["=1", "\x1b\x9b"], r'["=1", "\u001b\u009b"]'),
        # numbers stay numbers
        (-3, "-3"),
        (-1e-07, "-1e-07"),
        ("-3", "-3"),
        ("+1.5e3", "+1.5e3"),
        ("a=1", "a=1"),
        (None, ""),
    ],
)
def test_cells_of_csv_are_no_formulas(value, cell):
    rows = list(csv.reader(io.StringIO(rows_csv([{"=a": value, "b": 1}]))))
    assert rows == [["'=a", "b"], [cell, "1"]]
