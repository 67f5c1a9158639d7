"""Tokens that can never come out, against all short words."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Encoder, Vocabulary, WordCounts, segment
from partcover.analysis.reachability import unreachable_tokens

WORDS = ["".join(letters) for n in range(1, 8) for letters in product("ab", repeat=n)]
TOKENS = st.lists(st.text("ab", min_size=2, max_size=4), unique=True, max_size=5)


def come_out(vocabulary, words):
    cut = segment(WordCounts.from_counts(dict.fromkeys(words, 1), vocabulary.symbols), vocabulary)
    return {vocabulary.tokens[place] for place in cut.which.tolist() if place >= 0}


@tries(60)
@given(tokens=TOKENS, data=st.data())
@pytest.mark.parametrize("rule", ["merges", "character_merges", "likelihood", "priority"])
def test_none_of_them_comes_out_of_any_word(rule, tokens, data):
    use = {}
    if rule == "likelihood":
        use["scores"] = [data.draw(st.integers(-5, 0)) / 3 for _ in tokens]
        use["symbol_scores"] = {"a": -1.0, "b": -1 / 3}
    elif data.draw(st.booleans()) and rule != "priority":
        held = {*tokens, "a", "b"}
        pairs = [
            (token[:i], token[i:])
            for token in tokens
            for i in range(1, len(token))
            if {token[:i], token[i:]} <= held
        ]
        use["merges"] = data.draw(st.permutations(pairs))
    vocabulary = Vocabulary(tokens, "chars", rule=rule, **use)
    never = set(unreachable_tokens(vocabulary))
    out = come_out(vocabulary, WORDS)
    assert not never & out
    # each of the others comes out of the word that it is, but for ties of scores that rounding made
    if rule != "likelihood":
        assert set(tokens) == never | out


def test_a_token_that_cuts_a_character_is_never_merged_from_characters():
    tokens = ["né".encode(), b"n\xc3"]
    assert unreachable_tokens(Vocabulary(tokens, rule="character_merges")) == (b"n\xc3",)


def test_single_symbols_use_no_token():
    assert unreachable_tokens(Vocabulary(["ab"], rule="single_symbols")) == (b"ab",)
    assert unreachable_tokens(Vocabulary([])) == ()


def test_what_large_sums_lose_may_use_a_token():
    near = Vocabulary(
        ["ab", "cd"],
        rule="likelihood",
        scores=[-2.0 - 2.0**-8, -3.0],  # less than their parts: one by what large sums lose
        symbol_scores={"a": -1.0, "b": -1.0, "c": -1.0, "d": -1.0},
        pretokenizer="none",
        sums="text32",
    )
    assert unreachable_tokens(near) == (b"cd",)
    assert unreachable_tokens(near.with_(sums="word")) == (b"ab", b"cd")
    # and it does come out, where the last place is 2^-7
    assert Encoder(near).encode("d" * 70_000 + "ab")[-1] == 256
    assert Encoder(near).encode("ab") == [97, 98]
