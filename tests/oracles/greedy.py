"""Greedy algorithms written out literally: slow, obvious, the oracle of the kernels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

Word = Sequence  # bytes, str or tuple


def all_candidates(words: Iterable[Word]) -> set:
    return {w[i:j] for w in words for i in range(len(w)) for j in range(i + 2, len(w) + 1)}


def place(word: Word, covered: list[bool], token: Word) -> int:
    """Algorithms 2 and 3: place a token left to right; returns the pairs newly covered.

    ``covered[i]`` is about the pair of symbols i and i + 1.
    """
    gain = 0
    for i in range(len(word) - len(token) + 1):
        end = i + len(token)
        if word[i:end] != token:
            continue
        if i > 0 and covered[i - 1]:
            continue
        if end < len(word) and covered[end - 1]:
            continue
        gain += sum(not c for c in covered[i : end - 1])
        covered[i : end - 1] = [True] * (len(token) - 1)
    return gain


def place_anywhere(word: Word, covered: list[bool], token: Word) -> int:
    """The relaxation: every occurrence covers its pairs."""
    before = sum(covered)
    for i in range(len(word) - len(token) + 1):
        if word[i : i + len(token)] == token:
            covered[i : i + len(token) - 1] = [True] * (len(token) - 1)
    return sum(covered) - before


def greedy(
    counts: dict, candidates: Iterable, k: int, *, relaxed: bool, prefix=(), required=(), groups=()
) -> tuple[list, list[int]]:
    """Algorithm 1: the candidate of highest score, again and again; tokens and gains."""
    put = place_anywhere if relaxed else place
    covered = {w: [False] * (len(w) - 1) for w in counts}
    tokens: list = []
    gains: list[int] = []

    def score(token) -> int:
        return sum(c * put(w, covered[w].copy(), token) for w, c in counts.items())

    def take(token) -> None:
        gains.append(sum(c * put(w, covered[w], token) for w, c in counts.items()))
        tokens.append(token)

    def rank(token):
        return (score(token), len(token) if relaxed else -len(token), token)

    for token in prefix:
        take(token)
    rest = set(required) - set(prefix)
    while rest:
        best = max(rest, key=rank)
        if score(best) == 0:
            best = min(rest)
        take(best)
        rest.remove(best)
    pool = set(candidates)
    while len(tokens) < k:
        full = [g for g in groups if sum(t in g for t in tokens) >= g.limit]
        pool = {t for t in pool if not any(t in g for g in full)}
        if not pool:
            break
        best = max(pool, key=rank)
        if score(best) == 0:
            break
        take(best)
        pool.remove(best)
    return tokens, gains


def shortest_path(word: Word, tokens: Iterable) -> list:
    """Fewest tokens; at each end the earliest start among the best."""
    tokens = set(tokens)
    best: list[tuple[int, list]] = [(0, [])]
    for end in range(1, len(word) + 1):
        ways = [
            (best[start][0] + 1, start)
            for start in range(end)
            if end - start == 1 or word[start:end] in tokens
        ]
        cost, start = min(ways)
        best.append((cost, [*best[start][1], word[start:end]]))
    return best[-1][1]


def priority(word: Word, tokens: Iterable) -> list:
    """Algorithm 4: tokens in their order, each left to right."""
    covered = [False] * (len(word) - 1)
    for token in tokens:
        place(word, covered, token)
    cuts = [0, *(i + 1 for i, c in enumerate(covered) if not c), len(word)]
    return [word[a:b] for a, b in pairwise(cuts)]
