"""Words and tokens that the tests of this folder share."""

from __future__ import annotations

from hypothesis import strategies as st
from oracles.greedy import shortest_path

words_st = st.dictionaries(
    st.text("ab", min_size=1, max_size=10) | st.text("abcé", min_size=1, max_size=7),
    st.integers(1, 9),
    min_size=1,
    max_size=6,
)
tokens_st = st.lists(
    st.text("ab", min_size=2, max_size=5) | st.text("abcé", min_size=2, max_size=4),
    unique=True,
    max_size=8,
)


def needed(words, tokens, cut=shortest_path):
    return sum(count * len(cut(word, tokens)) for word, count in words.items())
