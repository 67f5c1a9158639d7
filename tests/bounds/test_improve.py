"""Improve as a whole: one clock, GreedTok once and first, and the best proof known is kept."""

from __future__ import annotations

import gc
import json
import math
import sys
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens
from shared.properties import tries
from shared.strategies import instances, random_instance

from partcover import (
    Certificate,
    InputError,
    Instance,
    Vocabulary,
    WordCounts,
    check_certificate,
    greedtok,
    improve,
    lower_bound,
    solve,
    verify,
)
from partcover.bounds import lower_bound as bounds_module
from partcover.bounds.steps.word_ascent import WordAscent
from partcover.heuristics import local_search as search_module
from partcover.heuristics import search_steps as steps_module
from partcover.heuristics.search_steps import LocalSearch
from partcover.runtime.checkpoints import Checkpoints
from partcover.runtime.limits import Deadline
from partcover.runtime.phase_events import PhaseEvents
from partcover.runtime.progress import Event, EventLog

both_module = sys.modules["partcover.bounds.bound_and_search"]


@tries(60)
@given(instance=instances(), bound=st.booleans())
def test_between_bound_and_greedtok(instance, bound):
    solution = improve(instance, bound=bound)
    optimum = fewest_tokens(instance)
    assert optimum <= solution.tokens <= greedtok(instance).extra["tokens_shortest_path"]
    assert verify(instance, solution.vocabulary, claim=solution).ok
    if bound:
        assert solution.lower_bound <= optimum
        checked = check_certificate(instance, solution.certificate)
        assert checked.ok
        assert checked.lower_bound == solution.lower_bound
    else:
        assert solution.certificate is None


@pytest.mark.long
def test_greedtok_runs_once_and_is_the_first_incumbent(monkeypatch):
    instance = random_instance(1, 8)
    runs, log = [], EventLog()
    run = greedtok

    def counted(*arguments, **options):
        runs.append(arguments)
        return run(*arguments, **options)

    for module in (both_module, bounds_module, search_module):
        monkeypatch.setattr(module, "greedtok", counted)
    solution = improve(instance, progress=log)
    assert len(runs) == 1
    first = next(event for event in log.events if event.kind == "incumbent")
    assert (first.source, first.phase) == ("greedtok", "greedtok")
    assert first.tokens == solution.extra["tokens_greedtok"]
    bounding = [event for event in log.events if event.kind == "bound"]
    assert all(event.tokens == first.tokens and event.phase == "bound" for event in bounding)
    assert bounding[-1].lower_bound == solution.lower_bound


def test_one_clock(monkeypatch):
    """Every look at the clock is a second later than the one before: no event runs backwards."""
    now = iter(range(10**9))
    monkeypatch.setattr("time.monotonic", lambda: float(next(now)))
    log = EventLog()
    solution = improve(random_instance(2, 8), time_limit=60, progress=log)
    seconds = [event.seconds for event in log.events]
    assert seconds == sorted(seconds)
    assert solution.seconds >= seconds[-1] > 0
    left = [event.time_left for event in log.events]
    assert left == sorted(left, reverse=True)
    assert [event.phase for event in log.events if event.kind == "phase"] == [
        "greedtok",
        "bound",
        "search",
        "recount",
    ]
    for before, after in pairwise(log.events):
        assert after.tokens is None or before.tokens is None or after.tokens <= before.tokens
        if before.lower_bound is not None:
            assert after.lower_bound >= before.lower_bound


def test_a_better_start_is_the_best_from_the_first_second():
    instance = random_instance(1, 25)
    good = improve(instance, bound=False)
    log = EventLog()
    improve(instance, warm_start=good, progress=log)
    sources = [event.source for event in log.events if event.kind == "incumbent"]
    assert sources[:2] == ["greedtok", "start"]
    bounding = [event for event in log.events if event.kind == "bound"]
    assert bounding
    assert all(event.tokens == good.tokens for event in bounding)


