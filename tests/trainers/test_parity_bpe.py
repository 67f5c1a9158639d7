"""Parity-aware BPE against a slow twin, and against BPE where all merges are global."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.trainers.parity import parity_bpe as slow
from shared.properties import tries
from shared.strategies import random_instance

from partcover import Corpora, InputError, Instance, WordCounts, trainers, verify
from partcover.analysis.by_corpus import tokens_by_corpus
from partcover.runtime.progress import Progress

tables_st = st.lists(
    st.dictionaries(st.text("abc", min_size=1, max_size=7), st.integers(1, 9), min_size=1),
    min_size=2,
    max_size=3,
)


@tries(50)
@given(tables=tables_st, k=st.integers(0, 8), data=st.data())
def test_is_the_slow_one(tables, k, data):
    references = data.draw(st.lists(st.integers(1, 50), min_size=len(tables), max_size=len(tables)))
    first = data.draw(st.integers(0, 4))
    corpora = [WordCounts.from_counts(table, "chars") for table in tables]
    instance = Instance(Corpora(corpora, references), k)
    solution = trainers.parity_bpe(instance, global_merges=first)
    merges, tokens = slow(tables, k, references, first)
    assert list(solution.vocabulary.merges) == merges
    assert [corpus.tokens for corpus in solution.corpora] == tokens
    assert sum(solution.extra["picked"].values()) == max(0, len(merges) - first)


def test_global_merges_are_bpe():
    corpora = [random_instance(seed, 1).words for seed in (1, 2, 3)]
    instance = Instance(Corpora(corpora, [1, 2, 3]), 60)
    solution = trainers.parity_bpe(instance, global_merges=1000)
    bpe = trainers.bpe(instance.joined)
    assert solution.vocabulary.merges == bpe.vocabulary.merges
    assert solution.tokens == bpe.tokens


def test_corpora_are_served_more_alike():
    corpora = [random_instance(seed, 1).words for seed in (1, 2, 3)]
    references = [words.total_symbols * n for n, words in enumerate(corpora, 2)]
    instance = Instance(Corpora(corpora, references), 30)
    fair = trainers.parity_bpe(instance)
    bpe = trainers.bpe(instance.joined).vocabulary
    common = max(instance.corpora.ratios(tokens_by_corpus(instance, bpe, rule="merges")))
    assert fair.worst <= common
    assert verify(instance, fair.vocabulary).worst <= fair.worst
    # a window lets no corpus pick all merges
    window = trainers.parity_bpe(instance, window=10, alpha=1.0)
    assert max(window.extra["picked"].values()) < max(fair.extra["picked"].values())


def test_limits():
    corpora = [random_instance(seed, 1).words for seed in (1, 2)]
    with pytest.raises(InputError, match="parity-bpe needs several corpora: one is given"):
        trainers.parity_bpe(Instance({"ab": 1}, 1))
    with pytest.raises(InputError, match="parity-bpe does not support"):
        trainers.parity_bpe(Instance(Corpora(corpora, [1, 1]), 3, max_length=4))
    none = trainers.parity_bpe(Instance(Corpora(corpora, [1, 1]), 3), time_limit=0)
    assert (none.termination, len(none.vocabulary)) == ("time_limit", 0)
    words = WordCounts.from_counts({"ab": 1})
    few = trainers.parity_bpe(Instance(Corpora([words, words.weighted({"ab": 2})], [1, 1]), 9))
    assert few.vocabulary.tokens == (b"ab",)
    assert [corpus.tokens for corpus in few.corpora] == [1, 2]


def test_every_merge_is_reported():
    class Reports(Progress):
        def advance(self, done, total, remark=""):
            seen.append((done, total))

    seen = []
    corpora = [WordCounts.from_counts({"abab": 2, "abc": 1}), WordCounts.from_counts({"bcbc": 3})]
    solution = trainers.parity_bpe(Instance(Corpora(corpora, [1, 1]), 3), progress=Reports())
    assert len(solution.vocabulary) == 3
    assert seen == [(1, 3), (2, 3), (3, 3)]
