"""Better vocabularies than greedy: swaps with exact gains and losses, annealing, rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from ..corpus.symbols import Token
from ..errors import InputError, VerificationError
from ..kernels._local_search import State
from ..problem.instance import Instance
from ..problem.solution import Solution, Status, Termination
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..runtime.limits import Deadline
from ..runtime.progress import Event, Progress
from ..segmentation.segmentation import Segmentation, segment
from ..verification.recount import recount, recount_seconds
from ..vocabulary.vocabulary import Vocabulary
from .greedy import greedtok
from .rounding import roundings
from .search_space import SearchSpace, legal_tokens, per_candidate

__all__ = ["local_search"]

Int32 = npt.NDArray[np.int32]
Float64 = npt.NDArray[np.float64]

_SLICE = 5_000_000  # arcs between looks at the clock
_STARTING = 5e-7  # seconds a symbol that the search takes at least before its first try
_KEPT = 1.2  # times the time of the recount, for what else stands at the end
_CHAINS = 2  # annealed at a time, whatever the number of threads
_CYCLES = 5  # without a time limit
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
    """Search for a vocabulary that needs few tokens, for as long as there is time.

    Starts: GreedTok's vocabulary; the given one; the roundings of `x`.  From each, the tokens
    that gain most are added beyond the budget and those that lose least dropped, many at once,
    then fewer.  The best goes through cycles: swaps of one token for another, annealed from two
    random sequences, then made while any gains; and both ends joined and cut down.

    Parameters
    ----------
    instance : Instance
        The words, candidates, budget and conditions.
    warm_start : Vocabulary, optional
        A vocabulary to start from too; what is no candidate is left out, what is too much cut.
    greedy : Solution, optional
        What `greedtok` gives for this instance, where it has been run already.
    gap : float
        Stop at this relative gap to `lower_bound`.
    time_limit : float, optional
        Seconds, about what the recount takes included; the search itself is the same, only
        cut.  Without a limit the search ends after five cycles.
    seed : int
        Random seed.
    threads : int
        Threads; the result is the same for any number, where no limit cuts.
    progress : Progress, optional
        Gets an `Event` for each better vocabulary, and where the recount begins.
    x : array_like of float, shape (candidates,), optional
        A solution of the linear relaxation, for each candidate of ``instance.index``.
    reduced_costs : array_like of float, shape (candidates,), optional
        By how much `lower_bound` rises where a candidate of ``instance.index`` is forced in.
        What rises beyond the tokens needed is not tried.
    lower_bound : int, optional
        A proven lower bound, for the gap, and to stop at.

    Returns
    -------
    Solution
        Rule ``shortest_path``; at most as many tokens as GreedTok's vocabulary (where it was
        not cut short) and as the given one need.  Tokens that save nothing are left out;
        fixed ones are in front, then by what dropping them alone would cost.
        ``extra["start_tokens"]`` is what the best start needed, ``extra["swaps_tried"]`` the
        work done.  Optimal where `lower_bound`, or a token for each counted word, is reached,
        or where every candidate is taken.

    Raises
    ------
    InputError
        For a start over other symbols, or arrays of another shape than the candidates.
    VerificationError
        If the recount by `segment` or `verify` finds other numbers, or `lower_bound` is above
        them.

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
    """
    clock = Deadline(time_limit)
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
    kept = 0.0
    if time_limit is not None:
        kept = _KEPT * recount_seconds(instance.words, greedy.vocabulary)
    reserve = clock.earlier(kept)
    termination: Termination = greedy.termination
    if termination == "completed" and reserve.earlier(_STARTING * len(instance.words.data)).is_over:
        termination = "time_limit"
    search: _Search | None = None
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
            search = _Search(space, reserve, seed, threads, progress, lower_bound, costs, gap)
            termination = search.run(starts)
    except KeyboardInterrupt:
        termination = "interrupted"
    try:
        known = None if search is None or search.best is None else search.tokens
        progress.event(Event(clock.seconds, "phase", known, lower_bound, "", "recount"))
        vocabulary, cut, tokens, problems = _recounted(instance, search, starts, threads)
    except KeyboardInterrupt:  # what was found is kept: count again
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
    if termination == "completed" and status != "optimal" and search is not None and search.done:
        termination = "gap"
    return Solution.of(
        instance,
        vocabulary,
        cut.tokens,
        lower_bound=bound,
        status=status,
        termination=termination,
        seconds=clock.seconds,
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
    search: _Search | None,
    starts: Sequence[tuple[str, list[Token]]],
    threads: int,
) -> tuple[Vocabulary, Segmentation, int, tuple[str, ...]]:
    """The answer, and what it needs as `segment` and `verify.recount` count it.

    Of a search that has found nothing yet it is the best start, cut to the budget.
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


