"""Texts that property tests draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

Text = TypeVar("Text", str, bytes)

_FIRST = 0x4E00  # from here on characters stand for parts


def joined(parts: Sequence[Text], most: int) -> SearchStrategy[Text]:
    """Texts, or bytes, of at most so many of these parts, each any number of times.

    Hypothesis draws a string all at once, and the elements of a list one by one, which takes
    twice the time.
    """
    nothing = parts[0][:0]
    return _numbers(len(parts), most).map(
        lambda numbers: nothing.join([parts[number] for number in numbers])
    )


def mixed(parts: Sequence[str], characters: SearchStrategy[str], most: int) -> SearchStrategy[str]:
    """Texts of at most so many of these parts and of other characters, about as many of both.

    `st.text` draws from a union of alphabets as if they were one, and so hardly ever draws from a
    small one.
    """
    number_of_parts = len(parts)

    def text(numbers: list[int], others: str) -> str:
        other = iter(others)
        return "".join(
            [parts[number] if number < number_of_parts else next(other, "") for number in numbers]
        )

    return st.builds(text, _numbers(2 * number_of_parts, most), st.text(characters, max_size=most))


def _numbers(below: int, most: int) -> SearchStrategy[list[int]]:
    names = [chr(_FIRST + number) for number in range(below)]
    return st.text(st.sampled_from(names), max_size=most).map(
        lambda drawn: [ord(name) - _FIRST for name in drawn]
    )
