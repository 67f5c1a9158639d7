"""Families of instances: what they are, and that name, size and seed are enough."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens
from oracles.trainers.bpe import bpe
from shared.properties import tries

from partcover import InputError, Instance, decide, greedtok
from partcover.hardness.bottom_up import Merges, merged_tokens
from partcover.hardness.reduction import reduction_of
from partcover.instances.families import FAMILIES, generate, least_vertex_cover

GRAPHS = ["cycle", "complete", "cubic", "gnp"]


def least_cover(graph) -> int:
    return next(
        size
        for size in range(len(graph) + 1)
        for chosen in combinations(graph.nodes, size)
        if all(u in chosen or v in chosen for u, v in graph.edges)
    )


def words(name, size):
    return [word.decode() for word in generate(name, size).words.to_dict()]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_source_makes_the_same_bytes(name, tmp_path):
    for size, seed, k in [(4, 0, None), (6, 3, None), (8, 2**32 - 1, 2)]:
        made = generate(name, size, seed, k)
        made.save(tmp_path / "a.json")
        source = Instance.load(tmp_path / "a.json").source
        given_k = made.k if source["k"] == "given" else None
        assert given_k == k
        generate(source["family"], source["size"], source["seed"], given_k).save(
            tmp_path / "b.json"
        )
        assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@pytest.mark.long
def test_hash_seeds_change_nothing():
    pytest.importorskip("networkx")
    code = (
        "import json; from partcover.instances.families import FAMILIES as F; "
        "print(json.dumps([f(10, 5).to_json() for f in F.values()]))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1
    assert len(json.loads(answers.pop())) == len(FAMILIES)


def test_covers_of_every_small_graph():
    nx = pytest.importorskip("networkx")
    for graph in nx.graph_atlas_g():
        if len(graph) <= 6:
            assert least_vertex_cover(graph) == least_cover(graph)


def test_covers_of_directed_graphs_and_of_those_with_parallel_edges_and_self_loops():
    nx = pytest.importorskip("networkx")
    for kind in (nx.DiGraph, nx.MultiGraph):
        assert least_vertex_cover(kind([(0, 1), (1, 0), (1, 2)])) == 1
    with pytest.raises(InputError, match="vertex 1 has a self-loop"):
        least_vertex_cover(nx.Graph([(0, 1), (1, 1)]))


@tries(100)
@given(st.integers(4, 12), st.floats(0.1, 0.9), st.integers(0, 1000))
def test_covers_of_random_graphs(size, density, seed):
    nx = pytest.importorskip("networkx")
    graph = nx.gnp_random_graph(size, density, seed=seed)
    assert least_vertex_cover(graph) == least_cover(graph)


@pytest.mark.parametrize("name", GRAPHS)
def test_k_is_the_smallest_vertex_cover(name):
    for size, seed in [(4, 0), (8, 1)]:
        instance = generate(name, size, seed)
        graph = reduction_of(instance).graph
        assert len(graph) == size
        assert instance.k == least_cover(graph)
        assert decide(instance)[0]
        assert not decide(generate(name, size, seed, instance.k - 1))[0]


def test_the_graphs_are_what_they_are_called():
    degrees = {
        name: sorted(d for _, d in reduction_of(generate(name, 8)).graph.degree) for name in GRAPHS
    }
    assert degrees["cycle"] == [2] * 8
    assert degrees["complete"] == [7] * 8
    assert degrees["cubic"] == [3] * 8
    assert generate("cubic", 8, 1).words.to_dict() != generate("cubic", 8, 2).words.to_dict()
    assert generate("gnp", 8, 1).words.to_dict() != generate("gnp", 8, 2).words.to_dict()
    assert generate("cycle", 101, k=51).threshold == 303


def test_the_words_are_what_they_are_called():
    assert words("unary", 3) == ["a", "aa", "aaa"]
    assert words("periodic", 5) == ["a", "aa", "aab", "aaba", "aabaa"]
    assert words("fibonacci", 4) == ["ab", "aba", "abaab", "abaababa"]
    assert words("thue-morse", 3) == ["ab", "abba", "abbabaab"]
    for order, word in enumerate(words("debruijn", 6), 1):
        windows = {(word * 2)[i : i + order] for i in range(len(word))}
        assert len(windows) == len(word) == 2**order
    assert words("debruijn", 3)[2] == "aaababbb"
    # no factor of a Thue–Morse word overlaps a shifted copy of itself in one more symbol
    last = words("thue-morse", 6)[-1]
    assert not any(
        last[i : i + p + 1] == last[i + p : i + 2 * p + 1]
        for p in range(1, 32)
        for i in range(len(last) - 2 * p)
    )


def test_byte_pair_encoding_saves_one_less():
    assert set(words("bpe-budget", 3)) == {"abc", "abd", "abe", "bc", "bd", "be"}
    for size in (3, 4):
        instance = generate("bpe-budget", size)
        total = instance.words.total_symbols
        letters = "cdef"[:size]
        greedy = Merges([("a", "b"), *(("b", x) for x in letters[1:])])
        best = Merges([("b", x) for x in letters])
        assert merged_tokens(instance.words, greedy) == total - (2 * size - 1)
        assert merged_tokens(instance.words, best) == total - 2 * size
    instance = generate("bpe-budget", 3)
    assert fewest_tokens(instance) == instance.words.total_symbols - 6


def across(size: int) -> tuple[Instance, list[int]]:
    """An instance of `bpe-across`, and the count of XyzX for each z − y."""
    instance = generate("bpe-across", size)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"[: 3 * size]
    counts: dict[int, set[int]] = {}
    for word, count in instance.words:
        outer, y, z, again = word.decode()
        assert outer == again
        counts.setdefault((letters.index(z) - letters.index(y)) % len(letters), set()).add(count)
    assert len(instance.words) == size * len(letters) ** 2
    return instance, [only for d in range(len(letters)) for (only,) in [counts[d]]]


def bpe_saves(instance: Instance) -> int:
    left = bpe(instance.words.to_dict(), instance.k)[1]
    return instance.words.total_symbols - left


@pytest.mark.long
@pytest.mark.parametrize(("size", "ratio"), [(2, "0.628"), (3, "0.520"), (4, "0.476")])
def test_byte_pair_encoding_merges_across(size, ratio):
    instance, _ = across(size)
    total, often = instance.words.total_symbols, 100 * size**2
    outer, inner = "ABCD"[:size], "abcdefghijkl"[: 3 * size]
    good = [(x, y) for x in outer for y in inner] + [(z, x) for x in outer for z in inner]
    assert len(good) == instance.k
    assert total - merged_tokens(instance.words, Merges(good)) == instance.k * often
    assert f"{bpe_saves(instance) / (instance.k * often):.3f}" == ratio


@pytest.mark.parametrize("size", range(8, 13))
def test_what_the_ratio_of_merging_across_rests_on(size):
    """The inequalities of docs/results/bpe-ratio.md."""
    instance, counts = across(size)
    often = 100 * size**2
    assert sum(counts) == often
    assert size * counts[0] == often + size
    assert all(size * counts[d] > sum(counts[d:]) for d in range(2 * size))
    assert size * counts[2 * size - 1] > counts[0]
    assert counts == sorted(counts[: 2 * size], reverse=True) + counts[2 * size :]
    assert max(counts[2 * size :]) <= counts[2 * size - 1]
    saved = 3 * size**2 * sum(counts[: 2 * size])
    limit = (1 - (1 - 1 / size) ** (2 * size)) / 2
    assert saved <= (limit + 1 / (200 * size)) * instance.k * often
    assert greedtok(instance).cover < 0.47 * instance.k * often


@pytest.mark.slow
def test_merging_across_is_what_byte_pair_encoding_does():
    instance, counts = across(8)
    assert bpe_saves(instance) == 3 * 8**2 * sum(counts[:16])


def test_bad_requests():
    for arguments, message in [
        (("magic", 3), "unknown family 'magic': use cycle, complete"),
        (("cycle", 2), "family cycle: size is 2: it must be from 3 to"),
        (("cycle", True), "family cycle: size is True"),
        (("cubic", 5), "family cubic: size is 5, but a cubic graph has an even"),
        (("gnp", 5, -1), "family gnp: seed is -1"),
        (("cycle", 101), "101 vertices, but its smallest cover is computed only up to 100: give k"),
        (("unary", 5, 0, -1), "k is -1"),
    ]:
        with pytest.raises(InputError, match=message):
            generate(*arguments)
