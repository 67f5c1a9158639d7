"""``partcover records``: lists, tries to beat, and judges."""

from __future__ import annotations

import pytest
from cli.helpers import as_json, fails

from partcover import WordCounts
from partcover.cli.main import cli
from partcover.instances.records import BUDGETS, Best, Record, Row, names


@pytest.fixture
def known(tmp_path, monkeypatch):
    """A record of few words, as a file beside them."""
    monkeypatch.chdir(tmp_path)
    words = WordCounts.from_counts({"banana": 2, "bandana": 1, "ana": 3})
    words.save("C.tsv")
    rows = (Row(64, best(9), best(5), 2.0, {"bpe": 10}), Row(128, best(6), best(6), 2.0, {}))
    found = Record("r", "bananas", "none", ("make C.tsv",), words.digest, 3, 6, rows)
    found.save("r.json")
    return found


def best(value):
    return Best(value, "2026-01-31", "improve", 1.5)


def test_list_and_show(run, known):
    status, data = as_json(run("records", "list", "--json"))
    assert status == 0
    assert {row["name"] for row in data["records"]} == set(names())
    assert "proven" in run("records", "list")[1]
    _, shown = as_json(run("records", "show", "r.json", "--json"))
    assert (shown["name"], shown["words"], len(shown["rows"])) == ("r", 3, 2)
    assert "make C.tsv" in run("records", "show", "r.json")[1]


def test_a_run_is_compared(run, known, tmp_path):
    line = ("records", "run", "r.json", "C.tsv", "-k", "64", "--time-limit", "1")
    status, _, error = run(*line, "-o", "v.json", "--write-certificate", "p.cert")
    assert status == 0
    assert "partcover: tokens: 6, better than the best known, 9\n" in error
    assert "partcover: lower bound: 6, better than the best known, 5\n" in error
    _, data = as_json(run(*line, "--json", "--start", "v.json", "--start-certificate", "p.cert"))
    assert (data["tokens"], data["fewer_tokens"], data["higher_bound"]) == (6, True, True)
    check = ("records", "check", "r.json", "C.tsv", "-k", "64")
    _, data = as_json(run(*check, "--vocab", "v.json", "--certificate", "p.cert", "--json"))
    assert (data["ok"], data["fewer_tokens"], data["higher_bound"]) == (True, True, True)
    status, _, error = run(*check[:-1], "128", "--vocab", "v.json", "--certificate", "p.cert")
    assert status == 6
    assert error == "partcover: the certificate is for k = 64, but k is 128\n"


def test_mistakes_are_one_line(run, known):
    fails(run("records", "check", "r.json", "C.tsv", "-k", "64"), "nothing to check")
    fails(run("records", "show", "emmma"), "did you mean emma?")
    fails(run("records", "run", "emma", "C.tsv", "-k", "64"), "not the counted words of emma")
    status, _, error = run("records", "run", "r.json", "C.tsv", "-k", "65")
    assert status == 2
    assert "65" in error


def test_budgets_are_those_of_the_records():
    for name in ("run", "check"):
        command = cli.commands["records"].load().commands[name]
        (option,) = [each for each in command.params if "-k" in each.opts]
        assert [int(k) for k in option.type.choices] == list(BUDGETS)
