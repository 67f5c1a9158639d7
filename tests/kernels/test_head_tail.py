"""Known tokens in the words of a tail: found as in a loop, and the tolls that matter."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Instance, WordCounts
from partcover.kernels.bounds._head_tail import (
    KnownTokens,
    TokenSums,
    largest_classes,
    largest_of_tokens,
)

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


@pytest.mark.long
@tries(1000)
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


@pytest.mark.long
@tries(1000)
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


def test_a_word_goes_on_where_a_known_token_of_the_same_beginning_does():
    """Longer substrings are looked up only so: tokens are found whatever their beginnings."""
    word = list(range(20)) * 3
    tokens = [tuple(word[a:b]) for a, b in [(0, 2), (0, 4), (3, 8), (2, 23), (7, 19), (0, 60)]]
    known = KnownTokens(*laid_out(tokens, np.uint8), 60)
    expected = [3, 3, 3, 2, 3, 1]
    assert known.weights(*offsets_of([word]), np.ones(1, np.int64), 60).tolist() == expected


HEADS = st.dictionaries(st.text("ab", min_size=1, max_size=7), st.just(1), min_size=1)


@pytest.mark.long
@tries(1000)
@given(HEADS, st.data())
def test_the_largest_sum_of_a_token_inside(words, data):
    instance = Instance(WordCounts.from_counts(words), 1)
    index = instance.index
    inside = [word.decode() for word, _ in instance.words]
    tokens = data.draw(st.lists(st.text("abc", min_size=2, max_size=4), unique=True))
    sums = data.draw(st.lists(st.integers(0, 9), min_size=len(tokens), max_size=len(tokens)))
    rows = data.draw(st.permutations(range(len(inside))))
    rows = rows[: data.draw(st.integers(0, len(rows)))]
    row_of = np.full(len(inside), -1, np.int32)
    row_of[rows] = np.arange(len(rows))
    before = data.draw(st.lists(st.integers(0, 9), min_size=len(rows), max_size=len(rows)))
    largest = np.array(before, np.int64)
    found = index.find_tokens(token.encode() for token in tokens)
    lo, hi, sa = (np.asarray(part, np.int32) for part in (found.lo, found.hi, index.sa))
    largest_of_tokens(np.array(sums, np.int64), lo, hi, sa, index.word_of, row_of, largest)
    assert largest.tolist() == [
        max([old, *(n for token, n in zip(tokens, sums, strict=True) if token in inside[row])])
        for row, old in zip(rows, before, strict=True)
    ]


@pytest.mark.long
@tries(500)
@given(WORDS, st.integers(1, 8), st.sampled_from(SYMBOLS), st.data())
def test_the_largest_sum_of_a_class_inside(words, longest, symbols, data):
    bits, factor = 3, 0x9E3779B97F4A7C15
    dtype, unit = symbols
    classes = data.draw(st.lists(st.integers(0, 99), min_size=1 << bits, max_size=1 << bits))
    numbers = data.draw(st.lists(st.integers(0, len(words) - 1)))

    def class_of(token):
        key = 0
        for one in token:
            key = (key + one * unit + 1) * factor % 2**64
        return key >> (64 - bits)

    def expected(word):
        if len(word) > longest:
            return max(classes)
        places = [(a, b) for a in range(len(word)) for b in range(a + 2, len(word) + 1)]
        return max([0, *(classes[class_of(word[a:b])] for a, b in places if b - a < len(word))])

    flat, offsets = offsets_of(words, unit)
    array = np.array(numbers, np.int32)
    found = largest_classes(np.array(classes), longest, flat.astype(dtype), offsets, array)
    assert found.tolist() == [expected(words[n]) for n in numbers]
