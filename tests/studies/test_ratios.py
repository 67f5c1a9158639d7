"""Ratios to the optimum: against brute force, one-sided where nothing is proven, and drawn."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from math import e

import pytest
from cli.helpers import as_json, fails
from hypothesis import given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens, most_relaxed_cover, useful
from oracles.greedy import greedy, priority, shortest_path
from shared.properties import tries

from partcover import (
    InputError,
    Instance,
    VerificationError,
    WordCounts,
    certified_ratio,
    reduce_vertex_cover,
    solve,
)
from partcover.cli.inputs import parse_budgets
from partcover.problem.group_budget import GroupBudget
from partcover.report.plots import plot_ratios
from partcover.studies import ratios as ratio_module
from partcover.studies.ratios import ratios

words_st = st.dictionaries(
    st.text("ab", min_size=1, max_size=5) | st.text("abc", min_size=2, max_size=5),
    st.integers(1, 3),
    min_size=1,
    max_size=3,
).map(lambda d: {w.encode(): c for w, c in d.items()})

PEARL = WordCounts.from_words(["pearl", "the", "red", "heart"])
SHOWN = {
    "instance", "k", "symbols", "proven", "optimum_tokens", "optimum_cover", "best_tokens",
    "lower_bound", "greedtok_cover", "greedtok_tokens", "greedtok_shortest_cover",
    "greedwmc_cover", "greedwmc_relaxed_cover", "wmc_proven", "wmc_optimum", "d",
    "certified_ratio", "ratio", "greedwmc_ratio", "greedwmc_relaxed_ratio", "wmc_gap",
    "lp_cover", "lp_gap", "termination", "seconds",
}  # fmt: skip


def part(a, b):
    return a / b if b else 1.0


@tries(30)
@given(words=words_st, data=st.data())
def test_against_brute_force(words, data):
    counts = WordCounts.from_counts(words)
    pool = useful(Instance(counts, 0))
    required = data.draw(
        st.lists(st.sampled_from(pool), max_size=2, unique=True) if pool else st.just([])
    )
    base = Instance(counts, 3, required=required)
    budgets = range(len(required), 4)
    total = counts.total_symbols
    for row, k in zip(ratios(base, budgets), budgets, strict=True):
        instance = base.with_k(k)
        optimum, wmc = fewest_tokens(instance), most_relaxed_cover(instance)
        assert set(row) == SHOWN
        assert row["proven"]
        assert row["wmc_proven"]
        assert row["optimum_tokens"] == row["best_tokens"] == row["lower_bound"] == optimum
        assert (row["optimum_cover"], row["wmc_optimum"]) == (total - optimum, wmc)
        free = set(pool) - set(required)
        tok, _ = greedy(words, free, k, relaxed=False, required=required)
        other, gains = greedy(words, free, k, relaxed=True, required=required)
        tokens = sum(c * len(priority(w, tok)) for w, c in words.items())
        fewest = [
            sum(c * len(shortest_path(w, some)) for w, c in words.items()) for some in (tok, other)
        ]
        assert row["greedtok_tokens"] == tokens
        assert row["greedtok_cover"] == total - tokens
        assert row["greedtok_shortest_cover"] == total - fewest[0]
        assert row["greedwmc_cover"] == total - fewest[1]
        assert row["greedwmc_relaxed_cover"] == sum(gains)
        assert (row["d"], row["certified_ratio"]) == certified_ratio(total - tokens, sum(gains))
        assert row["ratio"] == part(total - tokens, total - optimum) >= row["certified_ratio"]
        assert row["greedwmc_ratio"] == part(total - fewest[1], total - optimum)
        assert 1 - 1 / e <= row["greedwmc_relaxed_ratio"] == part(sum(gains), wmc) <= 1
        assert row["wmc_gap"] == part(wmc, total - optimum) >= 1
        assert row["lp_cover"] >= total - optimum - 1e-6
        assert 0 <= row["lp_gap"] < 1


def test_the_linear_relaxation_of_vertex_cover():
    nx = pytest.importorskip("networkx")
    # half of each of K4's four vertices covers its six edges; two vertices leave one uncovered
    instance = reduce_vertex_cover(nx.complete_graph(4), 2).instance
    (row,) = ratios(instance, [2])
    assert row["optimum_tokens"] == 20
    assert row["lp_cover"] == pytest.approx(30 - 18)
    assert row["lp_gap"] == pytest.approx(0.1)


def test_what_is_not_proven_is_a_bound():
    instance = Instance(PEARL, 2)
    (exact,) = ratios(instance, [2])
    (row,) = ratios(instance, [2], time_limit=0)
    assert not row["proven"]
    assert not row["wmc_proven"]
    for key in ("optimum_tokens", "optimum_cover", "wmc_optimum", "wmc_gap", "lp_cover", "lp_gap"):
        assert row[key] is None
    assert row["lower_bound"] <= exact["optimum_tokens"] <= row["best_tokens"]
    for key in ("ratio", "greedwmc_ratio", "greedwmc_relaxed_ratio"):
        assert 0 < row[key] <= exact[key]
    assert row["ratio"] >= row["certified_ratio"]
    assert row["greedwmc_relaxed_ratio"] >= 1 - 1 / e
    assert row["termination"] == "time_limit"


def test_budgets_of_groups_have_no_certificate(tmp_path):
    pairs = GroupBudget("pairs", 0, max_length=2)
    (row,) = ratios(Instance(PEARL, 2, groups=(pairs,)), [2])
    assert row["certified_ratio"] is None
    assert row["proven"]
    assert 0 < row["ratio"] <= 1
    plot_ratios([row], tmp_path / "figure.svg")


@pytest.mark.parametrize("k", [4, 5])
def test_a_bound_that_meets_greedy_proves_it(k):
    # one token a word suffices, and no solver has to say so: with four, GreedWMC finds it
    (row,) = ratios(Instance(PEARL, k), [k], time_limit=0)
    assert row["proven"]
    assert row["wmc_proven"]
    assert row["optimum_tokens"] == 4
    assert row["greedtok_tokens"] == (6 if k == 4 else 4)


def test_a_false_bound_is_found_out(monkeypatch):
    def wrong(instance, *, formulation="path", **options):
        solution = solve(instance, formulation=formulation, **options)
        return replace(solution, lower_bound=15) if formulation == "wmc" else solution

    monkeypatch.setattr(ratio_module, "solve", wrong)
    with pytest.raises(VerificationError, match="said to be the most"):
        ratios(Instance(PEARL, 2), [2])


def test_interrupted_in_the_second_solve(monkeypatch):
    def interrupted(instance, *, formulation="path", **options):
        if formulation == "wmc":
            raise KeyboardInterrupt
        return solve(instance, **options)

    monkeypatch.setattr(ratio_module, "solve", interrupted)
    (row,) = ratios(Instance(PEARL, 2), [1, 2])
    assert (row["k"], row["termination"], row["proven"]) == (1, "interrupted", True)
    assert row["wmc_optimum"] is None


def test_bad_budgets():
    with pytest.raises(InputError, match="there is no k to find a ratio"):
        ratios(Instance(PEARL, 2), [])
    with pytest.raises(InputError, match="2 tokens are required, k is 1"):
        ratios(Instance(PEARL, 2, required=["the", "red"]), [1, 5])


def test_parse_budgets():
    assert parse_budgets("1,2,5") == [1, 2, 5]
    assert parse_budgets("1-4, 10") == [1, 2, 3, 4, 10]
    assert parse_budgets("7-7") == [7]
    assert parse_budgets(None) == []
    for text in ("1,", "5-1", "a", "-3", "1-", "1.5", "0-10000", "1" * 10, "²"):
        with pytest.raises(InputError, match="-k is "):
            parse_budgets(text)


@pytest.mark.long
def test_command(run, tmp_path):
    Instance(PEARL, 2).save("pearl.json")
    PEARL.save("words.tsv")
    status, data = as_json(
        run("ratio", "pearl.json", "words.tsv", "-k", "1-2", "--json", "--quiet",
            "-o", "rows.json", "--plot", "ratio.svg")
    )  # fmt: skip
    run("ratio", "pearl.json", "words.tsv", "-k", "1-2", "-o", "rows.csv")
    assert status == 0
    rows = data["rows"]
    assert [(r["instance"], r["k"]) for r in rows] == [
        ("pearl", 1), ("pearl", 2), ("words", 1), ("words", 2)
    ]  # fmt: skip
    assert [r["ratio"] for r in rows] == [1, 0.75, 1, 0.75]
    assert json.loads((tmp_path / "rows.json").read_text()) == data
    with open("rows.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["ratio"] for line in lines] == ["1.0", "0.75", "1.0", "0.75"]
    assert list(lines[0]) == list(rows[0])
    svg = (tmp_path / "ratio.svg").read_text()
    assert "<svg" in svg
    status, out, _ = run("ratio", "pearl.json", "--time-limit", "0")
    assert status == 0
    assert "≥ 0.5000" in out
    assert "4 – 8" in out
    status, out, _ = run("ratio", "pearl.json")
    assert status == 0
    assert "0.7500" in out
    assert "≥" not in out


def test_command_errors(run):
    PEARL.save("words.tsv")
    fails(run("ratio", "words.tsv"), "-k is missing")
    fails(run("ratio", "words.tsv", "-k", "2-"), "-k is '2-'")
    fails(run("ratio", "nothing.tsv", "-k", "2"), "nothing.tsv")
    fails(run("ratio", "words.tsv", "-k", "2", "-o", "no/where.csv"), "no/where.csv")
    fails(run("ratio", "words.tsv", "-k", "2", "--solver", "x"), "unknown solver")
    fails(run("compare", "words.tsv", "-k", "1,x"), "-k is '1,x'")


def test_worst_command(run, tmp_path):
    arguments = ["--alphabet", 2, "--words", 2, "--length", 4, "-k", 1, "--method", "bpe"]
    status, data = as_json(run("worst", *arguments, "--json", "--quiet", "-o", "I.json"))
    assert (status, data["exhausted"]) == (0, True)
    instance = Instance.load(tmp_path / "I.json")
    assert solve(instance).tokens == instance.source["best"]["tokens"] == data["optimum_tokens"]
    status, out, _ = run("worst", *arguments)
    assert status == 0
    assert all(word in out for word, _ in data["words"])
    assert run("worst", *arguments, "--time-limit", 0, "--quiet")[0] == 0
    fails(run("worst", "--method", "unigram"), "'unigram' is not one of 'greedtok'")
    fails(run("worst", "--words", 40), "at most 64 symbols")


@pytest.mark.long
@pytest.mark.parametrize("panels", [1, 2, 5])
def test_plot(tmp_path, panels):
    rows = []
    for number in range(panels):
        limit = 0 if number == 0 else None
        rows += ratios(Instance(PEARL, 3), [1, 2], name=f"I{number}", time_limit=limit)
    plot_ratios(rows, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match="the file of a plot must end in"):
        plot_ratios(rows, tmp_path / "figure.txt")


def test_an_open_optimum_leaves_at_least_what_is_certified(monkeypatch):
    solve = ratio_module.solve

    def unbounded(instance, **options):
        solution = solve(instance, **options)
        return replace(solution, lower_bound=0, status="feasible", termination="time_limit")

    monkeypatch.setattr(ratio_module, "solve", unbounded)
    instance = Instance(PEARL, 2)
    (row,) = ratios(instance, [2])
    assert not row["proven"]
    assert row["greedtok_cover"] / instance.words.total_symbols < row["certified_ratio"]
    assert row["ratio"] == row["certified_ratio"]
