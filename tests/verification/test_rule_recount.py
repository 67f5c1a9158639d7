"""The recount by each rule says what the kernels' cut does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Instance, Vocabulary, WordCounts, segment, trainers, verify
from partcover.verification.rule_recount import cut_by_rule, tokens_by_rule

WORDS = st.dictionaries(st.text("abé", min_size=1, max_size=7), st.integers(1, 5), min_size=1)
TOKENS = st.lists(st.text("abé", min_size=1, max_size=4), unique=True, max_size=6)
RULES = ["merges", "character_merges", "longest_match", "likelihood", "single_symbols"]
RULES.append("superword_merges")  # of words that are no phrases


@tries(150)
@given(
    words=WORDS,
    tokens=TOKENS,
    rule=st.sampled_from(RULES),
    symbols=st.sampled_from(["bytes", "chars"]),
    scores=st.lists(st.sampled_from([-1.0, -2.5, -4.25, -7.0]), min_size=6, max_size=6),
)
def test_as_the_kernels(words, tokens, rule, symbols, scores):
    size = (lambda t: len(t.encode())) if symbols == "bytes" else len
    tokens = [token for token in tokens if size(token) > 1]
    use = {"scores": scores[: len(tokens)], "symbol_scores": {"a": -3.0}}
    vocabulary = Vocabulary(tokens, symbols, rule=rule, **(use if rule == "likelihood" else {}))
    counted = WordCounts.from_counts(words, symbols)
    assert tokens_by_rule(counted, vocabulary) == segment(counted, vocabulary).tokens


@tries(300)
@given(
    words=st.dictionaries(st.text("abé☃", min_size=1, max_size=12), st.integers(1, 5), min_size=1),
    tokens=st.lists(st.text("abé☃", min_size=1, max_size=4), unique=True, max_size=8),
    scores=st.lists(
        st.sampled_from([-0.1, -0.2, -0.30000001192, -1 / 3, -1e5, -6e4, 7e4, -1e39]),
        min_size=8,
        max_size=8,
    ),
    sums=st.sampled_from(["text", "text32"]),
)
def test_sums_over_texts(words, tokens, scores, sums):
    tokens = [token for token in tokens if len(token.encode()) > 1]
    singles = {bytes([byte]): -0.3 if byte < 0x80 or byte >= 0xC0 else 0.0 for byte in range(256)}
    vocabulary = Vocabulary(
        tokens, rule="likelihood", scores=scores[: len(tokens)], symbol_scores=singles, sums=sums
    )
    counted = WordCounts.from_counts(words, "bytes")
    cut = segment(counted, vocabulary)
    assert [*map(len, cut_by_rule(counted, vocabulary))] == cut.pieces.tolist()


def test_large_sums_of_32_bits_are_restarted():
    """Otherwise the last score would be lost in the sum, and a and aa would be taken."""
    use = {"scores": [-100000.21], "symbol_scores": {"a": -70000.0, "b": -70000.01}}
    vocabulary = Vocabulary(["aa"], rule="likelihood", sums="text32", **use)
    words = WordCounts.from_counts({"aaa": 1})
    assert next(cut_by_rule(words, vocabulary)) == [b"aa", b"a"]
    assert segment(words, vocabulary).of(0) == [b"aa", b"a"]


@pytest.mark.parametrize(("sums", "cut"), [("text", [b"a", b"b"]), ("text32", [b"ab"])])
def test_scores_of_32_bits_are_equal_where_those_of_64_differ(sums, cut):
    use = {"scores": [-2.00000001], "symbol_scores": {"a": -1.0, "b": -1.0}}
    vocabulary = Vocabulary(["ab"], rule="likelihood", sums=sums, **use)
    words = WordCounts.from_counts({"ab": 1})
    assert next(cut_by_rule(words, vocabulary)) == segment(words, vocabulary).of(0) == cut


@pytest.mark.parametrize(("score", "cut"), [(-10.5, [b"a", b"bc"]), (-9.5, [b"ab", b"c"])])
def test_a_symbol_without_a_score_has_ten_less_than_the_lowest_one(score, cut):
    use = {"scores": [0.0, -20.0], "symbol_scores": {"c": score}}
    vocabulary = Vocabulary(["bc", "ab"], rule="likelihood", **use)
    words = WordCounts.from_counts({"abc": 1})
    assert next(cut_by_rule(words, vocabulary)) == segment(words, vocabulary).of(0) == cut


@pytest.mark.parametrize("name", ["bpe", "wordpiece", "unigram"])
def test_claims_are_confirmed_by_their_own_rule(name):
    words = WordCounts.from_counts({"banana": 4, "bandana": 2, "ananas": 3, "nab": 1})
    instance = Instance(words, 3)
    solution = getattr(trainers, name)(instance)
    assert tokens_by_rule(words, solution.vocabulary) == solution.tokens
    assert verify(instance, solution.vocabulary, claim=solution).ok
