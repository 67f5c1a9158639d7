"""Bounds the largest ratio over several corpora, and searches for a vocabulary near the bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from ..analysis.by_corpus import tokens_by_corpus
from ..corpus.symbols import Token
from ..errors import VerificationError
from ..heuristics.minimax_greedy import WeightedGreedy
from ..heuristics.minimax_search import ExchangeSearch
from ..heuristics.minimax_weights import WeightSteps
from ..problem.certificates.certificate import Certificate
from ..problem.certificates.minimax import MinimaxCertificate
from ..problem.instance import Instance
from ..problem.minimax import MinimaxInstance
from ..problem.minimax_solution import MinimaxSolution
from ..problem.solution import Checkpoint, Solution, Termination
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..runtime.checkpoints import Checkpoints
from ..runtime.limits import Deadline, RunLimits
from ..runtime.progress import Progress
from ..verification.minimax_check import check_minimax_certificate, verify_minimax
from ..vocabulary.vocabulary import Vocabulary
from .bound import Bound
from .improve import improve
from .lower_bound import lower_bound

__all__ = ["bound_minimax", "improve_minimax", "round_seconds"]

_GREEDY = 0.15  # of the time
_ROUNDS = 6  # of weights, the last with cuts
_SHARE = 1.5  # the time that is left over that of a round
_EXCHANGE = 0.1  # of the time
_KICKS = 12  # in a row without gain, after which exchanges end
_STEP = 1.0  # the first step from GreedTok's weights


@checked
def bound_minimax(
    instance: MinimaxInstance,
    *,
    incumbent: Vocabulary | None = None,
    cuts: bool = True,
    time_limit: Seconds | None = None,
    target_gap: Share = 0.0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> MinimaxSolution:
    """Proves a lower bound of the largest ratio of tokens to reference.

    For any weights of the corpora, the fewest weighted tokens bound the largest ratio
    (`check_minimax_certificate` says why).  The first weights are those of `greedtok_minimax`;
    then they follow the ratios of the tokens that the linear relaxation takes, and prices found
    for some weights are a warm start for the next.  The best bound is kept.

    Parameters
    ----------
    instance : MinimaxInstance
        The corpora, their references, the budget and conditions.
    incumbent : Vocabulary, optional
        A vocabulary to state the gap of; it is checked.
    cuts : bool
        Whether the last round uses cuts; see `lower_bound`.
    time_limit : float, optional
        Seconds, about: a round that has begun ends as `lower_bound` does.
    target_gap : float
        The gap to the incumbent at which to stop, or to GreedTok's vocabulary.
    threads : int
        Number of threads; the result is the same for any number where no limit cuts.
    progress : Progress, optional
        Receives the number of rounds, and the bound so far as the remark.

    Returns
    -------
    MinimaxSolution
        Its vocabulary is the incumbent, or none; ``certificate`` proves ``lower_bound``, which
        is exact: a fraction of integers.  After Ctrl-C: the best so far, once there is one.

    Raises
    ------
    VerificationError
        If the incumbent breaks a condition.

    Examples
    --------
    >>> from partcover import MinimaxInstance, WordCounts, bound_minimax
    >>> corpora = [WordCounts.from_counts({"abab": 9}), WordCounts.from_counts({"cdcd": 1})]
    >>> bound_minimax(MinimaxInstance(corpora, 1, [9, 1])).lower_bound
    Fraction(23, 9)
    """
    limits = RunLimits(time_limit, threads=threads)
    run = _Run(instance, limits, target_gap, progress or Progress())
    if incumbent is not None:
        run.offer_checked(incumbent)
    run.begin(offers=incumbent is None and target_gap > 0)
    try:
        run.rounds(cuts, _bound_round, offers=False)
    except KeyboardInterrupt:
        if run.certificate is None:
            raise
        run.termination = "interrupted"
    solution = run.solution("bound-minimax")
    return solution if incumbent is not None else replace(solution, vocabulary=None, tokens=())


@checked
def improve_minimax(
    instance: MinimaxInstance,
    warm_start: Vocabulary | None = None,
    *,
    start_certificate: MinimaxCertificate | None = None,
    cuts: bool = True,
    gap: Share = 0.0,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
    checkpoint: Callable[[MinimaxSolution], None] | None = None,
) -> MinimaxSolution:
    """Finds a vocabulary with a small largest ratio over several corpora, and bounds its gap.

    `greedtok_minimax` comes first.  Then `improve` runs on all words under weights of the
    corpora, which gives a vocabulary and a bound for these weights; a corpus whose ratio is above
    the mean gets more weight, and the next round begins, from the best vocabulary and the last
    prices.  At last tokens are exchanged while that helps the worst corpus, in small corpora also
    from vocabularies with a few tokens replaced at random.

    Parameters
    ----------
    instance : MinimaxInstance
        The corpora, their references, the budget and conditions.
    warm_start : Vocabulary, optional
        A vocabulary to start from besides; it is checked.
    start_certificate : MinimaxCertificate, optional
        A proof to start from, of the same corpora, references and conditions; it is checked.  Its
        bound is kept where no better one is proven, its weights are the first ones, and its prices
        a warm start.  With a vocabulary, too, the rounds begin at once, without GreedTok.
    cuts : bool
        Whether the bound of the last round uses cuts; see `lower_bound`.
    gap : float
        The relative gap at which to stop.
    time_limit : float, optional
        Seconds, about.
    seed : int
        Random seed.
    threads : int
        Number of threads; the result is the same for any number where no limit cuts.
    progress : Progress, optional
        Receives the number of rounds, and the bound so far as the remark.
    checkpoint : callable, optional
        Receives the best solution so far, not yet recounted, once there is one and then every few
        seconds; with its certificate from the first bound on.  What it has received counts, so
        that the result is no worse.  If it raises an exception the call goes on.

    Returns
    -------
    MinimaxSolution
        Its vocabulary is no worse than that of `greedtok_minimax` (where no limit cuts) and the
        warm start; after Ctrl-C it is the best so far.  ``tokens`` are recounted by
        `verify_minimax`.  ``certificate`` proves ``lower_bound``.

    Raises
    ------
    VerificationError
        If the warm start breaks a condition, the certificate is about something else or does not
        hold, or a recount finds other numbers.

    Examples
    --------
    >>> from partcover import MinimaxInstance, WordCounts, improve_minimax
    >>> corpora = [WordCounts.from_counts({"abab": 9}), WordCounts.from_counts({"cdcd": 1})]
    >>> solution = improve_minimax(MinimaxInstance(corpora, 2, [9, 1]))
    >>> solution.worst, solution.lower_bound
    (Fraction(1, 1), Fraction(1, 1))
    """
    limits = RunLimits(time_limit, seed, threads)
    run = _Run(instance, limits, gap, progress or Progress(), checkpoint)
    if warm_start is not None:
        run.offer_checked(warm_start)
    if start_certificate is not None:
        run.start_from(start_certificate)
    try:
        run.begin(offers=True)
        run.checkpoints.offer()
        run.rounds(cuts, _improve_round, offers=True)
        run.exchange()
    except KeyboardInterrupt:
        if not run.tokens:
            raise
        run.termination = "interrupted"
    return run.solution("improve-minimax")


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
    >>> from partcover.bounds.minimax import round_seconds
    >>> round_seconds(9.0, 6), round_seconds(3.0, 5), round_seconds(1.0, 1)
    (6.0, 2.0, 1.0)
    """
    return None if left is None else left / min(rounds, _SHARE)


