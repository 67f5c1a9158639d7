"""Long texts and lists made in shares are those made at once."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partcover import Encoder, InputError, Vocabulary
from partcover.encoding.listing import listed
from partcover.encoding.utf8 import utf8
from partcover.kernels.encoding._shares import unwritten_list, utf8_size, write_values, written

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
    assert utf8(text, first, last) == unescaped(text[first:last])


@given(st.text(CHARACTERS, max_size=40), SURROGATES, st.text(CHARACTERS, max_size=40))
def test_surrogates_that_are_no_bytes(before, surrogate, after):
    with pytest.raises(UnicodeEncodeError):
        utf8(before + surrogate + after, len(before), len(before) + 1)
    text = before + surrogate + after
    assert utf8_size(text, len(before), len(before) + 1) == -1
    with pytest.raises(ValueError, match="not of the text"):
        utf8_size(text, 0, len(text) + 1)


@given(st.text(CHARACTERS, max_size=9), st.integers(4085, 4105), st.text(CHARACTERS, max_size=9))
def test_sizes_of_long_texts(before, n, after):
    text = before + "a" * n + after
    assert utf8_size(text, 0, len(text)) == len(unescaped(text))


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
