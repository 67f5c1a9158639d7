"""Tokens that merges make of each other, by any order of what is wanted."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.bounds.merge_certificate import is_closed
from shared.generated import generated_closed
from shared.properties import tries

from partcover import Instance, MergeCondition, WordCounts, segment
from partcover.heuristics.closed_tokens import ClosedTokens
from partcover.runtime.limits import Deadline


@pytest.mark.long
@tries(150)
@given(st.integers(0, 2**31))
def test_all_that_is_taken_can_be_made(number):
    """Within the budgets; what was wanted first is there if it can be."""
    instance, draw = generated_closed(number), random.Random(number)
    closed = ClosedTokens(instance)
    wanted = draw.sample(closed.candidates, len(closed.candidates))
    x = np.array([draw.choice([0, 0, 0.5, 1]) for _ in wanted], float)
    found = closed.first(wanted)
    near, needed = closed.near(x)
    searched, fewest = closed.search(wanted, Deadline())
    for tokens in (found, [*near], [*searched]):
        assert is_closed(instance, tokens, instance.merges)
        assert len({*tokens}) == len(tokens) <= instance.k
        assert all(sum(t in group for t in tokens) <= group.limit for group in instance.groups)
        assert {*instance.fixed} <= {*tokens} <= {*instance.fixed, *closed.candidates}
    assert needed == segment(instance.words, near).tokens
    assert fewest == segment(instance.words, searched).tokens
    assert closed.first(found) == found


def test_of_several_ways_the_cheapest_is_taken():
    instance = Instance({"abcd": 1, "ab": 1, "cd": 1}, 3, merges=MergeCondition())
    closed = ClosedTokens(instance)
    assert closed.first([b"abc", b"abcd"]) == (b"bc", b"abc", b"abcd")
    assert closed.first([b"ab", b"abc", b"abcd"]) == (b"ab", b"abc", b"abcd")
    assert closed.first([b"abcd"]) == (b"cd", b"bcd", b"abcd")
    long = Instance({"ab" * 3000: 1}, 5000, merges=MergeCondition())
    assert ClosedTokens(long).first([b"ab" * 2]) == (b"ab", b"abab")


def test_integers_may_be_large():
    """Two of them side by side are more than one number of 64 bits can hold."""
    one, other = 2**62 - 1, 2**62 - 2
    words = WordCounts.from_counts({(one, other): 3, (other, one): 1}, "ints")
    closed = ClosedTokens(Instance(words, 1, merges=MergeCondition()))
    found, tokens = closed.search([(other, one)], Deadline())
    assert (found.tokens, tokens) == (((one, other),), 5)
