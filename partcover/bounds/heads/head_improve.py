"""Finds a good vocabulary and a bound for all words, with only the frequent ones in memory."""

from __future__ import annotations

import time
from fractions import Fraction
from functools import cached_property

import numpy as np

from ...corpus.symbols import Token
from ...heuristics.search_steps import LocalSearch
from ...problem.bound import Bound
from ...problem.certificates.certificate import Certificate
from ...problem.certificates.nodes import Leaf
from ...problem.instance import Instance
from ...problem.memory_plan import refuse_beyond_memory
from ...problem.solution import Checkpoint, Solution, Termination
from ...runtime.checkpoints import Checkpoints
from ...runtime.limits import RunLimits
from ...runtime.phase_events import PhaseEvents
from ...runtime.processes.parallel import ForEach, call_in_turn, workers
from ...runtime.progress import Progress
from ...vocabulary.vocabulary import Vocabulary
from ..counting.price_counter import leaf_prices
from .head_bound import BoundHead
from .whole_words import WholeWords

__all__ = ["improve_by_head"]

_GREEDY_SECONDS = 0.5  # GreedTok always gets these seconds
_SHARE = 0.4  # largest share of the time that the bound of the head takes
_PROVING = 20.0  # while the head is bounded, pricing all words takes at most 1 / 20 of the time


def improve_by_head(
    instance: Instance,
    warm_start: Vocabulary | None,
    start_certificate: Certificate | None,
    gap: float,
    limits: RunLimits,
    progress: Progress,
    checkpoint: Checkpoint | None,
    bound_head: BoundHead,
    *,
    cuts: bool,
) -> Solution:
    """Finds a vocabulary that needs few tokens for all words, with only the head in memory.

    Notes
    -----
    A local search uses the head and a sample of the tail, whose counts are scaled to stand for the
    whole tail.  Each vocabulary that it finds is counted on all words, and is kept only if it needs
    fewer tokens than every earlier one, including those of GreedTok and the warm start.  The bound
    is that of `bound_by_head`; the certificate to start from is kept if no better one is proven.
    With merges, the search begins with the tokens of largest x in the bound of the head, and with
    the incumbent; it adds the parts of each token (`ClosedTokens`).

    Up to two fifths of the time go to the bound of the head.  The words are read about ten times,
    and a certificate to start from is recounted, whatever the limit.
    """
    refuse_beyond_memory(instance.alone, "search", is_head=True)
    whole = WholeWords(instance, limits.threads)
    run = _Run(
        whole, gap, limits, PhaseEvents(limits.start(), progress), checkpoint, bound_head, cuts=cuts
    )
    return run.made(warm_start, start_certificate)


