"""Small files of certificates whose check would take hours, or more memory than there is."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from partcover import (
    Certificate,
    HeadAndTail,
    InputError,
    Instance,
    MergeCondition,
    WordCounts,
    lower_bound,
)
from partcover.problem.certificates.cuts import Cut, PackedPairs, PairPrices
from partcover.problem.certificates.nodes import Branch, Charge, Leaf
from partcover.problem.merge_condition import MergeNeeds
from partcover.verification import certificate_check, leaf_terms
from partcover.verification.certificate_check import check_certificate
from partcover.verification.merge_check import unmade_tokens

INSTANCE = Instance({"abc": 1, "abd": 2}, k=1)


def comb_of(depth: int, prices) -> Certificate:
    """A tree whose every second subtree branches again."""
    tree = [node for n in range(depth) for node in (Branch(b"%d." % n), Leaf(prices))]
    return Certificate.of(INSTANCE, (*tree, Leaf(prices)), 3, scale_bits=0)


def test_deep_trees_are_refused():
    """Of n branches one below the other, leaves have n² / 2 tokens that are decided."""
    prices = np.zeros(6, np.int32)
    assert check_certificate(INSTANCE, comb_of(500, prices)).ok
    with pytest.raises(InputError, match=r"has 72,018,000 branches above its leaves together"):
        comb_of(12_000, prices)


def test_many_edges_are_refused():
    tokens = [b"%d." % n for n in range(12_000)]
    cycle, clique = Cut(tuple(tokens[1:]), 1), Cut(tuple(tokens), 1, 1)
    prices = np.zeros(6, np.int32)
    Certificate.of(INSTANCE, (Leaf(prices, cuts=(cycle,) * 9),), 3)
    with pytest.raises(InputError, match=r"has 143,988,000 tokens of edges of cuts together"):
        Certificate.of(INSTANCE, (Leaf(prices, cuts=(clique,)),), 3)
    few = tuple(tokens[:6500])
    halves = [Cut(few, 1, 1), Cut(few, 1, 2)]
    tree = (Branch(b"ab"), *(Leaf(prices, cuts=(cut,)) for cut in halves))
    with pytest.raises(InputError, match=r"has 84,487,000 tokens of edges of cuts together"):
        Certificate.of(INSTANCE, tree, 3)


@pytest.mark.parametrize(("price", "passes"), [(0, 1), (1, 41)])
def test_leaves_behind_one_that_proves_nothing_are_not_counted(monkeypatch, price, passes):
    counted = []

    def count(*arguments):
        counted.append(arguments)
        return lower_bounds(*arguments)

    lower_bounds = certificate_check.lower_bounds
    monkeypatch.setattr(certificate_check, "lower_bounds", count)
    monkeypatch.setattr(certificate_check, "ENTRIES_A_PASS", 0)
    check = check_certificate(INSTANCE, comb_of(40, np.full(6, price, np.int32)))
    assert (check.ok, check.lower_bound) == (True, 3 if price == 0 else 5)
    assert len(counted) == passes


def test_a_pair_twice_is_refused_before_it_is_looked_up():
    leaf = Leaf(np.zeros(6, np.int32), pairs=PackedPairs(((b"ab", b"bc"),) * 9, b"damaged"))
    check = check_certificate(INSTANCE, Certificate.of(INSTANCE, (leaf,), 3))
    assert check.problems == ("a leaf has the pair 'ab' and 'bc' twice",)


def test_more_multipliers_than_memory_holds_are_refused(monkeypatch):
    n = 10_000
    one = PairPrices((b"ab", b"bc"), np.arange(n), np.ones(n, np.int64))
    packed = PackedPairs.of([one])
    assert len(packed.unpacked(n)[0].positions) == n
    monkeypatch.setattr("partcover.runtime.memory.available_memory", lambda: 1 << 21)
    with pytest.raises(InputError, match=r"have 10,000 multipliers, which need about 3\.8 MiB"):
        packed.unpacked(n)


@pytest.mark.parametrize(("pays", "ok"), [(0, True), (1, False)])
def test_the_parts_of_a_long_token_are_not_all_made(pays, ok):
    """All of them together have a hundred million letters."""
    long = b"ab" * 5_000
    instance = replace(INSTANCE, merges=MergeCondition())
    proof = lower_bound(instance).certificate
    (leaf,) = proof.tree
    charges = (*leaf.charges, Charge(long, pays, ((long[:2], 1),)))
    proof = replace(proof, tree=(replace(leaf, charges=charges),))
    tracemalloc.start()
    try:
        assert check_certificate(instance, proof).ok == ok
        both = [long, long[:5_000]]
        assert unmade_tokens(both, MergeCondition(), INSTANCE) == both
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_merges_that_are_listed_often_count_once():
    pairs = [(b"a", b"b"), (b"ab", b"ab"), (b"abab", b"ab")]
    condition = MergeCondition(tuple(pairs * 1_000))
    assert list(condition.splits(b"abab")) == [(b"ab",)]
    assert MergeNeeds(condition, ()).of(b"ababab") == {b"ab", b"abab", b"ababab"}


def chain(text: bytes) -> tuple[Instance, Certificate]:
    """A word that merges make symbol by symbol, and a due to each token on the way."""
    condition = MergeCondition(tuple((text[:n], text[n : n + 1]) for n in range(1, len(text))))
    instance = Instance({text: 1}, 5, merges=condition)
    at = np.zeros(1, np.int64), np.ones(1, np.int64)
    dues = tuple(PairPrices((text[:n],), *at) for n in range(2, len(text) + 1))
    leaf = Leaf(np.ones(len(text), np.int32), pairs=dues)
    return instance, Certificate.of(instance, (leaf,), 1, 0)


@pytest.mark.long
def test_a_chain_of_merges_needs_little_memory():
    """What its tokens need are 125,000 tokens, and its candidates are as many."""
    instance, proof = chain(bytes(ord("a") + n * n % 23 for n in range(500)))
    tracemalloc.start()
    try:
        assert check_certificate(instance, proof).ok
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_endless_dues_are_refused(monkeypatch):
    instance, proof = chain(b"a" * 60)
    assert check_certificate(instance, proof).ok
    monkeypatch.setattr(leaf_terms, "_FREE_STEPS", 0)
    assert "too many others" in check_certificate(instance, proof).problems[0]


@pytest.mark.long
def test_long_words_of_a_head():
    words = WordCounts.from_counts({"ab" * 150: 9, "ba" * 140: 8, "abc": 2, "bab" * 100: 1})
    instance = Instance(HeadAndTail.of(words, 3), 2)
    certificate = lower_bound(instance, iterations=50, cuts=False).certificate
    check = check_certificate(instance, certificate)
    assert (check.ok, check.lower_bound) == (True, certificate.lower_bound)
