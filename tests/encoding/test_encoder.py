"""Text to ids and back: against a slow twin, and whatever bytes there are."""

from __future__ import annotations

import json

import numpy as np
import pytest
from encoding.cases import SIZES, cases
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.encoding import ids_of, pieces_of, spans_of

from partcover import Encoder, InputError, Vocabulary
from partcover.corpus.pretokenizers import (
    Pretokenizer,
)
from partcover.encoding import encoder, text_encoder, worker


@settings(max_examples=400, deadline=None)
@given(cases(), st.sampled_from(SIZES))
def test_ids_are_the_twins_and_decode_to_the_text(case, cache):
    text, vocabulary, name, rule = case
    ours = Encoder(vocabulary, name, rule, cache=cache)
    ids = ours.encode(text)
    assert ids == ids_of(text, vocabulary, name, rule)
    assert ours.encode(text) == ids  # what is in the table already
    assert ours.decode_bytes(ids) == text
    array = ours.encode_to_numpy(text)
    assert array.dtype == (np.uint16 if max(vocabulary.id_of) < 1 << 16 else np.uint32)
    assert ours.decode(array, "surrogateescape") == text.decode("utf-8", "surrogateescape")


@settings(max_examples=200, deadline=None)
@given(cases(), st.sampled_from(SIZES), st.integers(1, 9), st.integers(1, 9), st.integers(1, 3))
def test_sections_parts_and_threads_do_not_show(case, cache, section, part, threads):
    text, vocabulary, name, rule = case
    expected = Encoder(vocabulary, name, rule).encode(text)
    with pytest.MonkeyPatch.context() as patch:
        for module in (encoder, text_encoder, worker):
            patch.setattr(module, "SECTION", section, raising=False)
            patch.setattr(module, "PART", part, raising=False)
        ours = Encoder(vocabulary, name, rule, cache=cache, threads=threads)
        assert ours.encode(text) == expected
        texts = [text, b"", text[::-1], text]
        batch = ours.encode_batch(texts)
        assert batch == [Encoder(vocabulary, name, rule).encode(text) for text in texts]


@settings(max_examples=300, deadline=None)
@given(cases(), st.sampled_from(["bytes", "chars"]))
def test_offsets_are_the_twins(case, unit):
    text, vocabulary, name, rule = case
    ours = Encoder(vocabulary, name, rule)
    ids, offsets = ours.encode_with_offsets(text, unit=unit)
    assert ids == ours.encode(text)
    mark = (Pretokenizer.from_name(name).rules[0].mark or " ").encode()
    assert offsets == spans_of(text, pieces_of(text, vocabulary, name, rule), mark, unit)


def test_a_mark_in_the_text_comes_back():
    ours = Encoder(Vocabulary(["Ġb", "Ġ"]), "space-prefix")
    assert ours.encode("a b") == [97, 256]
    assert ours.encode("aĠb Ġ") == [97, 32, 98, 257, 32]
    assert ours.decode([97, 32, 98, 257, 32]) == "aĠb Ġ"


def test_a_seed_draws_paths():
    vocabulary = Vocabulary(["ab", "bc", "cd", "de"])
    samples = set()
    for seed in range(20):
        ours = Encoder(vocabulary, "gpt2", "random_path", seed=seed)
        samples.add(tuple(ours.encode("abcde")))
        assert ours.decode(ours.encode("abcde " * 9)) == "abcde " * 9
    assert samples == {(256, 258, 101), (256, 99, 259), (97, 257, 259)}


def test_threads_keep_the_order(tmp_path, monkeypatch):
    texts = [f"line {number} of {number**2}\n" for number in range(200)]
    vocabulary = Vocabulary(["line", "of", "12"])
    alone = [Encoder(vocabulary, "first-space").encode(text) for text in texts]
    whole = Encoder(vocabulary, "first-space").encode("".join(texts))
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in texts))
    for module in (encoder, text_encoder, worker):
        monkeypatch.setattr(module, "SECTION", 20, raising=False)
        monkeypatch.setattr(module, "PART", 20, raising=False)
    ours = Encoder(vocabulary, "first-space", threads=2)
    assert ours.encode("".join(texts)) == whole
    assert ours.encode_batch(texts) == alone
    ours.encode_files(tmp_path / "a.jsonl", tmp_path / "o.npy")
    assert np.load(tmp_path / "o.npy").tolist() == [number for ids in alone for number in ids]


