"""Finds cuts that a point of the relaxation violates, and chooses the most useful ones."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from ...kernels.bounds._separation import ONE, cliques, demands, odd_cycles, triangles
from ...runtime.arrays import Int64
from ..rows.cuts import Inequality, Pair
from .part_ascent import PartAscent

_SMALLEST_FLOW = 1e-3
_VIOLATED = 1e-3  # smallest violation of a cut
_WORTH = 0.002  # smallest savings of a pair, as a part of the k-th largest reward
_CUTS_AN_EDGE = 3  # cuts of one edge in one round
_SEEDS = 20_000  # triangles that are extended to cliques
_CUTS = 1000  # cuts in one round


class Edge(NamedTuple):
    """Two tokens whose flows overlap, their slack, and the count of the words that use them."""

    tokens: Pair
    slack: int
    weight: float


class _ConflictGraph:
    """The tokens whose flows overlap, in the form of `kernels.bounds._separation`.

    Tokens with a single edge lie on no cycle, and are left out.
    """

    def __init__(self, edges: list[Edge]) -> None:
        tail, head = np.array([edge.tokens for edge in edges], np.int64).reshape(-1, 2).T
        number = np.arange(len(edges))
        n_edges = -1
        while n_edges != len(number):
            n_edges = len(number)
            degree = np.bincount(np.concatenate([tail, head]))
            kept = (degree[tail] > 1) & (degree[head] > 1)
            number, tail, head = number[kept], tail[kept], head[kept]
        self.tokens, ends = np.unique(np.concatenate([tail, head]), return_inverse=True)
        tail, head = np.concatenate([ends, np.roll(ends, len(number))]).reshape(2, -1)
        number = np.concatenate([number, number])
        order = np.lexsort((head, tail))
        tail, head, number = tail[order], head[order], number[order]
        self.edge = dict(
            zip(zip(tail.tolist(), head.tolist(), strict=True), number.tolist(), strict=True)
        )
        first = np.searchsorted(tail, np.arange(len(self.tokens) + 1)).astype(np.int64)
        slack = np.array([edge.slack for edge in edges], np.int64)[number]
        self.rows = first, head.astype(np.int32), slack


def separate(ascent: PartAscent) -> list[Inequality]:
    """Returns cuts that the last step's point violates, the most useful first.

    At most 1,000, and at most three of any one edge.  It finds all triangles, for each token the
    odd cycle through it with the least slack, and cliques that contain a triangle.  They are ranked
    by the violation times the weight of the lightest edge: an upper bound on the savings in the
    words that use all its tokens.  The violation alone is a poor rank.
    """
    edges, x = edges_of_pairs(ascent)
    graph = _ConflictGraph(edges)
    n = len(graph.tokens)
    if not n:
        return []
    active = ascent.active[graph.tokens].tolist()
    use: dict[Inequality, float] = {}

    def offer(cut: Inequality, nodes: list[int], violation: float) -> None:
        if violation > _VIOLATED:
            pairs = (
                combinations(nodes, 2) if cut.r else zip([nodes[-1], *nodes], nodes, strict=False)
            )
            use[cut] = violation * min(edges[graph.edge[pair]].weight for pair in pairs)

    three = triangles(*graph.rows)
    for *nodes, violation in three.tolist():
        offer(Inequality.cycle([active[i] for i in nodes]), nodes, violation / ONE)
    for nodes in odd_cycles(*graph.rows, n):
        around = zip([nodes[-1], *nodes], nodes, strict=False)
        slack = sum(edges[graph.edge[pair]].slack for pair in around)
        offer(Inequality.cycle([active[i] for i in nodes]), nodes, 0.5 - slack / ONE)
    for size, r, violation, *nodes in cliques(
        *graph.rows, x[graph.tokens], three[:_SEEDS]
    ).tolist():
        cut = Inequality.clique([active[i] for i in nodes[:size]], r)
        offer(cut, nodes[:size], violation / ONE)
    cuts_of: dict[int, int] = {}
    chosen = []
    for cut in sorted(use, key=lambda cut: (-use[cut], cut.r > 0, cut.tokens, cut.r)):
        if all(cuts_of.get(name, 0) < _CUTS_AN_EDGE for name in cut.named):
            chosen.append(cut)
            for name in cut.named:
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
