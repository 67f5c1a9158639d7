"""Cutting whole texts at spaces changes no token."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import tries

from partcover import InputError, Vocabulary, WordCounts, segment
from partcover.analysis.word_borders import cut_at_spaces

TOKENS = st.tuples(st.sampled_from(["", " ", "  "]), st.text("abé\n", min_size=2, max_size=3)).map(
    "".join
)
RULES = ["shortest_path", "priority", "longest_match", "merges", "character_merges", "likelihood"]


@pytest.mark.parametrize("rule", RULES)
@tries(20)
@given(
    texts=st.lists(st.text("ab  é\n", min_size=1, max_size=20), min_size=1, max_size=3),
    tokens=st.lists(TOKENS, unique=True, max_size=6),
)
def test_no_token_changes(rule, texts, tokens):
    use = {"scores": [-len(token) / 3 for token in tokens]} if rule == "likelihood" else {}
    if rule == "likelihood":
        use["symbol_scores"] = dict.fromkeys("abé \n", -1.0)
    vocabulary = Vocabulary(tokens, "chars", rule=rule, **use)
    whole = WordCounts.from_texts(texts, pretokenizer="none", symbols="chars")
    cut = cut_at_spaces(whole, vocabulary)
    assert cut.total_symbols == whole.total_symbols
    assert segment(cut, vocabulary).tokens == segment(whole, vocabulary).tokens


def test_a_token_that_no_merges_make_is_not_made_a_word():
    words = WordCounts.from_texts(["a aa"], pretokenizer="none")
    assert cut_at_spaces(words, Vocabulary([" aa"], rule="merges")) is words
    made = Vocabulary([" aa", "aa"], rule="merges")
    assert len(cut_at_spaces(words, made)) == 2
    longer = WordCounts.from_counts({"a aa" * 9_000: 1})
    with pytest.raises(InputError, match="' aa' is made by no merges"):
        cut_at_spaces(longer, Vocabulary([" aa", "ab"], rule="merges"))


def test_a_token_that_reaches_across_matters_where_it_occurs():
    words = WordCounts.from_texts(["a b a b"], pretokenizer="none")
    assert cut_at_spaces(words, Vocabulary(["a b"])) is words
    assert len(cut_at_spaces(words, Vocabulary(["b c"]))) == 3
    with pytest.raises(InputError, match="'a b' reaches across words"):
        cut_at_spaces(WordCounts.from_counts({"a b" * 9_000: 1}), Vocabulary(["a b"]))
