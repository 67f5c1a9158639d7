"""Scores on texts: the gap is that of `split_gap`, and zero for an optimum."""

from __future__ import annotations

from dataclasses import replace

import pytest
from studies.cases import WORDS

from partcover import (
    InputError,
    Instance,
    Vocabulary,
    WordCounts,
    score_vocabulary,
    solve,
    split_gap,
)
from partcover.studies import vocabulary_scores


def test_the_gap_of_an_optimum_is_zero():
    best = solve(Instance(WORDS, 2))
    scores = score_vocabulary(best.vocabulary, {"all": WORDS}, time_limit=None)
    assert scores.corpora["all"].gap == split_gap(Instance(WORDS, 2), best.vocabulary, best.tokens)
    assert scores.corpora["all"].gap.gap == 0
    assert scores.parities == ()


def test_a_vocabulary_that_could_hold_every_word():
    vocabulary = Vocabulary(["an", "na", "ban", "as", "da", "nd"])
    gap = score_vocabulary(vocabulary, {"all": WORDS}).corpora["all"].gap
    assert gap.lower_bound == WORDS.total_count


def test_unreachable_tokens_and_texts_without_words():
    merges = [("a", "b"), ("b", "c"), ("a", "bc")]
    vocabulary = Vocabulary(["ab", "bc", "abc"], rule="merges", merges=merges, pretokenizer="none")
    text = WordCounts.from_texts(["abc abc ab"], pretokenizer="none")
    scores = score_vocabulary(vocabulary, {"text": text})
    assert scores.unreachable == (b"abc",)
    assert scores.corpora["text"].total_count == 3  # cut where no token reaches across
    assert score_vocabulary(vocabulary, {"text": text}, time_limit=0).corpora["text"].gap is None


def test_parity_of_integers_is_without_bytes():
    words = WordCounts.from_counts({(1, 2): 2, (3,): 1}, "ints")
    scores = score_vocabulary(Vocabulary([(1, 2)], "ints"), {"a": words, "b": words})
    assert [each.per for each in scores.parities] == ["text", "word"]
    assert scores.corpora["a"].bytes_per_token is None


def test_no_corpus_or_an_empty_one():
    with pytest.raises(InputError, match="one corpus"):
        score_vocabulary(Vocabulary(["ab"]), {})
    with pytest.raises(InputError, match="b: the corpus is empty"):
        score_vocabulary(Vocabulary(["ab"]), {"a": WORDS, "b": WordCounts.from_counts({})})


def test_after_an_interruption_all_but_bounds_is_there(monkeypatch):
    search = vocabulary_scores.lower_bound

    def interrupted(*arguments, **options):
        return replace(search(*arguments, **options), termination="interrupted")

    monkeypatch.setattr(vocabulary_scores, "lower_bound", interrupted)
    scores = score_vocabulary(Vocabulary(["an"]), {"a": WORDS, "b": WORDS})
    assert scores.is_interrupted
    assert scores.corpora["a"].gap is not None
    assert scores.corpora["b"].gap is None
    assert scores.corpora["b"].tokens == scores.corpora["a"].tokens
