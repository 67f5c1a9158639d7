"""Counts of which a solver's tolerances are whole tokens: integers decide."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles.brute_force import cost, fewest_chosen, fewest_tokens
from shared.properties import tries

from partcover import (
    GroupBudget,
    InputError,
    Instance,
    check_certificate,
    decide,
    greedtok,
    smallest,
    solve,
)
from partcover.bounds.branch_and_cut import branch_and_cut
from partcover.exact import decide as deciding
from partcover.exact.solver_io import SolverReport
from partcover.problem.certificates.nodes import Leaf

pytest.importorskip("ortools")
pytestmark = pytest.mark.usefixtures("few_rounds")

COUNTS = (
    st.integers(1, 9)
    | st.integers(0, 12).map(lambda digits: 10**digits)
    | st.integers(1, 10**12)
    | st.integers(10**12 - 3, 10**12)
)


@st.composite
def large_instances(draw, counts=COUNTS) -> Instance:
    """One to three short words of large and small counts, with group budgets now and then."""
    word = st.text("abc", min_size=1, max_size=5)
    words = draw(st.dictionaries(word, counts, min_size=1, max_size=3))
    groups = [GroupBudget("g", 1, None, 2, 3)] if draw(st.integers(0, 7)) == 7 else []
    return Instance(words, draw(st.integers(0, 3)), groups=groups)


REPORTED = Instance(
    {"acac": 10**9, "bacc": 1}, 2, candidates=["ac", "aca", "acc", "ba", "bac", "bacc"]
)


@pytest.mark.long
@tries(60)
@given(large_instances(), st.sampled_from([-1, 0, 0, 1, 10**6]))
@example(REPORTED, 1)  # HiGHS claimed a vocabulary of one token too many
@example(Instance({"aa": 10**12, "aaaaaaaa": 10**9, "aaa": 1}, 0), -1)  # and gave no answer here
def test_large_counts_are_brute_force(instance, more):
    best = fewest_tokens(instance)
    solution = solve(instance)
    found = solution.tokens, solution.lower_bound, solution.status
    assert found == (best, best, "optimal")
    threshold = best + more
    answer, shown = decide(instance, threshold)
    assert answer is (more >= 0)
    assert shown.lower_bound <= best <= shown.tokens
    assert shown.tokens <= threshold if answer else shown.lower_bound > threshold
    if shown.certificate is not None:
        checked = check_certificate(instance, shown.certificate)
        assert (checked.ok, checked.lower_bound) == (True, shown.lower_bound)
    result = smallest(instance, threshold)
    size = fewest_chosen(instance, threshold)
    assert result.extra["size"] == size
    assert result.status == ("infeasible" if size is None else "optimal")
    if size is not None:
        assert cost(instance, result.vocabulary) == result.tokens <= threshold


def test_the_smallest_vocabulary_within_a_tolerance():
    result = smallest(REPORTED, 2_000_000_002)
    assert (result.extra["size"], result.tokens) == (2, 2_000_000_001)
    assert result.extra["solver"] == "branch and cut"


def test_a_size_without_time_is_what_is_known():
    words = {f"{(i * 2654435761) % 3**11:011d}": 10**12 + i for i in range(30)}
    instance = Instance(words, 12)
    tokens = greedtok(instance).tokens
    found = smallest(instance, tokens, time_limit=0)
    assert (found.status, found.termination, found.extra["size"]) == ("feasible", "time_limit", 12)
    none = smallest(instance, tokens // 2, time_limit=0)
    assert (none.status, none.termination, none.vocabulary) == ("none", "time_limit", None)
    assert found.extra["smallest_size"] == none.extra["smallest_size"] == 0
    only = smallest(Instance({"ab": 1}, 1, required=["ab"]), 1, time_limit=0)
    assert (only.status, only.termination) == ("optimal", "completed")


@pytest.mark.parametrize("count", [10**12, 2**59])
@pytest.mark.parametrize("k", [0, 9])
def test_a_threshold_is_decided_where_nothing_is_left_to_choose(k, count):
    instance = Instance({"aa": count, "aaaaaaaa": 10**9, "aaa": 1}, k, candidates=["aaa"])
    best = fewest_tokens(instance)
    assert decide(instance, best - 1)[0] is False
    assert decide(instance, best)[0] is True
    assert smallest(instance, best - 1).status == "infeasible"


@pytest.mark.parametrize(
    "report",
    [SolverReport("none", "error"), SolverReport("optimal", "completed", None, 3.0)],
)
def test_integers_decide_where_a_solver_has_no_answer(monkeypatch, report):
    monkeypatch.setattr("partcover.exact.solver_run.run", lambda *_: report)
    instance = Instance({"abab": 3, "bab": 1}, 2)
    best = fewest_tokens(instance)
    assert decide(instance, best - 1)[0] is False
    found = smallest(instance, best)
    assert (found.extra["size"], found.status) == (fewest_chosen(instance, best), "optimal")


def test_a_solver_names_a_vocabulary_that_is_not_enough(monkeypatch):
    class Other(deciding.SolverRun):
        def solve(self, goal, **options):
            answer = super().solve(goal, **options)
            values = 0.0 * answer.report.values
            return deciding.Answer(SolverReport("optimal", "completed", values, 0.0), answer.model)

    monkeypatch.setattr(deciding, "SolverRun", Other)
    instance = Instance({"abab": 3, "bab": 1}, 2)
    best = fewest_tokens(instance)
    assert decide(instance, best - 1)[0] is False
    assert smallest(instance, best).extra["size"] == fewest_chosen(instance, best)


@pytest.mark.long
@pytest.mark.parametrize("count", [10**15, 2**53])
def test_counts_beyond_floating_point_are_branched_on(count):
    instance = Instance({"abab": count, "bab": count + 1, "aba": 3, "ba": 1}, 2)
    best = fewest_tokens(instance)
    solution = solve(instance)
    found = solution.tokens, solution.lower_bound, solution.status
    assert found == (best, best, "optimal")
    assert check_certificate(instance, solution.certificate).lower_bound == best


def test_a_named_solver_refuses_counts_beyond_floating_point():
    instance = Instance({"abab": 2**55, "bab": 3}, 1)
    with pytest.raises(InputError, match="to be exact: name no solver, and branch"):
        solve(instance, solver="highs")
    with pytest.raises(InputError, match="too large for precise prices: scale them"):
        solve(Instance({"abab": 2**60, "bab": 3}, 1))


@pytest.mark.long
def test_a_cut_of_a_large_count_comes_into_a_certificate_a_few_times():
    words = {"aab": 2, "aba": 2, "baa": 2, "aa": 1, "bb": 1}
    large = {word: count * 10**12 for word, count in words.items()}
    solution = branch_and_cut(Instance(large, 2, max_length=2))
    assert solution.status == "optimal"
    tree = solution.certificate.tree
    assert 0 < sum(len(node.cuts) for node in tree if isinstance(node, Leaf)) < 100


def test_branch_and_cut_ends_at_a_threshold():
    instance = Instance({"banana": 2, "bandana": 1, "ananas": 3, "nab": 4}, 2)
    best = branch_and_cut(instance).tokens
    below, at = (branch_and_cut(instance, threshold=best - less) for less in (1, 0))
    assert below.lower_bound >= best
    assert at.tokens == best