def test_special_tokens():
    vocabulary = Vocabulary(["ab"], special=["<s>", "<s><s>", "< ab>"])
    ours = Encoder(vocabulary, "space-prefix:_")
    assert ours.encode("<s>") == list(b"<s>")
    assert ours.encode("ab<s>ab", special="parse") == [256, 257, 256]
    assert ours.encode("<s><s><s>", special="parse") == [258, 257]
    text = "_ab < ab> ab_<s>_ "
    ids = ours.encode(text, special="parse")
    assert ids == [32, 256, 95, 259, 95, 256, 32, 257, 32, 95]
    assert ours.decode(ids) == ours.decode(np.array(ids)) == text
    assert ours.encode_with_offsets(text, special="parse", unit="chars")[1] == [
        (0, 1), (1, 3), (3, 4), (4, 9), (9, 10), (10, 12), (12, 13), (13, 16), (16, 17), (17, 18),
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"'<s>' at byte 1: --special parse \(special='parse'\)"):
        ours.encode("a<s>", special="error")
    assert ours.encode("a", special="error") == [97]
    with pytest.raises(InputError, match="special is 'all'"):
        ours.encode("a", special="all")


def test_special_offsets_under_a_wide_mark():
    ours = Encoder(Vocabulary(["Ġa"], special={"<é>": 999}), "space-prefix")
    ids, spans = ours.encode_with_offsets("é a<é> aĠ", special="parse", unit="chars")
    assert ids == [0xC3, 0xA9, 256, 999, 256, 32]
    assert spans == [(0, 1), (0, 1), (1, 3), (3, 6), (6, 8), (8, 9)]


def test_refused():
    with pytest.raises(InputError, match="name the pre-tokenizer"):
        Encoder(Vocabulary(["ab"]))
    assert Encoder(Vocabulary(["ab"], pretokenizer="gpt2")).pretokenizer == "gpt2"
    with pytest.raises(InputError, match="unknown pre-tokenizer 'gpt3'"):
        Encoder(Vocabulary(["ab"], pretokenizer="gpt3"))
    for mark in ("__", "aba", " _"):
        with pytest.raises(InputError, match="cannot be told from text"):
            Encoder(Vocabulary(["ab"]), f"space-prefix:{mark}")
    with pytest.raises(InputError, match="must be the first rule"):
        Encoder(Vocabulary(["ab"]), "digit+space-prefix")
    with pytest.raises(InputError, match="only tokens over bytes have ids; these are over chars"):
        Encoder(Vocabulary(["ab"], "chars"), "gpt2")
    with pytest.raises(InputError, match="unknown rule 'longest'"):
        Encoder(Vocabulary(["ab"]), "gpt2", "longest")
    with pytest.raises(InputError, match="cache is -1"):
        Encoder(Vocabulary(["ab"]), "gpt2", cache=-1)
    ours = Encoder(Vocabulary(["ab"]), "gpt2")
    with pytest.raises(InputError, match="the text has a lone surrogate"):
        ours.encode("a\ud800")
    with pytest.raises(InputError, match="the text is 5: str or bytes is expected"):
        Encoder(Vocabulary(["ab"]), "gpt2", threads=2).encode(5)
    with pytest.raises(InputError, match="special is 'x': use"):
        ours.encode_batch(["a"], special="x")
    bare = Encoder(Vocabulary([], special="<s>"), "gpt2")
    with pytest.raises(InputError, match="text 2: the text has the special token '<s>' at byte 1"):
        bare.encode_batch(["a", "b<s>"], special="error")
    with pytest.raises(InputError, match="text 2 is 3"):
        ours.encode_batch(["a", 3])
    with pytest.raises(InputError, match="texts is one text"):
        ours.encode_batch("ab")
    with pytest.raises(InputError, match="unknown unit 'lines'"):
        ours.encode_with_offsets("a", unit="lines")


def test_a_byte_without_an_id():
    ids = [*range(255), -1, 300]
    ours = Encoder(Vocabulary([b"a\xff"], ids=ids), "space-prefix")
    assert ours.encode(b"a\xff") == [300]
    with pytest.raises(InputError, match=r"byte 0xFF, in the word 'Ġb\\xFF', has no id"):
        ours.encode(b"a b\xff")
    assert ours.encode(b"a b") == [97, 0xC4, 0xA0, 98]  # nothing is left of what failed
    assert ours.decode_bytes([300, 254]) == b"a\xff\xfe"


def test_texts_without_a_name_are_not_left_out():
    encoder = Encoder(Vocabulary(["ab"], pretokenizer="none"))
    with pytest.raises(InputError, match="fewer names than texts"):
        list(encoder.encode_each(["a", "b"], names=["one"]))
