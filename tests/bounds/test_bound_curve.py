"""What certificates prove for other sizes: as the check recounts it, and below the optimum."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens
from shared.properties import tries
from shared.strategies import instance_of_cases, instances

from partcover import check_certificate, lower_bound, solve
from partcover.bounds.bound_curve import bound_curve


def recounted(bound, k):
    """What the independent check proves with the same certificate for another size."""
    instance = bound.instance.with_k(k)
    certificate = replace(bound.certificate, k=k, lower_bound=0)
    return int(check_certificate(instance, certificate).lower_bound)


@pytest.mark.long
@tries(200)
@given(instances(), st.integers(0, 3), st.booleans())
def test_each_size_is_as_the_check_counts_it(instance, more, cuts):
    least = len(instance.fixed)
    sizes = [*range(least, least + 5)]
    bounds = [
        lower_bound(instance.with_k(least + k), cuts=cuts, iterations=300) for k in (0, 1 + more)
    ]
    curve = bound_curve(bounds, sizes)
    for k, proven in zip(sizes, curve, strict=True):
        stated = [int(bound.lower_bound) for bound in bounds if bound.instance.k >= k]
        assert proven == max(*stated, *(recounted(bound, k) for bound in bounds), 0)
        assert proven <= fewest_tokens(instance.with_k(k))


@pytest.mark.long
def test_a_tree_of_cases_proves_its_own_size_and_smaller_ones():
    instance = instance_of_cases()
    k = instance.k
    bound = lower_bound(instance)
    tree = solve(instance).certificate
    assert tree is not None
    assert len(tree.tree) > 1
    known = replace(bound, certificate=tree, lower_bound=tree.lower_bound)
    least = instance.words.total_count
    assert bound_curve([known], [k - 1, k, k + 1]) == [tree.lower_bound, tree.lower_bound, least]
    assert bound_curve([], [1, 2]) == []
