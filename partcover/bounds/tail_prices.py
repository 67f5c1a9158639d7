"""Chooses the prices of a tail, and counts in integers what they prove with those of a head."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..corpus.head_and_tail import HeadAndTail, WordShard
from ..corpus.symbols import Symbols
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..kernels._head_tail import TokenSums, largest_classes
from ..problem.certificate import Certificate, Leaf
from ..problem.head_certificate import LONGEST_PRICED, HeadCertificate, TailDigest
from ..runtime.arrays import Int32, Int64
from ..runtime.shared_value import Shared
from .price_counter import PriceCounter, largest

__all__ = ["Tail", "TailPrices", "TokenTable"]

_BITS = 20  # binary digits of a price, unless the counts are large:
_TOTAL_BITS, _WORTH_BITS = 56, 57  # so that sums of prices and of all tokens' worth fit in 63
_REACH = 0.3  # no toll for what is worth less than such a part of the k-th largest reward
_CLASS_BITS = 8, 22  # at least and at most


class Tail:
    """Sums up a tail while its words are read.

    Attributes
    ----------
    digest : TailDigest
        Their digest.
    symbols : int
        The symbols that are counted.
    sizes : dict of int to int
        How many words of each length are counted; those that are not priced with the longest that
        is.
    """

    def __init__(self, alphabet: Symbols) -> None:
        self.digest = TailDigest(alphabet)
        self.symbols = 0
        self.sizes: Counter[int] = Counter()

    @property
    def words(self) -> int:
        """The number of words."""
        return self.digest.words

    @property
    def worth(self) -> int:
        """All substrings of all words are worth no more tokens than so many."""
        return sum(count * (size**3 - size) // 6 for size, count in self.sizes.items())

    def add(self, block: WordCounts) -> None:
        """Adds words."""
        for word, count in block:
            self.digest.add(word, count)
        self.symbols += block.total_symbols
        sizes = np.minimum(np.diff(block.offsets), LONGEST_PRICED)
        counted = np.zeros(LONGEST_PRICED + 1, np.int64)
        np.add.at(counted, sizes, block.counts)
        self.sizes.update({size: int(counted[size]) for size in np.flatnonzero(counted).tolist()})

    def include(self, other: Tail) -> None:
        """Adds the words of another part."""
        self.digest.include(other.digest)
        self.symbols += other.symbols
        self.sizes.update(other.sizes)


@dataclass(frozen=True)
class TokenTable:
    """The known tokens and their tolls, by which the words of a tail are priced.

    Attributes
    ----------
    data : ndarray
        Symbols in which the tokens stand.
    place, length : ndarray of int64 and int32, shape (tokens,)
        Where each begins in them, and how long it is.
    tolls : ndarray of int64, shape (tokens,)
        The toll of each; −1 for those that have none and are not used.
    n_items : int
        Tokens from this number on are worth nothing.
    class_bits, one, longest : int
        As `partcover.kernels._head_tail.TokenSums` takes them.
    """

    data: npt.NDArray[Any]
    place: Int64
    length: Int32
    tolls: Int64
    n_items: int
    class_bits: int
    one: int
    longest: int

    def sums(self, shard: WordShard, sixteenths: int) -> tuple[int, Int64, Int64]:
        """Prices the tail of a shard.

        Returns
        -------
        total : int
            Σ c·Σ d, in units of 1 / (32 · one).
        sums, classes : ndarray of int64
            What each token, and each class of all others, is worth, in the same units.
        """
        table = TokenSums(
            self.data.astype(np.int64),
            self.place,
            self.length,
            self.tolls,
            self.n_items,
            self.class_bits,
            self.one,
            self.longest,
            LONGEST_PRICED,
            sixteenths,
        )
        for block in shard.tail_blocks():
            table.add(block.data.astype(np.int64), block.offsets, block.counts)
        return table.total, table.sums, table.classes


def _sums(shard: WordShard, table: TokenTable, sixteenths: int) -> tuple[int, Int64, Int64]:
    return table.sums(shard, sixteenths)


class TailPrices:
    """Prices of a tail, and the lower bound that they prove for head and tail.

    `partcover.verification.head_check` says what they are and why the bound holds.  The tokens of
    the head that are among the k best have no toll, and others one that they would be worth where
    they occur, were they among the k best.

    Parameters
    ----------
    counter : PriceCounter
        The words and candidates of the head.
    certificate : Certificate or None
        What is proven for the head.
    tail : Tail
        What is known of the tail.
    stated : HeadCertificate, optional
        One whose digits, classes and tolls are taken.

    Attributes
    ----------
    lower_bound, head_bound : int
        The best bound so far; what is proven for the head alone.
    """

    def __init__(
        self,
        counter: PriceCounter,
        certificate: Certificate | None,
        tail: Tail,
        *,
        stated: HeadCertificate | None = None,
    ) -> None:
        instance = counter.instance
        self.counter = counter
        self.tail = tail
        self.lower_bound = instance.words.total_count + tail.digest.total_count
        self.sixteenths = 0
        self.class_bits = min(max(tail.words.bit_length() + 1, _CLASS_BITS[0]), _CLASS_BITS[1])
        total = instance.words.total_symbols + tail.symbols
        room = min(_TOTAL_BITS - total.bit_length(), _WORTH_BITS - tail.worth.bit_length())
        if room < 1:
            raise InputError(
                f"{total} symbols are counted, which sums of 63 bits do not hold: scale the counts "
                "down, or leave out long words"
            )
        counter.refine(min(_BITS, room))
        if stated is not None:
            if stated.head.scale_bits > counter.bits:
                raise InputError("the certificate's prices have more digits than can be counted")
            counter.refine(stated.head.scale_bits)
            self.class_bits = stated.class_bits
        prices = None if certificate is None else counter.prices_of(certificate)
        if prices is None:  # a token for each word
            prices = np.zeros(len(instance.words.data))
            prices[instance.words.offsets[:-1]] = 1.0
        self.prices = counter.rounded(prices)
        value, self.rewards = counter.count(self.prices, instance.k, every=True)
        self.head_bound = counter.bound(value)
        self.free = instance.k - len(instance.fixed)
        self._find_known()
        self._find_tokens()
        self.tolls = self._tolls() if stated is None else self._stated(stated)
        longest = max([instance.max_length or LONGEST_PRICED, *map(len, instance.fixed)])
        self.table = TokenTable(
            self.data,
            self.place,
            self.length,
            self.tolls,
            self.n_items,
            self.class_bits,
            counter.one,
            min(longest, LONGEST_PRICED),
        )

    def _find_known(self) -> None:
        """Finds the known tokens, and among them the words that dominate."""
        counter, words = self.counter, self.counter.instance.words
        index = counter.instance.index
        number = index.numbers(index.find_tokens(word for word, _ in words))
        is_known = (self.rewards > 0) | counter.fixed
        is_known[number[number >= 0]] = True
        self.known = np.flatnonzero(is_known)
        place = np.cumsum(is_known) - 1
        dominates = number >= 0
        dominates[dominates] = ~counter.fixed[number[dominates]]
        self.words = np.flatnonzero(dominates).astype(np.int32)
        self.of_words = place[number[dominates]]
        # what negative prices hide of the worth of the pieces of a word
        sums = np.add.reduceat(self.prices, words.offsets[:-1])
        most = np.add.reduceat(np.maximum(self.prices, 0), words.offsets[:-1])
        hidden = np.maximum(most - counter.one, 0) - np.maximum(sums - counter.one, 0)
        self.hidden = (words.counts * hidden)[dominates]

    def _find_tokens(self) -> None:
        """Places the known tokens, required ones that the head lacks, and the forbidden ones."""
        counter, instance = self.counter, self.counter.instance
        occurs = instance.index.find_tokens(instance.fixed).occurs.tolist()
        absent = [t for t, inside in zip(instance.fixed, occurs, strict=True) if not inside]
        further = [sym.to_array(token) for token in chain(absent, instance.forbidden)]
        sizes = np.array([len(token) for token in further], np.int64)
        self.data = np.concatenate([instance.words.data, *further])
        begins = len(instance.words.data) + np.cumsum(sizes) - sizes
        first = counter.places[counter.lo[self.known]]
        self.place = np.concatenate([first, begins]).astype(np.int64)
        self.length = np.concatenate([counter.length[self.known], sizes]).astype(np.int32)
        self.n_items = len(self.known) + len(absent)  # the forbidden ones are worth nothing
        self.is_required = np.ones(self.n_items, bool)
        self.is_required[: len(self.known)] = counter.fixed[self.known]

    def _tolls(self) -> Int64:
        """Returns the toll of each token; −1 for those that have none and are not used."""
        counter, known = self.counter, self.known
        rewards, weight = self.rewards[known], np.maximum(counter.weight[known], 1)
        least = largest(self.rewards[~counter.fixed], self.free)[1]
        most = (counter.length[known] - 1).astype(np.int64) * counter.one
        toll = np.where(rewards >= least, 0, np.minimum(least // weight, most))
        toll[counter.fixed[known]] = 0
        tolls = np.full(len(self.place), -1)
        tolls[: len(known)] = np.where(weight * most > _REACH * least, toll, -1)
        return tolls

    def _stated(self, stated: HeadCertificate) -> Int64:
        """Returns the tolls that a certificate states; −1 for tokens that have none."""
        keys = self.counter.intervals.key[self.known]
        asked = self.counter.instance.index.find_tokens(stated.tolls).key
        order = np.argsort(keys)
        place = np.minimum(np.searchsorted(keys, asked, sorter=order), len(keys) - 1)
        numbers = order[place]
        if (keys[numbers] != asked).any():
            raise InputError("a token has a toll, and no reward in the head")
        one = self.counter.one
        # no token is used that costs what its symbols do
        values = [min(toll, (len(token) - 1) * one) for token, toll in stated.tolls.items()]
        tolls = np.full(len(self.place), -1)
        tolls[numbers] = values
        return tolls

    def rounds(self, words: HeadAndTail) -> Iterator[None]:
        """Tries how many sixteenths of the prices are by tolls; yields after each pass.

        What is proven is concave in them, so a search by halves finds the best.
        """
        values: dict[int, int] = {}
        with words.lent(self.table) as table:
            for number in (0, 16, 8):
                values[number] = self._count(number, words, table)
                yield
            for step in (4, 2, 1):
                best = max(values, key=lambda n: values[n])
                for number in (best - step, best + step):
                    if 0 <= number <= 16 and number not in values:
                        values[number] = self._count(number, words, table)
                        yield

    def count(self, sixteenths: int, words: HeadAndTail) -> int:
        """Counts what is proven with so many sixteenths, and keeps them if it is more.

        Returns it in units of 1 / (32 · one) of a token.
        """
        with words.lent(self.table) as table:
            return self._count(sixteenths, words, table)

    def _count(self, sixteenths: int, words: HeadAndTail, table: Shared[TokenTable]) -> int:
        counter, head = self.counter, self.counter.instance.words
        value = 32 * int(np.dot(counter.count_at, self.prices))
        sums = np.zeros(len(self.place), np.int64)
        classes = np.zeros(1 << self.class_bits, np.int64)
        for total, of_tokens, of_classes in words.map(_sums, table, sixteenths):
            value += total
            sums += of_tokens  # fits: `Tail.worth` and the number of digits see to it
            classes += of_classes
        items = sums[: self.n_items].copy()
        items[: len(self.known)] += 32 * self.rewards[self.known]
        value -= int(items[self.is_required].sum())
        most = largest_classes(
            classes, LONGEST_PRICED, head.data.astype(np.int64), head.offsets, self.words
        )
        in_head = 32 * (self.rewards[self.known[self.of_words]] + self.hidden)
        items[self.of_words] = in_head + np.maximum(sums[self.of_words], most)
        optional = np.concatenate([items[~self.is_required], classes])
        value -= largest(optional, self.free)[0]
        bound = -(-value // (32 * counter.one))
        if bound > self.lower_bound:
            self.lower_bound, self.sixteenths = bound, sixteenths
        return value

    def certificate(self, n: int) -> HeadCertificate:
        """Returns the proof of the best bound, for a head of `n` words."""
        digest = self.tail.digest
        counter, instance = self.counter, self.counter.instance
        prices = self.prices[instance.index.positions_ascending()].astype(np.int32)
        head = Certificate.of(instance, (Leaf(prices),), self.head_bound, counter.bits)
        used = np.flatnonzero(self.tolls >= 0) if self.sixteenths else np.zeros(0, np.int64)
        begins = self.place[used]
        tokens = sym.slices(
            instance.words.data, begins, begins + self.length[used], instance.symbols
        )
        return HeadCertificate(
            head,
            n,
            digest.words,
            digest.total_count,
            digest.hexdigest(),
            dict(zip(tokens, self.tolls[used].tolist(), strict=True)),
            self.sixteenths,
            self.class_bits,
            self.lower_bound,
        )
