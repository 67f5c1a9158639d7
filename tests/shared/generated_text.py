"""Words as of a text, drawn by a fixed seed: as many as a book has, few of them frequent."""

from __future__ import annotations

import numpy as np

from partcover import WordCounts

SYLLABLES = [
    start + end
    for start in [
        "b",
        "c",
        "d",
        "f",
        "g",
        "h",
        "l",
        "m",
        "n",
        "p",
        "r",
        "s",
        "st",
        "t",
        "th",
        "v",
        "w",
    ]
    for end in ["a", "e", "i", "o", "u", "ea", "er", "in", "on"]
]


def generated_words(size: int, seed: int = 16) -> WordCounts:
    """So many distinct words of syllables, both as frequent as Zipf's law says."""
    random = np.random.default_rng(seed)
    syllables = random.permutation(SYLLABLES)
    frequency = 1 / np.arange(1, len(syllables) + 1)
    words: dict[str, int] = {}
    while len(words) < size:
        drawn = random.choice(syllables, 1 + random.poisson(1.4), p=frequency / frequency.sum())
        words.setdefault(" " + "".join(drawn), 1 + 30_000 // (len(words) + 3))
    return WordCounts.from_counts(words)
