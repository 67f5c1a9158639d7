"""Segmentation kernels against their rules written out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.greedy import priority, shortest_path
from shared.properties import tries

from partcover import InputError, Vocabulary, WordCounts, segment

text = st.text("ab", max_size=12) | st.text("abcé", max_size=8) | st.just("a" * 40)
tokens_st = st.lists(
    (st.text("ab", min_size=2, max_size=6) | st.text("abcé", min_size=2, max_size=4)),
    unique=True,
    max_size=9,
)
RULES = {"shortest_path": shortest_path, "priority": priority}


@pytest.mark.long
@pytest.mark.parametrize("rule", RULES)
@tries(500)
@given(words=st.dictionaries(text.filter(bool), st.integers(1, 5), max_size=6), tokens=tokens_st)
@pytest.mark.parametrize("kind", ["bytes", "chars", "ints"])
def test_against_the_rule(rule, kind, words, tokens):
    turn = {"bytes": str.encode, "chars": str, "ints": lambda w: tuple(ord(c) * 2**33 for c in w)}
    words = {turn[kind](w): c for w, c in words.items()}
    vocabulary = Vocabulary([turn[kind](t) for t in tokens], kind)
    counted = WordCounts.from_counts(words, kind)
    result = segment(counted, vocabulary, rule, threads=2)
    expected = [RULES[rule](w, vocabulary.tokens) for w in words]
    assert [result.of(i) for i in range(len(words))] == expected
    assert result.pieces.tolist() == [len(e) for e in expected]
    assert result.tokens == sum(c * len(e) for c, e in zip(words.values(), expected, strict=True))
    assert result.tokens + result.cover == counted.total_symbols


def test_the_override_example_with_seven_tokens():
    # later tokens swallow earlier ones whole, and are kept out where they would cut one
    tokens = ["ab", "cd", "ef", "abcd", "bc", "cdef", "abcdef"]
    words = WordCounts.from_counts({"abcdef": 1, "xbcd": 1, "cdefab": 1})
    result = segment(words, Vocabulary(tokens), "priority")
    assert [result.of(i) for i in range(3)] == [
        [b"abcdef"],
        [b"x", b"b", b"cd"],
        [b"cdef", b"ab"],
    ]


def test_adjacent_copies_are_both_placed():
    words = WordCounts.from_counts({"ababab": 1, "aaaaa": 1})
    result = segment(words, Vocabulary(["ab", "aa"]), "priority")
    assert result.pieces.tolist() == [3, 3]


def test_bad_rule_and_symbols():
    words = WordCounts.from_counts({"ab": 1})
    with pytest.raises(InputError, match="unknown rule 'longest'"):
        segment(words, Vocabulary([]), "longest")
    with pytest.raises(InputError, match="vocabulary is over chars, the words are over bytes"):
        segment(words, Vocabulary([], "chars"))
