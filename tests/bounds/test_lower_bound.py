"""Lower bounds: never above the optimum, near the relaxation, and each kernel beside its twin."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from cli.helpers import as_json, fails
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.brute_force import cost, fewest_tokens, useful, vocabularies
from oracles.certificate import slow_bound
from strategies import instances, prices, random_instance

from partcover import Certificate, InputError, Instance, WordCounts, greedtok, lower_bound
from partcover.bounds.lower_bound import PATIENCE, bounds
from partcover.bounds.price_counter import PriceCounter, largest
from partcover.bounds.price_report import price_report
from partcover.bounds.primal_dual import Ascent
from partcover.cli import main as cli
from partcover.exact import relax as exact
from partcover.kernels._saddle_point import Saddle, arcs, project, self_overlaps
from partcover.problem.certificate import Leaf, sorted_symbols
from partcover.runtime.parallel import workers
from partcover.runtime.progress import EventLog
from partcover.verification.certificate_check import check_certificate


def counter_of(instance: Instance) -> PriceCounter:
    with workers(1) as share:
        return PriceCounter(instance, share)


def token_of(counter: PriceCounter, number: int):
    (token,) = counter.instance.index.tokens_at(counter.intervals.take([number]))
    return token


def slow_reward(instance: Instance, token, own: dict, one: int) -> int:
    """All sets of occurrences that do not overlap."""
    total, size = 0, len(token)
    for word, count in instance.words:
        at = [s for s in range(len(word)) if word[s : s + size] == token]
        at = [s for s in at if sum(own[word][s : s + size]) > one]
        best = 0
        for many in range(len(at) + 1):
            for chosen in combinations(at, many):
                if all(b - a >= size for a, b in pairwise(chosen)):
                    best = max(best, sum(sum(own[word][s : s + size]) - one for s in chosen))
        total += count * best
    return total


def check_count(data):
    instance = data.draw(instances())
    assume(len(useful(instance)) <= 14)
    counter = counter_of(instance)
    drawn = np.array(data.draw(prices(instance, counter.bits)), np.int32)
    stored = np.empty(len(drawn), np.int32)
    stored[sorted_symbols(instance.words)] = drawn
    value, _ = counter.count(stored, instance.k)
    claim = Certificate.of(instance, (Leaf(drawn),), 0, counter.bits)
    if not instance.groups:
        assert counter.bound(value) == slow_bound(instance, claim)
    assert counter.bound(value) == check_certificate(instance, claim).lower_bound
    again, found = counter.count(stored, instance.k, every=True)
    assert again == value
    own = {
        word: stored[begin:end].tolist()
        for (word, _), (begin, end) in zip(
            instance.words, pairwise(instance.words.offsets.tolist()), strict=True
        )
    }
    for number, reward in enumerate(found.tolist()):
        token = token_of(counter, number)
        assert reward == slow_reward(instance, token, own, counter.one), token


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_prices_prove_what_the_check_counts(data):
    check_count(data)


@pytest.mark.slow
@settings(max_examples=4000, deadline=None)
@given(st.data())
def test_prices_prove_what_the_check_counts_by_far(data):
    check_count(data)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_large_counts_are_counted_beyond_64_bits(data):
    small = data.draw(instances())
    assume(0 < len(useful(small)) <= 14 and not small.groups)
    large = st.sampled_from([1, 7, 10**9, 10**12, 2**45])
    words = {word: data.draw(large) for word, _ in small.words}
    instance = replace(small, words=WordCounts.from_counts(words, small.symbols))
    counter = counter_of(instance)
    counter.refine(counter.finest)
    drawn = np.array(data.draw(prices(instance, counter.bits)), np.int64)
    stored = np.empty(len(drawn), np.int64)
    stored[sorted_symbols(instance.words)] = drawn
    value, _ = counter.count(stored, instance.k)
    assert counter.count(stored, instance.k, every=True)[0] == value
    claim = Certificate.of(instance, (Leaf(drawn),), 0, counter.bits)
    assert counter.bound(value) == check_certificate(instance, claim).lower_bound
    assert counter.proven_by(claim) == counter.bound(value)
    # coarser prices, counted finer
    coarse = Certificate.of(instance, (Leaf(drawn >> (counter.bits - 20)),), 0, 20)
    assert counter.proven_by(coarse) == check_certificate(instance, coarse).lower_bound


@pytest.mark.parametrize("large", [10**6, 10**9, 10**12, 10**14])
def test_nothing_is_given_away_at_large_counts(large):
    """One token stands for the word that is nearly all there is: the relaxation is whole."""
    words = {"c": 1, "aaa": 1, "aaaaaaa": large, "aa": 8, "bb": 3}
    instance = Instance(WordCounts.from_counts(words), 1)
    found = lower_bound(instance)
    assert found.termination == "completed"
    assert found.lower_bound == large + 26 == fewest_tokens(instance)
    assert check_certificate(instance, found.certificate).lower_bound == found.lower_bound
    again = Certificate.from_json(json.loads(json.dumps(found.certificate.to_json())))
    assert lower_bound(instance, warm_start=again, iterations=0).lower_bound == found.lower_bound


def test_what_stands_still_is_stopped(monkeypatch):
    """Neither end moves: the steps are over, whatever precision there is to hope for."""
    instance = random_instance(11, 10)
    steps = []

    def still(ascent):
        steps.append(ascent)
        ascent.steps += 1
        return 0.0

    monkeypatch.setattr(Ascent, "step", still)
    found = lower_bound(instance)
    assert found.termination == "completed"
    assert found.lower_bound < found.relaxation
    assert PATIENCE <= len(steps) <= 2 * PATIENCE


@given(st.lists(st.integers(0, 9), min_size=1), st.integers(0, 12))
def test_the_largest(values, many):
    ordered = sorted(values, reverse=True)
    total, least = largest(np.array(values, np.int64), many)
    assert total == sum(ordered[:many])
    huge = [value << 58 for value in values]
    assert largest(np.array(huge, np.int64), many)[0] == total << 58
    assert least == ([ordered[0], *ordered, *[0] * 20][many])


@settings(max_examples=100, deadline=None)
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


@settings(max_examples=200, deadline=None)
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


def slow_step(saddle, instance, which, start, end, weight, keep, ahead):
    """The step as its equations stand, with lists for rows."""
    many = len(which)
    rows = [
        [q for q in range(many) if which[q] == which[o] and start[q] <= start[o] < end[q]]
        for o in range(many)
    ]
    f, lam = saddle.flow.astype(float), saddle.row.astype(float)
    d = saddle.price.copy()
    over = [max(1, sum(s <= p < e for s, e in zip(start, end, strict=True))) for p in range(len(d))]
    made_f = np.zeros(many)
    for o in range(many):
        of = [r for r in range(many) if o in rows[r]]
        slope = 1 - d[start[o] : end[o]].sum() + sum(lam[r] for r in of)
        made_f[o] = max(0, f[o] - slope / (weight * (end[o] - start[o] + len(of))))
    bar = 2 * made_f - f
    made_lam = np.array(
        [
            max(0, lam[r] + weight * (bar[rows[r]].sum() - ahead[which[r]]) / (len(rows[r]) + 1))
            for r in range(many)
        ]
    ).reshape(many)
    made_d = np.array(
        [
            min(
                1,
                d[p]
                + weight
                / over[p]
                * (1 - sum(bar[o] for o in range(many) if start[o] <= p < end[o])),
            )
            for p in range(len(d))
        ]
    )
    new = [
        keep * (2 * made - old) + (1 - keep) * origin
        for made, old, origin in (
            (made_f, f, saddle.flow_from),
            (made_lam, lam, saddle.row_from),
            (made_d, d, saddle.price_from),
        )
    ]
    count = np.repeat(instance.words.counts, np.diff(instance.words.offsets))
    gain = np.zeros(len(ahead))
    flows = rows_moved = 0.0
    for o in range(many):
        gain[which[o]] += count[start[o]] * new[1][o]
        of = sum(o in row for row in rows)
        flows += count[start[o]] * (end[o] - start[o] + of) * (made_f[o] - f[o]) ** 2
        rows_moved += count[start[o]] * (len(rows[o]) + 1) * (made_lam[o] - lam[o]) ** 2
    rows_moved += float(np.sum(count * np.array(over) * (made_d - d) ** 2))
    return new, made_d, gain, flows, rows_moved


@settings(max_examples=60, deadline=None)
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
    for array in (saddle.flow, saddle.row, saddle.price):
        array[:] = random.uniform(-0.5, 1, len(array))
    np.maximum(saddle.row, 0, out=saddle.row)
    saddle.anchor()
    saddle.price[:] = random.uniform(0, 1, len(saddle.price))
    weight, keep = random.uniform(0.5, 2), random.uniform(0.5, 1)
    ahead = random.uniform(-0.5, 1.5, len(counter.lo))
    lists = [array.tolist() for array in (which, start, end)]
    new, made, gain, flows, moved = slow_step(saddle, instance, *lists, weight, keep, ahead)
    got_gain, got_moves = np.zeros((2, len(counter.lo))), np.zeros((2, 2))
    half = len(words) // 2
    for part, (first, last) in enumerate(((0, half), (half, len(words)))):
        saddle.step(first, last, weight, keep, ahead, got_gain[part], got_moves[part])
    assert saddle.flow == pytest.approx(new[0], abs=1e-5)
    assert saddle.row == pytest.approx(new[1], abs=1e-5)
    assert saddle.price == pytest.approx(new[2], abs=1e-9)
    assert saddle.made == pytest.approx(made, abs=1e-9)
    assert got_gain.sum(axis=0) == pytest.approx(gain, abs=1e-4)
    assert got_moves.sum(axis=0) == pytest.approx([flows, moved], abs=1e-6)


def check_bound(instance: Instance):
    best = fewest_tokens(instance)
    found = lower_bound(instance, incumbent=best, iterations=40)
    assert found.lower_bound <= best
    checked = check_certificate(instance, found.certificate)
    assert checked.ok
    assert checked.lower_bound == found.lower_bound
    # what is proven against one token more holds for the best vocabularies that it speaks of
    looser = lower_bound(instance, incumbent=best + 1, iterations=40)
    if len(looser.proven_in) or len(looser.proven_out):
        held, apart = set(looser.tokens(looser.proven_in)), set(looser.tokens(looser.proven_out))
        good = [set(v) for v in vocabularies(instance) if cost(instance, v) == best]
        assert any(held <= v and not apart & v for v in good)


@settings(max_examples=120, deadline=None)
@given(instances())
def test_never_above_the_optimum(instance):
    assume(len(useful(instance)) <= 11)
    check_bound(instance)


@pytest.mark.slow
@settings(max_examples=5000, deadline=None)
@given(instances())
def test_never_above_the_optimum_by_far(instance):
    assume(len(useful(instance)) <= 11)
    check_bound(instance)


@pytest.mark.parametrize(("seed", "k"), [(0, 5), (1, 20), (2, 40)])
def test_reaches_the_relaxation(seed, k):
    instance = random_instance(seed, k)
    value = exact.relax(instance).tokens
    found = lower_bound(instance, iterations=4000)
    assert 0.999 * value <= found.lower_bound <= np.ceil(value - 1e-6)
    assert found.relaxation >= value * (1 - 1e-7)
    assert found.x.sum() <= k + 1e-6


@pytest.mark.parametrize(
    "limits",
    [
        {"max_length": 3},
        {"min_count": 60},
        {"required": ["aa", "zz"], "forbidden": ["ab"]},
        {"prefix": ["abcde"], "max_length": 4},
        {"candidates": ["aa", "ab", "abc", "bb", "cde"], "required": ["dd"]},
    ],
    ids=str,
)
def test_conditions(limits):
    instance = replace(random_instance(3, 6), **limits)
    value = exact.relax(instance).tokens
    found = lower_bound(instance, iterations=4000)
    assert 0.999 * value <= found.lower_bound <= np.ceil(value - 1e-6)
    assert check_certificate(instance, found.certificate).ok


def test_threads_change_nothing():
    instance = random_instance(4, 15)
    one, two = (lower_bound(instance, iterations=200, threads=n) for n in (1, 2))
    assert one.certificate.to_json() == two.certificate.to_json()
    assert one.x.tobytes() == two.x.tobytes()
    assert one.relaxation == two.relaxation
    assert one.reduced_costs.tobytes() == two.reduced_costs.tobytes()


def test_candidates_are_proven_in_and_out():
    instance = Instance(WordCounts.from_counts({"abcd": 100, "xy": 1, "zw": 1}), 1)
    found = lower_bound(instance, incumbent=105)
    assert found.lower_bound == 104
    assert found.tokens(found.proven_in) == [b"abcd"]
    assert found.tokens(found.proven_out) == [b"xy", b"zw"]
    assert found.reduced_costs[found.proven_in[0]] < 0 < found.reduced_costs[found.proven_out].min()


def test_small_budgets_and_large_ones():
    instance = random_instance(5, 0)
    total = instance.words.total_symbols
    assert lower_bound(instance, incumbent=total).status == "optimal"
    many = instance.index.total + 5
    found = lower_bound(instance.with_k(many), incumbent=instance.words.total_count)
    assert (found.gap, found.status, found.termination) == (0.0, "optimal", "completed")
    empty = lower_bound(Instance(WordCounts.from_words([]), 3))
    assert (empty.lower_bound, len(empty.x)) == (0, 0)


def test_a_start_is_not_lost_and_serves_other_budgets():
    instance = random_instance(6, 12)
    found = lower_bound(instance, iterations=2000)
    again = lower_bound(instance, warm_start=found.certificate, iterations=0)
    assert again.lower_bound == found.lower_bound
    near = lower_bound(instance.with_k(13), warm_start=found.certificate, iterations=0)
    plain = lower_bound(instance.with_k(13), iterations=0)
    assert near.lower_bound > plain.lower_bound
    with pytest.raises(InputError, match="other words"):
        lower_bound(random_instance(7, 12), warm_start=found.certificate)
    with pytest.raises(InputError, match="other candidates"):
        lower_bound(replace(instance, max_length=3), warm_start=found.certificate)


def test_several_budgets():
    instance = random_instance(8, 1)
    seen = []
    found = bounds(instance, [4, 16, 8], iterations=1500, done=seen.append)
    assert [bound.instance.k for bound in found] == [4, 16, 8]
    assert seen == found
    for bound in found:
        value = exact.relax(bound.instance).tokens
        assert check_certificate(bound.instance, bound.certificate).ok
        assert bound.lower_bound >= 0.999 * value
        assert bound.relaxation >= value * (1 - 1e-9)
    cut = bounds(instance, [16, 4], iterations=0)[1]
    assert cut.relaxation >= found[0].relaxation * (1 - 1e-6)


def test_events_rise_and_goals_end_it():
    instance = random_instance(9, 10)
    log = EventLog()
    tokens = greedtok(instance).extra["tokens_shortest_path"]
    found = lower_bound(instance, incumbent=tokens, target_gap=0.2, progress=log)
    assert found.termination == "gap"
    assert found.gap <= 0.2
    proven = [event.lower_bound for event in log.events]
    assert proven == sorted(set(proven))
    assert proven[-1] == found.lower_bound
    plain = lower_bound(instance, target_gap=0.2)
    assert (plain.termination, plain.lower_bound) == ("gap", found.lower_bound)
    assert (plain.gap, plain.status) == (None, "none")
    late = lower_bound(instance, time_limit=0)
    assert late.termination == "time_limit"
    assert check_certificate(instance, late.certificate).ok


def test_an_interrupt_keeps_the_best(monkeypatch):
    instance = random_instance(10, 10)
    step = Ascent.step

    steps = []

    def interrupted(ascent):
        steps.append(ascent)
        if len(steps) == 60:
            raise KeyboardInterrupt
        return step(ascent)

    monkeypatch.setattr(Ascent, "step", interrupted)
    found = lower_bound(instance)
    assert found.termination == "interrupted"
    assert found.lower_bound > instance.words.total_count
    assert check_certificate(instance, found.certificate).ok


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"time_limit": -1}, "time_limit"),
        ({"target_gap": 1.0}, "target_gap"),
        ({"iterations": -1}, "iterations"),
        ({"threads": 0}, "threads"),
        ({"incumbent": 3}, "the words alone"),
    ],
)
def test_bad_input(given, message):
    with pytest.raises(InputError, match=message):
        lower_bound(random_instance(0, 5), **given)


def test_a_false_incumbent_is_noticed():
    instance = random_instance(0, 5)
    with pytest.raises(InputError, match="not of this instance"):
        lower_bound(instance, incumbent=instance.words.total_count)


def test_large_counts():
    words = WordCounts.from_counts({"abcab": 2**49, "abc": 2**48, "cab": 3})
    instance = Instance(words, 1)
    found = lower_bound(instance, iterations=200)
    assert found.lower_bound <= fewest_tokens(instance)
    assert check_certificate(instance, found.certificate).ok
    with pytest.raises(InputError, match="scale them down"):
        lower_bound(Instance(WordCounts.from_counts({"abcab": 2**51}), 1))


def test_too_many_arcs_are_refused(monkeypatch):
    monkeypatch.setattr("partcover.bounds.primal_dual.BYTES_AN_ARC", 1 << 45)
    with pytest.raises(InputError, match="--max-length"):
        lower_bound(random_instance(0, 5))


def test_prices_are_explained():
    instance = Instance(WordCounts.from_words(["pearl", "the", "red", "heart"]), 2)
    found = lower_bound(instance, iterations=1000)
    shown = price_report(instance, found.certificate, [b"heart"])[0]
    rewards = {token: reward for token, reward, _, _ in shown.tokens}
    assert sum(best for _, _, _, best in shown.tokens) <= 2
    assert rewards[b"heart"] == pytest.approx(sum(shown.prices) - 1, abs=1e-6)
    for token, reward, worth, _ in shown.tokens:
        assert 0 <= worth <= reward + 1e-6, token
    with pytest.raises(InputError, match="'pear' is not one of the words"):
        price_report(instance, found.certificate, [b"pear"])


@pytest.fixture
def corpus(tmp_path):
    random_instance(1, 5).words.save(tmp_path / "C.tsv")
    return "C.tsv"


def test_command(run, corpus, tmp_path):
    run("greedtok", corpus, "-k", "8", "-o", "V.json", "--quiet")
    common = (corpus, "-k", "8", "--iterations", "2000", "--quiet")
    status, data = as_json(
        run("bound", *common, "--vocab", "V.json", "-o", "P.cert", "--events", "E.jsonl",
            "--json", "--tokens")
    )  # fmt: skip
    assert status == 0
    assert data["method"] == "bound"
    assert data["gap"] == (data["tokens"] - data["lower_bound"]) / data["tokens"]
    assert len(data["proven_out_tokens"]) == data["proven_out"] > 0
    assert len(data["proven_in_tokens"]) == data["proven_in"]
    lines = (tmp_path / "E.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["lower_bound"] == data["lower_bound"]
    status, checked = as_json(run("verify", corpus, "-k", "8", "--certificate", "P.cert", "--json"))
    assert (status, checked["lower_bound"]) == (0, data["lower_bound"])
    status, again = as_json(
        run("bound", *common, "--start-certificate", "P.cert", "--json", "-k", "9")
    )
    assert (status, again["k"], again["tokens"], again["gap"]) == (0, 9, None, None)
    status, several = as_json(run("bound", *common, "-k", "0,9", "-o", "Q.cert", "--json"))
    assert [row["k"] for row in several["rows"]] == [0, 9]
    assert (tmp_path / "Q-9.cert").exists()
    word = next(iter(random_instance(1, 5).words))[0].decode()
    status, prices_ = as_json(
        run("prices", corpus, "-k", "8", "--certificate", "P.cert", word, "--json")
    )
    assert (status, len(prices_["words"][0]["prices"])) == (0, len(word))
    status, out, _ = run("prices", corpus, "-k", "8", "--certificate", "P.cert", word)
    assert (status, word in out) == (0, True)
    status, out, _ = run("bound", *common)
    assert (status, "lower bound" in out) == (0, True)
    assert run("bound", corpus, "-k", "8", "--time-limit", "0", "--quiet")[0] == 0


def test_command_mistakes(run, corpus):
    fails(run("bound", corpus), "-k is missing")
    fails(run("bound", corpus, "-k", "x"), "-k is 'x'")
    fails(run("bound", corpus, "-k", "3", "--start-certificate", "none.cert"), "none.cert")
    run("bound", corpus, "-k", "3", "-o", "P.cert", "--quiet")
    limited = ("-k", "3", "--max-length", "2")
    fails(run("bound", corpus, *limited, "--start-certificate", "P.cert"), "other candidates")
    run("greedtok", corpus, "-k", "5", "-o", "V.json", "--quiet")
    fails(run("bound", corpus, "-k", "3", "--vocab", "V.json"), "V.json", status=6)
    fails(run("prices", corpus, "-k", "3", "--certificate", "P.cert", "zzz"), "'zzz'")
    fails(run("prices", corpus, "-k", "3", "--certificate", corpus, "zzz"), "C.tsv")


def test_command_interrupted(run, corpus, tmp_path, monkeypatch):
    def interrupted(ascent):
        raise KeyboardInterrupt

    monkeypatch.setattr(Ascent, "step", interrupted)
    monkeypatch.setattr(cli.os, "_exit", sys.exit)
    status, data = as_json(run("bound", corpus, "-k", "5", "-o", "P.cert", "--json", "--quiet"))
    assert (status, data["termination"]) == (130, "interrupted")
    assert Certificate.load(tmp_path / "P.cert").lower_bound == data["lower_bound"]
