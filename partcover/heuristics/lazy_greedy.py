"""Repeatedly takes the token with the largest gain, and scores only tokens that may have it."""

from __future__ import annotations

import time

import numpy as np

from ..corpus.symbols import Token
from ..errors import VerificationError
from ..kernels.greedy import _greedy64
from ..kernels.greedy._greedy import Greedy
from ..problem.candidates import refuse_endless
from ..problem.group_budget import GroupBudgets
from ..problem.instance import Instance
from ..problem.memory_plan import refuse_beyond_memory
from ..problem.solution import Solution, Termination
from ..runtime.limits import RunLimits
from ..runtime.processes.parallel import workers
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment

_CHUNK = 256  # most tokens between two checks of the time limit
_LOOK_SECONDS = 0.05  # if they take longer than this, their number does not grow
_AHEAD = 1 << 18  # occurrences that threads process at once: a millisecond or two of work
_MORE = 2  # factor by which more candidates are loaded if the loaded ones gain too little


def lazy_greedy(
    instance: Instance, limits: RunLimits, progress: Progress, *, relaxed: bool
) -> Solution:
    """Runs GreedTok, or GreedWMC if `relaxed`.

    Parameters
    ----------
    instance : Instance
        The words, candidates and budget.
    limits : RunLimits
        Time limit and threads.
    progress : Progress
        Receives the number of tokens chosen so far, k, and the cover so far.
    relaxed : bool
        Whether tokens may overlap.
    """
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
            # a score is at most its upper bound: no candidate that is not loaded scores `least`
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
    del tokens[len(gains) :], gains[len(tokens) :]  # an interrupt can come between the two appends
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
