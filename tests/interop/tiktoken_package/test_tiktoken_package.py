"""Packages in which tiktoken finds a vocabulary by name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib

import pytest
from interop.cases import TEXT, chosen, need

from partcover import Encoder, InputError, Vocabulary
from partcover.interop import export

FIND = """
import json, sys, tiktoken
encoding = tiktoken.get_encoding(sys.argv[1])
special = {name: encoding.encode_single_token(name) for name in encoding.special_tokens_set}
print(json.dumps([encoding.name, encoding.encode(sys.argv[2]), special]))
"""


def found(folder, name, text):
    """What tiktoken itself, in a process of its own, makes of a text by an encoding's name."""
    line = [sys.executable, "-c", FIND, name, text]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("split", ["none", "gpt2", "cl100k", "o200k", "first-space", "digit"])
def test_a_text_is_cut_the_same(tmp_path, counted, split):
    need("tiktoken")
    vocabulary = chosen(counted, rule="merges", pretokenizer=split, special={"<|end|>": 900})
    result = export(vocabulary, tmp_path / "mine", "tiktoken-package", corpus=counted, text=TEXT)
    assert result.exact
    assert result.text_same
    back = Vocabulary.load(tmp_path / "mine")
    assert (back.tokens, back.id_of, back.rule) == (vocabulary.tokens, vocabulary.id_of, "merges")
    assert (back.pretokenizer, dict(back.special)) == (split, {"<|end|>": 900})
    assert "remarks" not in back.provenance


@pytest.mark.long
@pytest.mark.parametrize("name", ["my-tokens", "日本 2.0", "4\"'\\"])
def test_tiktoken_finds_it_by_name(tmp_path, counted, name):
    need("tiktoken")
    vocabulary = chosen(counted, rule="merges", pretokenizer="gpt2", special={"<|end|>": 900})
    folder = tmp_path / name
    assert export(vocabulary, folder, "tiktoken-package").exact
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    [files] = project["tool"]["setuptools"]["package-data"].values()
    assert {*files, files[0].replace(".json", ".py")} == {
        file.name for file in (folder / "tiktoken_ext").iterdir()
    }
    assert found(folder, name, TEXT) == [name, Encoder(vocabulary).encode(TEXT), {"<|end|>": 900}]
    assert export(vocabulary, folder, "tiktoken-package").exact  # in place of itself
    assert project["project"]["name"].isascii()


def test_the_folder_here_has_a_name_too(tmp_path, monkeypatch):
    need("tiktoken")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    vocabulary = Vocabulary(["ab"], rule="merges", pretokenizer="gpt2")
    assert export(vocabulary, ".", "tiktoken-package").exact
    assert found(".", "here", "ab")[1] == [256]


def test_what_it_cannot_express_is_refused(tmp_path, counted):
    need("tiktoken")
    merged = chosen(counted, rule="merges")
    for vocabulary, name, message in (
        (merged, "cl100k_base", "tiktoken already has an encoding 'cl100k_base'"),
        (merged.with_(rule="priority"), "t", "cannot express the rule priority"),
        (merged.with_(pretokenizer="space-prefix"), "t", "splits a text by one pattern"),
        (merged.with_(pretokenizer="first-space+digit"), "t", "splits a text by one pattern"),
        (merged.with_(pretokenizer="my own"), "t", "unknown pre-tokenizer"),
    ):
        with pytest.raises(InputError, match=message):
            export(vocabulary, tmp_path / name, "tiktoken-package")
    assert list(tmp_path.iterdir()) == []
    spaced = merged.with_(pretokenizer="space-prefix")
    result = export(spaced, tmp_path / "t", "tiktoken-package", lossy=True, text=TEXT)
    assert (result.written_pretokenizer, result.words_differing) == ("none", 0)
    assert not result.exact


def test_what_is_not_as_it_is_written_is_named(tmp_path):
    need("tiktoken")
    vocabulary = Vocabulary(["ab"], rule="merges", pretokenizer="gpt2")
    export(vocabulary, tmp_path / "t", "tiktoken-package")
    file = tmp_path / "t" / "tiktoken_ext" / "t.json"
    settings = json.loads(file.read_text())
    for change, message in (
        ({"format": "other"}, "t.json: not the settings of an encoding"),
        ({"special_tokens": 3}, "t.json: not the settings of an encoding"),
        ({"special_tokens": {"a": "b"}}, "t.json: "),
    ):
        file.write_text(json.dumps(settings | change))
        with pytest.raises(InputError, match=message):
            Vocabulary.load(tmp_path / "t")
    for change in ({"pattern": "x"}, {"pretokenizer": 3}, {"pretokenizer": "other"}):
        file.write_text(json.dumps(settings | change))
        back = Vocabulary.load(tmp_path / "t")
        assert back.pretokenizer is None
        assert "--pretokenizer" in back.provenance["remarks"][0]
    file.rename(file.with_name("u.json"))
    with pytest.raises(InputError, match=r"u\.tiktoken: cannot be read"):
        Vocabulary.load(tmp_path / "t")
    file.write_text("{}")
    with pytest.raises(InputError, match="2 encodings, expected one"):
        Vocabulary.load(tmp_path / "t")
