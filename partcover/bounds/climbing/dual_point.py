"""Counts in integers what prices and the multipliers of all families prove together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import mul

import numpy as np

from ...kernels._rewards import in_order
from ...problem.certificates.certificate import Leaf, Prices
from ...problem.certificates.charges import Charge
from ...problem.certificates.cuts import Cut, PairPrices
from ...runtime.arrays import Bools, Int64
from ..counting.payers import Multipliers, Payers
from ..counting.price_counter import PriceCounter
from ..rows.cuts import Inequality
from ..rows.merges import Charges, Merges
from ..rows.needs import Needs
from ..steps.part_ascent import PartAscent
from ..steps.word_ascent import WordAscent

__all__ = ["Case", "DualPoint", "Rewards"]

_MOST = (1 << 63) - 1  # a multiplier of a certificate
_LARGEST = 2.0**69  # a multiplier here: its cut comes into the certificate several times
_LARGEST_OVER_FLOWS = 16.0  # tokens, that one pays for a symbol: their sums then fit in 63 bits


def _none() -> Int64:
    return np.zeros(0, np.int64)


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
    """What prices give the tokens, with what families add.

    Attributes
    ----------
    total : int
        What is proven before rewards are subtracted, in units of 1 / one tokens.
    units : ndarray of int64, shape (tokens,)
        In units of 1 / unit tokens, rounded down; below 0 where a token pays more than it gains.
    low : ndarray of int64, shape (tokens,)
        What lies below a unit, in units of 1 / one tokens.
    low_bits : int
        Binary digits of these.
    """

    total: int
    units: Int64
    low: Int64
    low_bits: int

    @cached_property
    def optional(self) -> Int64:
        """The rewards of tokens that may be left out: not below 0."""
        least: Int64 = np.maximum(self.units, 0)
        return least

    def value(self, case: Case) -> int:
        """Returns the lower bound for a case, in units of 1 / one tokens."""
        units = self.optional
        total = self.total - self._sum(np.flatnonzero(case.inside))
        optional = np.flatnonzero(~(case.inside | case.outside) & (self.units >= 0))
        free = min(max(case.free, 0), len(optional))
        if free:
            # all that are larger than the free-th largest, by units; the lower bits decide the rest
            chosen = units[optional]
            threshold = np.partition(chosen, len(chosen) - free)[len(chosen) - free]
            above, equal = optional[chosen > threshold], optional[chosen == threshold]
            left = free - len(above)
            total -= self._sum(above)
            total -= left * (int(threshold) << self.low_bits)
            total -= sum(np.sort(self.low[equal])[::-1][:left].tolist())
        return total

    def _sum(self, tokens: Int64) -> int:
        """Returns the sum of the rewards of some tokens, in units of 1 / one."""
        total: int = sum(self.units[tokens].tolist()) << self.low_bits
        total += sum(self.low[tokens].tolist())
        return total


@dataclass(frozen=True)
class DualPoint:
    """Prices of symbols and the multipliers of all families, in units of 1 / one tokens.

    Attributes
    ----------
    prices : ndarray of int32 or int64, shape (symbols,)
        Prices, in the order of ``words.data``.
    pairs : ndarray of int64, shape (pairs,)
        What rows over flows are about, ascending: pairs of candidates, as `pair_key` names them,
        and candidates with themselves, for those that need them.
    pair, position, multiplier : ndarray of int64, shape (multipliers,)
        The number of a multiplier's pair, its position in ``words.data``, and itself: above 0.
    cuts : tuple of (Inequality, int)
        The cuts and their multipliers, above 0.
    fees : tuple of int
        The fee of each group; or none.
    charges : list of (int, int, dict of int to int)
        What tokens pay to their parts.
    merges : Merges or None
        What makes candidates.
    needs : Needs or None
        Which candidates need which.
    """

    prices: Prices
    pairs: Int64 = field(default_factory=_none)
    pair: Int64 = field(default_factory=_none)
    position: Int64 = field(default_factory=_none)
    multiplier: Int64 = field(default_factory=_none)
    cuts: tuple[tuple[Inequality, int], ...] = ()
    fees: tuple[int, ...] = ()
    charges: Charges = field(default_factory=list)
    merges: Merges | None = None
    needs: Needs | None = None

    @classmethod
    def of(cls, steps: WordAscent | PartAscent) -> DualPoint:
        """The prices and multipliers of the last step, rounded."""
        counter, rows, one = steps.counter, steps.rows, steps.counter.one
        merges = next((own for own in steps.families if isinstance(own, Merges)), None)
        needs = next((own for own in steps.families if isinstance(own, Needs)), None)
        most = np.full(len(rows.arcs), _LARGEST_OVER_FLOWS)
        if needs is not None:  # a token pays all that it needs
            most[rows.arcs.name >> 32 == rows.arcs.name & 0xFFFFFFFF] /= needs.most
        made = np.minimum(steps.paid_made, most)
        multiplier = np.rint(made * one).astype(np.int64)
        charged = np.flatnonzero(multiplier > 0)
        pairs, pair = np.unique(rows.arcs.name[charged], return_inverse=True)
        position, row = steps.positions(rows.arcs.place[charged])
        mu = [int(m) for m in np.minimum(np.rint(steps.mu_made * one), _LARGEST).tolist()]
        multipliers: dict[Hashable, int] = dict(zip(rows.keys, mu, strict=True))
        # a cut gives nothing where one of its pairs has no multipliers
        priced = set(pairs.tolist())
        cuts = tuple(
            (key, m)
            for key, m in multipliers.items()
            if isinstance(key, Inequality) and m > 0 and priced.issuperset(key.pairs)
        )
        most_fee = int(counter.largest_reward.max(initial=0)) * one
        charges = [] if merges is None else merges.charges(multipliers)
        return cls(
            counter.rounded(steps.proposed()),
            pairs,
            pair[row],
            position,
            multiplier[charged][row],
            cuts,
            tuple(min(fee, most_fee) for fee in steps.budgets.in_integers(one)),
            charges,
            merges,
            needs,
        )

    def finer(self, bits: int) -> DualPoint:
        """The same prices in units that are smaller by so many binary digits."""
        return replace(
            self,
            prices=self.prices.astype(np.int64) << bits,
            multiplier=self.multiplier << bits,
            cuts=tuple((cut, m << bits) for cut, m in self.cuts),
            fees=tuple(fee << bits for fee in self.fees),
            charges=[
                (token, pays << bits, {part: gets << bits for part, gets in parts.items()})
                for token, pays, parts in self.charges
            ],
        )

    def count(self, counter: PriceCounter, case: Case) -> tuple[int, Rewards]:
        """Returns the lower bound that this proves for a case, times `one`, and the rewards."""
        rewards = self.rewards(counter)
        return rewards.value(case), rewards

    def rewards(self, counter: PriceCounter) -> Rewards:
        """Returns the rewards, from which `Rewards.value` has the bound of any case.

        `check_certificate` says why it holds: rewards are of occurrences that pay the multipliers
        of their token's rows over flows, and are more or less by what the families give or take.
        """
        units, low = counter.all_rewards(self.prices)
        before = np.zeros(len(self.prices) + 1, np.int64)
        np.cumsum(self.prices, dtype=np.int64, out=before[1:])
        if len(self.pairs):
            self._payers(counter).count(counter, before, units, low)
        words = counter.instance.words
        sums = np.diff(before[words.offsets]).tolist()
        total = sum(map(mul, words.counts.tolist(), sums))
        gains, loss = self._given(counter)
        shift = counter.low_bits
        for token, gain in gains.items():
            value = (int(units[token]) << shift) + int(low[token]) + gain
            units[token], low[token] = value >> shift, value & ((1 << shift) - 1)
        for (members, limit), fee in zip(counter.groups, self.fees, strict=False):
            loss += limit * fee
            units[members] -= fee >> shift
            low[members] -= fee & ((1 << shift) - 1)
        if self.fees:
            units += low >> shift
            low &= (1 << shift) - 1
        return Rewards(total - loss, units, low, shift)

    def _given(self, counter: PriceCounter) -> tuple[dict[int, int], int]:
        """Returns what tokens get beside prices, and what the bound is less."""
        gains: dict[int, int] = defaultdict(int)
        beyond: dict[int, int] = {}  # what pairs weigh beyond their cuts
        for pair, total in zip(self.pairs.tolist(), self._sums(counter), strict=True):
            if pair >> 32 == pair & 0xFFFFFFFF:
                gains[pair >> 32] += total
            else:
                beyond[pair] = total
        loss = 0
        for cut, m in self.cuts:
            for pair in cut.pairs:
                beyond[pair] -= m
            for token in cut.tokens:
                gains[token] += m * cut.coef
            loss += m * cut.rhs
        for token, pays, parts in self.charges:
            gains[token] -= pays
            for part, gets in parts.items():
                gains[part] += gets
        return gains, loss + sum(max(0, value) for value in beyond.values())

    def _sums(self, counter: PriceCounter) -> list[int]:
        """Returns the sum of the multipliers of each of `pairs`, over all words."""
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
        return sums

    def _payers(self, counter: PriceCounter) -> Payers:
        """Returns the tokens that pay for lying over some symbols, each with its multipliers.

        A list has those of all pairs of a token; others, of what is needed, several tokens pay.
        """
        first, second = self.pairs >> 32, self.pairs & 0xFFFFFFFF
        is_needed = first == second
        of_pair = ~is_needed[self.pair]
        own = self.pair[of_pair]
        owner = np.concatenate([first[own], second[own], first[self.pair[~of_pair]]])
        kind = np.repeat([0, 1], [2 * len(own), len(owner) - 2 * len(own)])
        position = np.concatenate([self.position[of_pair]] * 2 + [self.position[~of_pair]])
        multiplier = np.concatenate([self.multiplier[of_pair]] * 2 + [self.multiplier[~of_pair]])
        lists = Multipliers.of(owner << 1 | kind, position, multiplier)
        by_pairs = np.flatnonzero(lists.keys & 1 == 0)
        payer, paid = lists.keys[by_pairs] >> 1, by_pairs
        if self.needs is not None and is_needed.any():
            place = np.full(len(counter.lo), -1, np.int64)
            by_needs = np.flatnonzero(lists.keys & 1)
            place[lists.keys[by_needs] >> 1] = by_needs
            needed = place[self.needs.listed]
            who = np.repeat(np.arange(len(counter.lo)), np.diff(self.needs.first))[needed >= 0]
            payer, paid = np.concatenate([payer, who]), np.concatenate([paid, needed[needed >= 0]])
            order = np.argsort(payer, kind="stable")
            payer, paid = payer[order], paid[order]
        tokens, begins = np.unique(payer, return_index=True)
        return Payers(tokens, np.append(begins, len(payer)).astype(np.int64), paid, lists)

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
            self.fees if any(self.fees) else (),
            pairs=tuple(sorted(pairs, key=lambda pair: (pair.first, pair.second))),
            cuts=cuts,
            charges=self._charges(),
        )

    def _charges(self) -> tuple[Charge, ...]:
        """Returns the charges by name."""
        if self.merges is None:
            return ()
        charges = (self.merges.charge(*charge) for charge in self.charges)
        return tuple(sorted(charges, key=lambda charge: charge.token))
