"""What prices prove, counted in integers: as the check counts it, at any size of counts."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from bounds.counters import counter_of, token_of
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.bounds.certificate import slow_bound, sorted_symbols
from oracles.brute_force import useful
from shared.cut_strategies import pair, triangle
from shared.properties import tries
from shared.strategies import instances, prices, words_st

from partcover import Certificate, Corpora, InputError, Instance, WordCounts, lower_bound
from partcover.bounds.counting.price_counter import PriceCounter, largest
from partcover.bounds.counting.reduced_costs import reduced_costs
from partcover.bounds.price_report import price_report
from partcover.kernels.bounds._rewards import in_order, sums_before
from partcover.problem.certificates.nodes import Leaf
from partcover.verification.certificate_check import check_certificate


def slow_reward(instance: Instance, token, own: dict, one: int) -> int:
    """All sets of occurrences that do not overlap."""
    total, size = 0, len(token)
    for word, count in instance.words:
        at = [s for s in range(len(word)) if word[s : s + size] == token]
        at = [s for s in at if sum(own[word][s : s + size]) > one]
        best = 0
        for n_chosen in range(len(at) + 1):
            for chosen in combinations(at, n_chosen):
                if all(b - a >= size for a, b in pairwise(chosen)):
                    best = max(best, sum(sum(own[word][s : s + size]) - one for s in chosen))
        total += count * best
    return total


@tries(200)
@given(st.data())
def test_prices_prove_what_the_check_counts(data):
    instance = data.draw(instances())
    assume(len(useful(instance)) <= 14)
    counter = counter_of(instance)
    drawn = np.array(data.draw(prices(instance, counter.bits)), np.int32)
    stored = np.empty(len(drawn), np.int32)
    stored[sorted_symbols(instance.words)] = drawn
    value, _ = counter.count(stored, instance.k)
    claim = Certificate.of(instance, (Leaf(drawn),), 0, counter.bits)
    if not instance.groups:
        assert counter.bound(value) == slow_bound(instance, claim)
    assert counter.bound(value) == check_certificate(instance, claim).lower_bound
    again, rewards = counter.count(stored, instance.k, every=True)
    assert again == value
    own = {
        word: stored[begin:end].tolist()
        for (word, _), (begin, end) in zip(
            instance.words, pairwise(instance.words.offsets.tolist()), strict=True
        )
    }
    for number, reward in enumerate(rewards.tolist()):
        token = token_of(counter, number)
        assert reward == slow_reward(instance, token, own, counter.one), token


@tries(150)
@given(st.data())
def test_large_counts_are_counted_beyond_64_bits(data):
    small = data.draw(instances())
    assume(0 < len(useful(small)) <= 14 and not small.groups)
    large = st.sampled_from([1, 7, 10**9, 10**12, 2**45])
    words = {word: data.draw(large) for word, _ in small.words}
    instance = replace(small, corpus=WordCounts.from_counts(words, small.symbols))
    counter = counter_of(instance)
    counter.refine(counter.finest)
    drawn = np.array(data.draw(prices(instance, counter.bits)), np.int64)
    stored = np.empty(len(drawn), np.int64)
    stored[sorted_symbols(instance.words)] = drawn
    value, _ = counter.count(stored, instance.k)
    assert counter.count(stored, instance.k, every=True)[0] == value
    claim = Certificate.of(instance, (Leaf(drawn),), 0, counter.bits)
    assert counter.bound(value) == check_certificate(instance, claim).lower_bound
    assert counter.proven_by(claim) == counter.bound(value)
    # coarser prices, counted finer
    coarse = Certificate.of(instance, (Leaf(drawn >> (counter.bits - 20)),), 0, 20)
    assert counter.proven_by(coarse) == check_certificate(instance, coarse).lower_bound
    # in finer units these would be no numbers of 64 bits
    low = Certificate.of(instance, (Leaf(np.full(len(drawn), -(2**62))),), 0, 20)
    assert counter.proven_by(low) is None


def test_a_token_that_overlaps_itself_saves_no_more_than_all_symbols():
    instance = Instance({"a" * size: 2**46 + 1 for size in (600, 450, 300, 150)}, 1)
    counter = counter_of(instance)
    longest = max(instance.index.length.tolist())
    assert 0 < counter.largest_reward.min() <= counter.largest_reward.max() < 2**57
    assert counter.largest_reward[-1] == (2**46 + 1) * (longest - 1)
    prices = counter.rounded(np.full(len(instance.words.data), 1 / 150))
    every = counter.count(prices, 1, every=True)[0]
    assert [counter.count(prices, 1)[0] for _ in range(2)] == [every, every]


def test_required_tokens_may_have_more_than_63_bits_of_rewards_together():
    word = bytes(range(60))
    parts = [word[begin:end] for begin in range(60) for end in range(begin + 2, 61)]
    required = sorted(parts, key=len)[-601:-1]
    instance = Instance({word: 2**27}, 600, required=required)
    counter = counter_of(instance)
    value, _ = counter.count(np.full(60, counter.one), 600)
    assert value == 2**27 * (60 - sum(len(token) - 1 for token in required)) * counter.one


def test_prices_of_more_symbols_than_can_be_counted_are_shown():
    instance = Instance({"abab": 2**57, "ba": 2**57 + 1}, 1)
    prices = np.full(6, 1 << 20)
    claim = Certificate.of(instance, (Leaf(prices),), 0)
    (word,) = price_report(instance, claim, [b"abab"])
    assert (b"abab", 3.0 * 2**57, 3.0, True) in word.tokens
    assert (b"ba", 2.0**58 + 1, 1.0, False) in word.tokens
    assert counter_of(instance).proven_by(claim) is None


@given(st.lists(st.integers(0, 9), min_size=1), st.integers(0, 12))
def test_the_largest(values, count):
    ordered = sorted(values, reverse=True)
    total, smallest = largest(np.array(values, np.int64), count)
    assert total == sum(ordered[:count])
    huge = [value << 58 for value in values]
    assert largest(np.array(huge, np.int64), count)[0] == total << 58
    assert smallest == ([ordered[0], *ordered, *[0] * 20][count])


@given(st.lists(st.integers(0, 9), max_size=6), st.integers(0, 9), st.integers(0, 8))
def test_candidates_that_are_not_held_may_be_among_the_largest(values, most, count):
    """Any number of them, with a reward of at most `most` each."""

    def summed(rewards):
        return sum(sorted(rewards, reverse=True)[:count])

    unlisted = SimpleNamespace(largest_unseen=most)
    added = PriceCounter.others(unlisted, np.array(values, np.int64), count)
    assert added == summed([*values, *[most] * count]) - summed(values)


@pytest.mark.parametrize(("unseen", "cost"), [(0, -4), (5, -4), (7, -2), (9, 0), (12, 0)])
def test_one_that_is_not_held_may_take_the_place_of_a_token(unseen, cost):
    instance = Instance({"that": 3, "hat": 2}, k=1)
    costs, _ = reduced_costs(np.array([5, 9, 2]), np.zeros(3, bool), instance, unseen)
    assert costs.tolist() == [4, cost, 7]


def test_where_no_budget_is_left_no_token_can_be_forced_in():
    instance = Instance({"that": 3, "hat": 2}, k=1, required=["at"])
    costs, chosen = reduced_costs(np.array([5, 9, 2]), np.array([True, False, False]), instance)
    assert (costs.tolist(), chosen.tolist()) == ([0, 2**62, 2**62], [False] * 3)


def test_prices_are_explained():
    instance = Instance(WordCounts.from_words(["pearl", "the", "red", "heart"]), 2)
    bound = lower_bound(instance, iterations=1000)
    report = price_report(instance, bound.certificate, [b"heart"])[0]
    rewards = {token: reward for token, reward, _, _ in report.tokens}
    assert sum(best for _, _, _, best in report.tokens) <= 2
    assert rewards[b"heart"] == pytest.approx(sum(report.prices) - 1, abs=1e-6)
    for token, reward, worth, _ in report.tokens:
        assert 0 <= worth <= reward + 1e-6, token
    with pytest.raises(InputError, match="'pear' is not a word of this corpus"):
        price_report(instance, bound.certificate, [b"pear"])
    no_prices = replace(bound.certificate, tree=(Leaf(None),))
    with pytest.raises(InputError, match="the certificate has no prices"):
        price_report(instance, no_prices, [b"heart"])
    long = Instance({"a" * 1001: 1}, 1)
    with pytest.raises(InputError, match="a word of 1,001 symbols is too long to show"):
        price_report(long, no_prices, [b"a" * 1001])
    several = Instance(Corpora([instance.words, long.words], [1, 1]), 1)
    with pytest.raises(InputError, match="prices of several corpora cannot be shown"):
        price_report(several, no_prices, [b"heart"])


def test_prices_are_explained_with_cuts():
    instance, leaf = triangle(4)
    cuts = Certificate.of(instance, (leaf,), 16, 4)
    words = [b"abc", b"xy"]
    abc, xy = price_report(instance, cuts, words)
    assert abc.prices == (1, 1, 1)
    # worth nothing by what they pay, and a reward by the cut
    assert abc.tokens == ((b"ab", 2.0, 0.0, True), (b"bc", 2.0, 0.0, True))
    assert xy.tokens == ((b"xy", 2.0, 1.0, False),)
    less = replace(leaf, pairs=(pair((b"ab", b"bc"), [1], [4]), *leaf.pairs[1:]))
    abc, _ = price_report(instance, replace(cuts, tree=(less,)), words)
    assert abc.tokens == ((b"ab", 3.5, 0.75, True), (b"bc", 3.5, 0.75, True))
    assert counter_of(instance).proven_by(cuts) is None


def test_required_candidates_are_not_counted_twice():
    instance = Instance({"abc": 2, "bcd": 3}, 3, required=["ab", "bc", "cd"])
    counter = counter_of(instance)
    keys = counter.intervals.key.tolist()
    assert len(set(keys)) == len(keys)
    assert int(counter.fixed.sum()) == 3


@tries(50)
@given(words_st, st.sampled_from([np.int32, np.int64]), st.integers(0, 2**31))
def test_prices_along_the_text_and_in_another_order(words, dtype, seed):
    words = WordCounts.from_counts(words)
    random = np.random.default_rng(seed)
    prices = random.integers(-9, 9, len(words.data)).astype(dtype)
    order = random.permutation(len(words)).astype(np.int32)
    bounds = list(pairwise(words.offsets.tolist()))
    expected, total = [], 0
    for first, last in bounds:
        expected.append(total)  # before the separator
        for price in prices[first:last].tolist():
            expected.append(total)
            total += price
    assert sums_before(prices, words.offsets).tolist() == [*expected, total]
    arranged = in_order(prices, words.offsets, order)
    assert arranged.dtype == dtype
    assert arranged.tolist() == [
        price for w in order.tolist() for price in prices[slice(*bounds[w])].tolist()
    ]


def test_prices_are_held_in_32_bits_where_they_fit():
    counter = counter_of(Instance({"banana": 2, "bandana": 1}, 1))
    prices = np.array([-99.0, -16.0, -0.5, 0.0, 2**-30, 0.3, 1.0, 7.0])
    for bits in (24, 26, 27, 30):
        counter.refine(bits)
        units = counter.rounded(prices)
        assert units.dtype == (np.int32 if bits <= 26 else np.int64)
        expected = [round(min(max(price, -16.0), 1.0) * 2**bits) for price in prices.tolist()]
        assert units.tolist() == expected
