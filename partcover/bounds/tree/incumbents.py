"""Finds vocabularies near the x of a case quickly."""

from __future__ import annotations

from itertools import islice

import numpy as np

from ...heuristics.rounding import round_relaxation
from ...heuristics.search import Search, Target
from ...heuristics.search_space import SearchSpace
from ...problem.instance import Instance
from ...runtime.arrays import Bools, Float64
from ...runtime.limits import Deadline, RunLimits
from ...runtime.progress import Progress
from ...segmentation.segmentation import segment
from ...vocabulary.vocabulary import Vocabulary

__all__ = ["vocabulary_near"]

_STEPS = 100  # steps of the search
_NO_OTHERS = 1 << 62  # in tokens: no candidate saves as many


def vocabulary_near(
    instance: Instance, x: Float64, hopeful: Bools | None, clock: Deadline
) -> tuple[Vocabulary, int]:
    """Returns a vocabulary rounded from x, and the tokens that it needs.

    Parameters
    ----------
    instance : Instance
        The instance.
    x : ndarray of float64, shape (candidates,)
        x of each candidate.
    hopeful : ndarray of bool, shape (candidates,), or None
        Candidates that a better vocabulary may contain.  Tokens are exchanged for these, in a fixed
        number of steps, so that the result is the same on any machine.  None: x is only rounded.
    clock : Deadline
        When to stop.
    """
    rounded = round_relaxation(instance, x)
    if hopeful is None or clock.is_over:
        return rounded, segment(instance.words, rounded, "shortest_path").tokens
    space = SearchSpace(instance, rounded, _NO_OTHERS, np.where(hopeful, 1.0, x))
    search = Search(space, Target(), 0.0, RunLimits(), Deadline(), Progress())
    for _ in islice(search.steps([("rounding", list(rounded))]), _STEPS):
        if clock.is_over:
            break
    return search.incumbent()
