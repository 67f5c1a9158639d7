"""Computes multipliers for the tail, and the integer bound of head and tail."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np

from ...corpus import symbols as sym
from ...corpus.counting.head_and_tail import HeadAndTail, WordShard
from ...corpus.symbols import Token
from ...corpus.word_counts import WordCounts
from ...errors import InputError
from ...kernels.bounds._head_tail import KnownTokens, TokenSums, largest_classes, largest_of_tokens
from ...problem.certificates.certificate import Certificate
from ...problem.certificates.nodes import Leaf
from ...problem.certificates.tail import LONGEST_PRICED, TailTerm
from ...problem.instance import Instance
from ...runtime.arrays import Bools, Int64
from ...runtime.limits import Deadline
from ...runtime.processes.parallel import SHARDS
from ..climbing.dual_point import DualPoint
from ..climbing.leaf_prices import LeafReader
from ..counting.price_counter import PriceCounter, largest
from ..rows.cuts import Cuts
from .tail import Tail, priced_substrings

_Result = TypeVar("_Result")
_Sums: TypeAlias = tuple[int, Int64, Int64, Bools]

_BITS = 20  # binary digits of a price, unless the counts are large
# sums of prices, and of what all tokens save, then fit in 63 bits
_TOTAL_BITS, _WORTH_BITS = 56, 57
_MERGE_BITS = 5  # what parts and needed tokens get is up to 20 times what prices give
_TOLLS = 6  # passes that compute multipliers
MOST_TRIED = 1 << 18
"""Number of words of the tail on which many multipliers are tried."""
_CLASS_BITS = 8, 22  # fewest and most


@dataclass(frozen=True)
class Tolls:
    """Known tokens and their multipliers (tolls), with which the words of the tail are priced.

    A toll of −1 is that of a token without one, which is not used.  If candidates are listed, all
    of them are known, and other tokens are worth nothing.
    """

    known: KnownTokens
    tolls: Int64
    n_items: int
    class_bits: int
    one: int
    is_list: bool

    def sums(self, tail: Iterable[WordCounts], sixteenths: int) -> _Sums:
        """Prices words of the tail.

        Returns Σ c·Σ d, the savings of each token and of each class of all other tokens, in units
        of 1 / (32 · one), and which tokens' multipliers change prices.
        """
        sizes = self.n_items, self.class_bits, self.one, LONGEST_PRICED, sixteenths
        sums = TokenSums(self.known, self.tolls, *sizes)
        for block in tail:
            sums.add(block.data.astype(np.int64), block.offsets, block.counts)
        classes = np.zeros_like(sums.classes) if self.is_list else sums.classes
        return sums.total, sums.sums, classes, sums.used


def _sums(shard: WordShard, tolls: Tolls, sixteenths: int) -> _Sums:
    return tolls.sums(shard.tail_blocks(), sixteenths)


class TailPrices:
    """Prices of a tail, and the lower bound that they prove for head and tail.

    `partcover.verification.tail_check` defines them.  A token of the head that is among the k best
    has no multiplier.  Any other has one that makes it worth as much as the k-th best, together
    with its savings in the tail.  These are first estimated from its frequency in the sample, then
    taken from the sums of each pass.

    `counter` has the words and candidates of the head, `certificate` what is proven for it.  The
    tokens of `sample`, the head with a sample of the tail, may have multipliers too.  If the tail
    has more than `MOST_TRIED` words, multipliers are `tried` on parts of another sample.  The k-th
    best token saves about `last_gain` tokens in all words.  A `stated` certificate gives digits,
    classes and multipliers.
    """

    def __init__(
        self,
        counter: PriceCounter,
        certificate: Certificate | None,
        words: HeadAndTail,
        tail: Tail,
        *,
        sample: Instance | None = None,
        tried: Sequence[WordCounts] = (),
        last_gain: int = 0,
        stated: Certificate | None = None,
    ) -> None:
        instance = counter.instance
        self.counter = counter
        self.all_words = words
        self.tail = tail
        self.tried = tried
        self.lower_bound = instance.words.total_count + tail.digest.total_count
        self.sixteenths = 0
        self._pass_seconds = 0.0  # of a pass over the tail, estimated from the sample
        self.is_list = instance.candidates is not None
        bits = min(max(tail.digest.words.bit_length() + 1, _CLASS_BITS[0]), _CLASS_BITS[1])
        self.class_bits = 1 if self.is_list else bits
        total = instance.words.total_symbols + tail.symbols
        room = min(_TOTAL_BITS - total.bit_length(), _WORTH_BITS - tail.worth.bit_length())
        if counter.merges is not None:
            room -= _MERGE_BITS
        if room < 1:
            raise InputError(
                f"{total} symbols are counted, which is too much for sums of 63 bits: scale the "
                "counts down, or leave out long words"
            )
        counter.refine(min(_BITS, room))
        term = None if stated is None else stated.tail
        if stated is not None and term is not None:
            if stated.scale_bits > counter.bits:
                raise InputError("the certificate's prices have more digits than can be counted")
            counter.refine(stated.scale_bits)
            self.class_bits = term.class_bits
        self.point = _point(counter, certificate)
        self.prices = self.point.prices.astype(np.int64)
        rewards = self.point.rewards(counter)
        self.rewards = rewards.units
        if int(np.abs(self.rewards).max(initial=0)) >= 1 << _WORTH_BITS:
            raise InputError("the multipliers of a leaf are too large to count with")
        self.total = rewards.total  # the head's bound before rewards are subtracted
        self.free = instance.k - len(instance.fixed)
        occurs = instance.index.find_tokens(instance.fixed).occurs.tolist()
        self.absent = [t for t, inside in zip(instance.fixed, occurs, strict=True) if not inside]
        self.n_absent = len(self.absent)
        self._find_known()
        least = largest(self.rewards[~counter.fixed], self.free)[1]
        self.least = max(least, last_gain * counter.one)
        named: list[Token] = []
        if instance.candidates is not None:
            named = self._others(list(instance.candidates))
        elif term is not None:
            named = self._others(list(term.token_multipliers))
        elif sample is not None:
            named = self._frequent(sample)
        self._find_tokens(named)
        longest = max([instance.max_length or LONGEST_PRICED, *map(len, instance.fixed)])
        known = KnownTokens(self.data, self.place, self.length, min(longest, LONGEST_PRICED))
        tolls = self._first_tolls(known) if term is None else self._stated(term, named)
        self.stated_tolls = tolls  # the multipliers of the best bound
        self.tolls = Tolls(known, tolls, self.n_items, self.class_bits, counter.one, self.is_list)

    def _find_known(self) -> None:
        """Finds the known tokens, and which words dominate among them."""
        counter, words = self.counter, self.counter.instance.words
        index = counter.instance.index
        number = index.numbers(index.find_words())
        is_known = (self.rewards > 0) | counter.fixed
        # a word may be in a group that is full, or may be made from a token inside it
        if counter.groups or counter.merges is not None:
            number = np.full(len(words), -1)
        is_known[number[number >= 0]] = True
        self.known = np.flatnonzero(is_known)
        place = np.cumsum(is_known) - 1
        dominates = number >= 0
        dominates[dominates] = ~counter.fixed[number[dominates]]
        self.words = np.flatnonzero(dominates).astype(np.int32)
        self.of_words = place[number[dominates]]
        # negative prices hide part of what the substrings of a word are worth: at most this much
        paid = np.zeros(len(words), np.int64)  # by each word as a token where it is the whole word
        for term in self.point.terms:
            if isinstance(term.family, Cuts):
                term.family.pay_as_words(term.over, number, words.offsets, paid)
        sums = np.add.reduceat(self.prices, words.offsets[:-1])
        most = np.add.reduceat(np.maximum(self.prices, 0), words.offsets[:-1])
        worth = np.maximum(sums - paid - counter.one, 0)
        hidden = np.maximum(most - counter.one, 0) - worth
        self.hidden = (words.counts * hidden)[dominates]

    def _find_tokens(self, named: list[Token]) -> None:
        """Finds the known, required, other and forbidden tokens, and where they stand."""
        counter, instance = self.counter, self.counter.instance
        absent = self.absent
        further = [*absent, *named, *instance.forbidden]
        data, begins = sym.packed(further, instance.symbols)
        self.data = np.concatenate([instance.words.data, data])
        sizes = np.diff(begins)
        begins = len(instance.words.data) + begins[:-1]
        first = counter.places[counter.lo[self.known]]
        self.place = np.concatenate([first, begins]).astype(np.int64)
        self.length = np.concatenate([counter.length[self.known], sizes]).astype(np.int32)
        # forbidden tokens are worth nothing
        self.n_items = len(self.known) + len(absent) + len(named)
        self.is_required = np.zeros(self.n_items, bool)
        self.is_required[: len(self.known)] = counter.fixed[self.known]
        self.is_required[len(self.known) : len(self.known) + len(absent)] = True
        self.most = (self.length[: self.n_items].astype(np.int64) - 1) * counter.one
        self.slack = np.full(self.n_items, self.least)
        self.slack[: len(self.known)] -= self.rewards[self.known]
        found = instance.index.find_tokens(named)
        self.lo, self.hi = (np.asarray(ends, np.int32) for ends in (found.lo, found.hi))

    def _others(self, tokens: list[Token]) -> list[Token]:
        """Returns the tokens that are neither known nor required nor forbidden."""
        instance = self.counter.instance
        named = {*instance.fixed, *instance.forbidden}
        keys = instance.index.find_tokens(tokens).key
        is_known = (keys >= 0) & np.isin(keys, self.counter.intervals.key[self.known])
        unknown = np.flatnonzero(~is_known).tolist()
        return [tokens[i] for i in unknown if tokens[i] not in named]

    def _frequent(self, sample: Instance) -> list[Token]:
        """Returns tokens that the head lacks and that may save much in the tail."""
        index, own = sample.promising_index(), self.counter.instance.index
        least = self.least // self.counter.one // 2
        if not least:
            return []
        # weights that times length - 1, which may exceed 63 bits, are enough
        enough = -(-least // (index.length.astype(np.int64) - 1))
        numbers = np.flatnonzero(index.weight >= enough)
        tokens = list(index.tokens(numbers))
        weight = index.weight[numbers] - own.weight_of(own.find_tokens(tokens))
        wanted = np.flatnonzero(weight >= enough[numbers]).tolist()
        return self._others([tokens[i] for i in wanted])

    def _first_tolls(self, known: KnownTokens) -> Int64:
        """Returns a multiplier for each token, from an estimate of its frequency in the tail."""

        def count(words: WordCounts) -> Int64:
            data = words.data.astype(np.int64)
            return known.weights(data, words.offsets, words.counts, LONGEST_PRICED)

        weights = sum(self._of_tried(count), np.zeros(len(self.place), np.int64))
        return self._with_limits(self.slack // np.maximum(weights[: self.n_items], 1))

    def _next_tolls(self, sums: Int64) -> Int64:
        """Returns multipliers with which each token saves about what it should in the tail."""
        worth = sums[: self.n_items] / 32.0
        ratio = np.maximum(self.slack, 0) / np.maximum(worth, 1)
        ratio = np.clip(np.where(ratio > 1, np.sqrt(ratio), ratio), 0.25, 2.0)
        now = self.tolls.tolls[: self.n_items]
        return self._with_limits((np.where(now < 0, self.most, now) * ratio).astype(np.int64))

    def _with_limits(self, toll: Int64) -> Int64:
        """Returns multipliers for all known tokens; −1 for tokens that cost what their symbols do.

        Tokens that are not known have one in any case, so that each forms a class.
        """
        toll = np.where(self.is_required | (self.slack <= 0), 0, toll)
        n_known, n_inside = len(self.known), len(self.known) + self.n_absent
        tolls = np.full(len(self.place), -1)
        tolls[:n_known] = np.where(toll < self.most, toll, -1)[:n_known]
        of_named = np.minimum(toll, self.most)
        if self.is_list:  # each forms a class in any case
            of_named = np.where(toll < self.most, toll, -1)
        tolls[n_inside : self.n_items] = of_named[n_inside:]
        return tolls

    def _stated(self, stated: TailTerm, named: list[Token]) -> Int64:
        """Returns the multipliers that a certificate states; −1 for tokens without one."""
        named_at = {token: i for i, token in enumerate(named, len(self.known) + self.n_absent)}
        keys = self.counter.intervals.key[self.known].tolist()
        known_at = {key: i for i, key in enumerate(keys)}
        found = self.counter.instance.index.find_tokens(stated.token_multipliers).key.tolist()
        tolls = np.full(len(self.place), -1)
        for (token, toll), key in zip(stated.token_multipliers.items(), found, strict=True):
            at = named_at.get(token, known_at.get(key))
            if at is None:
                raise InputError(
                    f"the certificate has a multiplier for {sym.show(token)!r}, which is not "
                    "allowed"
                )
            # a token that costs as much as its symbols is never used
            tolls[at] = min(toll, (len(token) - 1) * self.counter.one)
        return tolls

    def rounds(self, deadline: Deadline) -> Iterator[None]:
        """Tries multipliers, and their share in sixteenths; yields after each pass.

        If the tail is long, a sample decides, and the whole tail is read only a few times: first
        with prices without multipliers, so that there is a bound early.  No pass over the whole
        tail begins if it would end after the deadline.
        """
        if self.tail.digest.words <= MOST_TRIED or not self.tail.allows(self.tried):
            yield from self._tries(self.count, lambda: True)
            return
        best = self.count(0)
        yield

        def has_time() -> bool:
            return deadline.has_time_for(self._pass_seconds)

        number = yield from self._tries(self._estimate, has_time)
        # the largest sums over a sample are overestimated, so more shares are tried
        for further in range(max(number, 1), 17):
            if not has_time():
                return
            value = self.count(further)
            yield
            if value <= best:
                return
            best = value

    def _estimate(self, sixteenths: int) -> int:
        """Returns an estimate of the bound for a share in sixteenths, from the sample."""
        begun = time.monotonic()
        total, sums, classes, _ = self._added(
            self._of_tried(lambda words: self.tolls.sums([words], sixteenths))
        )
        if sixteenths:
            seconds = (time.monotonic() - begun) / max(1, sum(map(priced_substrings, self.tried)))
            self._pass_seconds = seconds * self.tail.substrings
        return self._value(total, sums, classes)

    def _of_tried(self, work: Callable[[WordCounts], _Result]) -> list[_Result]:
        """Returns the results of a function for each part of the sample."""
        results: dict[int, _Result] = {}
        self.counter.share(lambda n: results.update({n: work(self.tried[n])}), len(self.tried))
        return [results[n] for n in range(len(self.tried))]

    def _tries(
        self, count: Callable[[int], int], may_go_on: Callable[[], bool]
    ) -> Generator[None, None, int]:
        """Finds good multipliers and returns the best share in sixteenths.

        The bound is concave in the share, so a binary search finds the best.
        """
        values = {0: count(0)}
        yield
        best, tolls = -1, self.tolls
        for tried in range(_TOLLS):
            if tried and not may_go_on():
                break
            value = count(16)
            if value > best:
                best, tolls = value, self.tolls
            yield
            self.tolls = replace(self.tolls, tolls=self._next_tolls(self.sums))
        self.tolls = tolls
        values[16] = best
        for step in (8, 4, 2, 1):
            best = max(values, key=lambda n: values[n])
            for number in (best - step, best + step):
                if 0 <= number <= 16 and number not in values and may_go_on():
                    values[number] = count(number)
                    yield
        return max(values, key=lambda n: values[n])

    def count(self, sixteenths: int) -> int:
        """Computes the bound for a share in sixteenths, and keeps it if it is better.

        Returns the bound in units of 1 / (32 · one) of a token.
        """
        with self.all_words.lent(self.tolls) as tolls:
            total, sums, classes, used = self._added(self.all_words.map(_sums, tolls, sixteenths))
        value = self._value(total, sums, classes)
        bound = -(-value // (32 * self.counter.one))
        if bound > self.lower_bound:
            self.lower_bound, self.sixteenths = bound, sixteenths
            # other tokens that the head does not know have multipliers too: each forms a class
            used[len(self.known) :] |= not self.is_list
            self.stated_tolls = np.where(used, self.tolls.tolls, -1)
        return value

    def _added(self, parts: Iterable[_Sums]) -> _Sums:
        """Returns the sums over all words from the sums over parts."""
        total = 0
        sums = np.zeros(len(self.place), np.int64)
        classes = np.zeros(1 << self.class_bits, np.int64)
        used = np.zeros(len(self.place), bool)
        for of_words, of_tokens, of_classes, of_tolls in parts:
            total += of_words
            sums += of_tokens  # cannot overflow: `Tail.worth` and the number of digits ensure it
            classes += of_classes
            used |= of_tolls
        return total, sums, classes, used

    def _value(self, total: int, sums: Int64, classes: Int64) -> int:
        """Returns the bound from sums over the tail, and keeps the sums of tokens."""
        value = 32 * self.total + total
        items = sums[: self.n_items].copy()
        items[: len(self.known)] += 32 * self.rewards[self.known]
        value -= int(sum(items[self.is_required].tolist()))
        most = self._most_inside(sums, classes)
        in_head = 32 * (self.rewards[self.known[self.of_words]] + self.hidden)
        items[self.of_words] = in_head + np.maximum(sums[self.of_words], most)
        optional = np.concatenate([items[~self.is_required], classes])
        self.sums = sums
        return value - int(largest(optional, self.free)[0])

    def _most_inside(self, sums: Int64, classes: Int64) -> Int64:
        """Returns the largest savings in the tail of a token without a sum of its own.

        One value for each word that dominates, over the tokens inside it.
        """
        counter, head = self.counter, self.counter.instance.words
        named = sums[len(self.known) + self.n_absent : self.n_items]
        parts = [np.zeros(0, np.int64)] * SHARDS
        words = np.array_split(self.words, SHARDS)

        def work(n: int) -> None:
            arrays = head.data, head.offsets, words[n]
            parts[n] = largest_classes(classes, LONGEST_PRICED, *arrays)

        counter.share(work, SHARDS)
        most = np.concatenate(parts)
        is_long = np.diff(head.offsets)[self.words] > LONGEST_PRICED
        most[is_long] = np.maximum(most[is_long], named.max(initial=0))
        row_of = np.full(len(head), -1, np.int32)
        row_of[self.words] = np.arange(len(self.words), dtype=np.int32)
        word_of = counter.instance.index.word_of
        largest_of_tokens(named, self.lo, self.hi, counter.sa, word_of, row_of, most)
        return most

    def certificate(self) -> Certificate:
        """Returns the certificate of the best bound."""
        digest = self.tail.digest
        counter, instance = self.counter, self.counter.instance
        tolls = self.stated_tolls
        first = 0 if self.sixteenths or self.is_list else len(self.known)
        used = first + np.flatnonzero(tolls[first:] >= 0)
        begins = self.place[used]
        tokens = sym.slices(self.data, begins, begins + self.length[used], instance.symbols)
        term = TailTerm(
            self.all_words.n,
            digest.words,
            digest.total_count,
            digest.hexdigest(),
            dict(zip(tokens, tolls[used].tolist(), strict=True)),
            self.sixteenths,
            self.class_bits,
        )
        tree = (self.point.leaf(counter),)
        return Certificate.of(counter.asked, tree, self.lower_bound, counter.bits, term)


def _point(counter: PriceCounter, certificate: Certificate | None) -> DualPoint:
    """Returns the prices and cuts of a certificate's leaf in the units of the counter.

    Without a certificate, the prices give each word one token: no substring then saves more.
    """
    if certificate is None:
        return DualPoint.of_words(counter)
    (leaf,) = certificate.tree
    assert isinstance(leaf, Leaf)
    if leaf.prices is None:
        return DualPoint.of_words(counter)
    if leaf.is_plain:  # needs little memory
        prices = counter.prices_of(certificate)
        assert prices is not None
        return DualPoint(counter.rounded(prices))
    counter.refuse_other(certificate)
    return LeafReader(counter).prices(leaf, certificate.scale_bits)
