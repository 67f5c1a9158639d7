"""Cases that workers bound: the same optimum, whatever happens to the workers."""

from __future__ import annotations

import importlib
import pickle
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.bounds.corpora import smallest_worst, smallest_worst_closed
from oracles.brute_force import fewest_tokens, useful
from shared.generated import generated_corpora
from shared.properties import tries
from shared.strategies import instances, random_instance

from partcover import (
    Corpora,
    Instance,
    MergeCondition,
    WordCounts,
    check_certificate,
    improve,
    reference_counts,
    solve,
)
from partcover.bounds.branch_and_cut import branch_and_cut
from partcover.errors import InputError

# the function of the same name hides the module
start = importlib.import_module("partcover.bounds.branch_and_cut")

pytestmark = pytest.mark.usefixtures("few_rounds", "no_links")


@pytest.fixture
def no_links(monkeypatch):
    """Without cuts with links there are cases to hand out: with them, the first case is all."""
    links = "partcover.bounds.climbing.cut_rounds.separate_links"
    monkeypatch.setattr(links, lambda ascent: [])


class Worker(Executor):
    """Runs each call at once, as a process that receives it; those of some numbers are lost."""

    def __init__(self, lost=lambda number: False, error=BrokenExecutor):
        self.lost, self.error, self.calls = lost, error, 0

    def submit(self, function, /, *arguments):
        self.calls += 1
        future = Future()
        if self.lost(self.calls):
            future.set_exception(self.error("killed"))
        else:
            function, arguments = pickle.loads(pickle.dumps((function, arguments)))
            future.set_result(pickle.loads(pickle.dumps(function(*arguments))))
        return future


def check(instance, best, executor, threads=2):
    solution = branch_and_cut(instance, executor=executor, threads=threads)
    assert (solution.tokens, solution.lower_bound, solution.status) == (best, best, "optimal")
    found = check_certificate(instance, solution.certificate)
    assert (found.ok, found.lower_bound) == (True, best)
    assert found.leaves == solution.extra["leaves"]
    return solution


@pytest.mark.long
@tries(60)
@given(instances())
def test_conditions(instance):
    check(instance, fewest_tokens(instance), Worker(), threads=1)


@pytest.mark.long
@pytest.mark.parametrize(("seed", "k"), [(0, 5), (2, 40), (4, 8)])
def test_workers_side_by_side(seed, k):
    instance = random_instance(seed, k)
    with ThreadPoolExecutor(2) as executor:
        check(instance, solve(instance).tokens, executor)


@pytest.mark.long
def test_a_worker_that_is_lost_loses_its_case():
    instance = random_instance(1, 6)
    best = solve(instance).tokens
    half, none = Worker(lambda number: number % 2), Worker(lambda number: True)
    for worker in (half, none):
        check(instance, best, worker, threads=1)
    assert half.calls > 1  # handed out again
    assert none.calls > 2  # then the cases are bounded here


@pytest.mark.long
def test_a_worker_without_time_has_more_the_next_time(monkeypatch):
    monkeypatch.setattr("partcover.bounds.tree.spread._SLICE", 1e-4)
    instance = random_instance(1, 6)
    worker = Worker()
    check(instance, solve(instance).tokens, worker, threads=1)
    assert worker.calls > 1


@pytest.mark.long
def test_any_workers_go_on_with_a_proof():
    instance = random_instance(4, 8)
    kept = []
    best = branch_and_cut(instance, executor=Worker(), threads=1, checkpoint=kept.append)
    for executor in (Worker(), None):
        again = branch_and_cut(instance, kept[0], executor=executor)
        assert (again.tokens, again.lower_bound) == (best.tokens, best.tokens)
        assert check_certificate(instance, again.certificate).ok


@pytest.mark.long
def test_an_error_of_the_work_is_raised():
    worker = Worker(lambda n: True, error=ZeroDivisionError)
    with pytest.raises(ZeroDivisionError):
        branch_and_cut(random_instance(1, 6), executor=worker)


@pytest.mark.long
@tries(40)
@given(st.integers(0, 2**31), st.sampled_from(["one", "any", "some"]), st.booleans())
def test_several_corpora_and_merges(number, merges, whole_words):
    """The tree begins with a poor vocabulary, and the workers find the best one."""
    instance = generated_corpora(number)
    assume(len(useful(instance)) <= 11)
    if merges != "one":
        pairs = [
            (token[:at], token[at:]) for token in useful(instance) for at in range(1, len(token))
        ]
        some = tuple(pairs[::2]) if merges == "some" else None
        instance = replace(instance, merges=MergeCondition(some, whole_words=whole_words))
    best = smallest_worst(instance) if merges == "one" else smallest_worst_closed(instance)
    assume(best is not None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start, "improve", lambda one, **how: improve(one, **how | {"time_limit": 0}))
        solution = branch_and_cut(instance, executor=Worker(), threads=1)
    assert (solution.worst, solution.lower_bound, solution.status) == (best, best, "optimal")
    found = check_certificate(instance, solution.certificate)
    assert (found.problems, found.lower_bound) == ((), best)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["corpora", "merges"])
def test_parts_of_cases_go_on_in_other_workers(kind, monkeypatch):
    monkeypatch.setattr("partcover.bounds.tree.spread._SLICE", 1e-4)
    if kind == "merges":
        instance = replace(random_instance(2, 3), merges=MergeCondition(None))
    else:
        corpora = [random_instance(seed, 1).words.most_frequent(8) for seed in (1, 2)]
        instance = Instance(Corpora(corpora, reference_counts(corpora, "own", 2)), 2)
    worker, alone = Worker(), solve(instance)
    spread = branch_and_cut(instance, executor=worker, threads=1)
    assert worker.calls > 1
    best = alone.lower_bound  # several vocabularies with this largest ratio may exist
    assert (spread.worst or spread.tokens, spread.lower_bound, spread.status) == (
        best, best, "optimal",
    )  # fmt: skip
    assert check_certificate(instance, spread.certificate).ok


def test_what_workers_are_not_for():
    words = WordCounts.from_counts({"banana": 2, "bandana": 1})
    with pytest.raises(InputError, match="executor is for branch and cut"):
        solve(Instance(words, 1), solver="scip", executor=Worker())
