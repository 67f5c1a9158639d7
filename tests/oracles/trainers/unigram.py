"""Unigram written out: slow, obvious, by listing every segmentation."""

from __future__ import annotations

import math

from oracles.trainers.pathpiece import arcs_of, segmentations


def ways(word, score: dict) -> list[tuple]:
    """Every segmentation with its score, summed from left to right."""
    tokens = {piece for piece in score if len(piece) > 1}
    scored = []
    for way in segmentations(len(word), arcs_of(word, tokens)):
        total = 0.0
        for start, end in way:
            total += score[word[start:end]]
        scored.append((total, way))
    return scored


def expectation(counts: dict, score: dict) -> tuple[dict, float]:
    expected, likelihood = dict.fromkeys(score, 0.0), 0.0
    for word, count in counts.items():
        scored = ways(word, score)
        total = sum(math.exp(value) for value, _ in scored)
        likelihood += count * math.log(total)
        for value, way in scored:
            for start, end in way:
                expected[word[start:end]] += count * math.exp(value) / total
    return expected, likelihood


def best(word, score: dict) -> tuple:
    """The best segmentation; among equals, from the right, the longest tokens."""
    scored = ways(word, score)
    largest = max(value for value, _ in scored)
    equal = [way for value, way in scored if value == largest]
    return min(equal, key=lambda way: [start for start, _ in reversed(way)])


def losses(counts: dict, score: dict) -> dict:
    uses = dict.fromkeys(score, 0)
    for word, count in counts.items():
        for start, end in best(word, score):
            uses[word[start:end]] += count
    total = sum(uses.values())
    loss = {}
    for piece in score:
        if len(piece) == 1:
            loss[piece] = math.inf
            continue
        if not uses[piece]:
            loss[piece] = -math.inf
            continue
        others = {p: s for p, s in score.items() if p != piece}
        way = best(piece, others)
        parts = [piece[start:end] for start, end in way]
        if max(value for value, _ in ways(piece, others)) > score[piece]:
            loss[piece] = -1e300
            continue
        more = total + uses[piece] * (len(parts) - 1)
        without = sum(math.log((uses[part] + uses[piece]) / more) for part in parts)
        loss[piece] = uses[piece] * (math.log(uses[piece] / total) - without)
    return loss


class Tie(Exception):
    """Two values too near each other for floats to tell which is kept."""


def keep_largest(value: dict, pieces: list, n_tokens: int) -> list:
    tokens = sorted((p for p in pieces if len(p) > 1), key=lambda p: -value[p])
    if 0 < n_tokens < len(tokens):
        a, b = value[tokens[n_tokens - 1]], value[tokens[n_tokens]]
        if a > -1e299 and abs(a - b) <= 1e-6 * max(1.0, abs(a)):
            raise Tie
    kept = set(tokens[:n_tokens])
    return [p for p in pieces if len(p) == 1 or p in kept]


def train(counts: dict, seeds: dict, k: int, m_step: str, digamma) -> dict:
    """Scores of the pieces left; `seeds` are the first pieces with their count times length."""
    pieces = list(seeds)
    total = sum(seeds.values())
    score = {p: math.log(v / total) for p, v in seeds.items()}
    while True:
        for _ in range(2):
            expected, _ = expectation(counts, score)
            if any(abs(n - 0.5) < 1e-9 for n in expected.values()):
                raise Tie
            enough = [p for p in pieces if len(p) == 1 or expected[p] >= 0.5]
            total = sum(max(expected[p], 0.5) for p in enough)
            n_tokens = sum(len(p) > 1 for p in enough)
            pieces = keep_largest(expected, pieces, max(n_tokens, k))
            for p in pieces:
                n = max(expected[p], 0.5)
                if m_step == "plain":
                    score[p] = math.log(n / total)
                else:
                    score[p] = digamma(n) - digamma(total)
            score = {p: score[p] for p in pieces}
        n_tokens = sum(len(p) > 1 for p in pieces)
        if n_tokens <= int(1.1 * k):
            return {p: score[p] for p in keep_largest(score, pieces, k)}
        loss = losses(counts, score)
        useful = sum(len(p) > 1 and loss[p] > -1e300 for p in pieces)
        left = min(useful, max(int(1.1 * k), int(0.75 * n_tokens)))
        pieces = keep_largest(loss, pieces, max(left, k))
        score = {p: score[p] for p in pieces}
