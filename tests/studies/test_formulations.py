"""Formulations beside each other, and the smallest part of an instance where one is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
from oracles.brute_force import fewest_tokens
from oracles.printed import KNOWN, printed_cover

from partcover import InputError, Instance, WordCounts
from partcover.exact.solver_io import SolverReport
from partcover.studies import formulations as side_by_side
from partcover.studies.formulations import formulations, smallest_difference


@pytest.mark.parametrize(("words", "k", "printed", "true"), KNOWN)
def test_rows_say_what_each_formulation_says(words, k, printed, true):
    instance = Instance(WordCounts.from_words(words), k)
    rows = {row["formulation"]: row for row in formulations(instance, solvers=["highs"])}
    assert rows["printed"]["cover"] == printed
    assert rows["path"]["cover"] == rows["occurrence"]["cover"] == true
    assert rows["path"]["lp_tokens"] <= rows["path"]["tokens"] + 1e-6
    assert rows["path"]["seconds"]["highs"] > 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "k", "part", "budget", "printed", "true"),
    [
        (["aaa"], 1, {b"aaa"}, 1, 1, 2),
        (["abd", "abc", "xyz", "uvw"], 3, {b"abc", b"abd"}, 1, 3, 2),
        (["papaya", "impact"], 2, {b"papaya"}, 1, 4, 5),
    ],
)
def test_the_smallest_part(words, k, part, budget, printed, true):
    difference = smallest_difference(Instance(WordCounts.from_words(words), k))
    assert difference.smallest
    assert set(difference.instance.words.to_dict()) == part
    assert difference.instance.k == budget
    assert (difference.cover, difference.true_cover) == (printed, true)
    assert printed_cover(difference.instance) == printed
    assert difference.instance.words.total_symbols - fewest_tokens(difference.instance) == true


def test_no_difference():
    instance = Instance(WordCounts.from_words(["abc", "xyz"]), 2)
    assert smallest_difference(instance) is None


@pytest.mark.long
def test_out_of_time_words_are_dropped(monkeypatch):
    words = ["papaya", "impact", "random", "randose", "rosey", "randy"]
    instance = Instance(WordCounts.from_words(words), 2)
    monkeypatch.setattr(
        "partcover.studies.formulations.word_subsets", lambda *_: iter([(["random"], 1)] * 9)
    )
    difference = smallest_difference(instance, time_limit=10)
    assert (
        difference is None
    )  # the search by size ended, with nothing: it had all the time it needs
    monkeypatch.setattr("partcover.studies.formulations.word_subsets", _endless)
    difference = smallest_difference(instance, time_limit=2)
    assert not difference.smallest
    assert difference.cover != difference.true_cover
    assert printed_cover(difference.instance) == difference.cover


def _endless(*_):
    while True:
        yield ["random"], 1


def test_a_refused_model_is_a_row(monkeypatch):
    monkeypatch.setattr("partcover.runtime.memory.available_memory", lambda: 4096)
    monkeypatch.setattr("partcover.runtime.memory._LITTLE", 0)
    rows = formulations(Instance(WordCounts.from_words(["abcabc"]), 1), names=["path"])
    assert rows[0]["refused"].startswith("the path model would have about")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": ["flow"]}, "unknown formulation 'flow'"),
        ({"solvers": ["gurobi"]}, "unknown solver 'gurobi'"),
        ({"solvers": ["pdlp"]}, "pdlp solves linear relaxations only"),
    ],
)
def test_bad_requests(options, message):
    with pytest.raises(InputError, match=message):
        formulations(Instance(WordCounts.from_words(["abab"]), 1), **options)


def test_ctrl_c_ends_it_with_the_row_at_hand(monkeypatch):
    runs = []

    def run(model, solver, options):
        runs.append(solver)
        return SolverReport("none", "interrupted")

    monkeypatch.setattr(side_by_side, "run", run)
    instance = Instance(WordCounts.from_words(["abd", "abc"]), 1)
    (row,) = formulations(instance, solvers=["highs", "cbc"])
    assert row["formulation"] == "path"
    assert row["termination"] == {"highs": "interrupted", "cbc": "interrupted"}
    with pytest.raises(KeyboardInterrupt):
        smallest_difference(instance)
    assert runs == ["highs", "highs"]


def test_solvers_that_prove_different_optima_are_refused(monkeypatch):
    solve = side_by_side.run

    def run(model, solver, options):
        report = solve(model, "highs", options)
        if solver == "highs":
            return report
        return replace(report, values=2 * report.values, bound=2 * report.bound)

    monkeypatch.setattr(side_by_side, "run", run)
    instance = Instance(WordCounts.from_words(["abd", "abc"]), 1)
    with pytest.raises(InputError, match="scip proves a cover of -2, another solver 2"):
        formulations(instance, names=["path"], solvers=["highs", "scip"])


def test_nothing_is_proven_where_tolerances_may_be_whole_tokens():
    instance = Instance({"aabc": 1, "aaab": 35184372088833}, 3)  # SCIP's cover is one too small
    for row in formulations(instance, names=["path", "wmc"], solvers=["highs", "scip"]):
        assert row["lp_tokens"] is not None
        assert (row["tokens"], row["cover"]) == (None, None)
        assert row["seconds"] == {"highs": None, "scip": None}
