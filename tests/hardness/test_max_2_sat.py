"""Formulas in, assignments out: both problems, both directions, against brute force."""

from __future__ import annotations

import json
from itertools import combinations, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.formulas import formulas, most_satisfied, small_formulas
from oracles.greedy import all_candidates
from shared.properties import tries

from partcover import InputError, Instance, Vocabulary, decide, reduce_vertex_cover
from partcover.hardness.bottom_up import Merges, apply_merges
from partcover.hardness.cnf import Formula, read_formula
from partcover.hardness.reduction import (
    REDUCTIONS,
    reduce_max_2_sat,
    reduce_max_2_sat_bottom_up,
    reduction_of,
)

BOTH = [reduce_max_2_sat, reduce_max_2_sat_bottom_up]


@pytest.mark.long
@pytest.mark.parametrize(
    ("variables", "clauses"), [(1, 3), (2, 2), pytest.param(2, 3, marks=pytest.mark.slow)]
)
def test_every_vocabulary_of_every_small_formula(variables, clauses):
    for formula in small_formulas(variables, clauses):
        best = most_satisfied(formula)
        for satisfied in {0, best, min(best + 1, len(formula.clauses))}:
            reduction = reduce_max_2_sat(formula, satisfied)
            words = [word for word, _ in reduction.instance.words]
            met = False
            for chosen in combinations(sorted(all_candidates(words)), variables):
                lift = reduction.lift(Vocabulary(chosen, "ints"))
                if lift.meets_threshold:
                    met = True
                    assert lift.satisfied >= satisfied
                    # the proof's claim: one token of each variable, in some order
                    assert sorted((x + 1) // 2 for _, x, _ in chosen) == [*range(1, variables + 1)]
            assert met == (best >= satisfied)


def reachable(words, limit):
    """Every list of merges up to equal outcomes, as (segmentation, merges), by breadth.

    No symbol is twice in a word of these instances: a pair occurs at most once in a word.
    """
    start = tuple(tuple(piece) for piece in apply_merges(words, Merges([], "ints")))
    states = {start: ()}
    yield start, ()
    for _ in range(limit):
        states_after = {}
        for state, merges in states.items():
            joined = {}
            for index, word in enumerate(state):
                for i, pair in enumerate(pairwise(word)):
                    after = joined.setdefault(pair, list(state))
                    after[index] = (*word[:i], sum(pair, ()), *word[i + 2 :])
            for pair, after in joined.items():
                states_after.setdefault(tuple(after), (*merges, pair))
        yield from states_after.items()
        states = states_after


def check_merges(formula):
    best = most_satisfied(formula)
    reductions = [
        reduce_max_2_sat_bottom_up(formula, satisfied)
        for satisfied in {0, best, min(best + 1, len(formula.clauses))}
    ]
    (instance, *others) = (reduction.instance for reduction in reductions)
    for other in others:
        assert (other.words.to_dict(), other.k) == (instance.words.to_dict(), instance.k)
    counts = instance.words.counts.tolist()
    met = set()
    for state, merges in reachable(instance.words, instance.k):
        tokens = sum(c * len(word) for c, word in zip(counts, state, strict=True))
        for reduction in reductions:
            if tokens <= reduction.instance.threshold:
                met.add(reduction.satisfied)
                lift = reduction.lift(Merges(merges, "ints"))
                assert lift.meets_threshold
                assert lift.satisfied >= reduction.satisfied
    assert met == {r.satisfied for r in reductions if r.satisfied <= best}


def test_all_merges_of_every_formula_of_one_variable():
    for formula in small_formulas(1, 3):
        check_merges(formula)


@pytest.mark.long
def test_all_merges_of_a_clause_of_two_variables():
    check_merges(Formula(["x", "y"], [(1, 2)]))


@pytest.mark.slow
@pytest.mark.parametrize("formula", list(small_formulas(2, 2)), ids=lambda f: str(f.clauses))
def test_all_merges_of_every_formula_of_two_variables(formula):
    check_merges(formula)


@tries(40)
@given(formulas(4, 7), st.data())
def test_assignments_become_answers_and_come_back(formula, data):
    satisfied = data.draw(st.integers(0, len(formula.clauses)))
    for reduce in BOTH:
        reduction = reduce(formula, satisfied)
        for values in product([False, True], repeat=4):
            lift = reduction.lift(reduction.witness(values))
            assert tuple(lift.assignment.values()) == values
            assert lift.satisfied == formula.satisfied(values)
            assert lift.clauses == len(formula.clauses)
            assert lift.meets_threshold == (lift.satisfied >= satisfied)


@tries(12)
@given(formulas(3, 5))
def test_the_solver_decides_the_formula(formula):
    best = most_satisfied(formula)
    for satisfied in {best, min(best + 1, len(formula.clauses))}:
        reduction = reduce_max_2_sat(formula, satisfied)
        yes, solution = decide(reduction.instance)
        assert yes == (best >= satisfied)
        lift = reduction.lift(solution.vocabulary)
        assert lift.meets_threshold == yes
        if yes:
            assert lift.satisfied >= satisfied


@tries(60)
@given(formulas(2, 4), st.data())
def test_merges_that_meet_the_threshold_satisfy_enough(formula, data):
    """From an assignment's merges: some swapped, dropped, doubled, or joined further."""
    reduction = reduce_max_2_sat_bottom_up(
        formula, data.draw(st.integers(0, most_satisfied(formula)))
    )
    pairs = list(reduction.witness(data.draw(st.tuples(st.booleans(), st.booleans()))))
    pool = sorted(
        {p for a in (False, True) for b in (False, True) for p in reduction.witness((a, b))}
        | {((x, y), (z,)) for (x, y, z), _ in reduction.instance.words}
    )
    for _ in range(data.draw(st.integers(0, 3))):
        pairs[data.draw(st.integers(0, len(pairs) - 1))] = data.draw(st.sampled_from(pool))
    pairs = data.draw(st.permutations(pairs))
    lift = reduction.lift(Merges(pairs, "ints"))
    if lift.meets_threshold:
        assert lift.satisfied >= reduction.satisfied
        assert set(pairs) == set(reduction.witness(list(lift.assignment.values())))


def test_too_many_tokens_or_merges_meet_nothing():
    formula = Formula(["x"], [(1,), (-1,)])
    direct = reduce_max_2_sat(formula, 2)
    assert not direct.lift(Vocabulary([(0, 1, 0), (0, 2, 0)], "ints")).meets_threshold
    bottom = reduce_max_2_sat_bottom_up(formula, 2)
    both = Merges([*bottom.witness([True]), *bottom.witness([False])], "ints")
    assert not bottom.lift(both).meets_threshold


@pytest.mark.parametrize("reduce", BOTH)
def test_the_instance_file_alone_is_enough(reduce, tmp_path):
    formula = Formula(["north", "east"], [(1, -2), (1, -2), (2,), (1, -1)])
    reduction = reduce(formula, 3)
    reduction.instance.save(tmp_path / "I.json")
    again = reduction_of(Instance.load(tmp_path / "I.json"))
    assert type(again) is type(reduction)
    assert (again.formula, again.satisfied) == (formula, 3)
    answer = reduction.witness([True, False])
    answer.save(tmp_path / "A.json")
    lift = again.lift(again.load_answer(tmp_path / "A.json"))
    assert lift == reduction.lift(answer)
    assert lift.to_json() == {
        "assignment": {"north": True, "east": False},
        "satisfied": 3,
        "clauses": 4,
        "meets_threshold": True,
    }
    pieces = again.pieces(answer)
    counts = again.instance.words.counts.tolist()
    assert sum(c * len(p) for c, p in zip(counts, pieces, strict=True)) == again.instance.threshold


def test_the_registry():
    pytest.importorskip("networkx")
    import networkx as nx

    assert list(REDUCTIONS) == [
        "vertex-cover",
        "vertex-cover-unary",
        "max-2-sat",
        "max-2-sat-binary",
        "max-2-sat-bottom-up",
    ]
    cover = reduce_vertex_cover(nx.path_graph(3), 1)
    again = reduction_of(Instance.from_json(cover.instance.to_json()))
    assert again.lift(again.witness([1])).to_json() == {
        "vertices": [1], "size": 1, "is_vertex_cover": True, "meets_threshold": True,
    }  # fmt: skip
    with pytest.raises(InputError, match="3 is not a vertex"):
        again.witness([3])
    with pytest.raises(InputError, match="names none of the reductions"):
        reduction_of(Instance(cover.instance.words, 1))


def test_bad_formulas_and_instances():
    for names, clauses, message in [
        (["x"], [], "no clauses"),
        ([], [(1,)], "no clauses"),
        (["x", "x"], [(1,)], "two variables have the same name"),
        (["x"], [()], "an empty clause is never satisfied"),
        (["x"], [(2,)], "literal 2: variables are the numbers 1 to 1"),
        (["x"], [(0,)], "literal 0"),
        (["x", "y", "z"], [(1, 2, -3)], r"a clause of 3 literals \(1 2 -3\): max-2-SAT"),
    ]:
        with pytest.raises(InputError, match=message):
            Formula(names, clauses)
    formula = Formula(["x"], [(1, 1, 1)])
    assert formula.clauses == ((1, 1),)
    for reduce in BOTH:
        with pytest.raises(InputError, match="2 satisfied clauses are asked for: the formula has"):
            reduce(formula, 2)
        with pytest.raises(InputError, match="satisfied is True"):
            reduce(formula, True)
        reduction = reduce(formula, 1)
        with pytest.raises(InputError, match="2 values for 1 variables"):
            reduction.witness([True, False])
        data = reduction.instance.to_json()
        for key, value, message in [
            ("source", {**data["source"], "clauses": [[-1, -1], [1]]}, "words of the instance"),
            ("source", {**data["source"], "clauses": 1}, "the formula .* is not valid"),
            ("source", {**data["source"], "clauses": [["1"]]}, "the formula .* is not valid"),
            ("source", {**data["source"], "variables": [1]}, "the formula .* is not valid"),
            ("source", {**data["source"], "satisfied": None}, "satisfied is None"),
            ("k", data["k"] + 1, "k or threshold"),
            ("threshold", data["threshold"] + 1, "k or threshold"),
        ]:
            broken = Instance.from_json(json.loads(json.dumps({**data, key: value})))
            with pytest.raises(InputError, match=message):
                reduction_of(broken)
            with pytest.raises(InputError, match="was not made by reduce"):
                type(reduction).from_instance(Instance(broken.words, 1))
    with pytest.raises(InputError, match="vocabulary is over bytes"):
        reduce_max_2_sat(formula, 1).lift(Vocabulary(["ab"]))


def test_files(tmp_path):
    path = tmp_path / "F.cnf"
    path.write_text("c hello\np cnf 3 4\n1 -2 0 2\n2 0\nc between\n1 2 1 0\n-3 3 0\n%\n0\n")
    formula = read_formula(path)
    assert formula == Formula(["1", "2", "3"], [(1, -2), (2, 2), (1, 2), (-3, 3)])
    path.write_text("p wcnf 2 2 9\n1 1 2 0\n1 -1 0\n")
    assert read_formula(path) == Formula(["1", "2"], [(1, 2), (-1,)])


MANY = "9" * 5000  # digits, more than Python converts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2 0\n", "F:1: a clause before the problem line"),
        ("p cnf 2\n", "F:1: a problem line is 'p cnf VARIABLES CLAUSES'"),
        ("p sat 2 1\n", "F:1: a problem line is"),
        ("p cnf 2 1\np cnf 2 1\n", "F:2: a second problem line"),
        ("p cnf 9999999 1\n", "F:1: 9999999 variables, the limit is 1000000"),
        (f"p cnf 2 {MANY}\n1 2 0\n", "the problem line says 9+ clauses, but there are 1"),
        (f"p cnf 2 1\n1 -{MANY} 0\n", "F:2: literal -9+: variables are the numbers 1 to 2"),
        (f"p wcnf 2 1\n{MANY} 1 2 0\n", "F:2: weight 9+: clauses have weight 1"),
        ("p cnf 2 1\n1 x 0\n", "F:2: 'x' is not a literal"),
        ("p cnf 2 1\n1 3 0\n", "F:2: literal 3: variables are the numbers 1 to 2"),
        ("p cnf 3 1\n1 2\n3 0\n", r"F:2: a clause of 3 literals \(1 2 3\)"),
        ("p cnf 3 1\n0\n", "F:2: an empty clause is never satisfied"),
        ("p cnf 3 1\n1 2\n", "F:2: the clause does not end with 0"),
        ("p cnf 3 2\n1 2 0\n", "F: the problem line says 2 clauses, but there are"),
        ("p cnf 3 0\n", "F: the formula has no clauses"),
        ("c only\n", "F: no problem line"),
        ("p wcnf 3 1\n5 1 2 0\n", "F:2: weight 5: clauses have weight 1"),
    ],
)
def test_bad_files(text, message, tmp_path):
    path = tmp_path / "F"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_formula(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="none: cannot be read"):
        read_formula(tmp_path / "none")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe a\n")
    with pytest.raises(InputError, match="not text in UTF-8"):
        read_formula(tmp_path / "bytes")
