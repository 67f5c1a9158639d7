"""BoundlessBPE against training written out, both kinds of merges side by side."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.phrases import phrases_of
from oracles.trainers.boundless import cut_phrase, train
from shared.properties import tries

from partcover import InputError, Instance, WordCounts, segment, trainers
from partcover.verification.rule_recount import tokens_by_rule
from partcover.vocabulary.subset import first_tokens

WORDS = ["ab", " ab", " a", " ba", " bab", " b", " abc", " cab", "'s", ",", "\n"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=8).map("".join)


def phrases_in(texts, base, most):
    """The phrases of texts, each as its words, counted."""
    phrases = {}
    for text in texts:
        for phrase in phrases_of(text, base, most):
            words = tuple(phrases_of(phrase, base, 1))
            phrases[words] = phrases.get(words, 0) + 1
    return phrases


@tries(120)
@given(
    texts=st.lists(TEXT, min_size=1, max_size=6).filter(any),
    base=st.sampled_from(["gpt2", "o200k"]),
    most=st.integers(2, 9),
    k=st.integers(0, 14),
    min_count=st.integers(1, 3),
    symbols=st.sampled_from(["bytes", "chars"]),
)
def test_both_kinds_side_by_side(texts, base, most, k, min_count, symbols):
    counted = WordCounts.from_texts(texts, pretokenizer=f"{base}+phrases:{most}", symbols=symbols)
    phrases = phrases_in(texts, base, most)
    order = ord if symbols == "chars" else lambda c: (c <= " ", c)  # printable bytes come first
    by_hand = train(phrases, k, order, min_count=min_count)
    assume(by_hand.clear)
    solution = trainers.boundlessbpe(Instance(counted, k, min_count=min_count))
    vocabulary = solution.vocabulary

    def text(token):
        return token.decode() if isinstance(token, bytes) else token

    merges = [(text(a), text(b)) for a, b in vocabulary.merges]
    assert merges == by_hand.merges
    assert [text(token) for token in vocabulary] == by_hand.tokens
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = sum(count * len(cut_phrase(words, ranks)) for words, count in phrases.items())
    assert solution.tokens == tokens_by_rule(counted, vocabulary) == tokens
    assert counted.total_symbols - tokens == sum(by_hand.gains)
    # smaller budgets are answered by the same run
    for j in range(0, len(vocabulary), 3):
        smaller = trainers.boundlessbpe(Instance(counted, j, min_count=min_count))
        assert smaller.vocabulary.merges == first_tokens(vocabulary, j).merges


def test_ties_and_repeated_words():
    """As docs/concepts/trainers.md says them."""
    words = WordCounts.from_texts(["ba b c b c"], pretokenizer="gpt2+phrases")
    tokens = trainers.boundlessbpe(Instance(words, 6)).vocabulary.tokens
    # ``ba`` is made later than `` b c``, and is older than it: a merge within words made it
    assert tokens[:5] == (b" b", b" c", b" b c", b"ba", b"ba b c")
    # `` b`` and `` b`` are neighbors three times and are joined twice: ``xy`` comes first
    words = WordCounts.from_texts(["a b b b b", "xy", "xy"], pretokenizer="gpt2+phrases")
    tokens = trainers.boundlessbpe(Instance(words, 3)).vocabulary.tokens
    assert tokens == (b" b", b"xy", b" b b")


TEXTS = ["one of the ways, one of the days", "some of the ways of the one", "the one ways"] * 3


@pytest.mark.parametrize("base", ["gpt2", "cl100k", "first-space", "space-prefix", "deepseek"])
def test_words_of_any_kind(base):
    phrases = WordCounts.from_texts(TEXTS, pretokenizer=f"{base}+phrases")
    solution = trainers.boundlessbpe(Instance(phrases, 25))
    assert solution.extra["superwords"] > 0
    assert solution.tokens == tokens_by_rule(phrases, solution.vocabulary)
    assert segment(phrases, solution.vocabulary, threads=3).tokens == solution.tokens


def test_words_alone_are_bpes():
    for pretokenizer in ("gpt2", "none"):
        words = WordCounts.from_texts(TEXTS, pretokenizer=pretokenizer)
        solution = trainers.boundlessbpe(Instance(words, 9))
        assert solution.vocabulary.merges == trainers.bpe(Instance(words, 9)).vocabulary.merges
        assert (solution.rule, solution.extra["superwords"]) == ("superword_merges", 0)
    integers = WordCounts.from_counts({(1, 2): 1, (2, 1): 3}, "ints")
    assert trainers.boundlessbpe(Instance(integers, 2)).vocabulary.tokens == ((2, 1), (1, 2))


def test_until_nothing_is_left():
    phrases = WordCounts.from_texts(TEXTS, pretokenizer="gpt2+phrases")
    solution = trainers.boundlessbpe(Instance(phrases, 1000))
    assert solution.extra["nothing_left_to_gain"]
    assert solution.tokens == phrases.total_count  # every phrase is one token
    exact = trainers.boundlessbpe(Instance(phrases, len(solution.vocabulary)))
    assert exact.vocabulary == solution.vocabulary
    assert not exact.extra["nothing_left_to_gain"]
    assert trainers.boundlessbpe(Instance(phrases, 0)).tokens == phrases.total_symbols


def test_what_it_cannot_do_is_one_line():
    phrases = WordCounts.from_texts(TEXTS, pretokenizer="gpt2+phrases")
    for option in ({"max_length": 3}, {"forbidden": ["ab"]}, {"prefix": ["ab"]}):
        with pytest.raises(InputError, match=f"boundlessbpe does not support {next(iter(option))}"):
            trainers.boundlessbpe(Instance(phrases, 4, **option))
