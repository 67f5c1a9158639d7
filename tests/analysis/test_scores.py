"""Scores of a vocabulary, and parity between corpora, against slow and obvious counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies.cases import tokens_st, words_st

from partcover import InputError, Vocabulary, WordCounts, segment
from partcover.analysis.parity import gini, parity
from partcover.analysis.scores import score_words


@given(words_st, tokens_st, st.sampled_from(["shortest_path", "priority", "longest_match"]))
def test_scores_are_those_of_the_pieces(counts, tokens, rule):
    words = WordCounts.from_counts(counts)
    vocabulary = Vocabulary(tokens)
    cut = segment(words, vocabulary, rule)
    pieces = [(cut.of(index), count) for index, (_, count) in enumerate(words)]
    scores = score_words(vocabulary, words, rule)
    assert scores.tokens == sum(len(parts) * count for parts, count in pieces)
    assert scores.whole == sum(count for parts, count in pieces if len(parts) == 1)
    assert scores.used == len({part for parts, _ in pieces for part in parts} & set(vocabulary))
    assert scores.used + scores.never_used == len(tokens)
    assert scores.bytes == sum(len(word) * count for word, count in counts.items())
    assert scores.fertility == scores.tokens / sum(counts.values())


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=8))
def test_gini_is_the_mean_difference(values):
    n = len(values)
    differences = sum(abs(a - b) for a in values for b in values)
    assert gini(values) == pytest.approx(differences / (2 * n * sum(values)))
    named = {str(place): value for place, value in enumerate(values)}
    measured = parity(named)
    assert (measured.gini, measured.worst_over_best) == (gini(values), max(values) / min(values))
    assert parity(named, named).worst_over_best == 1


def test_what_has_no_parity():
    for tokens, references in (({}, None), ({"a": 0}, None), ({"a": 1}, {"a": 0}), ({"a": 1}, {})):
        with pytest.raises(InputError):
            parity(tokens, references)
