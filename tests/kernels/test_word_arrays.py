"""What is added up without NumPy is what NumPy finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import WordCounts
from partcover.kernels.words import _word_arrays

COUNTS = st.dictionaries(st.binary(min_size=1, max_size=5), st.integers(1, 2**40), min_size=1)


@tries(50)
@given(COUNTS)
def test_sums_are_those_of_numpy(counts):
    words = WordCounts.from_counts(counts)
    lengths = np.diff(words.offsets)
    least, shortest, longest, symbols = _word_arrays.extremes(words.offsets, words.counts)
    assert (least, shortest, longest) == (words.counts.min(), lengths.min(), lengths.max())
    total = sum(count * len(word) for word, count in counts.items())
    assert words.total_symbols == total
    assert np.isclose(symbols, total)
    assert words.total_count == sum(counts.values())
    assert _word_arrays.weighted_sum(words.counts, lengths) == total
    places = np.argsort(words.counts)
    assert _word_arrays.picked(words.counts, places).tolist() == sorted(counts.values())
    numbers = np.arange(256, dtype=np.int32)[::-1].copy()
    assert (
        _word_arrays.numbers_of(words.data, numbers).tolist()
        == (255 - words.data.astype(int)).tolist()
    )


def test_words_of_a_text_become_arrays_when_they_are_read():
    words = WordCounts.from_texts(["the cat and the hat"], pretokenizer="gpt2")
    assert all(isinstance(view, memoryview) for view in words.views)
    arrays = words.data, words.offsets, words.counts
    assert [array.dtype for array in arrays] == [np.uint8, np.int64, np.int64]
    assert not any(array.flags.writeable for array in arrays)
    for view, array in zip(words.views, arrays, strict=True):
        assert np.shares_memory(np.asarray(view), array)
    assert words.data is words.data
    assert words == WordCounts.from_counts(words.to_dict())
    assert not hasattr(words, "weights")