class _Search:
    """The best so far, and how it is looked for."""

    def __init__(
        self,
        space: SearchSpace,
        clock: Deadline,
        seed: int,
        threads: int,
        progress: Progress,
        lower_bound: int | None,
        reduced_costs: Float64 | None,
        gap: float,
    ) -> None:
        self.space = space
        self.clock = clock
        self.seed = seed & (2**64 - 1)
        self.threads = threads
        self.progress = progress
        self.lower_bound = lower_bound
        self.costs = None if reduced_costs is None else space.per_number(reduced_costs, 0.0)
        self.state = space.state()
        self.best: Int32 | None = None
        self.tokens = 0
        self.start_tokens: int | None = None
        self.tries = 0
        self.exhausted = False
        self.gap = gap

    def run(self, starts: Sequence[tuple[str, list[Token]]]) -> Termination:
        """All starts, then cycles."""
        for name, tokens in starts:
            if not self.offer_start(tokens, name):
                return "time_limit"
            if self.done:
                return "completed"
        assert self.best is not None
        self.state.load(self.best)
        space = self.space
        if space.whole and self._everything():
            self.exhausted = True
            return "completed"
        cycle = 0
        with ThreadPoolExecutor(min(self.threads, _CHAINS)) as pool:
            chains = [space.state() for _ in range(_CHAINS)]
            while not self.done and (self.clock.limit is not None or cycle < _CYCLES):
                if not len(self._offers()):
                    break
                if not self._cycle(cycle, chains, pool):
                    return "time_limit"
                cycle += 1
        return "completed"

    @property
    def done(self) -> bool:
        """Whether nothing better is possible, or the gap asked for is reached."""
        if self.best is None:
            return False
        bound = max(self.lower_bound or 0, self.space.instance.words.total_count)
        return self.tokens - bound <= self.gap * self.tokens

    def _everything(self) -> bool:
        """Whether every candidate is taken, so that nothing is left to choose."""
        return len(self.state.picked()) == len(self.space)

    def _offers(self) -> Int32:
        """What may be of a better vocabulary."""
        hopeful = self.space.locked == 0
        if self.costs is not None and self.lower_bound is not None:
            # a token more or less for what floating point leaves open
            hopeful &= self.costs <= self.tokens - self.lower_bound + 1
        return np.flatnonzero(hopeful).astype(np.int32)

    def found(self, state: State, source: str) -> None:
        """Keep a state's vocabulary if it is better."""
        if self.best is None or state.total < self.tokens:
            self.best, self.tokens = state.picked(), state.total
            seconds = self.clock.seconds
            self.progress.event(Event(seconds, "incumbent", self.tokens, self.lower_bound, source))

    def offer_start(self, tokens: list[Token], source: str) -> bool:
        """Load a start, cut or fill it to the budget, and trade many at once; False: time is up."""
        state, free = self.state, self.space.free
        state.load(self.space.numbers(tokens))
        state.trim(free)
        in_time = self._fill(state, free)
        self.found(state, source)
        if self.start_tokens is None or state.total < self.start_tokens:
            self.start_tokens = state.total
        more = free
        while more and in_time:
            before = state.total
            in_time = self._fill(state, free + more)
            state.trim(free)
            self.found(state, "add and drop")
            if state.total >= before:
                more //= 2
        return in_time

    def _fill(self, state: State, size: int) -> bool:
        """As ``state.fill``, in parts; False: time is up."""
        held = len(state.picked()) - len(self.space.fixed)
        for upto in (*range(held + 256, size, 256), size):
            if self.clock.is_over:
                return False
            state.fill(upto)
        return True

    def _cycle(self, cycle: int, chains: list[State], pool: ThreadPoolExecutor) -> bool:
        """Anneal, polish, join; False: time is up."""
        assert self.best is not None
        self.state.load(self.best)
        self.state.pad(self.space.free)  # two that save nothing alone may do so together
        offers = self._offers()
        losses = self.state.worths()[self.best[self.space.locked[self.best] == 0]]
        hot = min(max(1, int(np.median([0, *losses])) // 20), 2**47)
        tries = max(8, int(8 * len(offers) * _GROWTH**cycle) // _COOLING)
        words = np.random.SeedSequence([self.seed, cycle]).generate_state(_CHAINS, np.uint64)
        if cycle:
            for chain, word in zip(chains, words.tolist(), strict=True):
                chain.copy(self.state)
                chain.seed(word)
            for step in range(_COOLING):
                heat = hot * (_COOLING - step) ** 2 // _COOLING**2
                if not self._anneal(chains, pool, offers, heat, tries):
                    return False
        else:  # first take what is to be had without
            chains[0].copy(self.state)
        before = [chain.total for chain in chains]
        if not self._polish(chains if cycle else chains[:1], pool, offers):
            return False
        if cycle and before:
            joined = np.union1d(chains[0].picked(), chains[1].picked()).astype(np.int32)
            self.state.load(joined)
            self.state.trim(self.space.free)
            self.found(self.state, "recombination")
            if not self._polish([self.state], pool, joined):
                return False
        return True

    def _anneal(
        self, chains: list[State], pool: ThreadPoolExecutor, offers: Int32, heat: int, tries: int
    ) -> bool:
        """`tries` swaps tried in each chain at one heat; False: time is up."""
        left = [tries] * len(chains)

        def work(chain: int) -> int:
            if not left[chain]:
                return 0
            return chains[chain].anneal(offers, _CHANCES, heat, left[chain], _SLICE)

        while any(left):
            if self.clock.is_over:
                return False
            for chain, made in enumerate(pool.map(work, range(len(chains)))):
                left[chain] -= made
                self.tries += made
                self.found(chains[chain], "annealing")
            if self.done:
                break
        return True

    def _polish(self, chains: list[State], pool: ThreadPoolExecutor, offers: Int32) -> bool:
        """Passes of swaps over the offers in each chain, until one has none; False: time is up."""
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
            if self.clock.is_over:
                return False
            self.tries += sum(pool.map(work, range(len(chains))))
            for chain in chains:
                self.found(chain, "swaps")
        return True

    def answer(self) -> list[Token]:
        """The best vocabulary's tokens, without those that save nothing, in their order."""
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
        self.found(state, "fill")
        worths = state.worths()
        picked = state.picked()
        free = picked[space.locked[picked] == 0]
        tokens = sorted(
            zip(space.tokens_of(free), worths[free].tolist(), strict=True),
            key=lambda entry: (-entry[1], len(entry[0]), entry[0]),
        )
        return [*space.instance.fixed, *(token for token, _ in tokens)]
