"""GGUF files: read as llama.cpp uses them, and written back with all other keys."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

from partcover import Encoder, InputError, Vocabulary, WordCounts, export, extend, prune
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.interop.byte_level import SPELLED_BYTES
from partcover.interop.gguf.container import Value, read_keys, write_keys
from partcover.interop.gguf.rwkv_spelling import read_spelled, spelled
from partcover.interop.gguf.special import overlapping
from partcover.interop.gguf.splits import SPLITS, pretokenizer_of_split
from partcover.vocabulary.unknown import Unknown

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
TEXT = "the that <s> hath  ha7 é 日\n"


def written(path, model, pieces, merges=None, **more):
    """Writes a file: `pieces` are text, type and score."""
    texts, types, scores = zip(*pieces, strict=True)
    keys = {
        "general.architecture": "llama",
        "llama.vocab_size": len(texts),
        "tokenizer.ggml.model": model,
        "tokenizer.ggml.tokens": [text.encode() for text in texts],
        "tokenizer.ggml.token_type": np.array(types, "<i4"),
    }
    if any(scores):
        keys["tokenizer.ggml.scores"] = np.array(scores, "<f4")
    if merges is not None:
        keys["tokenizer.ggml.merges"] = [merge.encode() for merge in merges]
    keys |= {key.replace("__", "."): value for key, value in more.items()}
    write_keys(path, {name: Value.of(content) for name, content in keys.items()})
    return path


def bpe(path, **more):
    """GPT-2's model, with a control token, one found in every text, and an unused one."""
    texts = [*SPELLED_BYTES, "th", "at", "ha", "that"]
    pieces = [(text, NORMAL, 0) for text in texts]
    pieces += [("<s>", CONTROL, 0), ("  ", USER_DEFINED, 0), ("[PAD262]", UNUSED, 0)]
    pieces += [("<free 263>", UNUSED, 0), ("日", NORMAL, 0)]  # no text is encoded to these
    facts = {"tokenizer__ggml__pre": "gpt-2", "tokenizer__ggml__bos_token_id": 260}
    facts |= {"tokenizer__chat_template": "{{ messages }}"}
    return written(path, "gpt2", pieces, ["t h", "h a", "a t", "th at"], **facts | more)


WORDS = ("▁t", "he", "▁the", "▁th", "at", "▁", "t", "h", "e", "a", "é")


def spm(path, words=WORDS, **more):
    """Llama's model: BPE over characters by score, with byte fallback."""
    pieces = [("<unk>", UNKNOWN, 0), ("<s>", CONTROL, 0)]
    pieces += [(f"<0x{byte:02X}>", BYTE, 0) for byte in range(256)]
    pieces += [(text, NORMAL, -float(place + 1)) for place, text in enumerate(words)]
    pieces += [("a b", NORMAL, -99)]  # no text has a space there
    return written(path, "llama", pieces, tokenizer__ggml__bos_token_id=1, **more)


def gemma(path, lacking="é", more=()):
    """Gemma 4's model: BPE over text by merges, with bytes but some."""
    pieces = [("<pad>", CONTROL, 0), ("<unk>", UNKNOWN, 0)]
    there = [byte for byte in range(256) if chr(byte) not in lacking]
    pieces += [(f"<0x{byte:02X}>", BYTE, 0) for byte in there]
    texts = ["▁", "t", "h", "e", "a", "\n", "th", "the", "▁the", "\n\n", *more]
    pieces += [(text, NORMAL, 0) for text in texts]
    return written(path, "gemma4", pieces, ["t h", "th e", "▁ the", "\n \n"])


def unigram(path):
    pieces = [("<pad>", CONTROL, 0), ("</s>", CONTROL, 0), ("<unk>", UNKNOWN, 0)]
    pieces += [("▁the", NORMAL, -1.5), ("▁", NORMAL, -2.0), ("t", NORMAL, -3.0)]
    pieces += [("h", NORMAL, -3.0), ("ha", NORMAL, -3.5), ("a", NORMAL, -3.25)]
    more = {"tokenizer__ggml__add_space_prefix": True, "tokenizer__ggml__unknown_token_id": 2}
    more["tokenizer__ggml__remove_extra_whitespaces"] = True
    return written(path, "t5", pieces, **more)


