"""Certificates: never above the optimum, whatever the prices; and anything wrong is noticed."""

from __future__ import annotations

import base64
import json
import re
import tracemalloc
import zlib
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.bounds.certificate import resealed, slow_bound
from oracles.brute_force import fewest_tokens, useful
from oracles.greedy import shortest_path
from shared.properties import tries
from shared.strategies import instances, prices

from partcover import InputError, Instance, VerificationError, WordCounts, solve
from partcover.problem.certificates.certificate import (
    Branch,
    Certificate,
    Leaf,
    policy_digest,
)
from partcover.problem.group_budget import GroupBudget
from partcover.verification.certificate_check import check_certificate


@st.composite
def trees(draw, instance: Instance, bits: int, depth: int = 2) -> tuple:
    pool = sorted({*useful(instance), *instance.fixed, *instance.forbidden})
    if depth and pool and draw(st.booleans()):
        first, second = (draw(trees(instance, bits, depth - 1)) for _ in range(2))
        return (Branch(draw(st.sampled_from(pool))), *first, *second)
    if draw(st.integers(0, 3)) == 0:
        return (Leaf(None),)
    return (Leaf(np.array(draw(prices(instance, bits)), np.int32)),)


@pytest.mark.long
@tries(300)
@given(st.data())
def test_never_above_the_optimum(data):
    instance = data.draw(instances())
    assume(len(useful(instance)) <= 12)
    bits = data.draw(st.sampled_from([0, 1, 3, 20]))
    tree = data.draw(trees(instance, bits))
    claim = Certificate.of(instance, tree, 0, bits)
    check = check_certificate(instance, claim)
    best = fewest_tokens(instance)
    assert check.ok
    assert slow_bound(instance, claim) == check.lower_bound <= best
    more = check_certificate(instance, Certificate.of(instance, tree, check.lower_bound + 1, bits))
    assert not more.ok
    assert more.lower_bound == check.lower_bound


def proof() -> tuple[Instance, Certificate]:
    """The README's four words: a tree that proves the optimum, 8 tokens."""
    instance = Instance(WordCounts.from_words(["pearl", "the", "red", "heart"]), k=2)
    solution = solve(instance)
    certificate = solution.certificate
    assert solution.tokens == certificate.lower_bound == 8
    return instance, certificate


@st.composite
def grouped(draw) -> Instance:
    """An instance with group budgets, and perhaps protected tokens."""
    instance = draw(instances())
    assume(len(useful(instance)) <= 9)
    pool = sorted({*useful(instance), *instance.fixed})
    limit = st.integers(0, 2).map(lambda n: n + len(instance.fixed))
    listed = st.frozensets(st.sampled_from(pool)) if pool else st.just(frozenset())
    of_length = st.builds(GroupBudget, st.just("l"), limit, min_length=st.integers(2, 3))
    of_list = st.builds(GroupBudget, st.just("t"), limit, listed)
    return replace(instance, groups=draw(st.lists(of_length | of_list, min_size=1, max_size=2)))


def fewest_in_groups(instance: Instance) -> int:
    words = list(instance.words)
    pool, best = useful(instance), instance.words.total_symbols
    for size in range(instance.k - len(instance.fixed) + 1):
        for chosen in combinations(pool, size):
            tokens = [*instance.fixed, *chosen]
            if all(sum(t in group for t in tokens) <= group.limit for group in instance.groups):
                best = min(best, sum(c * len(shortest_path(w, tokens)) for w, c in words))
    return best


@pytest.mark.long
@tries(100)
@given(st.data())
def test_group_budgets(data):
    instance = data.draw(grouped())
    best = fewest_in_groups(instance)
    tree = []
    for node in data.draw(trees(instance, 3)):
        fees = data.draw(st.just(()) | st.tuples(*[st.integers(0, 12)] * len(instance.groups)))
        tree.append(node if isinstance(node, Branch) else Leaf(node.prices, fees))
    claim = Certificate.of(instance, tuple(tree), 0, 3)
    assert check_certificate(instance, claim).lower_bound <= best
    again = Certificate.from_json(json.loads(json.dumps(claim.to_json())))
    assert again.to_json() == claim.to_json()
    solution = solve(instance)
    certificate = solution.certificate
    assert (solution.tokens, certificate.lower_bound) == (best, best)


