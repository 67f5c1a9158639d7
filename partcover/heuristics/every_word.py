"""Makes every word a token, where the budget and the conditions allow it: that is optimal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..problem.certificates.certificate import SCALE_BITS, Certificate, sorted_symbols
from ..problem.certificates.nodes import Leaf
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.limits import RunLimits
from ..verification.recount import recount

__all__ = ["every_word"]


def every_word(instance: Instance, limits: RunLimits) -> Solution | None:
    """Returns the solution that makes every word of two or more symbols a token.

    Each word is one token then, and no vocabulary needs fewer.  It takes no index of candidates:
    of few long words that repeat themselves there are too many to look at.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions.
    limits : RunLimits
        The random seed and the threads, which are recorded.

    Returns
    -------
    Solution or None
        Optimal, with its certificate: the fixed tokens first, then the words by symbols saved, the
        most first, then shorter, then smaller.  None where the budget or a condition forbids it.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.heuristics.every_word import every_word
    >>> from partcover.runtime.limits import RunLimits
    >>> list(every_word(Instance({"at": 3, "hat": 2, "a": 9}, k=2), RunLimits()).vocabulary)
    [b'hat', b'at']
    >>> every_word(Instance({"at": 3, "hat": 2}, k=1), RunLimits()) is None
    True
    """
    words = instance.words
    if np.count_nonzero(np.diff(words.offsets) > 1) > instance.k:
        return None
    fixed = set(instance.fixed)
    saved = {t: count * (len(t) - 1) for t, count in words if len(t) > 1 and t not in fixed}
    chosen = sorted(saved, key=lambda token: (-saved[token], len(token), token))
    vocabulary = instance.vocabulary([*instance.fixed, *chosen], "improve")
    tokens, problems = recount(instance, vocabulary)
    if problems:
        return None
    solution = Solution.of(
        instance,
        vocabulary,
        tokens,
        lower_bound=tokens,
        status="optimal",
        seconds=0.0,
        seed=limits.seed,
        threads=limits.threads,
        extra={"size": len(vocabulary), "start_tokens": tokens, "swaps_tried": 0},
    )
    # the first symbol of each word has all of its price: no token saves any
    prices = np.zeros(len(words.data), np.int32)
    prices[words.offsets[:-1]] = 1 << SCALE_BITS
    prices = prices[sorted_symbols(words)]
    return replace(solution, certificate=Certificate.of(instance, (Leaf(prices),), tokens))
