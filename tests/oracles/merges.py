"""Training by merges written out: all words are cut and all pairs counted again in each round."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise


def cut(pieces: list, ranks: dict) -> list:
    """The rule ``merges``: the pair of lowest rank is joined first, then the leftmost."""
    pieces = list(pieces)
    while True:
        known = [(ranks[p], i) for i, p in enumerate(pairwise(pieces)) if p in ranks]
        if not known:
            return pieces
        _, i = min(known)
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]


@dataclass
class Trained:
    tokens: list
    merges: list = field(default_factory=list)
    gains: list = field(default_factory=list)
    clear: bool = True  # no tie, and no pair over itself, ever


def train(
    counts: dict,
    k: int,
    order,
    *,
    scored: bool = False,
    given=(),
    merges=(),
    start=None,
    max_length: int = 10**9,
    min_count: int = 1,
    forbidden=(),
) -> Trained:
    """`order` numbers the symbols; `start` cuts each word at first."""
    start = start or {w: [w[i : i + 1] for i in range(len(w))] for w in counts}
    number = {t: (1, i) for i, t in enumerate(given)}
    trained = Trained(list(given), list(merges))
    old = len(trained.merges)

    def place(piece):
        return number[piece] if len(piece) > 1 else (0, order(piece))

    total, pending = None, 0
    while True:
        cuts = {w: cut(start[w], {p: r for r, p in enumerate(trained.merges)}) for w in counts}
        before, total = total, sum(c * len(cuts[w]) for w, c in counts.items())
        if before is not None:
            pending += before - total
            if len(trained.tokens) > len(given) + len(trained.gains):
                trained.gains.append(pending)
                pending = 0
        if len(trained.tokens) >= k:
            break
        pairs, parts = Counter(), Counter()
        for w, c in counts.items():
            for piece in cuts[w]:
                parts[piece] += c
            for pair in pairwise(cuts[w]):
                pairs[pair] += c
            trained.clear &= all(pair != after for pair, after in pairwise(pairwise(cuts[w])))
        best = []
        for (a, b), n in pairs.items():
            if n >= min_count and len(a + b) <= max_length and a + b not in forbidden:
                score = Fraction(n, parts[a] * parts[b]) if scored else n
                best.append((-score, -n, place(a), place(b), a, b))
        if not best:
            break
        best.sort()
        trained.clear &= len(best) < 2 or best[0][:2] != best[1][:2]
        a, b = best[0][4:]
        trained.merges.append((a, b))
        if a + b not in number:
            number[a + b] = (1, len(trained.tokens))
            trained.tokens.append(a + b)
    if trained.gains:
        trained.gains[-1] += pending
    del trained.merges[:old]
    return trained
