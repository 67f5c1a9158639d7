"""Searches for better vocabularies than greedy: swaps with exact gains, annealing, rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..corpus.symbols import Token
from ..errors import InputError, VerificationError
from ..problem.instance import Instance
from ..problem.solution import Solution, Status, Termination
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..runtime.arrays import Float64
from ..runtime.limits import RunLimits
from ..runtime.progress import Event, Progress
from ..segmentation.segmentation import Segmentation, segment
from ..verification.recount import recount, recount_seconds
from ..vocabulary.vocabulary import Vocabulary
from .greedy import greedtok
from .rounding import roundings
from .search import Search, Target
from .search_space import SearchSpace, legal_tokens, per_candidate

__all__ = ["local_search"]


_START_SECONDS = 5e-7  # a symbol, before the first try
_RECOUNTS = 1.2  # the end of a search takes the time of so many recounts


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
    x : array_like of float, shape (candidates,) or (points, candidates), optional
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
    points = [] if x is None else [per_candidate(instance, row, "x") for row in _rows(x)]
    costs = None
    if reduced_costs is not None:
        if lower_bound is None:
            raise InputError("reduced_costs says what forcing adds to lower_bound: give that too")
        costs = per_candidate(instance, reduced_costs, "reduced_costs")
    if greedy is None:
        greedy = greedtok(instance, time_limit=time_limit, threads=threads)
    starts: list[tuple[str, list[Token]]] = [("greedtok", list(greedy.vocabulary))]
    if warm_start is not None:
        starts.append(("start", legal_tokens(instance, warm_start)))

    search: Search | None = None
    search_deadline = deadline
    if time_limit is not None:
        seconds = _RECOUNTS * recount_seconds(instance.words, greedy.vocabulary)
        search_deadline = deadline.earlier(seconds)
    termination: Termination = greedy.termination
    seconds_to_start = _START_SECONDS * len(instance.words.data)
    if termination == "completed" and search_deadline.earlier(seconds_to_start).is_over:
        termination = "time_limit"
    try:
        if termination == "completed":
            for point in points:
                starts += roundings(instance, point, seed)
            weights = np.max(points, axis=0) if points else None
            space = _space(instance, greedy, starts, weights)
            target = Target(lower_bound, costs, gap)
            search = Search(space, search_deadline, limits, progress, target)
            termination = search.run(starts)
    except KeyboardInterrupt:
        termination = "interrupted"

    best_tokens = None if search is None or search.best is None else search.tokens
    try:
        progress.event(Event(deadline.seconds, "phase", best_tokens, lower_bound, "", "recount"))
        vocabulary, tokens = _recounted(instance, search, starts, threads)
    except KeyboardInterrupt:  # the best so far is kept: count again
        termination = "interrupted"
        vocabulary, tokens = _recounted(instance, search, starts, threads)
    if lower_bound is not None and lower_bound > tokens:
        raise VerificationError(
            f"the lower bound given is {lower_bound}, and {tokens} tokens suffice"
        )
    if tokens == instance.words.total_count or (search is not None and search.exhausted):
        lower_bound = tokens
    status: Status = "optimal" if lower_bound == tokens else "feasible"
    if termination == "completed" and status != "optimal" and search is not None and search.is_done:
        termination = "gap"
    return Solution.of(
        instance,
        vocabulary,
        tokens,
        lower_bound=lower_bound,
        status=status,
        termination=termination,
        seconds=deadline.seconds,
        seed=seed,
        threads=threads,
        extra={
            "size": len(vocabulary),
            "start_tokens": tokens if search is None else search.start_tokens,
            "swaps_tried": 0 if search is None else search.tries,
            "tokens_greedtok": greedy.extra["tokens_shortest_path"],
        },
    )


def _rows(x: npt.ArrayLike) -> Sequence[npt.ArrayLike]:
    """Returns the points that x holds: its rows, or itself."""
    return list(x) if isinstance(x, np.ndarray) and x.ndim == 2 else [x]


def _space(
    instance: Instance,
    greedy: Solution,
    starts: Sequence[tuple[str, list[Token]]],
    x: Float64 | None,
) -> SearchSpace:
    """Returns the candidates to try: those of the starts, and those that may save enough."""
    given = [token for _, tokens in starts for token in tokens]
    is_full = len(greedy.gains) == instance.k and len(instance.fixed) < instance.k
    return SearchSpace(instance, given, greedy.gains[-1] // 4 if is_full else 0, x)


def _recounted(
    instance: Instance,
    search: Search | None,
    starts: Sequence[tuple[str, list[Token]]],
    threads: int,
) -> tuple[Vocabulary, int]:
    """Returns the answer and the tokens it needs, as `segment` and `recount` count them.

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
    vocabulary, cut = best
    recounted, problems = recount(instance, vocabulary)
    claimed = cut.tokens if search is None or search.best is None else search.tokens
    if problems or not recounted == cut.tokens == claimed:
        raise VerificationError(
            f"the search counted {claimed} tokens, segment {cut.tokens}, verify {recounted} "
            f"{'; '.join(problems)}: this is a defect of partcover, "
            "please report it with the instance"
        )
    return vocabulary, cut.tokens
