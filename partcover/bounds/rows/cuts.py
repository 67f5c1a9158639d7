"""Edges and cuts: of two tokens that overlap only one is used; odd cycles and cliques of edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np

from ...kernels.bounds._parts import pair_rows
from ...problem.certificates.cuts import Cut, CutKind
from ...runtime.arrays import Int32, Int64
from ..counting.payers import Payments
from ..counting.price_counter import PriceCounter
from .family import Family, Given, Multipliers, OverFlows, Term
from .links import LinkPayments, rows_of_links
from .rows import ArcRows, Arcs, Rows, ranges, sums

_MOST = (1 << 63) - 1  # largest multiplier in a certificate
# names of sets of more than two candidates are larger; names of pairs are smaller
_LARGER = 1 << 62

Group: TypeAlias = tuple[int, ...]
"""The numbers of candidates, ascending."""


def set_key(tokens: Group) -> int:
    """Returns the name of a set of candidates; for a pair ``smaller << 32 | larger``."""
    if len(tokens) == 2:
        return tokens[0] << 32 | tokens[1]
    digest = blake2b(np.array(tokens, "<i8").tobytes(), digest_size=8).digest()
    return _LARGER | int.from_bytes(digest, "little") >> 2


def link_key(tokens: Group) -> int:
    """Returns the name of a link of two candidates, the first one first; names are below 0."""
    return -1 - (tokens[0] << 32 | tokens[1])


def _keyed(links: Sequence[tuple[int, int] | None]) -> list[tuple[int, int]]:
    return [(-1, -1) if link is None else link for link in links]


@dataclass(frozen=True)
class Inequality:
    """An inequality Σ y over some edges ≤ coef · Σ x + rhs, which every vocabulary satisfies.

    A node is a set of one or more candidates.  An edge joins two nodes; its y is 1 if one of their
    candidates is chosen.  x is 1 for a chosen candidate.  docs/certificates.md has the proof.
    """

    # which edges the sum has: those between neighbors of a cycle, with or without links, or all
    kind: CutKind
    # nodes, no two of which share a candidate.  A cycle begins with its smallest node and continues
    # to the smaller neighbor of that; a clique is sorted.  So equal inequalities are equal objects.
    nodes: tuple[Group, ...]
    coef: int  # the coefficient and the right-hand side
    rhs: int
    # of a signed cycle, the links, as `Cut.links` has them; their variables are in the sum, too
    links: tuple[int, ...] = ()

    @classmethod
    def signed(cls, nodes: Sequence[Group], links: Sequence[tuple[int, int] | None]) -> Inequality:
        """Makes the inequality of a cycle with links.

        For each node, `links` has the first and the second token of its link with the next node, or
        None for an edge.
        """
        n, at = len(nodes), nodes.index(min(nodes))
        around, joined = [*nodes[at:], *nodes[:at]], [*links[at:], *links[:at]]
        back = [around[0], *around[:0:-1]], joined[::-1]
        around, joined = min((around, joined), back, key=lambda way: (way[0], _keyed(way[1])))
        numbers = [
            number if (link[0],) == around[number] else -1 - number
            for number, link in enumerate(joined)
            if link is not None
        ]
        return cls("signed", tuple(around), 1, (n - len(numbers)) // 2, tuple(numbers))

    @classmethod
    def cycle(cls, nodes: Sequence[Group]) -> Inequality:
        """Makes the inequality of an odd cycle."""
        at = nodes.index(min(nodes))
        around = [*nodes[at:], *nodes[:at]]
        if around[1] > around[-1]:
            around = [around[0], *around[:0:-1]]
        return cls("cycle", tuple(around), 1, len(nodes) // 2)

    @classmethod
    def clique(cls, nodes: Sequence[Group], r: int) -> Inequality:
        """Makes the inequality of a clique that is tight if r or r + 1 nodes are chosen."""
        n, rest = len(nodes), len(nodes) - r
        coef = rest - 1
        rhs = n * (n - 1) // 2 - rest * (rest - 1) // 2 - coef * r
        return cls("clique", tuple(sorted(nodes)), coef, rhs)

    @cached_property
    def tokens(self) -> Group:
        """The candidates of all nodes, ascending."""
        return tuple(token for node in self.nodes for token in node)

    @cached_property
    def edges(self) -> list[Group]:
        """The candidates of each edge."""
        g = self.nodes
        if self.kind == "signed":
            linked = {max(n, -1 - n) for n in self.links}
            around = (*g, g[0])
            joined = [(*around[i], *around[i + 1]) for i in range(len(g)) if i not in linked]
        elif self.kind == "cycle":
            joined = [(*g[i - 1], *g[i]) for i in range(len(g))]
        else:
            joined = [(*a, *b) for i, a in enumerate(g) for b in g[i + 1 :]]
        return [tuple(sorted(edge)) for edge in joined]

    @cached_property
    def linked(self) -> list[Group]:
        """The first and the second candidate of each link."""
        found: list[Group] = []
        for n in self.links:
            at = max(n, -1 - n)
            (one,), (other,) = self.nodes[at], self.nodes[(at + 1) % len(self.nodes)]
            found.append((one, other) if n >= 0 else (other, one))
        return found

    @cached_property
    def sets(self) -> list[int]:
        """The names of the edges, by `set_key`, and of the links, by `link_key`."""
        return [*map(set_key, self.edges), *map(link_key, self.linked)]

    @cached_property
    def named(self) -> dict[int, Group]:
        """The candidates of each edge and link, by its name."""
        return dict(zip(self.sets, [*self.edges, *self.linked], strict=True))

    @cached_property
    def _hash(self) -> int:
        return hash((self.kind, self.nodes, self.coef, self.rhs, self.links))

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
        edges: Mapping[int, Group] | None = None,
        bridges: Mapping[int, Group] | None = None,
    ) -> None:
        # edges, and links, whose names are below 0; those with multipliers may be in no cut
        self.edges = dict(edges or {})
        self.bridges = dict(bridges or {})  # the candidates that bridge each link
        for cut in cuts:
            self.edges.update(cut.named)
        # two sets with the same name almost never occur; then cuts are left out
        self.cuts = [cut for cut in cuts if cut.named.items() <= self.edges.items()]
        if len(self.cuts) < len(cuts):
            self.edges = {name: edge for cut in self.cuts for name, edge in cut.named.items()}
        self.names = sorted(self.edges)

    def rows(self, arcs: Arcs) -> Rows:
        """Returns the rows for an active set that contains all their tokens."""
        if not self.cuts:
            return Rows()
        n, m = len(arcs.active), len(self.cuts)
        local = arcs.local
        edges = [self.edges[name] for name in self.names]
        n_links = sum(name < 0 for name in self.names)
        linking, self.bridges = rows_of_links(arcs, edges[:n_links])
        sets = np.array(self.names[n_links:], np.int64)
        over_flows = rows_of_sets(arcs, sets, edges[n_links:])
        over_flows = replace(over_flows, target=over_flows.target + np.int32(n_links))
        if len(linking):
            over_flows = ArcRows.joined([linking, over_flows]).by_place()
        weight = sums(over_flows.target - n, arcs.count_at(over_flows.place), len(edges))
        number = {name: i for i, name in enumerate(self.names)}
        n_edges = np.array([len(cut.sets) for cut in self.cuts])
        n_tokens = np.array([len(cut.tokens) for cut in self.cuts])
        edge = np.array([number[name] for cut in self.cuts for name in cut.sets], np.int64)
        token = local[[t for cut in self.cuts for t in cut.tokens]]
        cut_of_edge, cut_of_token = (
            np.repeat(np.arange(m), n_edges),
            np.repeat(np.arange(m), n_tokens),
        )
        coef = np.array([float(cut.coef) for cut in self.cuts])
        # a cut is scaled like the rows of its edges, which are shared among the cuts of an edge
        share = weight / np.bincount(edge, minlength=len(edges))
        sizes = [len(tokens) for tokens in edges]
        members = local[[token for tokens in edges for token in tokens]]
        any_of = sums(np.repeat(np.arange(len(edges)), sizes), arcs.x[members], len(edges))
        # the variable of a link is 1 less whether both of its tokens are chosen
        ends = np.array(edges[:n_links], np.int64).reshape(-1, 2)
        any_of[:n_links] = 1 - arcs.x[local[ends]].min(axis=1, initial=1.0)
        of_link = edge < n_links
        links_of = np.bincount(cut_of_edge[of_link], minlength=m)
        return Rows(
            self.cuts,
            self.names,
            np.minimum(any_of, 1.0),
            np.concatenate([cut_of_edge, cut_of_token]),
            np.concatenate([n + edge, token]),
            np.concatenate([np.where(of_link, -1.0, 1.0), -coef[cut_of_token]]),
            np.array([float(cut.rhs) for cut in self.cuts]) - links_of,
            sums(cut_of_edge, share[edge], m) / n_edges,
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
            for name in cut.sets:
                beyond[name] = beyond.get(name, 0) - m
            for token in cut.tokens:
                given.tokens[token] += m * cut.coef
            given.loss += m * cut.rhs
        given.loss += sum(max(0, value) for value in beyond.values())
        return given

    def payments(self, counter: PriceCounter, over: OverFlows) -> Payments:
        """Returns the payments; the list of a token has the multipliers of all its edges."""
        owner, at = self._payers(over)
        position, multiplier = over.position[at], over.multiplier[at]
        links = LinkPayments.of(counter, self.edges, self.bridges, over)
        owner = np.concatenate([owner, links.owner])
        tokens = np.unique(owner)
        position = np.concatenate([position, links.position])
        return Payments(
            owner, position, np.concatenate([multiplier, links.multiplier]), tokens, tokens
        )

    def _payers(self, over: OverFlows) -> tuple[Int64, Int64]:
        """Returns the tokens that pay, and the index of the edge whose multipliers each pays."""
        # what tokens pay for links has positions of its own
        edges = [self.edges[name] if name >= 0 else () for name in over.names.tolist()]
        sizes = np.array([len(edge) for edge in edges], np.int64)
        first = np.cumsum(sizes) - sizes
        listed = np.array([token for edge in edges for token in edge], np.int64)
        which = over.which
        n_payers = sizes[which]
        owner = listed[ranges(first[which], n_payers)]
        return owner, np.repeat(np.arange(len(which)), n_payers)

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
        edges = [
            self.edges[name] + self.bridges.get(name, ()) if name < 0 else self.edges[name]
            for name in over.names.tolist()
        ]
        parts = (*edges, *(cut.tokens for cut in term.multipliers))
        numbers = sorted({t for part in parts for t in part})
        token = dict(zip(numbers, counter.tokens(np.array(numbers, np.int64)), strict=True))
        cuts = tuple(
            Cut(
                tuple(tuple(token[t] for t in node) for node in cut.nodes),
                cut.kind,
                cut.coef,
                cut.rhs,
                min(_MOST, left),
                cut.links,
            )
            for cut, m in term.multipliers.items()
            for left in range(m, 0, -_MOST)
        )
        named = [tuple(token[t] for t in edge) for edge in edges]
        n_links = int(np.searchsorted(over.names, 0))
        owners = named[:n_links] + [tuple(sorted(edge)) for edge in named[n_links:]]
        pairs = over.pairs(owners, counter)
        return {"pairs": pairs[n_links:], "links": pairs[:n_links], "cuts": cuts}


def rows_of_sets(arcs: Arcs, names: Int64, sets: Sequence[Group]) -> ArcRows:
    """Returns the largest sets of arcs over one place that have at least two candidates of a set.

    The names are ascending: pairs come first.  The sets have active candidates, ascending.  The
    column of a row is that of its set, after the x of the active set.
    """
    n = len(arcs.active)
    n_pairs = int(np.searchsorted(names, _LARGER))
    pairs = _rows_of_pairs(arcs, names[:n_pairs])
    if n_pairs == len(names):
        return pairs
    owner, place, first, own = _rows_of_larger(arcs, sets[n_pairs:])
    which = n_pairs + owner
    larger = ArcRows(names[which], place, (n + which).astype(np.int32), first, own)
    return ArcRows.joined([pairs, larger]).by_place()


def _rows_of_larger(arcs: Arcs, sets: Sequence[Group]) -> tuple[Int64, Int64, Int64, Int32]:
    """Returns rows of sets of more than two candidates; see `Arcs.rows_of_groups`."""
    tokens = arcs.local[[token for tokens in sets for token in tokens]]
    owner = np.repeat(np.arange(len(sets)), [len(tokens) for tokens in sets])
    by_token = np.argsort(arcs.which, kind="stable")
    first = np.searchsorted(arcs.which[by_token], np.arange(len(arcs.active) + 1))
    sizes = first[tokens + 1] - first[tokens]
    # the arcs of a set, in the order of the parts
    size = max(len(arcs.which), 1)
    key = np.sort(np.repeat(owner, sizes) * size + by_token[ranges(first[tokens], sizes)])
    return arcs.rows_of_groups(key // size, key % size)


def _rows_of_pairs(arcs: Arcs, pairs: Int64) -> ArcRows:
    """Returns the largest sets of arcs over one place that have both tokens of a pair."""
    n = len(arcs.active)
    a, b = arcs.local[pairs >> 32], arcs.local[pairs & 0xFFFFFFFF]
    token, partner = np.concatenate([a, b]), np.concatenate([b, a])
    order = np.lexsort((partner, token))
    first = np.searchsorted(token[order], np.arange(n + 1)).astype(np.int64)
    number = (order % max(len(pairs), 1)).astype(np.int32)
    arrays = arcs.offsets, arcs.which, arcs.start, arcs.end
    rows, row_first, row_arcs = pair_rows(*arrays, first, partner[order].astype(np.int32), number)
    target = (n + rows[:, 0]).astype(np.int32)
    return ArcRows(pairs[rows[:, 0]], rows[:, 1].copy(), target, row_first, row_arcs)
