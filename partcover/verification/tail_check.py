"""Checks certificates of a head and a tail in plain Python, without the code of the kernels.

The tail is read word by word.  Memory is used only for the head, and for one number of each class.

docs/concepts/certificates.md, "A head and a tail", has the statement and its proof, which do not
depend on how multipliers (`toll` in the code) and classes were chosen, or on which words form the
head.  A word of the tail may also be one of the head, and may come several times, as the parts of
words do that are split at protected tokens.  In the code the candidates are

- *known*: candidates with r(T) > 0 that occur in several words of the head, or in one that does not
  dominate; required tokens; and the words that *dominate*: those of the head that are candidates,
  without group budgets and merges;
- *alone*: tokens with a multiplier, or listed candidates, each of which is a class by itself;
- others, which are in 2^b classes by a hash.  If candidates are listed, other tokens are in none.

For a word W of the head that dominates, e(W) is the amount by which Σ max(0, d) over W exceeds 1,
and x(W) that by which Σ d, minus what W pays over itself, exceeds 1, both at least 0.  Items are

    item of W     = r(W) + c(W)·(e(W) − x(W)) + max(t(W), H(j) of each shorter substring of W)
    item of T     = r(T) + t(T)      for other known tokens that are not required
    item of class = H(j)
"""

from __future__ import annotations

import operator
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import accumulate, chain

from ..corpus import symbols as sym
from ..corpus.counting.head_and_tail import HeadAndTail, WordShard
from ..corpus.symbols import Symbols, Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.certificates.nodes import Leaf
from ..problem.certificates.tail import LONGEST_PRICED, MOST_TOKENS, TailDigest, TailTerm
from ..problem.instance import Instance
from .leaf_bound import LeafCase, case_rewards
from .leaf_terms import LeafTerms
from .sorted_words import SortedWords

_MASK = (1 << 64) - 1
_FACTOR = 0x9E3779B97F4A7C15


def tail_bound(
    head: Instance, words: HeadAndTail, leaf: Leaf, scale_bits: int, term: TailTerm
) -> int:
    """Returns the lower bound for all words that a leaf and the term of a tail prove.

    All arithmetic is in Python integers.  A word of n symbols in the tail takes O(n²) look-ups.
    Memory is that of checking the head, plus 8 bytes for each class.  A leaf or term that is not
    valid, or about other words, is refused.
    """
    count = _Count(head, leaf, scale_bits, term)
    sums = _TailSums(count.rule)
    try:
        with words.lent(count.rule) as rule:
            for part in words.map(_sums_of_tail, rule):
                sums.include(part)
    except OverflowError:
        raise InputError("the tokens of a class are worth more than 63 bits hold") from None
    found = sums.digest.words, sums.digest.total_count, sums.digest.hexdigest()
    if found != (term.words, term.total_count, term.sha256):
        raise InputError("the certificate is about a tail of other words or counts")
    return max(count.bound(sums), sums.digest.total_count + sum(count.words.counts))


def head_of(instance: Instance, leaf: Leaf) -> Instance:
    """Returns the head, whose merges need not make those tokens of a leaf that are whole words."""
    head, merges = instance.alone, instance.merges
    if merges is None or not merges.whole_words or instance.tail is None:
        return head
    made = {left + right for left, right in merges.pairs or ()}  # type: ignore[operator]
    words = instance.tail.among({*made, *(charge.token for charge in leaf.charges)})
    return replace(head, merges=merges.giving(words))


@dataclass(frozen=True)
class _Rule:
    """What determines the prices of a tail, and where a token's gains are summed."""

    symbols: Symbols
    one: int
    tolls: Mapping[Token, int]
    sixteenths: int
    known: Collection[Token]
    forbidden: frozenset[Token]
    longest: int
    class_bits: int
    is_list: bool  # no other tokens are candidates

    @property
    def shift(self) -> int:
        """Number of bits of a hash that do not select the class."""
        return 64 - self.class_bits


class _TailSums:
    """The sums over words of a tail, of 32 times the prices, which are integers."""

    def __init__(self, rule: _Rule, blocks: Iterable[WordCounts] = ()) -> None:
        self.digest = TailDigest(rule.symbols)
        self.total = 0
        self.known: Counter[Token] = Counter()
        self.classes = array("q", bytes(8 << rule.class_bits))
        for word, count in chain.from_iterable(blocks):
            self.digest.add(word, count)
            self._add(word, count, rule)

    def include(self, other: _TailSums) -> None:
        """Adds the sums over other words."""
        self.digest.include(other.digest)
        self.total += other.total
        self.known.update(other.known)
        self.classes = array("q", map(operator.add, self.classes, other.classes))

    def _add(self, word: Token, count: int, rule: _Rule) -> None:
        """Adds the prices of a word, and the gains of tokens at these prices."""
        size, one, tolls, known = len(word), rule.one, rule.tolls, rule.known
        if size > LONGEST_PRICED:
            self.total += 32 * one * count
            return
        ending: list[list[tuple[int, int]]] = [[] for _ in range(size + 1)]
        beginning: list[list[tuple[int, int]]] = [[] for _ in range(size + 1)]
        places = [
            (start, end)
            for start in range(size - 1)
            for end in range(start + 2, min(start + rule.longest, size) + 1)
        ]
        for start, end in places:
            toll = tolls.get(word[start:end])
            if toll is not None:
                ending[end].append((start, one + toll))
                beginning[start].append((end, one + toll))
        before, behind = [0] * (size + 1), [0] * (size + 1)
        for p in range(1, size + 1):
            costs = (before[start] + cost for start, cost in ending[p])
            before[p] = min([before[p - 1] + one, *costs])
        for p in range(size - 1, -1, -1):
            costs = (behind[end] + cost for end, cost in beginning[p])
            behind[p] = min([behind[p + 1] + one, *costs])
        ends = [0, *[one] * (size - 1), min(size, 2) * one]
        tolled = rule.sixteenths if before[size] <= MOST_TOKENS * one else 0
        level = [
            tolled * (before[p] - behind[p]) + (16 - tolled) * 2 * ends[p] for p in range(size + 1)
        ]
        self.total += count * (level[size] - level[0])
        for start, end in places:
            worth = level[end] - level[start] - 32 * one
            if worth > 0:
                token = word[start:end]
                if token in known:
                    self.known[token] += count * worth
                elif token not in rule.forbidden and not rule.is_list:
                    self.classes[_hashes(token)[-1] >> rule.shift] += count * worth


