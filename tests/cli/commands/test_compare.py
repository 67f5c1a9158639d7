"""The command ``compare``: options, formats, files beside a CSV, interrupts."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest
from studies.cases import WORDS

from partcover import (
    Vocabulary,
    WordCounts,
)
from partcover.studies.methods import METHODS


@pytest.fixture
def counts(tmp_path):
    WORDS.save(tmp_path / "C.tsv")
    WordCounts.from_counts({"bananas": 2, "sand": 1}).save(tmp_path / "other.tsv")
    (tmp_path / "tokens.txt").write_text("an\n")
    return "C.tsv"


def test_command_json(run, counts):
    status, out, _ = run(
        *("compare", counts, "-k", "2,4", "--methods", "greedtok,bpe,unigram,bytes"),
        *("--rules", "own,shortest_path", "--held-out", "other.tsv"),
        *("--bound", "2", "--json"),
    )
    data = json.loads(out)
    assert status == 0
    assert len(data["rows"]) == 2 * 7
    assert data["held_out"]["total_count"] == 3
    assert all(row["lower_bound"] and row["held_out_tokens"] for row in data["rows"])
    assert {pair["k"] for pair in data["sets"]["overlap"]} == {2, 4}
    again = json.loads(run("compare", counts, "-k", "2", "--split", "0.3", "--json")[1])
    assert again["held_out"]["total_count"] == 8
    assert again["total_count"] == 19
    other = run("compare", counts, "-k", "2", "--split", "0.3", "--seed", "7", "--json")[1]
    assert json.loads(other)["corpus_sha256"] != again["corpus_sha256"]


@pytest.mark.long
def test_command_formats(run, counts, tmp_path):
    arguments = ("compare", counts, "-k", "2", "--methods", "greedtok,frequent")
    status, out, _ = run(*arguments, "--format", "csv")
    assert status == 0
    lines = out.splitlines()
    assert lines[0].startswith("method,rule,k,size,tokens,tokens_per_word")
    assert len(lines) == 1 + 3
    out = run(*arguments, "--format", "markdown")[1]
    assert out.startswith("| method | rule | k |")
    for name, begin in (("t.csv", "method,"), ("t.md", "| method |"), ("t.json", "{")):
        assert run(*arguments, "-o", name, "--quiet")[0] == 0
        assert (tmp_path / name).read_text().startswith(begin)
    assert run(*arguments, "--sets", "-o", "s.csv", "--quiet")[0] == 0
    header = (tmp_path / "s.csv").read_text().splitlines()[0]
    assert header.startswith("method,rule,k,size,tokens,")
    assert {"whole_words", "renyi_efficiency"} <= set(header.split(","))
    for form in ("markdown", "table"):
        out = run(*arguments, "--sets", "--format", form)[1]
        for heading in ("whole words", "Rényi efficiency", "shared/union"):
            assert heading in out
    figure = run(*arguments, "--plot", "f.svg", "--quiet")
    assert figure[0] == 0
    assert "greedtok, priority" in (tmp_path / "f.svg").read_text()


def test_command_refuses(run, counts):
    def fails(part, *arguments):
        status, out, error = run("compare", counts, *arguments)
        assert (status, out, error.count("\n")) == (2, "", 1)
        assert part in error

    fails("'magic'", "-k", "2", "--methods", "magic")
    fails("unknown rule", "-k", "2", "--rules", "magic")
    fails("exclude each other", "-k", "2", "--held-out", "other.tsv", "--split", "0.5")
    fails("none.tsv", "-k", "2", "--held-out", "none.tsv")
    fails("share", "-k", "2", "--split", "2")
    fails(
        "partcover: frequent does", "-k", "2", "--methods", "frequent", "--required", "tokens.txt"
    )


def test_no_files_beside_standard_output(run, counts, tmp_path):
    before = set(tmp_path.iterdir())
    arguments = ("compare", counts, "-k", "2", "--sets", "--format", "csv")
    assert run(*arguments, "-o", "-")[0] == 0
    assert set(tmp_path.iterdir()) == before


def test_a_limit_is_told(run, counts):
    arguments = ("compare", counts, "-k", "4", "--methods", "bpe", "--time-limit", "0")
    status, out, _ = run(*arguments)
    assert (status, "termination" in out, "time_limit" in out) == (0, True, True)
    status, out, _ = run(*arguments[:-2])
    assert (status, "termination" in out) == (0, False)
    status, _, err = run(*arguments[:-2], "--rules", "likelihood,own")
    assert (status, "partcover: bpe has no scores: no tokens are counted" in err) == (0, True)
    _, _, err = run("compare", counts, "-k", 1, "--methods", "bpe,wordpiece")
    assert "partcover: wordpiece divides the count of a pair" in err


def test_vocabularies_of_one_name_are_two(run, counts, tmp_path):
    for folder, token in (("a", "an"), ("b", "na")):
        (tmp_path / folder).mkdir()
        Vocabulary([token]).save(tmp_path / folder / "v.json")
    arguments = (
        "compare",
        counts,
        "--vocab",
        "a/v.json",
        "--vocab",
        "b/v.json",
        "--methods",
        "bytes",
    )
    rows = json.loads(run(*arguments, "--json")[1])["rows"]
    assert {row["method"] for row in rows} == {"a/v.json", "b/v.json", "bytes"}


def test_required_tokens_leave_bytes_out(run, counts):
    status, out, _ = run("compare", counts, "-k", "2", "--required", "tokens.txt", "--json")
    assert status == 0
    assert {row["method"] for row in json.loads(out)["rows"]} == {"greedtok", "greedwmc"}


def test_command_names_a_missing_extra(run, counts, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    status, out, error = run("compare", counts, "-k", "2", "--methods", "unigram_sentencepiece")
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert "sentencepiece" in error


def test_an_interrupt_keeps_what_is_there(run, counts, monkeypatch):
    def interrupted(instance, **options):
        raise KeyboardInterrupt

    monkeypatch.setitem(METHODS, "frequent", replace(METHODS["frequent"], run=interrupted))
    methods = "greedtok,frequent,bytes"
    arguments = ("compare", counts, "-k", "2", "--methods", methods, "--json")
    status, out, _ = run(*arguments)
    assert status == 130
    assert {row["method"] for row in json.loads(out)["rows"]} == {"greedtok"}


@pytest.mark.long
def test_command_memory(run, counts):
    out = run("compare", counts, "-k", "2", "--methods", "bpe", "--memory", "--json")[1]
    assert all(row["memory"] >= 0 for row in json.loads(out)["rows"])
