"""Reads graphs from files: edge lists, DIMACS and the PACE format."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal

from ..errors import InputError, MissingExtra
from ..runtime.arguments import closest
from ..runtime.files.writing import read_text
from ..runtime.numerals import read_digits

if TYPE_CHECKING:
    import networkx as nx

GraphFormat = Literal["edgelist", "dimacs", "pace"]


def import_networkx(purpose: str = "a graph") -> Any:
    """Returns the package networkx, which only graphs need.

    Parameters
    ----------
    purpose : str
        The feature that needs it, for the message.

    Raises
    ------
    MissingExtra
        If it is not installed.
    """
    try:
        import networkx
    except ImportError:
        raise MissingExtra("networkx", "graphs", purpose) from None
    return networkx


def check_graph(graph: Any) -> nx.Graph:
    """Returns the simple graph of a networkx graph, without directions, weights, parallel edges.

    Raises
    ------
    InputError
        For a self-loop (an edge is covered by one of two ends), a graph without edges, or
        something that is not a networkx graph.
    MissingExtra
        If networkx is not installed.
    """
    nx = import_networkx()
    if not isinstance(graph, nx.Graph):
        raise InputError(f"expected a networkx graph, not {type(graph).__name__}")
    for u, v in graph.edges():
        if u == v:
            raise InputError(
                f"vertex {u!r} has a self-loop: remove it, and take the vertex instead"
            )
    if not graph.number_of_edges():
        raise InputError("the graph has no edges: give at least one")
    simple = nx.Graph()
    simple.add_nodes_from(graph.nodes())
    simple.add_edges_from(graph.edges())
    return simple


def read_graph(path: str | PathLike[str], form: GraphFormat = "edgelist") -> nx.Graph:
    r"""Reads an undirected simple graph; parallel edges are merged.

    Parameters
    ----------
    path : path
        The file.
    form : {"edgelist", "dimacs", "pace"}
        ``edgelist``: two names on each line, ``#`` begins a comment; names are kept as text.
        ``dimacs``: ``c`` comments, ``p edge N M`` (or ``p col``), ``e U V``.  ``pace``: ``c``
        comments, ``p td N M`` (or ``p vc``, ``p edge``), ``U V``.  In the last two vertices
        are 1 to N, and all N are in the graph.

    Returns
    -------
    networkx.Graph
        Vertices in the order of their names (edge list: of their appearance).

    Raises
    ------
    InputError
        Naming file and line: for a line of no known form, a vertex out of range, a number of
        edges that does not match, a self-loop, or no edges.
    MissingExtra
        If networkx is not installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover.hardness.graphs import read_graph
    >>> size = Path("path.txt").write_text("a b\nb c\n")
    >>> list(read_graph("path.txt").edges)
    [('a', 'b'), ('b', 'c')]
    """
    if form not in (known := ("edgelist", "dimacs", "pace")):
        raise InputError(f"unknown graph format {form!r}: {closest(form, known)}")
    nx = import_networkx()
    name = fspath(path)
    text = read_text(path)
    read = _read_edge_list if form == "edgelist" else _read_numbered
    graph = nx.Graph()
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1)]
    try:
        read(graph, lines, form)
        return check_graph(graph)
    except InputError as error:
        raise InputError(f"{name}{error}" if str(error)[0] == ":" else f"{name}: {error}") from None


Lines = list[tuple[int, list[str]]]

_KINDS = {"dimacs": ("edge", "col"), "pace": ("td", "vc", "edge")}
_MAX_VERTICES = 10_000_000  # so that a typing error in the problem line does not fill the memory


def _add_edge(graph: nx.Graph, number: int, u: Any, v: Any) -> None:
    if u == v:
        raise InputError(f":{number}: self-loop at {u}: remove it, and take the vertex instead")
    graph.add_edge(u, v)


def _read_edge_list(graph: nx.Graph, lines: Lines, form: GraphFormat) -> None:
    for number, fields in lines:
        if not fields or fields[0].startswith("#"):
            continue
        if len(fields) != 2:
            raise InputError(
                f":{number}: {' '.join(fields)!r} is not an edge: expected two names on a line"
            )
        _add_edge(graph, number, *fields)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _read_numbered(graph: nx.Graph, lines: Lines, form: GraphFormat) -> None:
    edges: int | None = None
    n_edges = 0
    for number, fields in lines:
        if not fields or fields[0] == "c":
            continue
        if fields[0] == "p":
            if edges is not None:
                raise InputError(f":{number}: a second problem line")
            if len(fields) != 4 or not (_is_number(fields[2]) and _is_number(fields[3])):
                raise InputError(f":{number}: a problem line is 'p KIND VERTICES EDGES'")
            if fields[1] not in _KINDS[form]:
                raise InputError(
                    f":{number}: unknown problem kind {fields[1]!r}: {form} has "
                    f"{', '.join(_KINDS[form])}"
                )
            vertices, edges = read_digits(fields[2]), read_digits(fields[3])
            if vertices > _MAX_VERTICES:
                raise InputError(f":{number}: {vertices} vertices, the limit is {_MAX_VERTICES}")
            graph.add_nodes_from(range(1, vertices + 1))
            continue
        ends = fields[1:] if form == "dimacs" and fields[0] == "e" else fields
        if len(ends) != 2 or (form == "dimacs") != (ends is not fields):
            expected = "'e U V'" if form == "dimacs" else "'U V'"
            raise InputError(f":{number}: {' '.join(fields)!r} is not an edge {expected}")
        if edges is None:
            raise InputError(f":{number}: an edge before the problem line 'p KIND VERTICES EDGES'")
        if not all(_is_number(end) and 1 <= read_digits(end) <= len(graph) for end in ends):
            raise InputError(f":{number}: vertices are the numbers 1 to {len(graph)}")
        _add_edge(graph, number, *map(read_digits, ends))
        n_edges += 1
    if edges is None:
        raise InputError(f"no problem line 'p KIND VERTICES EDGES' ({form})")
    if n_edges != edges and not (form == "dimacs" and n_edges == 2 * edges):
        raise InputError(f"the problem line says {edges} edges, but there are {n_edges}")
