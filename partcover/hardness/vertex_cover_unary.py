"""Reduces vertex cover to the choice of a vocabulary over a single symbol."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.instance import Instance
from ..runtime.arguments import checked
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .graphs import check_graph
from .vertex_cover import Lift, VertexCoverReduction, source_of

_MOST_SYMBOLS = 50_000_000  # limit for all words together


class UnaryReduction(VertexCoverReduction):
    """A graph, and the instance over the symbol a that asks for its vertex cover.

    Attributes
    ----------
    graph : networkx.Graph
        The simple graph.
    instance : Instance
        The instance, over bytes.  Each word is a run of the byte a.

    Examples
    --------
    >>> import networkx as nx
    >>> from partcover.hardness.reduction import reduce_vertex_cover_unary
    >>> reduction = reduce_vertex_cover_unary(nx.Graph([("a", "b"), ("b", "c")]), k=1)
    >>> [len(token) for token in reduction.witness(["b"])]
    [27, 10, 11, 13, 38]
    >>> reduction.lift(reduction.witness(["b"])).is_vertex_cover
    True
    """

    name: ClassVar[str] = "vertex-cover-unary"

    def facts(self) -> dict[str, Any]:
        """Returns the sizes of the graph and of its instance."""
        return {name: size for name, size in super().facts().items() if name != "candidates"}

    def witness(self, vertices: Iterable[Any], /) -> Vocabulary:
        """Returns the vocabulary of some vertices: L, all x_v, and L + x_v for the given vertices.

        Raises
        ------
        InputError
            If something is not a vertex of the graph.
        """
        long, numbers = _numbers(len(self.graph))
        number = dict(zip(self.graph.nodes, numbers, strict=True))
        chosen = list(vertices)
        if strange := [vertex for vertex in chosen if vertex not in number]:
            raise InputError(f"{strange[0]!r} is not a vertex of the graph")
        runs = [long, *numbers, *(long + number[vertex] for vertex in chosen)]
        return Vocabulary([b"a" * run for run in runs])

    def symbol(self, number: int) -> str:
        """Returns the name of a symbol for messages: a."""
        return chr(number)

    def lift(self, vocabulary: Vocabulary, /) -> Lift:
        """Turns any vocabulary into vertices, and checks whether they are a vertex cover.

        Raises
        ------
        InputError
            If the vocabulary is over other symbols.
        """
        if vocabulary.symbols != "bytes":
            raise InputError(
                f"the vocabulary is over {vocabulary.symbols}, the instance over bytes"
            )
        meets_threshold = bool(verify(self.instance, vocabulary).meets_threshold)
        runs = set(map(len, vocabulary))
        long, numbers = _numbers(len(self.graph))
        pairs = zip(self.graph.nodes, numbers, strict=True)
        chosen = tuple(vertex for vertex, number in pairs if long + number in runs)
        return Lift(
            vertices=chosen,
            size=len(chosen),
            is_vertex_cover=all(u in chosen or v in chosen for u, v in self.graph.edges),
            meets_threshold=meets_threshold,
        )

    @classmethod
    def again(cls, graph: Any, instance: Instance) -> UnaryReduction:
        """Reduces a graph in the same way as for this instance."""
        return reduce_vertex_cover_unary(graph, instance.k - len(graph) - 1)


@checked
def reduce_vertex_cover_unary(graph: Any, k: int) -> UnaryReduction:
    """Makes the unary instance whose threshold can be met if and only if k vertices are a cover.

    Parameters
    ----------
    graph : networkx graph
        The graph.  Directions, weights and parallel edges are ignored.
    k : int
        Size of the vertex cover, at most the number of vertices n.  The instance's budget is
        n + 1 + k.

    Returns
    -------
    UnaryReduction
        The instance and the way back.

    Raises
    ------
    InputError
        For a self-loop, a graph without edges, a k that is negative or above n, or a graph whose
        words would have more than 50 million symbols.

    Examples
    --------
    >>> import networkx as nx
    >>> from partcover import solve
    >>> from partcover.hardness.reduction import reduce_vertex_cover_unary
    >>> reduction = reduce_vertex_cover_unary(nx.path_graph(3), k=1)
    >>> reduction.lift(solve(reduction.instance).vocabulary).vertices
    (1,)

    Notes
    -----
    Kastreva, Whittington, Komm and Pimentel 2025 (*Tokenisation over Bounded Alphabets is Hard*,
    arXiv 2511.15709) prove that choosing a vocabulary is NP-complete even over one symbol.  This
    function uses another construction.

    Over one symbol, a word or a token is only a length.  Each vertex v gets a number x_v.  All sums
    of two of these numbers are different (they are a Sidon set), and M + 1 < 2m for the smallest
    number m and the largest number M.  Let L = 2M + 1.  For n vertices and e edges the words are

    - L and each x_v, F = f·n + e + 1 times,
    - L + x_v for each vertex, f = e + 1 times (the vertex words),
    - L + x_u + x_v for each edge, once (the edge words).

    The budget is n + 1 + k, and the threshold is F·(n + 1) + f·(2n − k) + 2e.

    *A cover C of k vertices gives a vocabulary that meets the threshold.*  Choose L, all x_v, and L
    + x_v for each v in C.  The words L and x_v need one token each.  A vertex word needs one token
    if v is in C, and two otherwise.  An edge word with u in C needs two: L + x_u and x_v.

    *A vocabulary of n + 1 + k tokens that meets the threshold gives a cover.*  The proof has three
    steps.

    1. The tokens include L and all x_v.  Every word needs at least one token.  If L or some x_v
       were not a token, its word would need a second token F times, so all words would need at
       least F·(n + 2) + f·n + e tokens.  This is more than the threshold.
    2. The other k tokens are vertex words.  Suppose that only t < k of them are.  The vertex words
       then need at least f·(2n − t) tokens and the edge words at least e, so all words need at
       least F·(n + 1) + f·(2n − k) + f + e tokens.  This is more than the threshold.  So the tokens
       are L, all x_v, and L + x_v for the v in a set C of k vertices.
    3. C is a cover.  No edge word is a token, so each edge word needs at least two tokens, and the
       threshold leaves exactly two for each.  Which two tokens can add up to L + x_u + x_v?  If
       both are shorter than L, they add up to at most 2M < L.  If both have a length of L or more,
       they add up to at least 2L > L + 2M.  L and a number add up to at most L + M, and L + x_c and
       a single symbol to at most L + M + 1: both are less than L + 2m.  What remains is L + x_c and
       x_w with x_c + x_w = x_u + x_v.  All sums are different, so {c, w} = {u, v}, and u or v is in
       C.

    The numbers are those of the Mian-Chowla sequence, shifted.  They are at most (n − 1)³ + 1
    before the shift, so the lengths of the words are polynomial in n.
    """
    simple = check_graph(graph)
    vertices, edges = len(simple), simple.number_of_edges()
    if not 0 <= k <= vertices:
        raise InputError(f"k is {k}: it must be from 0 to {vertices:,}, the number of vertices")
    long, numbers = _numbers(vertices)
    number = dict(zip(simple.nodes, numbers, strict=True))
    often = edges + 1
    most = often * vertices + edges + 1
    runs = {long: most} | dict.fromkeys(numbers, most)
    runs |= dict.fromkeys((long + x for x in numbers), often)
    runs |= {long + number[u] + number[v]: 1 for u, v in simple.edges}
    if sum(runs) > _MOST_SYMBOLS:
        raise InputError(
            f"the words of {vertices:,} vertices and {edges:,} edges would have {sum(runs):,} "
            f"symbols, the limit is {_MOST_SYMBOLS:,}"
        )
    instance = Instance(
        WordCounts.from_counts({b"a" * run: count for run, count in runs.items()}),
        vertices + 1 + k,
        threshold=most * (vertices + 1) + often * (2 * vertices - k) + 2 * edges,
        source=source_of(UnaryReduction.name, simple),
    )
    return UnaryReduction(simple, instance)


def sidon_numbers(size: int) -> list[int]:
    """Returns the first numbers of the Mian-Chowla sequence.

    Each is the smallest number such that all sums of two numbers so far are different.

    Examples
    --------
    >>> from partcover.hardness.vertex_cover_unary import sidon_numbers
    >>> sidon_numbers(8)
    [1, 2, 4, 8, 13, 21, 31, 45]
    """
    numbers: list[int] = []
    differences: set[int] = set()  # sums are distinct if and only if differences are
    candidate = 0
    while len(numbers) < size:
        candidate += 1
        new = {candidate - number for number in numbers}
        if not new & differences:
            differences |= new
            numbers.append(candidate)
    return numbers


def _numbers(vertices: int) -> tuple[int, list[int]]:
    """Returns L, and the number x_v of each vertex."""
    sidon = sidon_numbers(vertices)
    numbers = [2 * sidon[-1] + 1 + number for number in sidon]
    return 2 * numbers[-1] + 1, numbers
