"""The smallest largest ratio over several corpora, by trying every vocabulary."""

from __future__ import annotations

from fractions import Fraction

from oracles.brute_force import cost, vocabularies

from partcover import Instance, MinimaxInstance


def ratios(instance: MinimaxInstance, tokens) -> list[Fraction]:
    """The fewest tokens of each corpus over its reference."""
    return [
        Fraction(cost(Instance(words, instance.k), tokens), reference)
        for words, reference in zip(instance.corpora, instance.references, strict=True)
    ]


def smallest_worst(instance: MinimaxInstance) -> Fraction:
    """The largest ratio of the best vocabulary."""
    return min(max(ratios(instance, tokens)) for tokens in vocabularies(instance.whole))
