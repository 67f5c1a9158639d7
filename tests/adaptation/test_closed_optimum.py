"""The best tokens that are closed under parents, against all such sets."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.greedy import all_candidates, shortest_path
from properties import tries

from partcover import Instance, WordCounts
from partcover.adaptation.closed_optimum import closed_optimum
from partcover.runtime.limits import RunLimits

WORDS = st.dictionaries(
    st.lists(st.integers(0, 2), min_size=1, max_size=5).map(tuple),
    st.integers(1, 5),
    min_size=1,
    max_size=3,
)


def is_closed(tokens, given):
    there = {*tokens, *given}
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
@given(words=WORDS, m=st.integers(1, 3), data=st.data())
def test_no_closed_set_needs_fewer(words, m, data):
    pytest.importorskip("ortools")
    pool = sorted(all_candidates(words))
    given = data.draw(st.lists(st.sampled_from(pool), max_size=1)) if pool else []
    free = [token for token in pool if token not in given]
    sets = [s for size in range(min(m, len(free)) + 1) for s in combinations(free, size)]
    best = min(needed(words, [*given, *s]) for s in sets if is_closed(s, given))
    instance = Instance(WordCounts.from_counts(words, "ints"), m + len(given), prefix=given)
    found = closed_optimum(instance, RunLimits())
    assert found.is_proven
    assert is_closed(found.tokens, given)
    assert len(found.tokens) <= m
    assert needed(words, [*given, *found.tokens]) == best
    assert best - 1e-6 <= found.bound <= best + 1e-6
    if not given:
        made = [left + right for left, right in found.merges]
        assert made == list(found.tokens)
