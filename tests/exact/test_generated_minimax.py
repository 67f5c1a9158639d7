"""Generated corpora and references: optima, bounds and proofs against all vocabularies."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from generated import generated_minimax
from hypothesis import given
from hypothesis import strategies as st
from oracles.minimax import ratios, smallest_worst
from properties import tries

from partcover import (
    MinimaxCertificate,
    MinimaxInstance,
    MinimaxSolution,
    bound_minimax,
    check_minimax_certificate,
    greedtok_minimax,
    improve_minimax,
    lower_bound,
    solve_minimax,
    verify_minimax,
)

pytest.importorskip("ortools")


def check(number: int) -> Counter[str]:
    """Checks one instance; returns what is optimal."""
    instance = generated_minimax(number)
    optimum = smallest_worst(instance)
    greedy, found = greedtok_minimax(instance), improve_minimax(instance)
    bound = bound_minimax(instance, incumbent=greedy.vocabulary)
    solved = solve_minimax(instance)
    for solution in (greedy, found, solved):
        check_counts(instance, solution)
    assert optimum <= found.worst <= greedy.worst
    assert solved.lower_bound <= optimum <= solved.worst
    is_small = instance.whole.words.total_symbols < 10**6  # against a solver's tolerances
    if is_small or instance.k == len(instance.whole.fixed):
        assert solved.status == "optimal"
    elif solved.status != "optimal":
        assert solved.termination == "error"
    for proven in (found, bound):
        assert proven.lower_bound <= optimum
        check_proof(instance, proven.certificate)
    # any weights bound it
    draw = random.Random(number)
    weights = [draw.choice([0, 1, 1, 3, 10**6]) for _ in instance.corpora]
    weighted = instance.weighted(weights) if any(weights) else None
    if weighted is not None and weighted.words.total_symbols < 2**53:
        proof = lower_bound(weighted, iterations=64).certificate
        certificate = MinimaxCertificate.of(instance, weights, proof)
        assert certificate.lower_bound <= optimum
        check_proof(instance, certificate)
    kinds = {
        "greedy": greedy.worst == optimum,
        "found": found.worst == optimum,
        "proven": found.lower_bound == optimum,
        "groups": bool(instance.whole.groups),
    }
    return Counter(name for name, there in kinds.items() if there)


def check_counts(instance: MinimaxInstance, solution: MinimaxSolution) -> None:
    """A slow recount and `verify_minimax` say the same."""
    assert list(solution.ratios) == ratios(instance, solution.vocabulary)
    recount = verify_minimax(instance, solution.vocabulary)
    assert recount.problems == ()
    assert (recount.tokens, recount.worst) == (solution.tokens, solution.worst)


def check_proof(instance: MinimaxInstance, proof: MinimaxCertificate) -> None:
    """The certificate holds, and what is changed in it, or what it is about, is refused."""
    checked = check_minimax_certificate(instance, proof)
    assert (checked.ok, checked.lower_bound) == (True, proof.lower_bound)
    first, *rest = proof.weights
    tampered = (
        replace(proof, lower_bound=proof.lower_bound + Fraction(1, max(instance.references))),
        replace(proof, weights=(first + 1, *rest)),
        replace(proof, references=(instance.references[0] + 1, *instance.references[1:])),
        replace(proof, corpora_sha256=proof.corpora_sha256[::-1]),
        replace(proof, certificate=replace(proof.certificate, k=instance.k + 1)),
    )
    for changed in tampered:
        if changed != proof:  # as all corpora may be the same
            assert not check_minimax_certificate(instance, changed).ok


@pytest.mark.long
def test_the_search_nearly_always_finds_the_optimum():
    kinds = sum((check(number) for number in range(1, 10)), Counter())
    assert kinds["found"] >= 8, kinds


@pytest.mark.long
@tries(12)
@given(st.integers(0, 2**31))
def test_counts_bounds_and_proofs(number):
    check(number)