def bert(path):
    pieces = [("[PAD]", CONTROL, 0), ("[UNK]", CONTROL, 0), ("▁the", NORMAL, 0)]
    pieces += [("▁ha", NORMAL, 0), ("th", NORMAL, 0), ("▁e", NORMAL, 0), ("t", NORMAL, 0)]
    pieces += [("▁ᄀ", NORMAL, 0), ("▁न", NORMAL, 0)]
    return written(path, "bert", pieces, tokenizer__ggml__unknown_token_id=1)


def rwkv(path):
    tokens = [b"th", b"the", b" ha", b"\n\n", "é".encode(), b"'\""]
    pieces = [("<s>", CONTROL, 0)]
    pieces += [(spelled(bytes([byte])), NORMAL, 0) for byte in range(256)]
    return written(path, "rwkv", pieces + [(spelled(token), NORMAL, 0) for token in tokens])


MODELS = {
    "gpt2": bpe,
    "llama": spm,
    "t5": unigram,
    "bert": bert,
    "rwkv": rwkv,
    "gemma4": gemma,
}


def ids_of(path, text=TEXT):
    vocabulary = Vocabulary.load(path)
    return Encoder(vocabulary, vocabulary.pretokenizer).encode(text)


# what llama.cpp makes of these files (llama_tokenize without special tokens)
RESULTS = {
    "gpt2": {
        "that  ha\n": [259, 261, 258, 198],
        "the théa": [256, 68, 220, 256, 127, 102, 64],
        " the  ha?? the": [220, 256, 68, 261, 258, 30, 30, 220, 256, 68],
    },
    "llama": {
        "that  ha\n": [261, 262, 263, 263, 265, 267, 12],
        "the théa": [260, 261, 268, 267],
        " the  ha?? the": [263, 260, 263, 263, 265, 267, 65, 65, 260],
        "The thet x hath": [263, 86, 259, 260, 264, 263, 122, 263, 265, 262, 265],
    },
    "t5": {
        "that  ha\n": [4, 5, 7, 5, 4, 7, 2],
        "the théa": [3, 4, 5, 6, 2, 8],
        " the  ha?? the": [3, 4, 7, 2, 3],
        "The thet x hath": [4, 2, 6, 2, 3, 5, 4, 2, 4, 7, 5, 6],
    },
    "bert": {
        "that  ha\n": [1, 3],
        "the théa": [2, 1],
        " the  ha?? the": [2, 3, 1, 1, 2],
        "The thet x hath": [2, 2, 6, 1, 3, 4],
        "각 THÉ\x0bha\x85नि": [7, 2, 3, 8],
        "ha\u07fdth e\u0890 ᄀ": [3, 4, 5, 7],
    },
    "rwkv": {
        "that  ha\n": [257, 98, 117, 33, 259, 11],
        "the théa": [258, 33, 257, 261, 98],
        " the  ha?? the": [33, 258, 33, 259, 64, 64, 33, 258],
    },
}


@pytest.mark.parametrize("model", RESULTS)
def test_ids_are_those_of_llama_cpp(model, tmp_path):
    path = MODELS[model](tmp_path / "v.gguf")
    assert {text: ids_of(path, text) for text in RESULTS[model]} == RESULTS[model]


def characters(path, more, pre="gpt-2", **keys):
    """GPT-2's model without merges, and some tokens: text and type."""
    pieces = [(text, NORMAL, 0) for text in SPELLED_BYTES]
    pieces += [(text, kind, 0) for text, kind in more]
    return written(path, "gpt2", pieces, [], tokenizer__ggml__pre=pre, **keys)


