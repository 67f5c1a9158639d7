"""Bounds the largest ratio over several corpora, and searches for a vocabulary near the bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..analysis.by_corpus import tokens_by_corpus
from ..corpus.symbols import Token
from ..errors import VerificationError
from ..heuristics.corpora_exchange import ExchangeSearch
from ..heuristics.corpora_greedy import WeightedGreedy
from ..heuristics.weight_steps import WeightSteps
from ..problem.bound import Bound
from ..problem.certificates.certificate import Certificate, leaves_weighted, of_weighted
from ..problem.certificates.nodes import Leaf
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.checkpoints import Checkpoints
from ..runtime.limits import Deadline, RunLimits
from ..runtime.progress import Progress
from ..verification.certificate_check import check_certificate
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .climbing.best_prices import refuse_below

_GREEDY = 0.15  # share of the time for GreedTok
_ROUNDS = 6  # rounds of weights; the last one uses cuts
_SHARE = 1.5  # a round gets the remaining time divided by this
_EXCHANGE = 0.1  # share of the time for exchanges
_KICKS = 12  # exchanges end after this many random restarts in a row without gain
_STEP = 1.0  # the first step from GreedTok's weights


def round_seconds(left: float | None, rounds: int) -> float | None:
    """Returns the time of the next round: two thirds of what is left, or all for the last round.

    The first round has no prices to start from, and GreedTok's weights are already good.  If each
    round gets a sixth of the time, the first bound is not finished in 5 seconds: the gaps are 2.1,
    2.4 and 37 % on three, two and six corpora, instead of 1.0, 1.1 and 3.9 %.  Giving all of the
    time to the first round is as good there, but leaves none for better weights: 0.85 % in 30
    seconds, instead of 0.65 %.
    """
    return None if left is None else left / min(rounds, _SHARE)


@dataclass(eq=False)
class WeightedRounds:
    """The best vocabulary and the best bound so far, over rounds of weights.

    `greedtok` gives the first weights and vocabulary, and a round runs `improve` or `lower_bound`
    on weighted words; `improve` says how weights and vocabularies go on.
    """

    instance: Instance
    limits: RunLimits
    gap: float
    progress: Progress
    run: Callable[..., Bound] | Callable[..., Solution]
    checkpoint: InitVar[Callable[[Any], None] | None]
    cuts: bool  # whether the last round uses cuts
    searches: bool = False  # whether the vocabularies of rounds are kept
    known: Fraction | None = None  # the given largest ratio of a vocabulary

    def __post_init__(self, checkpoint: Callable[[Any], None] | None) -> None:
        assert self.instance.corpora is not None
        self.corpora = self.instance.corpora
        best = self.present if self.searches else lambda: self.certificate
        self.checkpoints: Checkpoints[Any] = Checkpoints(checkpoint, best)
        self.deadline: Deadline = self.limits.start()
        self.best: list[Token] = []
        self.tokens: tuple[int, ...] = ()
        self.certificate: Certificate | None = None
        # the bound of the round that proved most
        self.relaxed: tuple[Bound, Sequence[int]] | None = None
        self.shares: Sequence[float] = ()
        self.prices: Certificate | None = None
        self.n_rounds = 0
        self.seen: list[list[Token]] = []
        self.termination: Termination = "completed"

    @property
    def worst(self) -> Fraction | None:
        """The largest ratio of the best vocabulary."""
        return max(self.corpora.ratios(self.tokens)) if self.tokens else self.known

    @property
    def is_closed(self) -> bool:
        """Whether the gap is at most the one asked for."""
        if self.worst is None or self.certificate is None:
            return False
        return self.worst - self.certificate.lower_bound <= Fraction(self.gap) * self.worst

    def count(self, chosen: list[Token]) -> tuple[int, ...]:
        """Returns the tokens that each corpus needs with a vocabulary."""
        vocabulary = self.instance.vocabulary(chosen, "improve")
        return tokens_by_corpus(self.instance, vocabulary, threads=self.limits.threads)

    def offer(self, chosen: list[Token], tokens: tuple[int, ...]) -> None:
        """Keeps a vocabulary if its largest ratio is smaller, or on a tie its sum of ratios."""
        ratios, held = self.corpora.ratios(tokens), self.corpora.ratios(self.tokens or tokens)
        if not self.tokens or (max(ratios), sum(ratios)) < (max(held), sum(held)):
            self.best, self.tokens = chosen, tokens

    def offer_checked(self, vocabulary: Vocabulary) -> None:
        """Keeps a given vocabulary if it satisfies the conditions."""
        recount = verify(self.instance, vocabulary)
        if not recount.ok:
            raise VerificationError(recount.problems[0])
        self.offer(list(vocabulary), self.count(list(vocabulary)))

    def start_from(self, certificate: Certificate) -> None:
        """Keeps the bound of a certificate, and starts from its weights and prices."""
        check = check_certificate(self.instance, certificate)
        if not check.ok:
            raise VerificationError(
                f"the certificate to start from is not valid: {check.problems[0]}"
            )
        self.certificate = replace(certificate, lower_bound=check.lower_bound)
        weights = next(leaves_weighted(certificate))
        # otherwise some words have no prices; the prices of a tail depend on the weights
        if min(weights) > 0 and len(certificate.tree) == 1 and certificate.tail is None:
            self.prices = certificate
        self.shares = self.corpora.shares(weights)

    def make(self, *, offers: bool) -> None:
        """Makes all rounds, then exchanges tokens; `offers`: keeps the vocabulary of GreedTok."""
        try:
            self._begin(offers=offers)
            if self.searches and self.tokens:
                self.checkpoints.offer()
            self._rounds()
            if self.searches:
                self._exchange()
        except KeyboardInterrupt:
            if not (self.tokens if self.searches else self.relaxed):
                raise
            self.termination = "interrupted"

    def _begin(self, *, offers: bool) -> None:
        """Runs GreedTok on weighted corpora for first weights, unless a certificate has some."""
        offers &= self.instance.tail is None  # of a head and a tail, only the heads are looked at
        if self.shares and (self.tokens or not offers):
            return
        if self.instance.merges is not None:  # GreedTok does not support merges
            self.shares = self.shares or [1 / len(self.corpora)] * len(self.corpora)
            return
        left = self.deadline.left
        clock = Deadline(None if left is None else _GREEDY * left)
        greedy = WeightedGreedy(self.instance.alone, clock, self.limits.threads, Progress())
        try:
            greedy.run()
            if offers:
                greedy.exchange()
        finally:  # on Ctrl-C, keep the best so far
            if offers and greedy.tokens:
                self.offer(greedy.best, greedy.tokens)
        if greedy.termination == "interrupted":
            self.termination = "interrupted"
        self.shares = self.shares or greedy.shares
        self.seen += greedy.seen

    def _rounds(self) -> None:
        """Makes rounds until the gap is closed or the time limit is reached."""
        steps = WeightSteps(self.shares, _STEP)
        left, searches = self.deadline.left, self.searches
        deadline = self.deadline.earlier(_EXCHANGE * left) if searches and left else self.deadline
        for number in range(_ROUNDS):
            is_closed = self.is_closed and (searches or self.relaxed is not None)
            if self.termination == "interrupted" or is_closed:
                break
            if number and deadline.is_over:
                break
            is_last = number == _ROUNDS - 1
            shares = list(self.shares) if is_last else list(steps.shares)
            seconds = round_seconds(deadline.left, _ROUNDS - number)
            chosen = self._round(shares, seconds, cuts=self.cuts and is_last)
            tokens = self.count(chosen)
            if searches:
                self.seen.append(chosen)
                self.offer(chosen, tokens)
                self.checkpoints.offer(news=True)
            steps.update(self.corpora.ratios(tokens))

    def _round(self, shares: list[float], seconds: float | None, *, cuts: bool) -> list[Token]:
        """Runs a round for some shares; returns its vocabulary."""
        instance, limits, prices = self.instance, self.limits, self.prices
        weights = self.corpora.integer_weights(shares)
        weighted = instance.weighted(weights)
        if prices is not None:  # prices for the same words with other counts
            leaves = (replace(n, weights=()) for n in prices.tree if isinstance(n, Leaf))
            least = weighted.words.total_count
            prices = Certificate.of(weighted, (next(leaves),), least, prices.scale_bits)

        def prove(made: Bound | Solution) -> None:
            assert made.certificate is not None
            certificate = of_weighted(instance, weights, made.certificate)
            known = self.certificate
            better = known is None or certificate.lower_bound > known.lower_bound
            if better:
                self.certificate, self.shares = certificate, shares
            if isinstance(made, Bound):
                if better:
                    self.checkpoints.offer()
                if better or self.relaxed is None:
                    self.relaxed = made, weights

        def keep(solution: Solution) -> None:  # so that a run that is killed loses only seconds
            chosen = list(solution.vocabulary)
            self.offer(chosen, self.count(chosen))
            if solution.certificate is not None:
                prove(solution)
            self.checkpoints.offer(news=True)

        options: dict[str, Any] = {}
        if self.searches:
            options["warm_start"] = instance.vocabulary(self.best, "improve") if self.best else None
            options["checkpoint"] = None if self.checkpoints.callback is None else keep
            options["seed"] = limits.seed
        made = self.run(
            weighted,
            start_certificate=prices,
            cuts=cuts,
            time_limit=seconds,
            threads=limits.threads,
            **options,
        )
        if made.termination in ("interrupted", "time_limit"):
            self.termination = made.termination
        prove(made)
        assert self.certificate is not None
        assert made.certificate is not None
        self.n_rounds += 1
        remark = f"at least {float(self.certificate.lower_bound):.4f}"
        self.progress.advance(self.n_rounds, _ROUNDS, remark)
        self.prices = None if made.certificate.tail is not None else made.certificate
        return made.most_taken if isinstance(made, Bound) else list(made.vocabulary)

    def _exchange(self) -> None:
        """Exchanges tokens of the best vocabulary for tokens of other rounds.

        Not with merges, nor with a head and a tail.
        """
        is_possible = self.instance.merges is None and self.instance.tail is None
        if not is_possible or self.is_closed or self.termination == "interrupted":
            return
        limits = self.limits
        search = ExchangeSearch(self.instance, self.deadline, limits.threads, limits.seed)
        chosen = search.run(self.best, reversed(self.seen), kicks=_KICKS)
        self.offer(chosen, self.count(chosen))

    def _ended(self) -> Termination:
        """Returns why the run ends: a closed gap takes precedence over a limit."""
        if self.termination == "interrupted" or not self.is_closed:
            return self.termination
        assert self.certificate is not None
        return "completed" if self.worst == self.certificate.lower_bound else "gap"

    def present(self) -> Solution:
        """Returns the best vocabulary and the best bound so far."""
        proof, extra = self.certificate, {"rounds": self.n_rounds}
        bound = None if proof is None else proof.lower_bound
        if self.instance.tail is not None:
            extra["head_words"] = len(self.instance.words)
        return Solution.of(
            self.instance,
            self.instance.vocabulary(self.best, "improve"),
            sum(self.tokens),
            by_corpus=self.tokens,
            lower_bound=bound,
            status="optimal" if bound == self.worst else "feasible",
            termination=self._ended(),
            seconds=self.deadline.seconds,
            seed=self.limits.seed,
            threads=self.limits.threads,
            extra=extra,
            certificate=proof,
        )

    def bound(self) -> Bound:
        """Returns the best bound, with the relaxation of its round."""
        proof = self.certificate
        assert self.relaxed is not None
        assert proof is not None
        refuse_below(self.known, proof.lower_bound)
        relaxed, weights = self.relaxed
        per = sum(w * r for w, r in zip(weights, self.corpora.references, strict=True))
        return replace(
            relaxed,
            instance=self.instance,
            certificate=proof,
            lower_bound=proof.lower_bound,
            incumbent=self.worst,
            relaxation=relaxed.relaxation / per,
            reduced_costs=np.zeros_like(relaxed.reduced_costs),
            plain_bound=self.corpora.proven(int(relaxed.plain_bound), weights),
            seconds=self.deadline.seconds,
            termination=self._ended(),
            rounds=self.n_rounds,
        )

    def solution(self) -> Solution:
        """Returns the same solution with the vocabulary recounted."""
        solution = self.present()
        recount = verify(self.instance, solution.vocabulary)
        if not recount.ok or recount.by_corpus != self.tokens:
            raise VerificationError((*recount.problems, "a recount finds other numbers")[0])
        self.checkpoints.report(solution.extra)
        return solution
