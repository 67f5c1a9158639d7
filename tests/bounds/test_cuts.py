"""Bounds with cuts: never above the optimum, certified, and more than the relaxation proves."""

from __future__ import annotations

import random
from contextlib import contextmanager
from itertools import pairwise

import numpy as np
import pytest
from bounds.counters import counter_of
from hypothesis import given
from hypothesis import strategies as st
from oracles.bounds.cuts import clique_line
from oracles.brute_force import fewest_tokens
from shared.properties import tries
from shared.strategies import instances, random_instance

from partcover import (
    Certificate,
    GroupBudget,
    Instance,
    check_certificate,
    lower_bound,
    solve,
)
from partcover.bounds.climbing import cut_rounds
from partcover.bounds.climbing.best_prices import BestPrices
from partcover.bounds.climbing.cut_rounds import CutRounds
from partcover.bounds.climbing.dual_point import Case, DualPoint
from partcover.bounds.climbing.warm_start import first_point
from partcover.bounds.counting.price_counter import PriceCounter
from partcover.bounds.rows.cuts import Inequality, edge_key
from partcover.bounds.steps.separation import separate
from partcover.bounds.steps.word_ascent import WordAscent
from partcover.bounds.tree.branch_tree import tree_of
from partcover.heuristics.greedy import greedtok
from partcover.problem.certificates.cuts import Cut
from partcover.problem.certificates.nodes import Leaf
from partcover.runtime.limits import Deadline
from partcover.runtime.processes.parallel import workers
from partcover.runtime.progress import Progress

pytestmark = pytest.mark.usefixtures("few_rounds")


def check_bound(instance: Instance):
    best = fewest_tokens(instance)
    bound = lower_bound(instance)
    assert bound.plain_bound <= bound.lower_bound <= best
    check = check_certificate(instance, bound.certificate)
    assert check.ok
    assert check.lower_bound == bound.lower_bound
    return bound, best


@pytest.mark.long
@tries(100)
@given(instances())
def test_never_above_the_optimum(instance):
    check_bound(instance)


@pytest.mark.long
@tries(40)
@given(st.integers(0, 2**31))
def test_words_of_few_letters(seed):
    """Repeats and overlaps."""
    draw = random.Random(seed)
    letters = "abc"[: draw.randint(2, 3)]
    words = {
        "".join(draw.choices(letters, k=draw.randint(2, 6))): draw.randint(1, 6)
        for _ in range(draw.randint(3, 9))
    }
    check_bound(Instance(words, draw.randint(1, 3)))


@pytest.mark.long
@pytest.mark.parametrize(("seed", "k"), [(6, 8), (7, 8), (10, 30), (2, 40)])
def test_cuts_prove_more_than_the_relaxation(seed, k):
    instance = random_instance(seed, k)
    plain, bound = lower_bound(instance, cuts=False), lower_bound(instance)
    best = solve(instance).tokens
    assert plain.lower_bound <= np.ceil(plain.relaxation) < bound.lower_bound <= best
    assert bound.plain_bound <= plain.lower_bound
    assert sum(bound.cuts.values()) > 0
    check = check_certificate(instance, bound.certificate)
    assert (check.ok, check.lower_bound) == (True, bound.lower_bound)
    # at least half of what the relaxation gives away
    assert best - bound.lower_bound <= (best - plain.lower_bound) / 2


@pytest.mark.long
def test_a_certificate_with_cuts_is_a_start(tmp_path):
    instance = random_instance(0, 5)
    bound = lower_bound(instance)
    bound.certificate.save(tmp_path / "p.cert")
    again = lower_bound(
        instance, start_certificate=Certificate.load(tmp_path / "p.cert"), iterations=0
    )
    assert again.lower_bound == bound.lower_bound
    assert check_certificate(instance, again.certificate).ok


