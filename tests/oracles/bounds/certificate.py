"""The bound of a certificate as its formula stands, by trying all sets of occurrences."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections import defaultdict
from dataclasses import replace
from itertools import combinations, pairwise

from oracles.brute_force import cost, useful

from partcover import Instance, WordCounts
from partcover.problem.certificates.certificate import Certificate
from partcover.problem.certificates.cuts import Cut
from partcover.problem.certificates.nodes import Leaf


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


def fewest_in_case(instance: Instance, required: set, excluded: set) -> int | None:
    """The fewest tokens of a vocabulary of a case, dominated candidates left out; None if none."""
    pool = sorted(set(candidates(instance)) - required - excluded)
    free = instance.k - len(required)
    if free < 0 or required & excluded:
        return None
    best = None
    for size in range(min(free, len(pool)) + 1):
        for chosen in combinations(pool, size):
            tokens = [*required, *chosen]
            if all(sum(t in group for t in tokens) <= group.limit for group in instance.groups):
                needed = cost(instance, tokens)
                best = needed if best is None else min(best, needed)
    return best


def edges(cut: Cut) -> list[frozenset]:
    pairs = combinations(cut.tokens, 2)
    if cut.kind == "cycle":
        pairs = zip(cut.tokens, cut.tokens[1:] + cut.tokens[:1], strict=True)
    return [frozenset(pair) for pair in pairs]


def slow_bound(instance: Instance, certificate: Certificate) -> int:
    """The formula as it stands, by trying all sets of occurrences."""
    bounds = []
    for leaf, inside, outside in certificate.leaves():
        required = {*instance.fixed, *inside}
        full = [g for g in instance.groups if sum(t in g for t in required) > g.limit]
        if len(required) > instance.k or required & outside or full:
            continue
        if leaf.prices is None:
            left = set(candidates(instance)) - required - outside
            is_decided = len(required) == instance.k or not left
            bounds.append(cost(instance, required) if is_decided else instance.words.total_count)
            continue
        value = slow_value(instance, leaf, 1 << certificate.scale_bits, required, outside)
        bounds.append(-(-value // (1 << certificate.scale_bits)))
    return max(instance.words.total_count, min(bounds))


def slow_value(instance: Instance, leaf: Leaf, one: int, required: set, excluded: frozenset) -> int:
    """What a leaf proves, in its units, before it is rounded."""
    prices, position = leaf.prices.tolist(), 0
    total = 0
    rewards = dict.fromkeys(required | (set(candidates(instance)) - excluded), 0)
    paid = defaultdict(int)  # by token and position
    rho = defaultdict(int)  # by pair
    count_at = [count for word, count in sorted(instance.words) for _ in word]
    for pair in leaf.pairs:
        for p, m in zip(pair.positions.tolist(), pair.multipliers.tolist(), strict=True):
            for token in pair.tokens:
                paid[token, p] += m
            rho[frozenset(pair.tokens)] += count_at[p] * m
    for word, count in sorted(instance.words):
        size_of_word = len(word)
        own = prices[position : position + size_of_word]
        total += count * sum(own)
        for token in rewards:
            size = len(token)
            at = [s for s in range(size_of_word) if word[s : s + size] == token]
            worth = {
                s: sum(own[p] - paid[token, position + p] for p in range(s, s + size)) - one
                for s in at
            }
            best = 0
            for n_chosen in range(len(at) + 1):
                for chosen in combinations(at, n_chosen):
                    if all(b - a >= size for a, b in pairwise(chosen)):
                        best = max(best, sum(max(0, worth[s]) for s in chosen))
            rewards[token] += count * best
        position += size_of_word
    for cut in leaf.cuts:
        total -= cut.multiplier * cut.rhs
        for edge in edges(cut):
            rho[edge] -= cut.multiplier
        for token in cut.tokens:
            if token in rewards:
                rewards[token] += cut.multiplier * cut.coef
    total -= sum(max(0, rest) for rest in rho.values())
    for group, fee in zip(instance.groups, leaf.group_multipliers, strict=False):
        for token in rewards:
            if token in group and token not in required:
                rewards[token] -= fee
        total -= fee * (group.limit - sum(token in group for token in required))
    total -= sum(rewards[token] for token in required)
    free = sorted((max(0, rewards[t]) for t in rewards if t not in required), reverse=True)
    return total - sum(free[: instance.k - len(required)])


def resealed(data: dict) -> dict:
    """The content of a file that was changed, with the checksum of what it has become."""
    content = {key: value for key, value in data.items() if key != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return {**content, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def planes(*parts) -> str:
    """Numbers as a file holds them: the lowest bytes of all in a part, then the second ones."""
    raw = b"".join(
        bytes(number.to_bytes(8, "little", signed=True)[place] for number in part)
        for part in parts
        for place in range(8)
    )
    return base64.b64encode(zlib.compress(raw)).decode()


def sorted_symbols(words: WordCounts) -> list[int]:
    """The positions of the symbols in the words' data, words in ascending order."""
    spans = sorted(
        (word, words.offsets[number].item(), words.offsets[number + 1].item())
        for number, (word, _) in enumerate(words)
    )
    return [position for _, first, last in spans for position in range(first, last)]
