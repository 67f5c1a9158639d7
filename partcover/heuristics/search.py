"""Exchanges tokens by exact gains and losses: a local search with annealing."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from ..corpus.symbols import Token
from ..kernels.search._local_search import State
from ..runtime.arrays import Float64, Int32
from ..runtime.limits import Deadline, RunLimits
from ..runtime.processes.parallel import ForEach, call_in_turn
from ..runtime.progress import Event, Progress
from ..vocabulary.vocabulary import Vocabulary
from .rounding import roundings
from .search_space import SearchSpace

_SLICE = 5_000_000  # arcs between two checks of the time limit
_CHAINS = 2  # chains that are annealed at the same time, for any number of threads
CYCLES = 5
"""Number of cycles of a search without a time limit."""
_COOLING = 40  # temperatures in a cycle
_FIRST = 8.0  # tries for each offered candidate in the first cycle
_GROWTH = 1.5  # factor of the tries from one cycle to the next
_CORE_SHARE = 4  # tries of the relaxation's tokens for each try of all tokens
_CHOSEN = 0.001  # x above which the relaxation chooses a token in part
# exponentially distributed values, in units of 1/1024: exp(−x) is the probability of a larger one
_CHANCES = np.array([round(-1024 * math.log((i + 0.5) / 256)) for i in range(256)], np.int32)


@dataclass(frozen=True, eq=False)
class Target:
    """The proven bound and reduced costs, and points near which to search.

    Attributes
    ----------
    lower_bound : int or None
        No vocabulary needs fewer tokens than this.
    reduced_costs : ndarray of float64, shape (candidates,), or None
        The increase of the bound if a candidate is forced in.
    points : tuple of ndarray of float64, shape (candidates,)
        Solutions of relaxations, which are rounded to starting points.
    """

    lower_bound: int | None = None
    reduced_costs: Float64 | None = None
    points: tuple[Float64, ...] = ()


@dataclass
class _Cycles:
    """Chooses the candidates of each cycle: all offered ones, or those with a positive x.

    The latter are few and include most tokens of a better vocabulary, so they get most of the
    tries.
    """

    count: int = 0
    # tries for each candidate in the next cycle of each kind
    _sizes: tuple[float, float] = (_FIRST, _FIRST)
    _tries: tuple[int, int] = (0, 0)  # tries so far

    def next(self, offers: Int32, core: Int32) -> tuple[Int32, int]:
        """Returns the candidates of the next cycle, and the number of tries."""
        whole, inner = self._tries
        if self.count and len(core) and inner <= _CORE_SHARE * whole:
            tries = int(self._sizes[1] * len(core))
            self._sizes = self._sizes[0], self._sizes[1] * _GROWTH
            self._tries = whole, inner + tries
            return core, tries
        tries = int(self._sizes[0] * len(offers))
        self._sizes = self._sizes[0] * _GROWTH, self._sizes[1]
        self._tries = whole + tries, inner
        return offers, tries


class Search:
    """A local search with the best vocabulary so far.

    Parameters
    ----------
    space : SearchSpace
        The candidates and their occurrences.
    target : Target
        The proven bound and the points to search near.
    gap : float
        The relative gap to the target's bound at which to stop.
    limits : RunLimits
        The random seed, and whether there is a time limit: without one the search ends after
        `CYCLES` cycles.
    clock : Deadline
        The clock of the call.
    progress : Progress
        Receives each better vocabulary.

    Attributes
    ----------
    target : Target
        The proven bound; a new one may be set at any time, and is used from the next cycle on.
    share : callable
        Calls a function for each of two chains, in parallel or in turn; may be set at any time.
    exhausted : bool
        Whether every candidate is chosen, so that nothing is left to choose.
    """

    def __init__(
        self,
        space: SearchSpace,
        target: Target,
        gap: float,
        limits: RunLimits,
        clock: Deadline,
        progress: Progress,
    ) -> None:
        self.space = space
        self.target = target
        self.gap = gap
        self.limits = limits
        self.clock = clock
        self.progress = progress
        self.share: ForEach = call_in_turn
        self.state = space.state()
        self._incumbent: tuple[Int32 | None, int] = None, 0
        self.start_tokens: int | None = None
        self.tries = 0
        self.exhausted = False
        self._rounded: tuple[Float64, ...] = ()

    def steps(self, starts: Sequence[tuple[str, list[Token]]]) -> Generator[None]:
        """Tries all starts and the target's points, then makes cycles; yields after each step.

        It ends if nothing is left to try or to gain.  The caller may stop at any time.
        """
        for name, tokens in starts:  # always, whatever the limit
            self.state.load(self.space.numbers(tokens))
            self.state.trim(self.space.free)
            self.keep(self.state, name)
        for name, tokens in starts:
            yield from self.try_start(tokens, name)
            if self.is_done:
                return
        chains = [self.space.state() for _ in range(_CHAINS)]
        cycles = _Cycles()
        while not self.is_done:
            yield from self._try_points()
            assert self.best is not None
            if self.space.whole and len(self.best) == len(self.space):
                self.exhausted = True
                return
            offers = self._offers()
            if self.is_done or not len(offers):
                return
            if self.limits.time_limit is None and cycles.count == CYCLES:
                return
            core = self._core(offers)
            offers, tries = cycles.next(offers, core)
            yield from self._cycle(cycles.count, offers, tries, chains)
            cycles.count += 1

    @property
    def best(self) -> Int32 | None:
        """The numbers of the best vocabulary's tokens in `space`."""
        return self._incumbent[0]

    @property
    def tokens(self) -> int:
        """Tokens that the best vocabulary needs."""
        return self._incumbent[1]

    def incumbent(self) -> tuple[Vocabulary, int]:
        """Returns the best vocabulary, once there is one, and the tokens it needs."""
        best, tokens = self._incumbent
        assert best is not None
        return self.space.instance.vocabulary(self.space.tokens(best), "improve"), tokens

    @property
    def is_done(self) -> bool:
        """Whether nothing better is possible, or the requested gap is reached."""
        if self.best is None:
            return False
        bound = max(self.target.lower_bound or 0, self.space.instance.words.total_count)
        return self.tokens - bound <= self.gap * self.tokens

    def _offers(self) -> Int32:
        """Returns the numbers of candidates that a better vocabulary may contain."""
        hopeful = self.space.locked == 0
        target = self.target
        if target.reduced_costs is not None and target.lower_bound is not None:
            costs = self.space.per_number(target.reduced_costs, 0.0)
            # one token of slack for rounding errors
            hopeful &= costs <= self.tokens - target.lower_bound + 1
        return np.flatnonzero(hopeful).astype(np.int32)

    def _core(self, offers: Int32) -> Int32:
        """Returns offered candidates with x > 0 in the first point, or in the best vocabulary."""
        if not self.target.points:
            return offers[:0]
        x = self.space.per_number(self.target.points[0], 0.0)
        x[self.best] = 1.0
        return offers[x[offers] > _CHOSEN]

    def keep(self, state: State, source: str) -> None:
        """Keeps a state's vocabulary if it is better."""
        if self.best is None or state.total < self.tokens:
            self._incumbent = state.picked(), state.total
            event = Event(
                self.clock.seconds, "incumbent", self.tokens, self.target.lower_bound, source
            )
            self.progress.event(event)

    def _try_points(self) -> Generator[None]:
        """Tries roundings of the target's new points."""
        points = self.target.points
        for point in points:
            if not any(point is other for other in self._rounded):
                for name, tokens in roundings(self.space.instance, point, self.limits.seed):
                    yield from self.try_start(tokens, name)
        self._rounded = points

    def try_start(self, tokens: list[Token], source: str) -> Generator[None]:
        """Extends or reduces a start to k tokens, and exchanges many tokens at once."""
        state, free = self.state, self.space.free
        state.load(self.space.numbers(tokens))
        state.trim(free)
        yield from self._fill(state, free)
        self.keep(state, source)
        if self.start_tokens is None or state.total < self.start_tokens:
            self.start_tokens = state.total
        n_more = free
        while n_more:
            before = state.total
            yield from self._fill(state, free + n_more)
            state.trim(free)
            self.keep(state, "add and drop")
            if state.total >= before:
                n_more //= 2

    def _fill(self, state: State, size: int) -> Generator[None]:
        """Extends a state to a size, in steps."""
        present = len(state.picked()) - len(self.space.fixed)
        for upto in (*range(present + 256, size, 256), size):
            yield
            state.fill(upto)

    def _cycle(self, cycle: int, offers: Int32, tries: int, chains: list[State]) -> Generator[None]:
        """Anneals two chains, improves them by swaps, and joins them."""
        assert self.best is not None
        self.state.load(self.best)
        # two tokens that save nothing alone may save something together
        self.state.pad(self.space.free)
        losses = self.state.worths()[self.best[self.space.locked[self.best] == 0]]
        hot = min(max(1, int(np.median([0, *losses])) // 20), 2**47)
        words = np.random.SeedSequence([self.limits.seed, cycle]).generate_state(_CHAINS, np.uint64)
        if cycle:
            for chain, word in zip(chains, words.tolist(), strict=True):
                chain.copy(self.state)
                chain.seed(word)
            for step in range(_COOLING):
                heat = hot * (_COOLING - step) ** 2 // _COOLING**2
                yield from self._anneal(chains, offers, heat, max(8, tries // _COOLING))
        else:  # the swaps that gain without annealing come first
            chains[0].copy(self.state)
        yield from self._polish(chains if cycle else chains[:1], offers)
        if cycle:
            joined = np.union1d(chains[0].picked(), chains[1].picked()).astype(np.int32)
            self.state.load(joined)
            self.state.trim(self.space.free)
            self.keep(self.state, "recombination")
            yield from self._polish([self.state], joined)

    def _anneal(self, chains: list[State], offers: Int32, heat: int, tries: int) -> Generator[None]:
        """Tries a number of swaps in each chain at one temperature."""
        left = [tries] * len(chains)

        def work(chain: int) -> None:
            if left[chain]:
                left[chain] -= chains[chain].anneal(offers, _CHANCES, heat, left[chain], _SLICE)

        while any(left):
            yield
            before = sum(left)
            self.share(work, len(chains))
            self.tries += before - sum(left)
            for chain in chains:
                self.keep(chain, "annealing")
            if self.is_done:
                break

    def _polish(self, chains: list[State], offers: Int32) -> Generator[None]:
        """Makes passes of swaps in each chain until a pass finds none."""
        at = [0] * len(chains)
        made = [0] * len(chains)

        tried = [0] * len(chains)

        def work(chain: int) -> None:
            if at[chain] == len(offers):
                return
            begun = at[chain]
            at[chain], swaps = chains[chain].sweep(offers, begun, _SLICE)
            made[chain] += swaps
            tried[chain] += at[chain] - begun
            if at[chain] == len(offers) and made[chain]:
                at[chain] = made[chain] = 0

        while any(place < len(offers) for place in at):
            yield
            before_step = sum(tried)
            self.share(work, len(chains))
            self.tries += sum(tried) - before_step
            for chain in chains:
                self.keep(chain, "swaps")

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
