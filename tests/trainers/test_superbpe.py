"""SuperBPE against training written out: words first, then phrases, from the same merges on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.merges import train
from oracles.phrases import phrases_of
from shared.properties import tries

from partcover import InputError, Instance, WordCounts, segment, trainers
from partcover.corpus.pretokenizers.words_within import words_within

TEXT = st.lists(st.sampled_from(["ab", " ab", " a", "ba", " bab", " b", ",", "\n", " cab"])).map(
    "".join
)


def written_out(texts, most, k, transition, limits):
    """The merges of both stages, in order, and the tokens."""
    phrases, words = {}, {}
    for text in texts:
        for phrase in phrases_of(text, "gpt2", most):
            phrases[phrase] = phrases.get(phrase, 0) + 1
            for word in phrases_of(phrase, "gpt2", 1):
                words[word] = words.get(word, 0) + 1
    first = train(words, transition, ord, **limits)
    second = train(phrases, k, ord, given=first.tokens, merges=first.merges, **limits)
    return first.merges + second.merges, second.tokens, len(first.tokens)


@tries(150)
@given(
    texts=st.lists(TEXT, min_size=1, max_size=5).filter(any),
    most=st.integers(2, 4),
    k=st.integers(0, 12),
    part=st.integers(0, 12),
    max_length=st.none() | st.integers(2, 6),
    min_count=st.integers(1, 3),
)
def test_two_stages_are_those_written_out(texts, most, k, part, max_length, min_count):
    counted = WordCounts.from_texts(texts, pretokenizer=f"gpt2+phrases:{most}", symbols="chars")
    instance = Instance(counted, k, max_length=max_length, min_count=min_count)
    solution = trainers.superbpe(instance, transition=min(part, k))
    limits = {"max_length": max_length or 10**9, "min_count": min_count}
    merges, tokens, first = written_out(texts, most, k, min(part, k), limits)
    assert list(solution.vocabulary.merges) == merges
    assert list(solution.vocabulary.tokens) == tokens
    assert solution.extra["transition"] == first
    assert solution.tokens == segment(counted, solution.vocabulary).tokens


TEXTS = ["one of the ways, one of the days", "some of the ways of the one", "the one ways"] * 3


@pytest.mark.parametrize("base", ["gpt2", "o200k", "first-space", "space-prefix", "deepseek"])
def test_all_at_one_stage_is_bpe(base):
    phrases = WordCounts.from_texts(TEXTS, pretokenizer=f"{base}+phrases")
    words = WordCounts.from_texts(TEXTS, pretokenizer=base)
    inside = words_within(phrases)
    assert (inside.to_dict(), inside.pretokenizer) == (words.to_dict(), base)
    merges = trainers.superbpe(Instance(phrases, 9), transition=9).vocabulary.merges
    assert merges == trainers.bpe(Instance(words, 9)).vocabulary.merges
    merges = trainers.superbpe(Instance(phrases, 9), transition=0).vocabulary.merges
    assert merges == trainers.bpe(Instance(phrases, 9)).vocabulary.merges
    # words alone: both stages are on the same
    merges = trainers.superbpe(Instance(words, 9)).vocabulary.merges
    assert merges == trainers.bpe(Instance(words, 9)).vocabulary.merges


def test_lines_are_phrases_too():
    lines = WordCounts.from_texts(TEXTS, pretokenizer="none")
    solution = trainers.superbpe(Instance(lines, 30), transition=12, words="gpt2")
    words = WordCounts.from_texts(TEXTS, pretokenizer="gpt2")
    first = trainers.bpe(Instance(words, 12)).vocabulary.tokens
    assert solution.vocabulary.tokens[:12] == first
    assert any(b" " in token[1:] for token in solution.vocabulary.tokens[12:])


def test_what_it_cannot_do_is_one_line():
    phrases = WordCounts.from_texts(TEXTS, pretokenizer="gpt2+phrases")
    with pytest.raises(InputError, match="transition is 5: at most k = 4"):
        trainers.superbpe(Instance(phrases, 4), transition=5)
    with pytest.raises(InputError, match="superbpe does not support prefix"):
        trainers.superbpe(Instance(phrases, 4, prefix=["ab"]))
    with pytest.raises(InputError, match="joined, are not"):
        trainers.superbpe(Instance(phrases, 4), words='{"type": "Whitespace"}')
    with pytest.raises(InputError, match="unknown pre-tokenizer 'gpt3'"):
        trainers.superbpe(Instance(phrases, 4), words="gpt3")
    integers = WordCounts.from_counts({(1, 2): 1}, "ints")
    with pytest.raises(InputError, match="words of integers are not text, so gpt2"):
        trainers.superbpe(Instance(integers, 1), words="gpt2")
