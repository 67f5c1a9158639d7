"""Pairs and cuts in the file of a certificate: given back as they were, and nothing believed."""

from __future__ import annotations

import base64
import json
import re
import tracemalloc
import zlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.bounds.certificate import planes, resealed
from shared.cut_strategies import pair, triangle

from partcover import (
    Certificate,
    InputError,
    Instance,
    MergeCondition,
    WordCounts,
    check_certificate,
)
from partcover.problem.certificates.cuts import Cut, PackedPairs, unpacked
from partcover.problem.certificates.nodes import Leaf

AB, BC, CA = b"ab", b"bc", b"ca"


def certified(bits: int = 0) -> tuple[Instance, Certificate]:
    """The triangle, with a second cut that counts nothing."""
    instance, leaf = triangle(bits)
    leaf = replace(leaf, cuts=(*leaf.cuts, Cut((CA, BC, AB), 0, 1)))
    return instance, Certificate.of(instance, (leaf,), 16, bits)


@pytest.mark.parametrize("bits", [0, 20, 30, 31, 52])
def test_files_give_back_what_was_saved(tmp_path, bits):
    instance, certificate = certified(bits)
    certificate.save(tmp_path / "P.cert")
    content = json.loads((tmp_path / "P.cert").read_text())
    assert content == certificate.to_json()
    assert content["version"] == 1
    loaded = Certificate.load(tmp_path / "P.cert")
    assert loaded.to_json() == content
    assert check_certificate(instance, loaded) == check_certificate(instance, certificate)
    assert check_certificate(instance, loaded).ok
    leaf, first = loaded.tree[0], certificate.tree[0]
    assert leaf.cuts == first.cuts
    assert leaf.pair_tokens == first.pair_tokens
    for here, there in zip(unpacked(leaf.pairs, 1), first.pairs, strict=True):
        assert here.tokens == there.tokens
        assert here.positions.tolist() == there.positions.tolist()
        assert here.multipliers.tolist() == there.multipliers.tolist()


def test_a_plain_leaf_has_prices_alone():
    instance, certificate = certified()
    for bits in (20, 40):
        leaf = Leaf(certificate.tree[0].prices)
        assert leaf.is_plain
        content = Certificate.of(instance, (leaf,), 0, bits).to_json()
        assert list(content["tree"][0]) == ["prices"]


def test_reprs_say_what_is_there():
    _, certificate = certified()
    assert repr(certificate.tree[0]) == "Leaf(11 prices, 3 pairs, 2 cuts)"
    loaded = Certificate.from_json(certificate.to_json()).tree[0]
    assert re.fullmatch(r"Leaf\(\d+ bytes, 3 pairs, 2 cuts\)", repr(loaded))
    assert re.fullmatch(r"PackedPairs\(3 pairs, \d+ bytes\)", repr(loaded.pairs))
    assert repr(certificate.tree[0].pairs[0]) == "PairPrices(ab, bc, 1 multipliers)"
    assert repr(Leaf(None)) == "Leaf()"
    assert repr(MergeCondition()) == "MergeCondition(any merges)"
    merges = MergeCondition([("a", "b")], whole_words=True)
    assert repr(merges) == "MergeCondition(1 merges, whole_words)"


numbers = st.integers(0, 2**63 - 1)


@given(st.lists(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5), max_size=4))
def test_packed_pairs_give_back_what_was_packed(drawn):
    pairs = [
        pair((b"aa", b"ab"), sorted(p for p, _ in rows), [m for _, m in rows]) for rows in drawn
    ]
    packed = PackedPairs.of(pairs)
    assert len(packed) == len(pairs)
    again = packed.unpacked(5)
    for here, there in zip(again, pairs, strict=True):
        assert here.positions.tolist() == there.positions.tolist()
        assert here.multipliers.tolist() == there.multipliers.tolist()


def changed(**parts) -> dict:
    _, certificate = certified()
    content = certificate.to_json()
    node = content["tree"][0]
    for name in ("tokens", "multipliers"):  # of the pairs
        if name in parts:
            node["pairs"][name] = parts.pop(name)
    return resealed({**content, "tree": [{**node, **parts}]})


