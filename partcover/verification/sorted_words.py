"""Finds the occurrences of tokens and candidates in the words, in plain Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from copy import copy
from itertools import accumulate, chain
from typing import Any

from ..corpus.symbols import Token
from ..problem.instance import Instance


class SortedWords:
    """The words in ascending order, one after another; for several corpora, the words of all."""

    def __init__(self, instance: Instance) -> None:
        pairs = sorted(instance.words)
        corpora = () if instance.corpora is None else instance.corpora.words
        self._corpora = [dict(words) for words in corpora]
        self.words = [word for word, _ in pairs]
        self.counts = [count for _, count in pairs]
        self.sizes = [len(word) for word in self.words]
        self.first = list(accumulate(self.sizes, initial=0))[:-1]
        self.word_at = [n for n, size in enumerate(self.sizes) for _ in range(size)]
        self.count_at = [self.counts[number] for number in self.word_at]
        words: list[Any] = self.words
        self.text: Any
        if instance.symbols == "ints":
            self.text = tuple(chain.from_iterable(words))
        else:
            self.text = (b"" if instance.symbols == "bytes" else "").join(words)

    def weighted(self, weights: Sequence[int]) -> SortedWords:
        """Returns the same words, with counts weighted by the weights of the corpora."""
        if not weights:
            return self
        other = copy(self)
        pairs = [*zip(weights, self._corpora, strict=True)]
        other.counts = [sum(w * counts.get(word, 0) for w, counts in pairs) for word in self.words]
        other.count_at = [other.counts[number] for number in self.word_at]
        return other

    def by_substring(self, starts: Sequence[int], length: int) -> dict[Token, list[int]]:
        """Returns the substrings at `starts`, each with its starts."""
        groups: dict[Token, list[int]] = defaultdict(list)
        for start in starts:
            groups[self.text[start : start + length]].append(start)
        return groups

    def starts_of(self, tokens: Collection[Token]) -> dict[Token, list[int]]:
        """Returns the starts of those tokens, of at least two symbols, that occur."""
        openings = openings_of(tokens)
        starts_of: dict[Token, list[int]] = defaultdict(list)
        for first, size in zip(self.first, self.sizes, strict=True):
            end = first + size
            for start in range(first, end - 1):
                for length in openings.get(self.text[start : start + 2], ()):
                    if start + length <= end:
                        token = self.text[start : start + length]
                        if token in tokens:
                            starts_of[token].append(start)
        return starts_of

    def only_word(self, starts: Sequence[int]) -> int | None:
        """Returns the only word that contains all starts, by number; None if there are several."""
        number = self.word_at[starts[0]]
        return number if number == self.word_at[starts[-1]] else None


def openings_of(tokens: Collection[Token]) -> dict[Token, tuple[int, ...]]:
    """Returns the lengths of the tokens that begin with each two symbols, ascending."""
    lengths: dict[Token, set[int]] = defaultdict(set)
    for token in tokens:
        lengths[token[:2]].add(len(token))
    return {opening: tuple(sorted(sizes)) for opening, sizes in lengths.items()}


def occurring_candidates(
    instance: Instance, text: SortedWords
) -> Iterator[tuple[Token, list[int]]]:
    """Yields the candidates, each with its starts.

    Dominated candidates are left out, unless group budgets or merges make them matter.
    """
    dominated = bool(instance.groups) or instance.merges is not None
    if instance.candidates is not None:
        pool = set(instance.candidates) - set(instance.forbidden)
        for token, starts in text.starts_of(pool).items():
            number = text.only_word(starts)
            word = None if number is None or dominated else text.words[number]
            if word is None or word == token or word not in pool:
                yield token, starts
        return
    forbidden = set(instance.forbidden)
    longest = min(max(text.sizes, default=0), instance.max_length or 2**63)
    # whether a word dominates the candidates that occur only in it
    dominates = [
        2 <= len(word) <= longest
        and count >= instance.min_count
        and word not in forbidden
        and not dominated
        for word, count in zip(text.words, text.counts, strict=True)
    ]
    whole: dict[int, list[int]] = defaultdict(list)  # the starts of these words, by length
    for first, size, does in zip(text.first, text.sizes, dominates, strict=True):
        if does:
            whole[size].append(first)
    going_on: Sequence[int] = [
        start
        for first, size in zip(text.first, text.sizes, strict=True)
        for start in range(first, first + size - 1)
    ]
    for length in range(2, longest + 1):
        extensible: list[int] = []
        for token, places in text.by_substring(going_on, length).items():
            if sum(map(text.count_at.__getitem__, places)) < instance.min_count:
                continue  # nothing that contains it is frequent enough either
            number = text.only_word(places)
            if number is not None and dominates[number] and length < text.sizes[number]:
                continue  # everything that contains it is dominated too, except the whole word
            extensible += places
            if token not in forbidden:
                yield token, places
        known = set(extensible)
        longer = {start for start in extensible if start + 1 in known}
        going_on = sorted(longer | {*whole[length + 1]})
