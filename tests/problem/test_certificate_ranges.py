"""Numbers of certificates that are out of range are refused in Python as they are in files."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import numpy as np
import pytest

from partcover import (
    Certificate,
    Corpora,
    HeadAndTail,
    InputError,
    Instance,
    WordCounts,
    check_certificate,
    improve,
    lower_bound,
)
from partcover.problem.certificates.cuts import Cut, PackedPairs, PairPrices
from partcover.problem.certificates.nodes import Branch, Charge, Leaf

PRICES, ONE = np.ones(3, np.int32), np.ones(1, np.int64)
WORDS = WordCounts.from_counts({"that": 9, "hat": 5, "chat": 1, "what": 1})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sixteenths": 160}, "sixteenths is 160: it must be from 0 to 16"),
        ({"sixteenths": 1.0}, r"sixteenths is 1\.0: it must be a whole number"),
        ({"class_bits": 0}, "class_bits is 0: it must be from"),
        ({"class_bits": 60}, "class_bits is 60: it must be from"),
        ({"token_multipliers": {b"ha": -1}}, "the multiplier of 'ha' is -1: it must be at"),
        (
            {"token_multipliers": {b"ha": 0.5}},
            r"the multiplier of 'ha' is 0\.5: it must be a whole",
        ),
        ({"token_multipliers": {b"h": 1}}, "a multiplier is for 'h'"),
        ({"token_multipliers": {7: 1}}, "a multiplier is for 7, which is not a token"),
        ({"token_multipliers": 7}, "the tail are 7: they must be pairs of a token and"),
        ({"head_words": 0}, "the words of the head is 0: it must be at"),
        ({"words": -1}, "the words of the tail is -1: it must be at"),
        ({"sha256": b"x"}, "the sha256 of the tail is b'x': it must be text"),
    ],
)
def test_tails(change, message):
    term = lower_bound(Instance(HeadAndTail.of(WORDS, 2), 1)).certificate.tail
    with pytest.raises(InputError, match=message):
        replace(term, **change)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ((1, -1), "a weight is -1: it must be at"),
        ((0, 0), "all weights of a leaf are 0"),
        ((0.5, 1), r"a weight is 0\.5: it must be a whole"),
    ],
)
def test_weights_of_leaves(weights, message):
    with pytest.raises(InputError, match=message):
        Leaf(None, weights=weights)


@pytest.mark.parametrize("weights", [(), (1,), (1, 1, 1)])
def test_a_leaf_has_a_weight_for_each_corpus(weights):
    instance = Instance(Corpora([WORDS, WORDS], [1, 1]), 1)
    certificate = lower_bound(instance).certificate
    (leaf,) = certificate.tree
    changed = replace(certificate, tree=(replace(leaf, weights=weights),), lower_bound=0)
    check = check_certificate(instance, changed)
    assert check.problems == (f"a leaf has {len(weights)} weights for 2 corpora",)
    one = lower_bound(Instance(WORDS, 1)).certificate
    (leaf,) = one.tree
    weighted = replace(one, tree=(replace(leaf, weights=(1,)),))
    check = check_certificate(Instance(WORDS, 1), weighted)
    assert check.problems == ("a leaf has weights of corpora, the instance has none",)
    for method in (lower_bound, improve):
        with pytest.raises(
            InputError, match="a leaf has weights of corpora, the instance has none"
        ):
            method(Instance(WORDS, 1), start_certificate=weighted)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": -1}, "k is -1: it must be at least"),
        ({"k": True}, "k is True: it must be a whole"),
        ({"lower_bound": 2.5}, r"lower_bound is 2\.5: it must be a whole number or a Fraction"),
        ({"lower_bound": True}, "lower_bound is True: it must be a whole number or a Fraction"),
        ({"symbols": "x"}, "unknown symbols 'x': use one of bytes, chars, ints"),
        ({"symbols": ["bytes"]}, "symbols is a list: it must be"),
        ({"words_sha256": None}, "words_sha256 is None: it must be text"),
        ({"policy_sha256": b"x"}, "policy_sha256 is b'x': it must be text"),
        ({"tree": 7}, "tree is 7: it must be a list"),
        ({"tree": "x"}, "tree is 'x': it must be a list"),
        ({"tree": [7]}, "the tree has 7: it must be of Branch and Leaf"),
        ({"tail": "x"}, "tail is 'x': it must be a TailTerm"),
        ({"scale_bits": 53}, "scale_bits is 53: it must be from 0 to 52"),
    ],
)
def test_certificates(change, message):
    certificate = lower_bound(Instance(WORDS, 1)).certificate
    with pytest.raises(InputError, match=message):
        replace(certificate, **change)


def test_certificates_hold_numbers_texts_and_lists_of_their_own():
    certificate = lower_bound(Instance(WORDS, 1)).certificate
    name = Enum("Name", {"BYTES": "bytes"}, type=str).BYTES
    other = replace(
        certificate, symbols=name, k=np.int64(1), tree=iter(certificate.tree), words_sha256=name
    )
    assert [type(value) for value in (other.symbols, other.k, other.tree)] == [str, int, tuple]
    assert Certificate.from_json(other.to_json()).to_json() == other.to_json()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Leaf(None, group_multipliers=(0.5,)),
            r"a multiplier of a group is 0\.5: it must be a whole",
        ),
        (
            lambda: Leaf(None, group_multipliers=(-1,)),
            "a multiplier of a group is -1: it must be at",
        ),
        (lambda: Leaf(np.array([0.5])), "prices are float64: they must be int32"),
        (lambda: Charge(b"abc", -1, ()), "a charge of 'abc' is -1: it must be at"),
        (lambda: Charge(b"abc", 0, ((b"ab", -1),)), "a charge of 'abc' is -1"),
        (lambda: Charge(None, 1, ()), "a charge is for None, which is not a token"),
        (lambda: Charge(b"abc", 0, ((7, 1),)), "a charge is for 7, which"),
        (lambda: Charge(b"abc", 0.5, ()), r"a charge of 'abc' is 0\.5: it must be a whole"),
        (lambda: Branch(7), "a branch is on 7, which is not a token"),
        (lambda: Branch([1, 2]), "a branch is on a list, which is not a token"),
        (lambda: Leaf([1, 2]), "prices are a list: they must be int32"),
        (lambda: Leaf("x"), "prices are 'x': they must be int32"),
        (lambda: Leaf(None, weights=7), "the weights of a leaf are not a list"),
        (lambda: Leaf(PRICES, cuts=7), "the cuts of a leaf are not a list"),
        (lambda: Leaf(PRICES, cuts=(7,)), "the cuts of a leaf have 7: each must be a Cut"),
        (lambda: Leaf(PRICES, charges=["x"]), "the charges of a leaf have 'x': each must be a Ch"),
        *(
            (lambda name=name: Leaf(PRICES, **{name: [None]}), f"the {name} of a leaf have None: ")
            for name in ("pairs", "orders", "links")
        ),
        (lambda: Leaf(PRICES, cuts=PackedPairs((), b"")), "the cuts of a leaf are not a list"),
        (lambda: Cut("abc", 1), "the tokens of a cut are not a list"),
        (lambda: Cut((b"ab", None), 1), "a cut has None, which is not a token"),
        (lambda: Cut((b"ab", b"bc", b"ca"), 1, links=7), "the links of a cut are not a list"),
        (lambda: Cut((b"ab", b"bc", b"ca"), 0.5), r"the multiplier of a cut is 0\.5: it must be"),
        (lambda: PairPrices(b"ab", ONE, ONE), "the tokens of a pair are not a list"),
        (lambda: PairPrices((b"ab", 7), ONE, ONE), "a pair has 7, which is not a token"),
        (lambda: PairPrices((b"ab", b"bc"), [1], ONE), "not equally many numbers of int64"),
        (lambda: PairPrices((b"ab", b"bc"), ONE, None), "not equally many numbers of int64"),
        (lambda: PairPrices((b"ab", b"bc"), ONE.sum(), ONE), "not equally many numbers of int64"),
        (lambda: PairPrices((b"ab", b"bc"), ONE[0, ...], ONE), "not equally many numbers of int64"),
    ],
)
def test_parts_of_certificates(make, message):
    with pytest.raises(InputError, match=message):
        make()