def test_some_tokens_have_the_types_that_llama_cpp_gives_them(tmp_path):
    """Whatever the file says, which keeps what it says."""
    more = [("</s>", USER_DEFINED), ("<|start|>", CONTROL), ("<|end|>", CONTROL)]
    more += [("<|call|>", CONTROL), ("<|return|>", CONTROL), ("<fim_prefix>", USER_DEFINED)]
    more += [("<fim_suffix>", USER_DEFINED), ("[PAD]", NORMAL)]
    path = characters(tmp_path / "v.gguf", more, tokenizer__ggml__suffix_token_id=262)
    vocabulary = Vocabulary.load(path)
    encoder = Encoder(vocabulary)
    found = [text for text in vocabulary.special if len(encoder.encode(text)) == 1]
    assert found == ["<|start|>", "<|end|>", "<fim_suffix>"]
    assert list(encoder.encode("a</s>[PAD]", special="parse")) == [64, 256, 263]
    assert list(encoder.encode("[PAD]")) == [58, 47, 32, 35, 60]
    export(vocabulary, tmp_path / "again.gguf", "gguf")
    assert (tmp_path / "again.gguf").read_bytes() == path.read_bytes()
    path = characters(path, [("</s>", CONTROL), ("<|tool_response>", USER_DEFINED)])
    assert Vocabulary.load(path).special == {"<|tool_response>": 257}


def test_unused_tokens_and_unknown_ones_of_unigram(tmp_path):
    pieces = [("<pad>", CONTROL, 0), ("</s>", CONTROL, 0), ("<x>", UNKNOWN, 0)]
    pieces += [("▁", NORMAL, -2.0), ("t", NORMAL, -3.0), ("h", NORMAL, -3.0)]
    pieces += [("th", UNUSED, -2.5), ("tt", UNUSED, -9.0), ("<unk>", UNKNOWN, 0)]
    more = {"tokenizer__ggml__remove_extra_whitespaces": True}
    more["tokenizer__ggml__add_space_prefix"] = False  # there is one all the same
    path = written(tmp_path / "v.gguf", "t5", pieces, **more)
    vocabulary = Vocabulary.load(path)
    encoder = Encoder(vocabulary)
    assert list(encoder.encode("th  h <unk>")) == [3, 6, 3, 5, 3, 2]
    assert list(encoder.encode(" ttx<unk>", special="parse")) == [3, 4, 4, 2, 8]
    assert encoder.decode([3, 6, 3, 5]) == " th h"
    assert "left out 1 unused pieces" in vocabulary.provenance["remarks"]
    assert export(vocabulary, tmp_path / "again.gguf", "gguf").exact
    assert (tmp_path / "again.gguf").read_bytes() == path.read_bytes()


def test_what_no_key_names_is_unknown_to_bert_at_its_place(tmp_path):
    words = [(f"[free{number}]", UNUSED, 0) for number in range(100)]
    path = written(tmp_path / "v.gguf", "bert", [*words, ("<u>", CONTROL, 0), ("▁a", NORMAL, 0)])
    assert list(ids_of(path, "a b")) == [101, 100]


def test_a_capital_i_with_a_dot_becomes_one_character_in_bert(tmp_path):
    pieces = [("[UNK]", CONTROL, 0), ("▁i", NORMAL, 0)]
    more = {"tokenizer__ggml__normalizer__strip_accents": False}
    more["tokenizer__ggml__unknown_token_id"] = 0
    path = written(tmp_path / "v.gguf", "bert", pieces, **more)
    assert list(ids_of(path, "İ i\u0307")) == [1, 0]


def test_gemma_4_is_decoded_with_spaces(tmp_path):
    vocabulary = Vocabulary.load(gemma(tmp_path / "v.gguf"))
    assert Encoder(vocabulary).decode(Encoder(vocabulary).encode(" the at")) == " the at"


@pytest.mark.parametrize(
    ("pre", "text", "words"),
    [
        ("afmoe", "a\x0f٣x12345", ["a", "\x0f٣", "x", "12", "345"]),
        ("tiny_aya", "\n  12345 x", ["\n", " ", " ", "12", "345", " x"]),
        (
            "kimi-k2",
            "a日b's 中'S x1234 Ab",
            ["a", "日", "b's", " ", "中", "'S", " x", "123", "4", " Ab"],
        ),
    ],
)
def test_words_are_those_of_llama_cpp(pre, text, words):
    assert pretokenizer_of_split(SPLITS[pre]).split(text) == words


