"""Edges and cuts: of two tokens that overlap only one is used; odd cycles and cliques of edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from ...corpus.symbols import Token
from ...kernels.bounds._parts import pair_rows
from ...problem.certificates.cuts import Cut
from ...runtime.arrays import Int64
from ..counting.payers import Payments
from ..counting.price_counter import PriceCounter
from .family import Family, Given, Multipliers, OverFlows, Term
from .links import link_payers, rows_of_links
from .rows import ArcRows, Arcs, Rows, sums

_MOST = (1 << 63) - 1  # largest multiplier in a certificate

Pair: TypeAlias = tuple[int, int]
"""The numbers of two candidates: of an edge ascending, of a link the first one first."""


def edge_key(pair: Pair) -> int:
    """Returns the name of an edge."""
    return pair[0] << 32 | pair[1]


def link_key(pair: Pair) -> int:
    """Returns the name of a link; it is below 0."""
    return -1 - edge_key(pair)


@dataclass(frozen=True)
class Inequality:
    """An inequality Σ y over edges + Σ w over links ≤ coef · Σ x + rhs; see `Cut`.

    y of an edge is 1 if one of its candidates is chosen, w of a link if both are.
    """

    # A cycle begins with its smallest candidate and continues to the smaller neighbor of that; a
    # clique is sorted.  So equal inequalities are equal objects.
    tokens: tuple[int, ...]
    r: int = 0
    links: tuple[int, ...] = ()

    @classmethod
    def cycle(cls, tokens: Sequence[int], links: Sequence[Pair | None] = ()) -> Inequality:
        """Makes the inequality of a cycle.

        For each token, `links` has its link with the next token, or None for an edge.
        """
        at, joined = tokens.index(min(tokens)), list(links or [None] * len(tokens))
        around, joined = [*tokens[at:], *tokens[:at]], [*joined[at:], *joined[:at]]
        back = [around[0], *around[:0:-1]], joined[::-1]
        around, joined = min(
            (around, joined), back, key=lambda way: (way[0], [link or (-1, -1) for link in way[1]])
        )
        numbers = [n if link[0] == around[n] else -1 - n for n, link in enumerate(joined) if link]
        return cls(tuple(around), 0, tuple(numbers))

    @classmethod
    def clique(cls, tokens: Sequence[int], r: int) -> Inequality:
        """Makes the inequality of a clique that is tight if r or r + 1 tokens are chosen."""
        return cls(tuple(sorted(tokens)), r)

    def cut(self, token: Mapping[int, Token], multiplier: int) -> Cut:
        """Returns the cut of a certificate."""
        return Cut(tuple(token[t] for t in self.tokens), multiplier, self.r, self.links)

    @cached_property
    def form(self) -> Cut:
        """The same over the candidates' numbers, which has its coefficients and its pairs."""
        return self.cut({t: (t,) for t in self.tokens}, 0)

    @cached_property
    def named(self) -> dict[int, Pair]:
        """The candidates of each edge and link, by its name."""
        pairs: list[Any] = [*self.form.edges, *self.form.linked]
        found = [(one, other) for (one,), (other,) in pairs]
        n_edges = len(found) - len(self.links)
        named = {edge_key(pair): pair for pair in found[:n_edges]}
        return named | {link_key(pair): pair for pair in found[n_edges:]}

    @cached_property
    def _hash(self) -> int:
        return hash((self.tokens, self.r, self.links))

    def __hash__(self) -> int:
        return self._hash


