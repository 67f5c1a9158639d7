"""ConvexTok against brute force, and its bound."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.brute_force import cost, fewest_tokens
from shared.properties import tries
from shared.strategies import instances

from partcover import GroupBudget, InputError, Instance, WordCounts, lower_bound
from partcover.runtime.progress import EventLog
from partcover.trainers import convextok

ROUNDINGS = ("det", "bias", "int", "random")


@tries(25)
@given(instances(), st.sampled_from(ROUNDINGS), st.integers(0, 9))
def test_bound_and_tokens_hold_the_optimum_between_them(instance, rounding, seed):
    solution = convextok(instance, rounding=rounding, seed=seed)
    optimum = fewest_tokens(instance)
    assert solution.lower_bound <= optimum <= solution.tokens
    assert solution.tokens == cost(instance, solution.vocabulary)
    assert len(solution.vocabulary) <= instance.k
    assert solution.status == ("optimal" if solution.lower_bound == solution.tokens else "feasible")


def test_a_relaxation_without_fractions_is_the_optimum():
    words = WordCounts.from_counts({"the": 9, "then": 4, "when": 4, "he": 2, "hen": 1})
    instance = Instance(words, 3)
    bound = lower_bound(instance)
    for rounding in ("det", "bias", "int"):
        solution = convextok(instance, rounding=rounding)
        assert (solution.method, solution.rule) == ("convextok", "shortest_path")
        assert solution.lower_bound == bound.lower_bound == fewest_tokens(instance)
        assert solution.status == "optimal"
        assert solution.extra["relaxation"] == pytest.approx(solution.tokens, rel=1e-6)


def test_progress_and_limits():
    words = WordCounts.from_counts({"banana": 5, "bandana": 4, "ananas": 7, "nab": 2, "dan": 9})
    log = EventLog()
    solution = convextok(Instance(words, 3), time_limit=60, progress=log)
    assert log.events[-1].lower_bound == solution.lower_bound
    at_once = convextok(Instance(words, 3), time_limit=0.0)
    assert at_once.lower_bound <= fewest_tokens(Instance(words, 3)) <= at_once.tokens


def test_conditions_are_kept():
    words = WordCounts.from_counts({"abcabc": 5, "bcbcbc": 4, "cab": 7})
    group = GroupBudget("long", 1, min_length=3)
    instance = Instance(words, 3, required=["ca"], forbidden=["bc"], groups=[group])
    solution = convextok(instance)
    assert solution.vocabulary.tokens[0] == b"ca"
    assert b"bc" not in solution.vocabulary.tokens
    assert sum(len(token) > 2 for token in solution.vocabulary) <= 1
    assert solution.lower_bound <= fewest_tokens(instance) <= solution.tokens
    with pytest.raises(InputError, match="unknown rounding 'up'"):
        convextok(instance, rounding="up")
