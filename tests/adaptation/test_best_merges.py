"""The best tokens that merges can make, against all such sets."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.greedy import all_candidates, shortest_path
from shared.properties import tries

from partcover import Instance, MergeCondition, Vocabulary, WordCounts, extend, solve
from partcover.adaptation.joined_pieces import _merges_of

WORDS = st.dictionaries(
    st.lists(st.integers(0, 2), min_size=1, max_size=5).map(tuple),
    st.integers(1, 5),
    min_size=1,
    max_size=3,
)


def is_closed(tokens):
    there = set(tokens)
    return all(
        any(
            all(len(part) == 1 or part in there for part in (token[:cut], token[cut:]))
            for cut in range(1, len(token))
        )
        for token in tokens
    )


def needed(words, tokens):
    return sum(count * len(shortest_path(word, tokens)) for word, count in words.items())


@pytest.mark.long
@tries(40)
@given(words=WORDS, m=st.integers(1, 3))
def test_no_merges_need_fewer(words, m):
    pool = sorted(all_candidates(words))
    sets = [s for size in range(min(m, len(pool)) + 1) for s in combinations(pool, size)]
    best = min(needed(words, s) for s in sets if is_closed(s))
    counts = WordCounts.from_counts(words, "ints")
    found = solve(Instance(counts, m, merges=MergeCondition()))
    assert is_closed(found.vocabulary)
    assert (found.status, needed(words, list(found.vocabulary))) == ("optimal", best)
    made = [left + right for left, right in _merges_of(found.vocabulary)]
    assert made == sorted(found.vocabulary, key=lambda token: (len(token), token))
    extended = extend(Vocabulary([], "ints", rule="merges", merges=[]), counts, m)
    assert extended.lower_bound == best <= extended.tokens
