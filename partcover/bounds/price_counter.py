"""Counts in integers, over whole corpora, what prices prove and which rewards they give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from operator import mul
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..kernels._saddle_point import rewards, self_overlaps
from ..problem.certificate import Certificate, Leaf, policy_digest
from ..problem.instance import Instance

__all__ = ["SHARDS", "PriceCounter", "WordPrices", "explain", "largest", "workers"]

Float64 = npt.NDArray[np.float64]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

SHARDS = 8
"""Parts that work is cut into.  Fixed: sums are made in their order, whatever the threads."""

_BITS = 24  # of a price, to begin with
_LEAST_PRICE = -16
_LONGEST_WORD = 1000  # symbols of a word to explain; its substrings are listed


Share = Callable[[Callable[[int], None], int], None]


@contextmanager
def workers(threads: int) -> Iterator[Share]:
    """What calls a function for 0, 1, ... up to a number, shared among threads.

    Parameters
    ----------
    threads : int
        With 1 all is done where it is asked for.

    Yields
    ------
    callable
        Takes the function and the number; returns when all calls have.
    """
    if threads == 1:

        def in_turn(work: Callable[[int], None], many: int) -> None:
            for n in range(many):
                work(n)

        yield in_turn
        return
    with ThreadPoolExecutor(threads) as pool:

        def at_once(work: Callable[[int], None], many: int) -> None:
            list(pool.map(work, range(many)))

        yield at_once


def leaf_prices(instance: Instance, certificate: Certificate) -> Int64 | None:
    """Prices of the first leaf that has some, as ``words.data`` lies; None if no leaf has."""
    if certificate.words_sha256 != instance.words.digest:
        raise InputError("the certificate is about other words or counts")
    if certificate.policy_sha256 != policy_digest(instance):
        raise InputError("the certificate is about other candidates or conditions")
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
    """Counts what prices prove for an instance, for any k, in integers.

    Parameters
    ----------
    instance : Instance
        The words and conditions.
    share : callable
        From `workers`.

    Attributes
    ----------
    bits, one : int
        A price of 1 is ``one = 2^bits``; `refine` makes it more.
    finest : int
        The most bits: those at which rounding moves no bound by more than an eighth of a token,
        as far as sums of prices stay within 63 bits and floating point is as fine.
    unit : int
        Rewards are given in units of 1 / unit tokens, rounded down: so many as fit in 63 bits.
    intervals : Intervals
        The candidates of ``instance.index``, then required tokens that are not among them.
    lo, hi, length : ndarray of int32, shape (tokens,)
        The parts of `intervals`.
    weight, most : ndarray of int64, shape (tokens,)
        Occurrences, weighted by word counts; the largest possible reward, in tokens.
    fixed : ndarray of bool, shape (tokens,)
        Required ones.
    """

    def __init__(self, instance: Instance, share: Share) -> None:
        words, index = instance.words, instance.index
        self.instance = instance
        self.share = share
        room = 58 - len(words.data).bit_length()
        self.finest = max(_BITS, min(words.total_symbols.bit_length() + 3, 48, room))
        self.refine(_BITS)
        self.places = (index.sa - index.word_of[index.sa] - 1).astype(np.int32)
        self.count_at = np.repeat(words.counts, np.diff(words.offsets))
        # the candidates, and required tokens that are not among them
        required = index.find_tokens(instance.fixed)
        required = required.take(required.occurs)
        own = index.numbers(required)
        others = required.take(own < 0)
        self.intervals = index.intervals.joined(others)
        self.lo, self.hi, self.length = self.intervals
        self.weight = np.concatenate([index.weight, index.weight_of(others)])
        self.fixed = np.zeros(len(self.lo), bool)
        self.fixed[own[own >= 0]] = True
        self.fixed[len(index) :] = True
        self.overlaps = self_overlaps(index.text, index.sa, self.lo, self.hi, self.length)
        # prices are at most 1: no reward is above this
        self.most = (self.length.astype(np.int64) - 1) * self.weight
        self.order = np.argsort(-self.most, kind="stable").astype(np.int32)
        self.order = np.concatenate(
            [np.flatnonzero(self.fixed).astype(np.int32), self.order[~self.fixed[self.order]]]
        )
        self.required = int(self.fixed.sum())
        self.falling = -self.most[self.order[self.required :]]
        self.likely = len(self.order)

    def refine(self, bits: int) -> None:
        """Count with so many binary digits of a price."""
        self.bits, self.one = bits, 1 << bits
        # 16 · unit · symbols stays below 2^63: what a reward has beyond is kept apart
        self._shift = max(0, bits - (58 - self.instance.words.total_symbols.bit_length()))
        self.unit = self.one >> self._shift

    def prices_of(self, certificate: Certificate) -> Float64 | None:
        """The prices of a certificate; None if no leaf has any."""
        prices = leaf_prices(self.instance, certificate)
        return None if prices is None else prices / float(1 << certificate.scale_bits)

    def proven_by(self, certificate: Certificate) -> int | None:
        """What a certificate of a single leaf without fees proves for its k; None of others."""
        leaf = certificate.tree[0]
        if not isinstance(leaf, Leaf) or leaf.fees or certificate.scale_bits > self.finest:
            return None
        prices = leaf_prices(self.instance, certificate)
        if prices is None:
            return self.instance.words.total_count
        self.refine(max(self.bits, certificate.scale_bits))
        if int(prices.min(initial=0)) < _LEAST_PRICE << certificate.scale_bits:
            return None
        prices <<= self.bits - certificate.scale_bits
        return self.bound(self.count(prices, certificate.k)[0])

    def rounded(self, prices: Float64) -> Int64:
        """Prices in integers."""
        return np.rint(np.clip(prices, _LEAST_PRICE, 1) * self.one).astype(np.int64)

    def count(self, prices: Int64, k: int, *, every: bool = False) -> tuple[int, Int64]:
        """What prices prove, times 2^bits, and the rewards: of those that may be among the best.

        `every`: rewards of all.
        """
        before = np.zeros(len(prices) + 1, np.int64)
        np.cumsum(prices, dtype=np.int64, out=before[1:])
        out = np.zeros(len(self.lo), np.int64)
        low = np.zeros(len(self.lo) if self._shift else 0, np.int64)
        free = k - len(self.instance.fixed)
        done = 0
        until = len(self.order) if every else self.likely
        while done < until:
            self._rewards(before, out, low, self.order[done:until])
            done = until
            least = largest(out[self.order[self.required : done]], free)[1]
            # where `most` is no more than the least of the best, so is the reward
            needed = int(np.searchsorted(self.falling, -(least // self.unit), "left"))
            until = max(done, self.required + needed)
            self.likely = max(self.required + needed, 1)
        required, others = self.order[: self.required], self.order[self.required :]
        if not self._shift:
            total = int(np.dot(self.count_at, prices))
            total -= int(out[required].sum()) + largest(out[others], free)[0]
            return total, out
        # sums beyond 63 bits
        words = self.instance.words
        sums = np.diff(before[words.offsets]).tolist()
        total = sum(map(mul, words.counts.tolist(), sums))
        total -= (sum(out[required].tolist()) << self._shift) + sum(low[required].tolist())
        sum_, least = largest(out[others], free)
        above = out[others] > least
        total -= (sum_ << self._shift) + sum(low[others[above]].tolist())
        equal = np.sort(low[others[out[others] == least]])[::-1]
        total -= sum(equal[: max(0, free - int(above.sum()))].tolist())
        return total, out

    def bound(self, value: int) -> int:
        """A value of `count` as a number of tokens."""
        return max(-(-value // self.one), self.instance.words.total_count)

    def _rewards(self, before: Int64, out: Int64, low: Int64, which: Int32) -> None:
        arrays = (self.places, before, self.count_at, self.one, self.lo, self.hi, self.length)
        cuts = np.linspace(0, len(which), 4 * SHARDS + 1).astype(int).tolist()

        def work(n: int) -> None:
            rewards(*arrays, self.overlaps, which, out, low, self._shift, cuts[n], cuts[n + 1])

        self.share(work, 4 * SHARDS)


def largest(values: Int64, many: int) -> tuple[int, int]:
    """The sum of the `many` largest of non-negative values, and the least of them.

    The least is 0 where there are not as many, and the largest value where `many` is 0.
    O(values).
    """
    if many <= 0:
        return 0, int(values.max(initial=0))
    least = 0
    if many <= len(values):
        values = np.partition(values, len(values) - many)[len(values) - many :]
        least = int(values[0])
    fits = int(values.max(initial=0)) < 2**63 // max(1, len(values))
    return int(values.sum()) if fits else sum(values.tolist()), least


@dataclass(frozen=True)
class WordPrices:
    """A word's prices, and the tokens over it.

    Attributes
    ----------
    word : token
        The word.
    count : int
        How often it is counted.
    prices : tuple of float
        Of its symbols.
    tokens : tuple of (token, float, float, bool)
        Candidates in it with a reward: the token, its reward over all words, the part of it
        that is from one occurrence of this word, and whether the reward is one of the k best
        (or the token required); largest reward first, then lexicographically.
    """

    word: Token
    count: int
    prices: tuple[float, ...]
    tokens: tuple[tuple[Token, float, float, bool], ...]

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "word": sym.to_json(self.word),
            "count": self.count,
            "prices": list(self.prices),
            "tokens": [
                {"token": sym.to_json(token), "reward": reward, "worth": worth, "best": best}
                for token, reward, worth, best in self.tokens
            ],
        }


def explain(
    instance: Instance, certificate: Certificate, words: Sequence[Token]
) -> list[WordPrices]:
    """Show the prices of some words, and which tokens they reward.

    Parameters
    ----------
    instance : Instance
        The instance that the certificate is about; its k says which rewards are the best.
    certificate : Certificate
        Its first leaf with prices is shown.
    words : sequence of token
        Words of the instance.

    Returns
    -------
    list of WordPrices
        One for each word.  O(occurrences of candidates), once for all words.

    Raises
    ------
    InputError
        For a word that is not counted or has more than 1,000 symbols, and for a certificate
        that is about other words or conditions, or has no prices.

    Notes
    -----
    Dominated candidates have no reward of their own and are left out; docs/certificates.md
    ("Why") says what a price and a reward prove.
    """
    held = instance.words.to_dict()
    for word in words:
        if word not in held:
            raise InputError(f"{sym.show(word)!r} is not one of the words")
        if len(word) > _LONGEST_WORD:
            raise InputError(
                f"a word of {len(word):,} symbols: at most {_LONGEST_WORD:,} are shown"
            )
    with workers(1) as share:
        counter = PriceCounter(instance, share)
        given = counter.prices_of(certificate)
        if given is None:
            raise InputError("the certificate has no prices")
        _, found = counter.count(counter.rounded(given), instance.k, every=True)
    free = instance.k - len(instance.fixed)
    apart = np.flatnonzero(~counter.fixed)
    best = counter.fixed.copy()
    best[apart[np.argsort(-found[apart], kind="stable")][: max(free, 0)]] = True
    number = {key: c for c, key in enumerate(counter.intervals.key.tolist())}
    places = {word: n for n, (word, _) in enumerate(instance.words)}
    shown = []
    for word in words:
        begin = int(instance.words.offsets[places[word]])
        own = given[begin : begin + len(word)]
        cuts = {
            word[start:end] for start in range(len(word)) for end in range(start + 2, len(word) + 1)
        }
        tokens = sorted(cuts)
        keys = instance.index.find_tokens(tokens).key.tolist()
        rows = []
        for token, key in zip(tokens, keys, strict=True):
            c = number.get(key, -1)
            if c >= 0 and found[c] > 0:
                worth = _worth(word, token, own)
                rows.append((token, int(found[c]) / counter.unit, worth, bool(best[c])))
        rows.sort(key=lambda row: -row[1])
        shown.append(WordPrices(word, held[word], tuple(own.tolist()), tuple(rows)))
    return shown


def _worth(word: Token, token: Token, prices: Float64) -> float:
    """The most that occurrences of a token which do not overlap are worth in a word."""
    size = len(token)
    best = [0.0] * (len(word) + 1)
    for end in range(1, len(word) + 1):
        best[end] = best[end - 1]
        if end >= size and word[end - size : end] == token:
            worth = float(prices[end - size : end].sum()) - 1
            best[end] = max(best[end], best[end - size] + worth)
    return best[-1]