def test_a_mask_takes_the_white_space_before_it_in_some_models(tmp_path):
    path = characters(tmp_path / "v.gguf", [("<mask>", CONTROL)], "jina-v2-code")
    assert list(Encoder(Vocabulary.load(path)).encode("a  <mask> a", special="parse")) == [
        64, 256, 220, 64,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "remark"),
    [
        (lambda path: characters(path, [("{{", CONTROL)], "llama3"), "text such as {{ becomes"),
        (lambda path: spm(path, words=["<s", "▁", "<", "s", ">"]), "text such as <s> becomes"),
        (rwkv, "text such as <s> becomes"),
        (lambda path: characters(path, [("ab", 3), ("bc", 4)]), "tokens ab and bc can overlap"),
        (lambda path: characters(path, [("<bc>", 3), ("bc", 4)]), "tokens <bc> and bc can overlap"),
    ],
)
def test_special_tokens_that_llama_cpp_finds_elsewhere_get_a_remark(source, remark, tmp_path):
    remarks = Vocabulary.load(source(tmp_path / "v.gguf")).provenance["remarks"]
    assert any(remark in one for one in remarks)
    plain = Vocabulary.load(spm(tmp_path / "plain.gguf"))
    assert not any("special token" in one for one in plain.provenance.get("remarks", []))


def test_runs_of_line_feeds_that_merging_does_not_build_get_a_remark(tmp_path):
    path = gemma(tmp_path / "v.gguf", lacking="", more=["\n\n\n"])
    assert "llama.cpp takes 1 runs of line feeds" in Vocabulary.load(path).provenance["remarks"][0]


def test_scores_are_added_in_64_bits(tmp_path):
    """As llama.cpp does, unlike sentencepiece; new scores survive the 32 bits of the file."""
    pieces = [("<unk>", UNKNOWN, 0), ("▁", NORMAL, -2.0), ("a", NORMAL, -1.1)]
    pieces += [("aa", NORMAL, -2.2), ("aaa", NORMAL, -3.3)]
    more = {"tokenizer__ggml__add_space_prefix": True, "tokenizer__ggml__unknown_token_id": 0}
    path = written(tmp_path / "v.gguf", "t5", pieces, **more)
    assert ids_of(path, "a" * 5) == [1, 3, 4]
    assert ids_of(path, "a" * 20) == [1, 3, 4, 4, 4, 4, 4, 4]
    vocabulary = Vocabulary.load(path)
    assert vocabulary.sums == "text"
    narrow = vocabulary.with_(sums="text32")
    assert Encoder(narrow).encode("a" * 20) != Encoder(vocabulary).encode("a" * 20)
    words = {"pretokenizer": vocabulary.pretokenizer, "normalizer": vocabulary.normalizer}
    text = "aaaaaa a aaaaaa"
    new = extend(vocabulary, WordCounts.from_texts([text], **words), 1, time_limit=1).vocabulary
    assert new.scores[-1] == float(np.float32(new.scores[-1]))
    assert export(new, tmp_path / "n.gguf", "gguf", text=text).text_same
    assert 5 in ids_of(tmp_path / "n.gguf", text)
    for sums, remark in (("text", "scores are rounded to 32 bits"), ("text32", "up in 64")):
        alone = vocabulary.with_(sums=sums, provenance={})
        remarks = export(alone, tmp_path / f"{sums}.gguf", "gguf", lossy=True).remarks
        assert any(one.endswith(remark) for one in remarks)


@pytest.mark.parametrize("model", MODELS)
def test_what_did_not_change_is_the_same_byte_for_byte(model, tmp_path):
    source = MODELS[model](tmp_path / "a.gguf")
    result = export(Vocabulary.load(source), tmp_path / "b.gguf", "gguf", text=TEXT)
    assert result.exact
    assert result.text_same
    assert (tmp_path / "b.gguf").read_bytes() == source.read_bytes()
    assert "llama.cpp itself is not called" in result.remarks[0]


@pytest.mark.parametrize(
    "file",
    [
        lambda path: gemma(path, lacking="at"),
        lambda path: spm(path, words=["▁t", "▁"], tokenizer__ggml__add_space_prefix=False),
    ],
)
def test_a_byte_is_spelled_as_in_the_file(file, tmp_path):
    """As a character that is a piece, or as <0xHH>, whichever of them are there."""
    source = file(tmp_path / "a.gguf")
    assert export(Vocabulary.load(source), tmp_path / "b.gguf", "gguf").exact
    assert (tmp_path / "b.gguf").read_bytes() == source.read_bytes()


