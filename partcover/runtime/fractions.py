"""Reads fractions from files and arguments."""

from __future__ import annotations

import re
from fractions import Fraction

# an exponent of nine digits would create a number that fills memory
_WRITTEN = re.compile(
    r"[+-]?(\d{1,40}/\d{1,40}|(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,2})?)"
)


def read_fraction(text: str) -> Fraction:
    """Returns the fraction in a text: a whole number, a decimal or a quotient.

    Raises
    ------
    ValueError
        For any other text, more than 40 digits, or an exponent of more than two.
    ZeroDivisionError
        For a denominator of 0.

    Examples
    --------
    >>> from partcover.runtime.fractions import read_fraction
    >>> read_fraction("0.1"), read_fraction("2/6")
    (Fraction(1, 10), Fraction(1, 3))
    """
    if not text.isascii() or not _WRITTEN.fullmatch(text):
        raise ValueError("this is no fraction")
    return Fraction(text)
