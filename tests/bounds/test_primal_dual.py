"""The steps of the primal-dual hybrid gradient: each kernel beside its slow twin."""

from __future__ import annotations

import numpy as np
import pytest
from bounds.counters import counter_of, token_of
from hypothesis import assume, given
from hypothesis import strategies as st
from shared.properties import tries
from shared.strategies import instances, random_instance

from partcover import InputError, lower_bound
from partcover.kernels.bounds._rewards import self_overlaps
from partcover.kernels.steps._column_step import move_columns, move_rows
from partcover.kernels.steps._saddle_point import Saddle, arcs, project, same_arcs


@given(st.data())
def test_same_arcs_are_found_among_others(data):
    order = data.draw(st.permutations(range(6)))
    pairs = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 4)))
    first, second = (
        sorted(data.draw(pairs), key=lambda arc: (arc[1], order[arc[0]])) for _ in range(2)
    )
    arrays = [np.array([arc[n] for arc in a], np.int32) for a in (first, second) for n in (0, 1)]
    expected = [second.index(arc) if arc in second else -1 for arc in first]
    assert same_arcs(*arrays).tolist() == expected


@tries(100)
@given(instances())
def test_arcs_are_the_occurrences(instance):
    counter = counter_of(instance)
    which, start, end, back = arcs(
        counter.places, counter.lo, counter.hi, counter.length, len(instance.words.data)
    )
    expected = []
    for (word, _), begin in zip(instance.words, instance.words.offsets.tolist(), strict=False):
        for number in range(len(counter.lo)):
            token = token_of(counter, number)
            size = len(token)
            expected += [
                (begin + s, number, begin + s + size)
                for s in range(len(word))
                if word[s : s + size] == token
            ]
    expected.sort()
    assert list(zip(start.tolist(), which.tolist(), end.tolist(), strict=True)) == expected
    for o, (first, number, _) in enumerate(expected):
        earlier = [q for q in range(o) if expected[q][1] == number and expected[q][2] > first]
        assert back[o] == (o - earlier[-1] if earlier else 0)
    index = instance.index
    overlap = self_overlaps(index.text, index.sa, counter.lo, counter.hi, counter.length)
    for number in range(len(counter.lo)):
        token = token_of(counter, number)
        borders = any(token[:n] == token[-n:] for n in range(1, len(token)))
        assert overlap[number] == (borders and counter.hi[number] - counter.lo[number] > 1)


@tries(200)
@given(st.data())
def test_projection(data):
    size = data.draw(st.integers(1, 8))
    number = st.floats(0, 4).map(lambda v: round(v, 3))
    x, gain, step = (
        np.array(data.draw(st.lists(values, min_size=size, max_size=size)))
        for values in (
            st.floats(-1, 2).map(lambda v: round(v, 3)),
            number,
            number.map(lambda v: v + 0.1),
        )
    )
    budget = float(data.draw(st.integers(0, size)))
    out = np.empty(size)
    fee = project(x, gain, step, budget, data.draw(number), out)

    def clipped(at: float) -> list[float]:
        return [min(max(a + s * (g - at), 0.0), 1.0) for a, g, s in zip(x, gain, step, strict=True)]

    low, high = 0.0, 100.0
    if sum(clipped(0.0)) > budget:
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if sum(clipped(middle)) > budget else (low, middle)
        assert out == pytest.approx(clipped(high), abs=1e-8)
    else:
        assert fee == 0
        assert out == pytest.approx(clipped(0.0), abs=1e-12)
    assert out.sum() <= budget + 1e-6


def drawn_arrays(data, count):
    """Draws some arrays of equal size."""
    size = data.draw(st.integers(0, 8))
    values = st.lists(st.floats(-2, 2), min_size=size, max_size=size)
    return [np.array(data.draw(values), np.float64) for _ in range(count)]


