"""Words, strategies and methods that stop early, for tests of several studies."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

from hypothesis import strategies as st
from oracles.greedy import shortest_path

from partcover import (
    InputError,
    WordCounts,
)
from partcover.studies.methods import METHODS

WORDS = WordCounts.from_counts(
    {"banana": 4, "bandana": 3, "ananas": 5, "nab": 2, "an": 9, "band": 1, "a": 3}
)


words_st = st.dictionaries(
    st.text("abc", min_size=1, max_size=7), st.integers(1, 9), min_size=1, max_size=8
)


tokens_st = st.lists(st.text("abc", min_size=2, max_size=4), unique=True, max_size=6)


few_words = st.dictionaries(
    st.text("ab", min_size=1, max_size=5), st.integers(1, 5), min_size=1, max_size=4
)


def needed(words, tokens):
    """The tokens that words need by the shortest path."""
    return sum(count * len(shortest_path(word, tokens)) for word, count in words.items())


def optimum(words, k, fixed=()):
    """The fewest tokens that words need with k more than those that are fixed."""
    found = {w[i:j] for w in words for i in range(len(w)) for j in range(i + 2, len(w) + 1)}
    found -= set(fixed)
    chosen = combinations(found, min(k, len(found)))
    return min(needed(words, [*fixed, *tokens]) for tokens in chosen)


def pieces(words, cut):
    """The pieces of every occurrence, one by one."""
    counts = Counter()
    for index, (_, count) in enumerate(words):
        for piece in cut.of(index):
            counts[piece] += count
    return counts


def cut_short(method, monkeypatch, after, termination="time_limit"):
    """Let a method stop after so many tokens."""
    run = METHODS[method].run

    def less(instance, **options):
        solution = run(instance.with_k(min(after, instance.k)), **options)
        if instance.k <= after:
            return solution
        return replace(solution, k=instance.k, termination=termination)

    monkeypatch.setitem(METHODS, method, replace(METHODS[method], run=less))


def limited(method, monkeypatch, lower, upper):
    """Let a method refuse other budgets than from `lower` to `upper`."""
    run = METHODS[method].run

    def some(instance, **options):
        if not lower <= instance.k <= upper:
            raise InputError(f"k is {instance.k}")
        return run(instance, **options)

    made = replace(METHODS[method], run=some, nested=False)
    monkeypatch.setitem(METHODS, method, made)
