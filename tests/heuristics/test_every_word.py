"""Every word as a token: where that is allowed it is optimal, and found without a search."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from oracles.brute_force import cost, fewest_tokens, useful
from shared.properties import tries
from shared.strategies import instances

from partcover import (
    InputError,
    Instance,
    VerificationError,
    Vocabulary,
    WordCounts,
    check_certificate,
    improve,
    lower_bound,
    solve,
    verify,
)
from partcover.heuristics.every_word import every_word
from partcover.runtime.limits import RunLimits
from partcover.runtime.progress import EventLog

METHODS = [solve, improve]


def alike(length: int) -> dict[str, int]:
    """Two words of Fibonacci's that share nearly all, and a short one."""
    word, longer = "a", "ab"
    while len(longer) <= length:
        word, longer = longer, longer + word
    return {longer[:length]: 2, longer[5:length] + "b": 1, "c": 7}


@tries(500)
@given(instances())
def test_it_is_there_where_a_token_for_each_word_is_the_optimum(instance):
    assume(len(useful(instance)) <= 11)
    solution = every_word(instance, RunLimits())
    total = instance.words.total_count
    assert (solution is not None) == (fewest_tokens(instance) == total)
    if solution is None:
        return
    assert (solution.tokens, solution.lower_bound, solution.status) == (total, total, "optimal")
    assert cost(instance, solution.vocabulary.tokens) == total
    assert verify(instance, solution.vocabulary, claim=solution).ok
    check = check_certificate(instance, solution.certificate)
    assert (check.ok, check.lower_bound) == (True, total)


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "conditions",
    [{}, {"required": ["ba"], "max_length": 400}, {"forbidden": ["ab"]}, {"min_count": 1}],
    ids=str,
)
def test_long_words_that_repeat_themselves(method, conditions, monkeypatch):
    # of such words of thousands of symbols GreedTok takes minutes, and the index gigabytes
    monkeypatch.setattr("partcover.bounds.bound_and_search.greedtok", None)
    words = WordCounts.from_counts(alike(400))
    instance = Instance(words, 3, **conditions)
    events, saved = EventLog(), []
    solution = method(instance, threads=2, seed=3, progress=events, checkpoint=saved.append)
    assert (solution.tokens, solution.lower_bound, solution.gap) == (10, 10, 0.0)
    assert (solution.status, solution.termination) == ("optimal", "completed")
    assert (solution.seed, solution.threads) == (3, 2)
    chosen = [t for t in solution.vocabulary if t not in instance.fixed]
    assert list(map(len, chosen)) == [400, 396]
    assert check_certificate(instance, solution.certificate).ok
    assert [event.kind for event in events.events] == ["incumbent", "bound"]
    assert [s.tokens for s in saved] == [10]
    assert not instance.is_indexed


def test_a_bound_needs_no_greedtok(monkeypatch):
    monkeypatch.setattr("partcover.bounds.lower_bound.greedtok", None)
    bound = lower_bound(Instance(alike(300), 2))
    assert (bound.lower_bound, bound.termination) == (10, "completed")


@pytest.mark.parametrize("method", METHODS)
def test_starts_are_looked_at_all_the_same(method):
    instance = Instance(alike(50), 2)
    other = lower_bound(Instance({"abc": 1}, 1)).certificate
    saved = []
    for start in (
        {"warm_start": Vocabulary([(1, 2)], "ints")},
        {"start_certificate": other},
    ):
        with pytest.raises((InputError, VerificationError)):
            method(instance, checkpoint=saved.append, **start)
    assert not saved
    start = Vocabulary(["ab"])
    assert method(instance, warm_start=start).tokens == 10


@pytest.mark.parametrize("method", METHODS)
def test_ctrl_c_keeps_it(method):
    class Interrupts(EventLog):
        def event(self, event):
            raise KeyboardInterrupt

    solution = method(Instance(alike(50), 2), progress=Interrupts())
    assert (solution.tokens, solution.lower_bound, solution.termination) == (10, 10, "interrupted")


@pytest.mark.parametrize("method", METHODS)
def test_a_checkpoint_that_fails_is_told(method):
    def fail(solution):
        raise OSError("the disk is full")

    solution = method(Instance(alike(50), 2), checkpoint=fail)
    assert solution.tokens == 10
    assert "the disk is full" in solution.extra["checkpoint_error"]
