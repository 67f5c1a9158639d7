"""Known tokens in the words of a tail: found as in a loop, and the tolls that matter."""

from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from partcover.kernels._head_tail import KnownTokens, TokenSums

WORDS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=9), min_size=1)
TOKENS = st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=6).map(tuple), unique=True)
SYMBOLS = [(np.uint8, 1), (np.int32, 100_000), (np.int64, 2**40)]


def laid_out(tokens, dtype, unit=1):
    """The symbols of tokens, where each begins, and how long it is."""
    flat = np.array([s for token in tokens for s in token], np.int64) * unit
    length = np.array([len(token) for token in tokens], np.int32)
    return flat.astype(dtype), np.cumsum(length, dtype=np.int64) - length, length


def offsets_of(words, unit=1):
    """The symbols of words, and where each begins."""
    flat = np.array([s for word in words for s in word], np.int64) * unit
    return flat, np.cumsum([0, *map(len, words)])


@settings(max_examples=1000, deadline=None)
@given(WORDS, TOKENS, st.integers(2, 7), st.sampled_from(SYMBOLS))
def test_tokens_are_found_in_words(words, tokens, longest, symbols):
    dtype, unit = symbols
    known = KnownTokens(*laid_out(tokens, dtype, unit), longest)
    data, offsets = offsets_of(words, unit)
    counts = np.arange(1, len(words) + 1)
    most = 8
    expected = [
        sum(
            count
            for word, count in zip(words, counts.tolist(), strict=True)
            for start in range(len(word))
            if len(word) <= most and tuple(word[start : start + len(token)]) == token
        )
        if len(token) <= longest
        else 0
        for token in tokens
    ]
    for table in (known, pickle.loads(pickle.dumps(known))):
        assert table.weights(data, offsets, counts, most).tolist() == expected


@settings(max_examples=1000, deadline=None)
@given(WORDS, TOKENS, st.data())
def test_tolls_that_decide_no_price_may_be_left_out(words, tokens, data):
    tolls = data.draw(st.lists(st.integers(-1, 40), min_size=len(tokens), max_size=len(tokens)))
    known = KnownTokens(*laid_out(tokens, np.uint8), 9)
    arrays = *offsets_of(words), np.arange(1, len(words) + 1)

    def summed(tolls):
        sums = TokenSums(known, np.array(tolls, np.int64), len(tokens), 3, 8, 8, 16)
        sums.add(*arrays)
        return sums

    first = summed(tolls)
    fewer = summed(np.where(first.used, tolls, -1))
    assert first.total == fewer.total
    assert first.sums.tolist() == fewer.sums.tolist()
    assert first.classes.tolist() == fewer.classes.tolist()
    assert not first.used[np.array(tolls, np.int64) < 0].any()


def test_a_token_that_costs_more_than_others_has_no_toll_that_decides():
    known = KnownTokens(*laid_out([(0, 1), (1, 2), (0, 1, 2)], np.uint8), 9)
    sums = TokenSums(known, np.array([8, 2, 7], np.int64), 3, 3, 8, 8, 16)
    sums.add(*offsets_of([[0, 1, 2]]), np.ones(1, np.int64))
    # 0 alone costs 8, and 1 and 2 cost 10 together; all three 15, and 0 with 1 what both alone do
    assert sums.used.tolist() == [True, True, True]
    sums = TokenSums(known, np.array([9, 2, 11], np.int64), 3, 3, 8, 8, 16)
    sums.add(*offsets_of([[0, 1, 2]]), np.ones(1, np.int64))
    assert sums.used.tolist() == [False, True, False]
