"""Texts that property tests draw."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

__all__ = ["joined"]

_FIRST = 0x4E00  # from here on characters stand for parts


def joined(parts: Sequence[str], most: int) -> SearchStrategy[str]:
    """Texts of at most so many of these parts, each any number of times.

    Hypothesis draws a string all at once, and the elements of a list one by one, which takes
    twice the time.
    """
    names = [chr(_FIRST + number) for number in range(len(parts))]
    part_of = dict(zip(names, parts, strict=True))
    return st.text(st.sampled_from(names), max_size=most).map(
        lambda drawn: "".join([part_of[name] for name in drawn])
    )
