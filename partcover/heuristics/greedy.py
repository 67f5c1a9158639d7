"""Runs GreedTok and GreedWMC, which answer every budget up to k in one run."""

from __future__ import annotations

import time
from math import e

import numpy as np

from ..corpus.symbols import Token
from ..errors import InputError, VerificationError
from ..kernels import _greedy64
from ..kernels._greedy import Greedy
from ..problem.candidates import refuse_endless
from ..problem.group_budget import GroupBudgets
from ..problem.instance import Instance
from ..problem.memory_plan import refuse_beyond_memory
from ..problem.solution import Solution, Termination
from ..runtime.arguments import Seconds, Threads, checked
from ..runtime.limits import RunLimits
from ..runtime.processes.parallel import workers
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment

__all__ = ["certified_ratio", "greedtok", "greedwmc"]

_CHUNK = 256  # tokens between looks at the clock, at most
_LOOK_SECONDS = 0.05  # tokens that take longer are no more than they were between looks
_AHEAD = 1 << 18  # occurrences that threads look at in one go: a millisecond of work, or two
_MORE = 2  # times as many candidates are loaded where those loaded gain too little


@checked
def greedtok(
    instance: Instance,
    *,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Runs GreedTok, which takes the token that covers most, again and again.

    A token is placed, left to right in every word, where the pairs just before and just after
    it are not inside a placed token; it may swallow shorter tokens whole, and its score is the
    number of pairs inside it that were not covered.  Ties go to the shorter token, then to the
    lexicographically last.

    Parameters
    ----------
    instance : Instance
        The words, candidates and budget.  Its prefix tokens are placed first, in their order;
        then its required tokens, greedily among themselves; then candidates.
    time_limit : float, optional
        Seconds after which the tokens chosen so far are returned.
    threads : int
        Number of threads that find and score candidates, and cut the words at the end; the result
        is the same for any number.
    progress : Progress, optional
        Receives the number of tokens chosen so far, k, and the cover so far as the remark.

    Returns
    -------
    Solution
        `tokens` and `cover` are under the rule ``priority``, GreedTok's own objective;
        ``extra["tokens_shortest_path"]`` is the fewest tokens under the same vocabulary, and
        ``extra["nothing_left_to_gain"]`` whether no further token would help GreedTok.
        `gains` holds the gain of each token, so the first j tokens answer budget j.

    Notes
    -----
    Exactly Algorithms 1 to 3 of Lim, Choo and Lauw (2025), "A partition cover approach to
    tokenization".  No approximation guarantee of its own is known; `certified_ratio` gives one
    for an instance.  Evaluation is lazy: a candidate is scored again only while a bound of its
    score is above the best score so far.

    Candidates are enumerated as they are needed.  The promise of one, its weighted occurrences
    times its pairs, is at least its score in any state: each occurrence covers its pairs at most
    once.  So where the best of those of promise p or more scores at least p, it beats every other
    candidate, and no tie is broken by one of them.  Where it scores less, candidates are
    enumerated anew, by the promise that is left: an occurrence behind a pair inside a placed token
    can never be placed.  Memory is a few arrays over the words, and these candidates.

    Examples
    --------
    >>> from partcover import Instance, greedtok
    >>> solution = greedtok(Instance({"banana": 2, "bandana": 1}, 2))
    >>> solution.vocabulary.tokens, solution.gains, solution.tokens
    ((b'banana', b'bandana'), (10, 6), 3)
    """
    return _greedy(
        instance, RunLimits(time_limit, threads=threads), progress or Progress(), relaxed=False
    )


@checked
def greedwmc(
    instance: Instance,
    *,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Runs GreedWMC, greedy weighted maximum coverage: the relaxation where tokens may overlap.

    A pair counts as covered as soon as any chosen token has an occurrence over it.  Ties go to
    the longer token, then to the lexicographically last.  Parameters as for `greedtok`.

    Returns
    -------
    Solution
        ``extra["relaxed_cover"]`` is its own objective, at least 1 − 1/e of the most that k
        candidates can cover (Nemhauser, Wolsey and Fisher 1978) when nothing is required;
        `tokens` and `cover` of its vocabulary are under the rule ``shortest_path``, which
        keeps at least half of the relaxed cover: of the places that cover a word's pairs, as
        few as can be, every second one can be cut out.

    Examples
    --------
    >>> from partcover import Instance, greedwmc
    >>> greedwmc(Instance({"banana": 2, "bandana": 1}, 2)).extra["relaxed_cover"]
    16
    """
    return _greedy(
        instance, RunLimits(time_limit, threads=threads), progress or Progress(), relaxed=True
    )


@checked
def certified_ratio(cover: int, relaxed_cover: int) -> tuple[float, float]:
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
        raise InputError("a cover is not negative")
    d = cover / relaxed_cover if relaxed_cover else 1.0
    return d, d * (1 - 1 / e)


def _greedy(
    instance: Instance, limits: RunLimits, progress: Progress, *, relaxed: bool
) -> Solution:
    """Runs GreedTok, or GreedWMC where the problem is relaxed."""
    deadline = limits.start()
    threads = limits.threads
    words = instance.words
    refuse_beyond_memory(instance, "greedy")
    index = instance.promising_index(threads)
    arrays = index.text, index.sa, index.word_of, words.counts
    kernel = Greedy if index.sa.dtype == np.int32 else _greedy64.Greedy
    state = kernel(*arrays, relaxed, threads, _AHEAD)

    first = len(instance.prefix)
    tokens: list[Token] = list(instance.prefix)
    prefix = index.find_tokens(instance.prefix)
    gains = [state.place(*interval) for interval in zip(*prefix, strict=True)]
    rest = instance.fixed[first:]
    if rest:
        others = index.find_tokens(rest)
        state.load(*others, index.weight_of(others), words.total_symbols)
        with workers(threads) as for_each:
            chosen, chosen_gains = state.run(len(rest), for_each=for_each)
        useless = sorted(set(rest) - {rest[c] for c in chosen})
        tokens += [rest[c] for c in chosen] + useless
        gains += chosen_gains.tolist() + [0] * len(useless)

    picks: list[int] = []
    total = sum(gains)
    termination: Termination = "completed"
    exhausted = False
    chunk = 1
    intervals, weight, least = index.intervals, index.weight, index.min_promise
    most = max(len(intervals.lo), 1)
    scored = intervals.occurrences
    refuse_endless(len(index), int(intervals.length.max(initial=0)), scored, len(index.text))
    budgets = GroupBudgets(instance.groups, instance.fixed)
    groups = budgets.bits(index.tokens() if instance.groups else ())
    state.load(*intervals, weight, words.total_symbols, groups, budgets.room)
    try:
        while len(tokens) + len(picks) < instance.k:
            if deadline.is_over:
                termination = "time_limit"
                break
            steps = min(chunk, instance.k - len(tokens) - len(picks))
            begun = time.monotonic()
            # a score is at most the promise: none that is not loaded scores `least`
            with workers(threads) as for_each:
                chosen, chosen_gains = state.run(steps, max(least, 1), for_each, deadline.end)
            picks += chosen.tolist()
            gains += chosen_gains.tolist()
            total += int(chosen_gains.sum())
            progress.advance(len(tokens) + len(picks), instance.k, f"cover {total:,}")
            if time.monotonic() - begun < _LOOK_SECONDS:
                chunk = min(2 * chunk, _CHUNK)
            if state.is_late:
                termination = "time_limit"
                break
            if len(chosen) < steps:
                if least == 0:
                    exhausted = True
                    break
                if picks:
                    scored = 0
                else:
                    most = _MORE * max(most, len(intervals.lo))
                tokens += index.tokens_at(intervals.take(np.array(picks, np.int64)))
                picks = []
                blocked = state.blocked()
                state.unload()
                intervals, weight, least = index.most_promising(blocked, most, scored)
                scored += intervals.occurrences
                state.load(*intervals, weight, words.total_symbols)
    except KeyboardInterrupt:
        termination = "interrupted"
    tokens += index.tokens_at(intervals.take(np.array(picks, np.int64)))
    del tokens[len(gains) :], gains[len(tokens) :]  # an interrupt can fall between the two
    total = sum(gains)

    method = "greedwmc" if relaxed else "greedtok"
    vocabulary = instance.vocabulary(tokens, method)
    shortest = segment(words, vocabulary, "shortest_path", threads=threads)
    extra = {"size": len(tokens), "nothing_left_to_gain": exhausted}
    if relaxed:
        stated = shortest
        extra["relaxed_cover"] = total
    else:
        stated = segment(words, vocabulary, "priority", threads=threads)
        extra["tokens_shortest_path"] = shortest.tokens
        if stated.cover != total:
            raise VerificationError(
                f"GreedTok counted a cover of {total}, its segmentation has {stated.cover}: "
                "this is a defect of partcover, please report it with the instance"
            )
    return Solution.of(
        instance,
        vocabulary,
        stated.tokens,
        rule=stated.rule,
        termination=termination,
        seconds=deadline.seconds,
        seed=limits.seed,
        threads=threads,
        gains=gains,
        extra=extra,
    )
