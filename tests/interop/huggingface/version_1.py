"""Exports with version 1 of tokenizers itself, run by ``make tokenizers-1``.

The other tests of this folder make their files with version 0.23, so they cannot run beside it.
"""

from __future__ import annotations

import json

import pytest
import tokenizers

from partcover import Encoder, InputError, Instance, Vocabulary, WordCounts, export, extend, prune
from partcover.trainers import bpe

TEXT = "the hat that the cat sat on, at 10 o'clock: héhé 日本\n\n  that  hat </s>é"
WORDS = WordCounts.from_texts([TEXT * 3, "that hat"], pretokenizer="gpt2")


def equal(vocabulary: Vocabulary, path) -> None:
    """The library gives the ids and the text that partcover does, with the exported file."""
    export(vocabulary, path, "huggingface", text=TEXT)
    library, encoder = tokenizers.Tokenizer.from_file(str(path)), Encoder(Vocabulary.load(path))
    for text in (TEXT, "the", " ", "</s>", "ééé that"):
        ids = encoder.encode(text)
        assert list(library.encode(text, add_special_tokens=False).ids) == list(ids)
        assert library.decode(list(ids), skip_special_tokens=False) == encoder.decode(ids)


def test_it_is_version_1():
    assert tokenizers.__version__.startswith("1.")


def test_a_bpe_and_what_becomes_of_it(tmp_path):
    base = bpe(Instance(WORDS, 20)).vocabulary
    equal(base, tmp_path / "base.json")
    read = Vocabulary.load(tmp_path / "base.json")
    equal(read, tmp_path / "again.json")
    equal(extend(read, WORDS, 3).vocabulary, tmp_path / "more.json")
    equal(prune(read, WORDS, 10).vocabulary, tmp_path / "fewer.json")


def test_special_tokens(tmp_path):
    base = bpe(Instance(WORDS, 20)).vocabulary
    equal(base.with_(special={"<s>": 300, "<pad>": 301}), tmp_path / "t.json")


def test_a_wordpiece(tmp_path):
    pieces = ["[UNK]", "the", "hat", "cat", "##s", "h", "##a", "##t", "on", ","]
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##"}
    model |= {"max_input_chars_per_word": 100, "vocab": {p: n for n, p in enumerate(pieces)}}
    data = {"version": "1.0", "model": model, "added_tokens": []}
    data |= {"pre_tokenizer": {"type": "BertPreTokenizer"}, "decoder": {"type": "WordPiece"}}
    data["decoder"] |= {"prefix": "##", "cleanup": True}
    (tmp_path / "own.json").write_text(json.dumps(data))
    equal(Vocabulary.load(tmp_path / "own.json"), tmp_path / "t.json")


@pytest.mark.parametrize("rule", ["shortest_path", "character_merges"])
def test_what_it_cannot_do_is_one_line(tmp_path, rule):
    vocabulary = Vocabulary(["the", "hat"], pretokenizer="gpt2", rule=rule)
    with pytest.raises(InputError, match=r"^tokenizers 1\.[^\n]*version 0\.23 can do more[^\n]*$"):
        export(vocabulary, tmp_path / "t.json", "huggingface")
    assert not (tmp_path / "t.json").exists()
