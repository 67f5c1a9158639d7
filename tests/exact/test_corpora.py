"""Optima over several corpora."""

from __future__ import annotations

import pytest
from oracles.bounds.corpora import smallest_worst
from shared.strategies import random_instance

from partcover import (
    Corpora,
    InputError,
    Instance,
    Vocabulary,
    WordCounts,
    check_certificate,
    improve,
    solve,
)


@pytest.mark.long
def test_a_bound_by_weights_is_below_and_no_time_has_an_answer():
    corpora = [random_instance(seed, 1).words.most_frequent(4) for seed in (3, 4)]
    instance = Instance(Corpora(corpora, [words.total_symbols for words in corpora]), 2)
    solution, found = solve(instance), improve(instance)
    assert found.lower_bound <= solution.worst <= found.worst
    hasty = solve(instance, time_limit=0, warm_start=found.vocabulary)
    assert (hasty.termination, hasty.worst <= found.worst) == ("time_limit", True)
    assert hasty.lower_bound <= solution.worst


def test_mistakes():
    words = WordCounts.from_counts({"abab": 2})
    instance = Instance(Corpora([words, words], [1, 1]), 1)
    with pytest.raises(InputError, match="the start is not a vocabulary"):
        solve(instance, warm_start=Vocabulary(["ab", "ba"]))
    for option in ({"solver": "highs"}, {"formulation": "path"}, {"sense": "max"}, {"log": print}):
        with pytest.raises(InputError, match="several corpora are for branch and cut: leave out"):
            solve(instance, **option)


@pytest.mark.long
def test_counts_that_no_solver_holds():
    """Branch and cut counts in integers."""
    small = WordCounts.from_counts({"abab": 1, "cd": 3})
    large = WordCounts.from_counts({"abcab": 10**15, "xyxy": 10**14 + 1})
    instance = Instance(Corpora([small, large], [7, 10**15]), 1)
    solution = solve(instance)
    assert (solution.status, solution.worst) == ("optimal", smallest_worst(instance))
    assert check_certificate(instance, solution.certificate).lower_bound == solution.worst
