"""Inspections against their definitions written out: uses, parts, what two do not share."""

from __future__ import annotations

import numpy as np
import pytest
from analysis.cases import needed, tokens_st, words_st
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import segmentation as oracle
from oracles.greedy import priority, shortest_path
from shared.properties import tries

from partcover import Vocabulary, WordCounts, segment
from partcover.analysis import token_gains as gains_module
from partcover.analysis.difference import difference
from partcover.analysis.inspection import inspect_vocabulary
from partcover.analysis.missing_words import missing_words

odd_token = st.lists(
    st.sampled_from(["a", "b", "é", "日", "\udce6", "\udc97", "\udcc3"]), min_size=1, max_size=8
)
odd_token = odd_token.map(lambda parts: "".join(parts).encode("utf-8", "surrogateescape"))
odd_token = odd_token.filter(lambda token: len(token) > 1)


@tries(200)
@given(words=words_st, tokens=tokens_st, rule=st.sampled_from(["shortest_path", "priority"]))
def test_uses_are_counted_under_the_rule(words, tokens, rule):
    words = {word.encode(): count for word, count in words.items()}
    vocabulary = Vocabulary(tokens, rule=rule)
    result = inspect_vocabulary(vocabulary, WordCounts.from_counts(words))
    cut = {"shortest_path": shortest_path, "priority": priority}[rule]
    pieces = {word: cut(word, vocabulary.tokens) for word in words}
    assert result.uses.tolist() == [
        sum(count * pieces[word].count(token) for word, count in words.items())
        for token in vocabulary.tokens
    ]
    assert result.tokens == needed(words, vocabulary.tokens, cut)
    assert result.tokens == result.single_symbols + result.uses.sum()
    assert result.whole_words.tolist() == [token in words for token in vocabulary.tokens]
    rows = result.to_json()["vocabulary"]
    assert [row["uses"] for row in rows] == result.uses.tolist()
    assert [row["occurrences"] for row in rows] == [
        sum(c * sum(w.startswith(token, i) for i in range(len(w))) for w, c in words.items())
        for token in vocabulary.tokens
    ]
    assert sum(row["uses"] for row in result.by_length()) == result.uses.sum()


def test_uses_beyond_what_floats_hold():
    words = WordCounts.from_counts({"ab": 2**53 + 1, "abx": 1})
    assert inspect_vocabulary(Vocabulary(["ab"]), words).uses.tolist() == [2**53 + 2]


def test_characters_cut_and_lengths():
    result = inspect_vocabulary(Vocabulary(["é", b"\xc3\xa9a", b"\xa9a", b"a\xc3", "ab"]))
    assert result.splits_character.tolist() == [False, False, True, True, False]
    assert result.by_length() == [{"length": 2, "tokens": 4}, {"length": 3, "tokens": 1}]
    assert not inspect_vocabulary(Vocabulary(["éa"], "chars")).splits_character.any()


def test_parts_of_merges():
    pairs = [("a", "b"), ("ab", "c"), ("c", "d")]
    vocabulary = Vocabulary(["ab", "abc", "cd"], rule="merges", merges=pairs)
    assert inspect_vocabulary(vocabulary).parts.tolist() == [True, False, False]
    # without pairs: what a token is merged from by those before it
    vocabulary = Vocabulary(["ab", "abc", "cd", "bcd", "abab"], rule="merges")
    assert inspect_vocabulary(vocabulary).parts.tolist() == [True, False, True, False, False]
    # the long one first: its symbols merge into it by those that come later
    vocabulary = Vocabulary(["abcd", "ab", "cd", "bc"], rule="merges")
    assert inspect_vocabulary(vocabulary).parts.tolist() == [False, True, True, False]


def last_parts(pieces, tokens):
    while len(pieces) > 2:
        possible = oracle.possible_merges(pieces, tokens, None)
        if not possible:
            break
        pieces = oracle.merged(pieces, possible[0][1])
    return pieces


@tries(200)
@given(tokens=st.lists(odd_token, unique=True, max_size=9))
@example(tokens=["日".encode(), "日a".encode(), "é".encode(), b"a\xc3", b"aaa\xc3", b"aa"])
def test_parts_of_merges_are_those_just_before_the_whole(tokens):
    def characters(token):
        text = token.decode("utf-8", "surrogateescape")
        return tuple(c.encode("utf-8", "surrogateescape") for c in text)

    bytes_of = [tuple(oracle.split(token)) for token in tokens]
    texts = [characters(token) if oracle.is_text(token) else () for token in tokens]
    texts = [parts if len(parts) > 1 else () for parts in texts]
    for rule, pieces in (("merges", bytes_of), ("character_merges", texts), ("priority", [])):
        expected = {part for parts in pieces for part in last_parts(parts, tokens)}
        vocabulary = Vocabulary(tokens, rule=rule)
        result = inspect_vocabulary(vocabulary).parts
        assert result.tolist() == [token in expected for token in tokens]
        assert (
            inspect_vocabulary(vocabulary.with_(rule="shortest_path"), rule=rule).parts.tolist()
            == result.tolist()
        )


def test_parts_of_pairs():
    pairs = [("a", "b"), ("b", "c"), ("a", "bc"), ("日", "b")]
    for rule, expected in (
        ("merges", [0, 1, 0]),
        ("character_merges", [0, 1, 0]),
        ("priority", [0, 0, 0]),
    ):
        vocabulary = Vocabulary(["ab", "bc", "abc"], "chars", rule=rule, merges=pairs[:3])
        assert inspect_vocabulary(vocabulary).parts.tolist() == expected


def test_what_occurs_once_occurs():
    words = WordCounts.from_counts({b"abc": 1, b"bcbc": 2})
    data = inspect_vocabulary(Vocabulary([b"ab", b"bc", b"xy"]), words).to_json()
    assert (data["never_occur"], data["never_used"]) == (1, 2)


def test_difference():
    words = WordCounts.from_counts({"abab": 3, "cd": 2})
    here = inspect_vocabulary(Vocabulary(["ab", "abab", "cd"]), words)
    there = inspect_vocabulary(Vocabulary(["ba", "cd", "ab"], rule="priority"), words)
    result = difference(here, there)
    assert result.shared == 2
    assert (result.only_here, result.only_there) == (((b"abab", 3, 3),), ((b"ba", 3, 0),))
    assert (result.tokens_here, result.tokens_there) == (5, 11)
    two = [inspect_vocabulary(Vocabulary(tokens)) for tokens in (["ab"], ["ab", "cd"])]
    sizes = difference(*two)
    assert (sizes.only_there, sizes.tokens_here) == (((b"cd", None, None),), None)


def test_threads_and_order_of_words_change_nothing():
    generator = np.random.default_rng(5)
    words = {
        bytes(generator.integers(97, 101, size)): int(generator.integers(1, 50))
        for size in generator.integers(1, 12, 200).tolist()
    }
    tokens = sorted({word[:3] for word in words if len(word) > 2})
    vocabulary = Vocabulary(tokens)
    one = WordCounts.from_counts(words)
    other = WordCounts.from_counts(sorted(words.items()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gains_module, "SLICE", 100)
        first = (
            inspect_vocabulary(vocabulary, one).to_json(),
            missing_words(vocabulary, one).to_json(),
        )
        again = (
            inspect_vocabulary(vocabulary, other, threads=2).to_json(),
            missing_words(vocabulary, other, threads=2).to_json(),
        )
    assert first == again
    assert first[0]["tokens"] == segment(one, vocabulary).tokens
