"""The train/test split: nothing is lost, and every occurrence is as likely to be drawn."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries
from studies.cases import words_st

from partcover import (
    InputError,
    WordCounts,
)
from partcover.corpus.files.holdout import split


@tries(100)
@given(words_st, st.floats(0.05, 0.95), st.integers(0, 3))
def test_a_split_loses_nothing(counts, share, seed):
    words = WordCounts.from_counts(counts)
    n_test = round(share * words.total_count)
    if n_test in (0, words.total_count):
        with pytest.raises(InputError, match="too few"):
            split(words, share, seed=seed)
        return
    rest, held_out = split(words, share, seed=seed)
    assert held_out.total_count == n_test
    both = Counter(rest.to_dict()) + Counter(held_out.to_dict())
    assert both == words.to_dict()
    backwards = WordCounts.from_counts(list(reversed(list(words))))
    assert split(backwards, share, seed=seed)[1].to_dict() == held_out.to_dict()


def test_a_split_draws_evenly():
    words = WordCounts.from_counts({"a": 60, "b": 30, "c": 10})
    drawn = [split(words, 0.2, seed=seed)[1].to_dict() for seed in range(300)]
    means = [sum(d.get(word, 0) for d in drawn) / 300 for word in (b"a", b"b", b"c")]
    # standard errors are 0.11, 0.11 and 0.07
    assert means == pytest.approx([12, 6, 2], abs=0.5)
    assert len({tuple(sorted(d.items())) for d in drawn}) > 20
    for share in (0, 1, -1, math.nan):
        with pytest.raises(InputError, match="share"):
            split(words, share)
    with pytest.raises(InputError, match="fewer than"):
        split(WordCounts.from_counts({"a": 10**9}), 0.5)
