"""Bits per byte of texts under a model over their tokens."""

from __future__ import annotations

import re
from math import log2

import pytest
from oracles.kneser_ney import SlowModel

from partcover import Encoder, InputError, Vocabulary
from partcover.studies.bits_per_byte import segment_texts

TRAIN = [
    "the cat sat on the mat, and the cat ate the rat that sat on the other mat. " * 3,
    "the end",
]
TEST = ["the rat sat on the cat", ""]
VOCABULARY = Vocabulary([" the", " cat", "at", "th", " o"], pretokenizer="gpt2")


@pytest.mark.parametrize(("order", "context_bytes"), [(1, None), (3, None), (None, 4), (3, 2)])
def test_the_slow_twin_over_the_same_tokens(order, context_bytes):
    train, test = segment_texts(VOCABULARY, TRAIN), segment_texts(VOCABULARY, TEST)
    encoder = Encoder(VOCABULARY)
    lengths = [1] * 256 + [len(token) for token in VOCABULARY]
    slow = SlowModel(
        [encoder.encode(text) for text in TRAIN],
        len(lengths),
        order or context_bytes + 2,
        lengths if context_bytes is not None else None,
        context_bytes,
    )
    bits = 0.0
    for text in TEST:
        ids = [*encoder.encode(text), len(lengths)]
        for place, number in enumerate(ids):
            bits -= log2(slow.probability(slow.longest([slow.begin, *ids[:place]]), number))
    assert test.bytes == sum(map(len, TEST))
    model = train.model(order, context_bytes)
    assert test.bits_per_byte(model) == pytest.approx(bits / test.bytes)


def test_ids_do_not_matter():
    ids = [*range(1000, 1256), 5, 3, 9, 1, 7]
    other = VOCABULARY.with_(ids=ids)
    for mine, theirs in zip(
        segment_texts(VOCABULARY, TRAIN).numbers, segment_texts(other, TRAIN).numbers, strict=True
    ):
        assert mine.tolist() == theirs.tolist()


@pytest.mark.parametrize(
    ("vocabulary", "texts", "message"),
    [
        (Vocabulary(["at"]), TEST, "pre-tokenizer"),
        (Vocabulary(["at"], "chars", pretokenizer="gpt2"), TEST, "over bytes"),
        (VOCABULARY.with_(normalizer="lowercase"), ["The cat"], "normalizes"),
        (VOCABULARY, ["", ""], "no text"),
        (VOCABULARY, [], "no text"),
        (VOCABULARY, "the cat", "it must be a list"),
    ],
)
def test_mistakes(vocabulary, texts, message):
    with pytest.raises(InputError, match=re.escape(message)):
        segment_texts(vocabulary, texts)


def test_a_model_needs_a_limit():
    with pytest.raises(InputError, match="an order or a limit of bytes"):
        segment_texts(VOCABULARY, TRAIN).model()
