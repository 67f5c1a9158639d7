"""Text to ids and back: against a slow twin, and whatever bytes there are."""

from __future__ import annotations

import json
import pickle
from enum import Enum

import numpy as np
import pytest
from encoding.cases import NAMES, SIZES, cases
from hypothesis import example, given
from hypothesis import strategies as st
from oracles.encoding import ids_of, pieces_of, spans_of
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary, WordCounts
from partcover.corpus.normalizers.normalizer import Normalizer
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.encoding import encoder, text_encoder, worker


@pytest.mark.long
@tries(400)
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


def in_parts(patch, section, part, near):
    """Cuts texts into sections and parts of so few bytes or characters."""
    patch.setattr(worker, "_WINDOWS", (near, 2 * near))
    for module in (encoder, text_encoder, worker):
        patch.setattr(module, "SECTION", section, raising=False)
        patch.setattr(module, "PART", part, raising=False)


def parts_of(text):
    """Returns all parts of a text of two bytes to six."""
    return sorted({text[i : i + n] for n in range(2, 7) for i in range(len(text) - n + 1)})


@pytest.mark.long
@tries(200)
@given(
    cases(),
    st.sampled_from(SIZES),
    st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9)),
    st.integers(1, 3),
)
def test_sections_parts_and_threads_do_not_show(case, cache, sizes, threads):
    text, vocabulary, name, rule = case
    expected = Encoder(vocabulary, name, rule).encode(text)
    many = Vocabulary(parts_of(text))  # a wrong place to cut is in one of them
    of_many = Encoder(many, name).encode(text)
    with pytest.MonkeyPatch.context() as patch:
        in_parts(patch, *sizes)
        assert Encoder(many, name, threads=2).encode(text.decode("utf-8", "surrogateescape")) == (
            of_many
        )
        ours = Encoder(vocabulary, name, rule, cache=cache, threads=threads)
        assert ours.encode(text) == expected
        # as characters, and with one character for each byte that is not ASCII
        characters = text.decode("utf-8", "surrogateescape")
        assert ours.encode(characters) == expected
        assert ours.encode_to_numpy(text.decode("ascii", "surrogateescape")).tolist() == expected
        texts = [text, b"", text[::-1], text]
        batch = ours.encode_batch(texts)
        assert batch == [Encoder(vocabulary, name, rule).encode(text) for text in texts]


CHANGING = st.lists(
    st.sampled_from([" ", "a", "=", "é", "e", "\n", "'", "s", "1", "가", "ᄀ", "Å"])
    | st.sampled_from(["\u0301", "\u0338", "\u0327", "\u11a8", "\u212b", "\udcc3", "\udca9"]),
    max_size=40,
).map("".join)


@pytest.mark.long
@tries(500)
@given(CHANGING, st.sampled_from(NAMES), st.sampled_from(["NFC", "NFD", "NFKC+NFD"]),
       st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9)))  # fmt: skip
@example("éé=" * 5, "gpt2", "NFD", (9, 2, 2))  # a letter before "=" becomes a mark
@example("1  " * 5, "gpt2", "NFC", (9, 2, 2))  # a rule that does not cut before each space
def test_parts_are_normalized_as_the_whole(text, name, form, sizes):
    normal = Normalizer(form)(text).encode("utf-8", "surrogateescape")
    vocabulary = Vocabulary(parts_of(normal), normalizer=form)
    expected = Encoder(vocabulary, name).encode(text)
    with pytest.MonkeyPatch.context() as patch:
        in_parts(patch, *sizes)
        assert Encoder(vocabulary, name, threads=2).encode(text) == expected


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "qwen2"])
def test_normalized_code_is_split_without_compiling_a_pattern(name, monkeypatch):
    def refuse(pattern):
        raise AssertionError(pattern)

    monkeypatch.setattr("partcover.corpus.pretokenizers.rules.compiled", refuse)
    in_parts(monkeypatch, 1000, 400, 500)
    text = f"{99 * ' '}ä = b\n" * 50  # more spaces in a row than are tried
    encoder = Encoder(Vocabulary([], normalizer="NFC"), name)
    assert encoder.encode(text) == list(text.encode())


def test_a_window_that_begins_inside_a_character(monkeypatch):
    in_parts(monkeypatch, 9, 4, 2)
    text = "x\u00a0  y".encode()  # the last byte of a space before a space
    assert Encoder(Vocabulary([text[1:4]]), "gpt2", threads=2).encode(text) == [120, 256, 32, 121]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("text", ["中 a\ud800", "\ud800 a 中", "a \ud800"])
def test_of_two_errors_all_threads_find_the_same(text, threads, monkeypatch):
    in_parts(monkeypatch, 2, 2, 2)
    vocabulary = Vocabulary(["ab"], ids=[*range(228), -1, *range(228, 256)])
    with pytest.raises(InputError, match="0xE4, in the word"):
        Encoder(vocabulary, "gpt2", threads=threads).encode("a b 中")
    with pytest.raises(InputError, match="the text has a lone surrogate"):
        Encoder(vocabulary, "gpt2", threads=threads).encode(text)


