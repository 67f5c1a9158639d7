"""Formulas as words of zeros and ones: both directions, against brute force and the solver."""

from __future__ import annotations

import re
from itertools import combinations, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.formulas import formulas, most_occurrences, most_satisfied, small_formulas
from oracles.greedy import all_candidates
from shared.properties import tries

from partcover import InputError, Instance, Vocabulary, solve, verify
from partcover.hardness.cnf import Formula
from partcover.hardness.reduction import reduce_max_2_sat_binary, reduction_of


def needs(reduction, vocabulary) -> tuple[int, int]:
    """The tokens that a vocabulary needs, and the fewest that the proof's last line allows."""
    tokens = set(vocabulary)
    variables, clauses = len(reduction.formula.variables), len(reduction.formula.clauses)
    halves = sum(re.fullmatch(rb"10+|0+1", t) is not None and len(t) <= 2 * variables + 1
                 for t in tokens)  # fmt: skip
    neither = sum(
        reduction.literal_token(j) not in tokens and reduction.literal_token(-j) not in tokens
        for j in range(1, variables + 1)
    )
    satisfied = reduction.lift(vocabulary).satisfied
    least = 329 * variables + 3 * clauses - satisfied + 39 * (4 * variables - halves) + 4 * neither
    return verify(reduction.instance, vocabulary).tokens, least


@pytest.mark.long
@pytest.mark.parametrize("clauses", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_every_vocabulary_of_every_formula_of_one_variable(clauses):
    for formula in small_formulas(1, clauses):
        reduction = reduce_max_2_sat_binary(formula, most_satisfied(formula))
        words = [word for word, _ in reduction.instance.words]
        fewest = 10**9
        for chosen in combinations(sorted(all_candidates(words)), reduction.instance.k):
            tokens, least = needs(reduction, Vocabulary(chosen))
            assert tokens >= least
            fewest = min(fewest, tokens)
        assert fewest == reduction.instance.threshold


@pytest.mark.long
@pytest.mark.parametrize("clauses", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_the_optimum_of_every_small_formula(clauses):
    for formula in small_formulas(2, clauses):
        check_optimum(formula)


LARGER = [
    Formula("wxyz", [(1, 2), (-1, -2), (1, -2), (3, 4), (-3, 4), (-3, -4)]),
    Formula("vwxyz", [(1, 2), (-1, 2), (-2, 3), (-3, 4), (-3, -4), (4, -5), (-5, 5), (5, 1)]),
    # each variable in three clauses, of which one is false
    Formula("wxyz", [(1, 2), (-1, 2), (-2, 3), (-3, 4), (-4, 1), (-3, -4)]),
    Formula("x", [(1, 1), (-1, -1), (-1, -1)]),
    Formula("x", [(1, -1), (-1, 1), (-1, -1)]),
]


@pytest.mark.parametrize("formula", LARGER, ids=lambda f: str(f.clauses))
def test_the_optimum_of_larger_formulas(formula):
    check_optimum(formula)


def check_optimum(formula):
    best = most_satisfied(formula)
    reduction = reduce_max_2_sat_binary(formula, best)
    solution = solve(reduction.instance)
    assert solution.tokens == reduction.instance.threshold
    lift = reduction.lift(solution.vocabulary)
    assert (lift.satisfied, lift.meets_threshold) == (best, True)


def test_the_least_formula_that_is_not_satisfied():
    formula = LARGER[2]
    assert most_satisfied(formula) == 5
    assert solve(reduce_max_2_sat_binary(formula, 6).instance).tokens == 1329


@tries(60)
@given(formulas(3, 4), st.data())
def test_any_vocabulary_needs_what_its_assignment_allows(formula, data):
    """From an assignment's vocabulary: some tokens swapped, and whole words among them."""
    assume(most_occurrences(formula) <= 3)
    satisfied = data.draw(st.integers(0, len(formula.clauses)))
    reduction = reduce_max_2_sat_binary(formula, satisfied)
    values = data.draw(st.tuples(*[st.booleans()] * 3))
    tokens = list(reduction.witness(values))
    needed, least = needs(reduction, Vocabulary(tokens))
    assert needed == least
    words = [word for word, _ in reduction.instance.words]
    pool = [word for word in words if word.count(b"1") > 1] + sorted(all_candidates(words))
    for _ in range(data.draw(st.integers(0, 8))):
        tokens[data.draw(st.integers(0, len(tokens) - 1))] = data.draw(st.sampled_from(pool))
    vocabulary = Vocabulary(dict.fromkeys(tokens))
    lift = reduction.lift(vocabulary)
    needed, least = needs(reduction, vocabulary)
    assert needed >= least
    assert lift.meets_threshold == (needed <= reduction.instance.threshold)
    assert not lift.meets_threshold or lift.satisfied >= satisfied


def test_there_and_back(tmp_path):
    formula = Formula(["north", "east"], [(1, -2), (1, -2), (2,)])
    reduction = reduce_max_2_sat_binary(formula, 3)
    assert reduction.instance.words.to_dict()[b"101001"] == 7  # 1 0 1 00 1
    reduction.instance.save(tmp_path / "I.json")
    again = reduction_of(Instance.load(tmp_path / "I.json"))
    assert type(again) is type(reduction)
    for values in product([False, True], repeat=2):
        lift = again.lift(again.witness(values))
        assert tuple(lift.assignment.values()) == values
        assert lift.satisfied == formula.satisfied(values)
        assert lift.meets_threshold == (lift.satisfied == 3)
    every = [*again.witness([True, True]), *again.witness([False, False])]
    assert not again.lift(Vocabulary(dict.fromkeys(every))).meets_threshold
    assert "".join(map(again.symbol, b"101")) == "101"


def test_what_is_refused():
    often = Formula("xy", [(1, 2), (1, -2), (-1,), (1, -1)])
    with pytest.raises(InputError, match="variable x is in 4 clauses: over a binary alphabet"):
        reduce_max_2_sat_binary(often, 1)
    many = Formula([str(j) for j in range(1001)], [(1,)])
    with pytest.raises(InputError, match=r"1001 variables: .* the limit is 1000"):
        reduce_max_2_sat_binary(many, 1)
    with pytest.raises(InputError, match="vocabulary is over ints, but the instance is over"):
        reduce_max_2_sat_binary(Formula("x", [(1,)]), 1).lift(Vocabulary([(1, 0)], "ints"))
