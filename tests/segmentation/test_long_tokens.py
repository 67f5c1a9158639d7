"""Tokens of hundreds of symbols and more: no rule looks at a symbol again and again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Vocabulary, WordCounts, segment
from partcover.segmentation import long_tokens
from partcover.verification.rule_recount import cut_by_rule

RULES = ["longest_match", "merges", "likelihood", "shortest_path"]


def repeated(unit, times):
    return (unit * times)[: 2 * times]


PARTS = st.builds(repeated, st.text("ab", min_size=1, max_size=3), st.integers(1, 200))
TOKENS = PARTS.filter(lambda token: len(token) > 1)


@pytest.mark.long
@pytest.mark.parametrize("rule", ["longest_match", "merges"])
@tries(200)
@given(
    tokens=st.lists(TOKENS, unique=True, max_size=8),
    long=st.text("ab", min_size=1, max_size=4),
    words=st.lists(st.lists(PARTS, min_size=1, max_size=4).map("".join), unique=True, min_size=1),
)
def test_words_of_long_tokens_are_cut_as_in_plain_python(rule, tokens, long, words):
    vocabulary = Vocabulary(dict.fromkeys([*tokens, long * 300]), rule=rule)
    counts = WordCounts.from_counts(dict.fromkeys(words, 1))
    cut = segment(counts, vocabulary)
    assert [cut.of(i) for i in range(len(counts))] == list(cut_by_rule(counts, vocabulary))


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_words_that_are_one_token(more, monkeypatch):
    """Whatever its place, and just as long as those that are looked at, or not."""
    long = "ab" * 5
    monkeypatch.setattr(long_tokens, "LONG", len(long) + more)
    for tokens in ([long, "ab"], ["ab", long], [long, "ba", "ab", long + "a"]):
        vocabulary = Vocabulary(tokens, rule="longest_match")
        for others in (["b" + long], [long + "a"], []):
            words = WordCounts.from_counts(dict.fromkeys([long, "abba", *others], 1))
            cut = segment(words, vocabulary)
            expected = list(cut_by_rule(words, vocabulary))
            assert [cut.of(i) for i in range(len(words))] == expected
            found = [vocabulary.tokens[number] for number in cut.which if number >= 0]
            assert found == [piece for pieces in expected for piece in pieces if len(piece) > 1]


@pytest.mark.long
@pytest.mark.parametrize("rule", RULES)
def test_a_token_and_a_word_of_megabytes(rule):
    token, word = "ab" * 500_000, "ab" * 900_000 + "c"
    scores = {"scores": [-1.0, -1.0]} if rule == "likelihood" else {}
    vocabulary = Vocabulary(["ab", token], rule=rule, **scores)
    cut = segment(WordCounts.from_counts({word: 1}), vocabulary)
    whole = 0 if rule == "merges" else 1  # no merges make the long one
    assert cut.tokens == whole + (900_000 - whole * 500_000) + 1