def test_fees_are_for_all_groups_or_none():
    instance, certificate = proof()
    leaf = Leaf(np.zeros(16, np.int32), (1,))
    check = check_certificate(instance, replace(certificate, tree=(leaf,)))
    assert check.problems == ("a leaf has 1 multipliers for 0 groups",)
    with pytest.raises(InputError, match="a multiplier of a group is -1"):
        replace(certificate, tree=(Leaf(leaf.prices, (-1,)),))


def test_a_fee_above_a_reward_gains_nothing():
    group = GroupBudget("t", 1, frozenset([b"ab", b"cd"]))
    instance = Instance({"ab": 4, "cd": 4}, 2, groups=[group])
    assert fewest_in_groups(instance) == 12
    for fee, bound in ((0, 8), (3, 11), (4, 12), (5, 11), (100, 8)):
        proof = Certificate.of(instance, (Leaf(np.ones(4, np.int32), (fee,)),), 0, 0)
        assert check_certificate(instance, proof).lower_bound == bound


def test_protected_tokens_are_in_every_proof():
    words = WordCounts.from_words(["pearl", "the", "red", "heart"])
    instance = Instance(words, 3, protected=["ear"])
    solution = solve(instance)
    certificate = solution.certificate
    assert b"ear" in solution.vocabulary.tokens
    assert certificate.lower_bound == solution.tokens
    assert not check_certificate(Instance(words, 3), certificate).ok


def test_order_of_words_does_not_matter():
    _, certificate = proof()
    turned = Instance(WordCounts.from_words(["heart", "red", "the", "pearl"]), k=2)
    assert check_certificate(turned, certificate).lower_bound == 8


def test_another_instance_is_noticed():
    instance, certificate = proof()
    words = instance.words.to_dict()
    for other in (
        Instance(WordCounts.from_counts({**words, b"the": 2}), 2),
        Instance(WordCounts.from_counts({**words, b"then": 1}), 2),
        Instance(instance.words, 3),
        Instance(instance.words, 1),
        Instance(instance.words, 2, max_length=4),
        Instance(instance.words, 2, min_count=2),
        Instance(instance.words, 2, required=[b"he"]),
        Instance(instance.words, 2, forbidden=[b"he"]),
        Instance(instance.words, 2, candidates=[b"he"]),
        Instance(instance.words, 2, groups=[GroupBudget("g", 2)]),
    ):
        check = check_certificate(other, certificate)
        assert (check.ok, check.lower_bound) == (False, 0)
        assert "the certificate is" in check.problems[0]


def test_each_price_counts():
    """A single price lowered: either the bound is not reached, or it did not need that price."""
    instance, certificate = proof()
    missed = 0
    for number, node in enumerate(certificate.tree):
        if isinstance(node, Leaf) and node.prices is not None:
            prices = node.unpacked(len(instance.words.data), certificate.scale_bits)
            for position in range(len(prices)):
                changed = prices.copy()
                changed[position] -= 1 << certificate.scale_bits
                tree = list(certificate.tree)
                tree[number] = Leaf(changed)
                check = check_certificate(instance, replace(certificate, tree=tuple(tree)))
                missed += not check.ok
    assert missed


def test_no_prices_prove_a_token_a_word():
    instance, certificate = proof()
    empty = replace(certificate, tree=(Leaf(None),), lower_bound=4)
    assert check_certificate(instance, empty).ok
    assert check_certificate(instance, replace(empty, lower_bound=5)).problems == (
        "lower bound 5 is claimed, but the prices prove 4",
    )


