"""Generated instances: no bound above brute force, optima equal to it, certificates that hold."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens
from shared.generated import generated_instance
from shared.properties import tries

from partcover import Instance, Solution, check_certificate, lower_bound, solve, verify
from partcover.bounds.branch_and_cut import branch_and_cut

pytestmark = pytest.mark.usefixtures("few_rounds")


def check(number: int) -> Counter[str]:
    """Checks one instance; returns what its proofs were of."""
    instance = generated_instance(number)
    best = fewest_tokens(instance)
    bound = lower_bound(instance)
    assert bound.plain_bound <= bound.lower_bound <= best, number
    checked = check_certificate(instance, bound.certificate)
    assert (checked.ok, checked.lower_bound) == (True, bound.lower_bound), number
    solution = branch_and_cut(instance)
    leaves = check_solution(instance, solution, best, number)
    if number % 5 == 0:
        check_solution(instance, solve(instance), best, number)
    kinds = {
        "groups": bool(instance.groups),
        "cuts": sum(bound.cuts.values()) > 0,
        "branches": leaves > 1,
    }
    return Counter(name for name, there in kinds.items() if there)


def check_solution(instance: Instance, solution: Solution, best: int, number: int) -> int:
    """Checks that a solution is optimal and proven; returns the leaves of its certificate."""
    found = solution.tokens, solution.lower_bound, solution.status
    assert found == (best, best, "optimal"), number
    recount = verify(instance, solution.vocabulary)
    assert (recount.ok, recount.tokens) == (True, best), number
    if solution.certificate is None:  # a solver's word
        return 1
    checked = check_certificate(instance, solution.certificate)
    assert (checked.ok, checked.lower_bound) == (True, best), number
    return checked.leaves


# of the numbers below 200, some of those whose instances need cuts, and cuts and branches
@pytest.mark.long
@pytest.mark.parametrize(
    "number", [8, 15, 16, 19, 47, 52, 55, 64, 66, 69, 70, 72, 73, 86, 89, 102, 120, 141]
)
def test_an_instance_needs_cuts(number):
    assert check(number)["cuts"]


@pytest.mark.long
@pytest.mark.parametrize("number", [91, 148])
def test_an_instance_needs_branches(number):
    assert check(number)["branches"]


@pytest.mark.long
@tries(50)
@given(st.integers(0, 2**31))
def test_bounds_and_optima(number):
    check(number)
