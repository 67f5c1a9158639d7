"""Benchmarks run, and their files and pages can be shown; times are not looked at."""

from __future__ import annotations

import gzip
import importlib
import json
import runpy
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from partcover import WordCounts
from partcover.instances.records import Record
from partcover.instances.submissions import attempt

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SUITE = BENCHMARKS / "suite.py"
STEPS = {"start", "count", "greedy", "train BPE", "bound", "improve", "encode", "solve"}


def python(*arguments, cwd):
    line = [sys.executable, *map(str, arguments)]
    return subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=300)


@pytest.fixture
def script(capsys, monkeypatch, tmp_path):
    """Run a script of the benchmarks in an empty folder, here: its standard output."""
    monkeypatch.chdir(tmp_path)

    def call(name, *arguments):
        path = BENCHMARKS / name
        monkeypatch.syspath_prepend(path.parent)
        monkeypatch.setattr(sys, "argv", [str(path), *map(str, arguments)])
        runpy.run_path(str(path), run_name="__main__")
        out, error = capsys.readouterr()
        assert error == ""
        return out

    return call


@pytest.mark.long
def test_the_suite_runs_and_is_compared(tmp_path, script):
    pytest.importorskip("pyperf")
    line = [SUITE, "--debug-single-value", "--only", "encode: partcover", "-o", "new.json"]
    done = python(*line, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    shutil.copy(tmp_path / "new.json", tmp_path / "old.json")
    data = json.loads((tmp_path / "new.json").read_text())
    assert {"cpu_count", "platform", "python_version"} <= data["metadata"].keys()  # the machine
    assert {"partcover_version", "numpy_version", "text_sha256"} <= data["metadata"].keys()
    names = [part["metadata"]["name"] for part in data["benchmarks"]]
    assert names == ["encode: partcover", "encode: partcover, to an array"]
    line = ["-m", "pyperf", "compare_to", "--table", "old.json", "new.json"]
    done = python(*line, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Benchmark" in done.stdout
    assert "| encode: partcover | " in script("suite_table.py", "new.json")


def test_every_step_has_a_benchmark():
    pytest.importorskip("pyperf")
    names = runpy.run_path(str(SUITE))["SUITE"]
    assert {name.partition(":")[0] for name in names} == STEPS


@pytest.mark.long
def test_the_page_is_drawn(tmp_path, script):
    pytest.importorskip("matplotlib")
    script("charts.py", "-o", tmp_path)
    pictures = {path.name for path in tmp_path.iterdir() if path.stat().st_size > 10_000}
    assert pictures == {"benchmarks.svg", "benchmarks-suite.svg"}


@pytest.mark.long
def test_bits_per_byte(tmp_path, script):
    (tmp_path / "small.txt").write_text("The cat sat on the mat with a rat.\n\n" * 2900)
    line = ["run", "small.txt", "-k", "3", "--methods", "bpe", "--limit", "1", "-o", "rows.json"]
    script("quality/bits_per_byte.py", *line)
    shown = script("quality/bits_per_byte.py", "show", "rows.json")
    assert "| 3 | bpe | " in shown
    assert "| small | 3 | all: 4 | gap | " in shown


def test_group_budgets_are_proven(script, tmp_path):
    words = WordCounts.from_texts(["the cat that sat on the mat and the hat of the other cat"])
    words.save(tmp_path / "C.tsv")
    out = script("proofs/group_budgets.py", "C.tsv", "-k", 4, "--limits", 1)
    rows = [line.split("|")[1:-1] for line in out.splitlines() if "%" in line]
    assert [row[2].strip() for row in rows] == ["0.00%"] * 3
    free, limited, several = (int(row[1].replace(",", "")) for row in rows)
    assert free <= limited
    assert free <= several


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="its peak of memory is read as Linux says it")
def test_bpe_from_text_is_that_of_tokenizers(script, tmp_path):
    pytest.importorskip("tokenizers")
    (tmp_path / "text").write_text("the cat that sat on the mat\n\nand the hat of the other cat\n")
    line = ["text", "--merges", "12", "--repeat", "1", "--peers", "tokenizers"]
    rows = script("text/bpe_from_text.py", *line).splitlines()[2:]
    assert [row.split("|")[1].strip() for row in rows] == ["partcover", "tokenizers"]
    assert all(row.endswith("| yes |") for row in rows)


def test_published_cases_need_the_published_files(script, tmp_path, monkeypatch):
    monkeypatch.setenv("PARTCOVER_TOKENIZERS", str(tmp_path))
    lines = script("published/published_cases.py").splitlines()
    assert lines[0] == "0 of 0 published cases hold, 0 differ as documented"
    assert lines[1].startswith("not in the cache: bert, cl100k_base, gpt2")


@pytest.mark.long
def test_records_keep_what_is_better(monkeypatch, tmp_path):
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(BENCHMARKS / "proofs")
    monkeypatch.setenv("PARTCOVER_RECORDS", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    script = importlib.import_module("records")
    monkeypatch.setattr(script, "FOLDER", tmp_path)
    words = WordCounts.from_counts({f"{i * 2654435761 % 3**11}": i % 7 + 1 for i in range(200)})
    record = Record("digits", "digits", "", (), words.digest, len(words), 1)
    row, is_stopped = script.improved(record, words, 64, 0.5, 1)
    assert not is_stopped
    assert row.longest_run == 0.5
    assert row.tokens.value >= row.lower_bound.value > 0
    assert {path.name for path in (tmp_path / "files").iterdir()} == {
        "digits-64.cert",
        "digits-64.json",
    }
    older = replace(row.tokens, date="2020-01-31")
    bound = replace(row.lower_bound, value=0)
    known = record.with_row(replace(row, tokens=older, lower_bound=bound, longest_run=9.0))
    again, _ = script.improved(known, words, 64, 0.5, 1)
    assert again.tokens.value <= older.value
    assert (again.tokens == older) == (again.tokens.value == older.value)
    assert again.lower_bound.value > 0
    assert again.longest_run == 9

    def stopped(*args, **options):
        return replace(attempt(*args, **options), termination="interrupted")

    monkeypatch.setattr(script, "attempt", stopped)
    row, is_stopped = script.improved(record, words, 64, 9.0, 1)
    assert is_stopped
    assert row.longest_run < 9, "a run that was stopped can be made again"
    measured = script.measured(record.with_row(row), words, [64])
    assert measured.rows[0].methods.keys() == set(script.METHODS)
    assert Record.load(tmp_path / "digits.json", "digits") == measured


def test_texts_come_out_of_packages(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(BENCHMARKS / "published")
    texts = importlib.import_module("package_texts")
    with zipfile.ZipFile(tmp_path / "p.whl", "w") as packed:
        packed.writestr("p/b.html", "<title>no</title><body><p>b <b>b</b></p><li>c</li>")
        packed.writestr("p/a.txt", "a")
    found = dict(texts.members(tmp_path / "p.whl", r"p/[ab]\.html"))
    assert {name: texts.paragraphs(data) for name, data in found.items()} == {
        "p/b.html": "b b\nc\n"
    }
    assert texts.plain(gzip.compress("é".encode())) == "é"
    novel = texts.Text("n", "", "debian", "p", "", texts.plain, version="1-1")
    assert novel.required == "p=1-1"
    assert replace(novel, registry="pypi", version="").required == "p"
