"""Finds odd cycles with links that a point of the relaxation violates."""

from __future__ import annotations

import heapq
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from ..rows.cuts import Inequality
from .part_ascent import PartAscent
from .separation import ONE, edges_of_pairs

__all__ = ["separate_links"]

_SMALLEST_FLOW = 1e-3
_VIOLATED = 1e-3  # smallest violation of a cut
_DEMAND = 0.01  # flow by which a link must exceed what x allows without it
_WORTH = 0.002  # smallest savings of a link, as a part of the k-th largest reward
_CUTS = 300  # cuts in one round


class _Step(NamedTuple):
    """An edge or a link of the graph, from one token to another."""

    token: int
    slack: float
    is_edge: int
    weight: float
    link: tuple[int, int] | None


_Graph = dict[int, list[_Step]]


def separate_links(ascent: PartAscent) -> list[Inequality]:
    """Returns odd cycles with links that the last step's point violates, the most useful first.

    A link asks for both of its tokens, an edge for one of two.  Around a cycle with an odd number of
    edges, the tokens cannot meet all of this, so the slacks sum to at least a half.  For each token,
    it finds the odd cycle through it with the least slack.
    """
    graph = _graph(ascent)
    active = ascent.active.tolist()
    found: dict[Inequality, float] = {}
    for root in sorted(graph):
        cycle = _odd_cycle(graph, root)
        if not any(step.link for _, step in cycle):
            continue
        violation = 0.5 - sum(step.slack for _, step in cycle)
        names = [tuple(sorted((node, step.token))) for node, step in cycle if step.is_edge]
        links = [step.link for _, step in cycle if step.link]
        if violation <= _VIOLATED or len(set(names)) < len(names) or len(set(links)) < len(links):
            continue
        cut = Inequality.signed(
            [(active[node],) for node, _ in cycle],
            [
                None if step.link is None else (active[step.link[0]], active[step.link[1]])
                for _, step in cycle
            ],
        )
        found[cut] = max(found.get(cut, 0.0), violation * min(step.weight for _, step in cycle))
    known = set(ascent.cuts)
    best = sorted(found, key=lambda cut: (-found[cut], cut.nodes, cut.links))
    return [cut for cut in best if cut not in known][:_CUTS]


def _graph(ascent: PartAscent) -> _Graph:
    """Returns the edges and links that may be on a violated cycle."""
    graph: _Graph = defaultdict(list)
    edges, _ = edges_of_pairs(ascent)
    for tokens, slack, weight in edges:
        one, other = tokens
        for node, to in ((one, other), (other, one)):
            graph[node].append(_Step(to, slack / ONE, 1, weight, None))
    x = np.clip(ascent.x_made, 0, 1).tolist()
    for (one, other), (demand, weight) in _demands(ascent, x).items():
        slack = max((x[one] + x[other]) / 2 - min(demand, 1.0), 0.0)
        if slack < 0.5 and weight > _WORTH * ascent.fee:
            for node, to in ((one, other), (other, one)):
                graph[node].append(_Step(to, slack, 0, weight, (one, other)))
    return graph


def _demands(ascent: PartAscent, x: list[float]) -> dict[tuple[int, int], tuple[float, float]]:
    """Returns how much of both tokens words use, at most, and the count of such words.

    The keys are the first and the second token of each link.
    """
    parts, flow = ascent.parts, ascent.saddle.flow
    live = np.flatnonzero(flow > _SMALLEST_FLOW)
    part = np.searchsorted(parts.offsets, parts.start[live], "right") - 1
    bounds = np.searchsorted(part, np.arange(len(parts.counts) + 1))
    which, start, end = (a[live].tolist() for a in (parts.which, parts.start, parts.end))
    flows, counts = flow[live].tolist(), parts.counts.tolist()
    most: dict[tuple[int, int], tuple[float, float]] = {}
    for number in np.flatnonzero(np.diff(bounds) > 2).tolist():
        own = range(int(bounds[number]), int(bounds[number + 1]))
        found: dict[tuple[int, int], float] = {}
        for a in own:
            for c in own:
                if start[c] < end[a] or which[a] == which[c]:
                    continue
                over = sum(flows[b] for b in own if start[b] < end[a] and end[b] > start[c])
                demand = flows[a] + flows[c] + over - 1
                key = which[a], which[c]
                if (
                    over > 0
                    and demand > max(0.0, x[key[0]] + x[key[1]] - 1) + _DEMAND
                    and demand > found.get(key, 0.0)
                ):
                    found[key] = demand
        for key, demand in found.items():
            largest, weight = most.get(key, (0.0, 0.0))
            most[key] = max(largest, demand), weight + counts[number]
    return most


def _odd_cycle(graph: _Graph, root: int) -> list[tuple[int, _Step]]:
    """Returns an odd cycle of a shortest odd closed walk from a token over larger ones.

    Each entry is a token and the step to the next one.  Empty without a walk of slack below a half.
    """
    least = {(root, 0): 0.0}
    back: dict[tuple[int, int], tuple[int, int, _Step]] = {}
    heap = [(0.0, root, 0)]
    while heap:
        slack, node, parity = heapq.heappop(heap)
        if slack > least[node, parity]:
            continue
        if (node, parity) == (root, 1):
            break
        for step in graph[node]:
            to = step.token, parity ^ step.is_edge
            if step.token >= root and slack + step.slack < least.get(to, 0.5):
                least[to] = slack + step.slack
                back[to] = node, parity, step
                heapq.heappush(heap, (least[to], *to))
    walk: list[tuple[int, _Step]] = []
    state = root, 1
    while state in back and state != (root, 0):
        node, parity, step = back[state]
        walk.append((node, step))
        state = node, parity
    return _simple(walk[::-1])


def _simple(walk: list[tuple[int, _Step]]) -> list[tuple[int, _Step]]:
    """Returns an odd cycle of a closed walk that visits no token twice."""
    path: list[tuple[int, _Step]] = []
    for node, step in walk:
        path.append((node, step))
        nodes = [own for own, _ in path]
        if step.token in nodes:
            at = nodes.index(step.token)
            if sum(each.is_edge for _, each in path[at:]) % 2:
                return path[at:]
            del path[at:]
    return []
