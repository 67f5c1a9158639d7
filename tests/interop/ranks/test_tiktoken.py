"""Rank files of tiktoken."""

from __future__ import annotations

import base64
import hashlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from interop.cases import chosen, need
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary, WordCounts, extend, prune, segment
from partcover.interop import export
from partcover.interop.ranks import published


def test_tiktoken_is_exact_for_merges(tmp_path, counted):
    need("tiktoken")
    vocabulary = chosen(counted, rule="merges", special={"<|end|>": 900})
    result = export(vocabulary, tmp_path / "v.tiktoken", "tiktoken", corpus=counted)
    assert result.exact
    assert result.tokens == result.exported_tokens == segment(counted, vocabulary).tokens
    assert any("<|end|> 900" in remark for remark in result.remarks)
    back = Vocabulary.load(tmp_path / "v.tiktoken")
    assert (back.tokens, back.id_of, back.rule) == (vocabulary.tokens, vocabulary.id_of, "merges")
    assert back.pretokenizer is None
    assert "no pre-tokenizer" in back.provenance["remarks"][0]
    digest = hashlib.sha256((tmp_path / "v.tiktoken").read_bytes()).hexdigest()
    assert (back.provenance["source"], back.provenance["source_sha256"]) == ("v.tiktoken", digest)


@pytest.mark.long
@settings(tries(60), suppress_health_check=list(HealthCheck))
@given(tokens=st.lists(st.text("abé", min_size=2, max_size=5), unique=True, max_size=9))
def test_tiktoken_on_generated_vocabularies(tmp_path, tokens):
    need("tiktoken")
    assert export(
        Vocabulary(tokens, rule="merges", pretokenizer="none"), tmp_path / "t", "tiktoken"
    ).exact


def test_tiktoken_keeps_ids_that_rise_and_gives_bytes_ranks(tmp_path):
    need("tiktoken")
    ids = [*range(1000, 1254), -1, -1, 5, 7]
    vocabulary = Vocabulary(["ab", "abc"], rule="merges", ids=ids, pretokenizer="none")
    result = export(vocabulary, tmp_path / "t", "tiktoken")
    assert result.exact
    assert "byte 0xFE, which has no id, was given 1254" in result.remarks
    assert "byte 0xFF, which has no id, was given 1255" in result.remarks
    turned = vocabulary.with_(ids=[*ids[:256], 7, 5])
    with pytest.raises(InputError, match="ids in another order than the tokens"):
        export(turned, tmp_path / "u", "tiktoken")
    result = export(turned, tmp_path / "u", "tiktoken", lossy=True)
    assert not result.exact
    assert result.words_differing == 0
    assert result.ids_differing == 256


def test_tiktoken_refuses_other_rules_and_measures_the_loss(tmp_path, counted):
    need("tiktoken")
    vocabulary = chosen(counted)
    with pytest.raises(InputError, match=r"cannot express the rule shortest_path.*rule merges"):
        export(vocabulary, tmp_path / "t", "tiktoken", corpus=counted)
    assert not (tmp_path / "t").exists()
    result = export(vocabulary, tmp_path / "t", "tiktoken", corpus=counted, lossy=True)
    assert result.tokens == segment(counted, vocabulary).tokens
    assert result.exported_tokens == segment(counted, vocabulary, "merges").tokens
    assert result.exported_tokens > result.tokens


def test_pairs_are_dropped_where_they_change_nothing(tmp_path):
    need("tiktoken")
    # each token merges from its own symbols: without pairs the same
    needless = Vocabulary(
        ["ab", "abc", "de"],
        rule="merges",
        merges=[("a", "b"), ("ab", "c"), ("d", "e")],
        pretokenizer="none",
    )
    assert export(needless, tmp_path / "t", "tiktoken").exact
    # b + c comes first, so abc never merges from a + b; without pairs it would from a + bc
    needed = Vocabulary(
        ["bc", "ab", "abc"],
        rule="merges",
        merges=[("b", "c"), ("a", "b"), ("ab", "c")],
        pretokenizer="none",
    )
    with pytest.raises(InputError, match="which pairs merge"):
        export(needed, tmp_path / "t", "tiktoken")
    words = WordCounts.from_counts({"abc": 7})
    result = export(needed, tmp_path / "t", "tiktoken", corpus=words, lossy=True)
    assert (result.tokens, result.exported_tokens) == (14, 7)


def rank_file(path, tokens):
    lines = [f"{base64.b64encode(t).decode()} {rank}\n" for rank, t in enumerate(tokens)]
    path.write_text("".join(lines))
    return path


