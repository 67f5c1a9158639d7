"""Optima where merges have to make every token, against all such vocabularies."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from oracles.bounds.merge_certificate import fewest_closed, is_closed
from oracles.brute_force import useful
from shared.generated import generated_closed
from shared.properties import tries

from partcover import (
    InputError,
    Instance,
    MergeCondition,
    Progress,
    Vocabulary,
    check_certificate,
    improve,
    lower_bound,
    solve,
    verify,
)
from partcover.verification.certificate_check import is_empty

THAT = Instance({"that": 1}, 1, merges=MergeCondition())
WORDS = {"banana": 2, "bandana": 1, "ban": 3}


def optimum_of(instance: Instance) -> int:
    assume(len(useful(instance)) <= 11)
    try:
        return fewest_closed(instance, instance.merges)
    except ValueError:  # no vocabulary holds the required tokens
        assume(False)
        raise


def checks(instance: Instance, solution) -> None:
    recount = verify(instance, solution.vocabulary, claim=solution)
    assert recount.problems == ()
    check = check_certificate(instance, solution.certificate)
    assert (check.problems, check.lower_bound >= solution.lower_bound) == ((), True)
    assert solution.lower_bound <= solution.tokens


@pytest.mark.long
@tries(80)
@given(st.integers(0, 2**31))
@example(115)  # counts of 10^9
@example(3495)  # multipliers that grow without end
@example(428)  # the only vocabulary of a case, whose tokens are made in several ways
def test_solve_finds_the_optimum(number):
    instance = generated_closed(number)
    optimum = optimum_of(instance)
    solution, found = solve(instance), improve(instance)
    assert (solution.tokens, solution.lower_bound) == (optimum, optimum)
    assert (solution.status, solution.termination) == ("optimal", "completed")
    assert found.lower_bound <= optimum <= found.tokens
    for each in (solution, found):
        checks(instance, each)


@pytest.mark.long
@tries(150)
@given(st.integers(0, 2**31), st.randoms(use_true_random=False))
def test_an_empty_case_holds_no_vocabulary(number, draw):
    """What the check of a certificate passes over."""
    instance = generated_closed(number)
    pool = useful(instance)
    assume(len(pool) <= 9)
    inside = frozenset(draw.sample(pool, min(len(pool), draw.randrange(3))))
    outside = frozenset(draw.sample(pool, min(len(pool), draw.randrange(5)))) - inside
    if is_empty(instance, inside | {*instance.fixed}, outside):
        left = [token for token in pool if token not in inside | outside]
        room = instance.k - len({*instance.fixed, *inside})
        for size in range(max(0, room + 1)):
            for more in combinations(left, min(size, len(left))):
                tokens = {*inside, *more}
                assert not is_closed(instance, tokens, instance.merges) or any(
                    sum(t in group for t in {*instance.fixed, *tokens}) > group.limit
                    for group in instance.groups
                )


def test_a_token_that_nothing_makes_leaves_a_case_empty():
    def empty(inside, outside, k=2, **condition):
        instance = Instance({"that": 1}, k, merges=MergeCondition(**condition))
        return is_empty(instance, frozenset(inside), frozenset(outside))

    assert empty([b"that"], [], k=1)
    assert not empty([b"that"], [])
    assert empty([b"that", b"hat"], [])
    assert not empty([b"that", b"hat"], [], k=3)
    assert empty([b"that", b"th"], [])
    assert empty([b"that"], [b"tha", b"hat", b"at"])
    assert not empty([b"that"], [b"tha", b"hat", b"at"], whole_words=True)
    assert not empty([b"that"], [b"tha", b"hat"])
    assert empty([b"that"], [b"th"], pairs=((b"th", b"at"),))
    assert empty([b"that"], [], pairs=())
    for limits in ({"candidates": ["that", "th"]}, {"forbidden": ["tha", "hat", "at"]}):
        instance = Instance({"that": 1}, 3, merges=MergeCondition(), **limits)
        assert is_empty(instance, frozenset([b"that"]), frozenset())


def test_the_example_of_the_page():
    solution = solve(THAT)
    assert (solution.tokens, solution.lower_bound, solution.status) == (3, 3, "optimal")
    checks(THAT, solution)
    assert lower_bound(THAT, cuts=False).lower_bound < 3


@pytest.mark.long
def test_goes_on_and_keeps_to_limits(tmp_path):
    instance = Instance(WORDS, 4, merges=MergeCondition())
    optimum = fewest_closed(instance, instance.merges)
    first = solve(instance, time_limit=0)
    assert first.termination == "time_limit"
    checks(instance, first)
    kept = []
    done = solve(instance, warm_start=first, checkpoint=kept.append)
    assert (done.tokens, done.lower_bound) == (optimum, optimum)
    for each in (*kept, done, solve(instance, warm_start=done), improve(instance, warm_start=done)):
        checks(instance, each)
    assert solve(instance, warm_start=done).tokens == optimum
    nearly = solve(instance, gap=0.5)
    assert nearly.gap <= 0.5
    start = Vocabulary(["an", "ban"])
    assert improve(instance, warm_start=start).tokens <= verify(instance, start).tokens
    one, two = (solve(instance, threads=threads) for threads in (1, 2))
    assert one.vocabulary == two.vocabulary
    assert one.certificate.to_json() == two.certificate.to_json()
    with pytest.raises(InputError, match="a search needs a bound"):
        improve(instance, bound=False)


@pytest.mark.long
@pytest.mark.parametrize("number", [2, 3, 4, 5])
@pytest.mark.parametrize("method", [improve, solve])
def test_ctrl_c_keeps_the_best(method, number):
    class Interrupting(Progress):
        events = 0

        def event(self, event):
            self.events += 1
            if self.events == number:
                raise KeyboardInterrupt

    instance = Instance(WORDS, 4, merges=MergeCondition())
    solution = method(instance, progress=Interrupting())
    assert solution.termination == "interrupted"
    checks(instance, solution)


@pytest.mark.long
def test_the_command_solves_what_prune_was_about(run):
    replace(THAT, k=2).save("I.json")
    status, _, err = run("solve", "I.json", "-o", "V.json", "--write-certificate", "P.cert")
    assert (status, err.count("Traceback")) == (0, 0)
    assert run("verify", "I.json", "--vocab", "V.json", "--certificate", "P.cert")[0] == 0
    assert run("improve", "I.json", "--json")[0] == 0


@pytest.mark.parametrize("count", [10**8, 10**9, 10**10])
def test_multipliers_that_grow_without_end_do_no_harm(count):
    """Some of these tokens cannot be made at all."""
    ways = "b+cc bc+c bcc+b bc+cbc c+b c+bc c+bcc cb+cc cb+ccb cbcc+b cb+ccbc cbcc+bc cbccb+c cc+b"
    ways += " cc+bc c+cbcc cc+bcc ccb+cc ccbcc+b c+cbccbc cc+bccbc ccb+ccbc ccbc+cbc ccbcc+bc"
    ways += " ccbccb+c"
    pairs = tuple(tuple(way.split("+")) for way in ways.split())
    instance = Instance({"ccbccbc": count, "cc": count}, 1, merges=MergeCondition(pairs))
    bound = lower_bound(instance)
    assert bound.lower_bound <= fewest_closed(instance, instance.merges)
    assert check_certificate(instance, bound.certificate).ok


def test_too_many_candidates_are_refused(monkeypatch):
    monkeypatch.setattr("partcover.heuristics.closed_tokens._MOST", 3)
    for method in (improve, solve):
        with pytest.raises(InputError, match=r"6 candidates are too many.* cap them"):
            method(replace(THAT, k=2))


@pytest.mark.long
def test_an_earlier_proof_is_kept():
    instance = Instance({**WORDS, "cabana": 1}, 3, merges=MergeCondition())
    done = solve(instance)
    found = improve(instance, start_certificate=done.certificate, time_limit=0)
    assert found.lower_bound == done.lower_bound > improve(instance, time_limit=0).lower_bound
    checks(instance, found)
