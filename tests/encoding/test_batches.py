"""Many texts at a time have the ids that they have alone, and are counted so."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary

TOKENS = ["ab", " a", "aba", " the", "é".encode(), "th"]
PIECES = ["ab", " aba", " the cat", "é", "一二", "", "x" * 70, " a" * 300, "\n\n", "<s>", "\udcff"]
TEXTS = st.lists(
    st.one_of(
        st.lists(st.sampled_from(PIECES), max_size=5).map("".join),
        st.lists(st.sampled_from(PIECES), max_size=5).map(
            lambda some: "".join(some).encode("utf-8", "surrogateescape")
        ),
    ),
    max_size=12,
)


def encoder(**options):
    return Encoder(Vocabulary(TOKENS, special=["<s>"]), "gpt2", **options)


@given(
    TEXTS,
    st.sampled_from([{}, {"cache": 0}, {"cache": 2000}, {"threads": 2}]),
    st.sampled_from(["text", "parse"]),
    st.booleans(),
)
def test_texts_together_are_texts_alone(texts, options, special, small):
    one = encoder(**options)
    with pytest.MonkeyPatch.context() as patch:
        if small:
            patch.setattr("partcover.encoding.batch_encoder.SECTION", 64)
            patch.setattr("partcover.encoding.batch_encoder._LARGE", 300)
        alone = [encoder().encode(text, special=special) for text in texts]
        assert one.encode_batch(texts, special=special) == alone
        assert one.encode_batch(iter(texts), special=special) == alone
        assert [ids.tolist() for ids in one.encode_each(texts, special=special)] == alone
        ids, offsets = one.encode_batch_to_numpy(texts, special=special)
        counts = one.count_batch(texts, special=special)
        assert one.encode_batch(texts, special=special) == alone  # whatever is in the table now
    assert ids.dtype == one.dtype
    assert [ids[a:b].tolist() for a, b in pairwise(offsets)] == alone
    assert counts.tolist() == list(map(len, alone)) == np.diff(offsets).tolist()
    assert [one.count(text, special=special) for text in texts] == list(map(len, alone))


@tries(300)
@given(
    st.sampled_from(["gpt2", "cl100k", "o200k", "qwen2", "qwen3.5"]),
    st.text(st.sampled_from("ab Z 1'sll/!\n\r\t\u2028ééª日\u0301😀"), max_size=120),
    st.lists(st.integers(0, 120), max_size=9),
)
def test_the_next_text_does_not_continue_a_text(pretokenizer, text, places):
    one = Encoder(Vocabulary(["ab", "  ", "ll"]), pretokenizer)
    texts = [text[a:b] for a, b in pairwise([0, *sorted(places), len(text)])]
    assert one.encode_batch(texts) == [one.encode(part) for part in texts]


def test_ids_far_apart_and_unknown_characters():
    far = Vocabulary(["ab"], ids=[*range(256), 2**31 - 2])
    one = Encoder(far, "gpt2")
    assert one.encode("ab b") == one.encode_batch(["ab b"])[0] == [2**31 - 2, 32, 98]
    assert one.encode_to_numpy("ab b").tolist() == [2**31 - 2, 32, 98]
    assert one.encode_batch(["ab", ""]) == [[2**31 - 2], []]
    assert one.encode_with_offsets("xab")[0] == [120, 2**31 - 2]


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_no_text_is_named(threads):
    one = encoder(threads=threads)
    for texts, message in (
        (["ab", 7], "text 2 is 7: it must be str or bytes"),
        (["ab", "c", "\ud800"], "text 3 has a lone surrogate"),
    ):
        for encode in (one.encode_batch, one.encode_batch_to_numpy, one.count_batch):
            with pytest.raises(InputError, match=message):
                encode(texts)
    for encode in (one.encode_batch, one.encode_batch_to_numpy, one.count_batch):
        with pytest.raises(InputError, match="texts is a single text: give"):
            encode("ab")
    with pytest.raises(InputError, match="fewer names"):
        list(one.encode_each(["a", "b"], names=["x"]))
    for encode in (one.encode, one.encode_to_numpy, one.count):
        with pytest.raises(InputError, match="the text is 7: it must be str or bytes"):
            encode(7)


def test_what_is_no_text_is_named_in_later_parts(monkeypatch):
    monkeypatch.setattr("partcover.encoding.batch_encoder.SECTION", 4)
    for texts in (["abc", "de", "f", "gh", 7], iter(["abc", "de", "f", "gh", 7])):
        with pytest.raises(InputError, match="text 5 is 7"):
            encoder().encode_batch(texts)


def test_draws_do_not_depend_on_parts(monkeypatch):
    drawn = Encoder(Vocabulary(["aa", "aaa", "aaaa"]), "gpt2", "longest_match").sampling(
        seed=3, dropout=0.5
    )
    texts = ["aaaaaaaa", " aaaaaaaaaa", "aaaaaaa"] * 5
    whole = drawn.encode_batch(texts)
    assert len(set(map(tuple, whole))) > 3
    monkeypatch.setattr("partcover.encoding.batch_encoder.SECTION", 20)
    for threads in (1, 2):
        assert drawn.encode_batch(texts, threads=threads) == whole
        assert drawn.count_batch(texts, threads=threads).tolist() == list(map(len, whole))


def test_a_byte_without_an_id_is_named_and_forgotten():
    one = Encoder(Vocabulary(["ab"], ids=[*range(122), -1, *range(123, 257)]), "gpt2")
    for _ in range(2):
        with pytest.raises(InputError, match="text 3: byte 0x7A, in the word ' z', has no id"):
            one.encode_batch(["ab", "ab c", "ab z", "ab"])
        with pytest.raises(InputError, match="byte 0x7A"):
            one.count("ab z")
    assert one.encode_batch(["ab", "c"]) == [[256], [99]]


@given(TEXTS, st.sampled_from(["left", "right"]), st.sampled_from([None, 0, 1, 3, 100]))
def test_rows_of_one_length(texts, side, most):
    one = encoder()
    pad = one.vocabulary.special["<s>"]
    rows = one.encode_batch_padded(texts, pad=pad, max_length=most, side=side)
    kept = [one.encode(text)[:most] for text in texts]
    longest = max(map(len, kept), default=0)
    fill = [[pad] * (longest - len(ids)) for ids in kept]
    assert rows.dtype == one.dtype
    assert rows.shape == (len(texts), longest)
    assert rows.tolist() == [
        more + ids if side == "left" else ids + more for ids, more in zip(kept, fill, strict=True)
    ]


def test_padding_that_does_not_fit():
    for wrong, message in (
        ({"pad": -1}, "pad"),
        ({"pad": 65536}, "does not fit into uint16"),
        ({"pad": 0, "max_length": -1}, "max_length"),
        ({"pad": 0, "side": "above"}, "side"),
    ):
        with pytest.raises(InputError, match=message):
            encoder().encode_batch_padded(["ab"], **wrong)


def test_bytes_are_normalized_as_text_is():
    one = Encoder(Vocabulary([" ab", "é".encode()], normalizer="NFC"), "gpt2")
    for text in ("e\u0301 ab", "ab ab", "é", "Å\u0327" * 9):
        ids = one.encode(text)
        data = text.encode()
        assert one.encode(data) == ids
        assert one.encode_to_numpy(text).tolist() == one.encode_to_numpy(data).tolist() == ids
        assert one.count(text) == one.count(data) == len(ids)
        assert one.encode_batch([text, data]) == [ids, ids]
    assert one.encode("e\u0301") == [257]


class Texts(list):
    """A list that says that it is empty."""

    def __len__(self):
        return 0


def test_texts_may_be_in_a_list_of_any_class():
    texts = ["the ab", b"aba"]
    ours = encoder()
    alone = [ours.encode(text) for text in texts]
    assert ours.encode_batch(Texts(texts)) == alone
    assert ours.encode_batch_to_numpy(Texts(texts))[0].tolist() == [*alone[0], *alone[1]]
    assert [ids.tolist() for ids in ours.encode_each(Texts(texts))] == alone
    assert ours.count_batch(Texts(texts)).tolist() == [*map(len, alone)]


@pytest.mark.parametrize("texts", [np.array("ab"), bytearray(b"ab")])
def test_what_has_no_texts_is_refused(texts):
    with pytest.raises(InputError, match=r"texts are an? \w+: they must be a list of texts"):
        encoder().encode_batch(texts)
