"""Cuts that separation finds are violated as it says, and where one is violated it finds one."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.bounds.cuts import clique_line, clique_violation, cycle_violation, odd_cycles, slack
from shared.properties import tries

from partcover.kernels.bounds import _separation

ONE = _separation.ONE


@st.composite
def conflict_graphs(draw, most=7):
    """x of some tokens, and y of some pairs: at most x_a + x_b and 1, as flows allow."""
    n = draw(st.integers(0, most))
    eighths = st.integers(0, 8).map(lambda i: Fraction(i, 8))
    halves = st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)])
    x = [draw(st.one_of(halves, eighths)) for _ in range(n)]
    y = {}
    for a, b in combinations(range(n), 2):
        if draw(st.booleans()):
            top = min(x[a] + x[b], Fraction(1))
            y[frozenset((a, b))] = draw(st.sampled_from([top, top, top / 2, 3 * top / 4]))
    return x, y


def arrays(x, y):
    rows = [sorted(b for b in range(len(x)) if frozenset((a, b)) in y) for a in range(len(x))]
    first = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    neighbour = np.array([b for row in rows for b in row], np.int32)
    slacks = [slack(x, y, a, b) * ONE for a, row in enumerate(rows) for b in row]
    assert all(value.denominator == 1 and value >= 0 for value in slacks)
    return first, neighbour, np.array([int(value) for value in slacks], np.int64)


@tries(400)
@given(conflict_graphs())
def test_an_odd_cycle_is_found_if_one_is_violated(case):
    x, y = case
    found = _separation.odd_cycles(*arrays(x, y), len(x))
    violated = {frozenset(c) for c in odd_cycles(range(len(x)), y) if cycle_violation(c, x, y) > 0}
    assert bool(found) == bool(violated)
    for cycle in found:
        assert len(cycle) % 2 == 1
        assert len(set(cycle)) == len(cycle) >= 3
        assert cycle_violation(cycle, x, y) > 0
    for roots in range(len(x)):
        through = [cycle for cycle in violated if min(cycle) < roots]
        assert bool(_separation.odd_cycles(*arrays(x, y), roots)) >= bool(through)
    # the one that is violated the most is among them
    most = max((cycle_violation(c, x, y) for c in odd_cycles(range(len(x)), y)), default=0)
    if most > 0:
        assert max(cycle_violation(cycle, x, y) for cycle in found) == most


@tries(200)
@given(conflict_graphs())
def test_all_triangles_that_are_violated_are_found(case):
    x, y = case
    found = {(a, b, c): by for a, b, c, by in _separation.triangles(*arrays(x, y)).tolist()}
    every = [
        t
        for t in combinations(range(len(x)), 3)
        if all(frozenset(pair) in y for pair in combinations(t, 2))
    ]
    violated = {t: cycle_violation(t, x, y) * ONE for t in every if cycle_violation(t, x, y) > 0}
    assert found == violated


@tries(200)
@given(conflict_graphs(8))
def test_cliques_are_violated_as_they_say(case):
    x, y = case
    graph = arrays(x, y)
    units = np.array([int(value * ONE) for value in x], np.int64)
    for n, r, by, *nodes in _separation.cliques(
        *graph, units, _separation.triangles(*graph)
    ).tolist():
        clique = nodes[:n]
        assert clique == sorted(set(clique))
        assert set(nodes[n:]) <= {-1}
        violations = [clique_violation(clique, s, x, y) for s in range(1, n - 1)]
        assert max(violations) == violations[r - 1] == Fraction(by, ONE) > 0


def test_four_halves_that_conflict_pairwise_are_a_clique():
    x = [Fraction(1, 2)] * 4
    y = {frozenset(pair): Fraction(1) for pair in combinations(range(4), 2)}
    graph = arrays(x, y)
    seeds = _separation.triangles(*graph)
    assert seeds.tolist() == [[*t, ONE // 2] for t in combinations(range(4), 3)]
    units = np.full(4, ONE // 2)
    assert (
        _separation.cliques(*graph, units, seeds).tolist() == [[4, 1, ONE, 0, 1, 2, 3, -1, -1]] * 4
    )


@pytest.mark.parametrize("y", [Fraction(1), Fraction(7, 8)])
def test_six_halves_that_conflict_pairwise_are_one_clique(y):
    pairs = {frozenset(pair): y for pair in combinations(range(6), 2)}
    graph = arrays([Fraction(1, 2)] * 6, pairs)
    found = _separation.cliques(*graph, np.full(6, ONE // 2), _separation.triangles(*graph))
    assert found.tolist() == [[6, 2, (15 * y - 12) * ONE, 0, 1, 2, 3, 4, 5]] * 20


def test_a_whole_token_beside_three_halves_is_a_clique_for_two():
    """With the first chosen, one more touches all edges: the line through r = 2 and 3 cuts it."""
    half, whole = Fraction(1, 2), Fraction(1)
    x = [whole, half, half, half]
    y = {frozenset(pair): whole for pair in combinations(range(4), 2)}
    graph = arrays(x, y)
    units = np.array([int(value * ONE) for value in x], np.int64)
    found = _separation.cliques(*graph, units, _separation.triangles(*graph)).tolist()
    assert found == [[4, 2, ONE // 2, 0, 1, 2, 3, -1, -1]]


def test_the_line_of_a_clique_is_never_below_what_is_touched():
    for n in range(3, 9):
        edges = n * (n - 1) // 2
        for r in range(1, n - 1):
            coef, rhs = clique_line(n, r)
            assert (coef, rhs) == (
                n - r - 1,
                edges - (n - r) * (n - r - 1) // 2 - (n - r - 1) * r,
            )
            for s in range(n + 1):
                assert edges - (n - s) * (n - s - 1) // 2 <= rhs + coef * s
