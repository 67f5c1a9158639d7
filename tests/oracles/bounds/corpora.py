"""The smallest largest ratio over several corpora, by trying every vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import combinations

from oracles.bounds.merge_certificate import is_closed
from oracles.brute_force import costs, useful, vocabularies

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


def smallest_worst_closed(instance: Instance) -> Fraction | None:
    """The largest ratio of the best vocabulary that merges make; None if there is none."""
    pool, fixed = useful(instance), instance.fixed
    free = min(instance.k - len(fixed), len(pool))
    ratios = ratios_of(instance)
    worst = [
        max(ratios([*fixed, *chosen]))
        for size in range(free + 1)
        for chosen in combinations(pool, size)
        if is_closed(instance, chosen, instance.merges)
        and all(
            sum(token in group for token in {*fixed, *chosen}) <= group.limit
            for group in instance.groups
        )
    ]
    return min(worst, default=None)
