"""The text of words and its suffix array, against suffixes that are sorted one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import WordCounts
from partcover.kernels.candidates._suffix_array import suffix_array
from partcover.problem.word_index import WordIndex

BLOCK = 1 << 10  # positions that the kernel looks at together


def check(text: list[int]) -> None:
    """Compares texts of 8 and of 32 bits, and positions of 32 and of 64."""
    expected = sorted(range(len(text)), key=lambda start: text[start:])
    array = np.array(text, np.int32)
    most = max(text, default=0)
    for upper in (most, max(most, 300)):
        for position in (np.int32, np.int64):
            sa = np.full(len(text) + 2, -7, position)
            suffix_array(array, upper, sa[1:-1])
            assert sa.tolist() == [-7, *expected, -7]


def fibonacci(size: int) -> list[int]:
    """The first symbols of the Fibonacci word, in which LMS substrings are names again."""
    last, word = [2], [2, 1]
    while len(word) < size:
        last, word = word, word + last
    return word[:size]


@pytest.mark.long
@tries(3000)
@given(
    st.integers(1, 4).flatmap(lambda most: st.lists(st.integers(0, most), max_size=60))
    | st.lists(st.integers(0, 255) | st.sampled_from([256, 257, 1000]), max_size=40)
    | st.lists(st.sampled_from([[1, 2], [1, 1, 2], [2], [3, 0]]), max_size=20).map(
        lambda parts: [symbol for part in parts for symbol in part]
    )
)
def test_texts(text):
    check(text)
    check([0, *text, 0])


@tries(30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(0, 9), st.integers(-3, 3))
def test_long_texts(seed, most, runs, more):
    """Over ends of blocks, also with runs across them, and with far fewer symbols than places."""
    random = np.random.default_rng(seed)
    text = random.integers(0, most + 1, 2 * BLOCK + more)
    for begin in random.integers(0, len(text), runs):
        text[begin : begin + random.integers(1, BLOCK)] = text[begin]
    check(text.tolist())


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, BLOCK - 1, BLOCK, BLOCK + 1, BLOCK + 2, 1700])
def test_texts_that_repeat_themselves(size):
    check([0] * size)
    check([9] * size)
    check([0] + [9] * size + [0])
    check(fibonacci(size))
    check([0, *fibonacci(size), 0])
    check(([1, 2] * size)[:size])
    check(([2, 1] * size)[:size])
    check(([1, 1, 2] * size)[:size])


@pytest.mark.parametrize("size", [2, 254, 255, 256, 257, 700])
def test_every_symbol_once(size):
    check([*range(size)])
    check([*range(size)][::-1])
    check(np.random.default_rng(size).permutation(size).tolist())


def test_no_text():
    check([])


@tries(300)
@given(st.lists(st.text("abc", min_size=1, max_size=5), unique=True, max_size=5), st.randoms())
def test_symbols_are_ranked(words, random):
    """Bytes, and numbers for which there is a table or that are too large for one."""
    random.shuffle(words)
    text = [0]
    word_of = []
    for number, word in enumerate(words):
        text += [*map("?abc".index, word), 0]
        word_of += [number] * (len(word) + 1)
    letters = sorted(set(text))
    for symbols, scale in (("bytes", 1), ("ints", 1), ("ints", 10**12)):
        spelled = [
            word.encode() if symbols == "bytes" else tuple(scale * "abc".index(c) for c in word)
            for word in words
        ]
        index = WordIndex(WordCounts.from_counts(dict.fromkeys(spelled, 1), symbols=symbols))
        assert index.word_of.tolist() == [*word_of, len(words)]
        shift = 97 if symbols == "bytes" else 0
        expected = [c and c + shift for c in text] if shift else [letters.index(c) for c in text]
        assert index.text.tolist() == expected
