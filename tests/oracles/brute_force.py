"""Optima by trying every vocabulary: the oracle of formulations and solvers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations

from oracles.greedy import all_candidates, place_anywhere, shortest_path

from partcover import Instance


def useful(instance: Instance) -> list:
    """The candidates of an instance, dominated ones included."""
    words = [word for word, _ in instance.words]
    pool = all_candidates(words)
    if instance.candidates is not None:
        pool &= set(instance.candidates)
    if instance.max_length is not None:
        pool = {t for t in pool if len(t) <= instance.max_length}
    if instance.min_count > 1:
        pool = {t for t in pool if occurrences(instance, t) >= instance.min_count}
    return sorted(pool - set(instance.forbidden) - set(instance.fixed))


def occurrences(instance: Instance, token) -> int:
    size = len(token)
    return sum(
        count
        for word, count in instance.words
        for start in range(len(word))
        if word[start : start + size] == token
    )


def vocabularies(instance: Instance):
    """Every vocabulary within the budgets; without groups, those that no larger one contains."""
    pool = useful(instance)
    free = min(instance.k - len(instance.fixed), len(pool))
    for size in range(free + 1) if instance.groups else [free]:
        for chosen in combinations(pool, size):
            tokens = [*instance.fixed, *chosen]
            if all(sum(t in group for t in tokens) <= group.limit for group in instance.groups):
                yield tokens


def fewest_tokens(instance: Instance) -> int:
    return min(map(costs(instance), vocabularies(instance)))


def most_relaxed_cover(instance: Instance) -> int:
    def covered_pairs(word, tokens) -> int:
        covered = [False] * (len(word) - 1)
        for token in tokens:
            place_anywhere(word, covered, token)
        return sum(covered)

    return max(map(summed(instance, covered_pairs), vocabularies(instance)))


def cost(instance: Instance, tokens: Iterable) -> int:
    return sum(count * len(shortest_path(word, tokens)) for word, count in instance.words)


def costs(instance: Instance) -> Callable[[Iterable], int]:
    """Returns `cost` as a function of the tokens, faster for many vocabularies."""
    return summed(instance, lambda word, tokens: len(shortest_path(word, tokens)))


def summed(instance: Instance, of_word: Callable) -> Callable[[Iterable], int]:
    """Returns the function that sums a number of each word, times its count, for a vocabulary.

    The tokens inside of a word decide its number: it is computed once for these.
    """
    of_word = cache(of_word)
    words = [(word, count, all_candidates([word])) for word, count in instance.words]

    def total(tokens: Iterable) -> int:
        chosen = frozenset(tokens)
        return sum(count * of_word(word, chosen & inside) for word, count, inside in words)

    return total


def fewest_chosen(instance: Instance, threshold: int) -> int | None:
    """The smallest vocabulary within the budgets that meets a threshold."""
    needed = costs(instance)
    for k in range(len(instance.fixed), instance.k + 1):
        if any(needed(tokens) <= threshold for tokens in vocabularies(instance.with_k(k))):
            return k
    return None
