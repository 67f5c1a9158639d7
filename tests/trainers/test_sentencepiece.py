"""sentencepiece's Unigram on our words, beside ours."""

from __future__ import annotations

import sys

import pytest
from shared.generated_text import generated_words

from partcover import InputError, Instance, WordCounts, trainers
from partcover.errors import MissingExtra

ODD = WordCounts.from_counts(
    {"a b": 5, "a▁b": 4, "\tab\n": 7, "xé": 3, "éé": 9, "<unk>": 6, "ab": 30, "abxx": 8, "⁇": 2}
)


@pytest.fixture(scope="module", autouse=True)
def _library():
    pytest.importorskip("sentencepiece")


def test_every_character_comes_back_as_it_was():
    solution = trainers.unigram_sentencepiece(Instance(ODD, 6))
    vocabulary = solution.vocabulary
    assert len(vocabulary) == 6
    assert {"é".encode(), "▁".encode(), "⁇".encode()} <= set(vocabulary)
    ascii_symbols = {bytes([b]) for word, _ in ODD for b in word if b < 128}
    assert set(vocabulary.symbol_scores) == ascii_symbols
    assert list(vocabulary.scores) == sorted(vocabulary.scores, reverse=True)
    assert (solution.method, solution.rule) == ("unigram_sentencepiece", "likelihood")


def test_characters_cost_nothing_where_they_are_symbols():
    words = WordCounts.from_counts({w.decode(): c for w, c in ODD}, "chars")
    solution = trainers.unigram_sentencepiece(Instance(words, 2))
    assert len(solution.vocabulary) == 2
    assert all(len(token) > 1 for token in solution.vocabulary)
    assert set(solution.vocabulary.symbol_scores) == set("".join(w for w, _ in words))


def test_what_it_cannot_do_is_said():
    with pytest.raises(InputError, match=r"k is 2: .* keeps every character, and 3 of them are"):
        trainers.unigram_sentencepiece(Instance(ODD, 2))
    with pytest.raises(InputError, match=r"trains on UTF-8, and the word .* is not$"):
        trainers.unigram_sentencepiece(Instance(WordCounts.from_words([b"\xff"]), 2))
    with pytest.raises(InputError, match="there are no words"):
        trainers.unigram_sentencepiece(Instance(WordCounts.from_counts({}), 2))
    with pytest.raises(InputError, match="words over bytes or chars"):
        trainers.unigram_sentencepiece(Instance(WordCounts.from_words([(1, 2)], "ints"), 2))
    with pytest.raises(InputError, match="unigram_sentencepiece does not support required"):
        trainers.unigram_sentencepiece(Instance(ODD, 9, required=["ab"]))
    with pytest.raises(InputError, match=r"shrink is 1: sentencepiece accepts 0\.5 to 0\.95"):
        trainers.unigram_sentencepiece(Instance(ODD, 9), shrink=1)


@pytest.mark.long
def test_the_most_it_makes_is_made():
    all_of_them = trainers.unigram_sentencepiece(Instance(ODD, 500))
    n_tokens = len(all_of_them.vocabulary)
    assert 3 < n_tokens < 500
    assert all_of_them.extra["nothing_left_to_gain"]
    exact = trainers.unigram_sentencepiece(Instance(ODD, n_tokens))
    assert exact.vocabulary.tokens == all_of_them.vocabulary.tokens
    assert not exact.extra["nothing_left_to_gain"]
    assert (
        len(trainers.unigram_sentencepiece(Instance(ODD, n_tokens - 1)).vocabulary) == n_tokens - 1
    )


@pytest.mark.long
def test_a_limit_ends_what_would_not():
    heavy = WordCounts.from_counts({"banana": 2**40, "ananas": 2**40})
    solution = trainers.unigram_sentencepiece(Instance(heavy, 3), time_limit=1)
    assert (solution.termination, solution.vocabulary.tokens) == ("time_limit", ())
    assert solution.tokens == heavy.total_symbols


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingExtra, match=r"pip install 'partcover\[sentencepiece\]'"):
        trainers.unigram_sentencepiece(Instance(ODD, 6))


@pytest.mark.long
def test_ours_is_no_worse_than_its():
    instance = Instance(generated_words(2000), 300)
    ours, theirs = trainers.unigram(instance), trainers.unigram_sentencepiece(instance)
    assert ours.tokens <= 1.01 * theirs.tokens
    values = [
        trainers.unigram_objective(instance.words, each.vocabulary) for each in (ours, theirs)
    ]
    assert values[0] >= 1.01 * values[1]  # both negative
