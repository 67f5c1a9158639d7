"""Reduces vertex cover to tokenization, and converts answers back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from ..corpus.symbols import Token, show
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.instance import Instance
from ..runtime.arguments import checked
from ..segmentation.segmentation import segment
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .graphs import check_graph, import_networkx

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True)
class Lift:
    """The vertices that a vocabulary represents.

    Attributes
    ----------
    vertices : tuple
        The vertices whose token is in the vocabulary.
    size : int
        Number of these vertices.
    is_vertex_cover : bool
        Whether every edge has an end among them, checked on the graph itself.
    meets_threshold : bool
        Whether the vocabulary needs at most the instance's threshold of tokens.

    Examples
    --------
    >>> from partcover.hardness.reduction import Lift
    >>> Lift(("a",), 1, is_vertex_cover=True, meets_threshold=True).to_json()
    {'vertices': ['a'], 'size': 1, 'is_vertex_cover': True, 'meets_threshold': True}
    """

    vertices: tuple[Any, ...]
    size: int
    is_vertex_cover: bool
    meets_threshold: bool

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object."""
        return {
            "vertices": list(self.vertices),
            "size": self.size,
            "is_vertex_cover": self.is_vertex_cover,
            "meets_threshold": self.meets_threshold,
        }


@dataclass(frozen=True, eq=False)
class VertexCoverReduction:
    """A graph, and the tokenization instance that asks for its vertex cover.

    Attributes
    ----------
    graph : networkx.Graph
        The simple graph.
    instance : Instance
        The instance, over integers: 0 is the symbol @, and i + 1 is vertex i of ``graph.nodes``.
        Its ``threshold`` is three times the number of edges.

    Examples
    --------
    >>> import networkx as nx
    >>> from partcover import reduce_vertex_cover
    >>> reduction = reduce_vertex_cover(nx.Graph([("a", "b"), ("b", "c")]), k=1)
    >>> reduction.witness(["b"]).tokens, [reduction.symbol(number) for number in range(3)]
    (((0, 2, 0),), ['@', 'a', 'b'])
    """

    name: ClassVar[str] = "vertex-cover"

    graph: nx.Graph
    instance: Instance

    def facts(self) -> dict[str, Any]:
        """Returns the sizes of the graph and of its instance."""
        return {
            "vertices": self.graph.number_of_nodes(),
            "edges": self.graph.number_of_edges(),
            "k": self.instance.k,
            "words": len(self.instance.words),
            "candidates": len(self.instance.candidates or ()),
            "threshold": self.instance.threshold,
        }

    def witness(self, vertices: Iterable[Any]) -> Vocabulary:
        """Returns the tokens @V@ of some vertices, in the given order.

        Raises
        ------
        InputError
            If something is not a vertex of the graph.
        """
        number = {vertex: index + 1 for index, vertex in enumerate(self.graph.nodes)}
        tokens = []
        for vertex in vertices:
            if vertex not in number:
                raise InputError(f"{vertex!r} is not a vertex of the graph")
            tokens.append((0, number[vertex], 0))
        return Vocabulary(tokens, "ints")

    def load_answer(self, path: str | PathLike[str]) -> Vocabulary:
        """Reads a vocabulary file, or the vocabulary of a solution."""
        return Vocabulary.load(path)

    def pieces(self, answer: Vocabulary) -> list[list[Token]]:
        """Segments every word of the instance into the fewest tokens."""
        cut = segment(self.instance.words, answer)
        return [cut.of(index) for index in range(len(self.instance.words))]

    def symbol(self, number: int) -> str:
        """Returns the name of a symbol for messages: @, or the name of a vertex."""
        return "@" if number == 0 else str(list(self.graph.nodes)[number - 1])

    def lift(self, vocabulary: Vocabulary) -> Lift:
        """Turns a vocabulary into vertices, and checks whether they are a vertex cover.

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
        """Rebuilds the reduction from an instance that `reduce_vertex_cover` made.

        Raises
        ------
        InputError
            If its source contains no graph, or it is not the instance of that graph.
        """
        nx = import_networkx()
        source = instance.source
        if source.get("reduction") != cls.name:
            raise InputError(
                "the instance was not made by reduce: its source does not contain a graph"
            )
        graph = nx.Graph()
        try:
            names = source["vertices"]
            graph.add_nodes_from(names)
            graph.add_edges_from((names[a], names[b]) for a, b in source["edges"])
        except (KeyError, IndexError, TypeError, ValueError):
            raise InputError("the graph in the instance's source is not valid") from None
        again = cls.again(graph, instance).instance
        if again.words.to_dict() != instance.words.to_dict():
            raise InputError("the words of the instance are not those of its graph")
        if again.threshold != instance.threshold:
            raise InputError("the threshold of the instance is not that of its graph")
        return cls(graph, instance)

    @classmethod
    def again(cls, graph: Any, instance: Instance) -> VertexCoverReduction:
        """Reduces a graph in the same way as for this instance."""
        return reduce_vertex_cover(graph, instance.k)


@checked
def reduce_vertex_cover(graph: Any, k: int) -> VertexCoverReduction:
    """Makes the instance whose threshold k tokens meet if and only if k vertices cover the graph.

    Each edge (i, j) becomes a word @V_i@V_j@ with count 1, and each vertex a candidate @V_i@.
    The threshold for m edges is ℓ = 3m.

    Parameters
    ----------
    graph : networkx graph
        The graph.  Directions, weights and parallel edges are ignored.
    k : int
        Size of the vertex cover.

    Returns
    -------
    VertexCoverReduction
        The instance and the way back.

    Raises
    ------
    InputError
        For a self-loop, a graph without edges, or a negative k.

    Examples
    --------
    >>> import networkx as nx
    >>> from partcover import reduce_vertex_cover, solve
    >>> reduction = reduce_vertex_cover(nx.path_graph(4), k=2)
    >>> reduction.lift(solve(reduction.instance).vocabulary).is_vertex_cover
    True

    Notes
    -----
    Proof (Lim, Choo and Lauw 2025, Theorem 1): a word has five symbols.  It needs 5 tokens if
    neither @V_i@ nor @V_j@ is chosen, and 3 if one of them is.  With both it still needs 3, because
    they overlap in the middle @.  So the m words need at most 3m tokens if and only if every edge
    has a chosen end.
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
        source=source_of(VertexCoverReduction.name, simple),
    )
    return VertexCoverReduction(simple, instance)


def source_of(name: str, graph: nx.Graph) -> dict[str, Any]:
    """Returns the source of an instance that a reduction with this name makes from a graph."""
    place = {vertex: index for index, vertex in enumerate(graph.nodes)}
    return {
        "reduction": name,
        "vertices": [v if isinstance(v, int | str) else str(v) for v in graph.nodes],
        "edges": sorted(sorted((place[u], place[v])) for u, v in graph.edges),
    }
