"""Runs GreedTok and GreedWMC; one run answers every budget up to k."""

from __future__ import annotations

from math import e

from ..errors import InputError
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Int64, Seconds, Threads, checked
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from .corpora_greedy import greedy_for_corpora
from .lazy_greedy import lazy_greedy


@checked
def greedtok(
    instance: Instance,
    *,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Runs GreedTok, which repeatedly takes the token that covers most.

    A token is placed from left to right in every word, wherever the pairs just before and after it
    are not inside a placed token; it may replace shorter tokens inside it.  Its score is the number
    of pairs inside it that were not covered.  Ties go to the shorter token, then to the
    lexicographically last.

    Parameters
    ----------
    instance : Instance
        The words, candidates and k.  Prefix tokens are placed first, in order; then required
        tokens, greedily; then candidates.
    time_limit : float, optional
        Seconds after which the tokens chosen so far are returned.
    threads : int
        Number of threads that find and score candidates, and segment the words at the end; the
        result is the same for any number.
    progress : Progress, optional
        Receives the number of tokens chosen so far, k, and the cover so far as the remark.

    Returns
    -------
    Solution
        `tokens` and `cover` are under the rule ``priority``, GreedTok's own objective;
        ``extra["tokens_shortest_path"]`` is the fewest tokens under the same vocabulary, and
        ``extra["nothing_left_to_gain"]`` whether no further token would help GreedTok.
        `gains` has the gain of each token, and the first j tokens are the result for budget j.
        With several corpora, `tokens` is for the shortest path, and there are no gains.

    Notes
    -----
    Exactly Algorithms 1 to 3 of Lim, Choo and Lauw (2025), "A partition cover approach to
    tokenization".  No approximation guarantee of its own is known; `certified_ratio` gives one
    for an instance.  Evaluation is lazy: a candidate is scored again only while a bound of its
    score is above the best score so far.

    Candidates are listed as they are needed.  A candidate's weighted occurrences times its pairs
    are an upper bound on its score in any state, since each occurrence covers its pairs at most
    once.  Let p be the smallest upper bound among the listed candidates.  If the best of them
    scores at least p, it beats every other candidate, and no tie involves another candidate.  If it
    scores less, candidates are listed again by the upper bounds that remain: an occurrence that
    starts after a pair inside a placed token can never be placed.  Memory is a few arrays over the
    words, and these candidates.

    With several corpora, GreedTok runs on all words, with the counts of each corpus multiplied by a
    weight.  The first weights are an equal share for each corpus, divided by its reference.  Then a
    corpus whose ratio of tokens to reference is above the mean gets more weight, and one below it
    gets less, for at most 24 rounds.  The vocabulary with the smallest largest ratio is kept.  At
    the end its tokens are exchanged, one at a time, for tokens that other rounds chose, as long as
    that helps the worst corpus.

    Examples
    --------
    >>> from partcover import Instance, greedtok
    >>> solution = greedtok(Instance({"banana": 2, "bandana": 1}, 2))
    >>> solution.vocabulary.tokens, solution.gains, solution.tokens
    ((b'banana', b'bandana'), (10, 6), 3)
    """
    limits = RunLimits(time_limit, threads=threads)
    if instance.corpora is not None:
        return greedy_for_corpora(instance, limits, progress or Progress())
    return lazy_greedy(instance, limits, progress or Progress(), relaxed=False)


@checked
def greedwmc(
    instance: Instance,
    *,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Runs GreedWMC, greedy weighted maximum coverage: the relaxation where tokens may overlap.

    A pair is covered if it is inside any occurrence of a chosen token.  Ties go to the longer
    token, then to the lexicographically last.  Parameters as for `greedtok`.

    Returns
    -------
    Solution
        ``extra["relaxed_cover"]`` is its own objective, at least 1 − 1/e of the most that k
        candidates can cover (Nemhauser, Wolsey and Fisher 1978) when nothing is required;
        `tokens` and `cover` of its vocabulary are under the rule ``shortest_path``, which
        covers at least half of the relaxed cover: of a smallest set of occurrences that covers
        the same pairs of a word, every second one can be used without overlaps.

    Examples
    --------
    >>> from partcover import Instance, greedwmc
    >>> greedwmc(Instance({"banana": 2, "bandana": 1}, 2)).extra["relaxed_cover"]
    16
    """
    return lazy_greedy(
        instance, RunLimits(time_limit, threads=threads), progress or Progress(), relaxed=True
    )


@checked
def certified_ratio(cover: Int64, relaxed_cover: Int64) -> tuple[float, float]:
    """Returns the ratio to the optimum that GreedWMC certifies for a vocabulary.

    Parameters
    ----------
    cover : int
        The cover of the vocabulary, as `Solution.cover` of `greedtok`.
    relaxed_cover : int
        ``extra["relaxed_cover"]`` of `greedwmc` for the same instance, run to the end.

    Returns
    -------
    tuple of float
        d = cover / relaxed cover, and d·(1 − 1/e): the vocabulary covers at least that part
        of the optimum.  (1, 1 − 1/e) if there is nothing to cover.

    Raises
    ------
    InputError
        For a negative cover.

    Notes
    -----
    Why it holds (Lim, Choo and Lauw 2025, Section 5), where OPT is the largest cover of k tokens
    and W their largest relaxed cover:

    1. Pairs that tokens cover without overlaps they cover with overlaps too: OPT ≤ W.
    2. Some k tokens together cover W pairs.  While c pairs are covered, one of these tokens covers
       at least (W − c) / k more, and so does the next one of GreedWMC.
    3. The missing part W − c so shrinks by the factor 1 − 1/k at each step: after k steps at most
       (1 − 1/k)^k · W ≤ W / e is missing (Nemhauser, Wolsey and Fisher 1978).
    4. Hence cover / OPT ≥ cover / W ≥ (cover / relaxed cover) · (1 − 1/e).  ∎

    Examples
    --------
    >>> from partcover import certified_ratio
    >>> d, ratio = certified_ratio(cover=9, relaxed_cover=10)
    >>> d, round(ratio, 3)
    (0.9, 0.569)
    """
    if cover < 0 or relaxed_cover < 0:
        raise InputError("a cover must not be negative")
    d = cover / relaxed_cover if relaxed_cover else 1.0
    return d, d * (1 - 1 / e)
