"""Unigram models that take a text as one word: ids are tokenizers' to the last."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interop.cases import need
from oracles.text_sums import ids_of, pieces_of
from shared.properties import tries

from partcover import Encoder, Vocabulary

MARK = "▁"
# sums of these in another order differ in the last bits
NEAR = [-0.1, -0.2, -0.3, -0.7, -1.1, -2.2, -10.3, -0.30000000000000004]


def written(scores, path):
    """A file of a model without a pre-tokenizer, whose first entry is unknown."""
    vocab = [["<unk>", 0.0], *map(list, scores.items())]
    data = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": MARK},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "never"},
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": False},
    }
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def expected(scores, text):
    """What the slow twin says."""
    ids = {piece: place for place, piece in enumerate(["", *scores])}
    lowest = min(0.0, *scores.values())
    found, _ = pieces_of(text.replace(" ", MARK), {**scores, "": lowest - 10}, narrow=False)
    return ids_of(found, ids, byte_ids=None)


@pytest.mark.long
@tries(200)
@given(data=st.data())
def test_generated_models(tmp_path_factory, data):
    tokenizers = need("tokenizers")
    draw = data.draw
    inner = draw(st.booleans())  # whether pieces reach across words
    part = st.text(f"ab-é{MARK}" if inner else "ab-é", min_size=1, max_size=4)
    whole = part if inner else st.builds(str.__add__, st.sampled_from(["", MARK]), part)
    pieces = draw(st.lists(whole, unique=True, min_size=1, max_size=20))
    scale = draw(st.sampled_from([1.0, 7.3, 1e6]))
    scores = {MARK: -3.1} | {p: scale * draw(st.sampled_from(NEAR)) for p in pieces}
    words = draw(st.lists(st.text("ab-é☃", max_size=7), min_size=1, max_size=30))
    text = " ".join(words) * draw(st.sampled_from([1, 30]))
    path = written(scores, tmp_path_factory.mktemp("m") / "tokenizer.json")
    ids = expected(scores, text)
    assert tokenizers.Tokenizer.from_file(str(path)).encode(text).ids == ids
    vocabulary = Vocabulary.load(path)
    assert vocabulary.sums == "text"
    assert Encoder(vocabulary).encode(text) == ids


@pytest.mark.long
def test_a_long_text(tmp_path):
    tokenizers = need("tokenizers")
    draw = random.Random(3)
    scores = {MARK: -3.1, "b": -5.3}
    for piece in ["-" * length for length in range(1, 7)] + ["a", "aa", "ab", "aba", f"{MARK}a"]:
        scores[piece] = -0.1 * len(piece) if "-" in piece else -draw.random() * len(piece)
    text = " ".join("".join(draw.choices(["-" * 7, "ab", "a", "☃"], k=4)) for _ in range(15_000))
    assert len(text) > 100_000
    path = written(scores, tmp_path / "tokenizer.json")
    vocabulary = Vocabulary.load(path)
    assert vocabulary.pretokenizer == "first-space"
    ids = tokenizers.Tokenizer.from_file(str(path)).encode(text).ids
    assert Encoder(vocabulary).encode(text) == ids == expected(scores, text)
    assert Encoder(vocabulary.with_(sums="word")).encode(text) != ids
