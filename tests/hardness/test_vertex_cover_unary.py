"""Vertex cover over a single symbol: both directions against brute force."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import pytest
from cli.helpers import as_json, fails
from hardness.graphs import FIGURE_1, is_cover, least_cover, small_graphs

from partcover import InputError, Instance, Vocabulary, solve
from partcover.hardness.reduction import UnaryReduction, reduction_of
from partcover.hardness.vertex_cover_unary import reduce_vertex_cover_unary, sidon_numbers

nx = pytest.importorskip("networkx")


def needed(words, runs):
    """The tokens that runs of a symbol need, by trying every last token."""
    fewest = [0]
    for length in range(1, max(words) + 1):
        fewest.append(1 + min(fewest[length - run] for run in (1, *runs) if run <= length))
    return sum(count * fewest[length] for length, count in words.items())


def test_sums_of_two_are_different():
    numbers = sidon_numbers(40)
    sums = [a + b for a, b in combinations_with_replacement(numbers, 2)]
    assert len(set(sums)) == len(sums)
    for size in range(1, 13):
        least = numbers[:size]  # none smaller would do
        for smaller in set(range(1, least[-1])) - set(least):
            tried = [*least[:-1], smaller]
            sums = [a + b for a, b in combinations_with_replacement(tried, 2)]
            assert len(set(sums)) < len(sums) or smaller < least[-2]


@pytest.mark.long
@pytest.mark.parametrize("k", [0, 1])
def test_every_vocabulary_of_one_edge(k):
    reduction = reduce_vertex_cover_unary(nx.path_graph(2), k)
    instance = reduction.instance
    words = {len(word): count for word, count in instance.words.to_dict().items()}
    met = 0
    for runs in combinations(range(2, max(words) + 1), instance.k):
        fits = needed(words, runs) <= instance.threshold
        met += fits
        if fits:
            lift = reduction.lift(Vocabulary([b"a" * run for run in runs]))
            assert lift.is_vertex_cover
            assert lift.meets_threshold
            assert lift.size == k
    assert met == 2 * k


@pytest.mark.long
def test_the_optimum_is_the_vertex_cover_of_every_small_graph():
    for graph in [*small_graphs(3), nx.path_graph(4), nx.cycle_graph(4)]:
        size = least_cover(graph)
        for k in {size - 1, size}:
            reduction = reduce_vertex_cover_unary(graph, k)
            solution = solve(reduction.instance)
            assert solution.status == "optimal"
            assert (solution.tokens <= reduction.instance.threshold) == (k >= size)
            lift = reduction.lift(solution.vocabulary)
            assert lift.meets_threshold == (k >= size)
            assert lift.is_vertex_cover or k < size


@pytest.mark.long
def test_every_witness_of_small_graphs():
    for graph in small_graphs(4):
        for k in range(len(graph) + 1):
            reduction = reduce_vertex_cover_unary(graph, k)
            for chosen in combinations(graph.nodes, k):
                lift = reduction.lift(reduction.witness(chosen))
                assert lift.vertices == chosen
                assert lift.meets_threshold == lift.is_vertex_cover == is_cover(graph, chosen)


def test_the_instance_file_alone_is_enough(tmp_path):
    graph = nx.Graph([("north", "east"), ("east", "south")])
    graph.add_node("alone")
    reduce_vertex_cover_unary(graph, 1).instance.save(tmp_path / "I.json")
    again = reduction_of(Instance.load(tmp_path / "I.json"))
    assert isinstance(again, UnaryReduction)
    assert again.lift(again.witness(["east"])).to_json() == {
        "vertices": ["east"],
        "size": 1,
        "is_vertex_cover": True,
        "meets_threshold": True,
    }
    assert again.facts()["k"] == 6
    assert {
        again.symbol(int(symbol)) for word in again.instance.words.to_dict() for symbol in word
    } == {"a"}


def test_command(run, tmp_path):
    (tmp_path / "graph.txt").write_text("a b\nb c\n")
    status, made = as_json(
        run(
            "reduce",
            "graph.txt",
            "-k",
            "1",
            "--problem",
            "vertex-cover-unary",
            "-o",
            "I.json",
            "--json",
        )
    )
    assert (status, made["k"], made["threshold"]) == (0, 5, 67)
    assert run("solve", "I.json", "-o", "S.json", "--quiet")[0] == 0
    status, lifted = as_json(run("reduce", "--lift", "I.json", "S.json", "--json"))
    assert (status, lifted["vertices"], lifted["is_vertex_cover"]) == (0, ["b"], True)
    fails(
        run("reduce", "--lift", "I.json", "S.json", "--plot", "p.svg"),
        "too long to draw",
    )


def test_bad_input():
    with pytest.raises(InputError, match="k is 6: it must be from 0 to 5, the number"):
        reduce_vertex_cover_unary(FIGURE_1, 6)
    with pytest.raises(InputError, match=r"symbols, the limit is 50,000,000"):
        reduce_vertex_cover_unary(nx.complete_graph(60), 1)
    reduction = reduce_vertex_cover_unary(FIGURE_1, 2)
    with pytest.raises(InputError, match="9 is not a vertex"):
        reduction.witness([9])
    with pytest.raises(InputError, match="vocabulary is over ints"):
        reduction.lift(Vocabulary([(0, 1)], "ints"))
    broken = {**reduction.instance.to_json(), "k": 3}
    with pytest.raises(InputError):
        UnaryReduction.from_instance(Instance.from_json(broken))