def test_published_rank_files_are_known(tmp_path, monkeypatch):
    path = rank_file(tmp_path / "cl100k_base.tiktoken", [b"b", b"a", b"ab"])
    by_name = Vocabulary.load(path)
    assert by_name.pretokenizer == "cl100k"
    assert by_name.special["<|endoftext|>"] == 100257
    assert "by the name alone" in by_name.provenance["remarks"][0]
    assert "254 of the 256 bytes have no rank" in by_name.provenance["remarks"]
    assert (by_name.id_of[97], by_name.id_of[98], by_name.id_of[256]) == (1, 0, 2)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    known = {digest: ("o200k_base", "o200k", {"<|endoftext|>": 199999})}
    monkeypatch.setattr(published, "PUBLISHED", known)
    by_content = Vocabulary.load(path)
    assert by_content.pretokenizer == "o200k"
    assert "recognized o200k_base by its SHA-256" in by_content.provenance["remarks"][0]
    path.write_bytes(path.read_bytes() + b"\n")
    assert "by the name alone" in Vocabulary.load(path).provenance["remarks"][0]


def test_the_special_tokens_of_the_files_of_llama_and_whisper():
    by_name = {name: special for name, _, special in published.PUBLISHED.values()}
    # as Meta's own code numbers them
    assert by_name["llama3"]["<|eot_id|>"] == 128009
    assert by_name["llama3"]["<|reserved_special_token_245|>"] == 128255
    assert sorted(by_name["llama3"].values()) == [*range(128000, 128256)]
    llama4 = by_name["llama4"]
    assert sorted(llama4.values()) == [*range(200000, 202048)]
    assert llama4["<|header_start|>"] == 200005
    assert llama4["<|image_start|>"] == 200080
    assert llama4["<|reasoning_thinking_start|>"] == 201142
    assert llama4["<|reserved_special_token_0|>"] == 201144
    # OpenAI's r50k_base is Whisper's gpt2.tiktoken
    digest = next(d for d, known in published.PUBLISHED.items() if known[0] == "r50k_base")
    assert published.published_as(digest, "r50k_base")[2] == {"<|endoftext|>": 50256}
    whisper = published.published_as(digest, "gpt2")[2]
    assert (whisper["<|endoftext|>"], whisper["<|startoftranscript|>"]) == (50256, 50257)
    assert published.published_as("0" * 64, "gpt2") is None


def test_ids_of_special_tokens_that_a_file_by_that_name_has_are_left_out(tmp_path):
    path = tmp_path / "r50k_base.tiktoken"
    path.write_text(f"{base64.b64encode(b'ab').decode()} 50256\n")
    vocabulary = Vocabulary.load(path)
    assert (vocabulary.id_of[256], vocabulary.special, vocabulary.pretokenizer) == (
        50256,
        {},
        "gpt2",
    )


@pytest.mark.parametrize("front", [b"\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n \n"])
def test_a_rank_file_is_known_behind_blank_lines_and_a_mark_of_byte_order(tmp_path, front):
    path = tmp_path / "ranks"
    path.write_bytes(front + rank_file(path, [b"a", b"ab"]).read_bytes())
    assert Vocabulary.load(path).tokens == (b"ab",)


def test_an_empty_token_stays(tmp_path):
    """As in Whisper's file, whose special tokens are numbered by how many others there are."""
    need("tiktoken")
    lines = [b"%b %d\n" % (base64.b64encode(bytes([byte])), byte) for byte in range(256)]
    path = tmp_path / "w.tiktoken"
    path.write_bytes(b"".join([*lines, b"aGE= 256\n", b"dGg= 257\n", b"= 258\n"]))
    vocabulary = Vocabulary.load(path).with_(pretokenizer="gpt2", special={"<s>": 259})
    assert vocabulary.decode_only == {258: b""}
    assert Encoder(vocabulary).decode([104, 258, 256]) == "hha"
    result = export(vocabulary, tmp_path / "same.tiktoken", "tiktoken")
    assert result.exact
    assert not any("left out" in remark for remark in result.remarks)
    assert (tmp_path / "same.tiktoken").read_bytes() == path.read_bytes()
    words = WordCounts.from_texts(["the hat"], pretokenizer="gpt2")
    fewer = prune(vocabulary, words, 1, time_limit=1).vocabulary
    assert (fewer.decode_only, fewer.special) == ({257: b""}, {"<s>": 258})
    more = extend(vocabulary, words, 1, time_limit=1).vocabulary
    assert (more.id_of[-1], more.decode_only) == (260, {258: b""})
    for number, changed in enumerate((fewer, more)):
        to = tmp_path / f"{number}.tiktoken"
        assert export(changed, to, "tiktoken").exact
        back = Vocabulary.load(to)
        assert (back.id_of, back.decode_only) == (changed.id_of, changed.decode_only)
    assert export(vocabulary, tmp_path / "own", "tiktoken-package").exact
    assert Vocabulary.load(tmp_path / "own").decode_only == vocabulary.decode_only


def test_other_ids_that_only_decode_are_left_out_with_a_remark(tmp_path):
    need("tiktoken")
    others = {900: b"", 901: b"x", 902: b""}
    vocabulary = Vocabulary(["ab"], rule="merges", pretokenizer="gpt2", decode_only=others)
    result = export(vocabulary, tmp_path / "t", "tiktoken")
    assert "left out 2 ids that no text is encoded to" in result.remarks
    assert Vocabulary.load(tmp_path / "t").decode_only == {900: b""}
