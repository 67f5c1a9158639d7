"""Optima by trying every vocabulary: the oracle of formulations and solvers."""

from __future__ import annotations

from itertools import combinations

from greedy_oracle import all_candidates, place_anywhere, shortest_path

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
    """Every vocabulary within the budget that no larger one contains."""
    pool = useful(instance)
    free = min(instance.k - len(instance.fixed), len(pool))
    for chosen in combinations(pool, free):
        yield [*instance.fixed, *chosen]


def fewest_tokens(instance: Instance) -> int:
    return min(
        sum(count * len(shortest_path(word, tokens)) for word, count in instance.words)
        for tokens in vocabularies(instance)
    )


def most_relaxed_cover(instance: Instance) -> int:
    best = 0
    for tokens in vocabularies(instance):
        cover = 0
        for word, count in instance.words:
            covered = [False] * (len(word) - 1)
            for token in tokens:
                place_anywhere(word, covered, token)
            cover += count * sum(covered)
        best = max(best, cover)
    return best