@pytest.mark.parametrize("part", ["keys", "named", "free", "types", "scores", "tensors"])
def test_damaged_parts_of_the_file_are_refused_in_one_line(part, tmp_path):
    vocabulary = Vocabulary.load(spm(tmp_path / "a.gguf"))
    for damage in ([["a", "b"]], 7, {"a": "b"}):
        origin = {**vocabulary.provenance["origin"], part: damage}
        damaged = vocabulary.with_(provenance={"origin": origin})
        if (part, damage) != ("tensors", 7):
            with pytest.raises(InputError, match="GGUF file that are stored in the vocabulary are"):
                export(damaged, tmp_path / "b.gguf", "gguf")


def words_of(vocabulary):
    text = "that thatthat hathat the the banana" + " that" * 9
    words = Pretokenizer.from_name(vocabulary.pretokenizer).split(text)
    return WordCounts.from_words(words)


@pytest.mark.parametrize("model", ["gpt2", "llama"])
def test_an_extended_vocabulary_goes_back(model, tmp_path):
    source = MODELS[model](tmp_path / "a.gguf")
    before = Vocabulary.load(source)
    vocabulary = extend(before, words_of(before), 2, time_limit=None).vocabulary
    assert export(vocabulary, tmp_path / "b.gguf", "gguf").exact
    keys, there = read_keys(source)[0], read_keys(tmp_path / "b.gguf")[0]
    lists = {f"tokenizer.ggml.{name}" for name in ("tokens", "scores", "token_type", "merges")}
    assert {name for name in keys if keys[name].raw != there[name].raw} <= {
        *lists,
        "llama.vocab_size",
    }
    assert list(keys) == list(there)
    assert there["llama.vocab_size"].content == len(there["tokenizer.ggml.tokens"].content)
    read = Vocabulary.load(tmp_path / "b.gguf")
    assert read.tokens[-2:] == vocabulary.tokens[-2:]
    assert read.id_of == vocabulary.id_of


def test_ids_in_keys_follow_their_tokens(tmp_path):
    suppressed = np.array([260, 256], "<i4")
    more = {"tokenizer__ggml__suppress_tokens": suppressed, "tokenizer__huggingface__json": "{}"}
    source = bpe(tmp_path / "a.gguf", **more)
    before = Vocabulary.load(source)
    vocabulary = prune(before, words_of(before), 1, time_limit=None).vocabulary
    result = export(vocabulary, tmp_path / "b.gguf", "gguf")
    keys, _ = read_keys(tmp_path / "b.gguf")
    texts = keys["tokenizer.ggml.tokens"].content
    assert texts[keys["tokenizer.ggml.bos_token_id"].content] == b"<s>"
    kept = [texts[number] for number in keys["tokenizer.ggml.suppress_tokens"].content]
    assert kept == [b"<s>", *([b"th"] if b"th" in texts else [])]
    assert "tokenizer.huggingface.json" not in keys
    assert any("tokenizer.huggingface.json" in remark for remark in result.remarks)
    without = before.with_(special={"  ": 261})
    result = export(without, tmp_path / "b.gguf", "gguf", lossy=True)
    assert "bos_token_id is left out, because the token '<s>' was removed" in " ".join(
        result.remarks
    )
    assert "tokenizer.ggml.bos_token_id" not in read_keys(tmp_path / "b.gguf")[0]


def test_what_llama_cpp_does_besides_is_said(tmp_path):
    vocabulary = Vocabulary.load(bpe(tmp_path / "a.gguf", tokenizer__ggml__add_bos_token=True))
    assert "llama.cpp puts <s> around a text" in vocabulary.provenance["remarks"][-1]
    source = written(tmp_path / "b.gguf", "rwkv", [("'a'", NORMAL, 0)], ["a b"])
    remarks = export(Vocabulary.load(source), tmp_path / "c.gguf", "gguf").remarks
    assert "tokenizer.ggml.merges: left out, because the model rwkv has no use for it" in remarks


