"""Makes every word a token, which is optimal, if the budget and the conditions allow it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..problem.certificates.certificate import SCALE_BITS, Certificate
from ..problem.certificates.nodes import Leaf
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..problem.word_index import WordIndex
from ..runtime.limits import RunLimits
from ..verification.recount import recount


def every_word(instance: Instance, limits: RunLimits) -> Solution | None:
    """Returns the solution that makes every word of two or more symbols a token.

    Then each word is one token, and no vocabulary needs fewer.  No index of candidates is built,
    since a few long words with much repetition can have too many candidates.

    Parameters
    ----------
    instance : Instance
        The words, budget and conditions.
    limits : RunLimits
        The random seed and the number of threads, which are only recorded.

    Returns
    -------
    Solution or None
        Optimal, with its certificate.  The fixed tokens come first, then the words by symbols
        saved, largest first, then shorter ones, then in lexicographic order.  None if the budget or
        a condition does not allow it.

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
    # the first symbol of each word has the whole price 1, so no token has a reward
    prices = np.zeros(len(words.data), np.int32)
    prices[words.offsets[:-1]] = 1 << SCALE_BITS
    prices = prices[WordIndex(words).positions_ascending()]
    return replace(solution, certificate=Certificate.of(instance, (Leaf(prices),), tokens))
