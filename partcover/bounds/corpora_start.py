"""Computes the start of a tree for several corpora: weights, a bound and a vocabulary."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..problem.certificates.certificate import leaves_weighted
from ..runtime.processes.parallel import ForEach
from .bound_and_search import Task
from .climbing.dual_point import Case
from .climbing.warm_start import first_point
from .counting.price_counter import PriceCounter
from .improve import improve
from .tree.branch_tree import tree_of
from .tree.tree_search import Begun

__all__ = ["start_of_corpora"]

_SHARE = 0.3  # share of the time for weights and a vocabulary
_MULTIPLIER_BITS = 69  # bits of a cut's largest multiplier; numbers in a certificate have 63


def start_of_corpora(task: Task, share: ForEach) -> Begun:
    """Runs `improve` and reads its certificate, or the given one, as a tree."""
    instance, corpora, limits = task.instance, task.instance.corpora, task.limits
    assert corpora is not None
    left = task.phases.deadline.left
    known = task.start_certificate
    if known is not None and known.k != instance.k:
        known = None
    solution = improve(
        instance,
        warm_start=task.warm_start,
        start_certificate=known,
        cuts=False,
        gap=task.gap,
        time_limit=None if left is None else _SHARE * left,
        seed=limits.seed,
        threads=limits.threads,
        progress=task.phases,
        checkpoint=task.checkpoint,
    )
    proof = solution.certificate if known is None else known
    assert proof is not None
    task.phases.offer("incumbent", solution.worst, None, "improve")
    task.phases.offer("bound", None, solution.lower_bound, "improve")
    weights = next(leaves_weighted(proof), None)
    shares = [1.0] * len(corpora) if weights is None else corpora.shares(weights)
    counter = PriceCounter(instance, share, weights=corpora.integer_weights(shares))
    most = _MULTIPLIER_BITS - int(counter.largest_reward.max(initial=0)).bit_length()
    counter.refine(max(counter.bits, proof.scale_bits, min(counter.finest, most)))
    ascent = first_point(counter, solution, [])[0]
    absent = len(instance.fixed) - counter.n_required  # required tokens that occur nowhere
    case = Case(counter.fixed, np.zeros(len(counter.fixed), bool), instance.k - absent)
    root = tree_of(counter, case, proof)
    return Begun(
        counter,
        root,
        replace(solution, certificate=None),
        solution,
        ascent,
        "interrupted" if solution.termination == "interrupted" else "completed",
    )
