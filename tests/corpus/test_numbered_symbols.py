"""The numbers of symbols in an alphabet, against lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover.corpus.symbols import distinct, numbered

ALPHABETS = {"uint8": 255, "int32": 0x10FFFF, "int64": 2**62 - 1}


@tries(200)
@given(st.sampled_from([*ALPHABETS]), st.booleans(), st.data())
def test_each_symbol_gets_its_place_or_one_behind_the_last(dtype, are_small, data):
    symbols = st.lists(st.integers(0, 9 if are_small else ALPHABETS[dtype]))
    listed, others = data.draw(symbols), data.draw(symbols)
    alphabet = distinct(np.array(others, dtype))
    assert (alphabet.tolist(), alphabet.dtype) == (sorted({*others}), dtype)
    known = {symbol: place for place, symbol in enumerate(alphabet.tolist())}
    expected = [known.get(symbol, len(known)) for symbol in listed]
    assert numbered(np.array(listed, dtype), alphabet).tolist() == expected


@pytest.mark.parametrize("dtype", ALPHABETS)
@pytest.mark.parametrize("most", [1, 255])
def test_blocks_are_joined(dtype, most, monkeypatch):
    monkeypatch.setattr("partcover.corpus.symbols._BLOCK", 100)
    data = np.random.default_rng(1).integers(0, most + 1, 1000).astype(dtype)
    alphabet, places = np.unique(data, return_inverse=True)
    assert distinct(data).tolist() == alphabet.tolist()
    assert numbered(data, alphabet).tolist() == places.tolist()
