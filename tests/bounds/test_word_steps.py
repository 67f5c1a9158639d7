"""Steps whose arcs are made word by word, beside those whose arcs are held."""

from __future__ import annotations

import numpy as np
import pytest
from bounds.counters import counter_of
from hypothesis import given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens
from shared.properties import tries
from shared.strategies import instances, random_instance

from partcover import Instance, check_certificate, lower_bound
from partcover.bounds.steps import word_ascent as ascent
from partcover.bounds.steps.held_steps import HeldSteps
from partcover.kernels.steps._word_steps import WordSteps

SHARDS = 3


def both(counter, active):
    """Both kinds of steps over the arcs of some candidates, the most frequent first."""
    active = active[np.argsort(-(counter.hi - counter.lo)[active], kind="stable")]
    words, index = counter.instance.words, counter.instance.index
    arrays = [array[active] for array in (counter.lo, counter.hi, counter.length, counter.overlaps)]
    given = (words.offsets, words.counts, index.sa, index.word_of, *arrays)
    held, made = (
        steps(*given, np.zeros((3, len(words.data))), SHARDS) for steps in (HeldSteps, WordSteps)
    )
    return active, held, made


def assert_same(held, made, x):
    assert (made.n_arcs, made.cuts) == (held.n_arcs, held.cuts)
    assert made.n_links <= made.n_arcs
    for ours, theirs in zip(made.used(), held.used(), strict=True):
        assert ours.tolist() == theirs.tolist()
    assert made.price.tolist() == held.price.tolist()
    assert made.made.tolist() == held.made.tolist()
    assert made.distance() == held.distance()
    assert [made.cost(n, x) for n in range(SHARDS)] == [held.cost(n, x) for n in range(SHARDS)]
    gains = np.zeros((2, len(x)))
    held.gains(gains[0])
    made.gains(gains[1])
    assert gains[0].tolist() == gains[1].tolist()


def make_steps(steps, random, x):
    """Makes some steps and anchors; returns what they gain and how far they move."""
    told = []
    for _ in range(random.integers(1, 5)):
        if random.integers(0, 3) == 0:
            steps.anchor()
        weight, keep = random.uniform(0.5, 2), random.uniform(0.5, 1)
        ahead = x + random.uniform(-0.3, 0.3, len(x)).round()
        for shard in random.permutation(SHARDS).tolist():
            gain, moves = np.ones(len(x)), np.zeros(2)
            steps.step(shard, weight, keep, ahead, gain, moves)
            told.append((gain.tolist(), moves.tolist()))
    return told


def check(instance, seed):
    counter = counter_of(instance)
    random = np.random.default_rng(seed)
    n, size = len(counter.lo), len(instance.words.data)
    chosen = np.flatnonzero(random.integers(0, 4, n) > 0)
    active, held, made = both(counter, chosen)
    x = random.uniform(0, 1, len(active)).round(1)
    piece = random.integers(0, size + 1, size).astype(np.int32)
    before = np.cumsum([0.0, *random.uniform(0, 1.5, size)])
    price = random.uniform(0, 1, size)
    for steps in (held, made):
        steps.price[:] = price
        steps.start(piece, before, x)
        steps.anchor()
    assert_same(held, made, x)
    told = [make_steps(steps, np.random.default_rng(seed), x) for steps in (held, made)]
    assert told[0] == told[1]
    assert_same(held, made, x)
    # another active set takes the point
    which, start, flow, row = held.used()
    which = active[which]
    active, held, made = both(counter, np.flatnonzero(random.integers(0, 4, n) > 0))
    x = random.uniform(0, 1, len(active)).round(1)
    number = np.full(n, -1, np.int32)
    number[active] = np.arange(len(active))
    for steps in (held, made):
        steps.place(number[which], start, flow, row)
        steps.price[:] = price
    assert_same(held, made, x)
    told = [make_steps(steps, np.random.default_rng(seed), x) for steps in (held, made)]
    assert told[0] == told[1]
    assert_same(held, made, x)


@tries(100)
@given(instances(), st.integers(0, 2**31))
def test_the_same_numbers(instance, seed):
    check(instance, seed)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_numbers_where_candidates_overlap_themselves(seed):
    random = np.random.default_rng(seed)
    words = {"".join(random.choice(list("aab"), random.integers(1, 40))): 1 for _ in range(30)}
    check(Instance({**words, "a" * 50: 3, "ab" * 20: 2}, 4), seed)


def test_words_that_repeat_themselves_need_no_more_links_than_arcs():
    first, second = "a", "ab"
    while len(second) < 200:
        first, second = second, second + first
    check(Instance({first: 1, second: 1}, 1), 0)


@tries(20)
@given(st.integers(0, 2**31))
def test_the_same_numbers_of_larger_instances(seed):
    check(random_instance(seed, 3), seed)


@pytest.mark.parametrize("most", [5, 10**6])
def test_a_bound_of_the_few_arcs_that_promise_most_holds(monkeypatch, most):
    monkeypatch.setattr(ascent, "_FEW_ARCS", 0)
    monkeypatch.setattr(ascent, "MOST_ARCS", most)
    instance = Instance({"abab": 5, "babc": 4, "cab": 3, "abcabc": 1}, 2, required=["bc"])
    bound = lower_bound(instance)
    check = check_certificate(instance, bound.certificate)
    assert (check.ok, check.lower_bound) == (True, bound.lower_bound)
    assert bound.lower_bound == fewest_tokens(instance)


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 2])
def test_a_bound_does_not_depend_on_whether_arcs_are_held(monkeypatch, threads):
    random = np.random.default_rng(5)
    parts = ["".join(random.choice(list("abcd"), random.integers(1, 5))) for _ in range(20)]
    words = {
        "".join(random.choice(parts, random.integers(1, 5))): int(random.integers(1, 99))
        for _ in range(300)
    }
    instance = Instance(words, 20)
    held = lower_bound(instance, iterations=200, threads=threads)
    monkeypatch.setattr(ascent, "MOST_HELD_ARCS", 0)
    made = lower_bound(instance, iterations=200, threads=threads)
    assert made.lower_bound == held.lower_bound
    assert made.certificate.to_json() == held.certificate.to_json()
    assert made.x.tolist() == held.x.tolist()