def _sums_of_tail(shard: WordShard, rule: _Rule) -> _TailSums:
    return _TailSums(rule, shard.tail_blocks())


class _Count:
    """The sums over the words of the head, and the bound."""

    def __init__(self, head: Instance, leaf: Leaf, scale_bits: int, term: TailTerm) -> None:
        self.instance = head
        self.words = words = SortedWords(head).weighted(leaf.weights)
        self.one = 1 << scale_bits
        self.longest_candidate = head.max_length or 1 << 62
        self.forbidden = frozenset(head.forbidden)
        prices = leaf.unpacked(len(words.count_at), scale_bits)
        assert prices is not None
        self.prices = prices.tolist()
        self.terms = LeafTerms(leaf, words, head)
        fixed = frozenset(head.fixed)
        self.case = LeafCase(self.prices, fixed, frozenset(), self.terms, words, leaf.weights)
        self.rewards = {
            token: reward
            for token, reward in case_rewards(head, words, self.case, self.one).items()
            if reward > 0 or token in fixed
        }
        for token in fixed.difference(words.starts_of(fixed)):
            self.rewards[token] = self.terms.gives(token)
        self.words_dominate = not head.groups and head.merges is None
        for token in sorted({token for cut in leaf.cuts for token in cut.tokens}):
            if self.words_dominate and token not in self.rewards:
                raise InputError(
                    f"a cut is over {sym.glance(token)!r}, which has no reward in the head"
                )
        self.listed = None if head.candidates is None else set(head.candidates)
        known = {*self.rewards, *head.fixed, *filter(self._dominates, words.words)}
        if not term.token_multipliers.keys().isdisjoint(self.forbidden):
            raise InputError("a forbidden token has a multiplier")
        self.alone = term.token_multipliers.keys() - known
        if self.listed is not None:
            if not self.listed.union(fixed).issuperset(term.token_multipliers):
                raise InputError("a token that is no candidate has a multiplier")
            self.alone = self.listed - self.forbidden - known
        self.rule = _Rule(
            head.symbols,
            self.one,
            dict(term.token_multipliers),
            term.sixteenths,
            known | self.alone,
            self.forbidden,
            max([self.longest_candidate, *map(len, head.fixed)]),
            term.class_bits,
            self.listed is not None,
        )
        total = sum(n * d for n, d in zip(words.count_at, self.prices, strict=True))
        self.total = 32 * (total - self.terms.loss)

    def _dominates(self, word: Token) -> bool:
        if not self.words_dominate or not (self.listed is None or word in self.listed):
            return False
        return 2 <= len(word) <= self.longest_candidate and word not in self.forbidden

    def bound(self, tail: _TailSums) -> int:
        """Returns the lower bound that follows from the sums over the tail."""
        head, in_tail = self.instance, tail.known
        items = {
            token: 32 * self.rewards.get(token, 0) + in_tail[token] for token in self.rule.known
        }
        required = set(head.fixed)
        value = self.total + tail.total - sum(items.pop(token) for token in required)
        words = self.words
        of_all = max([*(in_tail[token] for token in self.alone), max(tail.classes)])
        for word, count, first in zip(words.words, words.counts, words.first, strict=True):
            if not self._dominates(word) or word in required:
                continue
            last = first + len(word)
            excess = max(0, sum(max(0, d) for d in self.prices[first:last]) - self.one)
            before = self.case.prices_before(word, [first])
            excess -= max(0, before[last] - before[first] - self.one)
            is_long = len(word) > LONGEST_PRICED
            largest_class = of_all if is_long else self._largest_class(word, tail)
            items[word] = 32 * (self.rewards.get(word, 0) + count * excess)
            items[word] += max(in_tail[word], largest_class)
        largest = nlargest(head.k - len(required), chain(items.values(), tail.classes))
        proven: int = -(-(value - sum(largest)) // (32 * self.one))
        return proven

    def _largest_class(self, word: Token, tail: _TailSums) -> int:
        """Returns the largest class sum among the shorter substrings of a word; O(symbols²)."""
        size, classes = len(word), tail.classes
        largest = 0
        for start in range(size - 1):
            ends = range(start + 2, size + (start > 0))
            tokens = (word[start:end] for end in ends)
            alone = (tail.known[token] for token in tokens if token in self.alone)
            keys = _hashes(word[start:])[1 : len(ends) + 1]
            of_hashes = (classes[key >> self.rule.shift] for key in keys)
            largest = max([largest, *alone, *of_hashes])
        return largest


def _hashes(word: Token) -> list[int]:
    """Returns the hash of each prefix of a word."""
    symbols = map(ord, word) if isinstance(word, str) else iter(word)
    keys = accumulate(symbols, lambda key, s: (key + s + 1) * _FACTOR & _MASK, initial=0)
    return list(keys)[1:]
