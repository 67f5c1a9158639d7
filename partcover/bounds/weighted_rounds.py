"""Bounds the largest ratio over several corpora, and searches for a vocabulary near the bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

import numpy as np

from ..analysis.by_corpus import tokens_by_corpus
from ..corpus.symbols import Token
from ..errors import VerificationError
from ..heuristics.corpora_exchange import ExchangeSearch
from ..heuristics.corpora_greedy import WeightedGreedy
from ..heuristics.weight_steps import WeightSteps
from ..problem.bound import Bound
from ..problem.certificates.certificate import Certificate
from ..problem.certificates.nodes import Leaf
from ..problem.certificates.weighted import leaves_weighted, of_weighted
from ..problem.instance import Instance
from ..problem.solution import Checkpoint, Solution, Termination
from ..runtime.checkpoints import Checkpoints
from ..runtime.limits import Deadline, RunLimits
from ..runtime.progress import Progress
from ..verification.certificate_check import check_certificate
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["Made", "Round", "WeightedRounds", "round_seconds"]

_GREEDY = 0.15  # of the time
_ROUNDS = 6  # of weights, the last with cuts
_SHARE = 1.5  # the time that is left over that of a round
_EXCHANGE = 0.1  # of the time
_KICKS = 12  # in a row without gain, after which exchanges end
_STEP = 1.0  # the first step from GreedTok's weights


def round_seconds(left: float | None, rounds: int) -> float | None:
    """Returns the time of the next round: two thirds of what is left, and all for the last one.

    The first round has no prices to start from, and GreedTok's weights are good ones.  With sixths
    of the time its bound is not done in 5 seconds: gaps of 2.1, 2.4 and 37 % on three, two and six
    corpora, in place of 1.0, 1.1 and 3.9 %.  All of the time is as good there, but leaves none for
    better weights: 0.85 % in 30 seconds, in place of 0.65 %.

    Parameters
    ----------
    left : float or None
        Seconds; None without a limit.
    rounds : int
        How many rounds are still to come, this one included.

    Examples
    --------
    >>> from partcover.bounds.weighted_rounds import round_seconds
    >>> round_seconds(9.0, 6), round_seconds(3.0, 5), round_seconds(1.0, 1)
    (6.0, 2.0, 1.0)
    """
    return None if left is None else left / min(rounds, _SHARE)


@dataclass(frozen=True)
class Round:
    """What a round of weights begins with.

    Attributes
    ----------
    weighted : Instance
        All words, the counts of each corpus multiplied by its weight.
    best : Vocabulary or None
        The best vocabulary so far.
    prices : Certificate or None
        A certificate of the same words with other counts, to start from.
    cuts : bool
        Whether to use cuts.
    seconds : float or None
        The time it has.
    limits : RunLimits
        Random seed and threads.
    checkpoint : callable or None
        Receives the best solution for the weighted words.
    """

    weighted: Instance
    best: Vocabulary | None
    prices: Certificate | None
    cuts: bool
    seconds: float | None
    limits: RunLimits
    checkpoint: Checkpoint | None


@dataclass(frozen=True)
class Made:
    """What a round made.

    Attributes
    ----------
    proof : Certificate
        What it proves of the weighted words.
    chosen : list of token
        Its vocabulary.
    termination : str
        Why it ended.
    bound : Bound or None
        What it knows of the relaxation, where it is a bound alone.
    """

    proof: Certificate
    chosen: list[Token]
    termination: Termination
    bound: Bound | None = None


class WeightedRounds:
    """The best vocabulary and the best bound so far, over rounds of weights.

    `greedtok` gives the first weights and vocabulary.  A round bounds all words under weights of
    the corpora, and may give a vocabulary; a corpus whose ratio is above the mean then gets more
    weight, and the next round begins, from the best vocabulary and the last prices.  At last tokens
    are exchanged while that helps the worst corpus, in small corpora also from vocabularies with a
    few tokens replaced at random.

    Parameters
    ----------
    instance : Instance
        The instance, of several corpora.
    limits : RunLimits
        Time limit, random seed and threads.
    gap : float
        The gap at which to stop.
    progress : Progress
        Receives the number of rounds, and the bound so far as the remark.
    make : callable
        Makes a round.
    checkpoint : callable, optional
        Receives the best solution so far.
    """

    def __init__(
        self,
        instance: Instance,
        limits: RunLimits,
        gap: float,
        progress: Progress,
        make: Callable[[Round], Made],
        checkpoint: Checkpoint | None = None,
    ) -> None:
        assert instance.corpora is not None
        self.instance, self.corpora = instance, instance.corpora
        self.make = make
        self.checkpoints = Checkpoints(checkpoint, self.present)
        self.limits = limits
        self.deadline: Deadline = limits.start()
        self.gap = gap
        self.progress = progress
        self.best: list[Token] = []
        self.tokens: tuple[int, ...] = ()
        self.known: Fraction | None = None  # the largest ratio of a vocabulary, as given
        self.certificate: Certificate | None = None
        self.relaxed: tuple[Bound, Sequence[int]] | None = None  # of the round that proved most
        self.proves = Checkpoints[Certificate](None, lambda: cast("Certificate", self.certificate))
        self.shares: Sequence[float] = ()
        self.prices: Certificate | None = None
        self.n_rounds = 0
        self.seen: list[list[Token]] = []
        self.termination: Termination = "completed"

    @property
    def worst(self) -> Fraction | None:
        """The largest ratio of the best vocabulary."""
        return max(self.corpora.ratios(self.tokens), default=self.known)

    @property
    def is_closed(self) -> bool:
        """Whether the gap is as small as was asked for."""
        if self.worst is None or self.certificate is None:
            return False
        return self.worst - self.certificate.lower_bound <= Fraction(self.gap) * self.worst

    def count(self, chosen: list[Token]) -> tuple[int, ...]:
        """Returns the tokens that each corpus needs with a vocabulary."""
        vocabulary = self.instance.vocabulary(chosen, "improve")
        return tokens_by_corpus(self.instance, vocabulary, threads=self.limits.threads)

    def offer(self, chosen: list[Token], tokens: tuple[int, ...]) -> None:
        """Keeps a vocabulary if its largest ratio is the smallest, or by the sum of ratios."""
        ratios, held = self.corpora.ratios(tokens), self.corpora.ratios(self.tokens or tokens)
        if not self.tokens or (max(ratios), sum(ratios)) < (max(held), sum(held)):
            self.best, self.tokens = chosen, tokens

    def offer_checked(self, vocabulary: Vocabulary) -> None:
        """Keeps a vocabulary that is given, if it keeps to the conditions."""
        recount = verify(self.instance, vocabulary)
        if not recount.ok:
            raise VerificationError(recount.problems[0])
        self.offer(list(vocabulary), self.count(list(vocabulary)))

    def start_from(self, certificate: Certificate) -> None:
        """Keeps what a certificate proves, and takes its weights and prices to start from."""
        check = check_certificate(self.instance, certificate)
        if not check.ok:
            raise VerificationError(
                f"the certificate to start from is not valid: {check.problems[0]}"
            )
        self.certificate = certificate
        weights = next(leaves_weighted(certificate), None)
        if weights is None:
            return
        if min(weights) > 0 and len(certificate.tree) == 1:  # else words have no prices
            self.prices = certificate
        self.shares = self.corpora.shares(weights)

    def begin(self, *, offers: bool) -> None:
        """Runs GreedTok on weighted corpora for the first weights, unless a proof has brought some.

        Parameters
        ----------
        offers : bool
            Whether its vocabulary is one to keep.
        """
        if self.shares and (self.tokens or not offers):
            return
        if self.instance.merges is not None:  # which GreedTok knows nothing of
            self.shares = self.shares or [1 / len(self.corpora)] * len(self.corpora)
            return
        left = self.deadline.left
        clock = Deadline(None if left is None else _GREEDY * left)
        greedy = WeightedGreedy(self.instance, clock, self.limits.threads, Progress())
        try:
            greedy.run()
            if offers:
                greedy.exchange()
        finally:  # Ctrl-C keeps the best
            if offers and greedy.tokens:
                self.offer(greedy.best, greedy.tokens)
        if greedy.termination == "interrupted":
            self.termination = "interrupted"
        self.shares = self.shares or greedy.shares
        self.seen += greedy.seen

    def rounds(self, *, cuts: bool, offers: bool) -> None:
        """Makes rounds until the gap is closed or time is up.

        Parameters
        ----------
        cuts : bool
            Whether the last round uses cuts.
        offers : bool
            Whether the vocabularies of rounds are to keep.
        """
        steps = WeightSteps(self.shares, _STEP)
        left = self.deadline.left
        deadline = self.deadline.earlier(_EXCHANGE * left) if offers and left else self.deadline
        prices = self.prices
        for number in range(_ROUNDS):
            if self.termination == "interrupted" or self.is_closed:
                break
            if number and deadline.is_over:
                break
            is_last = number == _ROUNDS - 1
            shares = list(self.shares) if is_last else list(steps.shares)
            seconds = round_seconds(deadline.left, _ROUNDS - number)
            prices, chosen = self._round(shares, prices, cuts and is_last, seconds)
            tokens = self.count(chosen)
            if offers:
                self.seen.append(chosen)
                self.offer(chosen, tokens)
                self.checkpoints.offer(news=True)
            steps.update(self.corpora.ratios(tokens))

    def _round(
        self,
        shares: list[float],
        prices: Certificate | None,
        cuts: bool,
        seconds: float | None,
    ) -> tuple[Certificate, list[Token]]:
        """Makes a round for some shares; returns its proof and its vocabulary."""
        instance = self.instance
        weights = self.corpora.integer_weights(shares)
        weighted = instance.weighted(weights)
        if prices is not None:  # of the same words, with other counts
            leaves = (replace(n, weights=()) for n in prices.tree if isinstance(n, Leaf))
            least = weighted.words.total_count
            prices = Certificate.of(weighted, (next(leaves),), least, prices.scale_bits)
        best = instance.vocabulary(self.best, "improve") if self.best else None

        def prove(proof: Certificate, bound: Bound | None = None) -> None:
            certificate = of_weighted(instance, weights, proof)
            better = (
                self.certificate is None or certificate.lower_bound > self.certificate.lower_bound
            )
            if better:
                self.certificate, self.shares = certificate, shares
                self.proves.offer()
            if bound is not None and (better or self.relaxed is None):
                self.relaxed = bound, weights

        def keep(solution: Solution) -> None:  # so that a run that is killed loses seconds
            chosen = list(solution.vocabulary)
            self.offer(chosen, self.count(chosen))
            if solution.certificate is not None:
                prove(solution.certificate)
            self.checkpoints.offer(news=True)

        checkpoint = None if self.checkpoints.callback is None else keep
        start = Round(weighted, best, prices, cuts, seconds, self.limits, checkpoint)
        made = self.make(start)
        if made.termination in ("interrupted", "time_limit"):
            self.termination = made.termination
        prove(made.proof, made.bound)
        assert self.certificate is not None
        self.n_rounds += 1
        remark = f"at least {float(self.certificate.lower_bound):.4f}"
        self.progress.advance(self.n_rounds, _ROUNDS, remark)
        return made.proof, made.chosen

    def exchange(self) -> None:
        """Exchanges tokens of the best vocabulary for those of other rounds."""
        if self.is_closed or self.termination == "interrupted":
            return
        limits = self.limits
        search = ExchangeSearch(self.instance, self.deadline, limits.threads, limits.seed)
        chosen = search.run(self.best, reversed(self.seen), kicks=_KICKS)
        self.offer(chosen, self.count(chosen))

    def _ended(self) -> Termination:
        """Returns why it ends: a gap that is closed comes before a limit."""
        if self.termination == "interrupted" or not self.is_closed:
            return self.termination
        assert self.certificate is not None
        return "completed" if self.worst == self.certificate.lower_bound else "gap"

    def present(self) -> Solution:
        """Returns the best vocabulary and the best bound so far."""
        proof = self.certificate
        bound = None if proof is None else proof.lower_bound
        solution = Solution.of(
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
            extra={"rounds": self.n_rounds},
        )
        return replace(solution, certificate=proof)

    def bound(self) -> Bound:
        """Returns the best bound, with what its round knows of the relaxation."""
        proof = self.certificate
        assert self.relaxed is not None
        assert proof is not None
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
        """Returns the same, the vocabulary recounted."""
        solution = self.present()
        recount = verify(self.instance, solution.vocabulary)
        if not recount.ok or recount.by_corpus != self.tokens:
            raise VerificationError((*recount.problems, "a recount finds other numbers")[0])
        if self.checkpoints.error:
            solution.extra["checkpoint_error"] = self.checkpoints.error
        return solution
