"""Finds cuts that a point of the relaxation violates, and chooses the most useful ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ...kernels.bounds._separation import ONE, cliques, demands, odd_cycles, set_demands, triangles
from ...runtime.arrays import Int64
from ..rows.cuts import Group, Inequality
from .part_ascent import PartAscent

_SMALLEST_FLOW = 1e-3
_VIOLATED = 1e-3  # smallest violation of a cut
_WORTH = 0.002  # smallest savings of a pair, as a part of the k-th largest reward
_CUTS_AN_EDGE = 3  # cuts of one edge in one round
_SEEDS = 20_000  # triangles that are extended to cliques
_CUTS = 1000  # cuts in one round
_KEY_BITS = 21  # bits of a token in the key of a group of up to three
_FEW = 100  # with fewer new cuts over single tokens, groups of tokens are tried too


class Edge(NamedTuple):
    """A set of tokens whose flows overlap, its slack, and the count of the words that use them."""

    tokens: Group
    slack: int
    weight: float


class _ConflictGraph:
    """The sets of tokens whose flows overlap, in the form of `kernels.bounds._separation`.

    A node is a group of tokens.  A set is an edge between any two groups whose union it is.
    Groups with a single edge lie on no cycle, and are left out.
    """

    def __init__(self, sets: list[Edge]) -> None:
        number, one, other = _splits([own.tokens for own in sets])
        keys, ends = np.unique(np.concatenate([one, other]), return_inverse=True)
        tail, head = ends.reshape(2, -1)
        n_edges = -1
        while n_edges != len(number):
            n_edges = len(number)
            degree = np.bincount(np.concatenate([tail, head]), minlength=len(keys))
            kept = (degree[tail] > 1) & (degree[head] > 1)
            number, tail, head = number[kept], tail[kept], head[kept]
        # the keys of single tokens are the smallest
        found, ends = np.unique(np.concatenate([tail, head]), return_inverse=True)
        self.groups = _groups(keys[found])
        self.n_single = sum(len(group) == 1 for group in self.groups)
        tail, head = np.concatenate([ends, np.roll(ends, len(number))]).reshape(2, -1)
        number = np.concatenate([number, number])
        order = np.lexsort((head, tail))
        tail, head, number = tail[order], head[order], number[order]
        ends_of = zip(tail.tolist(), head.tolist(), strict=True)
        self.edge = dict(zip(ends_of, number.tolist(), strict=True))
        first = np.searchsorted(tail, np.arange(len(found) + 1)).astype(np.int64)
        self.set_slack = [own.slack for own in sets]
        self.set_weight = [own.weight for own in sets]
        slack = np.array(self.set_slack, np.int64)[number]
        self.rows = first, head.astype(np.int32), slack


def _splits(sets: list[Group]) -> tuple[Int64, Int64, Int64]:
    """Returns each split of each set into two groups: the set's number and the groups' keys.

    A key has some bits for each of up to three tokens, with the last token lowest, so that keys are
    in the order of the groups' sizes, and then of their tokens.  Sets with a token whose number has
    more bits are left out.
    """
    sizes = np.array([len(tokens) for tokens in sets], np.int64)
    parts: list[Int64] = []
    for size in np.unique(sizes).tolist():
        number = np.flatnonzero(sizes == size)
        tokens = np.array([sets[n] for n in number.tolist()], np.int64) + 1
        small = (tokens >> _KEY_BITS == 0).all(axis=1)
        number, tokens = number[small], tokens[small]
        for one in _halves(size):
            other = [n for n in range(size) if n not in one]
            parts.append(np.stack([number, _keys(tokens[:, one]), _keys(tokens[:, other])]))
    number, one_key, other_key = np.concatenate([np.zeros((3, 0), np.int64), *parts], axis=1)
    return number, one_key, other_key


def _halves(size: int) -> Iterator[list[int]]:
    """Yields one part of each split of the numbers below a size into two parts."""
    for n in range(1, size // 2 + 1):
        for one in combinations(range(size), n):
            if 2 * n < size or one[0] == 0:
                yield list(one)


def _keys(tokens: Int64) -> Int64:
    """Returns the keys of groups of equal size, given the numbers of their tokens plus 1."""
    keys = np.zeros(len(tokens), np.int64)
    for column in tokens.T:
        keys = keys << _KEY_BITS | column
    return keys


def _groups(keys: Int64) -> list[Group]:
    """Returns the groups with these keys."""
    below = (1 << _KEY_BITS) - 1
    digits = [(keys >> shift & below).tolist() for shift in (2 * _KEY_BITS, _KEY_BITS, 0)]
    return [tuple(t - 1 for t in group if t) for group in zip(*digits, strict=True)]


def separate(ascent: PartAscent) -> list[Inequality]:
    """Returns cuts that the last step's point violates, the most useful first.

    At most 1,000, and at most three of any one edge.  It finds all triangles, for each token the
    odd cycle through it with the least slack, and cliques that contain a triangle.  They are ranked
    by the violation times the weight of the lightest edge: an upper bound on the savings in the
    words that use all its tokens.  The violation alone is a poor rank.  Nodes of several tokens are
    tried if single ones give few new cuts.
    """
    known = set(ascent.cuts)
    pairs, x = edges_of_pairs(ascent)
    cuts = _violated(ascent, pairs, x)
    if sum(cut not in known for cut in cuts) >= _FEW:
        return cuts
    larger = _larger(ascent, x)
    return _violated(ascent, pairs + larger, x) if larger else cuts


def _violated(ascent: PartAscent, edges: list[Edge], x: Int64) -> list[Inequality]:
    """Returns violated cuts over some edges, the most useful first."""
    graph = _ConflictGraph(edges)
    if not graph.groups:
        return []
    active = ascent.active.tolist()
    names = [tuple(active[t] for t in group) for group in graph.groups]
    use: dict[Inequality, float] = {}
    weight, edge = graph.set_weight, graph.edge

    def offer(kind: str, nodes: list[int], violation: float, r: int = 0) -> None:
        if violation <= _VIOLATED:
            return
        cycle = zip([nodes[-1], *nodes], nodes, strict=False)
        edges = [edge[e] for e in (cycle if kind == "cycle" else combinations(nodes, 2))]
        tokens = [t for i in nodes for t in graph.groups[i]]
        if len(set(tokens)) < len(tokens) or len(set(edges)) < len(edges):
            return  # a smaller cut says the same
        groups = [names[i] for i in nodes]
        cut = Inequality.cycle(groups) if kind == "cycle" else Inequality.clique(groups, r)
        use[cut] = violation * min(weight[e] for e in edges)

    three = triangles(*graph.rows)
    for *nodes, violation in three.tolist():
        offer("cycle", nodes, violation / ONE)
    for nodes in odd_cycles(*graph.rows, graph.n_single):
        slack = sum(graph.set_slack[edge[nodes[i - 1], nodes[i]]] for i in range(len(nodes)))
        offer("cycle", nodes, 0.5 - slack / ONE)
    own = x.tolist()
    total = np.array([sum(own[t] for t in group) for group in graph.groups], np.int64)
    for size, r, violation, *nodes in cliques(*graph.rows, total, three[:_SEEDS]).tolist():
        offer("clique", nodes[:size], violation / ONE, r)
    cuts_of: dict[int, int] = {}
    chosen = []
    for cut in sorted(use, key=lambda cut: (-use[cut], cut.kind, cut.nodes)):
        if all(cuts_of.get(name, 0) < _CUTS_AN_EDGE for name in cut.sets):
            chosen.append(cut)
            for name in cut.sets:
                cuts_of[name] = cuts_of.get(name, 0) + 1
    return chosen[:_CUTS]


def edges_of_pairs(ascent: PartAscent) -> tuple[list[Edge], Int64]:
    """Returns the pairs of tokens that are edges of some violated cut, and x of the tokens."""
    parts, flow = ascent.parts, ascent.saddle.flow
    overlaps = demands(parts.offsets, parts.which, parts.start, parts.end, flow, _SMALLEST_FLOW)
    x = np.rint(np.clip(ascent.x_made, 0, 1) * ONE).astype(np.int64)
    # the words in which the flows of both tokens together exceed the x of either
    key = overlaps[:, 0]
    wanted = overlaps[:, 2] > np.maximum(x[key >> 32], x[key & 0xFFFFFFFF]) + ONE // 100
    overlaps = overlaps[wanted]
    if not len(overlaps):
        return [], x
    # the order within a pair does not matter: the sums are of integers
    order = np.argsort(overlaps[:, 0])
    key, part, flows = overlaps[order].T
    begins = np.concatenate([[True], key[1:] != key[:-1]])
    first, number = np.flatnonzero(begins), np.cumsum(begins) - 1
    pairs = key[first]
    a, b = x[pairs >> 32], x[pairs & 0xFFFFFFFF]
    y = np.minimum(np.maximum.reduceat(flows, first), ONE)
    # flows slightly exceed what x allows: a slack is at least 0
    slack = np.maximum(ONE // 2 + (a + b) // 2 - y, 0)
    weight = np.bincount(number, parts.counts[part], len(pairs))
    useful = (slack < ONE // 2) & (weight > _WORTH * ascent.fee)
    ends = (pairs[useful] >> 32).tolist(), (pairs[useful] & 0xFFFFFFFF).tolist()
    own = slack[useful].tolist(), weight[useful].tolist()
    return list(map(Edge, zip(*ends, strict=True), *own)), x


def _larger(ascent: PartAscent, x: Int64) -> list[Edge]:
    """Returns the sets of three and four tokens that are edges of some violated cut."""
    parts = ascent.parts
    arrays = parts.offsets, parts.which, parts.start, parts.end, ascent.saddle.flow
    counts = parts.counts.tolist()
    found: dict[Group, tuple[int, float]] = {}
    for part, most, *tokens in set_demands(*arrays, x, _SMALLEST_FLOW).tolist():
        own = tuple(token for token in tokens if token >= 0)
        largest, weight = found.get(own, (0, 0.0))
        found[own] = max(largest, most), weight + counts[part]
    each, edges = x.tolist(), []
    for own, (most, weight) in found.items():
        slack = max(ONE // 2 + sum(each[t] for t in own) // 2 - min(most, ONE), 0)
        if slack < ONE // 2 and weight > _WORTH * ascent.fee:
            edges.append(Edge(own, slack, weight))
    return edges