@tries(50)
@given(st.data())
def test_columns_move_and_are_averaged(data):
    made, start, metric, old = drawn_arrays(data, 4)
    x, ahead = old.copy(), np.empty(len(old))
    moved = move_columns(made, start, metric, 0.75, x, ahead)
    assert ahead == pytest.approx(2 * made - old)
    assert x == pytest.approx(0.75 * (2 * made - old) + 0.25 * start)
    assert moved == pytest.approx(float(np.dot(metric, (made - old) ** 2)))


@tries(50)
@given(st.data())
def test_multipliers_of_rows_move_and_are_averaged(data):
    over, pace, start, old = drawn_arrays(data, 4)
    pace = abs(pace) + 0.5
    multiplier, made = old.copy(), np.empty(len(old))
    moved = move_rows(over, pace, start, 3.0, 0.75, multiplier, made)
    expected = np.maximum(old + 3 * pace * over, 0)
    assert made == pytest.approx(expected)
    assert multiplier == pytest.approx(0.75 * (2 * expected - old) + 0.25 * start)
    assert moved == pytest.approx(float(np.sum((expected - old) ** 2 / pace)))


def slow_step(saddle, instance, which, start, end, pairs, weight, keep, ahead):
    """The step as its equations stand, with lists for rows: first the arcs' own, then of pairs."""
    n_arcs = len(which)
    rows = [
        [q for q in range(n_arcs) if which[q] == which[o] and start[q] <= start[o] < end[q]]
        for o in range(n_arcs)
    ]
    rows += [arcs for _, arcs, _, _ in pairs]
    targets = [*which, *(target for target, *_ in pairs)]
    signs = [[1] * len(row) for row in rows[:n_arcs]]
    signs += [sign if limit >= 0 else [1] * len(sign) for _, _, sign, limit in pairs]
    limits = [-1] * n_arcs + [limit for *_, limit in pairs]
    f, lam = saddle.flow, np.concatenate([saddle.row, saddle.pair_row])
    d = saddle.price.copy()
    over = [max(1, sum(s <= p < e for s, e in zip(start, end, strict=True))) for p in range(len(d))]
    made_f = np.zeros(n_arcs)
    for o in range(n_arcs):
        of = [r for r, row in enumerate(rows) if o in row]
        slope = 1 - d[start[o] : end[o]].sum()
        slope += sum(signs[r][rows[r].index(o)] * lam[r] for r in of)
        made_f[o] = max(0, f[o] - slope / (weight * (end[o] - start[o] + len(of))))
    bar = 2 * made_f - f
    made_lam = np.zeros(len(rows))
    for r, row in enumerate(rows):
        z, limit = ahead[targets[r]], limits[r]
        beyond = np.dot(signs[r], bar[row]) + (-z if limit < 0 else z - limit)
        made_lam[r] = max(0, lam[r] + weight * beyond / (len(row) + 1))
    made_d = np.array(
        [
            min(
                1,
                d[p]
                + weight
                / over[p]
                * (1 - sum(bar[o] for o in range(n_arcs) if start[o] <= p < end[o])),
            )
            for p in range(len(d))
        ]
    )
    new = [
        keep * (2 * made - old) + (1 - keep) * origin
        for made, old, origin in (
            (made_f, f, saddle.flow_from),
            (made_lam, lam, np.concatenate([saddle.row_from, saddle.pair_from])),
            (made_d, d, saddle.price_from),
        )
    ]
    count = np.repeat(instance.words.counts, np.diff(instance.words.offsets))
    gain = np.zeros(len(ahead))
    flows = rows_moved = 0.0
    for o in range(n_arcs):
        of = sum(o in row for row in rows)
        flows += count[start[o]] * (end[o] - start[o] + of) * (made_f[o] - f[o]) ** 2
    for r, row in enumerate(rows):
        gain[targets[r]] += (1 if limits[r] < 0 else -1) * count[start[row[0]]] * new[1][r]
        rows_moved += count[start[row[0]]] * (len(row) + 1) * (made_lam[r] - lam[r]) ** 2
    rows_moved += float(np.sum(count * np.array(over) * (made_d - d) ** 2))
    return new, made_d, made_lam[n_arcs:], gain, flows, rows_moved


