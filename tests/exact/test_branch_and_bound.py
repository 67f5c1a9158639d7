"""Proofs: the recounted bound is the optimum on every small instance."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens
from properties import tries
from strategies import instances

from partcover import GroupBudget, Instance, WordCounts, prove, reduce_vertex_cover
from partcover.problem.certificate import Branch
from partcover.verification.certificate_check import check_certificate

large_counts = st.dictionaries(
    st.text("abcd", min_size=1, max_size=6),
    st.sampled_from([1, 2, 9, 10**6, 10**7, 10**9]),
    min_size=1,
    max_size=3,
).map(lambda words: Instance(words, 1))


@tries(80)
@given(instances() | large_counts)
@example(Instance({"daa": 2, "dadbdc": 10_000_000}, 1))  # duals that 32 bits do not hold
def test_proves_the_optimum(instance):
    solution, certificate = prove(instance)
    best = fewest_tokens(instance)
    assert (solution.tokens, solution.lower_bound, solution.status) == (best, best, "optimal")
    assert certificate.lower_bound == best
    assert solution.certificate is certificate
    assert check_certificate(instance, certificate).ok


@pytest.mark.long
@pytest.mark.parametrize("count", [1, 10**6, 10**11])  # prices of 32 and of 64 bits
@pytest.mark.parametrize("wrong", [math.nan, math.inf, 1e308])
def test_duals_that_are_no_prices_prove_a_valid_bound(monkeypatch, wrong, count):
    module = import_module("partcover.exact.branch_and_bound")
    solved = module.run_solver
    replaced = []

    def damaged(*arguments):
        report = solved(*arguments)
        duals = report.duals.copy()
        first = len(replaced) % 2  # the budgets' rows at times
        duals[first::4], duals[first + 2 :: 4] = wrong, -wrong
        replaced.append(np.count_nonzero(duals != report.duals))
        return replace(report, duals=duals)

    monkeypatch.setattr(module, "run_solver", damaged)
    groups = [GroupBudget("short", 1, max_length=2), GroupBudget("long", 1, min_length=3)]
    for k in (1, 2):
        instance = Instance({"abab": count, "bab": 3, "abc": 2}, k, groups=groups)
        solution, certificate = prove(instance)
        assert certificate.lower_bound <= fewest_tokens(instance) == solution.tokens
        assert check_certificate(instance, certificate).ok
    assert any(replaced)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_branches_where_the_relaxation_is_loose(k):
    """Vertex covers of Petersen's graph: 6 vertices are needed, the relaxation takes halves."""
    nx = pytest.importorskip("networkx")
    instance = reduce_vertex_cover(nx.petersen_graph(), k).instance
    solution, certificate = prove(instance)
    assert certificate.lower_bound == solution.tokens
    assert solution.extra["meets_threshold"] is (k >= 6)
    assert check_certificate(instance, certificate).ok
    if k == 5:
        assert any(isinstance(node, Branch) for node in certificate.tree)


def test_solves_once_and_runs_greedtok_once(monkeypatch):
    nx = pytest.importorskip("networkx")
    calls = []

    def counted(name, function):
        def call(*arguments, **options):
            calls.append(name)
            return function(*arguments, **options)

        return call

    module = import_module("partcover.exact.branch_and_bound")
    runs = import_module("partcover.exact.solver_run")
    monkeypatch.setattr(module, "solve_model", counted("solve", module.solve_model))
    monkeypatch.setattr(runs, "greedtok", counted("greedtok", runs.greedtok))
    prove(reduce_vertex_cover(nx.petersen_graph(), 5).instance)
    assert calls == ["solve", "greedtok"]
    calls.clear()
    solution, _ = prove(Instance({"banana": 2, "bandana": 1}, 1))
    assert (calls, solution.extra["solver"]) == ([], "glop"), "the relaxation is whole"


def test_a_model_that_cannot_be_built_in_time_is_not_begun(monkeypatch):
    module = import_module("partcover.exact.branch_and_bound")
    monkeypatch.setattr(module, "building_seconds", lambda *_: 60.0)
    monkeypatch.setattr(module, "build", None)
    instance = Instance(WordCounts.from_counts({"abab": 3, "ba": 1}), 1)
    solution, certificate = prove(instance, solver="highs", time_limit=30)
    assert (solution.status, solution.termination) == ("feasible", "time_limit")
    assert check_certificate(instance, certificate).ok


def test_at_a_limit_there_is_a_valid_bound():
    nx = pytest.importorskip("networkx")
    instance = reduce_vertex_cover(nx.petersen_graph(), 5).instance
    solution, certificate = prove(instance, time_limit=0)
    assert check_certificate(instance, certificate).ok
    assert certificate.lower_bound == instance.words.total_count
    assert solution.tokens >= 46


def test_nothing_to_choose():
    for words, k in ((["a", "b"], 3), (["ab", "ba"], 0), ([], 2)):
        instance = Instance(WordCounts.from_words(words), k)
        solution, certificate = prove(instance)
        assert certificate.lower_bound == solution.tokens
