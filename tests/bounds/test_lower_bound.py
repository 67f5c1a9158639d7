"""Lower bounds: never above the optimum, near the relaxation, and as the command gives them."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from cli.helpers import as_json, fails
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.brute_force import cost, fewest_tokens, useful, vocabularies
from shared.properties import tries
from shared.strategies import instances, random_instance

from partcover import (
    Certificate,
    InputError,
    Instance,
    WordCounts,
    greedtok,
    improve,
    lower_bound,
)
from partcover.bounds.climbing.best_prices import PATIENCE
from partcover.bounds.climbing.climb import Climb
from partcover.bounds.lower_bound import bounds
from partcover.bounds.steps.word_ascent import WordAscent
from partcover.cli import main as cli
from partcover.exact import relax as exact
from partcover.runtime.limits import Deadline
from partcover.runtime.progress import EventLog
from partcover.verification.certificate_check import check_certificate


@pytest.mark.parametrize("large", [10**6, 10**9, 10**12, 10**14])
def test_nothing_is_given_away_at_large_counts(large):
    """One token stands for the word that is nearly all there is: the relaxation is whole."""
    words = {"c": 1, "aaa": 1, "aaaaaaa": large, "aa": 8, "bb": 3}
    instance = Instance(WordCounts.from_counts(words), 1)
    bound = lower_bound(instance)
    assert bound.termination == "completed"
    assert bound.lower_bound == large + 26 == fewest_tokens(instance)
    assert check_certificate(instance, bound.certificate).lower_bound == bound.lower_bound
    again = Certificate.from_json(json.loads(json.dumps(bound.certificate.to_json())))
    assert (
        lower_bound(instance, start_certificate=again, iterations=0).lower_bound
        == bound.lower_bound
    )


@pytest.mark.long
def test_what_stands_still_is_stopped(monkeypatch):
    """Neither end moves: the steps are over, whatever precision there is to hope for."""
    instance = random_instance(11, 10)
    steps = []

    def still(ascent):
        steps.append(ascent)
        ascent.steps += 1
        return 0.0

    monkeypatch.setattr(WordAscent, "step", still)
    bound = lower_bound(instance, cuts=False)
    assert bound.termination == "completed"
    assert bound.lower_bound < bound.relaxation
    assert PATIENCE <= len(steps) <= 2 * PATIENCE


def check_bound(instance: Instance):
    best = fewest_tokens(instance)
    bound = lower_bound(instance, incumbent=best, iterations=40)
    assert bound.lower_bound <= best
    checked = check_certificate(instance, bound.certificate)
    assert checked.ok
    assert checked.lower_bound == bound.lower_bound or bound.instance.index.min_promise
    # what is proven against one token more holds for the best vocabularies that it speaks of
    looser = lower_bound(instance, incumbent=best + 1, iterations=40)
    if len(looser.proven_in) or len(looser.proven_out):
        inside, outside = (
            set(looser.tokens(looser.proven_in)),
            set(looser.tokens(looser.proven_out)),
        )
        good = [set(v) for v in vocabularies(instance) if cost(instance, v) == best]
        assert any(inside <= v and not outside & v for v in good)


@pytest.mark.long
@tries(120)
@given(instances())
def test_never_above_the_optimum(instance):
    assume(len(useful(instance)) <= 11)
    check_bound(instance)


@tries(120)
@given(instances(), st.integers(0, 6), st.integers(0, 20))
def test_few_candidates_and_arcs_are_held(instance, held, arcs):
    assume(len(useful(instance)) <= 11)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("partcover.problem.instance.MOST_HELD", held)
        patch.setattr("partcover.bounds.climbing.warm_start.MOST_PRICED", 0)
        patch.setattr("partcover.bounds.steps.word_ascent.MOST_ARCS", arcs)
        check_bound(instance.with_k(instance.k))  # whose candidates are not enumerated yet


@pytest.mark.long
@pytest.mark.parametrize(("seed", "k"), [(1, 20), (2, 40), (3, 10)])
def test_candidates_have_room_beside_chosen_ones_that_fill_it(monkeypatch, seed, k):
    instance = random_instance(seed, k)
    best = lower_bound(instance, cuts=False, iterations=1000).lower_bound
    chosen = instance.index.find_tokens(greedtok(instance).vocabulary)
    arcs = int((chosen.hi - chosen.lo).sum())  # of GreedTok's tokens alone
    monkeypatch.setattr("partcover.bounds.steps.word_ascent.MOST_ARCS", arcs // 2)
    bound = lower_bound(instance, cuts=False, iterations=1000)
    assert bound.lower_bound >= 0.995 * best


@pytest.mark.long
def test_improve_where_few_candidates_are_held(monkeypatch):
    monkeypatch.setattr("partcover.problem.instance.MOST_HELD", 20)
    monkeypatch.setattr("partcover.bounds.climbing.warm_start.MOST_PRICED", 0)
    monkeypatch.setattr("partcover.bounds.steps.word_ascent.MOST_ARCS", 300)
    instance = random_instance(3, 10)
    solution = improve(instance, time_limit=1.0)
    assert instance.promising_index().min_promise > 0
    assert check_certificate(instance, solution.certificate).ok
    assert solution.gap < 0.2


@pytest.mark.parametrize(("seed", "k"), [(0, 5), (1, 20), (2, 40)])
def test_reaches_the_relaxation(seed, k):
    instance = random_instance(seed, k)
    value = exact.relax(instance).tokens
    bound = lower_bound(instance, cuts=False, iterations=4000)
    assert 0.999 * value <= bound.lower_bound <= np.ceil(value - 1e-6)
    assert bound.relaxation >= value * (1 - 1e-7)
    assert bound.x.sum() <= k + 1e-6


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
    bound = lower_bound(instance, cuts=False, iterations=4000)
    assert 0.999 * value <= bound.lower_bound <= np.ceil(value - 1e-6)
    assert check_certificate(instance, bound.certificate).ok


def test_threads_change_nothing():
    instance = random_instance(4, 15)
    one, two = (lower_bound(instance, iterations=200, threads=n) for n in (1, 2))
    assert one.certificate.to_json() == two.certificate.to_json()
    assert one.x.tobytes() == two.x.tobytes()
    assert one.relaxation == two.relaxation
    assert one.reduced_costs.tobytes() == two.reduced_costs.tobytes()


def test_a_better_vocabulary_may_hold_a_dominated_candidate_instead():
    instance = Instance({"acbab": 3, "abbc": 2}, 1)
    bound = lower_bound(instance, incumbent=15)
    assert bound.tokens(bound.proven_in) == [b"acbab"]
    assert cost(instance, [b"acba"]) == 14


def test_candidates_are_proven_in_and_out():
    instance = Instance(WordCounts.from_counts({"abcd": 100, "xy": 1, "zw": 1}), 1)
    bound = lower_bound(instance, incumbent=105)
    assert bound.lower_bound == 104
    assert bound.tokens(bound.proven_in) == [b"abcd"]
    assert bound.tokens(bound.proven_out) == [b"xy", b"zw"]
    assert bound.reduced_costs[bound.proven_in[0]] < 0 < bound.reduced_costs[bound.proven_out].min()


def test_small_budgets_and_large_ones():
    instance = random_instance(5, 0)
    total = instance.words.total_symbols
    assert lower_bound(instance, incumbent=total).status == "optimal"
    k = instance.index.total + 5
    bound = lower_bound(instance.with_k(k), incumbent=instance.words.total_count)
    assert (bound.gap, bound.status, bound.termination) == (0.0, "optimal", "completed")
    empty = lower_bound(Instance(WordCounts.from_words([]), 3))
    assert (empty.lower_bound, len(empty.x)) == (0, 0)


@pytest.mark.long
def test_a_start_is_not_lost_and_serves_other_budgets():
    instance = random_instance(6, 12)
    bound = lower_bound(instance, iterations=2000)
    again = lower_bound(instance, start_certificate=bound.certificate, iterations=0)
    assert again.lower_bound == bound.lower_bound
    near = lower_bound(instance.with_k(13), start_certificate=bound.certificate, iterations=0)
    unaided = lower_bound(instance.with_k(13), iterations=0)
    assert near.lower_bound > unaided.lower_bound
    with pytest.raises(InputError, match="other words"):
        lower_bound(random_instance(7, 12), start_certificate=bound.certificate)
    with pytest.raises(InputError, match="other candidates"):
        lower_bound(replace(instance, max_length=3), start_certificate=bound.certificate)


@pytest.mark.long
def test_several_budgets():
    instance = random_instance(8, 1)
    proven = bounds(instance, dict.fromkeys([4, 16, 8]), iterations=1500)
    assert [bound.instance.k for bound in proven] == [4, 16, 8]
    for bound in proven:
        value = exact.relax(bound.instance).tokens
        assert check_certificate(bound.instance, bound.certificate).ok
        assert bound.lower_bound >= 0.999 * value
        assert bound.relaxation >= value * (1 - 1e-9)
    start = proven[1].certificate
    again = bounds(instance, {8: None, 16: None}, start, iterations=0)
    assert again[1].lower_bound >= proven[1].lower_bound


def test_events_rise_and_goals_end_it():
    instance = random_instance(9, 10)
    log = EventLog()
    tokens = greedtok(instance).extra["tokens_shortest_path"]
    bound = lower_bound(instance, incumbent=tokens, gap=0.2, progress=log)
    assert bound.termination == "gap"
    assert bound.gap <= 0.2
    proven = [event.lower_bound for event in log.events]
    assert proven == sorted(set(proven))
    assert proven[-1] == bound.lower_bound
    unproven = lower_bound(instance, gap=0.2)
    assert (unproven.termination, unproven.lower_bound) == ("gap", bound.lower_bound)
    assert (unproven.gap, unproven.status) == (None, "none")
    late = lower_bound(instance, time_limit=0)
    assert late.termination == "time_limit"
    assert check_certificate(instance, late.certificate).ok


def test_an_interrupt_keeps_the_best(monkeypatch):
    instance = random_instance(10, 10)
    step = WordAscent.step

    steps = []

    def interrupted(ascent):
        steps.append(ascent)
        if len(steps) == 60:
            raise KeyboardInterrupt
        return step(ascent)

    monkeypatch.setattr(WordAscent, "step", interrupted)
    bound = lower_bound(instance)
    assert bound.termination == "interrupted"
    assert bound.lower_bound > instance.words.total_count
    assert check_certificate(instance, bound.certificate).ok


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"time_limit": -1}, "time_limit"),
        ({"gap": 1.0}, "gap"),
        ({"iterations": -1}, "iterations"),
        ({"threads": 0}, "threads"),
        ({"incumbent": 3}, "the number of words is 2914"),
    ],
)
def test_bad_input(given, message):
    with pytest.raises(InputError, match=message):
        lower_bound(random_instance(0, 5), **given)


def test_a_false_incumbent_is_noticed():
    instance = random_instance(0, 5)
    with pytest.raises(InputError, match="2914 tokens are given as"):
        lower_bound(instance, incumbent=instance.words.total_count)


def test_large_counts():
    words = WordCounts.from_counts({"abcab": 2**49, "abc": 2**48, "cab": 3})
    instance = Instance(words, 1)
    bound = lower_bound(instance, iterations=200)
    assert bound.lower_bound <= fewest_tokens(instance)
    assert check_certificate(instance, bound.certificate).ok
    with pytest.raises(InputError, match="scale them down"):
        lower_bound(Instance(WordCounts.from_counts({"abcab": 2**56}), 1))


@pytest.fixture
def corpus(tmp_path):
    random_instance(1, 5).words.save(tmp_path / "C.tsv")
    return "C.tsv"


@pytest.mark.long
def test_command(run, corpus, tmp_path):
    run("greedtok", corpus, "-k", "8", "-o", "V.json", "--quiet")
    common = (corpus, "-k", "8", "--iterations", "2000", "--quiet")
    status, data = as_json(
        run("bound", *common, "--vocab", "V.json", "-o", "P.cert", "--events", "E.jsonl",
            "--json")
    )  # fmt: skip
    assert status == 0
    assert data["method"] == "bound"
    assert data["gap"] == (data["tokens"] - data["lower_bound"]) / data["tokens"]
    assert data["proven_out"] > 0
    lines = (tmp_path / "E.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["lower_bound"] == data["lower_bound"]
    status, checked = as_json(run("verify", corpus, "-k", "8", "--certificate", "P.cert", "--json"))
    assert (status, checked["lower_bound"]) == (0, data["lower_bound"])
    status, again = as_json(
        run("bound", *common, "--start-certificate", "P.cert", "--json", "-k", "9")
    )
    assert (status, again["k"], again["tokens"], again["gap"]) == (0, 9, None, None)
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


@pytest.mark.long
def test_command_mistakes(run, corpus):
    fails(run("bound", corpus), "-k is missing")
    fails(run("bound", corpus, "-k", "x"), "'-k'", "'x'")
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

    monkeypatch.setattr(WordAscent, "step", interrupted)
    monkeypatch.setattr(cli.os, "_exit", sys.exit)
    status, data = as_json(run("bound", corpus, "-k", "5", "-o", "P.cert", "--json", "--quiet"))
    assert (status, data["termination"]) == (130, "interrupted")
    assert Certificate.load(tmp_path / "P.cert").lower_bound == data["lower_bound"]


@pytest.mark.parametrize(("gains", "ended"), [(1, 9), (40, 48), (60, 72), (120, 144)])
def test_long_runs_wait_longer_for_a_gain(gains, ended):
    """The bound rises in the first rounds only: new cuts may lower it for long in a long run."""
    rounds = SimpleNamespace(n_rounds=0, n_steps=0, count_seconds=0.0)
    rounds.steps = SimpleNamespace(cuts=["a cut"])

    def round_(*_):
        rounds.n_rounds += 1

    def offer(*_):
        best.value = min(rounds.n_rounds, gains)

    rounds.round = round_
    best = SimpleNamespace(value=0, offer_round=offer, is_met=False, incumbent=None, lower_bound=0)
    climb = Climb(None, best, Deadline(), None, cuts=True)
    climb.rounds = rounds
    while climb.advance() is None:
        pass
    assert rounds.n_rounds == ended