@tries(60)
@given(instances(), st.integers(0, 2**31))
def test_a_step(instance, seed):
    counter = counter_of(instance)
    words = instance.words
    assume(len(words))
    which, start, end, back = arcs(
        counter.places, counter.lo, counter.hi, counter.length, len(words.data)
    )
    saddle = Saddle(words.offsets, words.counts.astype(float), which, start, end, back)
    random = np.random.default_rng(seed)
    # rows of two pairs that stand for any tokens: some arcs of a word
    n_tokens, pairs = len(counter.lo), []
    for first, last in zip(saddle.first[:-1], saddle.first[1:], strict=True):
        for _ in range(random.integers(0, 3) if first < last else 0):
            arcs_of_row = random.permutation(np.arange(first, last))[: random.integers(1, 4)]
            target, limit = n_tokens + int(random.integers(0, 2)), int(random.integers(-1, 3))
            sign = random.choice([-2, -1, 1], len(arcs_of_row)).tolist()
            pairs.append((target, sorted(arcs_of_row.tolist()), sign, limit))
    saddle.set_pairs(
        np.cumsum([0, *(len(row) for _, row, *_ in pairs)]).astype(np.int64),
        np.array([o for _, row, *_ in pairs for o in row], np.int32),
        np.array([target for target, *_ in pairs], np.int32),
        np.array([each for *_, sign, _ in pairs for each in sign], np.int8),
        np.array([limit for *_, limit in pairs], np.int8),
    )
    for array in (saddle.flow, saddle.row, saddle.pair_row, saddle.price):
        array[:] = random.uniform(-0.5, 1, len(array))
    np.maximum(saddle.row, 0, out=saddle.row)
    np.maximum(saddle.pair_row, 0, out=saddle.pair_row)
    saddle.anchor()
    saddle.price[:] = random.uniform(0, 1, len(saddle.price))
    weight, keep = random.uniform(0.5, 2), random.uniform(0.5, 1)
    ahead = random.uniform(-0.5, 1.5, n_tokens + 2)
    lists = [array.tolist() for array in (which, start, end)]
    new, made, pair_made, gain, flows, moved = slow_step(
        saddle, instance, *lists, pairs, weight, keep, ahead
    )
    got_gain, got_moves = np.zeros((2, len(ahead))), np.zeros((2, 2))
    saddle.share_out(2)
    for part in range(2):
        saddle.step(part, weight, keep, ahead, got_gain[part], got_moves[part])
    assert saddle.flow == pytest.approx(new[0], abs=1e-9)
    assert np.concatenate([saddle.row, saddle.pair_row]) == pytest.approx(new[1], abs=1e-9)
    assert saddle.pair_made == pytest.approx(pair_made, abs=1e-9)
    assert saddle.price == pytest.approx(new[2], abs=1e-9)
    assert saddle.made == pytest.approx(made, abs=1e-9)
    assert got_gain.sum(axis=0) == pytest.approx(gain, abs=1e-6)
    assert got_moves.sum(axis=0) == pytest.approx([flows, moved], abs=1e-6)
    some = random.permutation(len(words))[: len(words) // 2 + 1].astype(np.int32)
    saddle.share_out(2, some)
    at_rest, total, got_gain = np.zeros((3, len(ahead)))
    for part in range(2):
        gain_of_shard = np.zeros(len(ahead))
        saddle.step(part, weight, keep, ahead, gain_of_shard, np.zeros(2))
        got_gain += gain_of_shard
    saddle.gains_at_rest(at_rest)
    saddle.gains(total)
    assert at_rest + got_gain == pytest.approx(total, abs=1e-6)


def test_too_many_arcs_are_refused(monkeypatch):
    monkeypatch.setattr("partcover.bounds.steps.word_ascent.BYTES_A_HELD_ARC", 1 << 45)
    with pytest.raises(InputError, match="--max-length"):
        lower_bound(random_instance(0, 5))
