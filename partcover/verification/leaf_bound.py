"""Computes the lower bounds of a certificate's leaves in plain Python integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from heapq import nlargest
from itertools import accumulate, chain, pairwise

from ..corpus.symbols import Token
from ..problem.corpora import Corpora
from ..problem.instance import Instance
from .leaf_terms import LeafTerms
from .sorted_words import SortedWords, occurring_candidates


class LeafCase:
    """A leaf and the tokens of the branches above it, while its rewards are summed."""

    def __init__(
        self,
        prices: list[int],
        required: frozenset[Token],
        excluded: frozenset[Token],
        terms: LeafTerms,
        words: SortedWords,
        weights: tuple[int, ...] = (),
    ) -> None:
        self.words = words  # counted with the weights
        self.weights = weights
        self.prices = prices = terms.priced(prices)
        # the sum of the prices before each symbol
        self.before = list(accumulate(prices, initial=0))
        self.required = required
        self.decided = required | excluded
        self.terms = terms
        self.required_reward = sum(map(terms.gives, required))
        self.rewards: list[int] = []
        self.n_entries = len(prices) + len(self.decided) + terms.n_entries

    def prices_before(
        self, token: Token, starts: Sequence[int]
    ) -> Sequence[int] | Mapping[int, int]:
        """Returns the price sums before a token's start and end, minus what it pays there."""
        if not self.terms.accounts_of(token):
            return self.before
        places = [*{place for start in starts for place in (start, start + len(token))}]
        paid = self.terms.paid_before(token, places)
        return {n: self.before[n] - due for n, due in zip(places, paid, strict=True)}

    def worth(self, token: Token, starts: Sequence[int], scale: int, *, apart: bool) -> int:
        """Returns the largest total gain of occurrences that do not overlap; `starts` ascend.

        `apart` says that no two of them overlap.
        """
        before: Sequence[int] | Mapping[int, int] = self.before
        if self.terms.has_payments:
            before = self.prices_before(token, starts)
        count_at, length = self.words.count_at, len(token)
        gains = [count_at[n] * (before[n + length] - before[n] - scale) for n in starts]
        if apart:
            return sum([gain for gain in gains if gain > 0])
        best = [0]  # best[i]: the largest gain of the first i occurrences
        n_ended = 0  # number of occurrences that end at or before the start of the present one
        for start, gain in zip(starts, gains, strict=True):
            while starts[n_ended] + length <= start:
                n_ended += 1
            best.append(max(best[-1], best[n_ended] + gain))
        return best[-1]

    def reward(self, token: Token, starts: Sequence[int], scale: int) -> int:
        """Returns what a token's occurrences are worth, and what the terms of the leaf add."""
        worth = self.worth(token, starts, scale, apart=_are_apart(starts, len(token)))
        return worth + self.terms.gives(token)


def _are_apart(starts: Sequence[int], length: int) -> bool:
    """Returns whether no two occurrences of a token overlap; the starts ascend."""
    return all(other - one >= length for one, other in pairwise(starts))


def lower_bounds(
    instance: Instance, words: SortedWords, cases: Sequence[LeafCase], scale_bits: int
) -> list[int | Fraction]:
    """Returns the lower bound of each case, at least one token for each counted word."""
    scale, bounds = 1 << scale_bits, []
    for case, value in zip(cases, case_values(instance, words, cases, scale), strict=True):
        tokens = max(-(-value // scale), sum(case.words.counts))
        bounds.append(
            ratio_bound(instance.corpora, case.weights, tokens) if instance.corpora else tokens
        )
    return bounds


def least_bound(instance: Instance) -> int | Fraction:
    """Returns the bound that holds for every leaf: each word needs a token."""
    if instance.corpora is None:
        return instance.words.total_count
    return max(instance.corpora.ratios([words.total_count for words in instance.corpora.words]))


def ratio_bound(corpora: Corpora, weights: Sequence[int], tokens: int) -> Fraction:
    """Returns the bound on the largest ratio that follows from a bound on weighted tokens."""
    total = sum(w * r for w, r in zip(weights, corpora.references, strict=True))
    # the largest ratio is an integer divided by one of the references
    return min(Fraction(-(-tokens * r // total), r) for r in corpora.references)


def case_values(
    instance: Instance, words: SortedWords, cases: Sequence[LeafCase], scale: int
) -> list[int]:
    """Returns the bound of each case, in units of 1 / scale of a token, not rounded.

    One pass over the occurrences of candidates serves all cases.
    """
    required = frozenset().union(*(case.required for case in cases))
    for token, starts in words.starts_of(required).items():
        apart = _are_apart(starts, len(token))
        for case in cases:
            if token in case.required:
                case.required_reward += case.worth(token, starts, scale, apart=apart)
    for token, starts in occurring_candidates(instance, words):
        apart = _are_apart(starts, len(token))
        for case in cases:
            if token not in case.decided:
                reward = case.worth(token, starts, scale, apart=apart) + case.terms.gives(token)
                if reward > 0:
                    case.rewards.append(reward)
    values = []
    for case in cases:
        value = sum(n * price for n, price in zip(case.words.count_at, case.prices, strict=True))
        value -= case.terms.loss + case.required_reward
        value -= sum(nlargest(instance.k - len(case.required), case.rewards))
        values.append(value)
    return values


def case_rewards(
    instance: Instance, words: SortedWords, case: LeafCase, scale: int
) -> dict[Token, int]:
    """Returns the nonzero rewards of the required tokens and of the candidates."""
    pairs = chain(words.starts_of(case.required).items(), occurring_candidates(instance, words))
    rewards = ((token, case.reward(token, starts, scale)) for token, starts in pairs)
    return {token: reward for token, reward in rewards if reward}
