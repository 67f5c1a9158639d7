"""Exchanges tokens of a vocabulary to lower the largest ratio of several corpora."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from ..analysis.by_corpus import tokens_by_corpus
from ..corpus.symbols import Token
from ..problem.instance import Instance
from ..runtime.arrays import Int64
from ..runtime.limits import Deadline

# about as many symbols are segmented in total, for at least `_FEWEST` vocabularies
_SYMBOLS = 2 * 10**7
_FEWEST, _MOST = 64, 4000
_THREADED = 1 << 16  # with at least this many symbols, counting in several threads is faster
_SAMPLE = 24  # candidates and tokens that are tried after random replacements
_FEW = 512  # up to this many candidates are all tried
_TRIED = 8  # most promising exchanges that are tried before the changes are counted again


class ExchangeSearch:
    """Exchanges one token for another while the largest ratio falls, then restarts at random.

    For each corpus it counts what adding a token saves and what dropping a token costs.  The
    exchanges whose two changes lead to the smallest largest ratio are tried first, and are made if
    a recount confirms them.  Of two vocabularies with the same largest ratio, the one with the
    smaller sum of ratios is better.

    If no exchange helps, up to three random tokens are replaced, and exchanges begin again; the
    result is kept if it is no worse.  This is repeated while it helps, as long as the corpora are
    small enough for so many counts.

    Parameters
    ----------
    instance : Instance
        The corpora and conditions.
    deadline : Deadline
        The time limit.
    threads : int
        Number of threads; the result is the same for any number if no limit ends it early.
    seed : int
        Random seed.
    """

    def __init__(
        self, instance: Instance, deadline: Deadline, threads: int = 1, seed: int = 0
    ) -> None:
        assert instance.corpora is not None
        self.instance, self.corpora = instance, instance.corpora
        self.deadline = deadline
        self._draw = np.random.default_rng(seed)
        symbols = max(1, len(instance.words.data))
        self.threads = threads if symbols >= _THREADED else 1
        self._left = max(_FEWEST, min(_MOST, _SYMBOLS // symbols))
        self._over = np.array([1 / count for count in self.corpora.references])

    def run(
        self, chosen: Sequence[Token], seen: Iterable[Sequence[Token]], *, kicks: int = 0
    ) -> list[Token]:
        """Returns a vocabulary that is no worse than the chosen one.

        Parameters
        ----------
        chosen : sequence of token
            A vocabulary within the budgets.
        seen : iterable of sequence of token
            Other vocabularies, the best ones first: their tokens are exchanged for those of the
            chosen one.  If there are few candidates, all candidates are tried too.
        kicks : int
            Number of random restarts in a row without gain after which it ends.
        """
        others = dict.fromkeys(token for vocabulary in seen for token in vocabulary)
        index = self.instance.joined.promising_index()
        if index.min_promise == 0 and len(index) <= _FEW:
            others.update(dict.fromkeys(index.tokens()))
        pool = list(others)
        best, tokens = self._climb(list(chosen), pool)
        left = kicks
        while left and self._left >= 4 and not self.deadline.is_over:
            left -= 1
            start = self._kicked(best, pool)
            if start is None:
                break
            other, needed = self._climb(start, pool, _SAMPLE)
            if self._key(needed) <= self._key(tokens):
                left = kicks if self._key(needed) < self._key(tokens) else left
                best, tokens = other, needed
        return best

    def _kicked(self, tokens: list[Token], others: Sequence[Token]) -> list[Token] | None:
        """Returns a vocabulary with some random tokens replaced; None if no tokens can be."""
        fixed, held = set(self.instance.fixed), set(tokens)
        free = [place for place, token in enumerate(tokens) if token not in fixed]
        absent = [token for token in others if token not in held]
        most = min(3, len(free), len(absent))
        if most < 1:
            return None
        number = int(self._draw.integers(1, most + 1))
        gone = set(self._draw.choice(free, number, replace=False).tolist())
        kicked = [token for place, token in enumerate(tokens) if place not in gone]
        for place in self._draw.permutation(len(absent)).tolist():
            if len(kicked) < len(tokens) and self._is_legal([*kicked, absent[place]]):
                kicked.append(absent[place])
        return kicked

    def _climb(
        self, best: list[Token], others: Sequence[Token], sample: int | None = None
    ) -> tuple[list[Token], Int64]:
        """Exchanges tokens while that helps; returns the vocabulary and the tokens of each corpus.

        With a sample, only this many random tokens are tried each time.
        """
        tokens = self._count(best)
        fixed = set(self.instance.fixed)
        while (size := self._left // 4) and not self.deadline.is_over:
            held = set(best)
            added = self._some([token for token in others if token not in held], sample)[:size]
            dropped = [token for token in reversed(best) if token not in fixed]
            dropped = self._some(dropped, sample)[:size]
            if not added:
                break
            change_in = np.array([self._count([*best, token]) for token in added]) - tokens
            change_out = np.array([self._count(without(best, token)) for token in dropped])
            change_out = change_out.reshape(len(dropped), len(tokens)) - tokens
            better = self._first_better(best, tokens, (added, change_in), (dropped, change_out))
            if better is None:
                break
            best, tokens = better
        return best, tokens

    def _some(self, tokens: list[Token], sample: int | None) -> list[Token]:
        """Returns a random sample of tokens; all of them if `sample` is None."""
        if sample is None or len(tokens) <= sample:
            return tokens
        return [tokens[place] for place in self._draw.permutation(len(tokens))[:sample].tolist()]

    def _first_better(
        self,
        best: list[Token],
        tokens: Int64,
        inward: tuple[list[Token], Int64],
        outward: tuple[list[Token], Int64],
    ) -> tuple[list[Token], Int64] | None:
        """Returns the first of the best-ranked exchanges that helps, with its tokens."""
        (added, change_in), (dropped, change_out) = inward, outward
        options: list[tuple[Token, Token | None]] = []
        sums = np.zeros((0, len(tokens)), np.int64)
        if len(best) < self.instance.k:
            options += [(token, None) for token in added]
            sums = tokens + change_in
        if dropped:
            options += product(added, dropped)
            both = (tokens + change_in)[:, None, :] + change_out[None, :, :]
            sums = np.concatenate([sums, both.reshape(-1, len(tokens))])
        if not options:
            return None
        promised = sums * self._over
        order = np.lexsort((promised.sum(axis=1), promised.max(axis=1)))
        for place in order[:_TRIED].tolist():
            token, out = options[place]
            changed = [*(best if out is None else without(best, out)), token]
            if not self._is_legal(changed):
                continue
            needed = self._count(changed)
            if self._key(needed) < self._key(tokens):
                return changed, needed
        return None

    def _is_legal(self, tokens: Sequence[Token]) -> bool:
        """Returns whether a vocabulary is within the budgets of groups."""
        groups = self.instance.groups
        return all(sum(token in group for token in tokens) <= group.limit for group in groups)

    def _count(self, tokens: Iterable[Token]) -> Int64:
        """Returns the tokens that each corpus needs."""
        self._left -= 1
        vocabulary = self.instance.vocabulary(tokens, "exchange")
        return np.array(tokens_by_corpus(self.instance, vocabulary, threads=self.threads))

    def _key(self, tokens: Int64) -> tuple[Fraction, Fraction]:
        """Returns the objectives: the largest ratio, then the sum of ratios."""
        ratios = self.corpora.ratios(tokens.tolist())
        return max(ratios), sum(ratios, Fraction(0))


def without(tokens: Sequence[Token], token: Token) -> list[Token]:
    """Returns the tokens without one of them."""
    return [other for other in tokens if other != token]
