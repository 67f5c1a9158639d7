"""Computes in integers, over whole corpora, the bound and the rewards at given prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from operator import mul

import numpy as np
import numpy.typing as npt

from ...corpus.symbols import Token
from ...errors import InputError
from ...kernels.bounds._rewards import rewards, self_overlaps, sums_before
from ...problem.certificates.certificate import Certificate
from ...problem.certificates.nodes import Branch, Leaf, Prices
from ...problem.instance import Instance
from ...problem.word_index import refuse_wide
from ...runtime.arrays import Bools, Float64, Int32, Int64
from ...runtime.processes.parallel import SHARDS, ForEach
from ...verification.certificate_check import mismatches

_BITS = 24  # binary digits of a price at the start
_LOWEST_PRICE = -16
_MULTIPLIER_BITS = 69  # bits of a cut's largest multiplier; numbers in a certificate have 63
_NARROW_BITS = 26  # prices with at most this many binary digits fit in 32 bits
_AT_ONCE = 1 << 20  # prices that are rounded at once


def leaf_prices(instance: Instance, certificate: Certificate) -> Int64 | None:
    """Returns the prices of the first leaf with prices, in the order of ``words.data``; or None."""
    for leaf in certificate.tree:
        if not isinstance(leaf, Leaf):
            continue
        unpacked = leaf.unpacked(len(instance.words.data), certificate.scale_bits)
        if unpacked is not None:
            prices = np.empty(len(instance.words.data), np.int64)
            prices[instance.index.positions_ascending()] = unpacked
            return prices
    return None


class PriceCounter:
    """Computes in integers, for an instance and any k, the bound that prices prove.

    A price of 1 is ``one = 2^bits``; `refine` raises `bits`.  Rewards are counted in units of
    1 / unit tokens, rounded down, so that they fit in 63 bits; a reward of 1 is
    ``unit << low_bits``.

    With several corpora, `weights` has a weight of at least 1 for each.

    Notes
    -----
    The index may lack candidates whose savings have an upper bound below a limit (`min_promise` of
    `CandidateIndex`).  A price is at most 1, so the reward of each of them is below this limit, in
    tokens.  If some of them might be among the k largest rewards, the limit is subtracted in their
    place.  The bound stays valid, and the same prices prove at least as much when all candidates
    are counted.
    """

    def __init__(
        self,
        instance: Instance,
        share: ForEach,
        weights: Sequence[int] = (),
    ) -> None:
        refuse_wide(instance.words)
        self.merges = instance.merges
        # `per` is the tokens that make a ratio of 1: Σ weight · reference; 1 for one corpus
        self.corpora, self.weights, self.per = instance.corpora, tuple(weights), 1
        if self.corpora is not None:
            instance = instance.weighted(weights)
            self.per = sum(w * r for w, r in zip(weights, self.corpora.references, strict=True))
        instance = instance.unmerged
        words = instance.words
        index = instance.index
        # the instance without merges; for several corpora, all words with weighted counts
        self.instance = instance
        self.share = share
        room = 58 - len(words.data).bit_length()
        # the largest useful `bits`.  With it, rounding lowers no bound by more than an eighth of a
        # token, unless sums of prices would exceed 63 bits or floating point is less precise.
        self.finest = max(_BITS, min(words.total_symbols.bit_length() + 3, 48, room))
        self.refine(_BITS)
        required = index.find_tokens(instance.fixed)
        required = required.take(required.occurs)
        own = index.numbers(required)
        extra = required.take(own < 0)
        # the candidates of ``instance.index``, then required tokens that are not among them;
        # shapes are (tokens,)
        self.intervals = index.intervals.joined(extra)
        self.lo, self.hi, self.length = (np.asarray(part, np.int32) for part in self.intervals)
        # the suffix array of the index, with 32 bits an entry: a bound has no memory for wider ones
        self.sa = np.asarray(index.sa, np.int32)
        # occurrences weighted by word counts: an upper bound on the reward, in tokens
        self.weight = np.concatenate([index.weight, index.weight_of(extra)])
        self.fixed = np.zeros(len(self.lo), bool)  # whether a token is required; shape (tokens,)
        self.fixed[own[own >= 0]] = True
        self.fixed[len(index) :] = True
        # prices are at most 1, so no reward is above this; the product of a token whose
        # occurrences overlap may exceed 63 bits
        pairs, most = self.length.astype(np.int64) - 1, words.total_symbols
        self.largest_reward = np.where(self.weight > most // pairs, most, self.weight * pairs)
        self.n_required = int(self.fixed.sum())
        # number of tokens in `order` that the next count looks at first
        self.n_likely = len(self.lo)

    @cached_property
    def overlaps(self) -> npt.NDArray[np.uint8]:
        """Whether occurrences of each token may overlap each other."""
        text = self.instance.index.text
        return self_overlaps(text, self.sa, self.lo, self.hi, self.length)

    @cached_property
    def groups(self) -> tuple[tuple[Bools, int], ...]:
        """The tokens of each group, and how many of them a vocabulary may contain."""
        instance, groups = self.instance, []
        for group in instance.groups:
            if group.tokens is None:
                longest = self.length if group.max_length is None else group.max_length
                members = (self.length >= group.min_length) & (self.length <= longest)
            else:
                found = instance.index.find_tokens(sorted(group.tokens))
                members = np.isin(self.intervals.key, found.take(found.occurs).key)
            required = sum(token in group for token in instance.fixed)
            absent = required - int(np.count_nonzero(members & self.fixed))
            groups.append((members, group.limit - absent))
        return tuple(groups)

    @cached_property
    def order(self) -> Int32:
        """The numbers of all tokens: required ones first, then by largest possible reward."""
        order = np.argsort(-self.largest_reward, kind="stable").astype(np.int32)
        required = np.flatnonzero(self.fixed).astype(np.int32)
        return np.concatenate([required, order[~self.fixed[order]]])

    @cached_property
    def descending(self) -> Int64:
        """The negated largest possible rewards of the tokens that are not required, in `order`."""
        descending: Int64 = -self.largest_reward[self.order[self.n_required :]]
        return descending

    @cached_property
    def places(self) -> Int32:
        """The position of each suffix in ``words.data``."""
        places: Int32 = (self.sa - self.instance.index.word_of[self.sa] - 1).astype(np.int32)
        return places

    def ranks(self) -> Int64:
        """Returns the rank of each position of ``words.data`` when the words are sorted."""
        ascending = self.instance.index.positions_ascending()
        rank = np.empty(len(ascending), np.int64)
        rank[ascending] = np.arange(len(ascending))
        return rank

    @cached_property
    def _number(self) -> dict[int, int]:
        """The number of each candidate, by the key of its interval."""
        return {key: number for number, key in enumerate(self.intervals.key.tolist())}

    def numbers(self, tokens: Sequence[Token]) -> dict[Token, int]:
        """Returns the number of each token, −1 for those that are not candidates."""
        keys = self.instance.index.find_tokens(tokens).key.tolist()
        return {t: self._number.get(key, -1) for t, key in zip(tokens, keys, strict=True)}

    def tokens(self, numbers: Int64) -> list[Token]:
        """Returns the tokens with some numbers."""
        return list(self.instance.index.tokens_at(self.intervals.take(numbers)))

    @cached_property
    def count_at(self) -> Int64:
        """The count of the word at each position of ``words.data``."""
        words = self.instance.words
        return np.repeat(words.counts, np.diff(words.offsets))

    def refine(self, bits: int) -> None:
        """Sets the number of binary digits of a price."""
        self.bits, self.one = bits, 1 << bits
        # 16 · unit · symbols stays below 2^63: the lower bits of rewards are summed separately; of
        # 2^58 symbols or more nothing can be counted, and the unit is 0
        self.low_bits = max(0, bits - (58 - self.instance.words.total_symbols.bit_length()))
        self.unit = self.one >> self.low_bits

    @property
    def digits_of_cuts(self) -> int:
        """The number of binary digits of prices in a tree, at least the present number.

        A cut whose multiplier does not fit in a number of a certificate is listed there several
        times.  With all digits and counts of 10^12, that would be millions of times.
        """
        most = _MULTIPLIER_BITS - int(self.largest_reward.max(initial=0)).bit_length()
        return max(self.bits, min(self.finest, most))

    def certificate(
        self, tree: tuple[Branch | Leaf, ...], lower_bound: int | Fraction
    ) -> Certificate:
        """Makes a certificate for the instance with its merges and corpora."""
        return Certificate.of(self.asked, tree, lower_bound, self.bits)

    def counted_by(self, weights: Sequence[int]) -> PriceCounter:
        """Returns a counter with the same digits for other weights of the corpora."""
        other = PriceCounter(self.asked, self.share, weights)
        for name in ("overlaps", "groups", "places"):  # these do not depend on the counts
            other.__dict__[name] = getattr(self, name)
        other.refine(self.bits)
        return other

    def refuse_other(self, certificate: Certificate) -> None:
        """Raises an error if a certificate is for other words or conditions; k may differ."""
        here = replace(certificate, k=self.instance.k)
        if problems := mismatches(self.asked, here):
            raise InputError(problems[0])

    @cached_property
    def asked(self) -> Instance:
        """The instance with its merges and corpora."""
        return self.merged if self.corpora is None else replace(self.merged, corpus=self.corpora)

    @cached_property
    def merged(self) -> Instance:
        """The instance with its merges; several corpora are one."""
        if self.merges is None:
            return self.instance
        merged = replace(self.instance, merges=self.merges)
        merged.__dict__["unmerged"] = self.instance
        return merged

    def prices_of(self, certificate: Certificate) -> Float64 | None:
        """Returns the prices of a certificate; None if no leaf has prices."""
        self.refuse_other(certificate)
        prices = leaf_prices(self.instance, certificate)
        return None if prices is None else prices / float(1 << certificate.scale_bits)

    def proven_by(self, certificate: Certificate) -> int | None:
        """Returns the bound for its k of a certificate with one leaf that has prices only.

        None for a tree of several leaves, for a leaf with group multipliers, pairs or cuts, and for
        prices or counts that are too large to count with.
        """
        leaf = certificate.tree[0]
        self.refuse_other(certificate)
        if not isinstance(leaf, Leaf) or not leaf.is_plain:
            return None
        if certificate.scale_bits > self.finest:
            return None
        prices = leaf_prices(self.instance, certificate)
        if prices is None:
            return self.instance.words.total_count
        self.refine(max(self.bits, certificate.scale_bits))
        if not self.unit or int(prices.min(initial=0)) < _LOWEST_PRICE << certificate.scale_bits:
            return None
        prices <<= self.bits - certificate.scale_bits
        return self.bound(self.count(prices, certificate.k)[0])

    def rounded(self, prices: Float64) -> Prices:
        """Returns prices as integers, in units of 1 / one."""
        units: Prices = np.empty(len(prices), np.int64)
        if self.bits <= _NARROW_BITS:
            units = np.empty(len(prices), np.int32)
        for first in range(0, len(prices), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            scaled = np.clip(prices[part], _LOWEST_PRICE, 1)
            scaled *= self.one
            units[part] = np.rint(scaled, out=scaled)
        return units

    def count(self, prices: Prices, k: int, *, every: bool = False) -> tuple[int, Int64]:
        """Returns the bound that prices prove for a budget, times `one`, and the rewards of tokens.

        Rewards are in units of 1 / unit tokens.  Unless `every` is given, only those that may be
        among the k largest are counted; the others are 0.
        """
        words = self.instance.words
        before = sums_before(prices, words.offsets)
        # positions of the separators before the words, and behind the last word
        sums = np.diff(before[words.offsets + np.arange(len(words) + 1)])
        out = np.zeros(len(self.lo), np.int64)
        low = np.zeros(len(self.lo) if self.low_bits else 0, np.int64)
        free = k - len(self.instance.fixed)
        done = 0
        until = len(self.order) if every else self.n_likely
        while done < until:
            self._rewards(before, out, low, self.order[done:until])
            done = until
            threshold = largest(out[self.order[self.n_required : done]], free)[1]
            # a reward is at most `largest_reward`: tokens below the threshold need no count
            n_needed = int(np.searchsorted(self.descending, -(threshold // self.unit), "left"))
            until = max(done, self.n_required + n_needed)
            self.n_likely = max(self.n_required + n_needed, 1)
        required, others = self.order[: self.n_required], self.order[self.n_required :]
        if not self.low_bits:
            total = int(np.dot(words.counts, sums))
            total -= _sum(out[required]) + largest(out[others], free)[0]
        else:  # the sums exceed 63 bits
            total = sum(map(mul, words.counts.tolist(), sums.tolist()))
            total -= (sum(out[required].tolist()) << self.low_bits) + sum(low[required].tolist())
            total -= sum_of_largest(out[others], low[others], self.low_bits, free)
        return total - (self.others(out[others], free) << self.low_bits), out

    @property
    def largest_unseen(self) -> int:
        """An upper bound on the rewards of candidates outside the index, in units of 1 / unit."""
        return self.instance.index.min_promise * self.unit

    def others(self, rewards: Int64, count: int) -> int:
        """Returns how much candidates outside the index may add to the `count` largest rewards.

        In units of 1 / unit, as the rewards of the indexed candidates; 0 if the index has all.
        """
        most = self.largest_unseen
        if not most or count <= 0:
            return 0
        if count < len(rewards):
            rewards = np.partition(rewards, len(rewards) - count)[len(rewards) - count :]
        smaller = rewards[rewards < most]
        missing = max(0, count - len(rewards)) + len(smaller)
        return missing * most - int(sum(smaller.tolist()))

    def all_rewards(self, prices: Prices) -> tuple[Int64, Int64]:
        """Returns the rewards of all tokens, in units of 1 / unit, and their remainders."""
        before = sums_before(prices, self.instance.words.offsets)
        out, low = np.zeros(len(self.lo), np.int64), np.zeros(len(self.lo), np.int64)
        self._rewards(before, out, low if self.low_bits else low[:0], self.order)
        return out, low

    def bound(self, value: int) -> int:
        """Returns a value of `count` as a number of tokens, rounded up."""
        return max(-(-value // self.one), self.instance.words.total_count)

    @property
    def scale(self) -> int:
        """The divisor that turns a value into tokens, or into the largest ratio."""
        return self.one * self.per

    def proven(self, value: int) -> int | Fraction:
        """Returns the tokens that a value proves, or the largest ratio over several corpora."""
        tokens = self.bound(value)
        return tokens if self.corpora is None else self.corpora.proven(tokens, self.weights)

    def goal(self, best: int | Fraction) -> int:
        """Returns the smallest value that proves this number of tokens, or this ratio."""
        tokens = best if self.corpora is None else self.corpora.enough(Fraction(best), self.weights)
        return (int(tokens) - 1) * self.one + 1

    def _rewards(self, before: Int64, out: Int64, low: Int64, which: Int32) -> None:
        """Counts the rewards of some tokens into `out`, and their remainders into `low`."""
        index, counts = self.instance.index, self.instance.words.counts
        arrays = (self.sa, index.word_of, counts, before, self.one, self.lo, self.hi, self.length)
        overlaps = self.overlaps
        cuts = np.linspace(0, len(which), 4 * SHARDS + 1).astype(int).tolist()

        def work(n: int) -> None:
            rewards(*arrays, overlaps, which, out, low, self.low_bits, cuts[n], cuts[n + 1])

        self.share(work, 4 * SHARDS)


def sum_of_largest(units: Int64, low: Int64, low_bits: int, count: int) -> int:
    """Returns the sum of the `count` largest rewards, given in units and remainders below them."""
    total, smallest = largest(units, count)
    above = units > smallest
    n_equal = max(0, count - int(above.sum()))
    equal = np.sort(low[units == smallest])[::-1][:n_equal]
    rest: int = sum(low[above].tolist()) + sum(equal.tolist())
    return (total << low_bits) + rest


def largest(values: Int64, count: int) -> tuple[int, int]:
    """Returns the sum of the `count` largest of non-negative values, and the smallest of them.

    The smallest is 0 where there are fewer, and the largest value where `count` is 0.
    O(values).
    """
    if count <= 0:
        return 0, int(values.max(initial=0))
    smallest = 0
    if count <= len(values):
        values = np.partition(values, len(values) - count)[len(values) - count :]
        smallest = int(values[0])
    return _sum(values), smallest


def _sum(values: Int64) -> int:
    """Returns the sum of non-negative values, which may exceed 63 bits."""
    fits = int(values.max(initial=0)) < 2**63 // max(1, len(values))
    return int(values.sum()) if fits else sum(values.tolist())
