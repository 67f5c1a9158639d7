"""PathPiece written out: slow, obvious, by listing every segmentation."""

from __future__ import annotations

from functools import cache


@cache
def segmentations(size: int, arcs: frozenset) -> list[tuple]:
    """All ways from 0 to `size` by arcs (start, end)."""
    if size == 0:
        return [()]
    return [
        (*way, (start, end))
        for start, end in sorted(arcs)
        if end == size
        for way in segmentations(start, arcs)
    ]


def arcs_of(word, tokens) -> frozenset:
    n = len(word)
    return frozenset(
        (i, j) for i in range(n) for j in range(i + 1, n + 1) if j == i + 1 or word[i:j] in tokens
    )


def fewest(word, arcs) -> int:
    return min(len(way) for way in segmentations(len(word), arcs))


def fewest_of_a_long_word(word, tokens) -> int:
    """The same by dynamic programming."""
    ahead = [0]
    for end in range(1, len(word) + 1):
        shorter = [ahead[-1], *(ahead[end - len(t)] for t in tokens if word.endswith(t, 0, end))]
        ahead.append(min(shorter) + 1)
    return ahead[-1]


def path(word, arcs) -> tuple:
    """Of the shortest paths, that whose tokens are the longest, the last first."""
    ways = segmentations(len(word), arcs)
    size = min(map(len, ways))
    return min((w for w in ways if len(w) == size), key=lambda w: [s for s, _ in reversed(w)])


def removal(counts: dict, tokens) -> dict:
    """Cut all words anew without each token."""

    def needed(kept):
        return sum(c * fewest(w, arcs_of(w, kept)) for w, c in counts.items())

    return {t: needed(set(tokens) - {t}) - needed(set(tokens)) for t in tokens}


def uses(counts: dict, tokens) -> dict:
    uses = dict.fromkeys(tokens, 0)
    for word, count in counts.items():
        for start, end in path(word, arcs_of(word, set(tokens))):
            if end - start > 1:
                uses[word[start:end]] += count
    return uses


def occurrence(counts: dict, tokens) -> dict:
    """Cut each word anew without one arc of its path, for each, and add up."""
    cost = dict.fromkeys(tokens, 0)
    for word, count in counts.items():
        arcs = arcs_of(word, set(tokens))
        for arc in path(word, arcs):
            if arc[1] - arc[0] > 1:
                more = fewest(word, arcs - {arc}) - fewest(word, arcs)
                cost[word[arc[0] : arc[1]]] += count * more
    return cost


def pathpiece(counts: dict, tokens: list, k: int, batch: float, measure, fixed=()) -> list:
    """The trainer: the initial tokens in their order, down to k, the dearest first."""
    tokens = list(tokens)

    def spared_first():
        cost, used = measure(counts, tokens), uses(counts, tokens)
        return sorted(tokens, key=lambda t: (t in fixed, cost[t], used[t], -tokens.index(t)))

    while len(tokens) > k:
        take = min(len(tokens) - k, max(1, int(batch * len(tokens))))
        gone = spared_first()[:take]
        tokens = [t for t in tokens if t not in gone]
    return spared_first()[::-1]
