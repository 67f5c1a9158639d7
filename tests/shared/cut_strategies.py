"""Pairs of tokens that overlap, with multipliers, and cuts over them, as tests draw them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import strategies as st
from shared.strategies import prices

from partcover import Instance
from partcover.problem.certificates.cuts import Cut, PairPrices
from partcover.problem.certificates.nodes import Leaf


def pair(tokens, positions, multipliers) -> PairPrices:
    arrays = np.array(positions, np.int64), np.array(multipliers, np.int64)
    return PairPrices(tuple(tokens), *arrays)


def triangle(bits: int = 0) -> tuple[Instance, Leaf]:
    """The instance and the leaf of "By hand, with a cut" in docs/concepts/certificates.md."""
    instance = Instance({"abc": 2, "bca": 2, "cab": 2, "xy": 2}, 2, max_length=2)
    ab, bc, ca, one = b"ab", b"bc", b"ca", 1 << bits
    pairs = (pair((ab, bc), [1], [one]), pair((bc, ca), [4], [one]), pair((ab, ca), [7], [one]))
    cut = Cut((ab, bc, ca), 2 * one)
    return instance, Leaf(np.full(11, one, np.int64), (), pairs, (cut,))


def overlaps(instance: Instance) -> dict[tuple, list[int]]:
    """For each two tokens, candidates or not, the symbols where occurrences of both lie."""
    over = symbols_of(instance)
    pairs = {pair: sorted(over[pair[0]] & over[pair[1]]) for pair in combinations(sorted(over), 2)}
    return {pair: positions for pair, positions in pairs.items() if positions}


def symbols_of(instance: Instance) -> dict:
    """The symbols over which each token lies, candidate or not."""
    over: dict = {}
    begin = 0
    for word, _ in sorted(instance.words):
        for start, end in combinations(range(len(word) + 1), 2):
            if end - start >= 2:
                symbols = range(begin + start, begin + end)
                over.setdefault(word[start:end], set()).update(symbols)
        begin += len(word)
    return over


@st.composite
def cuts(draw, pairs: dict, bits: int) -> Cut | None:
    """A cut; None for a dead end."""
    kind = draw(st.sampled_from(["cycle", "clique"]))
    size = draw(st.sampled_from([3, 3, 5, 7] if kind == "cycle" else [3, 4, 5]))
    overlap = {frozenset(pair) for pair in pairs}
    pool = sorted({token for pair in pairs for token in pair})
    tokens: list = []
    for place in range(size):
        if kind == "clique":
            neighbours = tokens
        else:
            neighbours = tokens[-1:] + (tokens[:1] if place == size - 1 else [])
        options = [
            token
            for token in pool
            if token not in tokens and all(frozenset([token, n]) in overlap for n in neighbours)
        ]
        if not options:
            return None
        tokens.append(draw(st.sampled_from(options)))
    multiplier = draw(st.integers(0, 3 << bits))
    return Cut(tokens, multiplier, draw(st.integers(1, size - 2)) if kind == "clique" else 0)


@st.composite
def leaves_with_cuts(draw, instance: Instance, bits: int) -> Leaf:
    """A leaf of anything that is valid: prices, fees, multipliers of pairs, cuts."""
    own = np.array(draw(prices(instance, bits)), np.int32)
    fees = draw(st.just(()) | st.tuples(*[st.integers(0, 2 << bits)] * len(instance.groups)))
    pairs = overlaps(instance)
    if not pairs:
        return Leaf(own, fees)
    drawn = [draw(cuts(pairs, bits)) for _ in range(draw(st.integers(0, 3)))]
    valid = tuple(cut for cut in drawn if cut is not None)
    needed = {edge for cut in valid for edge in cut.edges}
    if needed:  # an edge need not have multipliers
        needed -= draw(st.sets(st.sampled_from(sorted(needed)), max_size=2))
    needed |= set(draw(st.lists(st.sampled_from(sorted(pairs)), max_size=3)))
    one = 1 << bits
    multiplier = st.integers(1, 2 * one) | st.just(one)
    priced = []
    over = symbols_of(instance)
    for tokens in sorted(needed):
        where = sorted(over[tokens[0]] & over[tokens[1]])
        positions = draw(st.lists(st.sampled_from(where), min_size=1, unique=True))
        multipliers = draw(st.lists(multiplier, min_size=len(positions), max_size=len(positions)))
        priced.append(pair(tokens, sorted(positions), multipliers))
    return Leaf(own, fees, tuple(priced), valid)
