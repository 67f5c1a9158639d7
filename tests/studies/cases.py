"""Words, strategies and methods that stop early, for tests of several studies."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import strategies as st

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
