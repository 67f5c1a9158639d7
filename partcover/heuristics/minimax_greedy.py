"""Runs GreedTok on weighted corpora until the worst of them is served as well as the others."""

from __future__ import annotations

from fractions import Fraction

from ..analysis.by_corpus import tokens_by_corpus
from ..corpus.symbols import Token
from ..problem.minimax import MinimaxInstance
from ..problem.minimax_solution import MinimaxSolution
from ..problem.solution import Termination
from ..runtime.arguments import Seconds, Threads, checked
from ..runtime.limits import Deadline, RunLimits
from ..runtime.progress import Progress
from .greedy import greedtok
from .minimax_search import ExchangeSearch
from .minimax_weights import WeightSteps

__all__ = ["WeightedGreedy", "greedtok_minimax"]

_ROUNDS = 24
_PATIENCE = 8  # rounds without a better vocabulary
_EVEN = 1e-4  # of the largest ratio, to the mean: no weights serve the worst corpus better


@checked
def greedtok_minimax(
    instance: MinimaxInstance,
    *,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> MinimaxSolution:
    """Chooses a vocabulary by GreedTok for several corpora, the largest ratio small.

    GreedTok runs on all words, the counts of each corpus multiplied by a weight.  The first
    weights are the same share for each corpus, over its reference; then a corpus whose ratio of
    tokens to reference is above the mean gets more weight, one below it less, for at most 24
    rounds.  The vocabulary with the smallest largest ratio is kept.  At last tokens of it are
    exchanged, one at a time, for those that other rounds chose, while that helps the worst
    corpus.

    Parameters
    ----------
    instance : MinimaxInstance
        The corpora, their references, the budget and conditions.
    time_limit : float, optional
        Seconds after which the best vocabulary so far is returned; there is one round at least.
    threads : int
        Number of threads; the result is the same for any number where no limit cuts.
    progress : Progress, optional
        Receives the number of rounds, and the largest ratio so far as the remark.

    Returns
    -------
    MinimaxSolution
        ``tokens`` are the fewest for each corpus (rule ``shortest_path``).  It has no lower
        bound; `bound_minimax` and `improve_minimax` prove one.

    Examples
    --------
    >>> from partcover import MinimaxInstance, WordCounts, greedtok_minimax
    >>> corpora = [WordCounts.from_counts({"abab": 9}), WordCounts.from_counts({"cdcd": 1})]
    >>> solution = greedtok_minimax(MinimaxInstance(corpora, 2, [9, 1]))
    >>> solution.tokens, solution.worst
    ((9, 1), Fraction(1, 1))
    """
    limits = RunLimits(time_limit, threads=threads)
    greedy = WeightedGreedy(instance, limits.start(), threads, progress or Progress())
    try:
        greedy.run()
        greedy.exchange()
    except KeyboardInterrupt:
        if not greedy.tokens:
            raise
        greedy.termination = "interrupted"
    return MinimaxSolution(
        instance,
        "greedtok-minimax",
        instance.whole.vocabulary(greedy.best, "greedtok-minimax"),
        greedy.tokens,
        None,
        None,
        greedy.termination,
        greedy.deadline.seconds,
        rounds=greedy.rounds,
        threads=threads,
    )


class WeightedGreedy:
    """GreedTok on weighted corpora, round by round.

    Parameters
    ----------
    instance : MinimaxInstance
        The instance.
    deadline : Deadline
        When time is up.
    threads : int
        Number of threads.
    progress : Progress
        Receives each round.

    Attributes
    ----------
    steps : WeightSteps
        The weights; after `run`, those of the next round.
    best : list of token
        The best vocabulary so far.
    tokens : tuple of int
        The tokens that each corpus needs with it.
    shares : list of float
        The shares that it was chosen for.
    rounds : int
        Rounds made.
    seen : list of list of token
        The vocabularies of all rounds.
    """

    def __init__(
        self, instance: MinimaxInstance, deadline: Deadline, threads: int, progress: Progress
    ) -> None:
        self.instance = instance
        self.deadline = deadline
        self.threads = threads
        self.progress = progress
        n_corpora = len(instance.corpora)
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
        return max(self.instance.ratios(self.tokens))

    def run(self) -> None:
        """Makes rounds until the corpora are served alike, or no round helps any more."""
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
        instance, shares = self.instance, self.steps.shares
        weighted = instance.weighted(instance.integer_weights(shares))
        left = self.deadline.left if self.rounds else None
        run = greedtok(weighted, time_limit=left, threads=self.threads)
        self.rounds += 1
        self.termination = run.termination
        chosen = list(run.vocabulary)
        self.seen.append(chosen)
        tokens = tokens_by_corpus(instance, run.vocabulary, threads=self.threads)
        ratios = instance.ratios(tokens)
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
        vocabulary = instance.whole.vocabulary(self.best, "greedtok-minimax")
        self.tokens = tokens_by_corpus(instance, vocabulary, threads=self.threads)
