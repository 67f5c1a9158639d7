"""Which examples property tests try, and how many; the texts that they draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers
from hypothesis.strategies import SearchStrategy

Text = TypeVar("Text", str, bytes)

_FIRST = 0x4E00  # from here on characters stand for parts

# `make explore` draws other examples in each round, a hundred for a property test that does not say
# how many.  The ordinary suite tries three tenths of them, the same ones in every run, and
# `make check` a tenth.  No clock has a say in any.
settings.register_profile(
    "ordinary",
    max_examples=30,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("check", settings.get_profile("ordinary"), max_examples=10)
settings.register_profile(
    "explore", settings.get_profile("ordinary"), max_examples=100, derandomize=False
)
settings.load_profile("ordinary")
# Hypothesis also draws constants that it finds in the modules imported so far, which depend on the
# tests that ran before.
providers._get_local_constants = lambda: providers._local_constants


def tries(examples: int) -> settings:
    """Returns the settings of a property test that is to try so many examples in exploration."""
    return settings(max_examples=max(1, examples * settings.default.max_examples // 100))


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
