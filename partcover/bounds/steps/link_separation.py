"""Finds odd cycles with links that a point of the relaxation violates."""

from __future__ import annotations

import numpy as np

from ...kernels.bounds._links import link_demands
from ...kernels.bounds._separation import ONE, odd_cycles
from ...runtime.arrays import Int64
from ..rows.cuts import Inequality
from .part_ascent import PartAscent
from .separation import Edge, edges_of_pairs

_SMALLEST_FLOW = 1e-3
_VIOLATED = 1e-3  # smallest violation of a cut
_DEMAND = 0.01  # flow by which a link must exceed what x allows without it
_WORTH = 0.002  # smallest savings of a link, as a part of the k-th largest reward
_CUTS = 1000  # cuts in one round


def separate_links(ascent: PartAscent) -> list[Inequality]:
    """Returns odd cycles with links that the last step's point violates, the most useful first.

    A link asks for both of its tokens, an edge for one of two.  Around a cycle with an odd number
    of edges, the tokens cannot meet all of this, so the slacks sum to at least a half.  For each
    token, it finds the odd cycle through it with the least slack.  There a link is two edges, with
    a node of its own between them, so that it does not change whether the number is odd.
    """
    edges, x = edges_of_pairs(ascent)
    links = _links(ascent, x)
    if not links or not edges:
        return []
    n = len(ascent.active)
    middle = n + np.arange(len(links))
    edge, link = (np.array([own.tokens for own in owns], np.int64).T for owns in (edges, links))
    ends = np.concatenate([edge[0], link[0], middle, edge[1], middle, link[1]])
    tail, head = ends, np.roll(ends, len(ends) // 2)
    slack = np.array([*(own.slack for own in (*edges, *links)), *[0] * len(links)], np.int64)
    rank = np.lexsort((head, tail))
    first = np.searchsorted(tail[rank], np.arange(n + len(links) + 1)).astype(np.int64)
    cycles = odd_cycles(first, head[rank].astype(np.int32), np.tile(slack, 2)[rank], n)
    edge_of = {frozenset(own.tokens): own for own in edges}
    active = ascent.active.tolist()
    found: dict[Inequality, float] = {}
    for nodes in cycles:
        around = [way for way in zip(nodes, [*nodes[1:], nodes[0]], strict=True) if way[0] < n]
        if len(around) == len(nodes):
            continue  # without a link
        steps = [links[b - n] if b >= n else edge_of[frozenset((a, b))] for a, b in around]
        violation = 0.5 - sum(step.slack for step in steps) / ONE
        if violation > _VIOLATED:
            pairs = [(active[step.tokens[0]], active[step.tokens[1]]) for step in steps]
            joined = [pair if b >= n else None for pair, (_, b) in zip(pairs, around, strict=True)]
            cut = Inequality.cycle([active[a] for a, _ in around], joined)
            found[cut] = violation * min(step.weight for step in steps)
    known = set(ascent.cuts)
    best = sorted(found, key=lambda cut: (-found[cut], cut.tokens, cut.links))
    return [cut for cut in best if cut not in known][:_CUTS]


def _links(ascent: PartAscent, x: Int64) -> list[Edge]:
    """Returns the links that may be on a violated cycle.

    `x` is that of the active set, in units of 1/`ONE`; a link is its first and its second token.
    """
    parts = ascent.parts
    arrays = parts.offsets, parts.which, parts.start, parts.end, ascent.saddle.flow
    key, part, demand = link_demands(*arrays, x / ONE, _SMALLEST_FLOW, _DEMAND).T
    order = np.lexsort((-demand, part, key))
    key, part, demand = key[order], part[order], demand[order]
    new = np.diff(key, prepend=-1) != 0
    once = new | (np.diff(part, prepend=-1) != 0)  # each part counts once for a link
    begins = np.flatnonzero(new)
    links = np.stack([key[begins] >> 32, key[begins] & 0xFFFFFFFF], axis=1)
    most = np.maximum.reduceat(demand, begins) if len(begins) else demand
    of = np.cumsum(new) - 1
    weight = np.bincount(of[once], parts.counts[part[once]], len(begins))
    slack = np.maximum(x[links].sum(axis=1) // 2 - np.minimum(most, ONE), 0)
    useful = (slack < ONE // 2) & (weight > _WORTH * ascent.fee)
    own = slack[useful].tolist(), weight[useful].tolist()
    return list(map(Edge, map(tuple, links[useful].tolist()), *own))
