"""Merging by rank in plain Python, and the parts of tokens, against the obvious ways."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partcover import Vocabulary
from partcover.vocabulary.merging import halves, merge, ranks

TEXTS = st.text("abc", min_size=1, max_size=12)


def obvious(parts, rank, fewest):
    """Looks at all neighbours before each step."""
    pieces = list(parts)
    while len(pieces) > fewest:
        ranked = [
            (number, place)
            for place, pair in enumerate(pairwise(pieces))
            if (number := rank(*pair)) is not None
        ]
        if not ranked:
            break
        _, place = min(ranked)
        pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
    return pieces


@given(TEXTS, st.lists(TEXTS.filter(lambda t: len(t) > 1), unique=True), st.integers(1, 3))
def test_merging_by_tokens_is_the_obvious_one(text, tokens, fewest):
    rank = ranks(Vocabulary(tokens, "chars", rule="merges"))
    assert merge(text, rank, fewest) == obvious(text, rank, fewest)


@given(TEXTS, st.lists(st.tuples(TEXTS, TEXTS), unique=True), st.integers(1, 3))
def test_merging_by_pairs_is_the_obvious_one(text, pairs, fewest):
    ranked = {pair: number for number, pair in enumerate(pairs)}

    def rank(*pair):
        return ranked.get(pair)

    assert merge(text, rank, fewest) == obvious(text, rank, fewest)


@given(TEXTS, st.sets(st.integers(1, 12)))
def test_the_halves_of_a_token_have_the_lengths(text, lengths):
    every = [(text[:at], text[at:]) for at in range(1, len(text))]
    right = [pair for pair in every if lengths.issuperset(map(len, pair))]
    assert list(halves(text, lengths)) == right


@pytest.mark.long
def test_long_words_are_merged_and_split():
    rank = ranks(Vocabulary(["aa", "aaaa", "aaa"], "chars", rule="merges"))
    assert merge("a" * 10**5, rank) == ["aaaa"] * (10**5 // 4)
    token = "ab" * 250_000
    assert list(halves(token, {1, 2, len(token) - 2, len(token)})) == [
        (token[:2], token[2:]),
        (token[:-2], token[-2:]),
    ]
