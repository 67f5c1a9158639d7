"""Inequalities of odd cycles and cliques, by enumeration."""

from fractions import Fraction
from itertools import combinations, permutations

HALF = Fraction(1, 2)


def slack(x, y, a, b):
    """1/2 + (x_a + x_b)/2 − y_ab."""
    return HALF + (x[a] + x[b]) / 2 - y[frozenset((a, b))]


def cycle_violation(cycle, x, y):
    """Σ y over the edges − Σ x − (n − 1)/2."""
    n = len(cycle)
    edges = [frozenset((cycle[i], cycle[(i + 1) % n])) for i in range(n)]
    return sum(y[e] for e in edges) - sum(x[a] for a in cycle) - Fraction(n - 1, 2)


def odd_cycles(nodes, y):
    """All odd cycles of the graph whose edges are the keys of y, each once."""
    for n in range(3, len(nodes) + 1, 2):
        for chosen in combinations(sorted(nodes), n):
            for rest in permutations(chosen[1:]):
                if rest[0] > rest[-1]:
                    continue
                cycle = (chosen[0], *rest)
                if all(frozenset((cycle[i - 1], cycle[i])) in y for i in range(n)):
                    yield cycle


def clique_line(n, r):
    """The inequality of n tokens that conflict pairwise: Σ y ≤ rhs + coef · Σ x."""
    edges = n * (n - 1) // 2
    touched = [edges - (n - s) * (n - s - 1) // 2 for s in range(n + 1)]
    coef = touched[r + 1] - touched[r]
    return coef, touched[r] - coef * r


def clique_violation(clique, r, x, y):
    """By how much the inequality of a clique is violated."""
    coef, rhs = clique_line(len(clique), r)
    edges = [y[frozenset(pair)] for pair in combinations(clique, 2)]
    return sum(edges) - rhs - coef * sum(x[a] for a in clique)
