"""Finds odd cycles with links that a point of the relaxation violates."""

from __future__ import annotations

import numpy as np

from ...kernels.bounds._links import link_demands
from ...kernels.bounds._separation import ONE, odd_cycles
from ...runtime.arrays import Int64
from ..rows.cuts import Inequality
from .part_ascent import PartAscent
from .separation import edges_of_pairs

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
    links, slack, weight = _links(ascent, x)
    if not len(links) or not edges:
        return []
    n = len(ascent.active)
    middle = n + np.arange(len(links))
    ends = np.array([edge.tokens for edge in edges], np.int64)
    tail = np.concatenate([ends[:, 0], links[:, 0], middle])
    head = np.concatenate([ends[:, 1], middle, links[:, 1]])
    own = np.array([edge.slack for edge in edges], np.int64)
    nothing = np.zeros(len(links), np.int64)
    of_step = np.concatenate([own, slack, nothing])
    rank = np.lexsort((np.concatenate([head, tail]), np.concatenate([tail, head])))
    both = np.concatenate([head, tail])[rank].astype(np.int32)
    first = np.searchsorted(np.concatenate([tail, head])[rank], np.arange(n + len(links) + 1))
    cycles = odd_cycles(first.astype(np.int64), both, np.tile(of_step, 2)[rank], n)
    number = {edge.tokens: i for i, edge in enumerate(edges)}
    active = ascent.active.tolist()
    pairs, of_link, weights = links.tolist(), slack.tolist(), weight.tolist()
    found: dict[Inequality, float] = {}
    for nodes in cycles:
        if nodes[0] >= n:
            nodes = [*nodes[1:], nodes[0]]
        tokens = [node for node in nodes if node < n]
        if len(tokens) == len(nodes):
            continue
        left, lightest = 0, np.inf
        joined: list[tuple[int, int] | None] = []
        for node, after in zip(nodes, [*nodes[1:], nodes[0]], strict=True):
            if node >= n:
                continue
            if after >= n:
                one, other = pairs[after - n]
                joined.append((active[one], active[other]))
                left += of_link[after - n]
                lightest = min(lightest, weights[after - n])
            else:
                edge = edges[number[min(node, after), max(node, after)]]
                joined.append(None)
                left += edge.slack
                lightest = min(lightest, edge.weight)
        violation = 0.5 - left / ONE
        if violation > _VIOLATED:
            cut = Inequality.cycle([active[token] for token in tokens], joined)
            found[cut] = violation * lightest
    known = set(ascent.cuts)
    best = sorted(found, key=lambda cut: (-found[cut], cut.tokens, cut.links))
    return [cut for cut in best if cut not in known][:_CUTS]


def _links(ascent: PartAscent, x: Int64) -> tuple[Int64, Int64, Int64]:
    """Returns the links that may be on a violated cycle, their slacks, and the counts of words.

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
    return links[useful], slack[useful], weight[useful]
