"""Parity-aware BPE written out literally: slow, obvious."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise

from oracles.trainers.bpe import merge


def parity_bpe(tables: list[dict], k: int, references: list[int], global_merges: int) -> tuple:
    """The merges, and the tokens of each corpus after them; pairs overlap as they are counted."""
    cut = {word: [word[i : i + 1] for i in range(len(word))] for t in tables for word in t}
    merges: list = []
    tokens: list = []

    def sizes():
        return [sum(c * len(cut[word]) for word, c in table.items()) for table in tables]

    while len(set(tokens)) < k:
        order = sorted(range(len(tables)), key=lambda n: -Fraction(sizes()[n], references[n]))
        choices = [[tables[n]] for n in order]
        if len(merges) < global_merges:
            choices = [tables]
        for chosen in choices:
            frequency: Counter = Counter()
            for table in chosen:
                for word, count in table.items():
                    for pair in pairwise(cut[word]):
                        frequency[pair] += count
            if frequency:
                break
        else:
            break
        rank = {token: n for n, token in reversed(list(enumerate(tokens)))}
        pair = min(
            frequency,
            key=lambda p: (
                -frequency[p],
                *((len(piece) > 1, rank.get(piece, 0), piece) for piece in p),
            ),
        )
        merges.append(pair)
        tokens.append(pair[0] + pair[1])
        cut = {word: merge(pieces, pair) for word, pieces in cut.items()}
    return merges, sizes()
