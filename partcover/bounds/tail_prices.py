"""Chooses the prices of a tail, and counts in integers what they prove with those of a head."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from ..corpus import symbols as sym
from ..corpus.symbols import Symbols
from ..corpus.word_counts import WordCounts
from ..kernels._head_tail import TokenSums
from ..problem.certificate import Certificate, Leaf
from ..problem.head_certificate import LONGEST_PRICED, HeadCertificate, TailDigest
from ..runtime.arrays import Int64
from .price_counter import PriceCounter, largest

__all__ = ["Tail", "TailPrices"]

_BITS = 20  # binary digits of a price, unless the counts are large:
_TOTAL_BITS, _WORTH_BITS = 48, 57  # so that sums of prices and of all tokens' worth fit in 63
_REACH = 0.3  # no toll for what is worth less than such a part of the k-th largest reward
_CLASS_BITS = 8, 22  # at least and at most


class Tail:
    """Sums up a tail while its words are read.

    Attributes
    ----------
    digest : TailDigest
        Their digest.
    words, symbols : int
        Words, and the symbols that are counted.
    worth : int
        All substrings of all words are worth no more tokens than so many.
    """

    def __init__(self, alphabet: Symbols) -> None:
        self.digest = TailDigest(alphabet)
        self.words = self.symbols = self.worth = 0

    def add(self, block: WordCounts) -> None:
        """Adds words."""
        for word, count in block:
            self.digest.add(word, count)
        self.words += len(block)
        self.symbols += block.total_symbols
        sizes = np.minimum(np.diff(block.offsets), LONGEST_PRICED).astype(float)
        self.worth += 1 + int((block.counts * sizes**3).sum() / 2)


class TailPrices:
    """Prices of a tail, and the lower bound that they prove for head and tail.

    `partcover.verification.head_check` says what they are and why the bound holds.  The tokens of
    the head that are among the k best have no toll, and others one that they would be worth where
    they occur, were they among the k best.

    Parameters
    ----------
    counter : PriceCounter
        The words and candidates of the head.
    certificate : Certificate
        What is proven for the head.
    tail : Tail
        What is known of the tail.

    Attributes
    ----------
    lower_bound : int
        The best bound so far; 0 at first.
    """

    def __init__(self, counter: PriceCounter, certificate: Certificate, tail: Tail) -> None:
        instance = counter.instance
        self.counter = counter
        self.tail = tail
        self.lower_bound = 0
        self.sixteenths = 0
        self.class_bits = min(max(tail.words.bit_length() + 1, _CLASS_BITS[0]), _CLASS_BITS[1])
        total = instance.words.total_symbols + tail.symbols
        room = min(_TOTAL_BITS - total.bit_length(), _WORTH_BITS - tail.worth.bit_length())
        counter.refine(max(1, min(_BITS, room)))
        prices = counter.prices_of(certificate)
        if prices is None:  # a token for each word
            prices = np.zeros(len(instance.words.data))
            prices[instance.words.offsets[:-1]] = 1.0
        self.prices = counter.rounded(prices)
        self.head_value, self.rewards = counter.count(self.prices, instance.k, every=True)
        self.free = instance.k - len(instance.fixed)
        self._find_known()
        self._find_tokens()
        self.tolls = self._tolls()
        self.sums = TokenSums(
            self.data,
            self.place,
            self.length,
            self.tolls,
            self.n_items,
            self.class_bits,
            counter.one,
            min(max([instance.max_length or LONGEST_PRICED, *map(len, instance.fixed)]), 256),
            LONGEST_PRICED,
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
        self.data = np.concatenate([instance.words.data, *further]).astype(np.int64)
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

    def rounds(self, blocks: Callable[[], Iterator[WordCounts]]) -> Iterator[None]:
        """Tries how many sixteenths of the prices are by tolls; yields after each pass.

        What is proven is concave in them, so a search by halves finds the best.
        """
        values = {0: self._value_of(0, blocks)}
        best = 0
        self._keep(0, values[0])
        yield
        for number in (16, 8):
            values[number] = self._value_of(number, blocks)
            self._keep(number, values[number])
            yield
        for step in (4, 2, 1):
            best = max(values, key=lambda n: values[n])
            for number in (best - step, best + step):
                if 0 <= number <= 16 and number not in values:
                    values[number] = self._value_of(number, blocks)
                    self._keep(number, values[number])
                    yield

    def _value_of(self, sixteenths: int, blocks: Callable[[], Iterator[WordCounts]]) -> int:
        """Returns what is proven, in units of 1 / (32 · one) of a token."""
        self.sums.reset(self.tolls, sixteenths)
        for block in blocks():
            self.sums.add(block.data.astype(np.int64), block.offsets, block.counts)
        counter, sums = self.counter, self.sums
        words = counter.instance.words
        value: int = 32 * int(np.dot(counter.count_at, self.prices)) + sums.total
        items = sums.sums[: self.n_items].copy()
        items[: len(self.known)] += 32 * self.rewards[self.known]
        value -= int(items[self.is_required].sum())
        classes = sums.largest_classes(self.data[: len(words.data)], words.offsets, self.words)
        in_head = 32 * (self.rewards[self.known[self.of_words]] + self.hidden)
        items[self.of_words] = in_head + np.maximum(sums.sums[self.of_words], classes)
        optional = np.concatenate([items[~self.is_required], sums.classes])
        return value - largest(optional, self.free)[0]

    def _keep(self, sixteenths: int, value: int) -> None:
        bound = -(-value // (32 * self.counter.one))
        if bound > self.lower_bound:
            self.lower_bound, self.sixteenths = bound, sixteenths

    def certificate(self, n: int, lower_bound: int) -> HeadCertificate:
        """Returns the proof of the best bound, for a head of `n` words."""
        digest = self.tail.digest
        counter, instance = self.counter, self.counter.instance
        prices = self.prices[instance.index.positions_ascending()].astype(np.int32)
        head_bound = counter.bound(self.head_value)
        head = Certificate.of(instance, (Leaf(prices),), head_bound, counter.bits)
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
            lower_bound,
        )
