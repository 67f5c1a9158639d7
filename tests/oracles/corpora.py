"""The smallest largest ratio over several corpora, by trying every vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from oracles.brute_force import costs, vocabularies

from partcover import Instance


def ratios(instance: Instance, tokens: Iterable) -> list[Fraction]:
    """The fewest tokens of each corpus over its reference."""
    return ratios_of(instance)(tokens)


def smallest_worst(instance: Instance) -> Fraction:
    """The largest ratio of the best vocabulary."""
    return min(map(max, map(ratios_of(instance), vocabularies(instance))))


def ratios_of(instance: Instance) -> Callable[[Iterable], list[Fraction]]:
    """Returns `ratios` as a function of the tokens, faster for many vocabularies."""
    counted = [costs(Instance(words, instance.k)) for words in instance.corpora.words]
    return lambda tokens: [
        Fraction(needed(tokens), reference)
        for needed, reference in zip(counted, instance.corpora.references, strict=True)
    ]
