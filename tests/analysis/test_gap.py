"""The gap of a vocabulary, split into its tokens and its rule."""

from __future__ import annotations

import pytest

from partcover import InputError, Instance, Vocabulary, solve, split_gap

INSTANCE = Instance({"that": 3, "hat": 2, "cat": 2}, k=3)


def test_the_parts_add_up():
    bound = solve(INSTANCE).tokens
    found = split_gap(INSTANCE, Vocabulary(["th", "hat", "never"]), bound, "priority")
    assert (found.k, found.size, found.never_occur) == (3, 3, 1)
    assert (found.tokens, found.tokens_shortest_path) == (17, 14)
    assert found.gap == (17 - bound) / 17
    assert found.gap == pytest.approx(found.vocabulary_gap + found.rule_gap)
    assert found.rule_gap == 3 / 17


def test_a_bound_for_fewer_tokens_says_nothing():
    with pytest.raises(InputError, match="the vocabulary has 2 tokens, but k is 1"):
        split_gap(INSTANCE.with_k(1), Vocabulary(["th", "hat"]), 9)
    with pytest.raises(InputError, match="needs 14 tokens, fewer than the lower bound 15"):
        split_gap(INSTANCE, Vocabulary(["th", "hat"]), 15)
