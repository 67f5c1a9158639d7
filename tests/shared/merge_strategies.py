"""Conditions that merges make every token, and multipliers for them, as tests draw them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from oracles.brute_force import useful

from partcover import Instance, MergeCondition
from partcover.problem.certificates.cuts import PairPrices
from partcover.problem.certificates.nodes import Charge


@st.composite
def conditions(draw, instance: Instance) -> MergeCondition:
    """Any merges, or some of those that make candidates."""
    pairs = [(t[:cut], t[cut:]) for t in useful(instance) for cut in range(1, len(t))]
    some = st.lists(st.sampled_from(pairs), unique=True) if pairs else st.just([])
    listed = draw(st.none() | some.map(tuple))
    return MergeCondition(listed, whole_words=draw(st.booleans()))


@st.composite
def charges(draw, instance: Instance, condition: MergeCondition, one: int) -> tuple[Charge, ...]:
    """Valid charges of some tokens."""
    words = [word for word, _ in instance.words] if condition.whole_words else []
    made = []
    for token in useful(instance):
        splits = list(condition.splits(token))
        if token in words or () in splits or draw(st.booleans()):
            continue
        pays = draw(st.integers(0, 9 * one))
        gets = {}
        for split in splits:
            for part in split[:-1]:
                gets[part] = max(gets.get(part, 0), draw(st.integers(0, pays)))
            missing = pays - sum(gets.get(part, 0) for part in split)
            gets[split[-1]] = gets.get(split[-1], 0) + max(0, missing)
        made.append(Charge(token, pays, tuple(gets.items())))
    return tuple(made)


@st.composite
def dues(draw, instance: Instance, one: int) -> tuple[PairPrices, ...]:
    """What is paid to some tokens, over any symbols."""
    size = sum(len(word) for word, _ in instance.words)
    made = []
    for token in useful(instance):
        at = draw(st.dictionaries(st.integers(0, size - 1), st.integers(1, one), max_size=4))
        if at and draw(st.booleans()):
            made.append(due(token, at))
    return tuple(made)


def due(token, at: dict[int, int]) -> PairPrices:
    positions = sorted(at)
    multipliers = [at[position] for position in positions]
    return PairPrices((token,), np.array(positions, np.int64), np.array(multipliers, np.int64))
