"""Merged parts, the rows of sets and what flows demand: each kernel beside its slow twin."""

from __future__ import annotations

import numpy as np
import pytest
from bounds.counters import counter_of
from hypothesis import given
from hypothesis import strategies as st
from oracles.bounds import parts as slow
from shared.properties import tries
from shared.strategies import instances

from partcover.bounds.rows.cuts import edge_key, rows_of_edges
from partcover.bounds.rows.rows import Arcs
from partcover.bounds.steps.parts import Parts
from partcover.kernels.bounds import _separation
from partcover.kernels.bounds._parts import group_rows
from partcover.kernels.bounds._rewards import charged_rewards

ONE = _separation.ONE


@st.composite
def some_parts(draw):
    """The parts for some candidates of an instance, and these."""
    counter = counter_of(draw(instances()))
    numbers = range(len(counter.lo))
    active = draw(st.sets(st.sampled_from(numbers))) if numbers else set()
    return counter, Parts(counter, np.array(sorted(active), np.int32))


def arcs_of(parts: Parts):
    return list(zip(parts.which.tolist(), parts.start.tolist(), parts.end.tolist(), strict=True))


def occurrences(counter, active):
    """The occurrences of the active set in the words."""
    arcs = [
        (which, place, place + int(counter.length[c]))
        for which, c in enumerate(active.tolist())
        for place in counter.places[counter.lo[c] : counter.hi[c]].tolist()
    ]
    return sorted(arcs, key=lambda arc: (arc[1], arc[0]))


@pytest.mark.long
@tries(600)
@given(some_parts())
def test_parts_that_are_the_same_are_merged(case):
    counter, parts = case
    found = occurrences(counter, parts.active)
    expected = slow.merged(counter.count_at.tolist(), found)
    arcs = arcs_of(parts)
    shapes = [
        tuple((which, start - group[0][1], end - group[0][1]) for which, start, end in group)
        for group in slow.parts(arcs)
    ]
    assert dict(zip(shapes, parts.counts.tolist(), strict=True)) == expected
    assert shapes == list(expected)
    assert parts.offsets.tolist() == [0, *(max(a[2] for a in g) for g in slow.parts(arcs))]
    # each occurrence has its arc
    for which, start, end in found:
        place = int(parts.place[start])
        assert (which, place, place + end - start) in arcs
        assert parts.place[start:end].tolist() == list(range(place, place + end - start))
    covered = {p for _, start, end in found for p in range(start, end)}
    assert {p for p, place in enumerate(parts.place.tolist()) if place >= 0} == covered
    places = np.arange(len(parts.position))
    position, number = parts.everywhere(places)
    assert sorted(zip(number.tolist(), position.tolist(), strict=True)) == sorted(
        (place, p) for p, place in enumerate(parts.place.tolist()) if place >= 0
    )


@st.composite
def edges_of(draw, parts: Parts):
    """Some pairs of the active set, by their places in it, in the order of their names."""
    if len(parts.active) < 2:
        return []
    tokens = st.sets(st.integers(0, len(parts.active) - 1), min_size=2, max_size=2)
    return sorted(draw(st.sets(tokens.map(sorted).map(tuple), max_size=12)))


@pytest.mark.long
@tries(600)
@given(st.data())
def test_rows_of_edges(data):
    _, parts = data.draw(some_parts())
    sets = data.draw(edges_of(parts))
    named = [tuple(parts.active[list(own)].tolist()) for own in sets]
    names = [edge_key(own) for own in named]
    held = parts.active, parts.which, parts.start, parts.end, parts.offsets, parts.counts
    none = np.zeros(len(parts.active))
    rows = rows_of_edges(Arcs(*held, none, none), np.array(named, np.int64).reshape(-1, 2))
    arcs = arcs_of(parts)
    members = [
        rows.arcs[first:last].tolist()
        for first, last in zip(rows.first[:-1], rows.first[1:], strict=True)
    ]
    numbers = (rows.target - len(parts.active)).tolist()
    assert rows.name.tolist() == [names[number] for number in numbers]
    found = [(number, frozenset(row)) for number, row in zip(numbers, members, strict=True)]
    assert len(set(found)) == len(found)
    assert set(found) == slow.set_rows(arcs, sets, int(parts.offsets[-1]))
    for row, place in zip(members, rows.place.tolist(), strict=True):
        assert all(arcs[n][1] <= place < arcs[n][2] for n in row)
    part = np.searchsorted(parts.offsets, rows.place, "right")
    assert (np.diff(part) >= 0).all()


