"""Texts that property tests draw."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

__all__ = ["joined"]


def joined(parts: Sequence[str], most: int) -> SearchStrategy[str]:
    """Texts of at most so many of these parts, 256 or fewer, each any number of times.

    Hypothesis draws bytes all at once, and the elements of a list one by one, in three times the
    time.
    """
    assert len(parts) <= 256
    number = len(parts)
    return st.binary(max_size=most).map(
        lambda drawn: "".join([parts[byte % number] for byte in drawn])
    )
