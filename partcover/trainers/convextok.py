"""Trains ConvexTok: the relaxation, rounded to a vocabulary, with the bound that it proves."""

from __future__ import annotations

import math
from dataclasses import replace

from ..errors import VerificationError
from ..heuristics.rounding import Rounding, round_relaxation
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Seed, Threads
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from .trainer import OPTIONS, solution_of, trainer


@trainer(
    "convextok",
    about="ConvexTok: the rounded linear relaxation, with its lower bound",
    supports=OPTIONS,
    work="bound",
)
def convextok(
    instance: Instance,
    *,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
    rounding: Rounding = "det",
) -> Solution:
    """Solves the linear relaxation and rounds it to a vocabulary.

    Parameters
    ----------
    instance : Instance
        The words, candidates, budget and conditions; the rounding keeps to group budgets, the
        relaxation leaves them out.
    time_limit : float, optional
        Seconds for the relaxation; what it has reached by then is rounded.
    seed : int
        Random seed of the roundings ``bias`` and ``random``.
    threads : int
        Number of threads; without a time limit the result is the same for any number.
    progress : Progress, optional
        Gets an `Event` for each better bound.
    rounding : {"det", "bias", "int", "random"}
        See `round_relaxation`; the first three are the paper's.

    Returns
    -------
    Solution
        Method ``convextok``, rule ``shortest_path``.  `lower_bound` is certified: prices prove
        it in integers (see `partcover.lower_bound`); where the rounded vocabulary meets it, it
        is optimal.  ``extra["relaxation"]`` is the value of the relaxation in floating point,
        at most this; None where the steps have not come near it.
        ``extra["nothing_left_to_gain"]``: no other token is worth choosing.

    Raises
    ------
    InputError
        As `partcover.lower_bound` and `round_relaxation` do.

    Examples
    --------
    >>> from partcover import Instance, trainers
    >>> solution = trainers.convextok(Instance({"hugs": 5, "hug": 10, "pug": 5}, 2))
    >>> solution.vocabulary.tokens, solution.tokens, solution.lower_bound, solution.status
    ((b'hug', b'pug'), 25, 25, 'optimal')

    Notes
    -----
    Tempus, Whittington, Schmidt, Komm and Pimentel (2026), "Tokenisation via Convex
    Relaxations".  The relaxation is partcover's own, that of `path`, solved by the first-order
    steps of `partcover.lower_bound`, not by cuOPT; candidates are those of the instance, all
    substrings unless it says otherwise, where the paper takes the most frequent.
    """
    from ..bounds.lower_bound import lower_bound  # slow to import, and only this trainer needs it

    deadline = Deadline(time_limit)
    bound = lower_bound(
        instance, cuts=False, time_limit=time_limit, threads=threads, progress=progress
    )
    vocabulary = round_relaxation(instance, bound.x, rounding, seed)
    solution = solution_of(
        instance,
        vocabulary.with_(method="convextok"),
        deadline.seconds,
        termination=bound.termination,
        candidates=instance.promising_index().total,
        threads=threads,
        extra={
            "size": len(vocabulary),
            "nothing_left_to_gain": len(vocabulary) < instance.k
            and bound.termination == "completed",
            "rounding": rounding,
            "relaxation": bound.relaxation if math.isfinite(bound.relaxation) else None,
        },
    )
    assert solution.tokens is not None
    if bound.lower_bound > solution.tokens:
        raise VerificationError(
            f"the lower bound is {bound.lower_bound}, and {solution.tokens} tokens suffice: this "
            "is a defect of partcover, please report it with the instance"
        )
    met = bound.lower_bound == solution.tokens
    return replace(solution, lower_bound=bound.lower_bound, status="optimal" if met else "feasible")