@pytest.mark.long
@tries(400)
@given(st.data())
def test_what_flows_demand(data):
    _, parts = data.draw(some_parts())
    arcs = arcs_of(parts)
    eighths = st.integers(-1, 9).map(lambda n: n / 8)
    flow = data.draw(st.lists(eighths, min_size=len(arcs), max_size=len(arcs)))
    found = _separation.demands(
        parts.offsets, parts.which, parts.start, parts.end, np.array(flow), 0.2
    )
    expected = slow.demands(parts.offsets.tolist(), arcs, flow, 0.2)
    got = {(key >> 32, key & 0xFFFFFFFF, part): most / ONE for key, part, most in found.tolist()}
    assert len(got) == len(found)
    assert got == expected


@pytest.mark.long
@tries(400)
@given(st.data())
def test_rewards_of_tokens_that_pay(data):
    counter = counter_of(data.draw(instances()))
    symbols, n = len(counter.count_at), len(counter.lo)
    one, shift = 64, data.draw(st.integers(0, 5))
    prices = data.draw(st.lists(st.integers(-40, one), min_size=symbols, max_size=symbols))
    which = sorted(data.draw(st.sets(st.integers(0, n - 1)))) if n else []
    paid = [
        data.draw(st.dictionaries(st.integers(0, symbols - 1), st.integers(1, one), max_size=5))
        for _ in which
    ]
    out, low = np.zeros(n, np.int64), np.zeros(n, np.int64)
    half = len(which) // 2
    for begin, stop in ((0, half), (half, len(which))):
        charged_rewards(
            counter.places,
            np.concatenate([[0], np.cumsum(prices, dtype=np.int64)]).astype(np.int64),
            counter.count_at,
            one,
            counter.lo,
            counter.hi,
            counter.length,
            np.array(which, np.int32),
            np.arange(len(which) + 1),
            np.arange(len(which), dtype=np.int32),
            np.cumsum([0, *map(len, paid)]).astype(np.int64),
            np.array([p for own in paid for p in sorted(own)], np.int32),
            np.array(
                [sum(own[p] for p in sorted(own)[:i]) for own in paid for i in range(len(own) + 1)],
                np.int64,
            ),
            out,
            low,
            shift,
            begin,
            stop,
        )
    for c, own in zip(which, paid, strict=True):
        places = counter.places[counter.lo[c] : counter.hi[c]].tolist()
        expected = slow.charged_reward(
            prices, counter.count_at.tolist(), one, places, int(counter.length[c]), own
        )
        assert (int(out[c]), int(low[c])) == (expected >> shift, expected & ((1 << shift) - 1))


ARC = st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(2, 5))


@tries(200)
@given(st.lists(ARC, max_size=9, unique=True), st.lists(st.sets(st.integers(0, 8)), max_size=3))
def test_rows_of_groups_are_the_largest_sets(drawn, chosen):
    arcs = sorted(((token, start, start + size) for token, start, size in drawn), key=by_start)
    groups = [sorted(n for n in group if n < len(arcs)) for group in chosen]
    which, start, end = (np.array(a, np.int32) for a in zip(*arcs, (0, 0, 0), strict=True))
    first = np.cumsum([0, *map(len, groups)]).astype(np.int64)
    members = np.array([n for group in groups for n in group], np.int32)
    rows, row_first, row_arcs = group_rows(first, members, which, start, end)
    found: list[set] = [set() for _ in groups]
    for (group, position), begin, stop in zip(rows, row_first[:-1], row_first[1:], strict=True):
        row = row_arcs[begin:stop].tolist()
        assert all(arcs[n][1] <= position < arcs[n][2] for n in row)
        found[group].add(frozenset(row))
    assert found == [slow.group_rows(group, arcs) for group in groups]
    assert len(rows) == sum(map(len, found))


def by_start(arc):
    return arc[1], arc[0]
