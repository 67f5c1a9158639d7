"""Computes in integers the bound that prices and all multipliers prove together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from operator import mul
from typing import Any

import numpy as np

from ...kernels.bounds._rewards import in_order
from ...problem.certificates.cuts import PairPrices
from ...problem.certificates.nodes import Leaf, Prices
from ...runtime.arrays import Bools, Int64
from ..counting.payers import count_payers
from ..counting.price_counter import PriceCounter, sum_of_largest
from ..rows.cuts import Cuts, Inequality
from ..rows.family import Multipliers, OverFlows, Term
from ..steps.part_ascent import PartAscent
from ..steps.word_ascent import WordAscent

_LARGEST = 2.0**69  # largest multiplier of a row; a cut with a large one is listed several times
# largest sum of those that are paid for a symbol, in tokens: sums of them then fit in 63 bits
_MOST_PAID = 15.0


@dataclass(frozen=True)
class Case:
    """A case: the vocabularies that contain some tokens and do not contain some others."""

    # the tokens that are contained and those that are not, as candidates of the counter; required
    # tokens are inside; shape (tokens,)
    inside: Bools
    outside: Bools
    k: int  # the budget, minus the required tokens that occur nowhere

    @classmethod
    def whole(cls, counter: PriceCounter) -> Case:
        """Returns the case of all vocabularies of the counter's instance."""
        absent = len(counter.instance.fixed) - counter.n_required  # required, but occur nowhere
        return cls(counter.fixed, np.zeros_like(counter.fixed), counter.instance.k - absent)

    @property
    def free(self) -> int:
        """Number of tokens that may be chosen in addition to those inside."""
        return self.k - int(np.count_nonzero(self.inside))

    def with_(self, token: int) -> Case:
        """Returns the part of the case whose vocabularies contain a token."""
        inside = self.inside.copy()
        inside[token] = True
        return Case(inside, self.outside, self.k)

    def without(self, token: int) -> Case:
        """Returns the part of the case whose vocabularies do not contain a token."""
        outside = self.outside.copy()
        outside[token] = True
        return Case(self.inside, outside, self.k)


@dataclass(frozen=True)
class Rewards:
    """The rewards of tokens at some prices and multipliers."""

    total: int  # the bound before rewards are subtracted, in units of 1 / one tokens
    # rewards in units of 1 / unit tokens, rounded down; negative where the token pays more than it
    # gains; shape (tokens,)
    units: Int64
    low: Int64  # the remainders below a unit, in units of 1 / one tokens; shape (tokens,)
    low_bits: int  # number of binary digits of the remainders

    @cached_property
    def optional(self) -> Int64:
        """The rewards of tokens that may be left out, at least 0."""
        least: Int64 = np.maximum(self.units, 0)
        return least

    def value(self, case: Case) -> int:
        """Returns the lower bound for a case, in units of 1 / one tokens."""
        inside = np.flatnonzero(case.inside)
        total: int = self.total - (sum(self.units[inside].tolist()) << self.low_bits)
        total -= sum(self.low[inside].tolist())
        optional = ~(case.inside | case.outside) & (self.units >= 0)
        units, low = self.units[optional], self.low[optional]
        return total - sum_of_largest(units, low, self.low_bits, case.free)


