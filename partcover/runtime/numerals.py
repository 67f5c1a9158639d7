"""Reads numbers in ASCII digits, and formats numbers for output."""

from __future__ import annotations

from fractions import Fraction


def read_digits(digits: str) -> int:
    """Returns the number in ASCII digits; for more than 20 digits, some number that is too large.

    Python raises an error for thousands of digits; a range check then reports the number instead.

    Examples
    --------
    >>> from partcover.runtime.numerals import read_digits
    >>> read_digits("007"), read_digits("9" * 5000) > 2**63
    (7, True)
    """
    return int(digits.lstrip("0")[:20] or "0")


def read_int(text: str) -> int:
    """Returns the whole number in a text.

    Raises
    ------
    ValueError
        For what `int` does not accept, and for digits other than 0 to 9 and underscores, which it
        does accept.

    Examples
    --------
    >>> from partcover.runtime.numerals import read_int
    >>> read_int("-12")
    -12
    >>> read_int("1_0")
    Traceback (most recent call last):
        ...
    ValueError: not a number in ASCII digits: '1_0'
    """
    return int(_plain(text))


def read_float(text: str) -> float:
    """Returns the number in a text; raises errors like `read_int`.

    Examples
    --------
    >>> from partcover.runtime.numerals import read_float
    >>> read_float("1e-3")
    0.001
    """
    return float(_plain(text))


def _plain(text: str) -> str:
    if not text.isascii() or "_" in text:
        raise ValueError(f"not a number in ASCII digits: {text!r}")
    return text


def shown_number(value: int | Fraction) -> str:
    """Formats a number of tokens or a ratio for output.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from partcover.runtime.numerals import shown_number
    >>> shown_number(12345), shown_number(Fraction(1291, 1255))
    ('12,345', '1.028685')
    """
    return f"{float(value):.6f}" if isinstance(value, Fraction) else f"{value:,}"
