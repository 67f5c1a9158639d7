"""Measures of token sets, against slow and obvious counts."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries
from studies.cases import WORDS, pieces, tokens_st, words_st

from partcover import (
    Vocabulary,
    WordCounts,
    segment,
)
from partcover.analysis.metrics import (
    RENYI_ALPHA,
    overlaps,
    renyi_efficiency,
    symbol_uses,
    text_bytes,
    token_uses,
    use,
    whole_words,
)


@tries(150)
@given(words_st, tokens_st, st.sampled_from(["shortest_path", "priority", "longest_match"]))
def test_uses_are_those_of_the_pieces(counts, tokens, rule):
    words = WordCounts.from_counts(counts)
    vocabulary = Vocabulary(tokens)
    cut = segment(words, vocabulary, rule)
    uses = pieces(words, cut)
    assert token_uses(cut, len(tokens)).tolist() == [uses[token] for token in vocabulary]
    singles = sorted((piece, n) for piece, n in uses.items() if len(piece) == 1)
    assert symbol_uses(cut).tolist() == [n for _, n in singles]
    assert sum(uses.values()) == cut.tokens
    facts = use(cut, len(tokens))
    assert facts["used"] == sum(uses[token] > 0 for token in vocabulary)
    total = sum(uses.values())
    power = sum((n / total) ** 2.5 for n in uses.values())
    if len(uses) > 1:
        expected = math.log(power) / (1 - 2.5) / math.log(len(uses))
        assert facts["renyi_efficiency"] == pytest.approx(expected)
    else:
        assert facts["renyi_efficiency"] is None


def test_renyi_efficiency_of_their_tests():
    # the two texts of the authors' tokenization-scorer, and what its tests expect
    for text, expected in (
        ("pick @@ed pick @@l @@ed pick @@les", 0.8265064834225245),
        ("pick @@e @@d pick @@l @@e @@d pick @@l @@e @@s", 0.9204840242168808),
    ):
        uses = np.array(list(Counter(text.split()).values()), np.int64)
        assert renyi_efficiency(uses) == pytest.approx(expected, abs=1e-3)
    assert renyi_efficiency(np.array([3, 3, 3, 0])) == pytest.approx(1)
    assert renyi_efficiency(np.array([1, 1, 2]), 1) == pytest.approx(1.5 / math.log2(3))
    assert renyi_efficiency(np.array([5, 0])) is None


@tries(20)
@given(
    st.lists(st.sampled_from("abcdef"), min_size=2, max_size=40).filter(lambda t: set(t) > {t[0]})
)
def test_renyi_efficiency_of_their_package(pieces):
    scorer = pytest.importorskip("tokenization_scorer")
    theirs = scorer.score([" ".join(pieces)], metric="renyi", power=RENYI_ALPHA)
    uses = np.array(list(Counter(pieces).values()), np.int64)
    assert renyi_efficiency(uses) == pytest.approx(theirs)


def test_an_efficiency_is_never_below_zero():
    assert str(renyi_efficiency(np.array([2**60, 1]))) == "0.0"


def test_text_is_measured_in_bytes():
    counts = {"né": 2, "€𝄞x": 3}
    expected = sum(len(word.encode()) * count for word, count in counts.items())
    for kind in ("bytes", "chars"):
        assert text_bytes(WordCounts.from_counts(counts, kind)) == expected
    assert text_bytes(WordCounts.from_counts({(1, 2): 1}, "ints")) is None
    large = WordCounts.from_counts({"🙂": 2**61, "né": 2**61 - 1}, "chars")
    assert text_bytes(large) == 7 * 2**61 - 3
    assert text_bytes(WordCounts.from_counts({}, "chars")) == 0


@tries(100)
@given(tokens_st, tokens_st)
def test_overlaps(a, b):
    (pair,) = overlaps({"a": Vocabulary(a), "b": Vocabulary(b)})
    assert pair["shared"] == len(set(a) & set(b))
    assert pair["union"] == len(set(a) | set(b))
    assert pair["same_rank"] == sum(x == y for x, y in zip(a, b, strict=False))
    first = pair["first_difference"]
    if first is None:
        assert a == b
    else:
        assert a[: first - 1] == b[: first - 1]
        assert a[:first] != b[:first]


def test_whole_words():
    assert whole_words(WORDS, Vocabulary(["an", "ana", "band"])) == 2