@dataclass(frozen=True)
class DualPoint:
    """Prices of symbols and the multipliers of all families, in units of 1 / one tokens."""

    prices: Prices  # prices, in the order of ``words.data``; shape (symbols,)
    terms: tuple[Term, ...] = ()  # the multipliers of the families

    @classmethod
    def of(cls, steps: WordAscent | PartAscent) -> DualPoint:
        """Returns the rounded prices and multipliers of the last step."""
        counter, rows = steps.counter, steps.rows
        one = counter.one
        terms: list[Term] = [steps.budgets.term(counter)] if counter.groups else []
        mu = [int(m) for m in np.minimum(np.rint(steps.mu_made * one), _LARGEST).tolist()]
        place = rows.arcs.place
        paid_at = np.bincount(place, steps.saddle.pair_made)[place]
        made = steps.saddle.pair_made * (_MOST_PAID / np.maximum(paid_at, _MOST_PAID))
        multiplier = np.rint(made * one).astype(np.int64)
        for number, family in enumerate(steps.families):
            own = rows.of_part(number)
            keys = dict(zip(rows.keys[own], mu[own], strict=True))
            paid = np.flatnonzero((rows.arcs.part == number) & (multiplier > 0))
            names, which = np.unique(rows.arcs.name[paid], return_inverse=True)
            position, row = steps.positions(place[paid])
            over_flows = OverFlows(names, which[row], position, multiplier[paid][row])
            terms.append(family.term(counter, keys, over_flows))
        return cls(counter.rounded(steps.proposed()), tuple(terms))

    @classmethod
    def of_words(cls, counter: PriceCounter) -> DualPoint:
        """Returns prices that prove one token for each counted word, in any case."""
        words = counter.instance.words
        prices = np.zeros(len(words.data), np.int64)
        prices[words.offsets[:-1]] = counter.one
        return cls(prices)

    @property
    def cuts(self) -> Multipliers:
        """The positive multipliers of cuts."""
        own = (term.multipliers for term in self.terms if isinstance(term.family, Cuts))
        return next(own, {})

    @property
    def kinds(self) -> dict[str, int]:
        """The number of cuts with a positive multiplier, by kind."""

        def kind(cut: Inequality) -> str:
            if cut.links:
                return "cycles with links"
            return "cliques" if cut.r else "triangles" if len(cut.tokens) == 3 else "cycles"

        return dict(Counter(map(kind, self.cuts)))

    def finer(self, bits: int) -> DualPoint:
        """Returns the same point in units that are finer by this many binary digits."""
        terms = tuple(term.finer(bits) for term in self.terms)
        return DualPoint(self.prices.astype(np.int64) << bits, terms)

    def count(self, counter: PriceCounter, case: Case) -> tuple[int, Rewards]:
        """Returns the lower bound for a case, times `one`, and the rewards."""
        rewards = self.rewards(counter)
        return rewards.value(case), rewards

    def rewards(self, counter: PriceCounter) -> Rewards:
        """Returns the rewards, from which `Rewards.value` computes the bound of any case.

        `check_certificate` states why this is valid.  An occurrence of a token pays the multipliers
        of the token's rows over flows, and the families add to rewards or subtract from them.
        """
        prices = self.prices
        for term in self.terms:
            if (added := term.family.added(counter, term.over)) is not None:
                prices = prices + added
        units, low = counter.all_rewards(prices)
        before = np.zeros(len(prices) + 1, np.int64)
        np.cumsum(prices, dtype=np.int64, out=before[1:])
        paying = [term for term in self.terms if len(term.over.position)]
        payments = [term.family.payments(counter, term.over) for term in paying]
        if paid := [own for own in payments if own is not None and len(own.owner)]:
            count_payers(paid, counter, before, units, low)
        words = counter.instance.words
        total = sum(map(mul, words.counts.tolist(), np.diff(before[words.offsets]).tolist()))
        shift = counter.low_bits
        below = (1 << shift) - 1
        for term in self.terms:
            given = term.family.gives(counter, term)
            total -= given.loss
            for token, gain in given.tokens.items():
                value = (int(units[token]) << shift) + int(low[token]) + gain
                units[token], low[token] = value >> shift, value & below
            for members, gain in given.groups:
                low[members] += gain & below
                units[members] += (gain >> shift) + (low[members] >> shift)
                low[members] &= below
        return Rewards(total, units, low, shift)

    def leaf(self, counter: PriceCounter) -> Leaf:
        """Returns the point as a leaf of a certificate."""
        index = counter.instance.index
        prices = in_order(self.prices, counter.instance.words.offsets, index.words_ascending())
        parts: dict[str, Any] = {}
        pairs: list[PairPrices] = []
        for term in self.terms:
            own = term.family.in_leaf(counter, term)
            pairs += own.pop("pairs", ())
            parts |= own
        return Leaf(
            prices.astype(np.int32, copy=False) if counter.bits <= 30 else prices,
            pairs=tuple(sorted(pairs, key=lambda pair: pair.tokens)),
            weights=counter.weights,
            **parts,
        )