def test_the_file_is_as_its_description_says():
    instance, certificate = certified()
    node = certificate.to_json()["tree"][0]
    assert list(node) == ["prices", "pairs", "cuts"]
    assert node["pairs"]["tokens"] == [["ab", "bc"], ["bc", "ca"], ["ab", "ca"]]
    written = zlib.decompress(base64.b64decode(node["pairs"]["multipliers"]))
    assert written == zlib.decompress(base64.b64decode(planes([1] * 3, [1, 4, 7], [1] * 3)))
    assert node["cuts"][0] == CUT
    assert node["cuts"][1] == {"clique": ["ca", "bc", "ab"], "r": 1, "multiplier": 0}
    same = changed(multipliers=planes([1, 1, 1], [1, 4, 7], [1, 1, 1]))
    assert check_certificate(instance, Certificate.from_json(same)).ok


CUT = {"cycle": ["ab", "bc", "ca"], "multiplier": 2}


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"tokens": 7}, "the pairs of a leaf are not a list"),
        ({"tokens": [7, 8, 9]}, "the tokens of a pair are not a list"),
        ({"tokens": [["ab", 7]]}, "7 is not a token over bytes"),
        ({"tokens": [["ab", "bc"], []]}, "the tokens of a pair are none"),
        ({"pairs": {}}, "pairs of a leaf are not an object with"),
        ({"pairs": {"tokens": [["ab", "bc"]]}}, "pairs of a leaf are not an object with"),
        ({"pairs": 7}, "pairs of a leaf are not an object with"),
        ({"multipliers": None}, "the multipliers of a leaf cannot be unpacked"),
        ({"multipliers": "?"}, "the multipliers of a leaf cannot be unpacked"),
        ({"cuts": None}, "the cuts of a leaf are not a list"),
        ({"cuts": [7]}, "a cut of a leaf does not have the keys 'cycle' and 'multiplier'"),
        ({"cuts": [{**CUT, "clique": ["ab", "bc"]}]}, "a cut of a leaf does not have"),
        ({"cuts": [{**CUT, "more": 1}]}, "a cut of a leaf does not have"),
        ({"cuts": [{**CUT, "r": 1}]}, "a cut of a leaf does not have"),
        ({"cuts": [{"cycle": ["ab", "bc"]}]}, "a cut of a leaf does not have"),
        ({"cuts": [{"clique": ["ab", "bc"], "multiplier": 2}]}, "a cut of a leaf does not have"),
        ({"cuts": [{**CUT, "cycle": "abc"}]}, "the tokens of a cycle are not a list"),
        ({"cuts": [{**CUT, "cycle": []}]}, "the tokens of a cycle are none"),
        ({"cuts": [{**CUT, "cycle": ["ab", 7]}]}, "7 is not a token over bytes"),
        ({"cuts": [{**CUT, "links": 7}]}, "the links of a cut are not a list"),
        ({"cuts": [{**CUT, "links": [0.5]}]}, r"a link of a cut is 0\.5: it must be a whole"),
        ({"cuts": [{**CUT, "multiplier": True}]}, "the multiplier of a cut is True: it must be"),
        (
            {"cuts": [{"clique": ["ab", "bc", "ca"], "r": "1", "multiplier": 2}]},
            "the r of a cut is '1': it must be a whole",
        ),
        (
            {"cuts": [{"clique": ["ab", "bc", "ca"], "r": 0, "multiplier": 2}]},
            "the r of a clique is 0: it must be at least 1",
        ),
        ({"prices": None}, "a leaf without prices has pairs, cuts"),
    ],
)
def test_broken_files_are_named(parts, message):
    with pytest.raises(InputError, match=message):
        Certificate.from_json(changed(**parts))