def test_tokens_with_equal_scores_and_in_another_order(tmp_path):
    pieces = [("<unk>", UNKNOWN, 0), *((f"<0x{byte:02X}>", BYTE, 0) for byte in range(256))]
    pieces += [("▁t", NORMAL, -1), ("▁th", NORMAL, -1), ("▁", NORMAL, -3)]
    vocabulary = Vocabulary.load(written(tmp_path / "a.gguf", "llama", pieces))
    remarks = export(vocabulary, tmp_path / "b.gguf", "gguf").remarks
    assert "1 tokens have equal scores, as in the original file" in remarks[-1]
    tokens, ids = vocabulary.tokens[::-1], [*vocabulary.id_of[:256], *vocabulary.id_of[:255:-1]]
    other = Vocabulary(
        tokens,
        ids=ids,
        rule=vocabulary.rule,
        special=vocabulary.special,
        pretokenizer=vocabulary.pretokenizer,
        normalizer=vocabulary.normalizer,
        decode_only=vocabulary.decode_only,
        provenance=vocabulary.provenance,
    )
    assert export(other, tmp_path / "c.gguf", "gguf").exact
    assert Vocabulary.load(tmp_path / "c.gguf").tokens == tokens


def test_special_tokens_and_those_found_in_every_text(tmp_path):
    vocabulary = Vocabulary.load(bpe(tmp_path / "a.gguf", general__name="Phi-3 tiny"))
    assert vocabulary.special == {"<s>": 260, "  ": 261}
    assert vocabulary.special_flags == {"  ": ("rstrip", "added")}
    plain = Vocabulary.load(bpe(tmp_path / "b.gguf"))
    assert plain.special_flags == {"  ": ("added",)}
    assert Encoder(plain).encode("a  <s>", special="parse") == [64, 261, 260]


def test_an_unknown_pretokenizer_is_left_to_you(tmp_path):
    path = bpe(tmp_path / "a.gguf", tokenizer__ggml__pre="newest")
    vocabulary = Vocabulary.load(path)
    assert vocabulary.pretokenizer is None
    assert "'newest' is not supported: name" in vocabulary.provenance["remarks"][0]


@pytest.mark.parametrize("name", SPLITS)
def test_every_split_keeps_the_text(name):
    text = "Don't  stop\n\n12345 été-日本語, it's  \t٣٤! x"
    words = pretokenizer_of_split(SPLITS[name]).split(text)
    assert "".join(words) == text
    assert len(words) > 1


def test_vocabularies_of_ones_own(tmp_path):
    merging = Vocabulary(
        ["th", "that"], rule="merges", merges=[("t", "h"), ("a", "t"), ("th", "at")][:1],
        pretokenizer="gpt2", special=["<s>"],
    )  # fmt: skip
    longest = Vocabulary(["th", "\n\n", "é"], rule="longest_match", pretokenizer="none")
    for number, vocabulary in enumerate((merging, longest)):
        result = export(vocabulary, tmp_path / f"{number}.gguf", "gguf", text=TEXT)
        assert result.exact, result
        read = Vocabulary.load(tmp_path / f"{number}.gguf")
        assert (read.tokens, read.id_of, read.rule) == (
            vocabulary.tokens,
            vocabulary.id_of,
            vocabulary.rule,
        )
    with pytest.raises(InputError, match=r"llama\.cpp knows pre-tokenizers by name"):
        export(merging.with_(pretokenizer="digit"), tmp_path / "no.gguf", "gguf")
    with pytest.raises(InputError, match="has no bytes for what is no token"):
        export(merging.with_(rule="shortest_path"), tmp_path / "no.gguf", "gguf")
    with pytest.raises(InputError, match="149,742 of 150,001 ids are unused, but ids of a GGUF"):
        export(merging.with_(special={"<s>": 150_000}), tmp_path / "no.gguf", "gguf")
    split = pretokenizer_of_split(SPLITS["minicpm5"]).name  # looks up whole words first
    with pytest.raises(InputError, match=r"llama\.cpp knows pre-tokenizers by name"):
        export(merging.with_(pretokenizer=split), tmp_path / "no.gguf", "gguf")
    assert not (tmp_path / "no.gguf").exists()


