"""Exports loaded by transformers."""

from __future__ import annotations

import importlib.util

import pytest
from interop.vocabularies import made

from partcover import Vocabulary, WordCounts, export, segment
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("transformers") is None, reason="no transformers")
@pytest.mark.filterwarnings("ignore")  # theirs
@pytest.mark.parametrize("split", ["gpt2", "space-prefix"])
@pytest.mark.parametrize("use", ["shortest_path", "priority"])
def test_transformers_loads_it(tmp_path, monkeypatch, use, split):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    from transformers import AutoTokenizer

    special = {"<s>": 269, "<e>": 300, "<|end of text|>": 301, "‹é>": 302}
    vocabulary = made(use, pretokenizer=split, special=special)
    text = "abca the thé  x bcab 😀 the"
    form = "priority-class" if use == "priority" else "huggingface"
    export(vocabulary, tmp_path / "t", form)
    tokenizer = AutoTokenizer.from_pretrained(str(tmp_path / "t"), trust_remote_code=True)
    ids = tokenizer(f"<s>{text}<e>")["input_ids"]
    own = []
    number = dict(
        zip([*(bytes([b]) for b in range(256)), *vocabulary], vocabulary.id_of, strict=True)
    )
    for word in Pretokenizer.from_name(split).split(text):
        own += segment(WordCounts.from_words([word]), vocabulary).of(0)
    assert ids == [269, *map(number.__getitem__, own), 300]
    assert tokenizer.decode(ids) == f"<s>{text}<e>"
    assert tokenizer.decode(ids, skip_special_tokens=True) == text
    every = "".join(special)
    assert tokenizer(every)["input_ids"] == list(special.values())
    assert tokenizer.decode(list(special.values())) == every


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("transformers") is None, reason="no transformers")
@pytest.mark.filterwarnings("ignore")  # theirs
def test_special_tokens_have_roles(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    from transformers import AutoTokenizer

    special = ["<s>", "</s>", "<fill>", "<|user|>"]
    flags = {"<fill>": ["pad"]}
    vocabulary = made("shortest_path", pretokenizer="gpt2", special=special, ids=None)
    vocabulary = vocabulary.with_(special_flags=flags)
    export(vocabulary, tmp_path / "t", "huggingface")
    AutoTokenizer.from_pretrained(str(tmp_path / "t")).save_pretrained(str(tmp_path / "again"))
    number = vocabulary.special
    for name in ("t", "again"):
        tokenizer = AutoTokenizer.from_pretrained(str(tmp_path / name))
        names = tokenizer.bos_token, tokenizer.eos_token, tokenizer.pad_token, tokenizer.unk_token
        assert names == ("<s>", "</s>", "<fill>", None)
        short, long = tokenizer(["a", "a the abca"], padding=True)["input_ids"]
        assert len(short) == len(long)
        assert short[1:] == [number["<fill>"]] * (len(long) - 1)
        assert tokenizer("<|user|>")["input_ids"] == [number["<|user|>"]]
        assert tokenizer.decode([number["<|user|>"], 97], skip_special_tokens=True) == "a"
    read = Vocabulary.load(tmp_path / "again")
    assert dict(read.special) == dict(number)
