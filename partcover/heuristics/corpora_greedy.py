"""Runs GreedTok on weighted corpora until their ratios of tokens to reference are equal."""

from __future__ import annotations

from fractions import Fraction

from ..analysis.by_corpus import tokens_by_corpus
from ..corpus.symbols import Token
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.limits import Deadline, RunLimits
from ..runtime.progress import Progress
from .corpora_exchange import ExchangeSearch
from .lazy_greedy import lazy_greedy
from .weight_steps import WeightSteps

_ROUNDS = 24
_PATIENCE = 8  # rounds without a better vocabulary after which it ends
# largest ratio relative to the mean: if it is this close, no weights improve the worst corpus
_EVEN = 1e-4


def greedy_for_corpora(instance: Instance, limits: RunLimits, progress: Progress) -> Solution:
    """Runs GreedTok for several corpora; see `greedtok`.

    Parameters
    ----------
    instance : Instance
        The instance of several corpora.
    limits : RunLimits
        Time limit and threads.  At the time limit the best vocabulary so far is returned; at
        least one round is made.
    progress : Progress
        Receives the number of rounds, with the largest ratio so far as a remark.
    """
    greedy = WeightedGreedy(instance, limits.start(), limits.threads, progress)
    try:
        greedy.run()
        greedy.exchange()
    except KeyboardInterrupt:
        if not greedy.tokens:
            raise
        greedy.termination = "interrupted"
    return Solution.of(
        instance,
        instance.vocabulary(greedy.best, "greedtok"),
        sum(greedy.tokens),
        by_corpus=greedy.tokens,
        termination=greedy.termination,
        seconds=greedy.deadline.seconds,
        threads=limits.threads,
        extra={"rounds": greedy.rounds},
    )


class WeightedGreedy:
    """GreedTok on weighted corpora, round by round.

    Parameters
    ----------
    instance : Instance
        The instance of several corpora.
    deadline : Deadline
        The time limit.
    threads : int
        Number of threads.
    progress : Progress
        Receives each round.

    Attributes
    ----------
    steps : WeightSteps
        The weights; after `run`, those for the next round.
    best : list of token
        The best vocabulary so far.
    tokens : tuple of int
        The tokens that each corpus needs with it.
    shares : list of float
        The shares with which it was chosen.
    rounds : int
        Number of rounds.
    seen : list of list of token
        The vocabularies of all rounds.
    """

    def __init__(
        self, instance: Instance, deadline: Deadline, threads: int, progress: Progress
    ) -> None:
        assert instance.corpora is not None
        self.instance, self.corpora = instance, instance.corpora
        self.deadline = deadline
        self.threads = threads
        self.progress = progress
        n_corpora = len(self.corpora)
        self.steps = WeightSteps([1 / n_corpora] * n_corpora)
        self.best: list[Token] = []
        self.tokens: tuple[int, ...] = ()
        self.shares = self.steps.shares
        self.rounds = 0
        self.seen: list[list[Token]] = []
        self.termination: Termination = "completed"
        self._is_even = False

    @property
    def worst(self) -> Fraction:
        """The largest ratio of the best vocabulary."""
        return max(self.corpora.ratios(self.tokens))

    def run(self) -> None:
        """Makes rounds until the ratios are equal, or no round helps any more."""
        without_gain = 0
        while self.rounds < _ROUNDS and without_gain < _PATIENCE:
            if self.rounds and self.deadline.is_over:
                self.termination = "time_limit"
                return
            without_gain = 0 if self._round() else without_gain + 1
            self.progress.advance(self.rounds, _ROUNDS, f"worst {float(self.worst):.4f}")
            if self.termination != "completed":
                return
            if self._is_even:
                return

    def _round(self) -> bool:
        """Chooses a vocabulary for the present shares; returns whether it is the best so far."""
        instance, corpora, shares = self.instance, self.corpora, self.steps.shares
        weighted = instance.weighted(corpora.integer_weights(shares))
        left = self.deadline.left if self.rounds else None
        limits = RunLimits(left, threads=self.threads)
        run = lazy_greedy(weighted, limits, Progress(), relaxed=False)
        self.rounds += 1
        self.termination = run.termination
        chosen = list(run.vocabulary)
        self.seen.append(chosen)
        tokens = tokens_by_corpus(instance, run.vocabulary, threads=self.threads)
        ratios = corpora.ratios(tokens)
        better = not self.tokens or max(ratios) < self.worst
        if better:
            self.best, self.tokens, self.shares = chosen, tokens, list(shares)
        worst = float(max(ratios))
        self._is_even = worst - self.steps.mean(ratios) <= _EVEN * worst
        self.steps.update(ratios)
        return better

    def exchange(self) -> None:
        """Exchanges tokens of the best vocabulary for those of other rounds."""
        if self.termination != "completed":
            return
        instance = self.instance
        near = sorted(self.seen, key=lambda chosen: -len(set(chosen) & set(self.best)))
        self.best = ExchangeSearch(instance, self.deadline, self.threads).run(self.best, near)
        vocabulary = instance.vocabulary(self.best, "greedtok")
        self.tokens = tokens_by_corpus(instance, vocabulary, threads=self.threads)