@pytest.mark.parametrize("others", [{}, {276: b"\xff"}])
def test_a_space_that_begins_no_token_is_a_piece(others, tmp_path):
    vocabulary = Vocabulary(
        ["ab"], rule="character_merges", pretokenizer="none", decode_only=others
    )
    path = tmp_path / "v.gguf"
    assert export(vocabulary, path, "gguf", text="a b <").exact
    assert list(ids_of(path, "a b▁<")) == [97, 32, 98, 32, 60]


def test_what_llama_cpp_does_with_special_tokens_is_said(tmp_path):
    vocabulary = Vocabulary(
        ["th"], rule="longest_match", pretokenizer="none", special={"<s>": 257, "</s>": 258},
        special_flags={"</s>": ["added"]},
    )  # fmt: skip
    remarks = export(vocabulary, tmp_path / "v.gguf", "gguf", lossy=True).remarks
    assert "in llama.cpp, text such as <s> becomes a special token" in remarks
    assert "llama.cpp takes </s> for a control token for its name" in remarks
    unknown = vocabulary.with_(rule="shortest_path", unknown=Unknown("<s>"))
    with pytest.raises(InputError, match=r"the token '.x00' cannot be a piece"):
        export(unknown, tmp_path / "no.gguf", "gguf", lossy=True)
    listed = Vocabulary(["th"], rule="single_symbols", pretokenizer="tekken")
    export(listed, tmp_path / "v.gguf", "gguf", lossy=True)  # not as tekken, which takes words
    assert Vocabulary.load(tmp_path / "v.gguf").rule == "single_symbols"


@pytest.mark.parametrize(("rule", "split"), [("merges", "gpt2"), ("longest_match", "none")])
def test_ids_that_only_decode_become_no_tokens(rule, split, tmp_path):
    vocabulary = Vocabulary(
        ["th"], rule=rule, pretokenizer=split, decode_only={257: b"th", 258: b"hx", 259: b"\xff"}
    )
    result = export(vocabulary, tmp_path / "v.gguf", "gguf", text="hx th")
    assert "left out 3 ids that no text is encoded to" in result.remarks
    assert Vocabulary.load(tmp_path / "v.gguf").tokens == (b"th",)


@pytest.mark.long
def test_a_bert_of_ones_own(tmp_path):
    """Its words are as long as they are; roles of its special tokens are those of BERT."""
    names = ["[PAD]", "[UNK]", "[CLS]", "the", "##th", "ha", "##e", "t", "h", "##h"]
    (tmp_path / "vocab.txt").write_text("\n".join(names))
    vocabulary = Vocabulary.load(tmp_path / "vocab.txt")
    path = tmp_path / "v.gguf"
    with pytest.raises(InputError, match="words of more than 100 characters as unknown"):
        export(vocabulary, path, "gguf")
    result = export(vocabulary, path, "gguf", text="The thé hathe", lossy=True)
    assert result.text_same
    keys = read_keys(path)[0]
    assert keys["tokenizer.ggml.cls_token_id"].content == 2
    assert keys["tokenizer.ggml.normalizer.lowercase"].content is True
    read = Vocabulary.load(path)
    assert (read.id_of, read.special, read.unknown.token) == (
        vocabulary.id_of,
        vocabulary.special,
        "[UNK]",
    )
    cased = {"type": "BertNormalizer", "clean_text": False}
    with pytest.raises(InputError, match="cannot express the normalizer"):
        export(vocabulary.with_(normalizer=json.dumps(cased)), path, "gguf")


def test_tensors_are_not_looked_at_and_a_remark_says_so(tmp_path):
    source = bpe(tmp_path / "a.gguf")
    data = bytearray(source.read_bytes())
    data[8:16] = struct.pack("<Q", 5)
    source.write_bytes(data + b"tensors")
    result = export(Vocabulary.load(source), tmp_path / "b.gguf", "gguf")
    assert any("not the 5 tensors of the file" in remark for remark in result.remarks)


def _head(n_keys, rest, version=3):
    return b"GGUF" + struct.pack("<IQQ", version, 0, n_keys) + rest


