"""Formulas of at most two literals a clause, all small ones and generated ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement, permutations, product

from hypothesis import strategies as st

from partcover.hardness.cnf import Formula


def most_satisfied(formula: Formula) -> int:
    """Counts the clauses that the best assignment satisfies."""
    return max(
        sum(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in formula.clauses)
        for values in product([False, True], repeat=len(formula.variables))
    )


def most_occurrences(formula: Formula) -> int:
    """Counts the clauses of the variable that is in the most."""
    return max(Counter(j for a, b in formula.clauses for j in {abs(a), abs(b)}).values())


def small_formulas(variables: int, clauses: int) -> Iterator[Formula]:
    """Every formula, repeated, single and contradictory literals too, up to symmetry."""
    literals = [s * j for j in range(1, variables + 1) for s in (1, -1)]
    seen = set()
    for size in range(1, clauses + 1):
        for chosen in combinations_with_replacement(
            list(combinations_with_replacement(literals, 2)), size
        ):
            key = min(
                tuple(sorted(tuple(sorted(s[abs(x) - 1] * (p[abs(x) - 1] + 1) * (1 if x > 0 else -1)
                                          for x in clause)) for clause in chosen))
                for p in permutations(range(variables))
                for s in product([1, -1], repeat=variables)
            )  # fmt: skip
            if key not in seen:
                seen.add(key)
                yield Formula([f"x{j + 1}" for j in range(variables)], chosen)


def formulas(variables: int, clauses: int) -> st.SearchStrategy[Formula]:
    """Generates formulas of so many variables, and at most so many clauses."""
    literal = st.integers(1, variables).flatmap(lambda j: st.sampled_from([j, -j]))
    clause = st.lists(literal, min_size=1, max_size=2)
    names = [str(j) for j in range(variables)]
    return st.lists(clause, min_size=1, max_size=clauses).map(lambda c: Formula(names, c))
