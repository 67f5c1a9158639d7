"""Candidates chosen on each domain, against the same done by the slow GreedTok."""

from __future__ import annotations

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.greedy import all_candidates, greedy, shortest_path
from shared.properties import tries

from partcover import InputError, Instance, WordCounts, greedtok
from partcover.studies.domains import by_domain, compare_domains, joined

counts = st.dictionaries(st.text("ab", min_size=1, max_size=6), st.integers(1, 9), max_size=4)
domains_st = st.lists(counts, min_size=1, max_size=3)


@tries(60)
@given(domains_st, st.integers(0, 6), st.sampled_from([0.1, 0.5, 1.0, 2.0]))
def test_by_domain_is_greedtok_twice(parts, k, share):
    solution = by_domain([WordCounts.from_counts(part, "chars") for part in parts], k, share)
    whole = {}
    union = set()
    for part in parts:
        chosen, *_ = greedy(part, all_candidates(part), ceil(round(share * k, 6)), relaxed=False)
        union |= set(chosen)
        for word, count in part.items():
            whole[word] = whole.get(word, 0) + count
    chosen, *_ = greedy(whole, union, k, relaxed=False)
    assert list(solution.vocabulary) == list(chosen)
    assert solution.extra["tokens_shortest_path"] == sum(
        count * len(shortest_path(word, chosen)) for word, count in whole.items()
    )
    assert solution.candidates == len(union)


def test_one_domain_is_the_whole():
    words = WordCounts.from_counts({"papaya": 3, "impact": 2, "pay": 9, "ampaya": 4})
    alone, whole = by_domain([words], 5), greedtok(Instance(words, 5))
    assert alone.vocabulary.tokens == whole.vocabulary.tokens
    assert alone.gains == whole.gains
    assert alone.policy == {"candidates": "list"}


def test_a_share_is_taken_as_it_is_written():
    words = WordCounts.from_counts({f"{i}x": 1 for i in range(40)})
    assert 0.07 * 100 > 7  # as it is stored
    assert by_domain([words], 100, 0.07).extra["domain_tokens"] == [7]


def test_joined_adds_counts():
    one, two = WordCounts.from_counts({"a": 1, "b": 2}), WordCounts.from_counts({"b": 5, "c": 1})
    assert list(joined([one, two])) == [(b"a", 1), (b"b", 7), (b"c", 1)]


def test_bad_domains():
    words = WordCounts.from_counts({"ab": 1})
    with pytest.raises(InputError, match="no domains"):
        by_domain([], 1)
    with pytest.raises(InputError, match="different symbols: bytes, chars"):
        by_domain([words, WordCounts.from_counts({"ab": 1}, "chars")], 1)
    for share in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(InputError, match="share is"):
            by_domain([words], 1, share)
    with pytest.raises(InputError, match="names are x, x: each of the 2 domains needs"):
        compare_domains([words, words], 1, names=["x", "x"])


def test_domains_are_counted_under_the_shortest_path():
    one = WordCounts.from_counts({"bc": 100, "ab": 10, "cd": 9})
    two = WordCounts.from_counts({"abcd": 1})  # a|bc|d in order of priority, and ab|cd
    for row in compare_domains([one, two], 3, names=["one", "two"]):
        assert row["domains"] == {"one": 119, "two": 2}
        assert (row["tokens"], row["tokens_shortest_path"]) == (122, 121)