@pytest.mark.long
@pytest.mark.parametrize(("seed", "k"), [(6, 8), (7, 8), (10, 30)])
def test_rounds_begin_at_the_cuts_of_a_start(seed, k):
    """The first round has the cuts of the start, and proves what it proves."""
    instance = random_instance(seed, k)
    start = lower_bound(instance)
    assert start.lower_bound > start.plain_bound
    counter = counter_of(instance)
    ascent, _ = first_point(counter, greedtok(instance), None)
    ascent.prices = counter.prices_of(start.certificate)
    best = BestPrices(counter, None, None, Deadline(), Progress())
    counter.refine(start.certificate.scale_bits)
    proof = tree_of(counter, best.case, start.certificate).proof
    best.keep(proof.value, proof.prices)
    assert best.lower_bound == start.lower_bound
    ascent.begin()
    rounds = best.begin_cuts(ascent)
    assert counter.bound(best.value) == start.lower_bound
    assert best.prices.kinds == start.cuts
    assert set(rounds.steps.cuts) == set(best.prices.cuts)
    assert counter.bound(rounds.round(Deadline()).value) == start.lower_bound


def test_a_start_may_have_a_cut_over_tokens_that_overlap_nowhere():
    words = {"abbb": 3, "aaaaaa": 4, "aaaa": 9, "ccabb": 2}
    instance = Instance(words, 2, groups=[GroupBudget("pairs", 0, max_length=2)])
    prices = np.ones(19, np.int32)
    prices[[3, 8, 9, 10, 11, 17, 18]] = -(2**31)
    leaf = Leaf(prices, cuts=(Cut((b"cca", b"bb", b"aaa"), 1, r=1),))
    solution = solve(instance, start_certificate=Certificate.of(instance, (leaf,), 0, 0))
    assert solution.status == "optimal"
    assert check_certificate(instance, solution.certificate).ok


@pytest.mark.parametrize(("seed", "k"), [(6, 8), (4, 8), (2, 40)])
def test_links_are_looked_for_once_rounds_gain_little(monkeypatch, seed, k):
    looked, kinds = [], []

    def links(steps):
        looked.append(True)
        return []

    def others(steps):
        kinds.append(separate(steps))
        return kinds[-1]

    monkeypatch.setattr(cut_rounds, "separate_links", links)
    monkeypatch.setattr(cut_rounds, "separate", others)
    counter, first, best, found = counter_of(random_instance(seed, k)), None, 0, set()
    greedy = greedtok(counter.instance)
    ascent = WordAscent(counter, greedy.vocabulary, greedy.gains)
    ascent.begin()
    for step in range(400):
        if ascent.advance(max(0.36 * step, 8)):
            ascent.reweigh()
            ascent.restart()
    _, ascent.rewards = counter.count(counter.rounded(ascent.proposed()), k)
    rounds = CutRounds(ascent, Case.whole(counter))
    for _ in range(8):
        known = set(rounds.steps.cuts)
        looked.clear()
        value = rounds.round(Deadline()).value
        first, best = (value, value) if first is None else (first, best)
        gain = max(0, value - best)
        best += gain
        has_stalled = len(kinds) > 2 and gain <= (best - first) / 10
        found.add(has_stalled)
        assert bool(looked) == (has_stalled or not set(kinds[-1]) - known)
    assert found == {False, True}


@pytest.mark.long
def test_threads_change_nothing():
    instance = random_instance(6, 8)
    one, two = (lower_bound(instance, threads=n) for n in (1, 2))
    assert one.cuts
    assert one.certificate.to_json() == two.certificate.to_json()
    assert one.x.tobytes() == two.x.tobytes()


