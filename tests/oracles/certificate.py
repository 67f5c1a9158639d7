"""The bound of a certificate as its formula stands, by trying all sets of occurrences."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

from oracles.brute_force import useful

from partcover import Instance
from partcover.problem.certificate import Certificate


def candidates(instance: Instance) -> list:
    """The candidates that are not dominated; with groups, all of them."""
    words = [word for word, _ in instance.words]
    pool = set(useful(replace(instance, required=(), prefix=())))
    if instance.groups:
        return list(pool)

    def dominated(token) -> bool:
        size = len(token)
        inside = [w for w in words if any(w[s : s + size] == token for s in range(len(w)))]
        return len(inside) == 1 and inside[0] != token and inside[0] in pool

    return [token for token in pool if not dominated(token)]


def slow_bound(instance: Instance, certificate: Certificate) -> int:
    """The formula as it stands, by trying all sets of occurrences."""
    words = sorted(instance.words)
    one = 1 << certificate.scale_bits
    bounds = []
    for leaf, inside, outside in certificate.leaves():
        required = {*instance.fixed, *inside}
        full = [g for g in instance.groups if sum(t in g for t in required) > g.limit]
        if len(required) > instance.k or required & outside or full:
            continue
        prices, position = leaf.prices.tolist(), 0
        total = 0
        rewards = dict.fromkeys(required | (set(candidates(instance)) - outside), 0)
        for word, count in words:
            own = prices[position : position + len(word)]
            position += len(word)
            total += count * sum(own)
            for token in rewards:
                size = len(token)
                at = [s for s in range(len(word)) if word[s : s + size] == token]
                best = 0
                for count_chosen in range(len(at) + 1):
                    for chosen in combinations(at, count_chosen):
                        if all(b - a >= size for a, b in pairwise(chosen)):
                            worth = sum(max(0, sum(own[s : s + size]) - one) for s in chosen)
                            best = max(best, worth)
                rewards[token] += count * best
        value = total - sum(rewards[token] for token in required)
        free = sorted((rewards[t] for t in rewards if t not in required), reverse=True)
        value -= sum(free[: instance.k - len(required)])
        bounds.append(-(-value // one))
    return max(instance.words.total_count, min(bounds))
