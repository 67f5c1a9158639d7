"""Words made from arrays: what is no words is refused, and the caller's arrays stay as they are."""

from __future__ import annotations

import pickle
from array import array

import numpy as np
import pytest

from partcover import InputError, WordCounts

LETTERS = np.array([97, 98, 99], np.uint8)


@pytest.mark.parametrize(
    ("data", "offsets", "counts", "symbols", "line"),
    [
        (LETTERS, [0, 2, 10**9], [1, 1], "bytes", "the offsets must rise from 0 to 3"),
        (LETTERS, [-(10**9), 2, 3], [1, 1], "bytes", "the offsets must rise from 0 to 3"),
        (LETTERS, [0, 2, 2000], [1, 1], "bytes", "the offsets must rise from 0 to 3"),
        (LETTERS, [0, 2, 1, 3], [1, 1, 1], "bytes", "the offsets must rise from 0 to 3"),
        (LETTERS, [1, 3], [1], "bytes", "the offsets must rise from 0 to 3"),
        (LETTERS, [0, 2], [1], "bytes", "the offsets must rise from 0 to 3"),
        (
            LETTERS,  # the differences overflow to positive numbers
            [0, 2**62, 2**63 - 1, -(2**62), 3],
            [1, 1, 1, 1],
            "bytes",
            "the offsets must rise from 0 to 3",
        ),
        (LETTERS, [0, 0, 3], [1, 1], "bytes", "a word is empty"),
        (LETTERS, [0, 3], [0], "bytes", "a count is below 1"),
        (LETTERS, [], [], "bytes", "there are 0 offsets for 0 counts"),
        (LETTERS, [0, 3], [1, 1], "bytes", "there are 2 offsets for 2 counts"),
        (
            LETTERS,
            np.array([0, 2**63], np.uint64),
            [1],
            "bytes",
            "offsets have 9223372036854775808",
        ),
        (LETTERS, [0, 3], [1.5], "bytes", "counts must be a list of whole numbers"),
        (LETTERS, [0, 3], [True], "bytes", "counts must be a list of whole numbers"),
        (LETTERS, [0, 3], 1, "bytes", "counts must be a list of whole numbers"),
        ([300, 98], [0, 2], [1], "bytes", "data have 300: they must be from 0 to 255"),
        ([97.5, 98], [0, 2], [1], "bytes", "data must be a list of whole numbers"),
        ([[97], [98, 98]], [0, 2], [1], "bytes", "data must be a list of whole numbers"),
        (b"ab", [0, 2], [1], "bytes", "data must be a list of whole numbers"),
        ([0x110000, 97], [0, 2], [1], "chars", "data have 1114112: symbols='chars' are from 0"),
        ([-1, 97], [0, 2], [1], "chars", "data have -1: symbols='chars' are from 0"),
        ([0xD800, 97], [0, 2], [1], "chars", r"data have a lone surrogate U\+D800"),
        ([-5, 3], [0, 2], [1], "ints", "data have -5: symbols='ints' are from 0"),
        ([2**62, 3], [0, 2], [1], "ints", "data have 4611686018427387904"),
        (LETTERS, [0, 3], [1], "letters", "unknown symbols 'letters'"),
        (
            memoryview(b"abc"),
            memoryview(array("q", [0, 4])),
            memoryview(array("q", [1])),
            "bytes",
            "the offsets must rise from 0 to 3",
        ),
    ],
)
def test_what_is_no_words_is_refused(data, offsets, counts, symbols, line):
    with pytest.raises(InputError, match=line):
        WordCounts(data, offsets, counts, symbols)


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int32, np.int64, np.uint64, ">i4", None])
@pytest.mark.parametrize("symbols", ["bytes", "chars", "ints"])
def test_whole_numbers_of_any_type_are_taken(kind, symbols):
    data, offsets, counts = [97, 98, 99], [0, 2, 3], [5, 7]
    if kind is not None:
        data, offsets, counts = (np.array(each, kind) for each in (data, offsets, counts))
    words = WordCounts(data, offsets, counts, symbols)
    pairs = {"bytes": {b"ab": 5, b"c": 7}, "chars": {"ab": 5, "c": 7}}
    assert words.to_dict() == pairs.get(symbols, {(97, 98): 5, (99,): 7})
    assert words == WordCounts.from_counts(words.to_dict(), symbols)
    assert words.data.dtype == {"bytes": "uint8", "chars": "int32", "ints": "int64"}[symbols]


def test_the_arrays_of_the_caller_stay_its_own():
    data, offsets, counts = LETTERS.copy(), np.array([0, 2, 3]), np.array([5, 7])
    words = WordCounts(data, offsets, counts)
    data[0], offsets[1], counts[0] = 0, 10**9, -1
    assert words.to_dict() == {b"ab": 5, b"c": 7}
    numbers = array("q", [0, 2, 3])
    words = WordCounts(LETTERS, numbers, [5, 7])
    numbers[1] = 10**9
    assert words.to_dict() == {b"ab": 5, b"c": 7}
    with pytest.raises(ValueError, match="read-only"):
        words.counts[0] = 1


def test_arrays_that_cannot_change_are_shared():
    words = WordCounts.from_counts({"ab": 5, "c": 7})
    again = WordCounts(words.data, words.offsets, words.counts)
    assert all(a is b for a, b in zip(again.views, words.views, strict=True))
    text = np.frombuffer(b"abc", np.uint8)
    assert WordCounts(text, [0, 3], [1]).data is text


def test_what_the_caller_changes_later_changes_no_words():
    text, counts = bytearray(b"abc"), array("q", [3, 1])
    numbers = np.array([97, 98, 99], np.uint8)
    seen = numbers.view()
    seen.setflags(write=False)
    offsets = array("q", [0, 2, 3])
    made = [
        WordCounts(memoryview(text), memoryview(offsets), memoryview(counts)),
        WordCounts(seen, offsets, counts),
        WordCounts(np.frombuffer(text, np.uint8), offsets, counts),
    ]
    text[0] = numbers[0] = counts[0] = 120
    for words in made:
        assert list(words) == [(b"ab", 3), (b"c", 1)]
        assert list(pickle.loads(pickle.dumps(words))) == [(b"ab", 3), (b"c", 1)]
