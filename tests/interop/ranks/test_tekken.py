"""Mistral's tekken.json."""

from __future__ import annotations

import json

import pytest
from interop.cases import need
from interop.vocabularies import TEXT, made, same

from partcover import Encoder, InputError, Vocabulary
from partcover.interop import export


def written(path, **changes):
    """A file as Mistral publishes it: the first tokens have ids, after those of special tokens."""
    need("tiktoken")
    export(made("merges", pretokenizer="o200k"), path, "tekken")
    data = json.loads(path.read_bytes())
    data["config"].update(default_vocab_size=256 + 20 + 12, default_num_special_tokens=20)
    data["special_tokens"] = None
    data["config"].update(changes)
    path.write_text(json.dumps(data))
    return data


def test_exact_there_and_back(tmp_path):
    need("tiktoken")
    special = {"<s>": 0, "</s>": 1}
    ids = range(2, 2 + 256 + len(made("merges")))
    vocabulary = made("merges", pretokenizer="o200k", ids=ids, special=special)
    result = export(vocabulary, tmp_path / "t", "tekken", text=TEXT)
    assert result.exact
    assert result.text_same
    same(Vocabulary.load(tmp_path / "t").with_(method="given"), vocabulary)


def test_ids_follow_the_special_tokens_and_the_rest_is_cut_off(tmp_path):
    tiktoken = need("tiktoken")
    data = written(tmp_path / "t.json")
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    assert vocabulary.tokens == made("merges").tokens[:12]
    assert vocabulary.special["[INST]"] == 3
    assert vocabulary.provenance["remarks"] == [
        "1 tokens beyond its default_vocab_size are left out, as in mistral-common"
    ]
    own = tiktoken.Encoding(
        "own",
        pat_str=data["config"]["pattern"],
        mergeable_ranks={bytes([i]): i for i in range(256)}
        | {token: 256 + i for i, token in enumerate(vocabulary)},
        special_tokens={},
    )
    assert Encoder(vocabulary).encode(TEXT) == [20 + rank for rank in own.encode_ordinary(TEXT)]


@pytest.mark.long
def test_what_else_a_file_has_is_checked_and_said(tmp_path):
    data = written(tmp_path / "t")
    named = [{"rank": rank, "token_str": f"<{rank}>"} for rank in range(20)]
    bytes_ = [data["vocab"][1], data["vocab"][0]]
    swapped = [{**entry, "rank": rank} for rank, entry in enumerate(bytes_)]
    for change, message in (
        ({"special_tokens": named[::-1]}, "not in the order of their ranks, 0 and on"),
        ({"special_tokens": [*named[:19], {**named[0], "rank": 19}]}, "are not 20 different ones"),
        ({"special_tokens": [*named, {"rank": 20, "token_str": "x"}]}, "are not 20 different ones"),
        ({"vocab": swapped + data["vocab"][2:]}, "its token 0 is not the byte 0x00"),
    ):
        (tmp_path / "t").write_text(json.dumps({**data, **change}))
        with pytest.raises(InputError, match=message):
            Vocabulary.load(tmp_path / "t")
    (tmp_path / "t").write_text(json.dumps({**data, "image": {"x": 1}, "audio": {"y": 2}}))
    remarks = Vocabulary.load(tmp_path / "t").provenance["remarks"]
    assert remarks[-1] == "its settings for image and audio are not kept"


def test_free_special_tokens_and_unknown_patterns(tmp_path):
    written(
        tmp_path / "t", pattern="x|y", default_num_special_tokens=24, default_vocab_size=24 + 260
    )
    vocabulary = Vocabulary.load(tmp_path / "t")
    assert vocabulary.special["<SPECIAL_23>"] == 23
    assert len(vocabulary) == 4
    assert "4 ids of special tokens have no name" in vocabulary.provenance["remarks"][-1]


@pytest.mark.long
def test_other_ids_are_given_up(tmp_path):
    need("tiktoken")
    vocabulary = made("merges", special=["<s>"])
    with pytest.raises(InputError, match="ids in another order than special tokens, bytes"):
        export(vocabulary, tmp_path / "t", "tekken")
    result = export(vocabulary, tmp_path / "t", "tekken", lossy=True)
    assert result.words_differing == 0
    assert Vocabulary.load(tmp_path / "t").special == {"<s>": 0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"default_vocab_size": 9999}, "its sizes require 9,979 tokens, but it"),
        ({"default_num_special_tokens": -1}, "its sizes require 289 tokens"),
        (
            {"default_num_special_tokens": 10**9, "default_vocab_size": 10**9},
            "special tokens: the number must",
        ),
        ({"default_num_special_tokens": "1"}, "not a tekken.json"),
        ({"pattern": 3}, "its pattern is not text"),
    ],
)
def test_broken_settings(tmp_path, change, message):
    written(tmp_path / "t", **change)
    with pytest.raises(InputError, match=message):
        Vocabulary.load(tmp_path / "t")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"rank": 258, "token_bytes": "!", "token_str": None}, "token 258 is not base64"),
        ({"rank": 258, "token_bytes": "", "token_str": None}, "token 258 is empty"),
        ({"rank": 1, "token_bytes": "YQ==", "token_str": None}, "token 258 is empty, given twice"),
        ({}, "not a tekken.json"),
    ],
)
def test_broken_tokens(tmp_path, entry, message):
    data = written(tmp_path / "t")
    data["vocab"][258] = entry
    (tmp_path / "t").write_text(json.dumps(data))
    with pytest.raises(InputError, match=message):
        Vocabulary.load(tmp_path / "t")
