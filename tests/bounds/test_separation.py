"""The cuts that are chosen at a point: against all odd cycles and cliques of the conflict graph."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracles.bounds.cuts import clique_line, clique_violation, cycle_violation, odd_cycles
from shared.properties import tries

from partcover.bounds.rows.cuts import Inequality
from partcover.bounds.steps.separation import separate

CUTS_AN_EDGE = 3
HALF = Fraction(1, 2)


def point(parts, x, fee, names):
    """What `separate` reads of steps: parts are (count, arcs), an arc (token, start, end, flow)."""
    offsets, arcs = [0], []
    for _, own in parts:
        arcs += sorted((offsets[-1] + s, offsets[-1] + e, t, f) for t, s, e, f in own)
        offsets.append(offsets[-1] + 4)
    start, end, which, flow = ([arc[i] for arc in arcs] for i in range(4))
    return SimpleNamespace(
        parts=SimpleNamespace(
            offsets=np.array(offsets, np.int64),
            counts=np.array([float(count) for count, _ in parts]),
            which=np.array(which, np.int32),
            start=np.array(start, np.int32),
            end=np.array(end, np.int32),
        ),
        saddle=SimpleNamespace(flow=np.array([float(f) for f in flow])),
        x_made=np.array([float(value) for value in x]),
        fee=float(fee),
        cuts=[],
        active=np.array(names, np.int32),
    )


def conflicts(parts, x, fee):
    """y and weight of the pairs that a cut may use, by looking at every position."""
    y, weight = {}, Counter()
    for count, arcs in parts:
        for a, b in combinations(range(len(x)), 2):
            sums = []
            for p in range(4):
                over = [(t, f) for t, s, e, f in arcs if t in (a, b) and s <= p < e and f > 0]
                if {t for t, _ in over} == {a, b}:
                    sums.append(sum(f for _, f in over))
            if sums and max(sums) > max(x[a], x[b]):
                pair = frozenset((a, b))
                y[pair] = max(y.get(pair, 0), min(max(sums), Fraction(1)))
                weight[pair] += count
    useful = [
        pair for pair in y if y[pair] > sum(x[t] for t in pair) / 2 and 500 * weight[pair] > fee
    ]
    # flows may be above what x allows
    top = {pair: min(y[pair], HALF + sum(x[t] for t in pair) / 2) for pair in useful}
    return top, weight


EIGHTHS = st.sampled_from([Fraction(i, 8) for i in (0, 2, 4, 4, 4, 5, 8)])
NAMES = st.integers(0, 59)  # modulo the number of tokens
PART = st.tuples(
    st.tuples(NAMES, NAMES),
    st.tuples(*[st.sampled_from([HALF, HALF, None, Fraction(1, 8)])] * 2),
    st.integers(3, 4),
    st.none() | st.none() | st.tuples(NAMES, st.integers(0, 2), EIGHTHS),
    st.integers(1, 9),
)
POINT = st.tuples(
    st.lists(EIGHTHS, min_size=3, max_size=6),
    st.lists(PART, min_size=2, max_size=9),
    st.sampled_from([1, 1, 2000]),
)


def as_point(drawn):
    """Parts, x and fee: a flow is that of its token where none is drawn."""
    x, drawn_parts, fee = drawn
    n, parts = len(x), []
    for (a, b), flows, end, more, count in drawn_parts:
        a, b = a % n, b % (n - 1)
        b += b >= a
        first, second = (x[t] if f is None else f for t, f in zip((a, b), flows, strict=True))
        arcs = [(a, 0, 2, first), (b, 1, end, second)]
        if more is not None:
            t, s, flow = more
            arcs.append((t % n, s, s + 2, flow))
        parts.append((count, arcs))
    return parts, x, fee


def check(parts, x, fee):
    names = [3 * t + 2 for t in range(len(x))]
    found = separate(point(parts, x, fee, names))
    y, weight = conflicts(parts, x, fee)
    use = {}
    for cycle in odd_cycles(range(len(x)), y):
        violation = cycle_violation(cycle, x, y)
        if violation > 0:
            cut = Inequality.cycle([names[n] for n in cycle])
            edges = [frozenset((cycle[i - 1], cycle[i])) for i in range(len(cycle))]
            use[cut] = violation * min(weight[e] for e in edges)
    triangles = [cut for cut in use if len(cut.tokens) == 3]
    for size in (4, 5, 6):
        for clique in combinations(range(len(x)), size):
            edges = [frozenset(pair) for pair in combinations(clique, 2)]
            if all(edge in y for edge in edges):
                for r in range(1, size - 1):
                    violation = clique_violation(clique, r, x, y)
                    if violation > 0:
                        cut = Inequality.clique([names[n] for n in clique], r)
                        assert (cut.form.coef, cut.form.rhs) == clique_line(size, r)
                        use[cut] = violation * min(weight[edge] for edge in edges)
    assert len(set(found)) == len(found)
    assert set(found) <= set(use)
    assert bool(found) == bool(use)
    uses = [use[cut] for cut in found]
    assert uses == sorted(uses, reverse=True)
    sets = Counter(own for cut in found for own in cut.named)
    assert max(sets.values(), default=0) <= CUTS_AN_EDGE
    for cut in set(triangles) - set(found):
        better = Counter(own for other in found if use[other] >= use[cut] for own in other.named)
        assert max(better[own] for own in cut.named) == CUTS_AN_EDGE
    return found


@tries(200)
@given(POINT.map(as_point))
def test_what_is_chosen_is_violated_and_of_use(case):
    check(*case)


def pairwise_parts(edges, counts):
    return [
        (count, [(a, 0, 2, HALF), (b, 1, 3, HALF)])
        for (a, b), count in zip(edges, counts, strict=True)
    ]


def test_a_triangle_and_a_cycle_of_five():
    three = pairwise_parts([(0, 1), (1, 2), (0, 2)], [1, 1, 1])
    assert check(three, [HALF] * 3, 1) == [Inequality.cycle((2, 5, 8))]
    around = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]
    five = pairwise_parts(around, [1, 2, 3, 4, 5])
    assert check(five, [HALF] * 5, 1) == [Inequality.cycle((2, 5, 8, 11, 14))]
    # of words that save too little beside a token's reward none is worth a row
    assert check(five, [HALF] * 5, 1000) == []


def test_the_heavier_of_two_triangles_is_first():
    edges = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]
    found = check(pairwise_parts(edges, [1, 9, 9, 2, 2, 2]), [HALF] * 6, 1)
    assert found == [Inequality.cycle((11, 14, 17)), Inequality.cycle((2, 5, 8))]


def test_no_pair_is_in_more_than_three():
    """Six tokens that overlap pairwise: 20 triangles, each pair in four of them."""
    edges = list(combinations(range(6), 2))
    found = check(pairwise_parts(edges, [1] * 15), [HALF] * 6, 1)
    assert Inequality.clique((2, 5, 8, 11, 14, 17), 2) in found


def test_a_thousand_at_most():
    """Of 1,001 triangles that share no token the lightest is left for the next round."""
    edges = [(t + a, t + b) for t in range(0, 3003, 3) for a, b in ((0, 1), (1, 2), (0, 2))]
    counts = [2] * 9 + [1] * 3 + [2] * 2991
    found = separate(point(pairwise_parts(edges, counts), [HALF] * 3003, 1, range(3003)))
    assert len(found) == 1000
    assert Inequality.cycle((9, 10, 11)) not in found
