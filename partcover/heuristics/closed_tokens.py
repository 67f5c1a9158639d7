"""Chooses tokens that merges can make from each other, in any order of preference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from ..analysis.metrics import token_uses
from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.instance import Instance
from ..runtime.arrays import Float64
from ..runtime.limits import Deadline
from ..segmentation.segmentation import Segmentation, segment
from ..vocabulary.vocabulary import Vocabulary
from .search_space import promise_of

_FIRST = 4  # the first exchange is of a quarter of the tokens
_TRIED = 24  # tokens to drop, and tokens to add instead
_ROUNDS = 50
_WORK = 1 << 22  # limit on symbols times candidates of all exchanges
_MOST = 1 << 21  # most candidates: each is stored as a token

_Choice = TypeVar("_Choice")


class ClosedTokens:
    """Vocabularies of an instance in which merges have to make every token (`Instance.merges`).

    Parameters
    ----------
    instance : Instance
        The instance.

    Raises
    ------
    InputError
        For more than 2^21 candidates.

    Examples
    --------
    >>> from partcover import Instance, MergeCondition
    >>> from partcover.heuristics.closed_tokens import ClosedTokens
    >>> words = {"that": 3, "hat": 2}
    >>> closed = ClosedTokens(Instance(words, 2, merges=MergeCondition()))
    >>> closed.first([b"that", b"hat"])
    (b'at', b'hat')
    """

    def __init__(self, instance: Instance) -> None:
        assert instance.merges is not None
        total = instance.unmerged.index.total
        if total > _MOST:
            raise InputError(
                f"{total:,} candidates are too many to choose those that merges can make, "
                f"{_MOST:,} at most: cap them (max_length, min_count, candidates)"
            )
        self.instance = instance
        self.condition = instance.merges
        words = instance.words if self.condition.whole_words else ()
        self._exempt = {*instance.fixed, *(word for word, _ in words)}
        self._known_ways: dict[Token, list[tuple[Token, ...]]] = {}

    @cached_property
    def candidates(self) -> list[Token]:
        """The candidates, in the order of the index."""
        return list(self.instance.unmerged.index.tokens())

    def first(
        self, wanted: Iterable[Token], among: Collection[Token] | None = None
    ) -> tuple[Token, ...]:
        """Returns the first of some tokens, each with parts that make it, within the budgets.

        Of several ways to make a token, it takes the first one in `MergeCondition.splits` among
        those that need the fewest further tokens.  Parts are candidates, or `among` other tokens.
        """
        instance, known = self.instance, set(self.candidates if among is None else among)
        kept: dict[Token, None] = dict.fromkeys(instance.fixed)
        room = [
            group.limit - sum(token in group for token in instance.fixed)
            for group in instance.groups
        ]
        for token in wanted:
            if len(kept) == instance.k:
                break
            further = self._further(token, kept, known)
            if not further or len(kept) + len(further) > instance.k:
                continue
            taken = [sum(token in group for token in further) for group in instance.groups]
            if any(more > left for more, left in zip(taken, room, strict=True)):
                continue
            room = [left - more for more, left in zip(taken, room, strict=True)]
            kept.update(dict.fromkeys(sorted(further, key=lambda token: (len(token), token))))
        return tuple(kept)

    def near(self, x: Float64) -> tuple[Vocabulary, int]:
        """Returns a vocabulary of tokens with large x, and the tokens that it needs.

        Parameters
        ----------
        x : ndarray of float64, shape (candidates,)
            x of each candidate.
        """
        return self.counted(self.first(self.by_x(x)))

    def by_x(self, x: Float64) -> Iterator[Token]:
        """Yields the candidates, those with large x first."""
        x = np.round(x, 6)
        # for tokens with x = 1 the parts come first: of several ways to make a token, this uses
        # theirs
        then = np.where(x == 1, self.instance.unmerged.index.length, -self._promise)
        return (self.candidates[n] for n in np.lexsort((then, -x)).tolist())

    def search(self, wanted: Iterable[Token], deadline: Deadline) -> tuple[Vocabulary, int]:
        """Returns a vocabulary of wanted tokens, and the tokens it needs, after useful exchanges.

        If the wanted tokens do not use the budget, those follow that would save most alone.  The
        least used tokens give way to texts that two neighbors spell most often, all with their
        parts: first a quarter of the tokens, and fewer each time that this does not help.  In small
        instances, single tokens then give way to those that would save most alone.  Unless words
        are segmented by the shortest path, another token may cost tokens: the wanted tokens are
        then also tried alone, and in small instances the best vocabulary with one token less.
        """
        order = np.argsort(-self._promise, kind="stable").tolist()
        others = (self.candidates[n] for n in order)
        wanted = list(wanted)
        first = self.instance.vocabulary(self.first(chain(wanted, others)), "improve")
        best, needed = self.counted(self._exchanged(first, deadline).tokens)
        if self._may_cost:
            alone = self.counted(self.first(wanted))
            best, needed = min((best, needed), alone, key=lambda found: found[1])
        looked_at = len(self.instance.words.data) + len(self.candidates)
        tries = iter(range(_WORK // max(1, looked_at)))
        for _ in range(_ROUNDS):
            loose = self._least_used(best, self._cut(best))
            further = [t for t in (self.candidates[n] for n in order) if t not in best][:_TRIED]
            better = None
            for tokens in self._exchanges(best, loose, further):
                if deadline.is_over or next(tries, None) is None:
                    break
                found = self.counted(tokens)
                if found[1] < needed:
                    better = found
                    break
            if better is None:
                break
            best, needed = better
        return best, needed

    def _exchanged(self, best: Vocabulary, deadline: Deadline) -> Vocabulary:
        """Exchanges many tokens at once, as long as fewer tokens are needed."""
        known = set(self.candidates)

        def other(best: Vocabulary, cut: Segmentation, number: int) -> Vocabulary:
            there = set(best)
            parts = {
                part
                for token in best
                for way in self._ways(token)
                if there.issuperset(way)
                for part in way
            }
            loose = [token for token in self._least_used(best, cut) if token not in parts]
            gone = set(loose[:number])
            left = [token for token in best if token not in gone]
            gains = _neighbors(cut, best)
            ready = [token for token in gains if token in known and token not in there]
            ready.sort(key=lambda token: (-gains[token], token))
            tokens = self.first(chain(left, ready))
            return self.instance.vocabulary(tokens, "improve")

        return exchanged(best, self._cut, other, len(best), deadline)

    def _cut(self, vocabulary: Vocabulary) -> Segmentation:
        return segment(self.instance.words, vocabulary, self.instance.rule)

    def _least_used(self, vocabulary: Vocabulary, cut: Segmentation) -> list[Token]:
        """Returns the tokens that are not required, the least used ones first."""
        uses = token_uses(cut, len(vocabulary)).tolist()
        order = sorted(range(len(vocabulary)), key=lambda n: (uses[n], n))
        fixed = set(self.instance.fixed)
        return [t for t in (vocabulary.tokens[n] for n in order) if t not in fixed]

    def _exchanges(
        self, best: Vocabulary, loose: list[Token], others: list[Token]
    ) -> Iterator[tuple[Token, ...]]:
        """Yields vocabularies in which one token is exchanged for another, removed or added."""

        def without(some: list[Token]) -> Iterator[list[Token]]:
            return ([token for token in best if token != gone] for gone in some)

        if self._may_cost:
            for left in without(loose):
                yield self.first(left, among=left)
            if len(best) < self.instance.k:
                yield from (self.first([*best, other]) for other in others)
            for left in without(loose[:_TRIED]):
                yield from (self.first([other, *left]) for other in others)
        for left in without(loose[:_TRIED]):
            yield from (self.first([other, *left, *others]) for other in others)

    @property
    def _may_cost(self) -> bool:
        """Whether words may need more tokens with another token than without."""
        return self.instance.rule != "shortest_path"

    @cached_property
    def _promise(self) -> Float64:
        return promise_of(self.instance.unmerged)

    def counted(self, tokens: tuple[Token, ...]) -> tuple[Vocabulary, int]:
        """Returns the vocabulary of some tokens, and the tokens that it needs."""
        vocabulary = self.instance.vocabulary(tokens, "improve")
        return vocabulary, self._cut(vocabulary).tokens

    def _further(
        self, token: Token, kept: Container[Token], known: Container[Token]
    ) -> frozenset[Token] | None:
        """Returns a token with the parts that are not available yet; None if nothing makes it."""
        parts: set[Token] = set()
        front = [token]
        while front:
            part = front.pop()
            if part in known and part not in kept and part not in parts:
                parts.add(part)
                front.extend(chain.from_iterable(self._ways(part)))
        needed: dict[Token, frozenset[Token]] = {}
        for part in sorted(parts, key=len):  # the parts of a token are shorter than it
            for way in self._ways(part):
                if all(each in kept or each in needed for each in way):
                    all_ = frozenset([part]).union(*(needed.get(each, ()) for each in way))
                    if part not in needed or len(all_) < len(needed[part]):
                        needed[part] = all_
        return needed.get(token)

    def _ways(self, token: Token) -> list[tuple[Token, ...]]:
        if token not in self._known_ways:
            ways = self.condition.splits(token, self._lengths)
            self._known_ways[token] = [()] if token in self._exempt else [*ways]
        return self._known_ways[token]

    @cached_property
    def _lengths(self) -> set[int]:
        return {len(token) for token in (*self.candidates, *self.instance.fixed)}


def exchanged(
    best: _Choice,
    cut_by: Callable[[_Choice], Segmentation],
    other: Callable[[_Choice, Segmentation, int], _Choice],
    size: int,
    deadline: Deadline,
) -> _Choice:
    """Exchanges tokens until the deadline, as long as fewer tokens are needed.

    `other` makes a choice in which so many tokens differ: a quarter of `size` at first, and fewer
    each time that this does not help.
    """
    cut, number = cut_by(best), max(1, size // _FIRST)
    while number and not deadline.is_over:
        choice = other(best, cut, number)
        attempt = cut_by(choice)
        if attempt.tokens < cut.tokens:
            best, cut = choice, attempt
        else:
            number //= 2
    return best


def _neighbors(cut: Segmentation, vocabulary: Vocabulary) -> Counter[Token]:
    """Returns how often two neighbours together spell each text, by the text."""
    words, places = cut.words, np.flatnonzero(cut.ends)
    word_of = np.repeat(np.arange(len(words)), cut.pieces)
    numbers = cut.which[places].astype(np.int64)
    alone = numbers < 0
    symbols, numbers_alone = np.unique(words.data[places][alone], return_inverse=True)
    numbers[alone] = len(vocabulary) + numbers_alone
    inside = np.flatnonzero(word_of[1:] == word_of[:-1])
    base = int(numbers.max(initial=0)) + 1
    keys, inverse = np.unique(numbers[inside] * base + numbers[inside + 1], return_inverse=True)
    sums = np.zeros(len(keys), np.int64)
    np.add.at(sums, inverse, words.counts[word_of[inside]])

    def spelled(number: int) -> Any:
        if number < len(vocabulary):
            return vocabulary.tokens[number]
        at = number - len(vocabulary)
        return sym.from_array(symbols[at : at + 1], vocabulary.symbols)

    gains: Counter[Token] = Counter()
    for key, count in zip(keys.tolist(), sums.tolist(), strict=True):
        left, right = divmod(key, base)
        gains[spelled(left) + spelled(right)] += count
    return gains
