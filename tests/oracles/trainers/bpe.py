"""Byte pair encoding written out literally: slow, obvious, the oracle of the kernel."""

from __future__ import annotations

from collections import Counter


def pairs(pieces: list) -> list[tuple]:
    """Adjacent pairs from left to right; two of an equal pair do not overlap."""
    listed, i = [], 0
    last_end: dict[tuple, int] = {}
    while i + 1 < len(pieces):
        pair = (pieces[i], pieces[i + 1])
        if last_end.get(pair, -1) < i:
            listed.append(pair)
            last_end[pair] = i + 1
        i += 1
    return listed


def merge(pieces: list, pair: tuple) -> list:
    merged: list = []
    rest = list(pieces)
    while rest:
        if tuple(rest[:2]) == pair:
            merged.append(pair[0] + pair[1])
            del rest[:2]
        else:
            merged.append(rest.pop(0))
    return merged


def bpe(counts: dict, k: int) -> tuple[list, int]:
    """k merges: the tokens that they make, in order, and the pieces left over the words."""
    cut = {word: [word[i : i + 1] for i in range(len(word))] for word in counts}
    tokens = []
    for _ in range(k):
        frequency: Counter = Counter()
        for word, pieces in cut.items():
            for pair in pairs(pieces):
                frequency[pair] += counts[word]
        if not frequency:
            break
        largest = max(frequency.values())
        pair = min(pair for pair, count in frequency.items() if count == largest)
        tokens.append(pair[0] + pair[1])
        cut = {word: merge(pieces, pair) for word, pieces in cut.items()}
    return tokens, sum(counts[word] * len(pieces) for word, pieces in cut.items())
