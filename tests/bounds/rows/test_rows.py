"""The rows of the relaxation: budgets of groups, and families stacked upon each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import GroupBudget, Instance, check_certificate, lower_bound
from partcover.bounds.branch_and_cut import branch_and_cut
from partcover.bounds.rows.budgets import Budgets
from partcover.bounds.rows.rows import ArcRows, Rows


def drawn_floats(draw, size, low, high):
    number = st.floats(low, high, allow_nan=False, width=32)
    return np.array(draw(st.lists(number, min_size=size, max_size=size)), np.float64)


@tries(300)
@given(st.data())
def test_the_nearest_point_of_budgets(data):
    """The conditions of Karush, Kuhn and Tucker hold, which only the nearest point satisfies."""
    n, n_groups = data.draw(st.integers(1, 7)), data.draw(st.integers(0, 3))
    flags = st.lists(st.booleans(), min_size=n, max_size=n)
    inside = np.array(data.draw(flags)) & np.array(data.draw(flags))
    groups = [(np.array(data.draw(flags)), data.draw(st.integers(0, n))) for _ in range(n_groups)]
    groups = [(members, max(limit, int((members & inside).sum()))) for members, limit in groups]
    free = data.draw(st.integers(0, n))
    outside = np.array(data.draw(flags)) & np.array(data.draw(flags)) & ~inside
    budgets = Budgets(free, inside, groups, outside=outside)
    budgets.over(np.arange(n, dtype=np.int32))
    x, gain = drawn_floats(data.draw, n, 0, 1), drawn_floats(data.draw, n, 0, 5)
    scale = drawn_floats(data.draw, n, 0.125, 2)
    for _ in range(30):  # each begins with the fees of the one before
        made = budgets.project(x, gain, scale)
    open_ = ~(inside | outside)
    assert made[~open_].tolist() == inside[~open_].astype(float).tolist()
    assert budgets.fee >= 0
    assert (budgets.fees >= 0).all()
    owed = np.full(n, budgets.fee)
    rows = [(~inside, free, budgets.fee)]
    for (members, limit), fee in zip(groups, budgets.fees.tolist(), strict=True):
        owed[members] += fee
        rows.append((members & ~inside, limit - int((members & inside).sum()), fee))
    nearest = np.clip(x + scale * (gain - owed), 0, 1)
    assert made[open_] == pytest.approx(nearest[open_], abs=1e-5)
    for members, limit, fee in rows:
        taken = made[members].sum()
        assert taken <= limit + 1e-5
        if fee > 1e-3:
            assert taken >= limit - 1e-3


def dense(rows: Rows, columns: int) -> np.ndarray:
    matrix = np.zeros((len(rows.keys), columns))
    np.add.at(matrix, (rows.row, rows.column), rows.coef)
    return matrix


def drawn_rows(draw, name: str, n: int) -> Rows:
    n_rows, n_own = draw(st.integers(0, 3)), draw(st.integers(0, 2))
    entry = st.tuples(
        st.integers(0, max(0, n_rows - 1)), st.integers(0, n + n_own - 1), st.integers(-2, 2)
    )
    entries = draw(st.lists(entry, max_size=6)) if n_rows else []
    over = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, n + n_own - 1)), max_size=4))
    over.sort()
    sizes = [draw(st.integers(1, 3)) for _ in over]
    return Rows(
        [f"{name}{i}" for i in range(n_rows)],
        [f"{name} own {i}" for i in range(n_own)],
        np.arange(n_own, dtype=float),
        np.array([entry[0] for entry in entries], np.int64),
        np.array([entry[1] for entry in entries], np.int64),
        np.array([float(entry[2]) for entry in entries]),
        np.arange(n_rows, dtype=float),
        np.ones(n_rows),
        ArcRows(
            np.arange(len(over), dtype=np.int64),
            np.array([place for place, _ in over], np.int64),
            np.array([target for _, target in over], np.int32),
            np.cumsum([0, *sizes]).astype(np.int64),
            np.array([draw(st.integers(0, 20)) for _ in range(sum(sizes))], np.int32),
            np.zeros(len(over), np.int32),
        ),
    )


@tries(100)
@given(st.data())
def test_families_stand_upon_each_other(data):
    n = data.draw(st.integers(1, 3))
    parts = [drawn_rows(data.draw, name, n) for name in "abc"[: data.draw(st.integers(0, 3))]]
    rows = Rows.stacked(parts, n)
    n_own = len(rows.own)
    assert list(rows.own) == [name for part in parts for name in part.own]
    expected, expected_arcs, before = np.zeros((0, n + n_own)), [], 0
    for part in parts:
        own = len(part.own)
        column = [*range(n), *range(n + before, n + before + own)]
        wide = np.zeros((len(part.keys), n + n_own))
        wide[:, column] = dense(part, n + own)
        expected = np.vstack([expected, wide])
        for at in range(len(part.arcs)):
            first, last = part.arcs.first[at : at + 2]
            arcs = part.arcs.arcs[first:last].tolist()
            expected_arcs.append((part.arcs.place[at], column[part.arcs.target[at]], arcs))
        before += own
    assert np.array_equal(dense(rows, n + n_own), expected)
    found = [
        (place, target, rows.arcs.arcs[first:last].tolist())
        for place, target, first, last in zip(
            rows.arcs.place, rows.arcs.target, rows.arcs.first, rows.arcs.first[1:], strict=False
        )
    ]
    assert found == sorted(expected_arcs, key=lambda row: row[0])
    values = np.arange(1.0, n + n_own + 1)
    assert rows.violation(values).tolist() == (expected @ values - rows.rhs).tolist()
    multipliers = np.arange(1.0, len(rows.keys) + 1)
    gain = np.arange(2.0, n + n_own + 2)
    left = rows.without(gain, multipliers)
    assert left.tolist() == (gain - expected.T @ multipliers).tolist()


WORDS = {"that": 9, "hat": 7, "than": 5, "thin": 4, "tint": 3, "hint": 2, "ant": 2}


def test_a_bound_uses_group_budgets():
    groups = [GroupBudget("short", 1, max_length=3), GroupBudget("th", 1, tokens=["th", "that"])]
    instance = Instance(WORDS, 4, groups=groups)
    bound = lower_bound(instance, cuts=False)
    assert bound.lower_bound > lower_bound(Instance(WORDS, 4)).lower_bound
    assert bound.lower_bound <= bound.relaxation + 1e-6
    assert any(bound.certificate.tree[0].group_multipliers)
    assert check_certificate(instance, bound.certificate).lower_bound == bound.lower_bound


@pytest.mark.parametrize("digits", [60, 100, 3000])
def test_group_multipliers_of_any_size_are_read(digits):
    """A group of limit 0 may have any: no token of it is worth so much."""
    groups = [GroupBudget("short", 0, max_length=3), GroupBudget("th", 1, tokens=["th", "that"])]
    instance = Instance(WORDS, 4, groups=groups)
    whole = branch_and_cut(instance)
    leaf = whole.certificate.tree[0]
    huge = (1 << digits, *leaf.group_multipliers[1:])
    start = replace(
        whole.certificate, tree=(replace(leaf, group_multipliers=huge), *whole.certificate.tree[1:])
    )
    assert check_certificate(instance, start).lower_bound == whole.lower_bound
    again = branch_and_cut(instance, start_certificate=start)
    assert (again.tokens, again.lower_bound) == (whole.tokens, whole.tokens)


@pytest.mark.parametrize("count", [1, 10**12])  # fees beyond 63 bits
def test_a_tree_with_group_budgets_goes_on_where_it_was(count):
    groups = [GroupBudget("short", 1, max_length=3), GroupBudget("th", 1, tokens=["th", "that"])]
    words = {word: count * times for word, times in WORDS.items()}
    instance = Instance(words, 4, groups=groups)
    whole = branch_and_cut(instance)
    assert whole.status == "optimal"
    assert any(whole.certificate.tree[0].group_multipliers)
    for start in (whole.certificate, lower_bound(instance, iterations=20).certificate):
        again = branch_and_cut(instance, start_certificate=start)
        assert (again.tokens, again.lower_bound) == (whole.tokens, whole.tokens)
    warm = lower_bound(instance, start_certificate=whole.certificate, iterations=0)
    assert warm.lower_bound == whole.tokens
