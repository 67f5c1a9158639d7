"""Counts in integers what prices, multipliers of pairs and cuts prove together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import mul

import numpy as np

from ..kernels._rewards import in_order
from ..problem.certificate import Leaf, Prices
from ..problem.cuts import Cut, PairPrices
from ..runtime.arrays import Bools, Int64
from .cut_ascent import CutAscent
from .inequality import Inequality
from .payers import Multipliers, Payers
from .price_counter import PriceCounter

__all__ = ["Case", "CutPrices", "Rewards"]

_MOST = (1 << 63) - 1  # a multiplier of a certificate
_LARGEST = 2.0**69  # a multiplier here: its cut comes into the certificate several times
_LARGEST_OF_PAIR = 16.0  # tokens, of a multiplier of a pair: their sums then fit in 63 bits


@dataclass(frozen=True)
class Case:
    """The vocabularies that hold some tokens and lack some others.

    Attributes
    ----------
    inside, outside : ndarray of bool, shape (tokens,)
        The tokens, as candidates of the counter; required ones are inside.
    k : int
        The budget, less required tokens that occur nowhere.
    """

    inside: Bools
    outside: Bools
    k: int

    @property
    def free(self) -> int:
        """How many tokens may be chosen besides those inside."""
        return self.k - int(np.count_nonzero(self.inside))

    def with_(self, token: int) -> Case:
        """Returns the part of the case that holds a token."""
        inside = self.inside.copy()
        inside[token] = True
        return Case(inside, self.outside, self.k)

    def without(self, token: int) -> Case:
        """Returns the part of the case that lacks a token."""
        outside = self.outside.copy()
        outside[token] = True
        return Case(self.inside, outside, self.k)


@dataclass(frozen=True)
class Rewards:
    """What prices give the tokens, with what cuts add.

    Attributes
    ----------
    total : int
        What prices and cuts prove before rewards are subtracted, in units of 1 / one tokens.
    units : ndarray of int64, shape (tokens,)
        In units of 1 / unit tokens, rounded down.
    low : ndarray of int64, shape (tokens,)
        What lies below a unit, in units of 1 / one tokens.
    low_bits : int
        Binary digits of these.
    """

    total: int
    units: Int64
    low: Int64
    low_bits: int

    def value(self, case: Case) -> int:
        """Returns the lower bound for a case, in units of 1 / one tokens."""
        units, low = self.units, self.low
        total = self.total - self._sum(np.flatnonzero(case.inside))
        optional = np.flatnonzero(~(case.inside | case.outside))
        free = min(max(case.free, 0), len(optional))
        if free:
            # all that are larger than the free-th largest, by units; the lower bits decide the rest
            chosen = units[optional]
            threshold = np.partition(chosen, len(chosen) - free)[len(chosen) - free]
            above, equal = optional[chosen > threshold], optional[chosen == threshold]
            left = free - len(above)
            total -= self._sum(above)
            total -= left * (int(threshold) << self.low_bits)
            total -= sum(np.sort(low[equal])[::-1][:left].tolist())
        return total

    def _sum(self, tokens: Int64) -> int:
        """Returns the sum of the rewards of some tokens, in units of 1 / one."""
        total: int = sum(self.units[tokens].tolist()) << self.low_bits
        total += sum(self.low[tokens].tolist())
        return total


@dataclass(frozen=True)
class CutPrices:
    """Prices of symbols, multipliers of pairs and of cuts, in units of 1 / one tokens.

    Attributes
    ----------
    prices : ndarray of int32 or int64, shape (symbols,)
        Prices, in the order of ``words.data``.
    pairs : ndarray of int64, shape (pairs,)
        Pairs of candidates, as `pair_key` names them, ascending.
    pair, position, multiplier : ndarray of int64, shape (multipliers,)
        The number of a multiplier's pair, its position in ``words.data``, and itself: above 0.
    cuts : tuple of (Inequality, int)
        The cuts and their multipliers, above 0.
    """

    prices: Prices
    pairs: Int64
    pair: Int64
    position: Int64
    multiplier: Int64
    cuts: tuple[tuple[Inequality, int], ...]

    @classmethod
    def plain(cls, prices: Prices) -> CutPrices:
        """Prices alone."""
        none = np.zeros(0, np.int64)
        return cls(prices, none, none, none, none, ())

    @classmethod
    def of(cls, ascent: CutAscent) -> CutPrices:
        """The prices and multipliers of the last step, rounded."""
        counter, parts, rows = ascent.counter, ascent.parts, ascent.rows
        prices = np.ones(len(parts.place))
        covered = parts.place >= 0
        prices[covered] = ascent.saddle.made[parts.place[covered]]
        made = np.minimum(ascent.saddle.pair_made, _LARGEST_OF_PAIR)
        multiplier = np.rint(made * counter.one).astype(np.int64)
        charged = np.flatnonzero(multiplier > 0)
        pair, multiplier = rows.pair[charged], multiplier[charged]
        position, row = parts.everywhere(rows.place[charged])
        mu = [int(m) for m in np.minimum(np.rint(ascent.mu_made * counter.one), _LARGEST).tolist()]
        # a cut gives nothing where one of its pairs has no multipliers
        priced = set(rows.pairs[np.unique(pair)].tolist())
        return cls(
            counter.rounded(prices),
            rows.pairs,
            pair[row],
            position,
            multiplier[row],
            tuple(
                (cut, m)
                for cut, m in zip(ascent.cuts, mu, strict=True)
                if m > 0 and priced.issuperset(cut.pairs)
            ),
        )

    def finer(self, bits: int) -> CutPrices:
        """The same prices in units that are smaller by so many binary digits."""
        return replace(
            self,
            prices=self.prices.astype(np.int64) << bits,
            multiplier=self.multiplier << bits,
            cuts=tuple((cut, m << bits) for cut, m in self.cuts),
        )

    def count(self, counter: PriceCounter, case: Case) -> tuple[int, Rewards]:
        """Returns the lower bound that this proves for a case, times `one`, and the rewards."""
        rewards = self.rewards(counter)
        return rewards.value(case), rewards

    def rewards(self, counter: PriceCounter) -> Rewards:
        """Returns the rewards, from which `Rewards.value` has the bound of any case.

        docs/certificates.md ("Cuts") says why it holds: rewards are of occurrences that pay the
        multipliers of their token's pairs, and gain what cuts give; what a pair's multipliers sum
        to beyond its cuts is lost.
        """
        units, low = counter.all_rewards(self.prices)
        before = np.zeros(len(self.prices) + 1, np.int64)
        np.cumsum(self.prices, dtype=np.int64, out=before[1:])
        if len(self.pairs):
            self._payers(counter).count(counter, before, units, low)
        shift = counter.low_bits
        words = counter.instance.words
        sums = np.diff(before[words.offsets]).tolist()
        total = sum(map(mul, words.counts.tolist(), sums))
        beyond, gains = self._sum_multipliers(counter)
        total -= sum(max(0, value) for value in beyond.values())
        total -= sum(m * cut.rhs for cut, m in self.cuts)
        for token, gain in gains.items():
            value = (int(units[token]) << shift) + int(low[token]) + gain
            units[token], low[token] = value >> shift, value & ((1 << shift) - 1)
        return Rewards(total, units, low, shift)

    def _payers(self, counter: PriceCounter) -> Payers:
        """Returns the tokens in pairs, each with the multipliers of all its pairs."""
        keys = self.pairs[self.pair]
        tokens = np.concatenate([keys >> 32, keys & 0xFFFFFFFF])
        position = np.concatenate([self.position, self.position])
        multiplier = np.concatenate([self.multiplier, self.multiplier])
        paid = Multipliers.of(tokens, position, multiplier)
        return Payers(paid.keys, np.arange(len(paid.keys) + 1), np.arange(len(paid.keys)), paid)

    def _sum_multipliers(self, counter: PriceCounter) -> tuple[dict[int, int], dict[int, int]]:
        """Returns what pairs weigh beyond their cuts, and what cuts give to tokens."""
        symbols = counter.instance.words.total_symbols
        # a position is of one multiplier of a pair at most: sums of so few digits are exact
        digits = max(1, 53 - symbols.bit_length())
        sums = [0] * len(self.pairs)
        counts = np.zeros(0)
        if len(self.pairs):
            counts = counter.count_at[self.position].astype(float)
        for shift in range(0, int(self.multiplier.max(initial=0)).bit_length(), digits):
            part = self.multiplier >> shift & ((1 << digits) - 1)
            added = np.bincount(self.pair, part * counts, len(self.pairs)).astype(np.int64)
            sums = [s + (a << shift) for s, a in zip(sums, added.tolist(), strict=True)]
        beyond = dict(zip(self.pairs.tolist(), sums, strict=True))
        gains: dict[int, int] = {}
        for cut, m in self.cuts:
            for pair in cut.pairs:
                beyond[pair] -= m
            for token in cut.tokens:
                gains[token] = gains.get(token, 0) + m * cut.coef
        return beyond, gains

    def leaf(self, counter: PriceCounter) -> Leaf:
        """Returns the leaf of a certificate with these prices."""
        index = counter.instance.index
        prices = in_order(self.prices, counter.instance.words.offsets, index.words_ascending())
        at = np.zeros(0, np.int64)
        if len(self.position):
            ascending = index.positions_ascending()
            rank = np.empty(len(ascending), np.int64)
            rank[ascending] = np.arange(len(ascending))
            at = rank[self.position]
        order = np.lexsort((at, self.pair))
        bounds = np.searchsorted(self.pair[order], np.arange(len(self.pairs) + 1)).tolist()
        numbers = np.unique([self.pairs >> 32, self.pairs & 0xFFFFFFFF])
        texts = index.tokens_at(counter.intervals.take(numbers))
        token = dict(zip(numbers.tolist(), texts, strict=True))
        pairs = []
        for n, key in enumerate(self.pairs.tolist()):
            own = order[bounds[n] : bounds[n + 1]]
            if len(own):
                first, second = sorted((token[key >> 32], token[key & 0xFFFFFFFF]))
                pairs.append(PairPrices(first, second, at[own], self.multiplier[own]))
        cuts = tuple(
            Cut(tuple(token[t] for t in cut.tokens), cut.kind, cut.coef, cut.rhs, min(_MOST, left))
            for cut, m in self.cuts
            for left in range(m, 0, -_MOST)
        )
        return Leaf(
            prices.astype(np.int32, copy=False) if counter.bits <= 30 else prices,
            pairs=tuple(sorted(pairs, key=lambda pair: (pair.first, pair.second))),
            cuts=cuts,
        )
