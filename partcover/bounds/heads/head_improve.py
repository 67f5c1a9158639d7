"""Finds a good vocabulary for all words, and bounds its gap, in the memory of the frequent ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from os import PathLike
from typing import Any

import numpy as np

from ...corpus.counting.head_and_tail import HeadAndTail
from ...corpus.word_counts import WordCounts
from ...heuristics.greedy import greedtok
from ...heuristics.search_steps import LocalSearch
from ...problem.certificates.certificate import Certificate
from ...problem.certificates.head import HeadCertificate
from ...problem.instance import Instance
from ...problem.memory_plan import refuse_beyond_memory
from ...problem.solution import Solution, Termination
from ...runtime.arguments import Budget, Int64, Seconds, Seed, Share, Threads, Whole, checked
from ...runtime.checkpoints import Checkpoints
from ...runtime.limits import RunLimits
from ...runtime.processes.parallel import ForEach, call_in_turn, workers
from ...runtime.progress import Progress
from ...vocabulary.vocabulary import Vocabulary
from ..counting.price_counter import leaf_prices
from ..lower_bound import bounds
from ..phase_events import PhaseEvents
from .head_bound import HeadBound
from .whole_words import WholeWords, split_words

__all__ = ["head_improve"]

_GREEDY_SECONDS = 0.5  # GreedTok has these whatever the limit
_SHARE = 0.4  # of the time, the most that the bound of the head takes
_PROVING = 20.0  # while the head is bounded, all words are priced in such a part of the time


@checked
def head_improve(
    words: WordCounts | HeadAndTail | str | PathLike[str],
    k: Budget,
    *,
    head: Whole,
    warm_start: Vocabulary | None = None,
    start_certificate: HeadCertificate | None = None,
    max_length: Int64 | None = None,
    required: Iterable[Any] = (),
    forbidden: Iterable[Any] = (),
    gap: Share = 0.0,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    executor: Executor | None = None,
    scratch: str | PathLike[str] | None = None,
    progress: Progress | None = None,
    checkpoint: Callable[[HeadBound], None] | None = None,
) -> HeadBound:
    """Finds a vocabulary that needs few tokens for all words in the memory of the frequent ones.

    Parameters
    ----------
    words : WordCounts or path
        The words; those of a file are read many times, in parts.
    k : int
        The budget.
    head : int
        How many of the most frequent words get prices of their own; the search looks at these, and
        at as many that stand for all others.
    warm_start : Vocabulary, optional
        A vocabulary to start from beside GreedTok's.
    start_certificate : HeadCertificate, optional
        A warm start for the bound, of the same words and head; it is kept where no better one is
        proven.
    max_length, required, forbidden
        As for `Instance`.
    gap : float
        The relative gap at which to stop.
    time_limit : float, optional
        Seconds for the whole call; up to two fifths go to the bound of the head.  Whatever it is,
        the words are read some ten times, and a certificate to start from is recounted.
    seed : int
        Random seed.
    threads : int
        Number of threads; the result is the same for any number where no limit cuts.
    executor, scratch
        As for `head_bound`: who reads the words.
    progress : Progress, optional
        Receives an `Event` for each phase, better vocabulary and better bound, of all words.
    checkpoint : callable, optional
        Receives the best so far, once there is a vocabulary and then every few seconds.  If it
        raises an exception the call goes on.

    Returns
    -------
    HeadBound
        The best vocabulary, the tokens that all words need by it, and a certified bound on them.

    Raises
    ------
    InputError
        As `head_bound` does, and for a start over other symbols or a certificate of other words.

    Notes
    -----
    A local search looks at the head, and at a sample of the tail with counts that stand for all of
    it.  What it finds is counted on all words, and is kept only if these need fewer tokens than by
    every vocabulary before, those of GreedTok and the warm start among them.  The bound is that of
    `head_bound`.

    Examples
    --------
    >>> from partcover import WordCounts, head_improve
    >>> words = WordCounts.from_counts({"that": 9, "hat": 5, "chat": 1, "what": 1})
    >>> best = head_improve(words, 1, head=2)
    >>> best.tokens, best.lower_bound, list(best.vocabulary)
    (27, 27, [b'hat'])
    """
    limits = RunLimits(time_limit, seed, threads)
    deadline = limits.start()
    split = split_words(words, head, executor, scratch)
    instance = Instance(
        split.head, k, max_length=max_length, required=required, forbidden=forbidden
    )
    whole = WholeWords(split, instance, threads)
    refuse_beyond_memory(whole.head, "search", is_head=True)
    run = _Run(whole, gap, limits, PhaseEvents(deadline, progress or Progress()), checkpoint)
    return run.made(warm_start, start_certificate)


class _Run:
    """The best vocabulary and proof so far, for all words."""

    def __init__(
        self,
        whole: WholeWords,
        gap: float,
        limits: RunLimits,
        phases: PhaseEvents,
        checkpoint: Callable[[HeadBound], None] | None,
    ) -> None:
        self.whole = whole
        self.gap = gap
        self.limits = limits
        self.phases = phases
        self.deadline = phases.deadline
        self.checkpoints = Checkpoints(checkpoint, lambda: self.best("time_limit"))
        self.incumbent: tuple[Vocabulary, int, int] | None = None
        self.proof: HeadCertificate | None = None
        self._count_seconds = 0.0  # that it takes to count what a vocabulary needs
        self._pricing_seconds = 0.0  # and to price all words
        self._priced: Certificate | None = None  # of the head, the last with which all were priced
        self._priced_at = 0.0

    def made(self, warm_start: Vocabulary | None, proof: HeadCertificate | None) -> HeadBound:
        """Makes the bound and the search, and returns the best of them."""
        self.phases.enter("greedtok")
        sample = self.whole.sample
        left = self.deadline.left
        patience = None if left is None else max(left, _GREEDY_SECONDS)
        greedy = self.whole.greedy(patience)
        self.offer(greedy.vocabulary, "greedtok")
        termination = greedy.termination
        try:
            if warm_start is not None:
                self.offer(self.whole.legal(warm_start), "start")
            if proof is not None:
                proof = self.whole.recounted(proof)
                self.keep(proof)
                self._priced = proof.head if proof.sixteenths else None
            self.checkpoints.offer()
            if termination == "completed":
                termination = self._bound()
            if termination != "interrupted" and not self.is_closed:
                termination = self._search(sample, greedy)
        except KeyboardInterrupt:
            termination = "interrupted"
        return self.best("gap" if termination == "completed" and self.is_closed else termination)

    def best(self, termination: Termination) -> HeadBound:
        """Returns the best vocabulary and proof so far."""
        assert self.incumbent is not None
        vocabulary, tokens, head_tokens = self.incumbent
        if self.proof is None:
            self.proof = self.whole.prices(None, call_in_turn).certificate(self.whole.words.n)
        return HeadBound(
            self.whole.head,
            self.proof,
            self.proof.lower_bound,
            int(self.proof.head.lower_bound),
            vocabulary,
            tokens,
            head_tokens,
            self.whole.tail.words,
            self.deadline.seconds,
            termination,
            "improve",
            self.limits.seed,
        )

    @property
    def is_closed(self) -> bool:
        """Whether the incumbent is as near to the bound as was asked for."""
        if self.incumbent is None or self.proof is None:
            return False
        tokens = self.incumbent[1]
        return tokens - self.proof.lower_bound <= self.gap * tokens

    def offer(self, vocabulary: Vocabulary, source: str) -> None:
        """Counts what a vocabulary needs for all words, and keeps it if that is less."""
        begun = time.monotonic()
        tokens, in_head = self.whole.tokens(vocabulary)
        self._count_seconds = time.monotonic() - begun
        if self.incumbent is None or tokens < self.incumbent[1]:
            self.incumbent = vocabulary.with_(method="improve"), tokens, in_head
            self.phases.offer("incumbent", tokens, None, source)

    def keep(self, proof: HeadCertificate) -> None:
        """Keeps a proof."""
        self.proof = proof
        self.phases.offer("bound", None, proof.lower_bound, "tail")

    def _bound(self) -> Termination:
        """Bounds the head, then all words."""
        self.phases.enter("bound")
        self._pricing_seconds = self.whole.pricing_seconds
        self._priced_at = time.monotonic()
        # as `head_bound` does: a token for each word of the head would be optimal for the head
        # where the budget allows it, but its prices are poor for the tail
        greedy = greedtok(
            self.whole.head, time_limit=self.deadline.left, threads=self.limits.threads
        )
        left = self.deadline.left
        limit = None if left is None else min(_SHARE * left, left - self._pricing_seconds)
        proven = bounds(
            self.whole.head,
            [self.whole.head.k],
            greedy=greedy,
            warm_starts=[] if self.proof is None else [self.proof.head],
            cuts=False,
            target_gap=self.gap or None,
            time_limit=None if limit is None else max(0.0, limit),
            threads=self.limits.threads,
            checkpoint=self._prove,
        )[0]
        if not self._is_priced(proven.certificate):
            self.phases.enter("tail")
            with workers(self.limits.threads) as share:
                self._price(proven.certificate, share, proven.termination == "interrupted")
        return proven.termination

    def _prove(self, certificate: Certificate) -> None:
        """Takes the proof of the head so far, while its bound goes on, now and then."""
        if time.monotonic() - self._priced_at < _PROVING * self._pricing_seconds:
            return
        if self._priced is None or certificate.lower_bound > self._priced.lower_bound:
            self._price(certificate, call_in_turn)

    def _is_priced(self, certificate: Certificate) -> bool:
        """Returns whether all words were last priced with the prices that a certificate has.

        Other prices that prove the same for the head may prove more for all words.
        """
        if self._priced is None:
            return False
        if self._priced.scale_bits != certificate.scale_bits:
            return False
        first, second = (leaf_prices(self.whole.head, each) for each in (self._priced, certificate))
        return first is not None and second is not None and np.array_equal(first, second)

    def _price(self, certificate: Certificate, share: ForEach, once: bool = False) -> None:
        """Prices all words beside a head of which a certificate is given, and keeps the proof."""
        begun = time.monotonic()
        prices = self.whole.prices(certificate, share)
        for _ in prices.rounds(self.whole.words, self.deadline):
            if self.proof is None or prices.lower_bound > self.proof.lower_bound:
                self.keep(prices.certificate(self.whole.words.n))
            self.checkpoints.offer(news=True)
            if self.deadline.is_over or once:
                break
        self._priced = certificate
        self._priced_at = time.monotonic()
        self._pricing_seconds = self._priced_at - begun

    def _search(self, sample: Instance, greedy: Solution) -> Termination:
        """Searches with a sample of the tail; what is better there is counted on all words."""
        self.phases.enter("search")
        assert self.incumbent is not None
        clock = self.deadline.earlier(2 * self._count_seconds)
        start = self.incumbent[0]
        search = LocalSearch(sample, greedy, start, 0.0, self.limits, clock, Progress())
        offered = Checkpoints(
            lambda solution: self.offer(solution.vocabulary, "search"), search.present
        )
        known = search.tokens
        termination: Termination
        try:
            with workers(min(self.limits.threads, 2)) as share:
                search.use(share)
                for _ in search.steps():
                    if search.tokens != known:
                        known = search.tokens
                        offered.offer(news=True)
                        self.checkpoints.offer()
                    if self.is_closed:
                        break
            termination = search.ended
        except KeyboardInterrupt:
            termination = "interrupted"
        if search.tokens is None:  # it has not begun: what it starts from has been counted
            return termination
        self.offer(search.solution(termination).vocabulary, "search")
        return termination