@pytest.mark.long
def test_iterations_are_for_both():
    instance = random_instance(0, 5)
    whole = lower_bound(instance)
    assert whole.rounds > 2
    few = lower_bound(instance, iterations=whole.iterations // 2)
    assert few.iterations == whole.iterations // 2
    assert few.rounds < whole.rounds


def test_a_limit_of_nothing_makes_no_rounds():
    assert lower_bound(random_instance(0, 5), time_limit=0).rounds == 0


@pytest.mark.parametrize("seed", range(12))
def test_any_multipliers_prove_no_more_than_there_is(seed):
    """Prices of nowhere near the best, for cases as a tree has them."""
    draw = random.Random(seed)
    words = {
        "".join(draw.choices("ab", k=draw.randint(2, 5))): draw.randint(1, 4) for _ in range(5)
    }
    instance = Instance(words, 2)
    with workers(1) as share:
        counter = PriceCounter(instance, share)
        greedy = greedtok(instance)
        ascent = WordAscent(counter, greedy.vocabulary, greedy.gains)
        ascent.begin()
        inside, outside = (np.zeros(len(counter.lo), bool) for _ in range(2))
        if len(counter.lo) > 2:
            inside[draw.randrange(len(counter.lo))] = True
            outside[draw.randrange(len(counter.lo))] = True
            outside &= ~inside
        case = Case(inside, outside, instance.k)
        rounds = CutRounds(ascent, case)
        for most in (1, 2, 5):
            found = rounds.round(Deadline(), most)
            required = frozenset(counter.instance.index.tokens(np.flatnonzero(inside)))
            excluded = frozenset(counter.instance.index.tokens(np.flatnonzero(outside)))
            limited = Instance(words, 2, required=sorted(required), forbidden=sorted(excluded))
            assert counter.bound(found.value) <= fewest_tokens(limited)


@contextmanager
def begun_rounds(seed: int):
    """Three rounds of cuts for all vocabularies of an instance."""
    instance = random_instance(seed, 10)
    with workers(1) as share:
        greedy = greedtok(instance)
        ascent = WordAscent(PriceCounter(instance, share), greedy.vocabulary, greedy.gains)
        ascent.begin()
        none = np.zeros(len(ascent.counter.lo), bool)
        rounds = CutRounds(ascent, Case(none, none, instance.k))
        for _ in range(3):
            round_ = rounds.round(Deadline(), 40)
        yield rounds, round_


@pytest.mark.parametrize("seed", range(6))
def test_finer_prices_prove_the_same(seed):
    with begun_rounds(seed) as (rounds, round_):
        assert round_.prices.cuts
        counter = rounds.counter
        counter.refine(counter.bits + 4)
        assert round_.prices.finer(4).count(counter, rounds.case)[0] == round_.value << 4


def point_of(steps) -> list:
    saddle = steps.saddle
    arrays = saddle.flow, saddle.row, saddle.price, saddle.made, saddle.pair_row, saddle.pair_made
    return [array.tolist() for array in (*arrays, steps.own, steps.mu)]


@pytest.mark.parametrize("seed", range(6))
def test_a_case_begins_at_the_point_of_the_case_above(seed):
    with begun_rounds(seed) as (rounds, _):
        steps = rounds.steps
        assert steps.cuts
        assert max(steps.saddle.pair_row) > 0
        at = int(np.argmax(np.minimum(steps.x_made, 1 - steps.x_made)))
        token = int(steps.active[at])
        above, x = point_of(steps), steps.x.copy()
        for case in (rounds.case.with_(token), rounds.case.without(token)):
            child = rounds.branch(case)
            assert child.steps.cuts == steps.cuts
            assert point_of(child.steps) == above
            x[token] = case.inside[token]
            assert child.steps.x.tolist() == x.tolist()
            for _ in range(3):
                child.round(Deadline(), 40)
                (made,) = child.steps.x_made[child.steps.active == token]
                assert made == case.inside[token]
            assert point_of(steps) == above


@pytest.mark.parametrize("seed", range(6))
def test_only_some_parts_of_words_move(seed):
    with begun_rounds(seed) as (rounds, _):
        steps = rounds.steps
        saddle, offsets = steps.saddle, steps.parts.offsets
        n_arcs, n_rows = np.diff(saddle.first), np.diff(saddle.pair_rows)
        some = steps.all_parts[seed % 2 :: 2].copy()
        at_rest = np.isin(steps.all_parts, some, invert=True)
        assert at_rest.any()
        steps.let_move(some)
        before = point_of(steps)
        for _ in range(30):
            steps.step()
        sizes = np.diff(offsets)
        for old, new, size in zip(
            before, point_of(steps), [n_arcs, n_arcs, sizes, sizes, n_rows, n_rows], strict=False
        ):
            rests = np.repeat(at_rest, size)
            assert np.array_equal(np.array(old)[rests], np.array(new)[rests])
        assert before[2] != point_of(steps)[2]
        gain = np.zeros(len(steps.gain))
        saddle.gains(gain)
        assert steps.gain == pytest.approx(gain, abs=1e-6)
        steps.let_move(steps.all_parts)
        assert steps.gain == pytest.approx(gain, abs=1e-6)
        assert not steps.at_rest.any()


@pytest.mark.parametrize("seed", range(6))
def test_the_parts_of_words_that_change_most(seed):
    with begun_rounds(seed) as (rounds, _):
        at = int(np.argmax(np.minimum(rounds.steps.x_made, 1 - rounds.steps.x_made)))
        child = rounds.branch(rounds.case.without(int(rounds.steps.active[at])))
        steps = child.steps
        begun = steps.saddle.made.tolist()
        for _ in range(40):
            steps.step()
        offsets, counts = steps.parts.offsets.tolist(), steps.parts.counts.tolist()
        made = steps.saddle.made.tolist()
        change = {}
        for part, (first, last) in enumerate(pairwise(offsets)):
            moved = sum(abs(made[p] - begun[p]) for p in range(first, last))
            change[part] = counts[part] * moved
        chosen = child._changed().tolist()
        assert chosen == sorted(chosen)
        left = [part for part in change if part not in chosen]
        assert sum(change[part] for part in chosen) >= 0.9 * sum(change.values())
        least = min(chosen, key=change.__getitem__)
        assert change[least] >= max((change[part] for part in left), default=0.0) - 1e-9
        assert sum(change[p] for p in chosen if p != least) < 0.9 * sum(change.values()) + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_a_case_with_another_token_keeps_the_cuts(seed):
    with begun_rounds(seed) as (rounds, _):
        inactive = np.setdiff1d(np.arange(len(rounds.steps.x)), rounds.steps.active)
        child = rounds.branch(rounds.case.with_(int(inactive[0])))
        assert inactive[0] in child.steps.active
        assert child.steps.cuts == rounds.steps.cuts


TRIANGLES = ["abc", "bca", "cab", "acb", "cba", "bac"]


@pytest.mark.parametrize("count", [1, 1000, 10**9])
def test_two_triangles(count):
    """Of 10^9 a cut's multiplier has more than 63 bits: its certificate holds it in parts."""
    bound, best = check_bound(Instance(dict.fromkeys(TRIANGLES, count), 3, max_length=2))
    assert bound.plain_bound <= 12 * count
    assert (bound.lower_bound, best) == (13 * count, 13 * count)
    (leaf,) = bound.certificate.tree
    assert {tuple(sorted(cut.tokens)) for cut in leaf.cuts} <= {
        (b"ab", b"bc", b"ca"),
        (b"ac", b"ba", b"cb"),
    }
    assert (len(leaf.cuts) > 2) == (count > 1000)


@pytest.mark.long
def test_counts_beyond_all_digits():
    """What does not fit is lost, and no bound is too high."""
    check_bound(Instance(dict.fromkeys(TRIANGLES, 10**12), 3, max_length=2))


@pytest.mark.long
def test_a_required_token_of_no_word_takes_room():
    words = {"acb": 123, "cba": 113, "bac": 123, "bca": 62, "cab": 53, "abc": 58, "bcb": 53}
    bound, best = check_bound(Instance(words, 3, max_length=2, required=["zz"]))
    assert bound.lower_bound == best
    without = lower_bound(Instance(words, 2, max_length=2))
    assert without.lower_bound == bound.lower_bound


def test_inequalities_are_named_alike():
    turned = [Inequality.cycle(tuple(own)) for own in ((4, 2, 9), (9, 4, 2), (2, 4, 9))]
    assert turned[0] == turned[1] == turned[2]
    five = Inequality.cycle((1, 5, 3, 4, 2))
    assert five.tokens == (1, 2, 4, 3, 5)
    edges = [(1, 2), (2, 4), (3, 4), (3, 5), (1, 5)]
    assert five.named == {edge_key(edge): edge for edge in edges}
    clique = Inequality.clique((7, 1, 4, 2), 2)
    assert (clique.tokens, clique.form.coef, clique.form.rhs) == ((1, 2, 4, 7), *clique_line(4, 2))
    assert len(clique.named) == 6


def test_prices_alone_are_a_leaf_as_before():
    instance = random_instance(0, 5)
    bound = lower_bound(instance, cuts=False, iterations=32)
    assert bound.cuts == {}
    assert not bound.certificate.tree[0].cuts
    assert bound.certificate.to_json()["version"] == 1
    with workers(1) as share:
        counter = PriceCounter(instance, share)
        prices = counter.rounded(counter.prices_of(bound.certificate))
        none = np.zeros(len(counter.lo), bool)
        value, rewards = DualPoint(prices).count(counter, Case(counter.fixed, none, 5))
        assert (value, rewards.units.tolist()) == (
            counter.count(prices, 5, every=True)[0],
            counter.count(prices, 5, every=True)[1].tolist(),
        )
