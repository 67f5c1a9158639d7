"""The table of known tokens: how often each is in words, beside a loop over all substrings."""

from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from partcover.kernels._head_tail import KnownTokens

WORDS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=9), min_size=1)
TOKENS = st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=6).map(tuple), unique=True)
SYMBOLS = [(np.uint8, 1), (np.int32, 100_000), (np.int64, 2**40)]


@settings(max_examples=1000, deadline=None)
@given(WORDS, TOKENS, st.integers(2, 7), st.sampled_from(SYMBOLS))
def test_tokens_are_found_in_words(words, tokens, longest, symbols):
    dtype, unit = symbols
    flat = np.array([s for token in tokens for s in token], np.int64) * unit
    length = np.array([len(token) for token in tokens], np.int32)
    place = np.cumsum(length, dtype=np.int64) - length
    known = KnownTokens(flat.astype(dtype), place, length, longest)
    data = np.array([s for word in words for s in word], np.int64) * unit
    offsets = np.cumsum([0, *map(len, words)])
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
