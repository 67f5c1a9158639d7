"""The best vocabularies of tokens that merges make, by trying them all."""

from __future__ import annotations

from itertools import combinations

from oracles.brute_force import cost, useful

from partcover import Instance, MergeCondition


def is_closed(instance: Instance, tokens, condition: MergeCondition) -> bool:
    """Whether each token is made of two that are there, symbol by symbol."""
    words = [word for word, _ in instance.words] if condition.whole_words else []
    there = {*tokens, *instance.fixed}

    def is_there(part) -> bool:
        return len(part) == 1 or part in there

    def is_made(token) -> bool:
        pairs = condition.pairs
        if pairs is None:
            pairs = [(token[:cut], token[cut:]) for cut in range(1, len(token))]
        return any(
            left + right == token and is_there(left) and is_there(right) for left, right in pairs
        )

    return all(t in instance.fixed or t in words or is_made(t) for t in tokens)


def fewest_closed(instance: Instance, condition: MergeCondition) -> int:
    """The fewest tokens of a vocabulary that keeps to a condition and to group budgets."""
    pool = useful(instance)
    free = min(instance.k - len(instance.fixed), len(pool))
    return min(
        cost(instance, [*instance.fixed, *chosen])
        for size in range(free + 1)
        for chosen in combinations(pool, size)
        if is_closed(instance, chosen, condition)
        and all(
            sum(token in group for token in {*instance.fixed, *chosen}) <= group.limit
            for group in instance.groups
        )
    )
