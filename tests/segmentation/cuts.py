"""Words, tokens and cuts for the tests of segmentation."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import strategies as st
from shared.properties import tries

from partcover import WordCounts, segment
from partcover.kernels.segmentation._segment import INSIDE
from partcover.segmentation.cutters import sampler

text = st.text("ab", max_size=12) | st.text("abcé", max_size=8) | st.just("a" * 40)
words_st = st.lists(text.filter(bool), unique=True, min_size=1, max_size=8)
token = st.text("ab", min_size=2, max_size=6) | st.text("abcé", min_size=2, max_size=4)
tokens_st = st.lists(token, unique=True, max_size=9)
KINDS = {"bytes": str.encode, "chars": str, "ints": lambda w: tuple(ord(c) * 2**33 for c in w)}
kinds = pytest.mark.parametrize("kind", KINDS)
examples = tries(120)


def cut_all(words, vocabulary, rule=None, **how):
    counted = WordCounts.from_counts(dict.fromkeys(words, 1), vocabulary.symbols)
    result = segment(counted, vocabulary, rule, threads=2, **how)
    return [result.of(i) for i in range(len(words))]


def draw(words, vocabulary, rule, draws, **how):
    """`draws[w]` is the number of the draw of word w."""
    counted = [list(word) if isinstance(word, bytes) else [ord(c) for c in word] for word in words]
    kind = np.uint8 if vocabulary.symbols == "bytes" else np.int32
    data = np.array([s for word in counted for s in word], kind)
    offsets = np.cumsum([0, *map(len, words)])
    which = np.empty(len(data), np.int32)
    sampler(vocabulary, rule, **how)(data, offsets, 0, len(words), which, np.array(draws, np.int64))
    cuts = []
    for word, begin, end in zip(words, offsets, offsets[1:], strict=False):
        stops = [0, *(1 + np.flatnonzero(which[begin:end] != INSIDE)).tolist()]
        pieces = tuple(word[a:b] for a, b in pairwise(stops))
        ends = which[begin:end][np.array(stops[1:]) - 1].tolist()
        assert [vocabulary.tokens[t] for t in ends if t >= 0] == [p for p in pieces if len(p) > 1]
        cuts.append(pieces)
    return cuts


def chi_square(cuts, expected):
    """Pearson's statistic over its degrees of freedom, in their standard deviations from 1."""
    total = len(cuts)
    expected = {path: float(p) for path, p in expected.items() if p}
    counts = Counter(cuts)
    assert set(counts) <= set(expected)
    statistic = sum((counts[c] - total * p) ** 2 / (total * p) for c, p in expected.items())
    freedom = max(1, len(expected) - 1)
    return (statistic - freedom) / (2 * freedom) ** 0.5


@st.composite
def merge_lists(draw, alphabet="abé"):
    """Pairs of what is there so far: (tokens, merges), the merges in any order."""
    tokens, pairs = [], []
    for _ in range(draw(st.integers(0, 10))):
        pool = [*alphabet, *tokens]
        pair = draw(st.sampled_from(pool)), draw(st.sampled_from(pool))
        if pair not in pairs:
            pairs.append(pair)
            tokens = list(dict.fromkeys([*tokens, pair[0] + pair[1]]))
    return draw(st.permutations(tokens)), draw(st.permutations(pairs) | st.just(pairs))


scores_st = st.sampled_from([-1.0, -2.0, -3.5, -0.1, 0.0, 2.0]) | st.floats(-20, 1)