@pytest.mark.long
def test_reduced_costs_are_in_tokens(monkeypatch):
    """A token that may be of a better vocabulary is tried: what it costs is below the gap."""
    instance = random_instance(2, 8)
    targets = []

    class Recorded(LocalSearch):
        def aim(self, target):
            targets.append(target)
            super().aim(target)

    monkeypatch.setattr(both_module, "LocalSearch", Recorded)
    solution = improve(instance)
    bound = lower_bound(instance, incumbent=solution.extra["tokens_greedtok"])
    costs = np.maximum(bound.reduced_costs / bound.unit, 0)
    assert targets[-1].reduced_costs.tolist() == costs.tolist()
    assert targets[-1].lower_bound == bound.lower_bound == solution.lower_bound
    # forcing a candidate in never costs more than all tokens there are
    assert costs.max() <= instance.words.total_symbols


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_side_by_side_and_in_turns(threads):
    """With time to spare both end, and agree with what each finds alone."""
    instance = random_instance(3, 20)
    alone = improve(instance)
    log = EventLog()
    solution = improve(instance, time_limit=600, threads=threads, progress=log)
    assert solution.tokens <= alone.tokens
    assert solution.lower_bound >= alone.lower_bound - 1
    assert check_certificate(instance, solution.certificate).lower_bound == solution.lower_bound
    assert solution.threads == threads


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_of_the_search_ends_the_call(monkeypatch, threads):
    class Failing(LocalSearch):
        def steps(self):
            yield from islice(super().steps(), 2)
            raise RuntimeError("a defect")

    monkeypatch.setattr(both_module, "LocalSearch", Failing)
    with pytest.raises(RuntimeError, match="a defect"):
        improve(random_instance(3, 20), time_limit=600, threads=threads)


def test_a_pace_is_the_improvement_in_the_last_part_of_the_time():
    pace = both_module._Pace()
    assert pace.rate() == math.inf
    pace.note(1, math.inf)  # no vocabulary yet
    assert pace.rate() == math.inf
    pace.note(3, 100)
    assert pace.rate() == math.inf
    pace.note(4, 80)
    assert pace.rate() == 20 / 4
    pace.note(8, 80)
    assert pace.rate() == 0
    other = both_module._Pace()
    for value in (10, 20, 40, 50):
        other.note(2, value)
    assert other.rate() == 30 / 4
    assert other.rate(0.25) == 10 / 2
    assert other.rate(0.1) == 10 / 2  # a step counts whole


@pytest.mark.long
@pytest.mark.parametrize("limit", [None, 4])
def test_words_of_many_symbols_have_one_after_the_other(monkeypatch, limit):
    """The steps of the bound are freed before the search begins, and nothing else changes."""
    instance = random_instance(3, 10)
    alone = improve(instance)
    steps, freed = LocalSearch.steps, []

    def noted(self):
        # nothing has steps any more
        freed.append(not any(type(found) is WordAscent for found in gc.get_objects()))
        return steps(self)

    gc.collect()
    monkeypatch.setattr(LocalSearch, "steps", noted)
    monkeypatch.setattr(both_module, "MOST_TOGETHER", 0)
    solution = improve(instance, time_limit=limit, threads=2)
    assert freed == [True]
    assert solution.tokens <= alone.extra["tokens_greedtok"]
    assert check_certificate(instance, solution.certificate).lower_bound == solution.lower_bound
    if limit is None:
        assert (solution.tokens, solution.lower_bound) == (alone.tokens, alone.lower_bound)


@pytest.mark.long
def test_without_a_limit_threads_change_nothing(tmp_path):
    instance = random_instance(5, 12)
    one, two = (improve(instance, threads=threads) for threads in (1, 2))
    assert one.vocabulary == two.vocabulary
    one.certificate.save(tmp_path / "1.cert")
    two.certificate.save(tmp_path / "2.cert")
    assert (tmp_path / "1.cert").read_bytes() == (tmp_path / "2.cert").read_bytes()


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_the_search_is_raised(monkeypatch, threads):
    class Broken(LocalSearch):
        def steps(self):
            yield from ()
            raise RuntimeError("broken")

    monkeypatch.setattr(both_module, "LocalSearch", Broken)
    with pytest.raises(RuntimeError, match="broken"):
        improve(random_instance(3, 20), time_limit=20, threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_in_the_search_keeps_the_best(threads):
    class Interrupting(EventLog):
        def event(self, event):
            super().event(event)
            if event.phase == "search" and event.kind == "incumbent":
                raise KeyboardInterrupt

    log = Interrupting()
    instance = random_instance(3, 20)
    solution = improve(instance, time_limit=600, threads=threads, progress=log)
    assert solution.termination == "interrupted"
    assert solution.tokens <= log.events[-1].tokens
    assert verify(instance, solution.vocabulary, claim=solution).ok
    assert check_certificate(instance, solution.certificate).ok


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 2])
def test_checkpoints_are_proven(monkeypatch, threads):
    class Always(Checkpoints):
        def offer(self, *, news=False):
            self.make()

    monkeypatch.setattr(both_module, "Checkpoints", Always)
    instance = random_instance(3, 20)
    kept, phases = [], []
    log = EventLog()

    def keep(solution):
        kept.append(solution)
        phases.append(log.events[-1].phase)

    solution = improve(instance, time_limit=20, threads=threads, progress=log, checkpoint=keep)
    assert set(phases) >= {"bound", "search"}, "the bound alone may take long"
    assert kept[-1].tokens >= solution.tokens
    assert kept[-1].lower_bound <= solution.lower_bound
    for checkpoint in kept[::5]:
        assert verify(instance, checkpoint.vocabulary).tokens == checkpoint.tokens
        checked = check_certificate(instance, checkpoint.certificate)
        assert checked.ok
        assert checked.lower_bound == checkpoint.lower_bound


