"""Cutting whole texts at spaces changes no token."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Vocabulary, WordCounts, extend, segment
from partcover.analysis.word_borders import split_at_every_space, split_at_spaces

TOKENS = st.text("ab  ▁é\n", min_size=2, max_size=5)
RULES = ["shortest_path", "priority", "longest_match", "merges", "character_merges", "likelihood"]
INNER = re.compile(r"(?<=[^ ▁])(?=[ ▁])")


def cut_slowly(text, tokens):
    """Cuts a text where a space follows another character and no token occurs across."""
    parts, begin = [], 0
    for place in [found.start() for found in INNER.finditer(text)]:
        if not any(
            text[first : first + len(token)] == token
            for token in tokens
            for first in range(max(0, place - len(token) + 1), place)
        ):
            parts.append(text[begin:place])
            begin = place
    return [*parts, text[begin:]]


@pytest.mark.parametrize("symbols", ["chars", "bytes"])
@pytest.mark.parametrize("rule", RULES)
@tries(30)
@given(
    texts=st.lists(st.text("ab  ▁é\n", min_size=1, max_size=20), min_size=1, max_size=3),
    tokens=st.lists(TOKENS, unique=True, max_size=6),
)
def test_no_token_changes(rule, symbols, texts, tokens):
    use = {"scores": [-len(token) / 4 for token in tokens]} if rule == "likelihood" else {}
    vocabulary = Vocabulary(tokens, symbols, rule=rule, **use)
    whole = WordCounts.from_texts(texts, pretokenizer="none", symbols=symbols)
    cut = split_at_spaces(whole, vocabulary)
    assert cut.total_symbols == whole.total_symbols
    assert segment(cut, vocabulary).tokens == segment(whole, vocabulary).tokens
    if rule != "merges":  # which may leave more together
        slowly = Counter(part for text in texts for part in cut_slowly(text, tokens))
        assert cut.to_dict() == WordCounts.from_counts(slowly, symbols).to_dict()
    every = WordCounts.from_counts(
        Counter(part for text in texts for part in cut_slowly(text, [])), symbols
    )
    assert split_at_every_space(cut).to_dict() == every.to_dict()


def test_a_token_that_no_merges_make_is_not_made_a_word():
    words = WordCounts.from_texts(["a aa b"], pretokenizer="none")
    cut = split_at_spaces(words, Vocabulary([" aa"], rule="merges"))
    assert sorted(cut.to_dict()) == [b" aa b", b"a"]
    made = Vocabulary([" aa", "aa"], rule="merges")
    assert len(split_at_spaces(words, made)) == 3
    at_end = WordCounts.from_texts(["b a aa"], pretokenizer="none")
    cut = split_at_spaces(at_end, Vocabulary([" aa", "ab"], rule="merges"))
    assert sorted(cut.to_dict()) == [b" a aa", b"b"]
    # what was joined may be such a token, too
    cut = split_at_spaces(at_end, Vocabulary([" aa", " a aa"], rule="merges"))
    assert sorted(cut.to_dict()) == [b"b a aa"]


def test_a_token_that_reaches_across_matters_where_it_occurs():
    words = WordCounts.from_texts(["a b a b"], pretokenizer="none")
    assert split_at_spaces(words, Vocabulary(["a b"])).to_dict() == {b" a b": 1, b"a b": 1}
    assert len(split_at_spaces(words, Vocabulary(["b c"]))) == 3
    ints = WordCounts.from_counts({(1, 32, 1): 1}, "ints")
    assert split_at_spaces(ints, Vocabulary([(1, 32)], "ints")) is ints
    assert split_at_every_space(ints) is ints


def test_texts_that_metaspace_does_not_split_are_split_to_extend():
    name = '{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":false}'
    words = WordCounts.from_texts(["the hat that the cat"] * 3, pretokenizer=name)
    base = Vocabulary(["▁", "▁the"], rule="likelihood", scores=[-2.0, -3.0], pretokenizer=name)
    found = extend(base, words, 3)
    assert found.tokens < segment(words, base).tokens
    assert not any("▁" in token.decode()[1:] for token in found.vocabulary)
