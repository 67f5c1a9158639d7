"""Searches for better vocabularies than greedy: swaps with exact gains, annealing, rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..runtime.limits import RunLimits
from ..runtime.processes.parallel import workers
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .greedy import greedtok
from .search import Target
from .search_space import per_candidate
from .search_steps import LocalSearch


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
) -> Solution:
    """Searches for a vocabulary that needs few tokens, until the time limit.

    It starts from GreedTok's vocabulary, the warm start and the roundings of `x`.  To each it adds
    the tokens with the largest gains, beyond the budget, and drops those with the smallest losses,
    first many at once, then fewer.  The best result goes through cycles of swaps of one token for
    another.  In a cycle, two chains with their own random sequences are annealed, and then improved
    by swaps as long as any swap gains.  Then both results are joined and reduced to k tokens.

    Parameters
    ----------
    instance : Instance
        The words, candidates, budget and conditions.
    warm_start : Vocabulary, optional
        Another vocabulary to start from; tokens that are not candidates, or beyond the budget,
        are left out.
    greedy : Solution, optional
        The solution of `greedtok` for this instance; by default GreedTok is run.
    gap : float
        The relative gap to one token for each counted word at which to stop.
    time_limit : float, optional
        Seconds, including the recount; a limit ends only the search.  Without one it ends after
        five cycles.
    seed : int
        Random seed.
    threads : int
        Number of threads; the result is the same for any number if no limit ends it early.
    progress : Progress, optional
        Receives an `Event` for each better vocabulary, and where the recount begins.
    x : array_like of float, shape (candidates,) or (points, candidates), optional
        A solution of the linear relaxation, for each candidate of ``instance.index``.

    Returns
    -------
    Solution
        Rule ``shortest_path``; at most as many tokens as the warm start and GreedTok's vocabulary
        need (if GreedTok was not stopped early).  Tokens that save nothing are left out.  The fixed
        tokens come first, then the others by what dropping them alone would cost.
        ``extra["start_tokens"]`` is the tokens that the best start needs, ``extra["swaps_tried"]``
        the number of swaps tried.  The status is optimal if the tokens are one for each counted
        word, or if every candidate is chosen.

    Raises
    ------
    InputError
        For a start over other symbols, or arrays that do not match the candidates.
    VerificationError
        If `segment` or `verify` count other numbers.

    Notes
    -----
    Gains and losses are exact integers.  The gain of an arc (s, e) in a word is the cost of the
    word − 1 − the distance to s − the distance from e.  If a token occurs more than once, and for
    losses, the word's shortest path is computed again.  A change of one token costs O(arcs) for
    each word that contains it.  Candidates that cannot save a quarter of what GreedTok's last token
    saves are not tried.  At most 2^23 occurrences are considered; candidates with the most symbols
    over all occurrences come first.  The method is simulated annealing (Kirkpatrick, Gelatt and
    Vecchi 1983).  The best partner of a swap is chosen by the losses after the addition, as in
    Whitaker (1983) for the p-median problem.

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
    points = [] if x is None else [per_candidate(instance, row) for row in _rows(x)]
    if greedy is None:
        greedy = greedtok(instance, time_limit=time_limit, threads=threads)
    search = LocalSearch(
        instance, greedy, warm_start, gap, limits, deadline, progress or Progress()
    )
    search.aim(Target(points=tuple(points)))
    termination = greedy.termination
    try:
        if termination == "completed":
            with workers(min(threads, 2)) as share:
                search.use(share)
                for _ in search.steps():
                    pass
            termination = search.ended
    except KeyboardInterrupt:
        termination = "interrupted"
    return search.solution(termination)


def _rows(x: npt.ArrayLike) -> Sequence[npt.ArrayLike]:
    """Returns the points in x: its rows, or x itself."""
    return list(x) if isinstance(x, np.ndarray) and x.ndim == 2 else [x]
