"""`solve` and `prove` without a solver named: a solver first, or branch and cut, or both."""

from __future__ import annotations

import _thread
from dataclasses import replace

import pytest
from generated import generated_instance
from generated_text import generated_words
from hypothesis import given
from hypothesis import strategies as st
from listener import Listener
from oracles.brute_force import fewest_tokens
from properties import tries

from partcover import (
    Certificate,
    EventLog,
    GroupBudget,
    InputError,
    Instance,
    VerificationError,
    Vocabulary,
    WordCounts,
    check_certificate,
    prove,
    solve,
    verify,
)
from partcover.exact import staged_run
from partcover.instances.library import entry

NUMBERS = st.integers(0, 2**31)
SMALL = Instance({"banana": 2, "bandana": 1}, 1)


def solve_with_proof(instance: Instance, **options):
    return prove(instance, **options)[0]


def leave_to_branch_and_cut(patch: pytest.MonkeyPatch) -> None:
    """Makes no model small enough for a solver."""
    patch.setattr(staged_run, "QUICK", -1)
    patch.setattr(staged_run, "QUICK_WITH_GROUPS", -1)


def hurry(patch: pytest.MonkeyPatch) -> None:
    """Leaves no time to a solver: branch and cut goes on from what it has."""
    patch.setattr(staged_run, "QUICK_SECONDS", 0.0)


@pytest.fixture
def branch_and_cut_alone(monkeypatch):
    leave_to_branch_and_cut(monkeypatch)


@pytest.fixture
def hurried_solver(monkeypatch):
    hurry(monkeypatch)


def check(number: int, *, without_groups: bool = False) -> None:
    """Compares `solve` and `prove` with brute force.

    Bounds of branch and cut do not use groups: alone it may then leave a gap.
    """
    instance = generated_instance(number)
    best = fewest_tokens(instance)
    limit = 0.2 if without_groups and instance.groups else None
    for method in (solve, solve_with_proof):
        solution = method(instance, time_limit=limit)
        assert solution.lower_bound <= best <= solution.tokens, number
        assert verify(instance, solution.vocabulary, claim=solution).ok, number
        certificate = solution.certificate
        if certificate is not None:
            checked = check_certificate(instance, certificate)
            assert (checked.ok, checked.lower_bound) == (True, solution.extra["certified"]), number
        if limit is None:
            assert (solution.tokens, solution.status) == (best, "optimal"), number
            assert certificate is None or certificate.lower_bound == best, number


@tries(60)
@given(NUMBERS)
def test_a_solver_first_is_brute_force(number):
    check(number)


@pytest.mark.usefixtures("few_rounds")
@tries(40)
@given(NUMBERS)
def test_branch_and_cut_is_brute_force(number):
    with pytest.MonkeyPatch.context() as patch:
        leave_to_branch_and_cut(patch)
        check(number, without_groups=True)


@pytest.mark.usefixtures("few_rounds")
@tries(20)
@given(NUMBERS)
def test_both_are_brute_force(number):
    with pytest.MonkeyPatch.context() as patch:
        hurry(patch)
        check(number, without_groups=True)


def test_a_small_model_goes_to_a_solver():
    pytest.importorskip("ortools")
    solution = solve(SMALL)
    assert (solution.extra["solver"], solution.certificate) == ("highs", None)
    solution, certificate = prove(SMALL)
    assert (solution.extra["solver"], certificate.lower_bound) == ("glop", 9)


def test_what_is_about_a_model_names_a_solver():
    lines = []
    for options in ({"formulation": "occurrence"}, {"sense": "max"}, {"log": lines.append}):
        solution = solve(SMALL, **options)
        assert (solution.extra["solver"], solution.tokens) == ("highs", 9)
    assert lines


@pytest.mark.long
@pytest.mark.parametrize("method", [solve, solve_with_proof])
def test_a_book_goes_to_branch_and_cut(method):
    instance = Instance(generated_words(1000), 50)
    log = EventLog()
    solution = method(instance, time_limit=60, progress=log)
    assert solution.extra["solver"] == "branch and cut"
    assert solution.gap < 0.001
    assert solution.certificate.lower_bound == solution.lower_bound == solution.extra["certified"]
    assert solution.extra["leaves"] >= 1
    assert (solution.method, solution.vocabulary.method) == ("solve", "solve")
    assert (log.events[-1].tokens, log.events[-1].lower_bound) == (
        solution.tokens,
        solution.lower_bound,
    )
    assert [event.seconds for event in log.events] == sorted(e.seconds for e in log.events)


@pytest.mark.usefixtures("hurried_solver")
@pytest.mark.parametrize("method", [solve, solve_with_proof])
def test_what_a_solver_does_not_close_goes_to_branch_and_cut(method):
    instance = entry("html5-200").instance
    solution = method(instance)
    assert (solution.tokens, solution.status) == (980, "optimal")
    assert solution.extra["solver"] == "branch and cut"
    assert solution.certificate.lower_bound == 980


def test_groups_stay_with_a_solver():
    """The bound of branch and cut, which does not use groups, would not reach the optimum."""
    instance = Instance(generated_words(60), 12)
    tight = solve(instance, time_limit=60)
    longest = max(map(len, tight.vocabulary))
    limited = replace(instance, groups=(GroupBudget("long", 0, None, longest),))
    solution, certificate = prove(limited, time_limit=60)
    assert solution.status == "optimal"
    assert certificate.lower_bound == solution.tokens > tight.tokens
    assert all(len(token) < longest for token in solution.vocabulary)


