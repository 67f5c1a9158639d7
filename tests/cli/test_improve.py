"""The commands improve and gap: results, JSON keys, exit statuses, mistakes in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.helpers import SHARED

import partcover
from partcover import Certificate, Instance, WordCounts, greedtok, solve


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
        (["gap", "C.tsv"], "--vocab"),
        (["gap", "C.tsv", "--vocab", "V.json", "-k", "1"], "has 2 tokens, but k is 1"),
        (
            ["gap", "C.tsv", "--vocab", "V.json", "--certificate", "P", "--time-limit", "1"],
            "exclude each other",
        ),
    ],
)
def test_mistakes(run, counts, arguments, message):
    assert run("greedtok", counts, "-k", "2", "-o", "V.json", "--quiet")[0] == 0
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_gap_by_a_certificate(run, counts):
    words = WordCounts.load(counts)
    certificate = solve(Instance(words, 3)).certificate
    certificate.save("P.cert")
    assert run("greedtok", counts, "-k", "2", "-o", "V.json", "--quiet")[0] == 0
    with open("V.json") as file:
        data = json.load(file)
    data["tokens"].append("never there")
    with open("W.json", "w") as file:
        json.dump(data, file)
    status, out, _ = run("gap", counts, "--vocab", "W.json", "--certificate", "P.cert", "--json")
    shown = json.loads(out)
    greedy = greedtok(Instance(words, 2))
    assert status == 0
    assert shown["rule"] == "priority"
    assert (shown["size"], shown["never_occur"], shown["k"]) == (3, 1, 3)
    assert shown["tokens"] == greedy.tokens
    assert shown["tokens_shortest_path"] == greedy.extra["tokens_shortest_path"]
    assert shown["lower_bound"] == Certificate.load("P.cert").lower_bound
    assert shown["gap"] == pytest.approx(shown["vocabulary_gap"] + shown["rule_gap"])
    arguments = "gap", counts, "--vocab", "W.json", "--certificate", "P.cert", "--rule"
    status, out, _ = run(*arguments, "single_symbols", "--json")
    assert (status, json.loads(out)["tokens"]) == (0, words.total_symbols)
    status, out, err = run(*arguments, "likelihood")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "likelihood needs scores" in err
    status, out, _ = run("gap", counts, "--vocab", "W.json", "--certificate", "P.cert")
    assert status == 0
    assert "tokens in no word" in out
    # the certificate is for three tokens
    status, _, err = run("gap", counts, "--vocab", "V.json", "--certificate", "P.cert")
    assert (status, err.count("\n")) == (6, 1)
    assert "k = 3" in err
    assert run("gap", counts, "--vocab", "V.json", "-k", "3", "--certificate", "P.cert")[0] == 0


@pytest.mark.long
def test_gap_by_a_bound_found_now(run, counts):
    assert run("greedtok", counts, "-k", "3", "-o", "V.json", "--quiet")[0] == 0
    status, out, _ = run("gap", counts, "--vocab", "V.json", "--time-limit", "5", "--json")
    shown = json.loads(out)
    best = solve(Instance(WordCounts.load(counts), 3)).tokens
    assert status == 0
    assert 0.95 * best <= shown["lower_bound"] <= best <= shown["tokens_shortest_path"]
    (Path.cwd() / "other.txt").write_text("zz\nyy\nxx\n")
    status, out, _ = run("gap", counts, "--vocab", "other.txt", "--json")
    assert (status, json.loads(out)["never_occur"]) == (0, 3)


@pytest.mark.long
def test_gap_has_a_limit(run, counts, monkeypatch):
    limits = []
    find = partcover.lower_bound

    def recorded_call(*arguments, **options):
        limits.append(options["time_limit"])
        return find(*arguments, **options)

    monkeypatch.setattr(partcover, "lower_bound", recorded_call)
    assert run("greedtok", counts, "-k", "3", "-o", "V.json", "--quiet")[0] == 0
    for limit in ((), ("--time-limit", "7")):
        status, _, err = run("gap", counts, "--vocab", "V.json", *limit)
        assert (status, err) == (0, "")
    assert limits == [30, 7]
    assert "30.0; x>=0" in run("gap", "--help")[1]


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
