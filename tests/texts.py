"""Texts that property tests draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

__all__ = ["joined"]

Text = TypeVar("Text", str, bytes)

_FIRST = 0x4E00  # from here on characters stand for parts


def joined(parts: Sequence[Text], most: int) -> SearchStrategy[Text]:
    """Texts, or bytes, of at most so many of these parts, each any number of times.

    Hypothesis draws a string all at once, and the elements of a list one by one, which takes
    twice the time.
    """
    names = [chr(_FIRST + number) for number in range(len(parts))]
    part_of = dict(zip(names, parts, strict=True))
    nothing = parts[0][:0]
    return st.text(st.sampled_from(names), max_size=most).map(
        lambda drawn: nothing.join([part_of[name] for name in drawn])
    )
