"""Exchanges tokens by exact gains and losses: a local search with annealing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ..corpus.symbols import Token
from ..kernels._local_search import State
from ..problem.solution import Termination
from ..runtime.arrays import Float64, Int32
from ..runtime.limits import Deadline, RunLimits
from ..runtime.progress import Event, Progress
from .search_space import SearchSpace

__all__ = ["CYCLES", "Search", "Target"]


_SLICE = 5_000_000  # arcs between looks at the clock
_CHAINS = 2  # annealed at a time, whatever the number of threads
CYCLES = 5
"""Cycles of a search without a time limit."""
_COOLING = 40  # heats of a cycle
_GROWTH = 1.5  # of a cycle over the one before
# exponentially distributed, in 1/1024: exp(−x) is the chance to exceed x
_CHANCES = np.array([round(-1024 * math.log((i + 0.5) / 256)) for i in range(256)], np.int32)


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
