"""Unigram models of sentencepiece, extended and pruned, go back with the library's own ids."""

from __future__ import annotations

import random

import numpy as np
import pytest
from interop.cases import need

from partcover import Encoder, Vocabulary, WordCounts, export, extend, prune

PARTS = ["the", "cat", "sat", "on", "mat", "hat", "---", "--", "that", "é", "☃", "10", "101", "xy"]


def a_text(seed, words):
    draw = random.Random(seed)
    return " ".join("".join(draw.choices(PARTS, k=draw.choice([1, 1, 2, 3]))) for _ in range(words))


@pytest.fixture
def model(tmp_path):
    spm = need("sentencepiece")
    (tmp_path / "c.txt").write_text("\n".join(a_text(seed, 12) for seed in range(200)))
    spm.SentencePieceTrainer.train(
        input=str(tmp_path / "c.txt"), model_prefix=str(tmp_path / "m"), vocab_size=70,
        model_type="unigram", minloglevel=2, hard_vocab_limit=False, character_coverage=0.98,
    )  # fmt: skip
    return Vocabulary.load(tmp_path / "m.model")


@pytest.mark.long
@pytest.mark.parametrize("how", ["extend", "prune"])
def test_the_library_cuts_as_we_do(model, tmp_path, how):
    spm = need("sentencepiece")
    words = WordCounts.from_texts(
        [a_text(1000, 3000)], pretokenizer=model.pretokenizer, normalizer=model.normalizer
    )
    if how == "extend":
        new = extend(model, words, 25, time_limit=1).vocabulary
        added = dict(zip(new.tokens[len(model) :], new.scores[len(model) :], strict=True))
        assert len(added) == 25
        for score in added.values():
            assert score == float(np.float32(score))
    else:
        new = prune(model, words, len(model) // 2, time_limit=1).vocabulary
    assert new.sums == "text32"
    path = tmp_path / "new.model"
    text = a_text(5, 20_000)  # the sum goes beyond 100,000
    result = export(new, path, "sentencepiece", corpus=words, text=text)
    assert result.exact
    assert result.text_same
    assert not any("32 bits" in remark for remark in result.remarks)
    encoder, library = Encoder(new), spm.SentencePieceProcessor(model_file=str(path))
    assert encoder.encode(text) == library.encode(text)
    assert Vocabulary.load(path).tokens == new.tokens
    if how == "extend":  # the new tokens are used wherever their parts would be, however far on
        first = new.id_of[256 + len(model)]
        alone = encoder.encode_batch_to_numpy([f" {word}" for word in text.split(" ")])[0]
        uses = int((alone >= first).sum())
        assert uses > 1000
        assert int((encoder.encode_to_numpy(text) >= first).sum()) == uses
