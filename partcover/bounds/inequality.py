"""Inequalities over tokens that conflict: odd cycles and cliques."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..problem.cuts import CutKind

__all__ = ["Inequality", "pair_key"]


def pair_key(a: int, b: int) -> int:
    """Returns the name of a pair of candidates, ``smaller << 32 | larger``."""
    return min(a, b) << 32 | max(a, b)


@dataclass(frozen=True)
class Inequality:
    """An inequality Σ y over some pairs ≤ coef · Σ x + rhs, which every vocabulary satisfies.

    y is 1 for a pair if one of its tokens is chosen, x is 1 for a chosen token.

    Attributes
    ----------
    kind : {"cycle", "clique"}
        Which pairs: those of neighbours around a cycle, or all.
    tokens : tuple of int
        Numbers of candidates.  A cycle begins with the smallest and goes on to the smaller
        neighbour of that; a clique ascends: equal inequalities are equal objects.
    coef, rhs : int
        The inequality.

    Notes
    -----
    s chosen tokens touch at most min(2s, n) edges of a cycle of n, and for odd n that is at most
    s + (n − 1)/2.  They touch C(n, 2) − C(n − s, 2) edges of a clique, which is concave in s, and
    so not above its line through s = r and s = r + 1.
    """

    kind: CutKind
    tokens: tuple[int, ...]
    coef: int
    rhs: int

    @classmethod
    def cycle(cls, tokens: Sequence[int]) -> Inequality:
        """Makes the inequality of an odd cycle."""
        at = tokens.index(min(tokens))
        around = [*tokens[at:], *tokens[:at]]
        if around[1] > around[-1]:
            around = [around[0], *around[:0:-1]]
        return cls("cycle", tuple(around), 1, len(tokens) // 2)

    @classmethod
    def clique(cls, tokens: Sequence[int], r: int) -> Inequality:
        """Makes the inequality of a clique that is tight where r or r + 1 tokens are chosen."""
        n, rest = len(tokens), len(tokens) - r
        coef = rest - 1
        rhs = n * (n - 1) // 2 - rest * (rest - 1) // 2 - coef * r
        return cls("clique", tuple(sorted(tokens)), coef, rhs)

    @cached_property
    def pairs(self) -> list[int]:
        """The pairs, as `pair_key` names them."""
        t = self.tokens
        if self.kind == "cycle":
            return [pair_key(t[i - 1], t[i]) for i in range(len(t))]
        return [pair_key(a, b) for i, a in enumerate(t) for b in t[i + 1 :]]
