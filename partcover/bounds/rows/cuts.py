"""Pairs and cuts: where two tokens overlap one of them is used; odd cycles and cliques of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...kernels.bounds._parts import pair_rows
from ...problem.certificates.cuts import Cut, CutKind
from ...runtime.arrays import Int64
from ..counting.payers import Payments
from ..counting.price_counter import PriceCounter
from .family import Family
from .rows import ArcRows, Arcs, Rows, sums
from .terms import Given, LastStep, Names, OverFlows, Term

__all__ = ["CutTerm", "Cuts", "Inequality", "pair_key", "rows_of_pairs"]

_MOST = (1 << 63) - 1  # a multiplier of a certificate


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
        over_flows = rows_of_pairs(arcs, pairs)
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

    def term(self, last: LastStep) -> CutTerm:
        """Returns the pairs and cuts; one gives nothing where a pair of it has no multipliers."""
        priced = set(last.over_flows.names.tolist())
        cuts = {
            cut: last.multipliers[cut]
            for cut in self.cuts
            if last.multipliers[cut] > 0 and priced.issuperset(cut.pairs)
        }
        return CutTerm(last.over_flows, cuts)


def rows_of_pairs(arcs: Arcs, pairs: Int64) -> ArcRows:
    """Returns the largest sets of arcs of both tokens of a pair over one place.

    Parameters
    ----------
    arcs : Arcs
        The arcs.
    pairs : ndarray of int64, shape (pairs,)
        Pairs of active candidates, as `pair_key` names them, ascending.  The column of a row is
        that of its pair behind the x of the active set.
    """
    n = len(arcs.active)
    local = np.full(int(arcs.active.max(initial=0)) + 1, -1, np.int64)
    local[arcs.active] = np.arange(n)
    a, b = local[pairs >> 32], local[pairs & 0xFFFFFFFF]
    token, partner = np.concatenate([a, b]), np.concatenate([b, a])
    order = np.lexsort((partner, token))
    first = np.searchsorted(token[order], np.arange(n + 1)).astype(np.int64)
    number = (order % max(len(pairs), 1)).astype(np.int32)
    arrays = arcs.offsets, arcs.which, arcs.start, arcs.end
    rows, row_first, row_arcs = pair_rows(*arrays, first, partner[order].astype(np.int32), number)
    target = (n + rows[:, 0]).astype(np.int32)
    return ArcRows(pairs[rows[:, 0]], rows[:, 1].copy(), target, row_first, row_arcs)


@dataclass(frozen=True)
class CutTerm(Term):
    """What pairs pay where they overlap, and the cuts over them.

    Attributes
    ----------
    pairs : OverFlows
        What occurrences of two tokens pay, by pair as `pair_key` names it.
    cuts : dict of Inequality to int
        The multipliers of cuts, above 0.
    """

    pairs: OverFlows
    cuts: dict[Inequality, int]

    def finer(self, bits: int) -> CutTerm:
        """The same in units that are smaller by so many binary digits."""
        cuts = {cut: m << bits for cut, m in self.cuts.items()}
        return replace(self, pairs=self.pairs.finer(bits), cuts=cuts)

    def gives(self, counter: PriceCounter) -> Given:
        """Returns what cuts give; lost is what pairs weigh beyond their cuts, and right sides."""
        keys = self.pairs.names.tolist()
        beyond = dict(zip(keys, self.pairs.sums(counter), strict=True))
        given = Given()
        for cut, m in self.cuts.items():
            for pair in cut.pairs:
                beyond[pair] -= m
            for token in cut.tokens:
                given.tokens[token] += m * cut.coef
            given.loss += m * cut.rhs
        given.loss += sum(max(0, value) for value in beyond.values())
        return given

    def payments(self, counter: PriceCounter) -> Payments | None:
        """Returns what is paid, by each token of a pair: a list has those of all its pairs."""
        pairs = self.pairs
        if not len(pairs.position):
            return None
        key = pairs.names[pairs.which]
        owner = np.concatenate([key >> 32, key & 0xFFFFFFFF])
        position = np.concatenate([pairs.position, pairs.position])
        multiplier = np.concatenate([pairs.multiplier, pairs.multiplier])
        tokens = np.unique(owner)
        return Payments(owner, position, multiplier, tokens, tokens)

    def pay_as_words(self, number: Int64, offsets: Int64, paid: Int64) -> None:
        """Adds what each word pays as a token where it is the word.

        Parameters
        ----------
        number : ndarray of int64, shape (words,)
            The number of each word as a candidate; −1 if it is none.
        offsets : ndarray of int64, shape (words + 1,)
            Where words begin.
        paid : ndarray of int64, shape (words,)
            What is added to.
        """
        pairs = self.pairs
        word = np.searchsorted(offsets, pairs.position, "right") - 1
        for token in (pairs.names >> 32, pairs.names & 0xFFFFFFFF):
            own = number[word] == token[pairs.which]
            np.add.at(paid, word[own], pairs.multiplier[own])

    def in_leaf(self, names: Names) -> dict[str, Any]:
        """Returns the pairs and cuts; a cut comes several times where it has many digits."""
        first, second = self.pairs.names >> 32, self.pairs.names & 0xFFFFFFFF
        token = names.tokens(np.concatenate([first, second]))
        cuts = tuple(
            Cut(tuple(token[t] for t in cut.tokens), cut.kind, cut.coef, cut.rhs, min(_MOST, left))
            for cut, m in self.cuts.items()
            for left in range(m, 0, -_MOST)
        )
        return {"pairs": self.pairs.pairs(first, second, names), "cuts": cuts}
