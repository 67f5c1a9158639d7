"""Makes instances of families: a name, a size and a seed give the same instance everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..hardness.graphs import check_graph, import_networkx
from ..hardness.vertex_cover import reduce_vertex_cover
from ..problem.certificates.checksum import whole
from ..problem.instance import Instance
from ..runtime.arguments import closest, shown

if TYPE_CHECKING:
    import networkx as nx

_MAX_SEARCHED = 100  # vertices; random cubic graphs of this size take about a second


@dataclass(frozen=True)
class Family:
    """Instances that differ in size and seed.

    Attributes
    ----------
    name : str
        Its name for `generate`.
    about : str
        What SIZE is, and what the instance consists of, in one line.
    paper : str
        Where it comes from.
    sizes : tuple of two int
        The smallest and the largest size.
    random : bool
        Whether the seed changes anything.
    k : str
        The default budget, in words.

    Examples
    --------
    >>> from partcover.instances.families import FAMILIES
    >>> fibonacci = FAMILIES["fibonacci"]
    >>> fibonacci.sizes, fibonacci.k
    ((1, 25), 'half of SIZE')
    >>> fibonacci(3).words.to_dict()
    {b'ab': 1, b'aba': 1, b'abaab': 1}
    """

    name: str
    about: str
    paper: str
    sizes: tuple[int, int]
    random: bool
    k: str
    _make: Callable[[int, int, int | None], Instance]

    def __call__(self, size: int, seed: int = 0, k: int | None = None) -> Instance:
        """Makes one instance.

        Parameters
        ----------
        size : int
            See `about`.
        seed : int
            Random seed, of random families; recorded in any case.
        k : int, optional
            The budget; see the attribute `k` for the default.

        Returns
        -------
        Instance
            Its ``source`` has ``family``, ``size`` and ``seed``, ``k`` in words, and ``from``,
            the paper; random graphs also the version of ``networkx`` that drew them.

        Raises
        ------
        InputError
            For a size, a seed or a k that the family does not take.
        """
        lower, upper = self.sizes
        size = whole(size, f"family {self.name}: size", lower, upper)
        seed = whole(seed, f"family {self.name}: seed", 0, 2**32 - 1)
        instance = self._make(size, seed, k)
        source: dict[str, Any] = {
            "family": self.name,
            "size": size,
            "seed": seed,
            "k": self.k if k is None else "given",
            "from": self.paper,
        }
        if self.random:
            source["networkx"] = import_networkx().__version__
        return Instance(
            instance.words,
            instance.k,
            candidates=instance.candidates,
            threshold=instance.threshold,
            source={**source, **instance.source},
        )


def generate(name: str, size: int, seed: int = 0, k: int | None = None) -> Instance:
    """Makes one instance of a family; see `Family`.

    Raises
    ------
    InputError
        For an unknown name, and as the family does.

    Examples
    --------
    >>> from partcover.instances.families import generate
    >>> instance = generate("cycle", 5)
    >>> instance.k, instance.threshold, instance.source["family"]
    (3, 15, 'cycle')
    """
    if not isinstance(name, str) or name not in FAMILIES:
        raise InputError(f"unknown family {shown(name)}: {closest(name, FAMILIES)}")
    return FAMILIES[name](size, seed, k)


def least_vertex_cover(graph: Any) -> int:
    """Computes the size of the smallest vertex cover, by search.

    Parameters
    ----------
    graph : networkx.Graph
        A graph; directions and parallel edges do not matter.

    Returns
    -------
    int
        Exact; the time is exponential in the worst case.

    Raises
    ------
    InputError
        For a self-loop, and for more than 100 vertices: the search may take too long.

    Notes
    -----
    The neighbour of a vertex of degree one is in some smallest cover: one of the two is in each,
    and the neighbour covers all that the other does.  Without such vertices, components are solved
    one by one.  A cycle of n vertices needs ⌈n / 2⌉, as each covers two of its n edges and every
    second one suffices.  Else the search branches on a vertex of the largest degree: it is in the
    cover, or all of its neighbours are.

    Examples
    --------
    >>> import networkx as nx
    >>> from partcover.instances.families import least_vertex_cover
    >>> least_vertex_cover(nx.petersen_graph())
    6
    """
    if len(graph) > _MAX_SEARCHED:
        raise InputError(
            f"the graph has {len(graph)} vertices, but its smallest cover is computed only up to "
            f"{_MAX_SEARCHED}: give k"
        )
    if not graph.number_of_edges():
        return 0
    simple = check_graph(graph)
    return _least_cover({vertex: set(simple[vertex]) for vertex in simple.nodes})


Neighbours = dict[Any, set[Any]]


def _least_cover(graph: Neighbours) -> int:
    """Computes the size of the smallest vertex cover; the graph is emptied."""
    size = 0
    leaves = [vertex for vertex, near in graph.items() if len(near) == 1]
    while leaves:
        leaf = leaves.pop()
        if leaf in graph and len(graph[leaf]) == 1:
            (taken,) = graph[leaf]
            size += 1
            leaves += [near for near in _remove(graph, taken) if len(graph[near]) == 1]
    for part in _components(graph):
        highest = max(part, key=lambda vertex: len(part[vertex]))
        if len(part[highest]) <= 2:  # a cycle, or a vertex alone
            size += (len(part) + 1) // 2 if len(part) > 1 else 0
            continue
        near = part[highest]
        without = {vertex: set(around) for vertex, around in part.items()}
        for vertex in near:
            _remove(without, vertex)
        _remove(part, highest)
        size += min(1 + _least_cover(part), len(near) + _least_cover(without))
    return size


def _remove(graph: Neighbours, vertex: Any) -> set[Any]:
    """Removes a vertex and returns its neighbours."""
    around = graph.pop(vertex)
    for near in around:
        graph[near].discard(vertex)
    return around


def _components(graph: Neighbours) -> list[Neighbours]:
    parts = []
    seen: set[Any] = set()
    for start in graph:
        if start in seen:
            continue
        component, stack = {start: graph[start]}, [start]
        while stack:
            for near in graph[stack.pop()]:
                if near not in component:
                    component[near] = graph[near]
                    stack.append(near)
        seen |= component.keys()
        parts.append(component)
    return parts


def _covered(
    draw: Callable[[int, int], nx.Graph],
) -> Callable[[int, int, int | None], Instance]:
    """Returns the function that reduces vertex cover on a graph of a size and seed."""

    def make(size: int, seed: int, k: int | None) -> Instance:
        graph = draw(size, seed)
        budget = least_vertex_cover(graph) if k is None else k
        return reduce_vertex_cover(graph, budget).instance

    return make


def _words(
    spell: Callable[[int], Iterator[str]], budget: Callable[[int], int]
) -> Callable[[int, int, int | None], Instance]:
    """Returns the function that makes an instance of words that each occur once."""
    return _counted(lambda size: ((word, 1) for word in spell(size)), budget)


def _counted(
    spell: Callable[[int], Iterator[tuple[str, int]]], budget: Callable[[int], int]
) -> Callable[[int, int, int | None], Instance]:
    """Returns the function that makes an instance of words and their counts."""

    def make(size: int, seed: int, k: int | None) -> Instance:
        return Instance(WordCounts.from_counts(spell(size)), budget(size) if k is None else k)

    return make


def _cycle(size: int, seed: int) -> nx.Graph:
    return import_networkx().cycle_graph(size)


def _complete(size: int, seed: int) -> nx.Graph:
    return import_networkx().complete_graph(size)


def _cubic(size: int, seed: int) -> nx.Graph:
    if size % 2:
        raise InputError(
            f"family cubic: size is {size}, but a cubic graph has an even number of vertices"
        )
    return _sorted_graph(size, import_networkx().random_regular_graph(3, size, seed=seed))


def _gnp(size: int, seed: int) -> nx.Graph:
    edge_probability = min(1.0, 4 / (size - 1))
    drawn = import_networkx().gnp_random_graph(size, edge_probability, seed=seed)
    return _sorted_graph(size, drawn)


def _sorted_graph(size: int, drawn: nx.Graph) -> nx.Graph:
    """Returns the same graph with its vertices 0 to size − 1 and its edges in order."""
    graph = import_networkx().Graph()
    graph.add_nodes_from(range(size))
    graph.add_edges_from(sorted(tuple(sorted(edge)) for edge in drawn.edges))
    return graph


def _unary(size: int) -> Iterator[str]:
    return ("a" * length for length in range(1, size + 1))


def _periodic(size: int) -> Iterator[str]:
    return (("aab" * size)[:length] for length in range(1, size + 1))


def _fibonacci(size: int) -> Iterator[str]:
    before, word = "b", "a"
    for _ in range(size):
        before, word = word, word + before
        yield word


def _thue_morse(size: int) -> Iterator[str]:
    word, other = "a", "b"
    for _ in range(size):
        word, other = word + other, other + word
        yield word


def _de_bruijn(size: int) -> Iterator[str]:
    """Concatenates the Lyndon words whose length divides the order, in lexicographic order."""
    for order in range(1, size + 1):
        sequence: list[int] = []
        word = [-1]  # becomes each Lyndon word of at most `order` letters, by Duval's rule
        while word:
            word[-1] += 1
            if order % len(word) == 0:
                sequence += word
            word = [word[i % len(word)] for i in range(order)]
            while word and word[-1] == 1:
                word.pop()
        yield "".join("ab"[letter] for letter in sequence)


def _bpe_budget(size: int) -> Iterator[str]:
    for letter in "cdefghijklmnopqrstuvwxyz"[:size]:
        yield f"ab{letter}"
        yield f"b{letter}"


def _bpe_across(size: int) -> Iterator[tuple[str, int]]:
    """Makes words XyzX with ``size`` letters X and three times as many y and z.

    The count of XyzX is w(d) for d = z − y, cyclic, so every pair Xy and zX is in W words, and
    the pair yz in size · w(d).  For d < 2 · size the count is the smallest for which yz is more
    frequent than any Xy is in the words not yet counted; what is left of W is shared evenly by
    the last ``size`` values of d.
    """
    outer = "ABCDEFGHIJKL"[:size]
    inner = "abcdefghijklmnopqrstuvwxyz0123456789"[: 3 * size]
    left = 100 * size**2  # W
    counts = []
    for _ in range(2 * size):
        counts.append(left // size + 1)
        left -= counts[-1]
    counts += [(left + place) // size for place in range(size)]
    for first, y in enumerate(inner):
        for step, count in enumerate(counts):
            z = inner[(first + step) % len(inner)]
            yield from ((f"{x}{y}{z}{x}", count) for x in outer)


def _greedtok_across(size: int) -> Iterator[tuple[str, int]]:
    """Makes words of two tokens pqy that GreedTok spoils by the pair of letters between them.

    There are ``size`` letters p, q and y, and a token pqy for each p and q, y = p + q, cyclic.
    Two of them make a word if their q are the same, or the second one's is next; d is the second
    p less the first y.  For each d the count is the smallest for which the pair in the middle
    covers more than pqy, pq and qy in words of no smaller d; the last takes the rest.
    """
    p, q = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:size], "abcdefghijklmnopqrstuvwxyz"[:size]
    y = "0123456789!#$%&()*+,-./:;<"[:size]
    total = left = 100 * size**2  # a token's places on each side of a word, and those not spoiled
    counts = []
    while (count := max(4 * left, total + left) // (2 * size) + 1) * 2 <= left:
        counts.append(count)
        left -= 2 * count
    counts += [left // 2] if left else []
    for i, j, (d, count) in product(range(size), range(size), enumerate(counts)):
        first = (i + j) % size
        third = (first + d) % size
        for k in (j, (j + 1) % size):
            yield f"{p[i]}{q[j]}{y[first]}{p[third]}{q[k]}{y[(third + k) % size]}", count


def _half(size: int) -> int:
    return max(1, size // 2)


_COVER = "Lim, Choo and Lauw 2025, A partition cover approach to tokenization, Theorem 1"
_LOTHAIRE = "Lothaire, Combinatorics on Words"
_SMALLEST = "smallest vertex cover"
_HALF = "half of SIZE"

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family(
            "cycle",
            "vertex cover of the cycle of SIZE vertices",
            f"{_COVER}, on a cycle",
            (3, 1_000_000),
            False,
            _SMALLEST,
            _covered(_cycle),
        ),
        Family(
            "complete",
            "vertex cover of the complete graph of SIZE vertices",
            f"{_COVER}, on a complete graph",
            (2, 2_000),
            False,
            _SMALLEST,
            _covered(_complete),
        ),
        Family(
            "cubic",
            "vertex cover of a random 3-regular graph of SIZE vertices",
            f"{_COVER}, on a cubic graph (Alimonti and Kann 2000: still APX-hard to cover)",
            (4, 1_000_000),
            True,
            _SMALLEST,
            _covered(_cubic),
        ),
        Family(
            "gnp",
            "vertex cover of an Erdős–Rényi graph of SIZE vertices, 4 edges a vertex expected",
            f"{_COVER}, on a random graph (Erdős and Rényi 1959, Gilbert 1959)",
            (2, 20_000),
            True,
            _SMALLEST,
            _covered(_gnp),
        ),
        Family(
            "unary",
            "the words a, aa, …, of 1 to SIZE symbols",
            "Kastreva, Whittington, Komm and Pimentel 2025, Tokenisation over Bounded Alphabets "
            "is Hard: NP-complete on words over one symbol",
            (2, 2_000),
            False,
            _HALF,
            _words(_unary, _half),
        ),
        Family(
            "fibonacci",
            "the first SIZE Fibonacci words: ab, aba, abaab, …",
            _LOTHAIRE,
            (1, 25),
            False,
            _HALF,
            _words(_fibonacci, _half),
        ),
        Family(
            "thue-morse",
            "the first SIZE Thue–Morse words: ab, abba, abbabaab, …",
            _LOTHAIRE,
            (1, 18),
            False,
            _HALF,
            _words(_thue_morse, _half),
        ),
        Family(
            "debruijn",
            "the least binary de Bruijn words of the orders 1 to SIZE: ab, aabb, aaababbb, …",
            "de Bruijn 1946; made from Lyndon words (Fredricksen and Maiorana 1978)",
            (1, 18),
            False,
            _HALF,
            _words(_de_bruijn, _half),
        ),
        Family(
            "periodic",
            "the first 1 to SIZE symbols of aabaabaab…",
            _LOTHAIRE,
            (2, 2_000),
            False,
            _HALF,
            _words(_periodic, _half),
        ),
        Family(
            "bpe-budget",
            "abx and bx for SIZE letters x: byte-pair encoding takes ab first, and saves one less",
            "abc, abd, abe, bc, bd, be for SIZE 3: byte-pair encoding saves 5 tokens of 6",
            (3, 24),
            False,
            "SIZE",
            _words(_bpe_budget, lambda size: size),
        ),
        Family(
            "bpe-across",
            "XyzX for SIZE letters X, three times as many y and z: byte-pair encoding merges yz",
            "made for this library; the question is that of Kozma and Voderholzer 2024, "
            "Theoretical Analysis of Byte-Pair Encoding",
            (2, 12),
            False,
            "6 · SIZE²: the pairs Xy and zX",
            _counted(_bpe_across, lambda size: 6 * size**2),
        ),
        Family(
            "greedtok-across",
            "two tokens pqy a word, SIZE letters p, q, y: GreedTok takes the pair between them",
            "made for this library; the question is that of Lim, Choo and Lauw 2025, "
            "A partition cover approach to tokenization",
            (4, 26),
            False,
            "SIZE²: the tokens pqy",
            _counted(_greedtok_across, lambda size: size**2),
        ),
    )
}