@dataclass(frozen=True)
class _Task:
    """A round: the weighted words, what to start from, the seconds it has, and who listens."""

    weighted: Instance
    best: Vocabulary | None
    prices: Certificate | None
    cuts: bool
    seconds: float | None
    limits: RunLimits
    checkpoint: Checkpoint | None


_MakeRound: TypeAlias = Callable[[_Task], tuple[Certificate, list[Token], Termination]]


def _bound_round(task: _Task) -> tuple[Certificate, list[Token], Termination]:
    """Bounds weighted words; returns the proof and the tokens that the relaxation takes most of."""
    bound = lower_bound(
        task.weighted,
        warm_start=task.prices,
        cuts=task.cuts,
        time_limit=task.seconds,
        threads=task.limits.threads,
    )
    return bound.certificate, _most_taken(bound), bound.termination


def _most_taken(bound: Bound) -> list[Token]:
    """Returns the fixed tokens and those that the relaxation takes the largest parts of."""
    instance = bound.instance
    fixed = list(instance.fixed)
    order = np.argsort(-bound.x, kind="stable")[: instance.k].astype(np.int32)
    held = set(fixed)
    free = [token for token in bound.tokens(order) if token not in held]
    return [*fixed, *free[: instance.k - len(fixed)]]


def _improve_round(task: _Task) -> tuple[Certificate, list[Token], Termination]:
    """Improves a vocabulary for weighted words; returns the proof and the vocabulary."""
    solution: Solution = improve(
        task.weighted,
        task.best,
        start_certificate=task.prices,
        cuts=task.cuts,
        time_limit=task.seconds,
        seed=task.limits.seed,
        threads=task.limits.threads,
        checkpoint=task.checkpoint,
    )
    assert solution.certificate is not None
    return solution.certificate, list(solution.vocabulary), solution.termination


