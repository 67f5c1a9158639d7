"""Bounds all words with the prices of the most frequent ones; the others are read in parts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...errors import InputError
from ...problem.bound import Bound
from ...problem.certificates.certificate import Certificate
from ...problem.certificates.nodes import Leaf
from ...problem.instance import Instance
from ...problem.memory_plan import refuse_beyond_memory
from ...problem.solution import Termination
from ...runtime.checkpoints import Checkpoints
from ...runtime.limits import Deadline, RunLimits
from ...runtime.processes.parallel import workers
from ...runtime.progress import Event, Progress
from .tail_prices import TailPrices
from .whole_words import WholeWords

__all__ = ["BoundHead", "HeadTask", "bound_by_head"]

_SHARE = 0.6  # largest share of the time that the head takes

Keep = Callable[[Certificate], None]
BoundHead = Callable[[Instance, float | None, list[Certificate], bool, Keep | None], Bound]
"""Bounds the words of a head within this many seconds, from certificates, without cuts or with
them; passes on each better certificate.
"""


@dataclass(frozen=True)
class HeadTask:
    """The parameters of a bound for a head and a tail."""

    incumbent: int | None
    cuts: bool
    limits: RunLimits
    progress: Progress
    checkpoint: Keep | None
    start: Certificate | None = None


def bound_by_head(instance: Instance, task: HeadTask, bound_head: BoundHead) -> Bound:
    """Proves a lower bound on the tokens of all words in the memory that the frequent ones take.

    Raises
    ------
    InputError
        If an incumbent needs fewer tokens than are proven.

    Notes
    -----
    A word of the tail needs two tokens, unless it is a token itself.  Another valid count lets each
    token cost 1 plus a multiplier.  Any mean of the two is valid too, and the best mean is taken.
    The savings of tokens in the tail are summed for each token of the head, for tokens that are
    frequent in a sample of the tail, and for all others in classes.
    `partcover.verification.tail_check` has the statement and why it holds.

    Up to three fifths of the time go to the bound of the head.  The words are read about seven
    times, whatever the limit.  With cuts the head is bounded a second time, and the better of the
    two bounds for all words is kept, because a better bound for the head may be a worse one for the
    tail.
    """
    deadline = task.limits.start()
    refuse_beyond_memory(instance.alone, "bound", is_head=True)
    whole = WholeWords(instance, task.limits.threads)
    starts, known = [], None
    if task.start is not None:
        starts = [whole.of_head(task.start)]
        known = whole.recounted(task.start) if task.start.k == instance.k else None
    proven = bound_head(whole.head, _seconds(deadline, whole), starts, False, None)
    tokens = task.incumbent
    with workers(task.limits.threads) as share:
        prices = whole.prices(proven.certificate, share)
        termination = _priced(prices, whole, task, deadline, proven.termination)
        if task.cuts and termination == "completed" and not deadline.is_over:
            starts = [proven.certificate]
            proven = bound_head(whole.head, _seconds(deadline, whole), starts, True, None)
            (leaf,) = proven.certificate.tree
            if isinstance(leaf, Leaf) and leaf.has_cuts:
                cut = whole.prices(proven.certificate, share)
                termination = _priced(cut, whole, task, deadline, proven.termination)
                prices = max(prices, cut, key=lambda each: each.lower_bound)
    certificate = prices.certificate(whole.words.n)
    if known is not None and known.lower_bound > certificate.lower_bound:
        certificate = known
    if tokens is not None and certificate.lower_bound > tokens:
        raise InputError(
            f"{tokens} tokens are given as enough, and {certificate.lower_bound} are proven to be "
            "needed: the incumbent is for another instance"
        )
    return replace(
        proven,
        instance=instance,
        certificate=certificate,
        lower_bound=certificate.lower_bound,
        incumbent=tokens,
        relaxation=math.inf,
        plain_bound=certificate.lower_bound,
        reduced_costs=np.zeros_like(proven.reduced_costs),
        seconds=deadline.seconds,
        termination=termination,
    )


def _seconds(deadline: Deadline, whole: WholeWords) -> float | None:
    """Returns the seconds for the head."""
    left = deadline.left
    return None if left is None else max(0.0, min(_SHARE * left, left - whole.pricing_seconds))


def _priced(
    prices: TailPrices,
    whole: WholeWords,
    task: HeadTask,
    deadline: Deadline,
    termination: Termination,
) -> Termination:
    """Prices the tail until the bound stops improving; returns why it ended."""
    checkpoints = Checkpoints(task.checkpoint, lambda: prices.certificate(whole.words.n))
    try:
        for _ in prices.rounds(whole.words, deadline):
            event = Event(deadline.seconds, "bound", task.incumbent, prices.lower_bound, "tail")
            task.progress.event(event)
            checkpoints.offer()
            if deadline.is_over or termination == "interrupted":
                break
    except KeyboardInterrupt:
        return "interrupted"
    return termination
