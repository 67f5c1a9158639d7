"""A fraction that somebody wrote is read as Python reads it, unless it is too large."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partcover.runtime.fractions import read_fraction


@given(
    st.fractions(max_denominator=10**12).map(str) | st.decimals(allow_nan=False, places=8).map(str)
)
def test_as_python_reads_it(text):
    if "Infinity" not in text and len(text) < 40:
        assert read_fraction(text) == Fraction(text)


@pytest.mark.parametrize(
    "text", ["", "1e999999999", "1e-99999999", "9" * 41, "nan", "inf", "1/2/3", "1 ", "٣", "1_0"]
)
def test_refused_at_once(text):
    with pytest.raises(ValueError, match="no fraction"):
        read_fraction(text)


def test_a_denominator_of_0():
    with pytest.raises(ZeroDivisionError):
        read_fraction("1/0")
