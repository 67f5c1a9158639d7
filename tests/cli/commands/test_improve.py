"""The commands improve and gap: results, JSON keys, exit statuses, mistakes in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.helpers import SHARED

from partcover import Instance, WordCounts, greedtok, solve


def test_improve(run, counts):
    status, out, err = run(
        "improve", counts, "-k", "4", "--json", "-o", "V.json", "--events", "E.jsonl", "--seed", "2"
    )
    assert (status, err) == (0, "partcover: wrote V.json\n")
    data = json.loads(out)
    assert set(data) >= SHARED
    assert (data["method"], data["rule"], data["seed"]) == ("improve", "shortest_path", 2)
    greedy = greedtok(Instance(WordCounts.load(counts), 4))
    assert data["tokens"] <= greedy.extra["tokens_shortest_path"]
    with open("E.jsonl") as file:
        events = [json.loads(line) for line in file]
    assert events[-1]["tokens"] == data["tokens"]
    assert run("verify", counts, "-k", "4", "--vocab", "V.json")[0] == 0
    again = run("improve", counts, "-k", "4", "--start", "V.json", "--json", "--threads", "2")
    assert json.loads(again[1])["tokens"] <= data["tokens"]


def test_a_time_limit_is_no_failure(run, counts):
    status, out, _ = run(
        "improve", counts, "-k", "4", "--no-bound", "--time-limit", "0.1", "--json"
    )
    assert (status, json.loads(out)["termination"]) == (0, "time_limit")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["improve", "C.tsv"], "-k is missing"),
        (["improve", "C.tsv", "-k", "2", "--start", "none.json"], "none.json"),
        (
            ["improve", "C.tsv", "-k", "2", "--no-bound", "--write-certificate", "P.cert"],
            "--no-bound and --write-certificate exclude each other",
        ),
    ],
)
def test_mistakes(run, counts, arguments, message):
    assert run("greedtok", counts, "-k", "2", "-o", "V.json", "--quiet")[0] == 0
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.long
def test_improve_proves_how_far_it_is(run, counts):
    arguments = (
        "improve",
        counts,
        "-k",
        "4",
        "--write-certificate",
        "P.cert",
        "-o",
        "V.json",
        "--json",
    )
    status, out, _ = run(*arguments, "--plot", "P.svg", "--quiet")
    data = json.loads(out)
    best = solve(Instance(WordCounts.load(counts), 4)).tokens
    assert status == 0
    assert data["lower_bound"] <= best <= data["tokens"]
    assert Path("P.svg").stat().st_size > 0
    check = ("verify", counts, "-k", "4", "--vocab", "V.json", "--certificate", "P.cert", "--json")
    status, out, _ = run(*check)
    assert status == 0
    assert json.loads(out)["certificate"]["lower_bound"] == data["lower_bound"]


def test_compare_has_it(run, counts):
    methods = "greedtok,improve,solve"
    status, out, _ = run("compare", counts, "-k", "3", "--methods", methods, "--json")
    rows = {(row["method"], row["rule"]): row["tokens"] for row in json.loads(out)["rows"]}
    assert status == 0
    assert (
        rows["solve", "shortest_path"]
        <= rows["improve", "shortest_path"]
        <= rows["greedtok", "shortest_path"]
    )


def test_nothing_else_is_written(run, counts):
    before = set(Path.cwd().iterdir())
    assert run("improve", counts, "-k", "2", "--quiet")[0] == 0
    assert set(Path.cwd().iterdir()) == before


def test_the_result_for_people(run, counts):
    status, out, _ = run("improve", counts, "-k", "2")
    assert status == 0
    assert "tokens needed" in out
    assert "improve" in out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_takes_nothing_along(run, counts):
    status, out, err = run("improve", counts, "-k", "4", "--events", "/dev/full", "--json")
    assert (status, json.loads(out)["method"]) == (0, "improve")
    assert "no more events" in err
    arguments = ("improve", counts, "-k", "4", "--json", "--quiet")
    status, out, err = run(*arguments, "--write-certificate", "/dev/full")
    assert (status, json.loads(out)["method"]) == (2, "improve")
    assert err.startswith("partcover: /dev/full: ")
    status, out, err = run(*arguments, "-o", "/dev/full")
    assert (status, json.loads(out)["method"]) == (2, "improve")
    assert err.count("\n") == 1