class _Run:
    """The best vocabulary and the best bound so far, over rounds of weights."""

    def __init__(
        self,
        instance: MinimaxInstance,
        limits: RunLimits,
        gap: float,
        progress: Progress,
        checkpoint: Callable[[MinimaxSolution], None] | None = None,
    ) -> None:
        self.instance = instance
        self.checkpoints = Checkpoints(checkpoint, lambda: self.present("improve-minimax"))
        self.limits = limits
        self.deadline: Deadline = limits.start()
        self.gap = gap
        self.progress = progress
        self.best: list[Token] = []
        self.tokens: tuple[int, ...] = ()
        self.certificate: MinimaxCertificate | None = None
        self.shares: Sequence[float] = ()
        self.prices: Certificate | None = None
        self.n_rounds = 0
        self.seen: list[list[Token]] = []
        self.termination: Termination = "completed"

    @property
    def worst(self) -> Fraction | None:
        """The largest ratio of the best vocabulary."""
        return max(self.instance.ratios(self.tokens), default=None)

    @property
    def is_closed(self) -> bool:
        """Whether the gap is as small as was asked for."""
        if self.worst is None or self.certificate is None:
            return False
        return self.worst - self.certificate.lower_bound <= Fraction(self.gap) * self.worst

    def count(self, chosen: list[Token]) -> tuple[int, ...]:
        """Returns the tokens that each corpus needs with a vocabulary."""
        vocabulary = self.instance.whole.vocabulary(chosen, "minimax")
        return tokens_by_corpus(self.instance, vocabulary, threads=self.limits.threads)

    def offer(self, chosen: list[Token], tokens: tuple[int, ...]) -> None:
        """Keeps a vocabulary if its largest ratio is the smallest, or by the sum of ratios."""
        ratios, held = self.instance.ratios(tokens), self.instance.ratios(self.tokens or tokens)
        if not self.tokens or (max(ratios), sum(ratios)) < (max(held), sum(held)):
            self.best, self.tokens = chosen, tokens

    def offer_checked(self, vocabulary: Vocabulary) -> None:
        """Keeps a vocabulary that is given, if it keeps to the conditions."""
        recount = verify_minimax(self.instance, vocabulary)
        if not recount.ok:
            raise VerificationError(recount.problems[0])
        self.offer(list(vocabulary), recount.tokens)

    def start_from(self, certificate: MinimaxCertificate) -> None:
        """Keeps what a certificate proves, and takes its weights and prices to start from."""
        check = check_minimax_certificate(self.instance, certificate)
        if not check.ok:
            raise VerificationError(f"the certificate to start from: {check.problems[0]}")
        self.certificate = certificate
        if min(certificate.weights) > 0:  # else there are words that have no prices
            self.prices = certificate.certificate
        self.shares = self.instance.shares(certificate.weights)

    def begin(self, *, offers: bool) -> None:
        """Runs GreedTok on weighted corpora for the first weights, unless a proof has brought some.

        Parameters
        ----------
        offers : bool
            Whether its vocabulary is one to keep.
        """
        if self.shares and (self.tokens or not offers):
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

    def rounds(self, cuts: bool, make: _MakeRound, *, offers: bool) -> None:
        """Makes rounds until the gap is closed or time is up.

        Parameters
        ----------
        cuts : bool
            Whether the last round uses cuts.
        make : callable
            Makes a round.
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
            prices, chosen = self._round(shares, prices, cuts and is_last, seconds, make)
            tokens = self.count(chosen)
            if offers:
                self.seen.append(chosen)
                self.offer(chosen, tokens)
                self.checkpoints.offer(news=True)
            steps.update(self.instance.ratios(tokens))

    def _round(
        self,
        shares: list[float],
        prices: Certificate | None,
        cuts: bool,
        seconds: float | None,
        make: _MakeRound,
    ) -> tuple[Certificate, list[Token]]:
        """Makes a round for some shares; returns its proof and its vocabulary."""
        instance = self.instance
        weights = instance.integer_weights(shares)
        weighted = instance.weighted(weights)
        if prices is not None:  # of the same words, with other counts
            prices = replace(prices, words_sha256=weighted.words.digest)
        best = instance.whole.vocabulary(self.best, "minimax") if self.best else None

        def prove(proof: Certificate) -> None:
            certificate = MinimaxCertificate.of(instance, weights, proof)
            if self.certificate is None or certificate.lower_bound > self.certificate.lower_bound:
                self.certificate, self.shares = certificate, shares

        def keep(solution: Solution) -> None:  # so that a run that is killed loses seconds
            chosen = list(solution.vocabulary)
            self.offer(chosen, self.count(chosen))
            if solution.certificate is not None:
                prove(solution.certificate)
            self.checkpoints.offer(news=True)

        checkpoint = None if self.checkpoints.callback is None else keep
        task = _Task(weighted, best, prices, cuts, seconds, self.limits, checkpoint)
        proof, chosen, termination = make(task)
        if termination in ("interrupted", "time_limit"):
            self.termination = termination
        prove(proof)
        assert self.certificate is not None
        self.n_rounds += 1
        remark = f"at least {float(self.certificate.lower_bound):.4f}"
        self.progress.advance(self.n_rounds, _ROUNDS, remark)
        return proof, chosen

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

    def present(self, method: str) -> MinimaxSolution:
        """Returns the best vocabulary and the best bound so far."""
        vocabulary = self.instance.whole.vocabulary(self.best, method) if self.tokens else None
        return MinimaxSolution(
            self.instance,
            method,
            vocabulary,
            self.tokens,
            None if self.certificate is None else self.certificate.lower_bound,
            self.certificate,
            self._ended(),
            self.deadline.seconds,
            self.n_rounds,
            self.limits.seed,
            self.limits.threads,
        )

    def solution(self, method: str) -> MinimaxSolution:
        """Returns the same, the vocabulary recounted."""
        solution = self.present(method)
        if solution.vocabulary is not None:
            recount = verify_minimax(self.instance, solution.vocabulary)
            if not recount.ok or recount.tokens != self.tokens:
                raise VerificationError((*recount.problems, "a recount finds other numbers")[0])
        return solution