class Cuts(Family):
    """The rows of some inequalities, and a variable y with rows over flows for each of their edges.

    y of an edge is 1 if one of its tokens is chosen.  Since only one token lies over a position,
    rows over flows keep the sum of the flows of the edge's tokens over it at most y.  An inequality
    keeps the sum of the y at most what x allows.
    """

    def __init__(
        self,
        cuts: Sequence[Inequality] = (),
        pairs: Mapping[int, Pair] | None = None,
        bridges: Mapping[int, tuple[int, ...]] | None = None,
    ) -> None:
        self.cuts = list(cuts)
        # edges and links by name; those with multipliers may be in no cut
        self.pairs = dict(pairs or {})
        self.bridges = dict(bridges or {})  # the candidates that bridge each link
        for cut in cuts:
            self.pairs.update(cut.named)
        self.names = sorted(self.pairs)

    def rows(self, arcs: Arcs) -> Rows:
        """Returns the rows for an active set that contains all their tokens."""
        if not self.cuts:
            return Rows()
        n, m = len(arcs.active), len(self.cuts)
        local = arcs.local
        pairs = np.array([self.pairs[name] for name in self.names], np.int64).reshape(-1, 2)
        n_links = sum(name < 0 for name in self.names)
        linking, self.bridges = rows_of_links(arcs, pairs[:n_links])
        over_flows = rows_of_edges(arcs, pairs[n_links:])
        over_flows = replace(over_flows, target=over_flows.target + np.int32(n_links))
        if len(linking):
            over_flows = ArcRows.joined([linking, over_flows]).by_place()
        weight = sums(over_flows.target - n, arcs.count_at(over_flows.place), len(pairs))
        number = {name: i for i, name in enumerate(self.names)}
        n_pairs = np.array([len(cut.named) for cut in self.cuts])
        n_tokens = np.array([len(cut.tokens) for cut in self.cuts])
        pair = np.array([number[name] for cut in self.cuts for name in cut.named], np.int64)
        token = local[[t for cut in self.cuts for t in cut.tokens]]
        cut_of_pair = np.repeat(np.arange(m), n_pairs)
        cut_of_token = np.repeat(np.arange(m), n_tokens)
        coef = np.array([float(cut.form.coef) for cut in self.cuts])
        # a cut is scaled like the rows of its pairs, which are shared among the cuts of a pair
        share = weight / np.bincount(pair, minlength=len(pairs))
        ends = arcs.x[local[pairs]]
        # the variable of a link is 1 less whether both of its tokens are chosen
        first = np.minimum(ends.sum(axis=1), 1.0)
        first[:n_links] = 1 - ends[:n_links].min(axis=1, initial=1.0)
        of_link = pair < n_links
        links_of = np.bincount(cut_of_pair[of_link], minlength=m)
        scale = sums(cut_of_pair, share[pair], m) / n_pairs
        scale[scale == 0] = 1.0  # tokens of a cut in a start's certificate may overlap nowhere
        return Rows(
            self.cuts,
            self.names,
            first,
            np.concatenate([cut_of_pair, cut_of_token]),
            np.concatenate([n + pair, token]),
            np.concatenate([np.where(of_link, -1.0, 1.0), -coef[cut_of_token]]),
            np.array([float(cut.form.rhs) for cut in self.cuts]) - links_of,
            scale,
            over_flows,
        )

    def term(self, counter: PriceCounter, multipliers: Multipliers, over: OverFlows) -> Term:
        """Returns the edges, and the cuts with a positive multiplier."""
        return Term(self, {cut: m for cut in self.cuts if (m := multipliers[cut]) > 0}, over)

    def gives(self, counter: PriceCounter, term: Term) -> Given:
        """Returns what cuts give to tokens; the loss is right-hand sides and what no cut covers."""
        beyond = dict(zip(term.over.names.tolist(), term.over.sums(counter), strict=True))
        given = Given()
        given.loss += sum(total for name, total in beyond.items() if name < 0)
        for cut, m in term.multipliers.items():
            for name in cut.named:
                beyond[name] = beyond.get(name, 0) - m
            for token in cut.tokens:
                given.tokens[token] += m * cut.form.coef
            given.loss += m * cut.form.rhs
        given.loss += sum(max(0, value) for value in beyond.values())
        return given

    def payments(self, counter: PriceCounter, over: OverFlows) -> Payments:
        """Returns the payments; the list of a token has the multipliers of all its edges."""
        owner, at = self._payers(over)
        own = owner, over.position[at], over.multiplier[at]
        linked = link_payers(counter, self.pairs, self.bridges, over)
        owner, position, multiplier = map(np.concatenate, zip(own, linked, strict=True))
        tokens = np.unique(owner)
        return Payments(owner, position, multiplier, tokens, tokens)

    def _payers(self, over: OverFlows) -> tuple[Int64, Int64]:
        """Returns the tokens that pay, and the index of the edge whose multipliers each pays."""
        # what tokens pay for links has positions of its own
        at = np.flatnonzero(over.names[over.which] >= 0)
        key = over.names[over.which[at]]
        owner = np.concatenate([key >> 32, key & 0xFFFFFFFF])
        return owner, np.concatenate([at, at])

    def pay_as_words(self, over: OverFlows, number: Int64, offsets: Int64, paid: Int64) -> None:
        """Adds to `paid` what each word pays as a token where it is the whole word.

        `number` is that of each word as a candidate, −1 if it is none; words begin at `offsets`.
        """
        owner, at = self._payers(over)
        word = np.searchsorted(offsets, over.position[at], "right") - 1
        own = number[word] == owner
        np.add.at(paid, word[own], over.multiplier[at[own]])

    def in_leaf(self, counter: PriceCounter, term: Term) -> dict[str, Any]:
        """Returns the edges and cuts; a cut with a large multiplier is listed several times."""
        over = term.over
        names = over.names.tolist()
        pairs = [self.pairs[name] + self.bridges.get(name, ()) for name in names]
        parts = (*pairs, *(cut.tokens for cut in term.multipliers))
        numbers = sorted({t for part in parts for t in part})
        token: dict[int, Any] = dict(
            zip(numbers, counter.tokens(np.array(numbers, np.int64)), strict=True)
        )
        cuts = tuple(
            cut.cut(token, min(_MOST, left))
            for cut, m in term.multipliers.items()
            for left in range(m, 0, -_MOST)
        )
        named = [tuple(token[t] for t in pair) for pair in pairs]
        n_links = int(np.searchsorted(over.names, 0))
        owners = named[:n_links] + [tuple(sorted(edge)) for edge in named[n_links:]]
        priced = over.pairs(owners, counter)
        return {"pairs": priced[n_links:], "links": priced[:n_links], "cuts": cuts}


def rows_of_edges(arcs: Arcs, edges: Int64) -> ArcRows:
    """Returns the largest sets of arcs over one place that have both tokens of an edge.

    The tokens are active and the edges in the order of their names; shape (edges, 2).  The column
    of a row is that of its edge, after the x of the active set.
    """
    n = len(arcs.active)
    a, b = arcs.local[edges].T
    token, partner = np.concatenate([a, b]), np.concatenate([b, a])
    order = np.lexsort((partner, token))
    first = np.searchsorted(token[order], np.arange(n + 1)).astype(np.int64)
    number = (order % max(len(edges), 1)).astype(np.int32)
    arrays = arcs.offsets, arcs.which, arcs.start, arcs.end
    rows, row_first, row_arcs = pair_rows(*arrays, first, partner[order].astype(np.int32), number)
    target = (n + rows[:, 0]).astype(np.int32)
    names = edges[:, 0] << 32 | edges[:, 1]
    return ArcRows(names[rows[:, 0]], rows[:, 1].copy(), target, row_first, row_arcs)
