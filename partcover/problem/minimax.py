"""Defines the minimax problem: one vocabulary for several corpora, the worst served best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..corpus import symbols as sym
from ..corpus.alike import refuse_unlike
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..runtime.arguments import Budget, Int64, checked, shown
from ..runtime.arrays import Int64 as Int64Array
from ..runtime.notebook import brief
from .group_budget import GroupBudget
from .instance import Instance

__all__ = ["CONDITIONS", "MinimaxInstance", "attainable"]

#: What limits vocabularies besides the budget, by the names of an `Instance`.
CONDITIONS = (
    "candidates",
    "max_length",
    "required",
    "forbidden",
    "prefix",
    "protected",
    "groups",
)


_SYMBOLS = 2**34  # counted symbols of weighted corpora: prices then have digits enough
_FINE = 2**12  # weights of about so much, where the corpora have more symbols than that
_MOST = 2**50


@dataclass(frozen=True, eq=False)
class MinimaxInstance:
    """A minimax instance: at most `k` tokens for several corpora, the largest ratio the smallest.

    The ratio of a corpus is the tokens that it needs over its reference count.

    Parameters
    ----------
    corpora : iterable of WordCounts
        Two or more corpora, over the same symbols.
    k : int
        The budget, as of an `Instance`.
    references : iterable of int
        The reference count of each corpus, at least 1: `reference_counts` makes some.
    names : iterable of str, optional
        Distinct names of the corpora; by default ``1``, ``2``, …
    candidates, max_length, required, forbidden, prefix, protected, groups : optional
        The conditions, as of an `Instance`.  By default every substring of a word of a corpus is
        a candidate.

    Raises
    ------
    InputError
        For fewer than two corpora, a reference below 1, corpora that were counted in different
        ways, and as `Instance` does.

    Examples
    --------
    >>> from partcover import MinimaxInstance, WordCounts
    >>> corpora = [WordCounts.from_counts({"that": 3}), WordCounts.from_counts({"haha": 1})]
    >>> instance = MinimaxInstance(corpora, k=1, references=[3, 1], names=["english", "laughter"])
    >>> instance
    MinimaxInstance(k=1, english: 1 words, laughter: 1 words, bytes)
    >>> instance.ratios([9, 2])
    (Fraction(3, 1), Fraction(2, 1))
    """

    corpora: tuple[WordCounts, ...]
    k: int
    references: tuple[int, ...]
    names: tuple[str, ...]
    whole: Instance

    @checked
    def __init__(
        self,
        corpora: Iterable[WordCounts],
        k: Budget,
        references: Iterable[int],
        names: Iterable[str] | None = None,
        *,
        candidates: Iterable[Any] | None = None,
        max_length: Int64 | None = None,
        required: Iterable[Any] = (),
        forbidden: Iterable[Any] = (),
        prefix: Iterable[Any] = (),
        protected: Iterable[Any] = (),
        groups: Sequence[GroupBudget] = (),
    ) -> None:
        given = checked_corpora(corpora)
        if len(given) < 2:
            raise InputError(f"{len(given)} corpus is given: minimax is about two or more")
        refuse_unlike(given)
        called = tuple(str(n + 1) for n in range(len(given))) if names is None else tuple(names)
        for name in called:
            if not isinstance(name, str):
                raise InputError(f"names hold {shown(name)}: text is expected")
        if len(called) != len(given) or len(set(called)) < len(called):
            raise InputError(f"{len(given)} corpora need as many different names")
        set_ = object.__setattr__
        set_(self, "references", _checked_references(references, called))
        set_(self, "names", called)
        set_(self, "k", k)
        cut = tuple(protected)
        if cut:
            given = tuple(replace(words.split_at(cut), **words.how) for words in given)
        set_(self, "corpora", given)
        words = _joined(given)
        whole = Instance(
            words, k, candidates, max_length, 1, required, forbidden, prefix, cut, groups
        )
        set_(self, "whole", whole)

    def __repr__(self) -> str:
        sizes = [
            f"{name}: {len(words):,} words"
            for name, words in zip(self.names, self.corpora, strict=True)
        ]
        return brief("MinimaxInstance", f"k={self.k}", *sizes, self.symbols)

    @property
    def symbols(self) -> sym.Symbols:
        """The alphabet."""
        return self.whole.symbols

    @cached_property
    def counts(self) -> Int64Array:
        """How often each word of ``whole.words`` occurs in each corpus, shape (corpora, words)."""
        counts = np.zeros((len(self.corpora), len(self.whole.words)), np.int64)
        number = {word: n for n, (word, _) in enumerate(self.whole.words)}
        for row, words in zip(counts, self.corpora, strict=True):
            row[[number[word] for word, _ in words]] = words.counts
        return counts

    def ratios(self, tokens: Sequence[int]) -> tuple[Fraction, ...]:
        """Returns the tokens of each corpus over its reference."""
        return tuple(map(Fraction, tokens, self.references))

    @checked
    def weighted(self, weights: Iterable[int]) -> Instance:
        """Returns all words as one instance, the counts of each corpus multiplied.

        Parameters
        ----------
        weights : iterable of int
            A weight for each corpus, at least 0, and not all 0.

        Raises
        ------
        InputError
            For other weights, or counts that do not fit in int64.

        Examples
        --------
        >>> from partcover import MinimaxInstance, WordCounts
        >>> corpora = [WordCounts.from_counts({"a": 1, "b": 2}), WordCounts.from_counts({"b": 3})]
        >>> instance = MinimaxInstance(corpora, k=0, references=[1, 1])
        >>> instance.weighted([1, 10]).words.to_dict()
        {b'a': 1, b'b': 32}
        """
        factors = tuple(weights)
        check_weights(factors, len(self.corpora))
        symbols = sum(
            weight * words.total_symbols
            for weight, words in zip(factors, self.corpora, strict=True)
        )
        if symbols > 2**62:
            raise InputError(f"weights make {symbols} counted symbols: more than int64 holds")
        words = self.whole.words
        counts = np.array(factors, np.int64) @ self.counts
        if counts.min(initial=1) > 0:
            weighted = replace(words, counts=counts)
        else:  # a corpus of weight 0 has words that are in no other
            pairs = zip((word for word, _ in words), counts.tolist(), strict=True)
            weighted = words.subset(pair for pair in pairs if pair[1])
        return replace(self.whole, words=weighted)

    def integer_weights(self, shares: Sequence[float]) -> tuple[int, ...]:
        """Returns integers in about the proportion of shares over references, each at least 1.

        They are fine enough for prices of many digits, and small enough that nothing overflows.

        Parameters
        ----------
        shares : sequence of float
            The multiplier of each corpus's ratio, at least 0.

        Raises
        ------
        InputError
            If the corpora are too large for any weights.
        """
        sizes = [words.total_symbols for words in self.corpora]
        if sum(sizes) >= _MOST:
            raise InputError("the counts are too large for weights beside them: scale them down")
        room = min(max(_SYMBOLS, _FINE * sum(sizes)), _MOST)
        parts = [share / count for share, count in zip(shares, self.references, strict=True)]
        scale = (room - sum(sizes)) / sum(
            part * size for part, size in zip(parts, sizes, strict=True)
        )
        weights = [max(1, math.floor(part * scale)) for part in parts]
        common = math.gcd(*weights)
        return tuple(weight // common for weight in weights)

    def shares(self, weights: Sequence[int]) -> tuple[float, ...]:
        """Returns the shares that weights stand for; one of 0 counts as 1, the smallest other.

        Examples
        --------
        >>> from partcover import MinimaxInstance, WordCounts
        >>> corpora = [WordCounts.from_counts({"ab": 1}), WordCounts.from_counts({"b": 3})]
        >>> MinimaxInstance(corpora, k=0, references=[1, 3]).shares([3, 1])
        (0.5, 0.5)
        """
        parts = [max(w, 1) * r for w, r in zip(weights, self.references, strict=True)]
        return tuple(part / sum(parts) for part in parts)

    def proven(self, lower_bound: int, weights: Sequence[int]) -> Fraction:
        """Returns what a bound of the weighted tokens proves about the largest ratio.

        With weights w, Σ w·tokens ≥ L and tokens ≤ z·reference give z ≥ L / Σ w·reference, for
        the largest ratio z, which is one of the fractions that `attainable` rounds up to.
        """
        total = sum(w * r for w, r in zip(weights, self.references, strict=True))
        return attainable(Fraction(lower_bound, total), self.references)


def attainable(bound: Fraction, references: Iterable[int]) -> Fraction:
    """Returns the smallest number from a bound on that is a whole number over a reference.

    A largest ratio is such a number: it is the tokens of one corpus over its reference.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from partcover.problem.minimax import attainable
    >>> attainable(Fraction(10, 7), [3, 2])
    Fraction(3, 2)
    """
    return min(Fraction(math.ceil(bound * count), count) for count in references)


def checked_corpora(corpora: Iterable[WordCounts]) -> tuple[WordCounts, ...]:
    """Returns corpora as a tuple, and refuses what is no counted words."""
    given = tuple(corpora)
    for words in given:
        if not isinstance(words, WordCounts):
            raise InputError(f"corpora hold {shown(words)}: counted words are expected")
    return given


def check_weights(weights: Sequence[int], n_corpora: int) -> None:
    """Refuses weights that are not one for each corpus, negative, or all 0."""
    if len(weights) != n_corpora:
        raise InputError(f"{len(weights)} weights for {n_corpora} corpora")
    for weight in weights:
        if isinstance(weight, bool) or not isinstance(weight, int) or weight < 0:
            raise InputError(f"a weight is {shown(weight)}: a whole number of at least 0 expected")
    if not any(weights):
        raise InputError("all weights are 0")


def _checked_references(references: Iterable[int], names: Sequence[str]) -> tuple[int, ...]:
    """Returns the references, one for each corpus and at least 1."""
    given = tuple(references)
    if len(given) != len(names):
        raise InputError(f"{len(given)} references for {len(names)} corpora")
    checked_ = []
    for name, count in zip(names, given, strict=True):
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise InputError(
                f"the reference of {name} is {shown(count)}: a whole number of at least 1 is "
                "expected"
            )
        checked_.append(int(count))
    return tuple(checked_)


def _joined(corpora: Sequence[WordCounts]) -> WordCounts:
    """Adds up the counts of all corpora, each word in the place of its first occurrence."""
    table: dict[Token, int] = {}
    for words in corpora:
        for word, count in words:
            table[word] = table.get(word, 0) + count
    names = {words.pretokenizer for words in corpora}
    how = {**corpora[0].how, "pretokenizer": names.pop() if len(names) == 1 else None}
    return WordCounts.from_counts(table, corpora[0].symbols, **how)