def test_the_only_vocabulary_of_a_case_is_counted():
    """A leaf without prices proves its tokens if k are chosen, or if nothing is left to choose."""
    instance = Instance({"abab": 1, "bab": 1}, 1, candidates=["ab", "ba"])
    tree = (Branch(b"ab"), Leaf(None), Branch(b"ba"), Leaf(None), Leaf(None))
    proof = Certificate.of(instance, tree, 4, 0)
    assert check_certificate(instance, proof).lower_bound == 4  # with ab, 2 + 2
    more = Certificate.of(instance.with_k(2), tree, 4, 0)
    check = check_certificate(instance.with_k(2), more)
    assert (check.ok, check.lower_bound) == (False, 2)  # with ab, ba may be chosen too


def test_policy_digest_says_what_limits_candidates():
    words = WordCounts.from_words(["abc"])
    first = policy_digest(Instance(words, 2))
    assert first == policy_digest(Instance(words, 3, threshold=5, source={"a": 1}))
    assert first != policy_digest(Instance(words, 2, max_length=2))


@tries(30)
@given(st.data())
def test_files_give_back_what_was_saved(tmp_path_factory, data):
    instance = data.draw(instances())
    certificate = Certificate.of(instance, data.draw(trees(instance, 5)), 3, 5)
    path = tmp_path_factory.getbasetemp() / "P.cert"
    certificate.save(path)
    again = Certificate.load(path)
    assert again.to_json() == certificate.to_json()
    for here, there in zip(again.leaves(), certificate.leaves(), strict=True):
        assert here[1:] == there[1:]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: {"tokens": []}, "not a partcover certificate"),
        (lambda data: {**data, "version": 2}, "version 2 of certificates is not supported"),
        (lambda data: {**data, "symbols": "runes"}, "unknown symbols 'runes'"),
        (lambda data: {**data, "k": "2"}, "'k' is missing or not valid"),
        (lambda data: {**data, "scale_bits": 53}, "scale_bits is 53: it must be from 0 to 52"),
        (lambda data: {**data, "tree": []}, "the tree has 1 subtree"),
        (lambda data: {**data, "tree": data["tree"] * 2}, "continues after its last leaf"),
        (lambda data: {**data, "tree": [{"leaf": 1}]}, "neither 'branch' nor 'prices'"),
        (lambda data: {**data, "tree": [{"prices": 7}]}, "cannot be unpacked"),
        (lambda data: {**data, "tree": [{"branch": "a"}]}, "'a', which is not a token"),
    ],
)
def test_broken_files_are_named(tmp_path, change, message):
    _, certificate = proof()
    path = tmp_path / "P.cert"
    path.write_text(json.dumps(resealed(change(certificate.to_json()))))
    with pytest.raises(InputError, match=rf"P\.cert: .*{message}"):
        Certificate.load(path)


def test_a_file_cut_short_or_changed(tmp_path):
    _, certificate = proof()
    path = tmp_path / "P.cert"
    certificate.save(path)
    text = path.read_text()
    path.write_text(text[: len(text) // 2])
    with pytest.raises(InputError, match=r"P\.cert:\d+: not JSON"):
        Certificate.load(path)
    path.write_text(text.replace('"lower_bound": 8', '"lower_bound": 7'))
    with pytest.raises(VerificationError, match=r"P\.cert: .* its checksum differs"):
        Certificate.load(path)


def packed(raw: bytes) -> list:
    return [{"prices": base64.b64encode(zlib.compress(raw)).decode()}]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: {**data, "scale_bits": 1}, r"a price is .*: it must be at most 2\^1"),
        (lambda data: {**data, "tree": [{"prices": "eJw="}]}, "cannot be unpacked"),
        (
            lambda data: {**data, "tree": packed(bytes(60))},
            "cannot be unpacked: the data ends too early",
        ),
        (lambda data: {**data, "tree": packed(bytes(65))}, "more prices than .* symbols, 16"),
        (
            lambda data: {**data, "tree": packed(bytes(63))},
            "cannot be unpacked: the data ends too early",
        ),
    ],
)
def test_broken_prices_are_named(change, message):
    instance, certificate = proof()
    broken = Certificate.from_json(resealed(change(certificate.to_json())))
    check = check_certificate(instance, broken)
    assert not check.ok
    assert check.lower_bound == 0
    assert re.search(message, check.problems[0])


