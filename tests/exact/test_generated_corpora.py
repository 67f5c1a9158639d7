"""Generated corpora and references: optima, bounds and proofs against all vocabularies."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.bounds.corpora import ratios, smallest_worst
from shared.generated import generated_corpora
from shared.properties import tries

from partcover import (
    Certificate,
    Corpora,
    Instance,
    Solution,
    check_certificate,
    greedtok,
    improve,
    lower_bound,
    solve,
    verify,
)
from partcover.bounds.counting.price_counter import PriceCounter
from partcover.problem.certificates.certificate import policy_digest
from partcover.problem.corpora import attainable
from partcover.runtime.processes.parallel import call_in_turn


def check(number: int) -> Counter[str]:
    """Checks one instance; returns what is optimal."""
    instance = generated_corpora(number)
    optimum = smallest_worst(instance)
    greedy, found = greedtok(instance), improve(instance)
    bound = lower_bound(instance, incumbent=greedy.worst)
    solved = solve(instance)
    for solution in (greedy, found, solved):
        check_counts(instance, solution)
    assert optimum <= found.worst <= greedy.worst
    assert solved.lower_bound <= optimum <= solved.worst
    assert solved.status == "optimal"
    for proven in (found, bound, solved):
        assert proven.lower_bound <= optimum
        check_proof(instance, proven.certificate)
    # any weights bound it
    draw = random.Random(number)
    (leaf,) = bound.certificate.tree
    weights = [draw.choice([0, 1, 1, 3, 10**6]) for _ in instance.corpora.words]
    weights[draw.randrange(len(weights))] = draw.choice([1, 10**6])
    other = replace(leaf, weights=tuple(weights))
    proof = replace(bound.certificate, tree=(other,), lower_bound=Fraction(0))
    assert check_certificate(instance, proof).lower_bound <= optimum
    kinds = {
        "greedy": greedy.worst == optimum,
        "found": found.worst == optimum,
        "proven": found.lower_bound == optimum,
        "groups": bool(instance.groups),
    }
    return Counter(name for name, there in kinds.items() if there)


def check_counts(instance: Instance, solution: Solution) -> None:
    """A slow recount and `verify` say the same."""
    assert [corpus.ratio for corpus in solution.corpora] == ratios(instance, solution.vocabulary)
    recount = verify(instance, solution.vocabulary, claim=solution)
    assert recount.problems == ()
    assert recount.by_corpus == tuple(corpus.tokens for corpus in solution.corpora)
    assert recount.worst == solution.worst


def check_proof(instance: Instance, proof: Certificate) -> None:
    """The certificate holds, and what is changed in it, or what it is about, is refused."""
    checked = check_certificate(instance, proof)
    assert checked.ok
    assert checked.lower_bound >= proof.lower_bound
    corpora, references = instance.corpora, instance.corpora.references
    assert not check_certificate(instance, replace(proof, lower_bound=checked.lower_bound + 1)).ok
    assert not check_certificate(instance, replace(proof, k=instance.k + 1)).ok
    others = [Corpora(corpora.words, (references[0] + 1, *references[1:]))]
    if corpora.words[0].digest != corpora.words[-1].digest:
        others.append(Corpora(corpora.words[::-1], references))
    for other in others:
        about = replace(instance, corpus=other)
        assert "other corpora, references" in check_certificate(about, proof).problems[0]
    one = replace(instance, corpus=instance.words)
    assert not check_certificate(one, replace(proof, policy_sha256=policy_digest(one))).ok


@pytest.mark.long
def test_the_search_nearly_always_finds_the_optimum():
    kinds = sum((check(number) for number in range(1, 8)), Counter())
    assert kinds["found"] >= 6, kinds


@pytest.mark.long
@tries(12)
@given(st.integers(0, 2**31))
def test_counts_bounds_and_proofs(number):
    check(number)


@tries(60)
@given(st.integers(0, 2**31))
def test_the_goal_is_the_smallest_value_that_proves_enough(number):
    """For any weights, and for one corpus."""
    draw = random.Random(number)
    instance = generated_corpora(number)
    corpora = instance.corpora
    weights = [draw.randint(1, 9) for _ in corpora.words]
    several = PriceCounter(instance, call_in_turn, weights=weights)
    largest = max(corpora.ratios([words.total_symbols for words in corpora.words]))
    least = max(corpora.ratios([words.total_count for words in corpora.words]))
    references = corpora.references
    ratio = attainable(least + (largest - least) * Fraction(draw.randint(0, 9), 9), references)
    one = PriceCounter(instance.joined, call_in_turn)
    tokens = one.instance.words.total_count + draw.randint(1, 9)
    for counter, best in ((several, ratio), (one, tokens)):
        goal = counter.goal(best)
        assert counter.proven(goal) >= best
        words = counter.instance.words
        if goal - 1 > words.total_count * counter.one:
            assert counter.proven(goal - 1) < best
