"""Equations (1) to (8) written out literally with PuLP: the oracle of ``printed``."""

from __future__ import annotations

import warnings
from itertools import product

import pytest
from oracles.brute_force import useful

from partcover import Instance

KNOWN = [  # words, k, printed cover, true cover
    (["aaa"], 1, 1, 2),
    (["aaaaa"], 1, 2, 4),
    (["abd", "abc"], 1, 3, 2),
    (["papaya", "impact"], 2, 9, 10),
    (["random", "randose", "rosey", "randy"], 2, 18, 13),
]


def printed_cover(instance: Instance) -> int:
    """The optimum of the equations as printed; words and tokens over bytes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about PuLP's version 4
        return _solve(instance)


def _solve(instance: Instance) -> int:
    pulp = pytest.importorskip("pulp")
    tokens = [*instance.fixed, *useful(instance)]
    problem = pulp.LpProblem("printed", pulp.LpMaximize)
    x = [pulp.LpVariable(f"x{t}", cat="Binary") for t in range(len(tokens))]
    objective = []
    rules = [pulp.lpSum(x) <= instance.k]  # (2)
    rules += [x[t] == 1 for t, token in enumerate(tokens) if token in instance.fixed]
    for group in instance.groups:
        inside = [x[t] for t, token in enumerate(tokens) if token in group]
        rules.append(pulp.lpSum(inside) <= group.limit)
    for w, (word, count) in enumerate(instance.words):
        last = len(word) - 1
        m = [pulp.LpVariable(f"m{w}_{i}", cat="Binary") for i in range(last)]
        objective += [count * variable for variable in m]  # (1)
        part = {
            (t, i): pulp.LpVariable(f"n{w}_{i}_{t}", cat="Binary")
            for t, i in product(range(len(tokens)), range(last))
            if word[i : i + 2] in tokens[t]
        }
        rules += [x[t] >= n for (t, _), n in part.items()]  # (3)
        for i in range(last):
            over = [n for (_, j), n in part.items() if j == i]
            rules.append(m[i] <= pulp.lpSum(over))  # (4)
            rules.append(pulp.lpSum(over) <= 1)  # (5)
        for (t, i), n in part.items():
            token = tokens[t]
            if i + 1 < last and word[i : i + 3] in token:
                rules.append(n == part[t, i + 1])  # (6)
            if i > 0 and token.startswith(word[i : i + 2]):
                rules.append(m[i - 1] <= 1 - n)  # (7)
            if i + 1 < last and token.endswith(word[i : i + 2]):
                rules.append(m[i + 1] <= 1 - n)  # (8)
    problem += pulp.lpSum(objective)
    for rule in rules:
        if not isinstance(rule, bool):
            problem += rule
    problem.solve(pulp.PULP_CBC_CMD(msg=False))
    assert pulp.LpStatus[problem.status] == "Optimal"
    return round(pulp.value(problem.objective) or 0)
