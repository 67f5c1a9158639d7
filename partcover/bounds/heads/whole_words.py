"""Counts tokens of vocabularies and bounds of prices over all words of a head and its tail."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from ...corpus.counting.head_and_tail import WordShard, words_between
from ...corpus.symbols import Symbols, Token
from ...corpus.word_counts import WordCounts
from ...errors import InputError
from ...heuristics.closed_tokens import ClosedTokens
from ...heuristics.greedy import greedtok
from ...problem.certificates.certificate import Certificate
from ...problem.group_budget import GroupBudgets
from ...problem.instance import Instance
from ...problem.solution import Solution
from ...runtime.processes.parallel import ForEach, call_in_turn
from ...segmentation.segmentation import segment
from ...verification.certificate_check import mismatches
from ...verification.merge_check import unmade_tokens
from ...vocabulary.rules import SegmentationRule
from ...vocabulary.vocabulary import Vocabulary
from ..counting.price_counter import PriceCounter
from .tail import Tail, priced_substrings
from .tail_prices import MOST_TRIED, TailPrices

_FOUND_SECONDS, _PRICED_SECONDS = 1e-7, 8e-8  # time for a substring of the head, and of the tail
_TRIES = 4  # fewest trials of multipliers
_PARTS = 4  # parts of the sample on which prices are tried: threads share them


class WholeWords:
    """All words of a head and a tail, which is read in blocks, with the budget and conditions."""

    _greedy: Solution | None = None

    def __init__(self, instance: Instance, threads: int) -> None:
        assert instance.tail is not None
        self.instance = instance
        self.words = instance.tail
        self.threads = threads

    @cached_property
    def head(self) -> Instance:
        """The head, whose merges need not make whole words of the tail if the condition says so."""
        head = self.instance.alone
        if head.merges is None:
            return head
        words: set[Token] = set()
        if head.merges.whole_words:
            words = self.words.among(frozenset(head.unmerged.index.tokens()))
        given = replace(head, merges=head.merges.giving(words))
        given.__dict__["unmerged"] = head.unmerged
        return given

    @cached_property
    def tail(self) -> Tail:
        """The sums over the tail."""
        tail = Tail(self.head.symbols)
        for part in self.words.map(_tail_of, self.head.symbols):
            tail.include(part)
        return tail

    def tokens(self, vocabulary: Vocabulary) -> tuple[int, int]:
        """Returns the tokens that a vocabulary needs: for all words, and for the head."""
        rule = self.instance.rule
        in_head = _needed([self.words.head], vocabulary, rule, self.threads)
        return in_head + sum(self.words.map(_needed_by_tail, vocabulary, rule)), in_head

    @cached_property
    def sample(self) -> Instance:
        """An instance of the head and a sample of equal size that stands for the tail."""
        return replace(self.head, corpus=self.words.with_sample(self.words.n))

    @cached_property
    def closed(self) -> ClosedTokens:
        """Vocabularies for the sample in which merges make every token."""
        return ClosedTokens(self.sample)

    @cached_property
    def tried(self) -> list[WordCounts]:
        """A sample of the tail on which prices are tried, in parts."""
        words = self.words.sample(MOST_TRIED)
        cuts = np.linspace(0, len(words), _PARTS + 1).astype(int).tolist()
        return [words_between(words, *cut) for cut in pairwise(cuts)]

    @property
    def pricing_seconds(self) -> float:
        """An estimate of the time to find multipliers for the tail and to price it once."""
        tried = min(sum(map(priced_substrings, self.tried)), self.tail.substrings)
        in_tail = _TRIES * tried + self.tail.substrings
        workers = 1 if self.words.executor is None else self.threads
        in_head = priced_substrings(self.words.head)
        return _FOUND_SECONDS * in_head + _PRICED_SECONDS * in_tail / workers

    def greedy(self, limit: float | None = None) -> Solution:
        """Returns GreedTok's solution for the sample; it is computed once."""
        if self._greedy is None:
            self._greedy = greedtok(self.sample.unmerged, time_limit=limit, threads=self.threads)
        return self._greedy

    def legal(self, vocabulary: Vocabulary) -> Vocabulary:
        """Returns the first k tokens of a vocabulary that the conditions allow.

        If merges do not make all of them, it returns the first ones that they can make from tokens
        of the sample, with their parts.
        """
        head = self.head
        if vocabulary.symbols != head.symbols:
            raise InputError(
                f"the start is over {vocabulary.symbols}, the words over {head.symbols}"
            )
        excluded = {*head.forbidden, *head.fixed}
        longest = head.max_length or 2**31
        listed = None if head.candidates is None else set(head.candidates)
        budgets = GroupBudgets(head.groups, head.fixed)
        allowed = (
            token
            for token in vocabulary
            if token not in excluded
            and len(token) <= longest
            and (listed is None or token in listed)
            and budgets.admit(token)
        )
        tokens: Sequence[Token] = [*head.fixed, *allowed][: head.k]
        if head.merges is not None and unmade_tokens(tokens, head.merges, self.instance):
            tokens = self.closed.first(vocabulary)
        return head.vocabulary(tokens, vocabulary.method)

    def prices(self, certificate: Certificate | None, share: ForEach) -> TailPrices:
        """Returns prices of the tail for the prices in a certificate of the head, if given."""
        counter = PriceCounter(self.head, share)
        gains = self.greedy().gains
        last_gain = gains[-1] if len(gains) == self.head.k > len(self.head.fixed) else 0
        sample = None if certificate is None else self.sample.unmerged
        about = counter, certificate, self.words, self.tail
        return TailPrices(*about, sample=sample, tried=self.tried, last_gain=last_gain)

    def of_head(self, proof: Certificate) -> Certificate:
        """Returns the part of a certificate, for any k, that is about the head alone."""
        if problems := mismatches(self.instance.with_k(proof.k), proof):
            raise InputError(problems[0])
        head = self.head.with_k(proof.k)
        return Certificate.of(head, proof.tree, head.words.total_count, proof.scale_bits)

    def recounted(self, proof: Certificate) -> Certificate:
        """Returns a certificate in the form that is counted here, with the bound that it proves."""
        problems = mismatches(self.instance, proof)
        term = proof.tail
        if term is None or term.sha256 != self.tail.digest.hexdigest():
            problems.append("the certificate is about a tail of other words or counts")
        if problems or term is None:
            raise InputError(problems[0])
        counter = PriceCounter(self.head, call_in_turn)
        prices = TailPrices(counter, replace(proof, tail=None), self.words, self.tail, stated=proof)
        prices.count(term.sixteenths)
        return prices.certificate()


def _tail_of(shard: WordShard, symbols: Symbols) -> Tail:
    return Tail(symbols, shard.tail_blocks())


def _needed_by_tail(shard: WordShard, vocabulary: Vocabulary, rule: SegmentationRule) -> int:
    return _needed(shard.tail_blocks(), vocabulary, rule, 1)


def _needed(
    parts: Iterable[WordCounts], vocabulary: Vocabulary, rule: SegmentationRule, threads: int
) -> int:
    return sum(segment(part, vocabulary, rule, threads=threads).tokens for part in parts)
