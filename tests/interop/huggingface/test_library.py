"""Version 1 of tokenizers, which has no model to ask alone, is asked for the same."""

from __future__ import annotations

import json
import sys
import types
from importlib import metadata

import pytest

from partcover import InputError, Vocabulary, export
from partcover.interop.huggingface.library import Library

tokenizers = pytest.importorskip("tokenizers")

TOKENS = ["the", " the", "hat", " hat", "at", "</"]
TEXT = "the hat at the hat </s> é日"


class PanicException(BaseException):
    """As the library's own, which no `except Exception` catches."""


class LaterTokenizer:
    """Does what version 1 does: special tokens are an argument, and models are not to be had."""

    def __init__(self, own):
        self._own = own

    @classmethod
    def from_file(cls, path):
        own = tokenizers.Tokenizer.from_file(path)
        if own.model.__class__.__name__ == "Unigram" and own.pre_tokenizer is not None:
            raise ValueError("a `ByteLevel` pre-tokenizer needs a BPE model, found Unigram")
        if any(len(piece.encode()) > 65_535 for piece in own.get_vocab()):
            raise PanicException("token longer than 65535 bytes")
        if getattr(own.model, "byte_fallback", False) and own.token_to_id("<0x00>") is None:
            raise ValueError("Byte fallback `<0x00>` not found in the vocabulary")
        return cls(own)

    def decode_tokens(self, ids):
        texts = map(self._own.id_to_token, ids)
        return [text for text in texts if text is not None]

    def decode(self, ids, skip_special_tokens=True):
        return self._own.decode(ids, skip_special_tokens=skip_special_tokens)

    def encode(self, text, *, add_special_tokens=True, encode_special_tokens=False):
        if "(?i:" in self._own.to_str():
            raise ValueError("this `Split` pattern needs\na system-regex backend")
        self._own.encode_special_tokens = encode_special_tokens
        found = self._own.encode(text, add_special_tokens=add_special_tokens)
        return types.SimpleNamespace(ids=found.ids)  # there are no places


@pytest.fixture
def later(monkeypatch):
    module = types.ModuleType("tokenizers")
    module.Tokenizer = LaterTokenizer
    monkeypatch.setitem(sys.modules, "tokenizers", module)
    monkeypatch.setattr(metadata, "version", lambda _: "1.0.0rc3")


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


def test_padding_is_no_part_of_a_word(tmp_path, later):
    vocabulary = Vocabulary(TOKENS, rule="merges", pretokenizer="gpt2", special=["<s>"])
    with pytest.MonkeyPatch.context() as own:
        own.setitem(sys.modules, "tokenizers", tokenizers)
        export(vocabulary, tmp_path / "t.json", "huggingface")
    padded = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    padded.enable_padding(pad_token="<s>", pad_id=padded.token_to_id("<s>"), length=16)
    padded.enable_truncation(1)
    padded.save(str(tmp_path / "p.json"))
    result = export(Vocabulary.load(tmp_path / "p.json"), tmp_path / "to.json", "huggingface")
    assert result.exact


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
        InputError, match=rf"1.0.0rc3 does not load it: {why}.*; version 0.23 can do more \(pip"
    ) as e:
        export(vocabulary, tmp_path / "t.json", "huggingface")
    assert "\n" not in str(e.value)
    assert not (tmp_path / "t.json").exists()


@pytest.mark.parametrize(
    ("pretokenizer", "token", "why"),
    [
        ("gpt2", "a" * 65_536, "does not load it: token longer than 65535 bytes; version 0.23 can"),
        ("cl100k", "the", "does not encode with it: this `Split` pattern needs a system-regex"),
    ],
)
def test_panics_and_patterns_are_one_line(tmp_path, later, pretokenizer, token, why):
    vocabulary = Vocabulary([token], pretokenizer=pretokenizer, rule="merges")
    with pytest.raises(InputError, match=f"^tokenizers 1.0.0rc3 {why}[^\n]*$"):
        export(vocabulary, tmp_path / "t.json", "huggingface", lossy=True)
    assert not (tmp_path / "t.json").exists()


def test_version_0_says_only_what_it_does_not_load(monkeypatch):
    data = {"model": {"type": "BPE", "vocab": {}, "merges": [["a", "b"]]}}
    with pytest.raises(InputError, match=r"^tokenizers 0\.[0-9.]+ does not load it: [^;]*$"):
        Library(data, "a test")

    def interrupted(path):
        raise KeyboardInterrupt

    monkeypatch.setattr(tokenizers.Tokenizer, "from_file", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Library(data, "a test")


def test_nothing_is_decoded_from_nothing():
    """Of no tokens its BPEDecoder takes the last one, and panics."""
    own = tokenizers.Tokenizer(tokenizers.models.BPE({"a": 0}, [], end_of_word_suffix="</w>"))
    own.decoder = tokenizers.decoders.BPEDecoder("</w>")
    own.add_special_tokens(["<s>"])
    whole = Library(json.loads(own.to_str()), "to try").whole()
    assert (whole.decode([]), whole.decode_bare([]), whole.decode_bare([1])) == ("", "", "")
    assert (whole.decode([0]), whole.decode_bare([1, 0])) == ("a", "a")
