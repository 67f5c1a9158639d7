"""The n-gram model, against its slow twin, KenLM's numbers, and what probabilities must be."""

from __future__ import annotations

import re
from codecs import decode
from contextlib import redirect_stdout
from io import StringIO
from itertools import product
from math import log2, log10

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.kneser_ney import SlowModel
from shared.properties import tries

from partcover import InputError
from partcover.analysis.language_model import NgramModel

SIZE = 4
texts_st = st.lists(st.lists(st.integers(0, SIZE - 1), max_size=14), min_size=1, max_size=6).filter(
    any
)
limits_st = st.none() | st.tuples(
    st.lists(st.integers(1, 3), min_size=SIZE, max_size=SIZE), st.integers(0, 7)
)


@tries(80)
@given(texts_st, texts_st, st.integers(1, 5), limits_st)
def test_the_slow_twin(train, test, order, limits):
    lengths, context_bytes = limits or (None, None)
    fast = NgramModel.train(train, SIZE, order, lengths=lengths, context_bytes=context_bytes)
    slow = SlowModel(train, SIZE, order, lengths, context_bytes)
    bits = 0.0
    for text in test:
        for place in range(len(text) + 1):
            expected = slow.distribution(text[:place])
            bits -= log2(expected[text[place] if place < len(text) else SIZE])
            np.testing.assert_allclose(fast.distribution(text[:place]), expected, rtol=1e-12)
            assert sum(expected) == pytest.approx(1)
    assert fast.bits(test) == pytest.approx(bits)


@tries(15)
@given(texts_st, st.integers(1, 4), limits_st)
def test_all_texts_together_are_one(train, order, limits):
    """The texts of up to four ids, and the beginnings of all longer ones, are all there is."""
    lengths, context_bytes = limits or (None, None)
    model = NgramModel.train(train, SIZE, order, lengths=lengths, context_bytes=context_bytes)
    whole = sum(
        2 ** -model.bits([text])
        for length in range(4)
        for text in product(range(SIZE), repeat=length)
    )
    longer = sum(
        2 ** -model.bits([text]) * (1 / model.distribution(text)[SIZE])
        for text in product(range(SIZE), repeat=4)
    )
    assert whole + longer == pytest.approx(1)


ASKED = (
    "beautiful is better than nested",
    "errors are explicitly one of the ways",
    "although the implementation is never silenced",
    "zen",
)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (2, (-5.8384, -15.2952, -10.6337, -3.0444)),
        (3, (-3.8181, -15.5442, -11.5774, -3.0279)),
        (4, (-3.3888, -15.5442, -11.8784, -3.0279)),
    ],
)
def test_kenlm(order, expected):
    """Logarithms to 10 by the model of ``lmplz -o ORDER --discount_fallback`` (KenLM 0.3.0).

    It was trained on the Zen of Python, a line a sentence; what it does not know is one more id.
    """
    with redirect_stdout(StringIO()):
        import this
    lines = decode(this.s, "rot13").lower().split("\n")
    sentences = [re.findall("[a-z']+", line) for line in lines if line]
    ids = {word: number for number, word in enumerate({w: 0 for line in sentences for w in line})}
    model = NgramModel.train(
        [[ids[word] for word in line] for line in sentences], len(ids) + 1, order
    )
    for text, logarithm in zip(ASKED, expected, strict=True):
        bits = model.bits([[ids.get(word, len(ids)) for word in text.split()]])
        assert -bits * log10(2) == pytest.approx(logarithm, abs=1e-4)


def test_what_was_not_seen_has_a_probability():
    """Counts of counts 4, 2, 1, 1 or the like give a discount of 0: nothing would be left."""
    model = NgramModel.train([[0, 1, 2], [2], [1, 2]], SIZE, 2)
    assert min(model.distribution([symbol]).min() for symbol in range(SIZE)) > 0
    assert np.isfinite(model.bits([[3, 3, 0, 0, 2, 3]]))


def test_more_text_than_memory(monkeypatch):
    monkeypatch.setattr("partcover.runtime.memory.available_memory", lambda: 2**20)
    NgramModel.train([[0, 1] * 100], SIZE)
    with pytest.raises(InputError, match="20,002 tokens, in contexts of up to 2, takes about"):
        NgramModel.train([[0, 1] * 10_000], SIZE)


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        ([[0]], {"order": 0}),
        ([[4]], {}),
        ([[-1]], {}),
        ([[]], {}),
        ([], {}),
        ([[0]], {"lengths": [1] * SIZE}),
        ([[0]], {"context_bytes": 2}),
        ([[0]], {"lengths": [1], "context_bytes": 2}),
    ],
)
def test_mistakes(texts, options):
    with pytest.raises(InputError):
        NgramModel.train(texts, SIZE, **options)
