"""Bounds and searches for which there is no time to list all candidates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens
from shared.properties import tries
from shared.strategies import instances, random_instance

from partcover import Instance, check_certificate, greedtok, improve, lower_bound, solve
from partcover.bounds.branch_and_cut import branch_and_cut
from partcover.bounds.climbing import warm_start
from partcover.problem.candidates import CandidateIndex
from partcover.runtime.limits import Deadline

CALLS = [branch_and_cut, improve, lower_bound, solve]


@pytest.fixture
def large(monkeypatch):
    """An instance most of whose candidates are not listed at first."""
    monkeypatch.setattr("partcover.problem.instance.MOST_HELD", 20)
    instance = random_instance(1, 20)
    assert instance.promising_index().min_promise > 0
    return instance


def copy_of(instance: Instance) -> Instance:
    """The same instance without an index."""
    return Instance.from_json(instance.to_json())


def check(instance: Instance, answer) -> None:
    """Looks that an answer holds, and is no worse than GreedTok's and a token for each word."""
    least, most = instance.words.total_count, greedtok(instance).extra["tokens_shortest_path"]
    assert least <= answer.lower_bound <= most
    assert check_certificate(instance, answer.certificate).lower_bound >= answer.lower_bound
    if hasattr(answer, "tokens_per_word"):
        assert answer.lower_bound <= answer.tokens <= most
        assert len(answer.vocabulary) <= instance.k


@pytest.mark.long
@pytest.mark.parametrize("call", CALLS)
def test_nothing_is_listed_without_time(call, large, monkeypatch):
    monkeypatch.setattr(warm_start, "_LISTED", 1e9)  # seconds
    held = []
    whole = CandidateIndex.held
    monkeypatch.setattr(
        CandidateIndex, "held", lambda self, least: held.append(least) or whole(self, least)
    )
    answer = call(large, time_limit=0.2)
    assert 0 not in held
    assert "index" not in vars(large)
    check(copy_of(large), answer)
    if call in (branch_and_cut, solve):
        assert answer.extra["leaves"] == 1


@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_while_candidates_are_listed(call, large, monkeypatch):
    whole = CandidateIndex.held
    pressed = []

    def held(self, least):
        if least == 0 and not pressed:
            pressed.append(True)
            raise KeyboardInterrupt
        return whole(self, least)

    monkeypatch.setattr(CandidateIndex, "held", held)
    answer = call(large)
    assert pressed
    assert answer.termination == "interrupted"
    assert "index" not in vars(large)
    monkeypatch.undo()
    check(copy_of(large), answer)


@tries(40)
@given(instance=instances(), held=st.integers(1, 4), call=st.sampled_from(CALLS[:3]))
def test_bounds_over_few_candidates_hold(instance, held, call):
    best = fewest_tokens(instance)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("partcover.problem.instance.MOST_HELD", held)
        patch.setattr(warm_start, "_LISTED", 1e9)
        answer = call(copy_of(instance), time_limit=0.02)
    assert answer.lower_bound <= best
    assert check_certificate(instance, answer.certificate).lower_bound >= answer.lower_bound
    if call is not lower_bound:
        assert answer.tokens >= best


def test_candidates_that_are_listed_take_no_time():
    instance = Instance({"banana": 2}, 1)
    assert warm_start.can_list(instance, Deadline(0))