@pytest.mark.long
def test_no_more_is_unpacked_than_words_have_symbols():
    instance, certificate = proof()
    bomb = packed(bytes(1 << 28))
    assert len(bomb[0]["prices"]) < 1 << 19
    tracemalloc.start()
    try:
        broken = Certificate.from_json(resealed({**certificate.to_json(), "tree": bomb}))
        assert not check_certificate(instance, broken).ok
        assert tracemalloc.get_traced_memory()[1] < 1 << 23
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("first", [False, True])
def test_a_chain_of_branches_takes_linear_memory(first):
    # leaves at the sides of a path: with the tokens above it each, and all at once, that is
    # half a million of them
    instance, certificate = proof()
    depth = 1_000
    tokens = [f"zz{i}".encode() for i in range(depth)]
    leaf = next(node for node in certificate.tree if isinstance(node, Leaf))
    branches = [Branch(token) for token in tokens]
    if first:
        tree = [*branches, *[leaf] * (depth + 1)]
    else:
        tree = [node for branch in branches for node in (branch, leaf)] + [leaf]
    chain = replace(certificate, tree=tuple(tree))
    tracemalloc.start()
    try:
        listed = sum(len(inside) + len(outside) for _, inside, outside in chain.leaves())
        assert listed == sum(range(1, depth + 1)) + depth
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert not check_certificate(instance, chain).problems[1:]


def test_leaves_are_looked_at_a_few_at_a_time(monkeypatch):
    instance, certificate = proof()
    leaf = next(node for node in certificate.tree if isinstance(node, Leaf))
    tokens = [b"zz", b"yy", b"xx"]
    chain = [node for token in tokens for node in (Branch(token), leaf)]
    chain = replace(certificate, tree=(*chain, leaf), lower_bound=0)
    whole = check_certificate(instance, chain)
    monkeypatch.setattr("partcover.verification.certificate_check.ENTRIES_A_PASS", 0)
    assert check_certificate(instance, chain) == whole


@pytest.mark.parametrize("entries", [0, 1 << 20])
def test_the_weakest_leaf_decides_in_whatever_pass_it_is(monkeypatch, entries):
    monkeypatch.setattr("partcover.verification.certificate_check.ENTRIES_A_PASS", entries)
    instance = Instance({"abc": 1, "abd": 1}, 1)
    # with "zz", and nothing else, the first proves 3; without it the second proves 4, the third 3
    first, second, third = (
        Leaf(np.array(prices, np.int32))
        for prices in ([2, 0, 0, 2, 2, 0], [2, 1, 2, 2, 1, 2], [2, 0, 2, 2, 0, 2])
    )
    for leaves in ((first, second), (second, third)):
        certificate = Certificate.of(instance, (Branch(b"zz"), *leaves), 4, 1)
        check = check_certificate(instance, certificate)
        assert (check.ok, check.lower_bound) == (False, 3)


def test_too_few_prices():
    instance, certificate = proof()
    leaf = Leaf(np.zeros(3, np.int32))
    check = check_certificate(instance, replace(certificate, tree=(leaf,)))
    assert check.problems == ("a leaf has 3 prices, but the words have 16 symbols",)


@pytest.mark.parametrize("bits", [30, 31, 52])
def test_fine_prices_are_written_and_read(tmp_path, bits):
    instance = Instance(WordCounts.from_counts({"abc": 3, "ab": 2}), 1)
    prices = np.array([1 << bits, (1 << bits) - 1, -(1 << bits) - 7, 1, 0], np.int64)
    certificate = Certificate.of(instance, (Leaf(prices),), 5, bits)
    certificate.save(tmp_path / "P.cert")
    loaded = Certificate.load(tmp_path / "P.cert")
    assert loaded.tree[0].unpacked(5, bits).tolist() == prices.tolist()
    assert loaded.to_json() == certificate.to_json()
    assert slow_bound(instance, certificate) == check_certificate(instance, loaded).lower_bound
