"""Families of rows in pairs and threes, against brute force; `make explore` tries many of each."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.bounds.corpora import smallest_worst, smallest_worst_closed
from oracles.bounds.merge_certificate import fewest_closed
from oracles.brute_force import fewest_tokens, useful
from shared.generated import MOST_VOCABULARIES, generated_corpora, generated_instance
from shared.properties import tries

from partcover import (
    Corpora,
    GroupBudget,
    HeadAndTail,
    Instance,
    MergeCondition,
    check_certificate,
    improve,
    solve,
    verify,
)

PAIRS = [
    {"cuts", "groups"},
    {"cuts", "merges"},
    {"cuts", "corpora"},
    {"cuts", "head"},
    {"groups", "merges"},
    {"groups", "corpora"},
    {"groups", "head"},
    {"merges", "corpora"},
    {"merges", "head"},
    {"corpora", "head"},
    {"merges", "corpora", "head"},
    {"groups", "merges", "corpora"},
    {"groups", "merges", "head"},
]


def instance_of(families: set[str], number: int) -> Instance:
    """A tiny instance with these families of rows; any may have cuts."""
    draw = random.Random(f"{sorted(families)} {number}")
    seed = draw.randrange(2**31)
    instance = generated_corpora(seed) if "corpora" in families else generated_instance(seed)
    instance = replace(instance, groups=(), threshold=None)
    if "head" in families:
        instance = replace(instance, min_count=1)
    pool = useful(instance)
    assume(len(pool) <= 11)
    assume(2 ** len(pool) <= 4 * MOST_VOCABULARIES)
    if "groups" in families:
        assume(pool)
        group = GroupBudget("short", 0, None, 2, draw.choice([2, 3]))
        if draw.randrange(2):
            group = GroupBudget("some", 0, frozenset(draw.choices(pool, k=draw.randint(1, 5))))
        room = sum(token in group for token in instance.fixed) + draw.randint(0, 2)
        instance = replace(instance, groups=[replace(group, limit=room)])
    if "merges" in families:
        pairs = [(token[:at], token[at:]) for token in pool for at in range(1, len(token))]
        some = None if draw.randrange(2) else tuple(pair for pair in pairs if draw.randrange(2))
        merges = MergeCondition(some, whole_words=bool(draw.randrange(2)))
        instance = replace(instance, merges=merges)
    return instance


def by_head(instance: Instance, n: int) -> Instance:
    """The same instance with n words, or n of each corpus, in the head."""
    several = instance.corpora
    if several is None:
        return replace(instance, corpus=HeadAndTail.of(instance.words, n))
    parts = [HeadAndTail.of(words, n) for words in several.words]
    words = Corpora(parts, several.references, several.names)
    return replace(instance, corpus=words)


def best_of(instance: Instance):
    """The fewest tokens, or the smallest largest ratio, of any vocabulary."""
    if instance.corpora is not None:
        closed = instance.merges is not None
        best = (smallest_worst_closed if closed else smallest_worst)(instance)
        assume(best is not None)
        return best
    if instance.merges is None:
        return fewest_tokens(instance)
    try:
        return fewest_closed(instance, instance.merges)
    except ValueError:  # no vocabulary holds the required tokens
        assume(False)


@pytest.mark.long
@pytest.mark.parametrize("families", PAIRS, ids=lambda families: "+".join(sorted(families)))
@tries(10)
@given(st.integers(0, 2**31), st.integers(1, 4))
def test_no_bound_is_false_and_optima_are_proven(families, number, n):
    instance = instance_of(families, number)
    best = best_of(instance)
    with_head = "head" in families
    asked = by_head(instance, n) if with_head else instance
    found = (improve if with_head else solve)(asked)
    recount = verify(instance, found.vocabulary)
    reached = recount.tokens if recount.worst is None else recount.worst
    assert recount.problems == verify(asked, found.vocabulary, claim=found).problems == ()
    check = check_certificate(asked, found.certificate)
    assert (check.problems, check.lower_bound >= found.lower_bound) == ((), True)
    assert check.lower_bound <= best <= reached
    assert with_head or found.lower_bound == best == reached


@tries(1)
@given(st.just(6001623))
def test_multipliers_of_groups_under_other_weights_may_be_large(number):
    """A group of limit 0 has any multiplier: under these weights, it had too many digits."""
    instance = instance_of({"groups", "corpora"}, number)
    found = solve(instance)
    assert found.lower_bound == found.worst == best_of(instance)
