"""Graphs in, vertex covers out: both directions against brute force."""

from __future__ import annotations

from itertools import combinations

import pytest
from hardness.graphs import FIGURE_1, is_cover, least_cover, small_graphs

from partcover import InputError, Instance, Vocabulary, decide, reduce_vertex_cover, solve
from partcover.hardness.graphs import read_graph
from partcover.hardness.reduction import VertexCoverReduction

nx = pytest.importorskip("networkx")


@pytest.mark.long
def test_every_vocabulary_of_every_small_graph():
    for graph in small_graphs(5):
        for size in range(len(graph) + 1):
            reduction = reduce_vertex_cover(graph, size)
            for chosen in combinations(range(len(graph)), size):
                tokens = [reduction.instance.candidates[i] for i in chosen]
                lift = reduction.lift(Vocabulary(tokens, "ints"))
                vertices = [list(graph.nodes)[i] for i in chosen]
                assert list(lift.vertices) == vertices
                assert lift.size == size
                assert lift.is_vertex_cover == lift.meets_threshold == is_cover(graph, vertices)


@pytest.mark.long
def test_the_decision_is_the_vertex_cover_of_every_small_graph():
    """Every graph of five vertices, and the regular ones of six."""
    for graph in small_graphs(6):
        if len(graph) == 6 and not nx.is_regular(graph):
            continue
        cover_size = least_cover(graph)
        for k in {cover_size - 1, cover_size}:
            reduction = reduce_vertex_cover(graph, k)
            yes, solution = decide(reduction.instance)
            assert yes == (k >= cover_size)
            lift = reduction.lift(solution.vocabulary)
            assert lift.is_vertex_cover == lift.meets_threshold == yes
            assert lift.size <= k


def test_figure_1():
    words = reduce_vertex_cover(FIGURE_1, 2).instance.words.to_dict()
    assert words == {(0, i, 0, j, 0): 1 for i, j in [(1, 2), (2, 3), (2, 4), (3, 4), (4, 5)]}
    tokens = []
    for k in range(6):
        reduction = reduce_vertex_cover(FIGURE_1, k)
        assert reduction.instance.threshold == 15
        solution = solve(reduction.instance)
        lift = reduction.lift(solution.vocabulary)
        assert solution.extra["meets_threshold"] == lift.is_vertex_cover == (k >= 2)
        tokens.append(solution.tokens)
        if k == 2:
            assert lift.vertices == (2, 4)
    assert tokens == [25, 19, 15, 15, 15, 15]


def test_the_instance_file_alone_is_enough(tmp_path):
    graph = nx.Graph([("north", "east"), ("east", "south")])
    graph.add_node("alone")
    path = tmp_path / "I.json"
    reduce_vertex_cover(graph, 1).instance.save(path)
    again = VertexCoverReduction.from_instance(Instance.load(path))
    solution = solve(again.instance)
    assert again.lift(solution.vocabulary).vertices == ("east",)
    assert list(again.graph.nodes) == list(graph.nodes)


def test_kinds_of_graph():
    multi = nx.MultiDiGraph([(1, 2), (2, 1), (1, 2), (2, 3)])
    assert reduce_vertex_cover(multi, 1).instance.threshold == 6