@pytest.mark.parametrize(
    ("multipliers", "message"),
    [
        ("eJw=", "cannot be unpacked: the data ends too early"),
        ("AAAA", "cannot be unpacked"),
        (planes([1, 1]), "cannot be unpacked: the data ends too early"),
        (planes([1, 1, 1]), "cannot be unpacked: the data ends too early"),
        (planes([1, 1, 1], [1, 4, 7], [1, 1]), "cannot be unpacked: the data ends too early"),
        (planes([1, 1, 1], [1, 4, 7], [1, 1, 1, 1]), "continue after the last pair"),
        (
            planes([1, 12, 1], [1, *range(12), 7], [1] * 14),
            "'bc' and 'ca' have 12 multipliers: there must be 1 to 11",
        ),
        (planes([1, 2, 1], [1, 4, 1, 7], [1] * 4), "at symbol 5, where they do not overlap"),
        (planes([1, 0, 1], [1, 7], [1] * 2), "'bc' and 'ca' have 0 multipliers: there must be"),
        (planes([1, -1, 1], [1, 7], [1] * 2), "'bc' and 'ca' have -1 multipliers: there must be"),
        (
            planes([1 << 62] * 3),
            "'ab' and 'bc' have 4611686018427387904 multipliers: there must be",
        ),
        (planes([1, 1, 1], [1, 4, 6], [1, 1, 1]), "at symbol 6, where they do not overlap"),
        (planes([1, 1, 1], [1, 4, -7], [1, 1, 1]), "at symbol -7, where they do not overlap"),
        (planes([1, 1, 1], [1, 4, 7], [1, 1, -1]), "a multiplier that is not 1 to 2^63 − 1"),
    ],
)
def test_broken_multipliers_are_named(multipliers, message):
    instance, _ = certified()
    check = check_certificate(instance, Certificate.from_json(changed(multipliers=multipliers)))
    assert (check.ok, check.lower_bound) == (False, 0)
    assert message in check.problems[0]


def test_a_checksum_of_packed_multipliers_is_noticed():
    instance, certificate = certified()
    packed = bytearray(base64.b64decode(certificate.to_json()["tree"][0]["pairs"]["multipliers"]))
    packed[-1] ^= 1
    broken = changed(multipliers=base64.b64encode(packed).decode())
    check = check_certificate(instance, Certificate.from_json(broken))
    assert "cannot be unpacked" in check.problems[0]
    broken = changed(multipliers=base64.b64encode(packed[:-1]).decode())
    check = check_certificate(instance, Certificate.from_json(broken))
    assert "continue after the last pair" in check.problems[0]


@pytest.mark.long
@pytest.mark.parametrize("sizes", [[1, 1, 1], [1 << 25] * 3])
def test_no_more_is_unpacked_than_words_have_symbols(sizes):
    instance, _ = certified()
    first = zlib.decompress(base64.b64decode(planes(sizes)))
    bomb = base64.b64encode(zlib.compress(first + bytes(1 << 28))).decode()
    assert len(bomb) < 1 << 19
    tracemalloc.start()
    try:
        broken = Certificate.from_json(changed(multipliers=bomb))
        assert not check_certificate(instance, broken).ok
        assert tracemalloc.get_traced_memory()[1] < 1 << 23
    finally:
        tracemalloc.stop()


def test_cuts_without_pairs_are_written_and_checked():
    instance, certificate = certified()
    leaf = Leaf(certificate.tree[0].prices, cuts=certificate.tree[0].cuts)
    content = Certificate.of(instance, (leaf,), 0, 0).to_json()
    loaded = Certificate.from_json(content)
    assert loaded.to_json() == content
    check = check_certificate(instance, loaded)
    assert (check.problems, check.lower_bound) == ((), 8)


@pytest.mark.parametrize("symbols", ["bytes", "chars", "ints"])
def test_every_alphabet(symbols):
    words: list = ["abc", "bca", "cab"]
    if symbols == "ints":
        words = [tuple(map(ord, word)) for word in words]
    counts = WordCounts.from_counts(dict.fromkeys(words, 2), symbols)
    instance = Instance(counts, 2, max_length=2)
    ab, bc, ca = sorted(word[:2] for word, _ in counts)
    pairs = (pair((ab, bc), [1], [1]), pair((bc, ca), [4], [1]), pair((ab, ca), [7], [1]))
    leaf = Leaf(np.ones(9, np.int32), (), pairs, (Cut((ab, bc, ca), 2),))
    certificate = Certificate.of(instance, (leaf,), 12, 0)
    loaded = Certificate.from_json(json.loads(json.dumps(certificate.to_json())))
    assert check_certificate(instance, loaded).ok
