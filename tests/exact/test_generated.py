"""Generated instances: no bound above brute force, optima equal to it, certificates that hold."""

from __future__ import annotations

from collections import Counter

import pytest
from generated import generated_instance
from oracles.brute_force import fewest_tokens

from partcover import Instance, Solution, check_certificate, lower_bound, prove, solve, verify
from partcover.bounds.branch_and_cut import branch_and_cut


def check(number: int) -> Counter[str]:
    """Checks one instance; returns what its proofs were of."""
    instance = generated_instance(number)
    best = fewest_tokens(instance)
    bound = lower_bound(instance)
    assert bound.plain_bound <= bound.lower_bound <= best, number
    checked = check_certificate(instance, bound.certificate)
    assert (checked.ok, checked.lower_bound) == (True, bound.lower_bound), number
    if instance.groups:
        # branch and cut does not count group budgets, and might go on for long
        leaves = 1
        solution, _ = prove(instance)
        check_solution(instance, solution, best, number)
    else:
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


def check_block(first: int, size: int) -> None:
    kinds: Counter[str] = Counter()
    for number in range(first, first + size):
        kinds += check(number)
    # the instances are not too easy for what is tested
    assert kinds["cuts"] >= size // 50, kinds
    assert kinds["branches"] >= size // 500, kinds


@pytest.mark.parametrize("block", range(5))
def test_hundreds(block):
    check_block(50 * block, 50)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_ten_thousand(block):
    check_block(500 * block, 500)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(100))
def test_hundred_thousand(block):
    """``-n 16`` spreads the blocks over processes."""
    check_block(10_000 + 1000 * block, 1000)
