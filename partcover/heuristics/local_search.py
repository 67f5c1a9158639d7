"""Searches for better vocabularies than greedy: swaps with exact gains, annealing, rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..corpus.symbols import Token
from ..errors import InputError, VerificationError
from ..kernels._local_search import State
from ..problem.instance import Instance
from ..problem.solution import Solution, Status, Termination
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..runtime.arrays import Float64, Int32
from ..runtime.limits import Deadline, RunLimits
from ..runtime.progress import Event, Progress
from ..segmentation.segmentation import Segmentation, segment
from ..verification.recount import recount, recount_seconds
from ..vocabulary.vocabulary import Vocabulary
from .greedy import greedtok
from .rounding import roundings
from .search_space import SearchSpace, legal_tokens, per_candidate

__all__ = ["CYCLES", "local_search"]


_SLICE = 5_000_000  # arcs between looks at the clock
_START_SECONDS = 5e-7  # a symbol, before the first try
_RECOUNTS = 1.2  # the end of a search takes the time of so many recounts
_CHAINS = 2  # annealed at a time, whatever the number of threads
CYCLES = 5
"""Cycles of a search without a time limit."""
_COOLING = 40  # heats of a cycle
_GROWTH = 1.5  # of a cycle over the one before
# exponentially distributed, in 1/1024: exp(−x) is the chance to exceed x
_CHANCES = np.array([round(-1024 * math.log((i + 0.5) / 256)) for i in range(256)], np.int32)


@checked
def local_search(
    instance: Instance,
    warm_start: Vocabulary | None = None,
    *,
    greedy: Solution | None = None,
    gap: Share = 0.0,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
    x: npt.ArrayLike | None = None,
    reduced_costs: npt.ArrayLike | None = None,
    lower_bound: int | None = None,
) -> Solution:
    """Searches for a vocabulary that needs few tokens, for as long as there is time.

    It starts from GreedTok's vocabulary, the warm start and the roundings of `x`.  To each it
    adds the tokens that gain most, beyond the budget, and drops those that lose least, many at
    once, then fewer.  The best goes through cycles: swaps of one token for another, annealed in
    two chains with random sequences of their own, then made while any gains; then both results
    are joined and cut to the budget.

    Parameters
    ----------
    instance : Instance
        The words, candidates, budget and conditions.
    warm_start : Vocabulary, optional
        A vocabulary to start from too; tokens that are no candidates or beyond the budget are
        left out.
    greedy : Solution, optional
        The solution of `greedtok` for this instance; by default GreedTok is run.
    gap : float
        The relative gap to `lower_bound` at which to stop.
    time_limit : float, optional
        Seconds, the recount included; a limit only cuts the search.  Without one it ends after
        five cycles.
    seed : int
        Random seed.
    threads : int
        Number of threads; the result is the same for any number where no limit cuts.
    progress : Progress, optional
        Receives an `Event` for each better vocabulary, and where the recount begins.
    x : array_like of float, shape (candidates,), optional
        A solution of the linear relaxation, for each candidate of ``instance.index``.
    reduced_costs : array_like of float, shape (candidates,), optional
        By how much `lower_bound` rises where a candidate of ``instance.index`` is forced in.
        Candidates that raise it beyond the tokens of the best vocabulary are not tried.
    lower_bound : int, optional
        A proven lower bound, at which the search stops.

    Returns
    -------
    Solution
        Rule ``shortest_path``; no more tokens than GreedTok's vocabulary (where it was not cut
        short) and the warm start need.  Tokens that save nothing are left out; the fixed ones
        come first, then the others by what dropping them alone would cost.
        ``extra["start_tokens"]`` is what the best start needed, ``extra["swaps_tried"]`` the
        number of swaps tried.  Optimal where `lower_bound` or a token for each counted word is
        reached, or where every candidate is chosen.

    Raises
    ------
    InputError
        For a start over other symbols, or arrays of another shape than the candidates.
    VerificationError
        If `segment` or `verify` count other numbers, or `lower_bound` is above them.

    Notes
    -----
    Gains and losses are exact integers: a gain of an arc (s, e) in a word is its cost − 1 − the
    distance to s − the distance from e; where a token occurs more than once, and for losses,
    the word's shortest path is found again.  A change of one token costs O(arcs) for each word
    that it occurs in.  Candidates that could never save as much as a quarter of what GreedTok's
    last token saves are not tried, nor what goes beyond 2^23 occurrences: those with the most
    symbols, occurrence by occurrence, come first.  Simulated annealing as of Kirkpatrick,
    Gelatt and Vecchi (1983); the best partner of a swap from the losses after the addition, as
    of Whitaker (1983) for the p-median problem.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.heuristics.local_search import local_search
    >>> solution = local_search(Instance({"banana": 2, "bandana": 1}, 2))
    >>> solution.tokens, solution.status
    (3, 'optimal')
    """
    limits = RunLimits(time_limit, seed, threads)
    deadline = limits.start()
    progress = progress or Progress()
    if warm_start is not None and warm_start.symbols != instance.symbols:
        raise InputError(
            f"the start is over {warm_start.symbols}, the words over {instance.symbols}"
        )
    weights = None if x is None else per_candidate(instance, x, "x")
    if reduced_costs is not None and lower_bound is None:
        raise InputError("reduced_costs says what forcing adds to lower_bound: give that too")
    costs = (
        None if reduced_costs is None else per_candidate(instance, reduced_costs, "reduced_costs")
    )
    if greedy is None:
        greedy = greedtok(instance, time_limit=time_limit, threads=threads)
    starts: list[tuple[str, list[Token]]] = [("greedtok", list(greedy.vocabulary))]
    if warm_start is not None:
        starts.append(("start", legal_tokens(instance, warm_start)))
    search_deadline = deadline
    if time_limit is not None:
        seconds = _RECOUNTS * recount_seconds(instance.words, greedy.vocabulary)
        search_deadline = deadline.earlier(seconds)
    termination: Termination = greedy.termination
    seconds_to_start = _START_SECONDS * len(instance.words.data)
    if termination == "completed" and search_deadline.earlier(seconds_to_start).is_over:
        termination = "time_limit"
    search: Search | None = None
    try:
        if termination == "completed":
            if weights is not None:
                starts += roundings(instance, weights, seed)
            full = len(greedy.gains) == instance.k and len(instance.fixed) < instance.k
            space = SearchSpace(
                instance,
                [token for _, tokens in starts for token in tokens],
                greedy.gains[-1] // 4 if full else 0,
                weights,
            )
            target = Target(lower_bound, costs, gap)
            search = Search(space, search_deadline, limits, progress, target)
            termination = search.run(starts)
    except KeyboardInterrupt:
        termination = "interrupted"
    try:
        known = None if search is None or search.best is None else search.tokens
        progress.event(Event(deadline.seconds, "phase", known, lower_bound, "", "recount"))
        vocabulary, cut, tokens, problems = _recounted(instance, search, starts, threads)
    except KeyboardInterrupt:  # the best so far is kept: count again
        termination = "interrupted"
        vocabulary, cut, tokens, problems = _recounted(instance, search, starts, threads)
    claimed = cut.tokens if search is None or search.best is None else search.tokens
    if problems or not tokens == cut.tokens == claimed:
        raise VerificationError(
            f"the search counted {claimed} tokens, segment {cut.tokens}, verify {tokens} "
            f"{'; '.join(problems)}: this is a defect of partcover, "
            "please report it with the instance"
        )
    bound = lower_bound
    if cut.tokens == instance.words.total_count or (search is not None and search.exhausted):
        bound = cut.tokens
    if lower_bound is not None and lower_bound > cut.tokens:
        raise VerificationError(
            f"the lower bound given is {lower_bound}, and {cut.tokens} tokens suffice"
        )
    status: Status = "optimal" if bound == cut.tokens else "feasible"
    if termination == "completed" and status != "optimal" and search is not None and search.is_done:
        termination = "gap"
    return Solution.of(
        instance,
        vocabulary,
        cut.tokens,
        lower_bound=bound,
        status=status,
        termination=termination,
        seconds=deadline.seconds,
        seed=seed,
        threads=threads,
        extra={
            "size": len(vocabulary),
            "start_tokens": cut.tokens if search is None else search.start_tokens,
            "swaps_tried": 0 if search is None else search.tries,
            "tokens_greedtok": greedy.extra["tokens_shortest_path"],
        },
    )


def _recounted(
    instance: Instance,
    search: Search | None,
    starts: Sequence[tuple[str, list[Token]]],
    threads: int,
) -> tuple[Vocabulary, Segmentation, int, tuple[str, ...]]:
    """Returns the answer, with the tokens it needs as `segment` and `recount` count them.

    The answer of a search without a vocabulary yet is the best start, cut to the budget.
    """
    lists = [tokens[: instance.k] for _, tokens in starts]
    if search is not None and search.best is not None:
        lists = [search.answer()]
    best: tuple[Vocabulary, Segmentation] | None = None
    for tokens in lists:
        vocabulary = instance.vocabulary(tokens, "improve")
        cut = segment(instance.words, vocabulary, "shortest_path", threads=threads)
        if best is None or cut.tokens < best[1].tokens:
            best = vocabulary, cut
    assert best is not None
    return *best, *recount(instance, best[0])


@dataclass(frozen=True, eq=False)
class Target:
    """What is proven about better vocabularies, and when one is good enough.

    Attributes
    ----------
    lower_bound : int or None
        No vocabulary needs fewer tokens.
    reduced_costs : ndarray of float64, shape (candidates,), or None
        By how much the bound rises where a candidate is forced in.
    gap : float
        The relative gap to the bound at which to stop.
    """

    lower_bound: int | None
    reduced_costs: Float64 | None
    gap: float


class Search:
    """A local search, with the best vocabulary so far.

    Parameters
    ----------
    space : SearchSpace
        The candidates.
    deadline : Deadline
        When the search ends.
    limits : RunLimits
        The random seed and the number of threads.
    progress : Progress
        Receives each better vocabulary.
    target : Target
        What is proven, and the gap.

    Attributes
    ----------
    best : ndarray of int32, or None
        The numbers of the best vocabulary's tokens in `space`.
    tokens : int
        Tokens that it needs.
    exhausted : bool
        Whether every candidate is chosen, so that nothing is left to choose.
    """

    def __init__(
        self,
        space: SearchSpace,
        deadline: Deadline,
        limits: RunLimits,
        progress: Progress,
        target: Target,
    ) -> None:
        self.space = space
        self.deadline = deadline
        self.limits = limits
        self.progress = progress
        self.lower_bound = target.lower_bound
        self.gap = target.gap
        costs = target.reduced_costs
        self.costs = None if costs is None else space.per_number(costs, 0.0)
        self.state = space.state()
        self.best: Int32 | None = None
        self.tokens = 0
        self.start_tokens: int | None = None
        self.tries = 0
        self.exhausted = False

    def run(self, starts: Sequence[tuple[str, list[Token]]]) -> Termination:
        """Tries all starts, then makes cycles until time is up or nothing is left to try."""
        for name, tokens in starts:
            if not self.offer_start(tokens, name):
                return "time_limit"
            if self.is_done:
                return "completed"
        assert self.best is not None
        self.state.load(self.best)
        space = self.space
        if space.whole and len(self.state.picked()) == len(space):
            self.exhausted = True
            return "completed"
        cycle = 0
        with ThreadPoolExecutor(min(self.limits.threads, _CHAINS)) as pool:
            chains = [space.state() for _ in range(_CHAINS)]
            while not self.is_done and (self.deadline.limit is not None or cycle < CYCLES):
                if not len(self._offers()):
                    break
                if not self._cycle(cycle, chains, pool):
                    return "time_limit"
                cycle += 1
        return "completed"

    @property
    def is_done(self) -> bool:
        """Whether nothing better is possible, or the gap asked for is reached."""
        if self.best is None:
            return False
        bound = max(self.lower_bound or 0, self.space.instance.words.total_count)
        return self.tokens - bound <= self.gap * self.tokens

    def _offers(self) -> Int32:
        """Returns the numbers of candidates that a better vocabulary may hold."""
        hopeful = self.space.locked == 0
        if self.costs is not None and self.lower_bound is not None:
            # one token of slack for what floating point leaves open
            hopeful &= self.costs <= self.tokens - self.lower_bound + 1
        return np.flatnonzero(hopeful).astype(np.int32)

    def keep(self, state: State, source: str) -> None:
        """Keeps a state's vocabulary if it is better."""
        if self.best is None or state.total < self.tokens:
            self.best, self.tokens = state.picked(), state.total
            seconds = self.deadline.seconds
            self.progress.event(Event(seconds, "incumbent", self.tokens, self.lower_bound, source))

    def offer_start(self, tokens: list[Token], source: str) -> bool:
        """Fills or cuts a start to the budget, and exchanges many at once; False if time is up."""
        state, free = self.state, self.space.free
        state.load(self.space.numbers(tokens))
        state.trim(free)
        in_time = self._fill(state, free)
        self.keep(state, source)
        if self.start_tokens is None or state.total < self.start_tokens:
            self.start_tokens = state.total
        n_more = free
        while n_more and in_time:
            before = state.total
            in_time = self._fill(state, free + n_more)
            state.trim(free)
            self.keep(state, "add and drop")
            if state.total >= before:
                n_more //= 2
        return in_time

    def _fill(self, state: State, size: int) -> bool:
        """Fills a state to a size, in parts; False if time is up."""
        present = len(state.picked()) - len(self.space.fixed)
        for upto in (*range(present + 256, size, 256), size):
            if self.deadline.is_over:
                return False
            state.fill(upto)
        return True

    def _cycle(self, cycle: int, chains: list[State], pool: ThreadPoolExecutor) -> bool:
        """Anneals two chains, polishes them and joins them; False if time is up."""
        assert self.best is not None
        self.state.load(self.best)
        self.state.pad(self.space.free)  # two that save nothing alone may do so together
        offers = self._offers()
        losses = self.state.worths()[self.best[self.space.locked[self.best] == 0]]
        hot = min(max(1, int(np.median([0, *losses])) // 20), 2**47)
        tries = max(8, int(8 * len(offers) * _GROWTH**cycle) // _COOLING)
        words = np.random.SeedSequence([self.limits.seed, cycle]).generate_state(_CHAINS, np.uint64)
        if cycle:
            for chain, word in zip(chains, words.tolist(), strict=True):
                chain.copy(self.state)
                chain.seed(word)
            for step in range(_COOLING):
                heat = hot * (_COOLING - step) ** 2 // _COOLING**2
                if not self._anneal(chains, pool, offers, heat, tries):
                    return False
        else:  # first the swaps that gain without annealing
            chains[0].copy(self.state)
        before = [chain.total for chain in chains]
        if not self._polish(chains if cycle else chains[:1], pool, offers):
            return False
        if cycle and before:
            joined = np.union1d(chains[0].picked(), chains[1].picked()).astype(np.int32)
            self.state.load(joined)
            self.state.trim(self.space.free)
            self.keep(self.state, "recombination")
            if not self._polish([self.state], pool, joined):
                return False
        return True

    def _anneal(
        self, chains: list[State], pool: ThreadPoolExecutor, offers: Int32, heat: int, tries: int
    ) -> bool:
        """Tries a number of swaps in each chain at one heat; False if time is up."""
        left = [tries] * len(chains)

        def work(chain: int) -> int:
            if not left[chain]:
                return 0
            return chains[chain].anneal(offers, _CHANCES, heat, left[chain], _SLICE)

        while any(left):
            if self.deadline.is_over:
                return False
            for chain, made in enumerate(pool.map(work, range(len(chains)))):
                left[chain] -= made
                self.tries += made
                self.keep(chains[chain], "annealing")
            if self.is_done:
                break
        return True

    def _polish(self, chains: list[State], pool: ThreadPoolExecutor, offers: Int32) -> bool:
        """Makes passes of swaps in each chain until one has none; False if time is up."""
        at = [0] * len(chains)
        made = [0] * len(chains)

        def work(chain: int) -> int:
            if at[chain] == len(offers):
                return 0
            begun = at[chain]
            at[chain], swaps = chains[chain].sweep(offers, begun, _SLICE)
            made[chain] += swaps
            tried = at[chain] - begun
            if at[chain] == len(offers) and made[chain]:
                at[chain] = made[chain] = 0
            return tried

        while any(place < len(offers) for place in at):
            if self.deadline.is_over:
                return False
            self.tries += sum(pool.map(work, range(len(chains))))
            for chain in chains:
                self.keep(chain, "swaps")
        return True

    def answer(self) -> list[Token]:
        """Returns the best vocabulary's tokens in their order, without those that save nothing."""
        assert self.best is not None
        state, space = self.state, self.space
        state.load(self.best)
        while True:
            worths = state.worths()
            picked = state.picked()
            free = picked[space.locked[picked] == 0]
            if not len(free) or worths[free].min():
                break
            state.trim(len(free) - 1)
        state.fill(space.free)
        self.keep(state, "fill")
        worths = state.worths()
        picked = state.picked()
        free = picked[space.locked[picked] == 0]
        tokens = sorted(
            zip(space.tokens_of(free), worths[free].tolist(), strict=True),
            key=lambda entry: (-entry[1], len(entry[0]), entry[0]),
        )
        return [*space.instance.fixed, *(token for token, _ in tokens)]
