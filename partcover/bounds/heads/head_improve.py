"""Finds a good vocabulary and a bound for all words, with only the frequent ones in memory."""

from __future__ import annotations

import time

from ...heuristics.search_steps import LocalSearch
from ...problem.certificates.certificate import Certificate
from ...problem.memory_plan import Work
from ...problem.solution import Checkpoint, Solution, Termination
from ...runtime.checkpoints import Checkpoints
from ...runtime.processes.parallel import workers
from ...runtime.progress import Progress
from ...vocabulary.vocabulary import Vocabulary
from .head_bound import HeadRun

_GREEDY_SECONDS = 0.5  # GreedTok always gets these seconds


class HeadImprovement(HeadRun):
    """Finds a vocabulary that needs few tokens for all words, with only the head in memory.

    A local search uses the head and a sample of the tail, whose counts are scaled to stand for the
    whole tail.  Each vocabulary that it finds is counted on all words, and is kept only if it needs
    fewer tokens than every earlier one, including those of GreedTok and the warm start.  The
    certificate to start from is kept if no better one is proven.  With merges, the search begins
    with the tokens of largest x in the bound of the head, and with the incumbent; it adds the parts
    of each token (`ClosedTokens`).

    The words are read about ten times, and a certificate to start from is recounted, whatever the
    limit.
    """

    work: Work = "search"
    share = 0.4
    incumbent: tuple[Vocabulary, int, int] | None = None
    _count_seconds = 0.0  # time to count the tokens of a vocabulary

    def solution(
        self,
        start: Vocabulary | None,
        proof: Certificate | None,
        gap: float,
        checkpoint: Checkpoint | None,
    ) -> Solution:
        """Runs the bound and the search, and returns the best results."""
        self.gap = gap
        self.checkpoints = Checkpoints(checkpoint, lambda: self.best("time_limit"))
        self.phases.enter("greedtok")
        left = self.deadline.left
        greedy = self.whole.greedy(None if left is None else max(left, _GREEDY_SECONDS))
        self.offer(self.whole.legal(greedy.vocabulary), "greedtok")
        termination = greedy.termination
        try:
            if start is not None:
                self.offer(self.whole.legal(start), "start")
            if proof is not None:
                proof = self.whole.recounted(proof)
                self.keep(proof)
                self._priced = proof if proof.tail and proof.tail.sixteenths else None
            self.checkpoints.offer()
            if termination == "completed":
                termination = self.prove(proof, self.prove_now_and_then).termination
            if termination != "interrupted" and not self.is_closed:
                termination = self._search(greedy)
        except KeyboardInterrupt:
            termination = "interrupted"
        return self.best("gap" if termination == "completed" and self.is_closed else termination)

    def best(self, termination: Termination) -> Solution:
        """Returns the best vocabulary and certificate so far."""
        assert self.incumbent is not None
        vocabulary, tokens, head_tokens = self.incumbent
        bound = int(self.certificate.lower_bound)
        return Solution.of(
            self.whole.instance,
            vocabulary,
            tokens,
            lower_bound=bound,
            status="optimal" if bound == tokens else "feasible",
            termination=termination,
            seconds=self.deadline.seconds,
            seed=self.limits.seed,
            threads=self.limits.threads,
            extra={"head_tokens": head_tokens, "head_words": len(self.whole.head.words)},
            certificate=self.certificate,
        )

    def offer(self, vocabulary: Vocabulary, source: str) -> None:
        """Counts the tokens of a vocabulary for all words, and keeps it if it needs fewer."""
        begun = time.monotonic()
        tokens, in_head = self.whole.tokens(vocabulary)
        self._count_seconds = time.monotonic() - begun
        if self.incumbent is None or tokens < self.incumbent[1]:
            self.incumbent = vocabulary.with_(method="improve"), tokens, in_head
            self.phases.offer("incumbent", tokens, None, source)

    def _search(self, greedy: Solution) -> Termination:
        """Searches with a sample of the tail; counts each better vocabulary on all words."""
        self.phases.enter("search")
        assert self.incumbent is not None
        clock = self.deadline.earlier(2 * self._count_seconds)
        start, sample = self.incumbent[0], self.whole.sample
        if sample.merges is not None:
            taken = [] if self.of_head is None else self.of_head.most_taken
            for wanted in (taken, start):
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
