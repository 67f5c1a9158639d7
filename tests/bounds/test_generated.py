"""Generated instances: no bound above brute force, optima equal to it, certificates that hold."""

from __future__ import annotations

from collections import Counter

import pytest
from generated import generated_instance
from oracles.brute_force import fewest_tokens

from partcover import check_certificate, lower_bound, verify
from partcover.bounds.branch_and_cut import branch_and_cut


def check(number: int) -> Counter[str]:
    """Checks one instance; returns what its proofs were of."""
    instance = generated_instance(number)
    best = fewest_tokens(instance)
    bound = lower_bound(instance)
    assert bound.plain_bound <= bound.lower_bound <= best, number
    checked = check_certificate(instance, bound.certificate)
    assert (checked.ok, checked.lower_bound) == (True, bound.lower_bound), number
    # group budgets are no part of what branch and cut counts: it may leave a gap
    solution = branch_and_cut(instance, time_limit=0.05 if instance.groups else None)
    assert solution.lower_bound <= best <= solution.tokens, number
    if not instance.groups:
        assert (solution.tokens, solution.lower_bound) == (best, best), number
        assert solution.status == "optimal", number
    checked = check_certificate(instance, solution.certificate)
    assert (checked.ok, checked.lower_bound) == (True, solution.lower_bound), number
    recount = verify(instance, solution.vocabulary)
    assert (recount.ok, recount.tokens) == (True, solution.tokens), number
    cut = sum(bound.cuts.values()) > 0
    return Counter({"groups": bool(instance.groups), "cuts": cut, "branches": checked.leaves > 1})


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