@pytest.mark.parametrize("number", [18880, 21740])
def test_what_tolerances_leave_open_with_groups_is_proven(number):
    """Counts of 10^9: a solver's bound is rounded down by more than a token."""
    instance = generated_instance(number)
    assert instance.groups
    best = fewest_tokens(instance)
    assert solve(instance, solver="highs").lower_bound < best
    solution = solve(instance)
    assert (solution.tokens, solution.lower_bound, solution.status) == (best, best, "optimal")
    assert check_certificate(instance, solution.certificate).lower_bound == best


@pytest.mark.parametrize("method", [solve, solve_with_proof])
@pytest.mark.parametrize("seconds", [0, 1e-3, 1e14, float("inf")])
@pytest.mark.parametrize("words", [{}, {"a": 4}, {"abc": 2, "bcd": 1}, {"abab": 2**40}])
@pytest.mark.parametrize("k", [0, 2, 10**6])
def test_ends_of_the_range(method, words, k, seconds):
    instance = Instance(WordCounts.from_counts(words), k)
    solution = method(instance, time_limit=seconds)
    best = fewest_tokens(instance.with_k(min(k, 10)))
    assert solution.lower_bound <= best <= solution.tokens
    if seconds > 1:
        assert (solution.tokens, solution.status) == (best, "optimal")


@pytest.mark.parametrize("method", [solve, solve_with_proof])
def test_no_time_for_a_book(method):
    instance = Instance(generated_words(800), 60)
    solution = method(instance, time_limit=0)
    assert (solution.status, solution.termination) == ("feasible", "time_limit")
    assert instance.words.total_count <= solution.lower_bound <= solution.tokens
    assert check_certificate(instance, solution.certificate).ok


@pytest.mark.long
@pytest.mark.parametrize("method", [solve, solve_with_proof])
def test_a_gap_is_enough(method):
    for instance in (Instance(generated_words(800), 60), entry("de-bruijn-5").instance):
        solution = method(instance, gap=0.3, time_limit=20)
        assert solution.gap <= 0.3
        assert solution.termination in ("gap", "completed")


@pytest.mark.long
@pytest.mark.parametrize("method", [solve, solve_with_proof])
def test_the_same_for_any_number_of_threads(method):
    instance = Instance(generated_words(800), 60)
    one, two = (method(instance, threads=threads) for threads in (1, 2))
    assert (one.tokens, one.lower_bound) == (two.tokens, two.lower_bound)
    assert one.vocabulary.tokens == two.vocabulary.tokens
    assert one.certificate.to_json() == two.certificate.to_json()
    assert (one.threads, two.threads) == (1, 2)


@pytest.mark.long
@pytest.mark.parametrize("method", [solve, solve_with_proof])
@pytest.mark.parametrize("kind", ["phase", "incumbent", "bound"])
def test_ctrl_c_keeps_the_best_so_far(method, kind, monkeypatch):
    interrupted = []

    def progress(event):
        if event.kind == kind and not interrupted:
            interrupted.append(event)
            _thread.interrupt_main()

    if kind == "phase":  # of branch and cut, to which a solver leaves the smaller one
        hurry(monkeypatch)
    for instance in (Instance(generated_words(800), 60), entry("de-bruijn-5").instance):
        interrupted.clear()
        solution = method(instance, time_limit=600, progress=Listener(event=progress))
        assert interrupted
        assert solution.termination == "interrupted"
        assert instance.words.total_count <= solution.lower_bound <= solution.tokens
        assert verify(instance, solution.vocabulary, claim=solution).ok


@pytest.mark.long
@pytest.mark.usefixtures("hurried_solver")
def test_goes_on_from_a_checkpoint():
    instance = entry("petersen-less").instance
    saved = []
    first = solve(instance, time_limit=1, checkpoint=saved.append)
    assert saved
    last = saved[-1]
    assert last.method == "solve"
    assert last.lower_bound < last.tokens
    certificate = Certificate.from_json(last.certificate.to_json())
    assert check_certificate(instance, certificate).ok
    again, proof = prove(
        instance, warm_start=last.vocabulary, start_certificate=certificate, time_limit=0.5
    )
    assert again.tokens <= last.tokens
    assert proof.lower_bound >= last.certificate.lower_bound
    assert first.lower_bound >= last.lower_bound


@pytest.mark.usefixtures("branch_and_cut_alone")
@pytest.mark.parametrize("method", [solve, solve_with_proof])
def test_a_start_of_another_instance_is_refused(method):
    certificate = prove(SMALL.with_k(2))[1]
    with pytest.raises(VerificationError, match="the certificate is for k = 2, and k is 1"):
        method(SMALL, start_certificate=certificate)
    other = Instance({"banana": 3}, 1)
    with pytest.raises(VerificationError, match="other words or counts"):
        method(other, start_certificate=certificate)
    with pytest.raises(InputError, match="the start is no vocabulary of this instance: 2 tokens"):
        method(SMALL, warm_start=Vocabulary([b"ba", b"na"]))


@pytest.mark.long
def test_a_proof_that_meets_the_start_leaves_nothing_to_do():
    solution, certificate = prove(entry("html5-200").instance)
    again, same = prove(
        entry("html5-200").instance,
        warm_start=solution.vocabulary,
        start_certificate=certificate,
        time_limit=0,
    )
    assert (again.tokens, again.status, again.termination) == (980, "optimal", "completed")
    assert same.lower_bound == 980