def _named(kind):
    return struct.pack("<Q", 1) + b"k" + struct.pack("<I", kind)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GGUF", "ends inside its keys: it"),
        (_head(0, b"")[:-1], "ends inside its keys: it"),
        (_head(0, b"", version=1), "the GGUF file has version"),
        (_head(0, b""), "tokenizer model '' is not supported"),
        (_head(2**40, b""), "1,099,511,627,776 keys"),
        (_head(1, struct.pack("<Q", 2**40)), "a key of 1,099,511,627,776 bytes"),
        (_head(1, _named(8) + struct.pack("<Q", 2**50)), "ends inside its keys: it"),
        (_head(1, _named(9) + struct.pack("<IQ", 8, 2**50)), "1,125,899,906,842,624 strings"),
        (_head(1, _named(9) + struct.pack("<IQ", 6, 2**50)), "ends inside its keys: it"),
        (_head(1, _named(9) + struct.pack("<IQ", 9, 1)), "a value of the unknown type"),
        (_head(1, _named(77)), "k: a value of the unknown type"),
        (_head(2, 2 * (_named(7) + b"\1")), "the key 'k' is given twice"),
    ],
)
def test_hostile_files_are_refused_in_one_line(data, message, tmp_path):
    path = tmp_path / "a.gguf"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message) as error:
        Vocabulary.load(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("model", "pieces", "more", "message"),
    [
        ("gpt2", [("a", 1, 0), ("a", 1, 0)], {}, "given twice"),
        ("gpt2", [("a", 1, 0)], {"tokenizer__ggml__tokens": 1}, "it has no tokens"),
        ("rwkv", [("a", 1, 0)], {"tokenizer__ggml__tokens": []}, "it has no tokens"),
        ("gpt2", [("a", 1, 0)], {"tokenizer__ggml__tokens": [b"\xff"]}, "a token is not UTF-8"),
        ("gpt2", [("a", 1, 0)], {"tokenizer__ggml__tokens": [b"a", b"b"]}, "token_type than"),
        ("gpt2", [("a", 1, 0)], {"tokenizer__ggml__merges": [b"a \xff"]}, "merge 0 is not UTF-8"),
        ("gpt2", [("a", 1, 0)], {}, "it has no merges"),
        ("gpt2", [("a", 1, 0)], {"merges": ["aa"]}, "merge 0 does not have two parts"),
        (
            "gpt2",
            [("a", 1, 0), ("b", 1, 0)],
            {"merges": ["a b"], "tokenizer__ggml__pre": "llama3"},
            "merge 'a' . 'b': 'ab' is not a token",
        ),
        ("plamo2", [("a", 1, 0)], {}, "tokenizer model 'plamo2' is not"),
        ("t5", [("a", 1, 0)], {}, "no unknown token"),
        ("llama", [("a", 9, 0)], {}, "the token 'a' has the unknown"),
        ("llama", [("a", 1, float("inf"))], {}, "a score is not a finite number"),
        ("rwkv", [("\\x", 1, 0)], {}, "spelling, or given twice"),
    ],
)
def test_what_no_vocabulary_can_express(model, pieces, more, message, tmp_path):
    path = written(tmp_path / "a.gguf", model, pieces, **more)
    with pytest.raises(InputError, match=message):
        Vocabulary.load(path)


def test_spelling_of_bytes():
    for token in (b"'", b'"', b"'\"", b"\\", b"\n\r\t\x00\xff", "é".encode()):
        assert read_spelled(spelled(token)) == token
    assert read_spelled("\\x4") is None
    assert read_spelled("a\\") is None


def test_values_keep_their_kinds():
    for content in (True, 7, "text", [b"a", b""], np.array([1.5], "<f8")):
        value = Value.of(content)
        again = Value.from_raw(value.raw)
        assert again.raw == value.raw
    with pytest.raises(InputError, match="data follows the last value"):
        Value.from_raw(Value.of(1).raw + b"x")


def test_the_search_for_overlaps_is_short_whatever_the_tokens_are():
    made_for_it = {"a" * 6000 + end: 3 for end in "bc"}
    assert overlapping(made_for_it | {"<0>": 3, ">>>": 3}) is None  # not reached
    assert overlapping({f"<{n}>": 3 for n in range(5000)}) is None
    assert overlapping({f"<{n}>": 3 for n in range(5000)} | {">>>>>>": 3}) == ("<0>", ">>>>>>")
