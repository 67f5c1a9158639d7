"""RandTrain against the chances of successive sampling."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.greedy import all_candidates
from shared.properties import tries

from partcover import GroupBudget, InputError, Instance, WordCounts
from partcover.trainers.random_tokens import draw, randtrain


def drawn_slowly(weights, k, seed):
    """The written rule, number by number."""
    bits = np.random.PCG64(seed)
    left = list(range(len(weights)))
    taken = []
    while left and len(taken) < k:
        total = sum(weights[i] for i in left)
        batch = []
        for r in bits.random_raw(4096).tolist():
            if r >= 2**64 // total * total:
                continue
            r %= total
            for i in left:
                r -= weights[i]
                if r < 0:
                    break
            if i not in batch:
                batch.append(i)
        taken += batch
        left = [i for i in left if i not in batch]
    return taken[:k]


@tries(15)
@given(
    st.lists(st.integers(1, 50) | st.integers(1, 2**57), min_size=1, max_size=12),
    st.integers(0, 14),
    st.integers(0, 2**64 - 1),
)
def test_draws_are_those_of_the_written_rule(weights, k, seed):
    assert draw(np.array(weights), k, seed).tolist() == drawn_slowly(weights, k, seed)


@pytest.mark.long
def test_numbers_past_the_last_multiple_are_passed_over():
    weights = [2**60, 2**61]  # one number in sixteen
    for seed in range(100):
        assert draw(np.array(weights), 2, seed).tolist() == drawn_slowly(weights, 2, seed)


@pytest.mark.long
def test_orders_come_as_often_as_successive_sampling_has_them():
    weights, runs = [1, 2, 3, 6], 4000
    seen = dict.fromkeys(permutations(range(4), 3), 0)
    for seed in range(runs):
        seen[tuple(draw(np.array(weights), 3, seed).tolist())] += 1
    square = Fraction(0)
    for order, times in seen.items():
        chance, left = Fraction(1), sum(weights)
        for i in order:
            chance *= Fraction(weights[i], left)
            left -= weights[i]
        square += (times - runs * chance) ** 2 / (runs * chance)
    assert 9.3 < square < 41.6  # 0.5 % of chi-square with 23 degrees on either side


def test_draws_stay_what_they_are():
    assert draw(np.array([5, 1, 1, 20, 3]), 5, 0).tolist() == drawn_slowly([5, 1, 1, 20, 3], 5, 0)
    assert draw(np.arange(1, 100), 6, 0).tolist() == [49, 55, 77, 63, 51, 50]


def test_a_larger_budget_goes_on_from_a_smaller():
    words = WordCounts.from_counts({b"banana": 3, b"bandana": 2, b"cabana": 9, b"an": 1})
    whole = randtrain(Instance(words, 60), seed=5)
    assert len(whole.vocabulary) == len(all_candidates(words.to_dict()))
    for k in (0, 1, 7, 20):
        part = randtrain(Instance(words, k), seed=5)
        assert part.vocabulary.tokens == whole.vocabulary.tokens[:k]
    other = randtrain(Instance(words, 60), seed=6)
    assert other.vocabulary.tokens != whole.vocabulary.tokens
    assert sorted(other.vocabulary) == sorted(whole.vocabulary)
    assert other.tokens == words.total_count


def test_options_are_supported_or_refused(monkeypatch):
    words = WordCounts.from_counts({b"abcd": 5, b"bcd": 7, b"xx": 1})
    fixed = randtrain(
        Instance(words, 4, required=[b"bcd"], prefix=[b"cd"], forbidden=[b"ab"], max_length=3)
    )
    assert fixed.vocabulary.tokens[:2] == (b"cd", b"bcd")
    assert len(fixed.vocabulary) == 4
    assert b"ab" not in fixed.vocabulary.tokens
    assert max(map(len, fixed.vocabulary)) <= 3
    listed = randtrain(Instance(words, 9, candidates=[b"bc", b"zz", b"abcd"]), weight="symbols")
    assert sorted(listed.vocabulary) == [b"abcd", b"bc"]
    with pytest.raises(InputError, match="randtrain does not support groups"):
        randtrain(Instance(words, 4, groups=[GroupBudget("long", 1, min_length=3)]))
    with pytest.raises(InputError, match="unknown weight 'length'"):
        randtrain(Instance(words, 4), weight="length")
    with pytest.raises(InputError, match=r"add up to 2\^62 or more: scale the counts down"):
        randtrain(Instance({"aaa": 2**60}, 4))
    monkeypatch.setattr("partcover.trainers.random_tokens._MAX_CANDIDATES", 3)
    with pytest.raises(InputError, match="randtrain is limited to 3: limit them by max_length or"):
        randtrain(Instance(words, 4))