def test_worse_events_are_dropped():
    log = EventLog()
    phases = PhaseEvents(Deadline(), log)
    for event in (
        Event(0, "incumbent", 9, None, "a"),
        Event(0, "incumbent", 9, None, "b"),
        Event(0, "bound", None, 4, "c"),
        Event(0, "bound", None, 3, "d"),
        Event(0, "incumbent", 8, 2, "e"),
    ):
        phases.event(event)
    events = [(event.source, event.tokens, event.lower_bound) for event in log.events]
    assert events == [("a", 9, None), ("c", 9, 4), ("e", 8, 4)]


@pytest.mark.long
def test_a_gap_ends_it():
    instance = random_instance(3, 10)
    whole = improve(instance)
    assert whole.gap < 0.05
    near = improve(instance, gap=0.5)
    assert (near.termination, near.gap <= 0.5) == ("gap", True)
    assert near.extra["swaps_tried"] == 0
    assert near.lower_bound <= whole.lower_bound


@pytest.mark.long
def test_a_better_proof_is_kept():
    instance = random_instance(4, 9)
    good = improve(instance)
    again = improve(instance, warm_start=good, time_limit=0)
    assert again.tokens <= good.tokens
    assert again.lower_bound == good.lower_bound
    assert check_certificate(instance, again.certificate).lower_bound == good.lower_bound
    given = improve(instance, start_certificate=good.certificate, time_limit=0)
    assert given.lower_bound == good.lower_bound
    # what it claims is recounted: more is not believed, less does not hide what it proves
    for claim in (good.lower_bound + 5, 1):
        false = replace(good.certificate, lower_bound=claim)
        kept = improve(instance, start_certificate=false, time_limit=0)
        assert kept.lower_bound == good.lower_bound
        assert check_certificate(instance, kept.certificate).ok
    # one for another budget is a start alone
    other = improve(instance.with_k(12), start_certificate=good.certificate, time_limit=0)
    assert check_certificate(instance.with_k(12), other.certificate).ok
    assert improve(instance, bound=False, warm_start=good).certificate is None


def test_a_tree_is_kept_where_prices_prove_less():
    words = {b"abab": 3, b"baba": 2, b"abba": 2, b"bab": 5, b"aab": 4}
    instance = Instance(WordCounts.from_counts(words), 2)
    tree = solve(instance).certificate
    prices_alone = lower_bound(instance, iterations=0)
    assert prices_alone.lower_bound < tree.lower_bound
    kept = lower_bound(instance, start_certificate=tree, iterations=0)
    assert kept.lower_bound == tree.lower_bound
    assert check_certificate(instance, kept.certificate).lower_bound == tree.lower_bound
    assert improve(instance, start_certificate=tree).status == "optimal"


@pytest.mark.parametrize("seconds", [400.0, 1e9])
def test_time_is_kept_for_the_recount(monkeypatch, seconds):
    """Where the recount takes what is left, neither bound nor search begins."""
    begun = []
    monkeypatch.setattr(both_module, "recount_seconds", lambda *_: seconds)
    monkeypatch.setattr(steps_module, "recount_seconds", lambda *_: seconds)
    monkeypatch.setattr(WordAscent, "begin", lambda *_: begun.append("bound"))
    monkeypatch.setattr(steps_module, "SearchSpace", lambda *_: begun.append("search"))
    instance = random_instance(9, 6)
    solution = improve(instance, time_limit=300)
    assert (begun, solution.termination) == ([], "time_limit")
    assert solution.tokens == greedtok(instance).extra["tokens_shortest_path"]
    assert check_certificate(instance, solution.certificate).ok


@pytest.mark.long
def test_more_time_is_no_worse():
    instance = random_instance(10, 12)
    tokens = [improve(instance, time_limit=limit).tokens for limit in (0, 0.1, 0.4)]
    assert tokens[0] == max(tokens)


