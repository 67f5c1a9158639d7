"""Finds violated cuts at a point of the relaxation, and chooses those that are worth a row."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ...kernels.bounds._separation import ONE, cliques, demands, odd_cycles, triangles
from ...runtime.arrays import Float64, Int64
from ..rows.cuts import Inequality
from .part_ascent import PartAscent

__all__ = ["separate"]

_SMALLEST_FLOW = 1e-3
_VIOLATED = 1e-3  # by so much a cut must be violated
_WORTH = 0.002  # of the k-th largest reward: what a pair must be able to save
_CUTS_A_PAIR = 3  # in one round
_SEEDS = 20_000  # triangles that are grown into cliques
_CUTS = 1000  # in one round


class _ConflictGraph:
    """The pairs of tokens whose flows overlap, as `kernels.bounds._separation` takes them."""

    def __init__(self, pairs: Int64, slack: Int64, weight: Float64) -> None:
        m = len(pairs)
        ends = np.concatenate([pairs >> 32, pairs & 0xFFFFFFFF])
        self.nodes, number = np.unique(ends, return_inverse=True)
        tail, head = number, np.concatenate([number[m:], number[:m]])
        order = np.lexsort((head, tail))
        self.first = np.searchsorted(tail[order], np.arange(len(self.nodes) + 1)).astype(np.int64)
        self.neighbour = head[order].astype(np.int32)
        self.slack = np.concatenate([slack, slack])[order]
        edges = zip(tail.tolist(), head.tolist(), strict=True)
        self.edge = {edge: i % m for i, edge in enumerate(edges)}
        self.pair_slack, self.pair_weight = slack.tolist(), weight.tolist()

    @property
    def rows(self) -> tuple[Int64, np.ndarray, Int64]:
        """The graph's arrays."""
        return self.first, self.neighbour, self.slack


def separate(ascent: PartAscent) -> list[Inequality]:
    """Returns cuts that the last step's point violates, the most useful first.

    All triangles; for each token the odd cycle through it with the least slack; and cliques grown
    from triangles.  They are ranked by violation times the weight of the lightest pair: what the
    words where both tokens are wanted could save at most.  The violation alone says little.

    Parameters
    ----------
    ascent : PartAscent
        The point.

    Returns
    -------
    list of Inequality
        At most 1,000, and at most three of any one pair.
    """
    graph, x = _conflicts(ascent)
    if graph is None:
        return []
    names = ascent.active[graph.nodes].tolist()
    use: dict[Inequality, float] = {}
    weight, edge = graph.pair_weight, graph.edge

    def offer(cut: Inequality, nodes: list[int], violation: float) -> None:
        if violation > _VIOLATED:
            cycle = zip([nodes[-1], *nodes], nodes, strict=False)
            edges = cycle if cut.kind == "cycle" else combinations(nodes, 2)
            use[cut] = violation * min([weight[edge[e]] for e in edges])

    three = triangles(*graph.rows)
    for *nodes, violation in three.tolist():
        offer(Inequality.cycle([names[i] for i in nodes]), nodes, violation / ONE)
    for nodes in odd_cycles(*graph.rows):
        slack = sum(graph.pair_slack[graph.edge[nodes[i - 1], nodes[i]]] for i in range(len(nodes)))
        offer(Inequality.cycle([names[i] for i in nodes]), nodes, 0.5 - slack / ONE)
    for size, r, violation, *nodes in cliques(*graph.rows, x, three[:_SEEDS]).tolist():
        nodes = nodes[:size]
        offer(Inequality.clique([names[i] for i in nodes], r), nodes, violation / ONE)
    cuts_of: dict[int, int] = {}
    chosen = []
    for cut in sorted(use, key=lambda cut: (-use[cut], cut.kind, cut.tokens)):
        if all(cuts_of.get(pair, 0) < _CUTS_A_PAIR for pair in cut.pairs):
            chosen.append(cut)
            for pair in cut.pairs:
                cuts_of[pair] = cuts_of.get(pair, 0) + 1
    return chosen[:_CUTS]


def _conflicts(ascent: PartAscent) -> tuple[_ConflictGraph | None, Int64]:
    """Returns the conflict graph of the pairs that some cut may violate, and x of its nodes."""
    parts, flow = ascent.parts, ascent.saddle.flow
    overlaps = demands(parts.offsets, parts.which, parts.start, parts.end, flow, _SMALLEST_FLOW)
    x = np.rint(np.clip(ascent.x_made, 0, 1) * ONE).astype(np.int64)
    # the words where both tokens are wanted more than either is chosen
    key = overlaps[:, 0]
    wanted = overlaps[:, 2] > np.maximum(x[key >> 32], x[key & 0xFFFFFFFF]) + ONE // 100
    overlaps = overlaps[wanted]
    if not len(overlaps):
        return None, x
    # the order of those of a pair does not matter: sums are of whole counts
    order = np.argsort(overlaps[:, 0])
    key, part, flows = overlaps[order].T
    begins = np.concatenate([[True], key[1:] != key[:-1]])
    first, number = np.flatnonzero(begins), np.cumsum(begins) - 1
    pairs = key[first]
    a, b = x[pairs >> 32], x[pairs & 0xFFFFFFFF]
    y = np.minimum(np.maximum.reduceat(flows, first), ONE)
    # flows are a little above what x allows: no slack is below 0
    slack = np.maximum(ONE // 2 + (a + b) // 2 - y, 0)
    weight = np.bincount(number, parts.counts[part], len(pairs))
    useful = (slack < ONE // 2) & (weight > _WORTH * ascent.fee)
    if not useful.any():
        return None, x
    graph = _ConflictGraph(pairs[useful], slack[useful], weight[useful])
    return graph, x[graph.nodes]
