"""Strategies for instances and for the prices of certificates."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from oracles.brute_force import useful
from oracles.greedy import all_candidates, shortest_path

from partcover import HeadAndTail, Instance, WordCounts
from partcover.problem.group_budget import GroupBudget

words_st = st.dictionaries(
    st.text("ab", min_size=1, max_size=5)
    | st.text("abc", min_size=1, max_size=4)
    | st.text("abcd", min_size=3, max_size=4)
    | st.sampled_from(["aaaa", "ayaya", "aaaaaa", "ababab", "x"]),
    st.integers(1, 5),
    max_size=4,
).map(lambda d: {w.encode(): c for w, c in d.items()})


# words and tokens for an instance with a head
HEAD_WORDS = st.dictionaries(
    st.text("ab", min_size=1, max_size=5) | st.text("abc", min_size=1, max_size=6),
    st.integers(1, 9),
    min_size=1,
    max_size=6,
)
HEAD_TOKENS = st.lists(st.text("abc", min_size=2, max_size=4), max_size=2, unique=True)


def by_head(words, k, n, **conditions) -> Instance:
    """An instance whose first n words are the head."""
    return Instance(HeadAndTail.of(words, n), k, **conditions)


@st.composite
def listed_tokens(draw) -> dict[str, list[str]]:
    """Tokens that must be there, must be kept whole, and must not be there."""
    required, protected = draw(HEAD_TOKENS), draw(st.just([]) | HEAD_TOKENS)
    fixed = {*required, *protected}
    forbidden = [token for token in draw(HEAD_TOKENS) if token not in fixed]
    return {"required": required, "protected": protected, "forbidden": forbidden}


# made once: strategies that are made anew for each example take longer than what is tested
_index = st.integers(0, 999)
_indices = {most: st.lists(_index, max_size=most) for most in (2, 3, 4, 8)}
_sometimes = st.booleans()
_kind = st.sampled_from(["none", "max_length", "min_count", "candidates"])
_max_length, _min_count = st.integers(2, 4), st.integers(1, 8)
_shortest, _longest = st.integers(2, 3), st.none() | st.integers(2, 4)
_more, _room = st.integers(0, 3), st.integers(0, 2)
_groups = st.sampled_from([(), (), (), ("list",), ("lengths",), ("list", "lengths")])


def _some(draw, pool: list, most: int) -> list:
    """At most so many elements of a list, repeated ones among them."""
    return [pool[index % len(pool)] for index in draw(_indices[most])]


def _group_budget(draw, name: str, pool, required) -> GroupBudget:
    if name == "list":
        group = GroupBudget(name, 0, frozenset(_some(draw, pool, 4)))
    else:
        shortest, longest = draw(_shortest), draw(_longest)
        longest = None if longest is None else max(shortest, longest)
        group = GroupBudget(name, 0, None, shortest, longest)
    return replace(group, limit=sum(t in group for t in required) + draw(_room))


@st.composite
def group_budgets(draw, pool, required) -> GroupBudget:
    """A budget for a list of tokens or a range of lengths, with room for the required ones."""
    return _group_budget(draw, "list" if draw(_sometimes) else "lengths", pool, required)


@st.composite
def instances(draw) -> Instance:
    words = draw(words_st)
    pool = sorted(all_candidates(words) | {b"zz", b"ab"})
    required = list(dict.fromkeys(_some(draw, pool, 2)))
    forbidden = sorted(set(_some(draw, pool, 3)) - set(required))
    limits: dict = {}
    kind = draw(_kind)
    if kind == "max_length":
        limits[kind] = draw(_max_length)
    elif kind == "min_count":
        limits[kind] = draw(_min_count)
    elif kind == "candidates":
        limits[kind] = _some(draw, pool, 8)
    groups = [_group_budget(draw, name, pool, required) for name in draw(_groups)]
    if draw(_sometimes):
        table = {tuple(word): count for word, count in words.items()}
        turn = [tuple(t) for t in required], [tuple(t) for t in forbidden]
        if "candidates" in limits:
            limits["candidates"] = [tuple(t) for t in limits["candidates"]]
        groups = [
            replace(g, tokens=None if g.tokens is None else frozenset(map(tuple, g.tokens)))
            for g in groups
        ]
        counted, (required, forbidden) = WordCounts.from_counts(table, "ints"), turn
    else:
        counted = WordCounts.from_counts(words)
    k = len(required) + draw(_more)
    instance = Instance(counted, k, required=required, forbidden=forbidden, groups=groups, **limits)
    assume(len(useful(instance)) <= 18)
    return instance


def random_instance(seed: int, k: int) -> Instance:
    random = np.random.default_rng(seed)
    words = {
        "".join(random.choice(list("aabcde"), random.integers(1, 12))): int(random.integers(1, 99))
        for _ in range(60)
    }
    return Instance(WordCounts.from_counts(words), k)


def instance_of_cases(seed: int = 19, n: int = 16, k: int = 3) -> Instance:
    """Small, and yet the tree of its proof has several leaves; the optimum of the first is 138."""
    random = np.random.default_rng(seed)
    words = {
        "".join(random.choice(["a", "b"], random.integers(2, 9))): int(random.integers(1, 9))
        for _ in range(n)
    }
    return Instance(words, k)


@cache
def _any_prices(bits: int, size: int) -> st.SearchStrategy[list[int]]:
    one = 1 << bits
    price = st.integers(-2 * one, one) | st.integers(one // 2, one) | st.just(one)
    return st.lists(price, min_size=size, max_size=size)


@st.composite
def prices(draw, instance: Instance, bits: int) -> list[int]:
    """Any prices of at most 1; or those of a vocabulary, which often prove the optimum."""
    one = 1 << bits
    words = [word for word, _ in sorted(instance.words)]
    if draw(_sometimes):
        return draw(_any_prices(bits, sum(map(len, words))))
    pool = [*useful(instance), *instance.fixed]
    chosen = _some(draw, pool, 4) if pool else []
    drawn = []
    for word in words:
        left = [len(shortest_path(word[start:], chosen)) for start in range(len(word) + 1)]
        drawn += [one * (here - there) for here, there in pairwise(left)]
    return drawn
