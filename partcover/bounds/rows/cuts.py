"""Pairs and cuts: where two tokens overlap one of them is used; odd cycles and cliques of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...kernels._parts import pair_rows
from ...problem.certificates.cuts import CutKind
from ...runtime.arrays import Int64
from .family import Family
from .rows import ArcRows, Arcs, Rows, sums

__all__ = ["Cuts", "Inequality", "pair_key"]


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


class Cuts(Family):
    """Rows of some inequalities, and for each of their pairs a y with rows over flows.

    y of a pair is 1 if one of its tokens is chosen.  Rows keep the flows of both tokens over a
    position below y, as one piece lies there; an inequality keeps the sum of y below what x
    allows.  The rows over flows push y up, the inequalities hold it down, and x pays for it.

    Parameters
    ----------
    cuts : sequence of Inequality
        The inequalities, over active candidates.
    """

    def __init__(self, cuts: Sequence[Inequality] = ()) -> None:
        self.cuts = list(cuts)
        self.pairs = np.array(sorted({pair for cut in cuts for pair in cut.pairs}), np.int64)

    def rows(self, arcs: Arcs) -> Rows:
        """Returns the rows for an active set that has all their tokens."""
        if not self.cuts:
            return Rows()
        pairs, n, m = self.pairs, len(arcs.active), len(self.cuts)
        local = np.full(int(arcs.active.max(initial=0)) + 1, -1, np.int64)
        local[arcs.active] = np.arange(n)
        over_flows = self._over_flows(arcs, local)
        weight = sums(over_flows.target - n, arcs.count_at(over_flows.place), len(pairs))
        number = {pair: i for i, pair in enumerate(pairs.tolist())}
        n_pairs = np.array([len(cut.pairs) for cut in self.cuts])
        n_tokens = np.array([len(cut.tokens) for cut in self.cuts])
        pair = np.array([number[key] for cut in self.cuts for key in cut.pairs], np.int64)
        token = local[[t for cut in self.cuts for t in cut.tokens]]
        cut_of_pair, cut_of_token = (
            np.repeat(np.arange(m), n_pairs),
            np.repeat(np.arange(m), n_tokens),
        )
        coef = np.array([float(cut.coef) for cut in self.cuts])
        # a cut weighs what the rows of its pairs do, shared among the cuts of a pair
        share = weight / np.bincount(pair, minlength=len(pairs))
        either = arcs.x[local[pairs >> 32]] + arcs.x[local[pairs & 0xFFFFFFFF]]
        return Rows(
            self.cuts,
            pairs.tolist(),
            np.minimum(either, 1),
            np.concatenate([cut_of_pair, cut_of_token]),
            np.concatenate([n + pair, token]),
            np.concatenate([np.ones(len(pair)), -coef[cut_of_token]]),
            np.array([float(cut.rhs) for cut in self.cuts]),
            sums(cut_of_pair, share[pair], m) / n_pairs,
            over_flows,
        )

    def _over_flows(self, arcs: Arcs, local: Int64) -> ArcRows:
        """Returns the rows over flows: the largest sets of arcs of both tokens over one place."""
        pairs, n = self.pairs, len(arcs.active)
        a, b = local[pairs >> 32], local[pairs & 0xFFFFFFFF]
        token, partner = np.concatenate([a, b]), np.concatenate([b, a])
        order = np.lexsort((partner, token))
        first = np.searchsorted(token[order], np.arange(n + 1)).astype(np.int64)
        number = (order % len(pairs)).astype(np.int32)
        arrays = arcs.offsets, arcs.which, arcs.start, arcs.end
        partners = partner[order].astype(np.int32)
        rows, row_first, row_arcs = pair_rows(*arrays, first, partners, number)
        target = (n + rows[:, 0]).astype(np.int32)
        return ArcRows(pairs[rows[:, 0]], rows[:, 1].copy(), target, row_first, row_arcs)