def test_bad_graphs_and_vocabularies():
    with pytest.raises(InputError, match="self-loop"):
        reduce_vertex_cover(nx.Graph([(1, 1), (1, 2)]), 1)
    with pytest.raises(InputError, match="no edges"):
        reduce_vertex_cover(nx.empty_graph(3), 1)
    with pytest.raises(InputError, match="a networkx graph, not list"):
        reduce_vertex_cover([(1, 2)], 1)
    with pytest.raises(InputError, match="k is -1"):
        reduce_vertex_cover(FIGURE_1, -1)
    reduction = reduce_vertex_cover(FIGURE_1, 2)
    with pytest.raises(InputError, match="'0 1 0 2 0' is not a candidate @V@"):
        reduction.lift(Vocabulary([(0, 1, 0, 2, 0)], "ints"))
    with pytest.raises(InputError, match="'0 9 0' is not a candidate"):
        reduction.lift(Vocabulary([(0, 9, 0)], "ints"))
    with pytest.raises(InputError, match="vocabulary is over bytes"):
        reduction.lift(Vocabulary(["ab"]))
    with pytest.raises(InputError, match="source is a list: it must be a mapping"):
        Instance.from_json({**reduction.instance.to_json(), "source": [1]})
    with pytest.raises(InputError, match="was not made by reduce"):
        VertexCoverReduction.from_instance(Instance(reduction.instance.words, 1))
    data = reduction.instance.to_json()
    for key, value, message in [
        ("source", {**data["source"], "edges": [[0, 99]]}, "the graph .* is not valid"),
        ("source", {**data["source"], "edges": [[0, 1]]}, "words of the instance are not those"),
        ("threshold", data["threshold"] + 1, "threshold of the instance is not that"),
    ]:
        with pytest.raises(InputError, match=message):
            VertexCoverReduction.from_instance(Instance.from_json({**data, key: value}))


GOOD = {
    "edgelist": "# a comment\n\na b\nb c\nc b\n",
    "dimacs": "c hello\np edge 4 2\ne 1 2\ne 2 3\n",
    "pace": "c hello\np td 4 2\n1 2\n2 3\n",
}


@pytest.mark.parametrize("form", GOOD)
def test_formats(form, tmp_path):
    path = tmp_path / "graph"
    path.write_text(GOOD[form])
    graph = read_graph(path, form)
    assert graph.number_of_edges() == 2
    assert len(graph) == (3 if form == "edgelist" else 4)


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        ("edgelist", "a b\nc\n", "graph:2: 'c' is not an edge: expected two"),
        ("edgelist", "a b\nc c\n", "graph:2: self-loop at c"),
        ("edgelist", "# nothing\n", "graph: the graph has no edges"),
        ("dimacs", "p edge 3 1\n1 2\n", "graph:2: '1 2' is not an edge 'e U V'"),
        ("dimacs", "e 1 2\n", "graph:1: an edge before the problem line"),
        ("dimacs", "p edge 3 2\ne 1 2\n", "graph: the problem line says 2 edges, but there are"),
        ("dimacs", "p edge 3 1\ne 1 4\n", "graph:2: vertices are the numbers 1 to 3"),
        (
            "dimacs",
            f"p edge 3 {'9' * 5000}\ne 1 2\n",
            "the problem line says 9+ edges, but there are 1",
        ),
        ("pace", f"p td 3 1\n{'9' * 5000} 2\n", "graph:2: vertices are the numbers 1 to 3"),
        (
            "dimacs",
            "p edge 99999999999 1\n",
            "graph:1: 99999999999 vertices, the limit is 10000000",
        ),
        ("dimacs", "p vc 3 1\n", "graph:1: unknown problem kind 'vc': dimacs has edge, col"),
        ("dimacs", "p edge 3 1\ne \u0662 1\n", "graph:2: vertices are the numbers 1 to 3"),
        ("pace", "p td 3\n", "graph:1: a problem line is"),
        ("pace", "p td 3 1\np td 3 1\n", "graph:2: a second problem line"),
        ("pace", "p td 3 1\ne 1 2\n", "graph:2: 'e 1 2' is not an edge 'U V'"),
        ("pace", "c only\n", "graph: no problem line"),
        ("pace", "p td 2 1\n2 2\n", "graph:2: self-loop at 2"),
    ],
)
def test_bad_files(form, text, message, tmp_path):
    path = tmp_path / "graph"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_graph(path, form)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"none: cannot be read \(No such file"):
        read_graph(tmp_path / "none")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe a\n")
    with pytest.raises(InputError, match="not text in UTF-8"):
        read_graph(tmp_path / "bytes")
    with pytest.raises(InputError, match="unknown graph format"):
        read_graph(tmp_path / "bytes", "gml")
