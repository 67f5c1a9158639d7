"""BoundlessBPE written out: both kinds of merges side by side, all pairs counted in each round."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from oracles.merges import Trained, cut


def cut_phrase(words: list, ranks: dict) -> list:
    """The rule ``superword_merges`` of a phrase, given as its words."""
    pieces, row = [], []
    for word in [*words, None]:
        made = [] if word is None else cut([word[i : i + 1] for i in range(len(word))], ranks)
        if len(made) == 1:
            row += made
        else:
            pieces += [*cut(row, ranks), *made]
            row = []
    return pieces


def train(phrases: dict, k: int, order, *, min_count: int = 1) -> Trained:
    """`phrases` has the words of each, and its count; `order` numbers the symbols.

    A pair across words is only looked at where its words are tokens by then.
    """
    words = Counter()
    for phrase, count in phrases.items():
        for word in phrase:
            words[word] += count
    trained = Trained([])
    within, across = {}, {}  # the merges of each kind, and their ranks
    superwords = {}

    def cuts(ranks):
        return {w: cut([w[i : i + 1] for i in range(len(w))], ranks) for w in words}

    def rows(of_words, ranks):
        for phrase, count in phrases.items():
            row = []
            for word in [*phrase, None]:
                if word is not None and len(of_words[word]) == 1:
                    row.append(word)
                elif row:
                    yield cut(row, ranks), count
                    row = []

    def place(piece):
        if piece in superwords:
            return (2, superwords[piece])
        return (0, order(piece)) if len(piece) == 1 else (1, trained.tokens.index(piece))

    def best(listed):
        pairs = Counter()
        for pieces, count in listed:
            for pair in pairwise(pieces):
                pairs[pair] += count
            trained.clear &= all(pair != after for pair, after in pairwise(pairwise(pieces)))
        ranked = [(-n, place(a), place(b), a, b) for (a, b), n in pairs.items() if n >= min_count]
        return min(ranked, default=None)

    while len(trained.tokens) < k:
        of_words = cuts(within)
        inside = best((of_words[w], c) for w, c in words.items())
        outside = best(rows(of_words, across))
        if inside is None and outside is None:
            break
        if inside is None or (outside is not None and -outside[0] > -inside[0]):
            kind, (n, *_, a, b) = across, outside
            superwords[a + b] = len(superwords)
        else:
            kind, (n, *_, a, b) = within, inside
        kind[a, b] = len(kind)
        trained.clear &= a + b not in trained.tokens
        trained.merges.append((a, b))
        trained.gains.append(-n)
        if a + b not in trained.tokens:
            trained.tokens.append(a + b)
    return trained