class _Run:
    """The best vocabulary and certificate so far, for all words."""

    def __init__(
        self,
        whole: WholeWords,
        gap: float,
        limits: RunLimits,
        phases: PhaseEvents,
        checkpoint: Checkpoint | None,
        bound_head: BoundHead,
        *,
        cuts: bool,
    ) -> None:
        self.whole = whole
        self.bound_head = bound_head
        self.cuts = cuts
        self.gap = gap
        self.limits = limits
        self.phases = phases
        self.deadline = phases.deadline
        self.checkpoints = Checkpoints(checkpoint, lambda: self.best("time_limit"))
        self.incumbent: tuple[Vocabulary, int, int] | None = None
        self.proof: Certificate | None = None
        self._count_seconds = 0.0  # time to count the tokens of a vocabulary
        self._pricing_seconds = 0.0  # time to price all words
        # the last certificate of the head with which all words were priced
        self._priced: Certificate | None = None
        self._priced_at = 0.0
        self._proven_of_head: int | Fraction = 0  # the bound of that certificate
        self._taken: list[Token] = []  # tokens with the largest x in the relaxation of the head

    def made(self, warm_start: Vocabulary | None, proof: Certificate | None) -> Solution:
        """Runs the bound and the search, and returns the best results."""
        self.phases.enter("greedtok")
        left = self.deadline.left
        patience = None if left is None else max(left, _GREEDY_SECONDS)
        greedy = self.whole.greedy(patience)
        self.offer(self.whole.legal(greedy.vocabulary), "greedtok")
        termination = greedy.termination
        try:
            if warm_start is not None:
                self.offer(self.whole.legal(warm_start), "start")
            if proof is not None:
                proof = self.whole.recounted(proof)
                self.keep(proof)
                self._priced = proof if proof.tail and proof.tail.sixteenths else None
            self.checkpoints.offer()
            if termination == "completed":
                termination = self._bound()
            if termination != "interrupted" and not self.is_closed:
                termination = self._search(greedy)
        except KeyboardInterrupt:
            termination = "interrupted"
        return self.best("gap" if termination == "completed" and self.is_closed else termination)

    def best(self, termination: Termination) -> Solution:
        """Returns the best vocabulary and certificate so far."""
        assert self.incumbent is not None
        vocabulary, tokens, head_tokens = self.incumbent
        whole, proof = self.whole, self.proof or self._least
        bound = int(proof.lower_bound)
        return Solution.of(
            whole.instance,
            vocabulary,
            tokens,
            lower_bound=bound,
            status="optimal" if bound == tokens else "feasible",
            termination=termination,
            seconds=self.deadline.seconds,
            seed=self.limits.seed,
            threads=self.limits.threads,
            extra={"head_tokens": head_tokens, "head_words": len(whole.head.words)},
            certificate=proof,
        )

    @cached_property
    def _least(self) -> Certificate:
        """The certificate before there is one.  No bound begins at it: its prices are poor."""
        return self.whole.prices(None, call_in_turn).certificate(self.whole.words.n)

    @property
    def is_closed(self) -> bool:
        """Whether the gap is at most the one asked for."""
        if self.incumbent is None or self.proof is None:
            return False
        tokens = self.incumbent[1]
        return tokens - self.proof.lower_bound <= self.gap * tokens

    def offer(self, vocabulary: Vocabulary, source: str) -> None:
        """Counts the tokens of a vocabulary for all words, and keeps it if it needs fewer."""
        begun = time.monotonic()
        tokens, in_head = self.whole.tokens(vocabulary)
        self._count_seconds = time.monotonic() - begun
        if self.incumbent is None or tokens < self.incumbent[1]:
            self.incumbent = vocabulary.with_(method="improve"), tokens, in_head
            self.phases.offer("incumbent", tokens, None, source)

    def keep(self, proof: Certificate) -> None:
        """Keeps a certificate."""
        self.proof = proof
        self.phases.offer("bound", None, int(proof.lower_bound), "tail")

    def _bound(self) -> Termination:
        """Bounds the head, then all words."""
        self.phases.enter("bound")
        self._pricing_seconds = self.whole.pricing_seconds
        self._priced_at = time.monotonic()
        left = self.deadline.left
        limit = None if left is None else min(_SHARE * left, left - self._pricing_seconds)
        starts = [] if self.proof is None else [self.whole.of_head(self.proof)]
        seconds = None if limit is None else max(0.0, limit)
        proven = self._bound_of_head(seconds, starts, cuts=False)
        if not self.cuts or proven.termination != "completed" or self.is_closed:
            return proven.termination
        if seconds is not None:
            seconds = max(0.0, seconds - proven.seconds)
        return self._bound_of_head(seconds, [proven.certificate], cuts=True).termination

    def _bound_of_head(
        self, seconds: float | None, starts: list[Certificate], *, cuts: bool
    ) -> Bound:
        """Bounds the head, prices all words with its prices, and keeps the better certificate."""
        self.phases.enter("bound")
        proven = self.bound_head(self.whole.head, seconds, starts, cuts, self._prove)
        self._taken = proven.most_taken
        if not self._is_priced(proven.certificate):
            self.phases.enter("tail")
            with workers(self.limits.threads) as share:
                self._price(proven.certificate, share, proven.termination == "interrupted")
        return proven

    def _prove(self, certificate: Certificate) -> None:
        """Prices all words now and then while the bound of the head is still running."""
        if time.monotonic() - self._priced_at < _PROVING * self._pricing_seconds:
            return
        if self._priced is None or certificate.lower_bound > self._proven_of_head:
            self._proven_of_head = certificate.lower_bound
            self._price(certificate, call_in_turn)

    def _is_priced(self, certificate: Certificate) -> bool:
        """Returns whether all words were last priced with the prices of this certificate.

        Other prices that prove the same bound for the head may prove more for all words.
        """
        if self._priced is None:
            return False
        leaves = [node for proof in (self._priced, certificate) for node in proof.tree]
        if any(isinstance(leaf, Leaf) and not leaf.is_plain for leaf in leaves):
            return self._priced is certificate
        if self._priced.scale_bits != certificate.scale_bits:
            return False
        head, both = self.whole.head.unmerged, (self._priced, certificate)
        first, second = (leaf_prices(head, each) for each in both)
        return first is not None and second is not None and np.array_equal(first, second)

    def _price(self, certificate: Certificate, share: ForEach, once: bool = False) -> None:
        """Prices all words with the certificate of a head, and keeps the result."""
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

    def _search(self, greedy: Solution) -> Termination:
        """Searches with a sample of the tail; counts each better vocabulary on all words."""
        self.phases.enter("search")
        assert self.incumbent is not None
        clock = self.deadline.earlier(2 * self._count_seconds)
        start, sample = self.incumbent[0], self.whole.sample
        if sample.merges is not None:
            for wanted in (self._taken, start):
                found, _ = self.whole.closed.search([*wanted, *greedy.vocabulary], clock)
                self.offer(sample.vocabulary(found, "improve"), "search")
            return "time_limit" if clock.is_over else "completed"
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
        # it has not begun: the vocabularies that it starts from are counted already
        if search.tokens is None:
            return termination
        self.offer(search.solution(termination).vocabulary, "search")
        return termination
