"""Adds tokens under longest match, where more tokens can make a corpus longer."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..heuristics.greedy import greedtok
from ..problem.word_index import WordIndex
from ..runtime.limits import Deadline
from .base import Added, Task, extended
from .whole_paths import extension_instance, improve_within

_POOL = 2  # times m tokens of GreedTok are looked at, beside those of the search


def add_by_longest_match(task: Task) -> Added:
    """Adds tokens one by one, each time the one that saves most, as long as the limit is kept.

    The bound is for the shortest path, which no rule needs fewer tokens than.
    """
    instance = extension_instance(task)
    solution = improve_within(instance, task.limits, task.progress)
    assert solution.certificate is not None
    size = len(task.base)
    more = replace(instance, k=size + _POOL * task.m)
    pool = dict.fromkeys(solution.vocabulary.tokens[size:])
    pool |= dict.fromkeys(greedtok(more, threads=task.limits.threads).vocabulary.tokens[size:])
    deadline = task.limits.start()
    chosen = _chosen(task, list(pool), deadline)
    vocabulary = extended(task.base, [token for token, _ in chosen])
    gains = tuple(gain for _, gain in chosen)
    return Added(vocabulary, gains, instance, solution.certificate, solution.termination)


def _chosen(task: Task, pool: list[Token], deadline: Deadline) -> list[tuple[Token, int]]:
    """Chooses tokens greedily; with what each saved when it was taken."""
    words = LongestMatch(task.objective, task.base.tokens, pool)
    keep, room = None, 0
    if task.keep is not None and task.limit is not None:
        keep = LongestMatch(task.keep, task.base.tokens, pool)
        room = task.limit - keep.tokens
    chosen: list[tuple[Token, int]] = []
    # what a token saved when it was looked at last, not yet at all at first
    heap = [(-words.most(token), place, -1) for place, token in enumerate(pool)]
    heapq.heapify(heap)
    while heap and len(chosen) < task.m and not deadline.is_over:
        _, place, seen = heapq.heappop(heap)
        token = pool[place]
        saved = words.saved(token)
        if saved <= 0:
            continue
        if seen != len(chosen) and heap and -heap[0][0] > saved:
            heapq.heappush(heap, (-saved, place, len(chosen)))
            continue
        if keep is not None:
            cost = -keep.saved(token)
            if cost > room:
                continue
            room -= cost
            keep.take(token)
        words.take(token)
        chosen.append((token, saved))
    return chosen


class LongestMatch:
    """Words segmented by longest match, while tokens of a pool are added."""

    def __init__(self, words: WordCounts, tokens: Iterable[Token], pool: list[Token]) -> None:
        self._words: list[Any] = [word for word, _ in words]
        self._counts: list[int] = words.counts.tolist()
        self._lengths: dict[Any, list[int]] = defaultdict(list)
        self._known: set[Any] = set()
        for token in tokens:
            self.take_in(token)
        self._cost = [self._pieces(word) for word in self._words]
        self.tokens = sum(c * n for c, n in zip(self._counts, self._cost, strict=True))
        index = WordIndex(words)
        intervals = index.find_tokens(pool)
        self._places = {
            token: np.unique(index.word_of[index.sa[lo:hi]]).tolist()
            for token, lo, hi in zip(
                pool, intervals.lo.tolist(), intervals.hi.tolist(), strict=True
            )
        }

    def take_in(self, token: Token) -> None:
        """Adds a token without counting again."""
        self._known.add(token)
        lengths = self._lengths[token[:2]]
        if len(token) not in lengths:
            lengths.append(len(token))
            lengths.sort(reverse=True)

    def _pieces(self, word: Any) -> int:
        """Returns the tokens of a word."""
        at, pieces, size = 0, 0, len(word)
        known, none = self._known, ()
        while at < size:
            for length in self._lengths.get(word[at : at + 2], none):
                if at + length <= size and word[at : at + length] in known:
                    at += length
                    break
            else:
                at += 1
            pieces += 1
        return pieces

    def most(self, token: Token) -> int:
        """Returns more than a token can save in the words that hold it."""
        return sum(self._counts[word] * (self._cost[word] - 1) for word in self._places[token])

    def saved(self, token: Token) -> int:
        """Returns how many tokens a further one saves; negative where it costs some."""
        held = len(self._known)
        self.take_in(token)
        saved = 0
        for word in self._places[token]:
            saved += self._counts[word] * (self._cost[word] - self._pieces(self._words[word]))
        if len(self._known) > held:
            self._known.discard(token)
        return saved

    def take(self, token: Token) -> None:
        """Adds a token for good."""
        self.tokens -= self.saved(token)
        self.take_in(token)
        for word in self._places[token]:
            self._cost[word] = self._pieces(self._words[word])
