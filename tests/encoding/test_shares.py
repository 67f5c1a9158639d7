"""Long texts and lists made in shares are those made at once."""

import itertools
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from partcover import Encoder, InputError, Vocabulary
from partcover.encoding.listing import listed
from partcover.encoding.utf8 import about_bytes, utf8
from partcover.kernels.encoding._shares import (
    gathered,
    listed_texts,
    unwritten_list,
    up_to,
    utf8_place,
    write_values,
    written,
    written_at_once,
)

CHARACTERS = st.one_of(
    st.characters(max_codepoint=0x7F),
    st.sampled_from("\x80ÿĀ߿ࠀ\ud7ff\ue000\uffff\U00010000\U0010ffff"),
    st.integers(0xDC80, 0xDCFF).map(chr),
)
SURROGATES = st.sampled_from(["\ud800", "\udbff", "\udc00", "\udc7f", "\udd00", "\udfff"])


def unescaped(text):
    """Returns a text in UTF-8, character by character."""
    return b"".join(
        bytes((ord(c) - 0xDC00,)) if 0xDC80 <= ord(c) <= 0xDCFF else c.encode() for c in text
    )


@given(st.text(CHARACTERS, max_size=80), st.integers(0, 80), st.integers(0, 80))
def test_parts_of_a_text(text, a, b):
    first, last = sorted((min(a, len(text)), min(b, len(text))))
    for most in (1, 4, 16):  # the last is what the machine can
        written_at_once(most)
        assert utf8(text, first, last) == unescaped(text[first:last])


def test_characters_of_all_sizes_beside_each_other():
    sizes = ["a", "é", "一", "😀", "\udc80"]
    texts = ["".join(group) * 5 for group in itertools.product(sizes, repeat=5)]
    texts += [text.replace("😀", "ÿ") for text in texts]  # without it a text is stored otherwise
    for most in (1, 4, 16):
        written_at_once(most)
        assert [utf8(text, 0, len(text)) for text in texts] == list(map(unescaped, texts))


@given(st.text(CHARACTERS, max_size=40), SURROGATES, st.text(CHARACTERS, max_size=40))
def test_surrogates_that_are_no_bytes(before, surrogate, after):
    with pytest.raises(UnicodeEncodeError):
        utf8(before + surrogate + after, len(before), len(before) + 1)


@given(st.text(max_size=80), st.integers(1, 100))
def test_the_size_of_a_text_is_estimated_from_some_characters(text, times):
    assert about_bytes(text) == len(text.encode())
    one = text[:1] * times * 100
    assert about_bytes(one) == len(one.encode())
    assert len(one) <= about_bytes(one + "\udc80") <= 4 * len(one) + 3


@given(st.text(CHARACTERS, max_size=20))
@example("a\udc80b\udcffé一😀")
def test_characters_that_have_so_many_bytes(text):
    sizes = [len(unescaped(text[:n])) for n in range(len(text) + 1)]
    for size in range(-1, sizes[-1] + 2):
        expected = next((n for n, own in enumerate(sizes) if own >= size), len(text))
        assert utf8_place(text, size) == expected


@given(
    st.lists(
        st.one_of(
            st.text(CHARACTERS, max_size=20),
            st.binary(max_size=20),
            st.builds(str.__add__, st.text(CHARACTERS, max_size=9), SURROGATES),
            st.none(),
        ),
        max_size=6,
    )
)
def test_texts_are_gathered_up_to_one_that_is_none(texts):
    data, offsets = gathered(texts)
    wanted = []
    for text in texts:
        try:
            wanted.append(text if isinstance(text, bytes) else unescaped(text))
        except (TypeError, UnicodeEncodeError):
            break
    assert data == b"".join(wanted)
    assert offsets.tolist() == [len(b"".join(wanted[:n])) for n in range(len(wanted) + 1)]


def test_texts_of_a_size():
    texts = ["abc", b"de", 7, "", "fghi"]
    assert [up_to(texts, 0, size) for size in range(12)] == [0, 1, 1, 1, 2, 2, 5, 5, 5, 5, 5, 5]
    assert up_to(texts, 2, 1) == 5


def test_lists_of_texts():
    numbers = np.array([1, 0, 2], np.int32)
    ends = np.array([0, 2, 2, 3])
    assert listed_texts(numbers, ends, [10**6, 10**7, 10**8]) == [[], [10**7, 10**6], [], [10**8]]
    for wrong in ([4], [2, 1], [-1]):
        with pytest.raises(ValueError, match="no such numbers"):
            listed_texts(numbers, np.array(wrong), [0, 1, 2])


def references(values):
    """Returns how many references each value has, but for those made once for all."""
    return [sys.getrefcount(values[i]) for i in range(len(values)) if values[i] > 256]


@given(
    st.lists(st.lists(st.integers(0, 7), max_size=30), max_size=6),
    st.integers(8, 10),
    st.integers(1, 3),
)
def test_lists_in_shares(numbers, n_values, threads):
    # some values are integers that are made once for all, which count no references
    values = [10**6 + value if value % 2 else value for value in range(n_values)]
    before = references(values)
    arrays = [np.array(part, np.int32) for part in numbers]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("partcover.encoding.listing._SHARE", 1)
        found = listed(arrays, values, threads)
    shared = references(values)
    assert found == [values[number] for part in numbers for number in part]
    assert found == listed(arrays, values, threads)
    assert listed(arrays, None, threads) == [number for part in numbers for number in part]
    large = [value for value in values if value > 256]
    assert [now - then for now, then in zip(shared, before, strict=True)] == [
        found.count(value) for value in large
    ]
    del large[:], found[:]
    assert references(values) == before


def test_a_list_that_was_not_filled():
    values = [1000, 2000]
    before = references(values)
    out = unwritten_list(5)
    with pytest.raises(ValueError, match="int32"):
        write_values(
            iter([(0, np.array([0, 1, 1], np.int32)), (3, np.array([0.5, 1.5]))]), values, out
        )
    with pytest.raises(ValueError, match="no room"):
        write_values(iter([(3, np.zeros(3, np.int32))]), values, out)
    with pytest.raises(ValueError, match="no room"):
        write_values(iter([(-1, np.zeros(3, np.int32))]), values, out)
    del out
    assert references(values) == before
    out = unwritten_list(2)
    write_values(iter([(0, np.array([1, 0], np.int32))]), values, out)
    assert written(out) == [2000, 1000]


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_text_of_several_shares(threads):
    text = "naïve words, ≥ 1 🎈 of them\n" * 30_000 + "\udcff"
    encoder = Encoder(Vocabulary([" words", "naï".encode()]), "gpt2", threads=threads)
    ids = encoder.encode(text)
    assert ids == encoder.encode_to_numpy(text).tolist()
    assert encoder.decode_bytes(ids) == unescaped(text)
    with pytest.raises(InputError, match="lone surrogate"):
        encoder.encode(text + "\ud800")
