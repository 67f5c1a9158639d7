"""Vertex cover to tokenization, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .corpus import WordCounts
from .errors import InputError
from .graphs import check_graph
from .instance import Instance
from .symbols import Token, show
from .verify import verify
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Lift", "VertexCoverReduction", "reduce_vertex_cover"]


@dataclass(frozen=True)
class Lift:
    """What a vocabulary says about the graph.

    Attributes
    ----------
    vertices : tuple
        The vertices whose token @V@ is in the vocabulary.
    size : int
        How many they are.
    is_vertex_cover : bool
        Does every edge have an end among them?  Checked on the graph itself.
    meets_threshold : bool
        Does the vocabulary need at most 3 tokens an edge?
    """

    vertices: tuple[Any, ...]
    size: int
    is_vertex_cover: bool
    meets_threshold: bool


@dataclass(frozen=True, eq=False)
class VertexCoverReduction:
    """A graph, and the tokenization instance that asks for its vertex cover.

    Attributes
    ----------
    graph : networkx.Graph
        The simple graph.
    instance : Instance
        Over integers: 0 is the symbol @, vertex i of ``graph.nodes`` is i + 1.  Its
        ``threshold`` is ℓ = 3·(edges).
    """

    graph: nx.Graph
    instance: Instance

    def lift(self, vocabulary: Vocabulary) -> Lift:
        """Turn a vocabulary into vertices, and check what they are.

        Raises
        ------
        InputError
            If a token is not a candidate @V@ of this instance.
        """
        if vocabulary.symbols != "ints":
            raise InputError(f"the vocabulary is over {vocabulary.symbols}, the instance over ints")
        names = list(self.graph.nodes)
        chosen = set()
        for token in vocabulary:
            if not self._is_vertex_token(token):
                raise InputError(f"token {show(token)!r} is not a candidate @V@ of the instance")
            chosen.add(names[int(token[1]) - 1])
        return Lift(
            vertices=tuple(name for name in names if name in chosen),
            size=len(chosen),
            is_vertex_cover=all(u in chosen or v in chosen for u, v in self.graph.edges),
            meets_threshold=bool(verify(self.instance, vocabulary).meets_threshold),
        )

    def _is_vertex_token(self, token: Token) -> bool:
        return (
            len(token) == 3
            and token[0] == token[2] == 0
            and 1 <= int(token[1]) <= self.graph.number_of_nodes()
        )

    @classmethod
    def from_instance(cls, instance: Instance) -> VertexCoverReduction:
        """Rebuild the reduction from an instance that `reduce_vertex_cover` made.

        Raises
        ------
        InputError
            If the instance says nothing of a graph, or its words are not those of the graph.
        """
        import networkx as nx

        source = instance.source
        if source.get("reduction") != "vertex-cover":
            raise InputError("the instance was not made by reduce: its source names no graph")
        graph = nx.Graph()
        try:
            names = source["vertices"]
            graph.add_nodes_from(names)
            graph.add_edges_from((names[a], names[b]) for a, b in source["edges"])
        except (KeyError, IndexError, TypeError, ValueError):
            raise InputError("the graph in the instance's source is broken") from None
        again = reduce_vertex_cover(graph, instance.k)
        if again.instance.words.to_dict() != instance.words.to_dict():
            raise InputError("the words of the instance are not those of its graph")
        return cls(graph, instance)


def reduce_vertex_cover(graph: Any, k: int) -> VertexCoverReduction:
    """The instance whose threshold is met by k tokens exactly if k vertices cover the graph.

    Each edge (i, j) is a word @V_i@V_j@ with count 1; each vertex a candidate @V_i@; ℓ = 3|E|.

    Parameters
    ----------
    graph : networkx graph
        Undirected is meant: directions, weights and parallel edges are dropped.
    k : int
        Size of the vertex cover asked for.

    Returns
    -------
    VertexCoverReduction
        The instance and the way back.

    Raises
    ------
    InputError
        For a self-loop, a graph without edges, or a negative k.

    Notes
    -----
    Why it holds (Lim, Choo and Lauw 2025, Theorem 1): a word has five symbols and needs 5 tokens
    without a candidate, 3 with @V_i@ or @V_j@, and still 3 with both, since they overlap in the
    middle @.  So |E| words need at most 3|E| tokens exactly if every edge has a chosen end.
    """
    simple = check_graph(graph)
    number = {vertex: index + 1 for index, vertex in enumerate(simple.nodes)}
    edges = sorted(tuple(sorted((number[u], number[v]))) for u, v in simple.edges)
    words = WordCounts.from_counts([((0, i, 0, j, 0), 1) for i, j in edges], "ints")
    instance = Instance(
        words,
        k,
        candidates=tuple((0, index, 0) for index in number.values()),
        threshold=3 * len(edges),
        source={
            "reduction": "vertex-cover",
            "vertices": [v if isinstance(v, int | str) else str(v) for v in simple.nodes],
            "edges": [[i - 1, j - 1] for i, j in edges],
        },
    )
    return VertexCoverReduction(simple, instance)
