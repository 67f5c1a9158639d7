"""Small graphs, and their vertex covers by trying everything."""

from __future__ import annotations

from itertools import combinations

import pytest

nx = pytest.importorskip("networkx")

FIGURE_1 = nx.Graph([(1, 2), (2, 3), (2, 4), (3, 4), (4, 5)])


def is_cover(graph, vertices) -> bool:
    return all(u in vertices or v in vertices for u, v in graph.edges)


def least_cover(graph) -> int:
    return next(
        size
        for size in range(len(graph) + 1)
        if any(is_cover(graph, c) for c in combinations(graph.nodes, size))
    )


def small_graphs(vertices):
    """Every graph of up to so many vertices that has an edge."""
    return [g for g in nx.graph_atlas_g() if g.number_of_edges() and len(g) <= vertices]
