"""Tiny instances of all kinds, each named by a number, for tests against brute force."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from math import comb

from oracles.brute_force import useful
from oracles.greedy import all_candidates

from partcover import Corpora, GroupBudget, Instance, MergeCondition, WordCounts

MOST_VOCABULARIES = 1500  # that brute force has to try


def generated_instance(number: int) -> Instance:
    """The instance of a number: repeats, overlaps, weights, and any conditions together."""
    draw = random.Random(number)
    while True:
        instance = _drawn(draw)
        pool, free = len(useful(instance)), instance.k - len(instance.fixed)
        sizes = range(min(free, pool) + 1) if instance.groups else [min(free, pool)]
        if sum(comb(pool, size) for size in sizes) <= MOST_VOCABULARIES:
            return instance


def generated_closed(number: int) -> Instance:
    """One with any merges, or with some of those that could make its tokens."""
    instance, draw = generated_instance(number), random.Random(number)
    pairs = [(token[:at], token[at:]) for token in useful(instance) for at in range(1, len(token))]
    some = None if draw.randrange(2) else tuple(pair for pair in pairs if draw.randrange(2))
    return replace(instance, merges=MergeCondition(some, whole_words=bool(draw.randrange(2))))


def _drawn(draw: random.Random) -> Instance:
    around = draw.randrange(2) == 0
    long = not around and draw.randrange(5) == 0
    words = _words_around_cycles(draw) if around else _words(draw, long)
    pool = sorted(all_candidates(words)) or ["ab"]
    limits: dict = {}
    kind = draw.randrange(6)
    if long:
        limits["max_length"] = 3
    elif kind < 2 or (around and kind < 5):
        limits["max_length"] = 2 if around else draw.randint(2, 4)
    elif kind == 2:
        limits["min_count"] = draw.randint(1, 8)
    elif kind == 3:
        limits["candidates"] = draw.choices(pool, k=draw.randint(1, 12))

    def some(rarely: int, most: int = 2) -> list[str]:
        return [] if draw.randrange(rarely) else draw.choices(pool, k=draw.randint(1, most))

    required, prefix, protected = some(4), list(dict.fromkeys(some(8))), some(8, 1)
    if draw.randrange(10) == 0:
        required.append("zz")  # occurs nowhere
    fixed = {*required, *prefix, *protected}
    forbidden = sorted(set(some(3, 4)) - fixed)
    groups = [
        _group(draw, pool, fixed, name) for name in "gh"[: draw.choice([0, 0, 0, 0, 0, 0, 1, 2])]
    ]
    k = len(fixed) + draw.choice([2, 3, 3, 4, 5] if around or long else [0, 1, 1, 2, 2, 3, 4])
    conditions = {
        "required": required,
        "forbidden": forbidden,
        "prefix": prefix,
        "protected": protected,
        **limits,
    }
    symbols = draw.choice(["bytes", "bytes", "chars", "ints"])
    if symbols == "ints":
        code = "abcdz"
        words = {_numbers(word, code): count for word, count in words.items()}
        conditions = {
            name: [_numbers(token, code) for token in value] if isinstance(value, list) else value
            for name, value in conditions.items()
        }
        groups = [
            replace(group, tokens={_numbers(token, code) for token in group.tokens})
            if group.tokens is not None
            else group
            for group in groups
        ]
    counted = WordCounts.from_counts(words, symbols)
    return Instance(counted, k, groups=groups, **conditions)


def _words(draw: random.Random, long: bool) -> dict[str, int]:
    """Counted words, half of the time with periodic ones; or long ones, in which all overlaps."""
    letters = "abcd"[: draw.randint(2, 4)]
    if long:
        sizes = [draw.randint(9, 15) for _ in range(draw.randint(1, 2))]
        return _counted([draw.choices("ab", k=size) for size in sizes], lambda: draw.randint(1, 3))
    chosen = [draw.choices(letters, k=draw.randint(1, 6)) for _ in range(draw.randint(1, 5))]
    if draw.randrange(2):
        root = draw.choices(letters, k=draw.randint(1, 3))
        chosen = [*chosen[:2], *((6 * root)[: draw.randint(2, 8)] for _ in range(2))]
    most = draw.choice([1, 3, 9, 999, 10**9])
    return _counted(chosen, lambda: draw.randint(1, most))


def _words_around_cycles(draw: random.Random) -> dict[str, int]:
    """Words of three letters in which pairs overlap around odd cycles, and some others.

    All count about as much, so that half of each pair is the best that the relaxation can do.
    """
    letters = "abcd"[: draw.choice([2, 3, 3, 4, 4])]
    chosen = []
    for _ in range(draw.choice([1, 2, 2, 3])):
        size = draw.choice([3, 3, 3, 5])
        several = size == 3 <= len(letters)
        walk = draw.sample(letters, 3) if several else draw.choices(letters, k=size)
        chosen += [[walk[(i + j) % size] for j in range(3)] for i in range(size)]
    chosen += [draw.choices(letters, k=draw.randint(2, 4)) for _ in range(draw.randint(0, 2))]
    even, uneven = draw.choice([(2, 0), (2, 1), (6, 2), (50, 20), (10**9, 10**6)])
    return _counted(chosen, lambda: even + draw.randint(0, uneven))


def _counted(words: list[list[str]], count: Callable[[], int]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        name = "".join(word)
        counts[name] = counts.get(name, 0) + count()
    return counts


def _group(draw: random.Random, pool: list[str], fixed: set[str], name: str) -> GroupBudget:
    """A budget for a list of tokens or a range of lengths, with room for the fixed ones."""
    if draw.randrange(2):
        group = GroupBudget(name, 0, frozenset(draw.choices(pool, k=draw.randint(1, 5))))
    else:
        shortest = draw.randint(2, 3)
        group = GroupBudget(name, 0, None, shortest, draw.choice([None, shortest, 4]))
    return replace(group, limit=sum(token in group for token in fixed) + draw.randint(0, 2))


def generated_corpora(number: int) -> Instance:
    """Two to four small corpora with references, some of them far apart, and any conditions."""
    draw = random.Random(f"minimax {number}")
    while True:
        instance = _drawn_corpora(draw)
        pool, free = len(useful(instance)), instance.k - len(instance.fixed)
        sizes = range(min(free, pool) + 1) if instance.groups else [min(free, pool)]
        if sum(comb(pool, size) for size in sizes) <= MOST_VOCABULARIES // 10:
            return instance


def _drawn_corpora(draw: random.Random) -> Instance:
    tables = [_words(draw, long=False) for _ in range(draw.choice([2, 2, 2, 3, 4]))]
    if draw.randrange(4) == 0:  # a word of all corpora
        for table in tables:
            table["abab"] = draw.randint(1, 9)
    symbols = draw.choice(["bytes", "bytes", "chars", "ints"])

    def turned(text: str):
        return _numbers(text, "abcdz") if symbols == "ints" else text

    corpora = [
        WordCounts.from_counts({turned(word): n for word, n in table.items()}, symbols)
        for table in tables
    ]
    references = [
        draw.randint(1, 9) * draw.choice([1, words.total_count, words.total_symbols])
        for words in corpora
    ]
    pool = sorted(all_candidates([word for table in tables for word in table])) or ["ab"]
    kind = draw.randrange(4)
    limits: dict = {}
    if kind == 0:
        limits["max_length"] = draw.randint(2, 4)
    elif kind == 1:
        limits["candidates"] = list(map(turned, draw.choices(pool, k=draw.randint(1, 12))))
    fixed = [] if draw.randrange(4) else [draw.choice([*pool, "zz"])]
    name = draw.choice(["required", "prefix"])
    forbidden = [] if draw.randrange(4) else sorted(set(draw.choices(pool, k=2)) - {*fixed})
    groups = [] if draw.randrange(6) else [_group(draw, pool, set(fixed), "g")]
    if symbols == "ints":
        groups = [
            replace(g, tokens=None if g.tokens is None else set(map(turned, g.tokens)))
            for g in groups
        ]
    conditions = {name: list(map(turned, fixed)), "forbidden": list(map(turned, forbidden))}
    k = len(fixed) + draw.choice([0, 1, 1, 2, 2, 3])
    return Instance(Corpora(corpora, references), k, groups=groups, **conditions, **limits)


def _numbers(token: str, code: str) -> tuple[int, ...]:
    return tuple(code.index(letter) for letter in token)
