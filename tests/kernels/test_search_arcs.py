"""The arcs of a local search: those of a loop over words, places and tokens."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import InputError, WordCounts
from partcover.kernels.search._search_arcs import repeated_steps
from partcover.problem.word_index import WordIndex, arcs_of

WORDS = st.dictionaries(st.text("ab", min_size=1, max_size=9), st.integers(1, 9), min_size=1)
TOKENS = st.lists(st.text("ab", min_size=1, max_size=5), unique=True)


def listed(words, tokens):
    """The same as lists, word by word."""
    arcs, word_first, places = [], [0], [[] for _ in tokens]
    for w, (word, _) in enumerate(words):
        found = sorted(
            (start, start + len(token), c)
            for c, token in enumerate(tokens)
            for start in range(len(word))
            if word[start : start + len(token)] == token
        )
        latest = {}
        for start, end, c in found:
            at = len(arcs)
            head = arcs[latest[c]][3] if c in latest else at
            if c in latest:
                arcs[latest[c]][4] = at
            else:
                places[c].append((w, at))
            arcs.append([start, end, c, head, -1])
            latest[c] = at
        word_first.append(len(arcs))
    return arcs, word_first, places


@pytest.mark.long
@tries(1000)
@given(WORDS, TOKENS)
def test_arcs_are_those_of_a_loop(words, tokens):
    counts = WordCounts.from_counts(words)
    index = WordIndex(counts)
    intervals = index.find_tokens([token.encode() for token in tokens])
    found = arcs_of(index, intervals)
    arcs, word_first, places = listed(list(counts), [token.encode() for token in tokens])
    repeated = [
        sum(arcs[at][3] == at and arcs[at][4] >= 0 for at in range(a, b)) * (b - a)
        for a, b in pairwise(word_first)
    ]
    assert repeated_steps(found[0], found[1]) == sum(repeated)
    assert found[0].tolist() == arcs
    assert found[1].tolist() == word_first
    assert found[2].tolist() == [len(word) for word, _ in counts]
    assert found[3].tolist() == counts.counts.tolist()
    assert found[4].tolist() == np.cumsum([0, *map(len, places)]).tolist()
    assert found[5].tolist() == [w for of_token in places for w, _ in of_token]
    assert found[6].tolist() == [at for of_token in places for _, at in of_token]


def test_more_arcs_than_32_bits_number_are_refused():
    index = WordIndex(WordCounts.from_counts({"aaaa": 1}))
    one = index.find_tokens([b"a"])
    many = one._replace(hi=one.lo + np.int64(2**31))
    with pytest.raises(InputError, match="occur 2,147,483,648 times"):
        arcs_of(index, many)
