"""Branch and cut: equal to brute force, with certificates that hold, whatever ends it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens
from shared.generated import generated_instance
from shared.properties import tries
from shared.strategies import instance_of_cases, instances, random_instance

from partcover import EventLog, Instance, check_certificate, solve
from partcover.bounds.branch_and_cut import branch_and_cut
from partcover.bounds.climbing.cut_rounds import CutRounds
from partcover.errors import InputError
from partcover.problem.group_budget import GroupBudget

pytestmark = pytest.mark.usefixtures("few_rounds")


def check(instance: Instance, best: int, **options):
    solution = branch_and_cut(instance, **options)
    assert (solution.tokens, solution.lower_bound, solution.status) == (best, best, "optimal")
    found = check_certificate(instance, solution.certificate)
    assert (found.ok, found.lower_bound) == (True, best)
    assert found.leaves == solution.extra["leaves"]
    return solution


@tries(40)
@given(st.integers(0, 2**31))
def test_words_of_few_letters(seed):
    draw = random.Random(seed)
    letters = "abc"[: draw.randint(2, 3)]
    words = {
        "".join(draw.choices(letters, k=draw.randint(1, 6))): draw.randint(1, 6)
        for _ in range(draw.randint(1, 9))
    }
    instance = Instance(words, draw.randint(0, 3))
    check(instance, fewest_tokens(instance))


@pytest.mark.long
@tries(60)
@given(instances())
def test_conditions(instance):
    check(instance, fewest_tokens(instance))


@pytest.mark.long
@pytest.mark.parametrize(("seed", "k"), [(0, 5), (2, 40), (4, 8)])
def test_cases_close_what_cuts_leave(seed, k):
    instance = random_instance(seed, k)
    check(instance, solve(instance).tokens)


@pytest.mark.long
def test_a_tree_of_several_cases():
    log = EventLog()
    solution = check(instance_of_cases(), 138, progress=log)
    assert solution.extra["leaves"] > 1
    bounds = [event.lower_bound for event in log.events if event.lower_bound is not None]
    assert bounds == sorted(bounds)
    assert log.events[-1].phase == "branches"


@pytest.mark.long
def test_words_that_change_make_more_steps(monkeypatch):
    """Few words make all steps together; these make turns, as many words do."""
    monkeypatch.setattr("partcover.bounds.steps.part_ascent._WORTH_A_SHARD", 200)
    found = []

    def changed(rounds):
        found.append(listed := of_change(rounds))
        return listed

    of_change = CutRounds._changed
    monkeypatch.setattr(CutRounds, "_changed", changed)
    check(instance_of_cases(), 138)
    assert len({len(parts) for parts in found}) > 3


@pytest.mark.long
@pytest.mark.parametrize("seconds", [0, 0.2])
def test_a_limit_leaves_what_is_known(seconds):
    instance = random_instance(1, 20)
    solution = branch_and_cut(instance, time_limit=seconds)
    found = check_certificate(instance, solution.certificate)
    assert found.ok
    assert found.lower_bound == solution.lower_bound <= 7618 <= solution.tokens


def test_a_gap_ends_it():
    solution = branch_and_cut(random_instance(1, 20), gap=0.5)
    assert solution.termination in ("gap", "completed")
    assert solution.gap <= 0.5


@pytest.mark.long
@tries(25)
@given(st.integers(0, 2**31))
def test_generated_instances_of_all_conditions(number):
    """Weights, required, forbidden, protected tokens and group budgets; all alphabets."""
    instance = generated_instance(number)
    solution = check(instance, fewest_tokens(instance))
    assert set(instance.fixed) <= set(solution.vocabulary)
    assert not set(instance.forbidden) & set(solution.vocabulary)
    for group in instance.groups:
        assert sum(token in group for token in solution.vocabulary) <= group.limit


@pytest.mark.long
def test_group_budgets_are_kept_where_the_bound_is_below():
    """The best two tokens are of one group, which has room for one: cases that exceed it close."""
    words = {"abab": 9, "cdcd": 8, "efef": 3, "ab": 1, "cd": 1}
    groups = [GroupBudget("g", 1, frozenset(["ab", "cd", "abab", "cdcd"]))]
    instance = Instance(words, 2, groups=groups)
    solution = check(instance, fewest_tokens(instance))
    assert sum(token in groups[0].over("bytes") for token in solution.vocabulary) == 1


@pytest.mark.long
def test_long_words_that_repeat_themselves_are_refused_before_they_are_counted():
    shorter, longer = "a", "ab"
    while len(longer) < 17_711:
        shorter, longer = longer, longer + shorter
    with pytest.raises(InputError, match="because long words repeat themselves"):
        branch_and_cut(Instance({shorter: 1, longer: 1}, 1), time_limit=60)
