"""A local search in steps, from its starting vocabularies to its recounted result."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from ..corpus.symbols import Token
from ..errors import InputError, VerificationError
from ..problem.instance import Instance
from ..problem.solution import Solution, Status, Termination
from ..runtime.limits import Deadline, RunLimits
from ..runtime.processes.parallel import ForEach, call_in_turn
from ..runtime.progress import Event, Progress
from ..segmentation.segmentation import Segmentation, segment
from ..verification.recount import recount, recount_seconds
from ..vocabulary.vocabulary import Vocabulary
from .search import Search, Target
from .search_space import SearchSpace, legal_tokens

_START_SECONDS = 5e-7  # seconds for a symbol before the first try
_RECOUNTS = 1.2  # time at the end of a search, as a multiple of the time of a recount


class LocalSearch:
    """A local search in steps, from GreedTok's vocabulary and a warm start.

    Parameters
    ----------
    instance : Instance
        The instance.
    greedy : Solution
        The solution of `greedtok`.
    warm_start : Vocabulary or None
        Another vocabulary to start from.
    gap : float
        The relative gap to the target's bound at which to stop.
    limits : RunLimits
        The random seed, the number of threads, and whether there is a time limit.
    clock : Deadline
        The clock of the call.
    progress : Progress
        Receives each better vocabulary.

    Attributes
    ----------
    ended : Termination
        Why the steps ended; set at the end.

    Raises
    ------
    InputError
        If a start has other symbols.
    """

    def __init__(
        self,
        instance: Instance,
        greedy: Solution,
        warm_start: Vocabulary | None,
        gap: float,
        limits: RunLimits,
        clock: Deadline,
        progress: Progress,
    ) -> None:
        self.instance = instance
        self.greedy = greedy
        self.gap = gap
        self.limits = limits
        self.clock = clock
        self.progress = progress
        self.ended: Termination = "time_limit"
        self.starts: list[tuple[str, list[Token]]] = [("greedtok", list(greedy.vocabulary))]
        if warm_start is not None:
            if warm_start.symbols != instance.symbols:
                raise InputError(
                    f"the start is over {warm_start.symbols}, the words over {instance.symbols}"
                )
            self.starts.append(("start", legal_tokens(instance, warm_start)))
        self._deadline = clock  # leaves time for the recount
        if clock.limit is not None:
            seconds = recount_seconds(instance.words, greedy.vocabulary)
            self._deadline = clock.earlier(_RECOUNTS * seconds)
        self._target = Target()
        self._share: ForEach = call_in_turn
        self._search: Search | None = None

    @property
    def tokens(self) -> int | None:
        """Tokens that the best vocabulary so far needs; None before the first."""
        search = self._search
        return None if search is None or search.best is None else search.tokens

    def aim(self, target: Target) -> None:
        """Sets the proven bound and the points; a running search uses them from its next cycle."""
        self._target = target
        if self._search is not None:
            self._search.target = target

    def use(self, share: ForEach) -> None:
        """Sets the function that calls a function for each chain, in parallel or in turn."""
        self._share = share
        if self._search is not None:
            self._search.share = share

    def steps(self) -> Generator[None]:
        """Searches; yields after each step, and ends at the time limit or when all is tried."""
        instance, gains = self.instance, self.greedy.gains
        if not self._deadline.has_time_for(_START_SECONDS * len(instance.words.data)):
            return
        points = self._target.points
        is_full = len(gains) == instance.k and len(instance.fixed) < instance.k
        space = SearchSpace(
            instance,
            [token for _, tokens in self.starts for token in tokens],
            gains[-1] // 4 if is_full else 0,
            np.max(points, axis=0) if points else None,
        )
        self._search = Search(space, self._target, self.gap, self.limits, self.clock, self.progress)
        self._search.share = self._share
        for _ in self._search.steps(self.starts):
            if self._deadline.is_over:
                return
            yield
        self.ended = "completed"

    def present(self) -> Solution:
        """Returns the best vocabulary so far, from the starts or the search, not yet recounted.

        Another thread may be making steps at the same time.
        """
        if self._search is None or self._search.best is None:
            vocabulary, cut = self._best_start()
            tokens = cut.tokens
        else:
            vocabulary, tokens = self._search.incumbent()
        return Solution.of(
            self.instance,
            vocabulary,
            tokens,
            termination="time_limit",
            seconds=self.clock.seconds,
            seed=self.limits.seed,
            threads=self.limits.threads,
        )

    def solution(self, termination: Termination) -> Solution:
        """Returns the best vocabulary so far, recounted."""
        lower_bound, search = self._target.lower_bound, self._search
        progress, clock = self.progress, self.clock
        try:
            event = Event(clock.seconds, "phase", self.tokens, lower_bound, "", "recount")
            progress.event(event)
            vocabulary, tokens = self._recounted()
        except KeyboardInterrupt:  # count the best vocabulary so far again
            termination = "interrupted"
            vocabulary, tokens = self._recounted()
        if lower_bound is not None and lower_bound > tokens:
            raise VerificationError(
                f"the given lower bound is {lower_bound}, but {tokens} tokens are enough"
            )
        if tokens == self.instance.words.total_count or (search is not None and search.exhausted):
            lower_bound = tokens
        status: Status = "optimal" if lower_bound == tokens else "feasible"
        is_done = search is not None and search.is_done
        if termination == "completed" and status != "optimal" and is_done:
            termination = "gap"
        return Solution.of(
            self.instance,
            vocabulary,
            tokens,
            lower_bound=lower_bound,
            status=status,
            termination=termination,
            seconds=clock.seconds,
            seed=self.limits.seed,
            threads=self.limits.threads,
            extra={
                "size": len(vocabulary),
                "start_tokens": tokens if search is None else search.start_tokens,
                "swaps_tried": 0 if search is None else search.tries,
                "tokens_greedtok": self.greedy.extra["tokens_shortest_path"],
            },
        )

    def _recounted(self) -> tuple[Vocabulary, int]:
        """Returns the result and the tokens it needs, as `segment` and `recount` count them.

        If the search has no vocabulary yet, the result is the best start reduced to k tokens.
        """
        instance, search = self.instance, self._search
        if search is not None and search.best is not None:
            vocabulary, cut = self._cut(search.answer())
        else:
            vocabulary, cut = self._best_start()
        recounted, problems = recount(instance, vocabulary)
        claimed = cut.tokens if search is None or search.best is None else search.tokens
        if problems or not recounted == cut.tokens == claimed:
            raise VerificationError(
                f"the search counted {claimed} tokens, segment {cut.tokens}, verify {recounted} "
                f"{'; '.join(problems)}: this is a defect of partcover, "
                "please report it with the instance"
            )
        return vocabulary, cut.tokens

    def _best_start(self) -> tuple[Vocabulary, Segmentation]:
        """Returns the start that needs the fewest tokens, reduced to k tokens."""
        cuts = [self._cut(tokens[: self.instance.k]) for _, tokens in self.starts]
        return min(cuts, key=lambda cut: cut[1].tokens)

    def _cut(self, tokens: list[Token]) -> tuple[Vocabulary, Segmentation]:
        """Returns the vocabulary of tokens, and the segmentation of the words with it."""
        vocabulary = self.instance.vocabulary(tokens, "improve")
        words, threads = self.instance.words, self.limits.threads
        return vocabulary, segment(words, vocabulary, "shortest_path", threads=threads)
