"""Version 1 of tokenizers, which has no model to ask alone, is asked for the same."""

from __future__ import annotations

import json
import sys
import types

import pytest
import tokenizers

from partcover import InputError, Vocabulary, export
from partcover.interop.huggingface.library import Library

TOKENS = ["the", " the", "hat", " hat", "at", "</"]
TEXT = "the hat at the hat </s> é日"


class LaterTokenizer:
    """Does what version 1 does: special tokens are an argument, and models are not to be had."""

    def __init__(self, own):
        self._own = own

    @classmethod
    def from_file(cls, path):
        own = tokenizers.Tokenizer.from_file(path)
        if own.model.__class__.__name__ == "Unigram" and own.pre_tokenizer is not None:
            raise ValueError("a `ByteLevel` pre-tokenizer needs a BPE model, found Unigram")
        if getattr(own.model, "byte_fallback", False) and own.token_to_id("<0x00>") is None:
            raise ValueError("Byte fallback `<0x00>` not found in the vocabulary")
        return cls(own)

    def decode_tokens(self, ids):
        texts = map(self._own.id_to_token, ids)
        return [text for text in texts if text is not None]

    def decode(self, ids, skip_special_tokens=True):
        return self._own.decode(ids, skip_special_tokens=skip_special_tokens)

    def encode(self, text, *, add_special_tokens=True, encode_special_tokens=False):
        self._own.encode_special_tokens = encode_special_tokens
        found = self._own.encode(text, add_special_tokens=add_special_tokens)
        return types.SimpleNamespace(ids=found.ids)  # there are no places


@pytest.fixture
def later(monkeypatch):
    module = types.ModuleType("tokenizers")
    module.Tokenizer = LaterTokenizer
    monkeypatch.setitem(sys.modules, "tokenizers", module)


@pytest.mark.parametrize("rule", ["merges", "single_symbols"])
def test_what_is_written_is_replayed(tmp_path, later, rule):
    vocabulary = Vocabulary(TOKENS, rule=rule, pretokenizer="gpt2", special=["<s>"])
    result = export(vocabulary, tmp_path / "t.json", "huggingface", text=TEXT)
    assert result.exact
    assert result.words > 700
    equal = "equal on 115 test texts: ids, decoding, templates and special tokens"
    assert equal in result.remarks


def test_a_difference_is_seen(tmp_path, later, monkeypatch):
    monkeypatch.setattr(Library, "word", lambda self, spelled: [0])
    vocabulary = Vocabulary(TOKENS, rule="merges", pretokenizer="gpt2")
    with pytest.raises(InputError, match="are tokenized differently"):
        export(vocabulary, tmp_path / "t.json", "huggingface")


@pytest.mark.parametrize("version", [0, 1])
def test_ids_are_asked_of_the_library(request, version):
    """It numbers special tokens behind its model itself, whatever the file says."""
    if version:
        request.getfixturevalue("later")
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}
    entry = {"id": 7, "content": "<s>", "special": True}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    data = {"version": "1.0", "model": model, "added_tokens": [entry | flags]}
    assert Library(data, "a test").ids.get("<s>") != 7


@pytest.mark.parametrize(
    ("rule", "why"),
    [("shortest_path", "a `ByteLevel` "), ("character_merges", "Byte fallback `<0x00>` not found")],
)
def test_what_it_does_not_load_is_one_line(tmp_path, later, rule, why):
    vocabulary = Vocabulary(["the", "hat"], pretokenizer="gpt2", rule=rule)
    with pytest.raises(
        InputError, match=rf"does not load it: {why}.*; version 0.23 loads more \(pip install 'tok"
    ) as e:
        export(vocabulary, tmp_path / "t.json", "huggingface")
    assert "\n" not in str(e.value)
    assert not (tmp_path / "t.json").exists()


def test_nothing_is_decoded_from_nothing():
    """Of no tokens its BPEDecoder takes the last one, and panics."""
    own = tokenizers.Tokenizer(tokenizers.models.BPE({"a": 0}, [], end_of_word_suffix="</w>"))
    own.decoder = tokenizers.decoders.BPEDecoder("</w>")
    own.add_special_tokens(["<s>"])
    whole = Library(json.loads(own.to_str()), "to try").whole()
    assert (whole.decode([]), whole.decode_bare([]), whole.decode_bare([1])) == ("", "", "")
    assert (whole.decode([0]), whole.decode_bare([1, 0])) == ("a", "a")