def test_large_counts_end():
    words = {"c": 1, "aaa": 1, "aaaaaaa": 10**12, "aa": 8, "bb": 3}
    solution = improve(Instance(WordCounts.from_counts(words), 1))
    assert (solution.status, solution.termination) == ("optimal", "completed")
    assert solution.tokens == 10**12 + 26


def test_the_certificate_proves_the_bound_also_if_every_candidate_is_taken():
    # prices of few digits: 28 tokens are lost by rounding
    words = {"cbbcaa": 7881299347898370, "abb": 4503599627370498}
    instance = Instance(words, 3, min_count=2**53, required=["bbc"])
    solution = improve(instance)
    checked = check_certificate(instance, solution.certificate)
    assert checked.ok
    assert solution.lower_bound == checked.lower_bound <= solution.tokens == 40532396646334476
    assert verify(instance, solution.vocabulary, claim=solution).ok


@pytest.mark.long
def test_no_time_is_greedtok_and_starts_again():
    """A bound that had no time is a token a word, without prices; it is no bad start."""
    instance = random_instance(8, 5)
    at_once = improve(instance, time_limit=0)
    assert (at_once.status, at_once.termination) == ("feasible", "time_limit")
    assert at_once.lower_bound == instance.words.total_count
    assert at_once.tokens == greedtok(instance).extra["tokens_shortest_path"]
    assert check_certificate(instance, at_once.certificate).ok
    again = improve(instance, warm_start=at_once)
    assert again.tokens <= at_once.tokens
    assert again.lower_bound > at_once.lower_bound


def test_mistakes():
    instance = random_instance(5, 4)
    proof = lower_bound(instance, iterations=0).certificate
    with pytest.raises(InputError, match="no bound is computed: leave"):
        improve(instance, bound=False, start_certificate=proof)
    with pytest.raises(InputError, match="other words"):
        improve(random_instance(6, 4), start_certificate=proof)
    with pytest.raises(InputError, match="over chars"):
        improve(instance, warm_start=Vocabulary(["ab"], "chars"))
    with pytest.raises(InputError, match="gap is 1"):
        improve(instance, gap=1)
    for limit in (-1, "10", float("nan"), True):
        with pytest.raises(InputError, match="time_limit"):
            improve(instance, time_limit=limit)


def test_ctrl_c_in_the_bound_ends_it_all(monkeypatch):
    def interrupted(ascent):
        raise KeyboardInterrupt

    monkeypatch.setattr(WordAscent, "step", interrupted)
    monkeypatch.setattr(steps_module, "SearchSpace", None)  # the search is not begun
    instance = random_instance(7, 6)
    solution = improve(instance)
    assert solution.termination == "interrupted"
    assert solution.tokens == greedtok(instance).extra["tokens_shortest_path"]
    assert check_certificate(instance, solution.certificate).ok


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    random_instance(1, 5).words.save(tmp_path / "C.tsv")
    return "C.tsv"


@pytest.mark.long
def test_command_keeps_the_better_proof(run, corpus):
    assert run("improve", corpus, "-k", "8", "--write-certificate", "P.cert", "--quiet")[0] == 0
    before = Path("P.cert").read_bytes()
    arguments = ("improve", corpus, "-k", "8", "--gap", "30%", "--json")
    status, out, err = run(*arguments, "--write-certificate", "P.cert")
    assert status == 0
    assert "kept P.cert: it proves" in err
    assert Path("P.cert").read_bytes() == before
    proven = Certificate.load("P.cert").lower_bound
    assert json.loads(out)["lower_bound"] < proven
    status, out, _ = run(*arguments, "--start-certificate", "P.cert")
    assert json.loads(out)["lower_bound"] == proven
    # bound too
    status, _, err = run("bound", corpus, "-k", "8", "--iterations", "0", "-o", "P.cert")
    assert (status, "kept P.cert: it proves" in err) == (0, True)
    options = ("--start-certificate", "P.cert", "-o", "Q.cert", "--json")
    status, out, _ = run("bound", corpus, "-k", "8", "--iterations", "0", *options)
    assert json.loads(out)["lower_bound"] == proven == Certificate.load("Q.cert").lower_bound
    # a claim that does not hold is no reason to keep a file, nor is one for another k
    for other in (
        replace(Certificate.load("P.cert"), lower_bound=proven + 9),
        replace(Certificate.load("P.cert"), k=7),
    ):
        other.save("P.cert")
        assert run(*arguments, "--write-certificate", "P.cert")[0] == 0
        assert Certificate.load("P.cert").k == 8
        assert Certificate.load("P.cert").lower_bound <= proven