@pytest.mark.long
@tries(300)
@given(cases(), st.sampled_from(["bytes", "chars"]))
# a whole text that is a token stays whole, though merges do not make it
@example((bytes(6), Vocabulary((bytes(6),)), "none", "merges"), "bytes")
def test_offsets_are_the_twins(case, unit):
    text, vocabulary, name, rule = case
    ours = Encoder(vocabulary, name, rule)
    ids, offsets = ours.encode_with_offsets(text, unit=unit)
    assert ids == ours.encode(text)
    mark = (Pretokenizer.from_name(name).rules[0].mark or " ").encode()
    assert offsets == spans_of(text, pieces_of(text, vocabulary, name, rule), mark, unit)


@pytest.mark.parametrize("name", ["none", "gpt2"])
@pytest.mark.parametrize("cache", [0, 1 << 20])
def test_a_word_that_is_a_token_stays_whole_with_any_cache(name, cache):
    ours = Encoder(Vocabulary(["abcdef"]), name, "merges", cache=cache)
    assert ours.encode("abcdef") == [256]
    assert ours.encode("abcde") == [97, 98, 99, 100, 101]


@pytest.mark.parametrize("size", [1, 99])
@pytest.mark.parametrize("part", [200, worker.PART])
@pytest.mark.parametrize("normalizer", [None, "nfc", "lowercase"])
def test_texts_of_numpy_are_texts(size, part, normalizer, monkeypatch):
    in_parts(monkeypatch, part, part, 9)
    encoder = Encoder(Vocabulary(["hé", "el"], normalizer=normalizer), "gpt2")
    for text in ("Hello " * size, "hé\u0301llo " * size):
        expected = encoder.encode(text)
        for given_ in (np.str_(text), np.bytes_(text.encode())):
            assert encoder.encode(given_) == encoder.encode_to_numpy(given_).tolist() == expected
            assert encoder.encode_batch([given_, given_]) == [expected] * 2
            assert encoder.count(given_) == len(expected)
            assert encoder.encode_with_offsets(given_)[0] == expected


class Longer(str):
    """A text that says that it is longer than it is."""

    __slots__ = ()

    def __len__(self):
        return 1 << 17


#: A text that `str` calls by its place: Part.FIRST.
Part = Enum("Part", {"FIRST": "abé"}, type=str)


def test_a_text_is_what_it_holds_and_not_what_its_class_says():
    for normalizer in (None, "NFC", "lowercase"):
        ours = Encoder(Vocabulary(["ab"], special=["<s>"], normalizer=normalizer), "gpt2")
        for text in (Longer("abé"), Part.FIRST):
            for special in ("text", "parse"):
                assert ours.encode(text, special=special) == [256, 195, 169]
                assert ours.count(text, special=special) == 3
                assert ours.encode_batch([text], special=special) == [[256, 195, 169]]
            assert ours.encode_with_offsets(text) == ours.encode_with_offsets("abé")
    alike = WordCounts.from_texts(["abé"])
    assert WordCounts.from_texts([Longer("abé")]) == WordCounts.from_texts([Part.FIRST]) == alike


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
    with pytest.raises(InputError, match="name the one that its words"):
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
    with pytest.raises(InputError, match="the text is 5: it must be str or bytes"):
        Encoder(Vocabulary(["ab"]), "gpt2", threads=2).encode(5)
    with pytest.raises(InputError, match="special is 'x': use"):
        ours.encode_batch(["a"], special="x")
    bare = Encoder(Vocabulary([], special="<s>"), "gpt2")
    with pytest.raises(InputError, match="text 2: the text has the special token '<s>' at byte 1"):
        bare.encode_batch(["a", "b<s>"], special="error")
    with pytest.raises(InputError, match="text 2 is 3"):
        ours.encode_batch(["a", 3])
    with pytest.raises(InputError, match="texts is a single text: give"):
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


def in_pairs(text):
    """A pre-tokenizer that can be pickled."""
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def test_a_function_as_pretokenizer_is_recorded_and_goes_along():
    vocabulary = Vocabulary(["ab", "abc"])
    encoder = Encoder(vocabulary, in_pairs)
    assert encoder.vocabulary.provenance["pretokenizer_function"] == "in_pairs"
    again = pickle.loads(pickle.dumps(encoder))
    assert again.encode("abcab") == encoder.encode("abcab") == [256, 99, 97, 98]
    with pytest.raises(
        InputError, match="by the Python function 'in_pairs', which cannot be stored"
    ):
        Encoder(again.vocabulary)
    with pytest.raises((pickle.PicklingError, AttributeError)):  # Python's own words
        pickle.dumps(Encoder(vocabulary, lambda text: [text]))
