"""Optima over several corpora by a solver."""

from __future__ import annotations

import ctypes

import pytest
from generated import generated_minimax
from strategies import random_instance

from partcover import (
    InputError,
    MinimaxInstance,
    VerificationError,
    Vocabulary,
    WordCounts,
    improve_minimax,
    solve_minimax,
)

pytest.importorskip("ortools")


@pytest.mark.long
@pytest.mark.parametrize("solver", ["scip", "cp-sat", "cbc"])
def test_other_solvers(solver):
    pytest.importorskip("pulp" if solver == "cbc" else "ortools")
    corpora = [random_instance(seed, 1).words.most_frequent(4) for seed in (1, 2)]
    instance = MinimaxInstance(corpora, 3, [words.total_symbols for words in corpora])
    solution = solve_minimax(instance, solver=solver)
    assert solution.status == "optimal"
    assert solution.worst == solve_minimax(instance).worst


@pytest.mark.long
def test_a_bound_by_weights_is_below_and_no_time_has_an_answer():
    corpora = [random_instance(seed, 1).words.most_frequent(5) for seed in (3, 4, 5)]
    instance = MinimaxInstance(corpora, 4, [words.total_symbols for words in corpora])
    solution, found = solve_minimax(instance), improve_minimax(instance)
    assert found.lower_bound <= solution.worst <= found.worst
    hasty = solve_minimax(instance, time_limit=0, warm_start=found.vocabulary)
    assert (hasty.termination, hasty.worst <= found.worst) == ("time_limit", True)
    assert hasty.lower_bound <= solution.worst


def test_mistakes():
    words = WordCounts.from_counts({"abab": 2})
    instance = MinimaxInstance([words, words], 1, [1, 1])
    with pytest.raises(InputError, match="unknown solver"):
        solve_minimax(instance, solver="none")
    with pytest.raises(VerificationError, match="budget"):
        solve_minimax(instance, warm_start=Vocabulary(["ab", "ba"]))
    with pytest.raises(
        InputError, match="references are too large for a floating-point solver: divide"
    ):
        solve_minimax(MinimaxInstance([words, words], 1, [2**60, 1]))
    large = WordCounts.from_counts({"abab": 2**52})
    with pytest.raises(InputError, match="to be exact: divide the counts and the ref"):
        solve_minimax(MinimaxInstance([words, large], 1, [1, 1]))


@pytest.mark.long
@pytest.mark.parametrize("number", [5, 36, 42])
def test_highs_prints_nothing(capfd, number):
    instance = generated_minimax(number)  # HiGHS repairs a solution, and says so
    for _ in range(2):
        solve_minimax(instance)
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr() == ("", "")
