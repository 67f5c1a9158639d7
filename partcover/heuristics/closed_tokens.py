"""Chooses tokens that merges can make from each other, in any order of preference."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import cached_property
from itertools import chain

import numpy as np

from ..analysis.metrics import token_uses
from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.instance import Instance
from ..runtime.arrays import Float64
from ..runtime.limits import Deadline
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["ClosedTokens"]

_TRIED = 24  # tokens to drop, and tokens to add instead
_ROUNDS = 50
_WORK = 1 << 24  # limit on symbols times candidates of all exchanges
_MOST = 1 << 21  # most candidates: each is stored as a token


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

    def first(self, wanted: Iterable[Token]) -> tuple[Token, ...]:
        """Returns the first of some tokens, each with parts that make it, within the budgets.

        Of several ways to make a token, it takes the first one in `MergeCondition.splits` among
        those that need the fewest further tokens.
        """
        instance, known = self.instance, set(self.candidates)
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
        x = np.round(x, 6)
        # for tokens with x = 1 the parts come first: of several ways to make a token, this uses
        # theirs
        then = np.where(x == 1, self.instance.unmerged.index.length, -self._promise)
        order = np.lexsort((then, -x)).tolist()
        return self._counted(self.first(self.candidates[n] for n in order))

    def search(self, wanted: Iterable[Token], deadline: Deadline) -> tuple[Vocabulary, int]:
        """Returns a vocabulary of wanted tokens, and the tokens it needs, after useful exchanges.

        If the wanted tokens do not use the budget, those follow that would save most alone.  The
        least used tokens are replaced by such tokens, with their parts.
        """
        order = np.argsort(-self._promise, kind="stable").tolist()
        others = (self.candidates[n] for n in order)
        best, needed = self._counted(self.first(chain(wanted, others)))
        looked_at = len(self.instance.words.data) + len(self.candidates)
        tries = iter(range(_WORK // max(1, looked_at)))
        for _ in range(_ROUNDS):
            cut = segment(self.instance.words, best, self.instance.rule)
            uses = token_uses(cut, len(best)).tolist()
            loose = sorted(range(len(best)), key=lambda n: (uses[n], n))[:_TRIED]
            further = [t for t in (self.candidates[n] for n in order) if t not in best][:_TRIED]
            exchanges = self._exchanges(best, needed, loose, further, tries, deadline)
            better = next(exchanges, None)
            if better is None:
                break
            best, needed = better
        return best, needed

    def _exchanges(
        self,
        best: Vocabulary,
        needed: int,
        loose: list[int],
        others: list[Token],
        tries: Iterator[int],
        deadline: Deadline,
    ) -> Iterator[tuple[Vocabulary, int]]:
        """Yields vocabularies that need fewer tokens, after exchanging one token for another."""
        for n in loose:
            left = [token for token in best if token != best.tokens[n]]
            for other in others:
                if deadline.is_over or next(tries, None) is None:
                    return
                found = self._counted(self.first([other, *left, *others]))
                if found[1] < needed:
                    yield found

    @cached_property
    def _promise(self) -> np.ndarray:
        index = self.instance.unmerged.index
        return index.weight * (index.length.astype(np.int64) - 1)

    def _counted(self, tokens: tuple[Token, ...]) -> tuple[Vocabulary, int]:
        vocabulary = self.instance.vocabulary(tokens, "improve")
        return vocabulary, segment(self.instance.words, vocabulary, self.instance.rule).tokens

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
