"""The cuts that are chosen at a point: against all odd cycles and cliques of the conflict graph."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace

import numpy as np
from cut_strategies import single
from hypothesis import given
from hypothesis import strategies as st
from oracles.cuts import clique_line, clique_violation, cycle_violation, odd_cycles
from properties import tries

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


def larger(parts, x, fee):
    """y and weight of the sets of three and four tokens that want most where a flow begins."""
    y, weight = {}, Counter()
    for count, arcs in parts:
        live = [arc for arc in arcs if arc[3] > 0]
        here = {}
        for p in {s for _, s, _, _ in live} if len(live) > 2 else ():
            total = Counter()
            for t, s, e, f in live:
                if s <= p < e:
                    total[t] += f
            wanted = [t for t in total if 2 * total[t] > x[t] and x[t] < 1]
            wanted.sort(key=lambda t: (x[t] - 2 * total[t], t))
            for size in range(3, min(len(wanted), 4) + 1):
                own = frozenset(wanted[:size])
                here[own] = max(here.get(own, 0), sum(total[t] for t in own))
        for own, value in here.items():
            y[own] = max(y.get(own, 0), min(value, Fraction(1)))
            weight[own] += count
    useful = [s for s in y if y[s] > sum(x[t] for t in s) / 2 and 500 * weight[s] > fee]
    return {s: min(y[s], HALF + sum(x[t] for t in s) / 2) for s in useful}, weight


def group_graph(parts, x, fee):
    """The groups of tokens, and y, weight and set of the edges between them, by place in these."""
    found = [conflicts(parts, x, fee), larger(parts, x, fee)]
    edges = {}
    for y, weight in found:
        for tokens, value in y.items():
            for size in range(1, len(tokens)):
                for one in combinations(sorted(tokens), size):
                    edge = frozenset((one, tuple(sorted(tokens.difference(one)))))
                    edges[edge] = value, weight[tokens], tokens
    groups = sorted({group for edge in edges for group in edge})
    place = {group: n for n, group in enumerate(groups)}
    return groups, {frozenset(place[g] for g in edge): own for edge, own in edges.items()}


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
    groups, graph = group_graph(parts, x, fee)
    y = {edge: value for edge, (value, _, _) in graph.items()}
    x = [sum(x[t] for t in group) for group in groups]
    weight = {edge: own for edge, (_, own, _) in graph.items()}
    named = [tuple(names[t] for t in group) for group in groups]

    def is_clear(nodes, edges):
        """Whether no token is in two groups, and no set of tokens is two edges."""
        tokens = [t for n in nodes for t in groups[n]]
        sets = [graph[edge][2] for edge in edges]
        return len(set(tokens)) == len(tokens) and len(set(sets)) == len(sets)

    use, lost = {}, False
    for cycle in odd_cycles(range(len(groups)), y):
        edges = [frozenset((cycle[i - 1], cycle[i])) for i in range(len(cycle))]
        violation = cycle_violation(cycle, x, y)
        lost |= violation > 0 and not is_clear(cycle, edges)
        if violation > 0 and is_clear(cycle, edges):
            cut = Inequality.cycle([named[n] for n in cycle])
            use[cut] = violation * min(weight[e] for e in edges)
    triangles = [cut for cut in use if len(cut.nodes) == 3]
    for size in (4, 5, 6):
        for clique in combinations(range(len(groups)), size):
            edges = [frozenset(pair) for pair in combinations(clique, 2)]
            if all(edge in y for edge in edges) and is_clear(clique, edges):
                for r in range(1, size - 1):
                    violation = clique_violation(clique, r, x, y)
                    if violation > 0:
                        cut = Inequality.clique([named[n] for n in clique], r)
                        assert (cut.coef, cut.rhs) == clique_line(size, r)
                        use[cut] = violation * min(weight[edge] for edge in edges)
    assert len(set(found)) == len(found)
    assert set(found) <= set(use)
    assert bool(found) == bool(use) or lost
    uses = [use[cut] for cut in found]
    assert uses == sorted(uses, reverse=True)
    sets = Counter(own for cut in found for own in cut.sets)
    assert max(sets.values(), default=0) <= CUTS_AN_EDGE
    for cut in set(triangles) - set(found):
        better = Counter(own for other in found if use[other] >= use[cut] for own in other.sets)
        assert max(better[own] for own in cut.sets) == CUTS_AN_EDGE
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


def test_groups_of_tokens_that_take_the_place_of_one():
    """Over the middle of three words lie three tokens and two; of the five, four halves save all.

    With a third each of b and c, a and the two of them, a and d, d and the two are a triangle.
    """
    third, rest = Fraction(1, 4), HALF
    parts = [
        (2, [(0, 0, 2, rest), (1, 1, 3, third), (2, 1, 4, third)]),
        (2, [(3, 0, 2, rest), (1, 1, 3, third), (2, 1, 4, third)]),
        (2, [(0, 0, 2, rest), (3, 1, 3, rest)]),
    ]
    found = check(parts, [HALF, third, third, HALF], 1)
    assert Inequality.cycle([(2,), (5, 8), (11,)]) in found


def test_a_triangle_and_a_cycle_of_five():
    three = pairwise_parts([(0, 1), (1, 2), (0, 2)], [1, 1, 1])
    assert check(three, [HALF] * 3, 1) == [Inequality.cycle(single(2, 5, 8))]
    around = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]
    five = pairwise_parts(around, [1, 2, 3, 4, 5])
    assert check(five, [HALF] * 5, 1) == [Inequality.cycle(single(2, 5, 8, 11, 14))]
    # of words that save too little beside a token's reward none is worth a row
    assert check(five, [HALF] * 5, 1000) == []


def test_the_heavier_of_two_triangles_is_first():
    edges = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]
    found = check(pairwise_parts(edges, [1, 9, 9, 2, 2, 2]), [HALF] * 6, 1)
    assert found == [Inequality.cycle(single(11, 14, 17)), Inequality.cycle(single(2, 5, 8))]


def test_no_pair_is_in_more_than_three():
    """Six tokens that overlap pairwise: 20 triangles, each pair in four of them."""
    edges = list(combinations(range(6), 2))
    found = check(pairwise_parts(edges, [1] * 15), [HALF] * 6, 1)
    assert Inequality.clique(single(2, 5, 8, 11, 14, 17), 2) in found


def test_a_thousand_at_most():
    """Of 1,001 triangles that share no token the lightest is left for the next round."""
    edges = [(t + a, t + b) for t in range(0, 3003, 3) for a, b in ((0, 1), (1, 2), (0, 2))]
    counts = [2] * 9 + [1] * 3 + [2] * 2991
    found = separate(point(pairwise_parts(edges, counts), [HALF] * 3003, 1, range(3003)))
    assert len(found) == 1000
    assert Inequality.cycle(single(9, 10, 11)) not in found
