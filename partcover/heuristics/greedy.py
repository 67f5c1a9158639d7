"""Runs GreedTok and GreedWMC: every budget up to k from one run."""

from __future__ import annotations

import time
from math import e

import numpy as np

from ..corpus.symbols import Token
from ..errors import InputError, VerificationError
from ..kernels._greedy import Greedy
from ..problem.candidates import CandidateIndex
from ..problem.group_budget import GroupBudgets
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.arguments import Seconds, Seed, Threads, checked
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment

__all__ = ["certified_ratio", "greedtok", "greedwmc"]

_CHUNK = 256  # tokens between looks at the clock
# symbols looked at; text of a gigabyte takes a hundredth of it, and a minute has some 5e11
_MOST_STEPS = 1e12


@checked
def greedtok(
    instance: Instance,
    *,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """GreedTok: take the token that covers most, again and again.

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
        Seconds after which the tokens found so far are returned.
    seed : int
        Recorded; nothing here is random.
    threads : int
        Threads of the final segmentation; the result is the same for any number.
    progress : Progress, optional
        Gets the tokens chosen so far and k, with the cover so far as the remark.

    Returns
    -------
    Solution
        `tokens` and `cover` are under the rule ``priority``, GreedTok's own objective;
        ``extra["tokens_shortest_path"]`` is the least the same vocabulary needs, and
        ``extra["nothing_left_to_gain"]`` says that no further token would help GreedTok.
        `gains` holds the gain of each token, so the first j tokens answer budget j.

    Notes
    -----
    Exactly Algorithms 1 to 3 of Lim, Choo and Lauw (2025), "A partition cover approach to
    tokenization".  No approximation guarantee of its own is known; `certified_ratio` gives one
    for the instance at hand.  Evaluation is lazy: a candidate is scored again only while a
    bound of its score beats the best score in hand.
    """
    return _greedy(instance, False, time_limit, seed, threads, progress or Progress())


@checked
def greedwmc(
    instance: Instance,
    *,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """GreedWMC: greedy weighted maximum coverage, the relaxation where tokens may overlap.

    A pair counts as covered as soon as any chosen token has an occurrence over it.  Ties go to
    the longer token, then to the lexicographically last.  Parameters as for `greedtok`.

    Returns
    -------
    Solution
        ``extra["relaxed_cover"]`` is its own objective, at least 1 − 1/e of the most that k
        candidates can cover (Nemhauser, Wolsey and Fisher 1978) when nothing is required;
        `tokens` and `cover` are what its vocabulary gives under the rule ``shortest_path``.
    """
    return _greedy(instance, True, time_limit, seed, threads, progress or Progress())


@checked
def certified_ratio(cover: int, relaxed_cover: int) -> tuple[float, float]:
    """The ratio that GreedWMC certifies for a vocabulary on one instance.

    Parameters
    ----------
    cover : int
        What the vocabulary covers: `Solution.cover` of `greedtok`, say.
    relaxed_cover : int
        ``extra["relaxed_cover"]`` of `greedwmc`, for the same instance, run to the end.

    Returns
    -------
    tuple of float
        d = cover / relaxed cover, and d·(1 − 1/e): the vocabulary covers at least that part
        of the optimum, because the optimum's cover is at most the optimum of the relaxation,
        of which GreedWMC reaches 1 − 1/e (Lim, Choo and Lauw 2025, Section 5).  (1, 1 − 1/e)
        if there is nothing to cover.

    Raises
    ------
    InputError
        For a negative cover.
    """
    if cover < 0 or relaxed_cover < 0:
        raise InputError("a cover is not negative")
    d = cover / relaxed_cover if relaxed_cover else 1.0
    return d, d * (1 - 1 / e)


def _refuse_endless(index: CandidateIndex) -> None:
    """Refuse candidates whose occurrences alone take minutes to score once.

    Those of a long word that repeats itself overlap: the cube of its length.
    """
    occurrences = (index.hi - index.lo).astype(np.float64)
    steps = float(occurrences @ (index.length - 1))
    if steps > _MOST_STEPS:
        raise InputError(
            f"the {len(index):,} candidates, of up to {int(index.length.max()):,} symbols, take "
            f"about {steps:.0e} steps to score once, more than {_MOST_STEPS:.0e}: cap their length "
            "with --max-length (max_length), or cut the words with a pre-tokenizer"
        )


def _greedy(
    instance: Instance,
    relaxed: bool,
    time_limit: float | None,
    seed: int,
    threads: int,
    progress: Progress,
) -> Solution:
    started = time.monotonic()
    words = instance.words
    index = instance.index
    state = Greedy(index.text, index.sa, index.word_of, words.counts, relaxed)

    first = len(instance.prefix)
    tokens: list[Token] = list(instance.prefix)
    prefix = index.find_tokens(instance.prefix)
    gains = [state.place(*interval) for interval in zip(*prefix, strict=True)]
    rest = instance.fixed[first:]
    if rest:
        others = index.find_tokens(rest)
        state.load(*others, index.weight_of(others), words.total_symbols)
        chosen, chosen_gains = state.run(len(rest))
        useless = sorted(set(rest) - {rest[c] for c in chosen})
        tokens += [rest[c] for c in chosen] + useless
        gains += chosen_gains.tolist() + [0] * len(useless)

    picks: list[int] = []
    total = sum(gains)
    termination: Termination = "completed"
    exhausted = False
    _refuse_endless(index)
    budgets = GroupBudgets(instance.groups, instance.fixed)
    groups = budgets.bits(index.tokens() if instance.groups else ())
    state.load(*index.intervals, index.weight, words.total_symbols, groups, budgets.room)
    try:
        while len(tokens) + len(picks) < instance.k:
            if time_limit is not None and time.monotonic() - started >= time_limit:
                termination = "time_limit"
                break
            steps = min(_CHUNK, instance.k - len(tokens) - len(picks))
            chosen, chosen_gains = state.run(steps)
            picks += chosen.tolist()
            gains += chosen_gains.tolist()
            total += int(chosen_gains.sum())
            progress.advance(len(tokens) + len(picks), instance.k, f"cover {total:,}")
            if len(chosen) < steps:
                exhausted = True
                break
    except KeyboardInterrupt:
        termination = "interrupted"
    tokens += index.tokens(np.array(picks, np.int64))
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
        seconds=time.monotonic() - started,
        seed=seed,
        threads=threads,
        gains=gains,
        extra=extra,
    )
