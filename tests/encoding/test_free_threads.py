"""Threads that share an encoder get what one thread gets."""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import pytest
from shared.at_once import THREADS, at_once

from partcover import Encoder, Vocabulary
from partcover.encoding import listing
from partcover.kernels.encoding._shares import up_to

WORDS = ["the", "cat", "sat", "on", "a", "mat", "naïve", "中文", "é", "123", "🙂", "'s", "\n"]


def text_of(seed, size=600):
    numbers = np.random.default_rng(seed).integers(0, len(WORDS), (size, 2))
    return "".join(f" {WORDS[a]}{WORDS[b]}" for a, b in numbers.tolist())


TEXTS = [text_of(seed) for seed in range(THREADS)]
TOKENS = ["th", "the", " the", "at", "cat", " c", "mat", "na", "on", "12", "123", "中", " a"]


def vocabulary(rule="merges"):
    scores = [-float(len(token)) for token in TOKENS]
    return Vocabulary(
        TOKENS, rule=rule, scores=scores, special=["<s>"], pretokenizer="gpt2", normalizer="nfc"
    )


def encodings(encoder, text):
    """What each method makes of a text."""
    ids = encoder.encode(text)
    texts = [text, text[:100], "", text[100:]]
    batch, offsets = encoder.encode_batch_to_numpy(texts)
    return [
        ids,
        encoder.encode(f"{text}<s>{text}", special="parse"),
        encoder.encode_to_numpy(text.encode()).tolist(),
        encoder.encode_with_offsets(text[:200], unit="chars"),
        encoder.encode_batch(texts, threads=2),
        (batch.tolist(), offsets.tolist()),
        [part.tolist() for part in encoder.encode_each(texts)],
        encoder.count(text),
        encoder.count_batch(texts).tolist(),
        encoder.decode(ids),
        encoder.decode_batch([ids, ids[:50]], "replace"),
        "".join(encoder.decode_stream(ids)),
    ]


@pytest.mark.parametrize("rule", ["merges", "priority", "likelihood"])
def test_one_encoder(rule):
    alone = [encodings(Encoder(vocabulary(rule)), text) for text in TEXTS]
    shared = Encoder(vocabulary(rule))  # nothing is in its tables yet
    assert at_once(lambda number: encodings(shared, TEXTS[number])) == alone


def test_a_small_table_that_starts_anew():
    alone = [encodings(Encoder(vocabulary(), cache=4_000), text) for text in TEXTS]
    shared = Encoder(vocabulary(), cache=4_000)
    assert at_once(lambda number: encodings(shared, TEXTS[number])) == alone


def test_encoders_that_draw():
    def drawn(encoder, number):
        drawing = encoder.sampling(seed=number, dropout=number / THREADS)
        return [
            drawing.encode(TEXTS[0]),
            encoder.sampling(seed=7, dropout=number / THREADS).encode(TEXTS[0]),
            [part.tolist() for part in drawing.encode_each(TEXTS[:3])],
        ]

    alone = [drawn(Encoder(vocabulary()), number) for number in range(THREADS)]
    shared = Encoder(vocabulary())
    for _ in range(3):
        assert at_once(lambda number: drawn(shared, number)) == alone
    drawing = shared.sampling(seed=3, dropout=0.5)
    assert at_once(lambda _: drawing.encode(TEXTS[0])) == [drawing.encode(TEXTS[0])] * THREADS


def test_one_vocabulary():
    shared = vocabulary("likelihood")
    told = [Encoder(vocabulary("likelihood")).encode(TEXTS[0]), shared.with_(method="m").to_json()]

    def tell(_):
        assert " the" in shared
        assert shared.id_of[256:] == tuple(range(256, 256 + len(TOKENS)))
        return [Encoder(shared).encode(TEXTS[0]), shared.with_(method="m").to_json()]

    assert at_once(tell) == [told] * THREADS


def test_a_list_that_changes_while_its_texts_are_taken():
    texts = ["a"] * 10

    def work(number):
        for _ in range(100):
            if number:
                assert 10 <= up_to(texts, 0, 1 << 18) <= 2_010
            else:
                del texts[10:]
                texts.extend([f"a{n}" for n in range(2_000)])

    at_once(work)
    assert Encoder(vocabulary()).encode_batch(texts)[10:12] == [[97, 48], [97, 49]]


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_values_of_a_list_that_threads_write_are_counted_once(monkeypatch, threads):
    monkeypatch.setattr(listing, "_SHARE", 0)
    values = [10**6 + number for number in range(20)]  # Python counts no uses of small numbers
    arrays = [np.array([n % 20], np.int32) for n in range(6_000)]
    before = [*map(sys.getrefcount, values)]
    out = listing.listed(arrays, values, threads)
    assert out == [values[number] for array in arrays for number in array.tolist()]
    uses = Counter(out)
    assert [*map(sys.getrefcount, values)] == [
        count + uses[value] + 1 for count, value in zip(before, values, strict=True)
    ]
