"""Splits counted words into a train part and a test part."""

from __future__ import annotations

import numpy as np

from ...errors import InputError
from ..word_counts import WordCounts

_MAX_COUNT = 10**9  # NumPy draws from fewer occurrences than this


def split(words: WordCounts, share: float, *, seed: int = 0) -> tuple[WordCounts, WordCounts]:
    """Draws a train/test split of a corpus, occurrence by occurrence.

    The ``round(share · occurrences)`` occurrences of the test part are drawn uniformly without
    replacement: their counts by word are multivariate hypergeometric.

    Parameters
    ----------
    words : WordCounts
        The corpus.
    share : float
        The test part's share of the occurrences, above 0 and below 1.
    seed : int
        Random seed.  The split depends on it and on the counted words, not on their order.

    Returns
    -------
    train, test : WordCounts
        Their counts add up to those of `words`; a word may be in one part only.  Ascending by
        word.

    Raises
    ------
    InputError
        For a share out of range, a corpus too small for it, or one of 10^9 occurrences or more.

    Examples
    --------
    >>> from partcover.corpus.files.holdout import split
    >>> from partcover import WordCounts
    >>> words = WordCounts.from_counts({"low": 6, "lower": 4})
    >>> train, test = split(words, 0.2, seed=1)
    >>> train.total_count, test.total_count
    (8, 2)
    """
    if not 0 < share < 1:
        raise InputError(f"the share to hold out is {share}: it must be above 0 and below 1")
    total = words.total_count
    if total >= _MAX_COUNT:
        raise InputError(
            f"{total:,} occurrences: a split needs fewer than {_MAX_COUNT:,}. Split the text "
            "before it is counted"
        )
    n_test = round(share * total)
    if n_test in (0, total):
        raise InputError(f"{total} occurrences are too few to hold out a share of {share}")
    pairs = sorted(words)
    counts = np.array([count for _, count in pairs], np.int64)
    drawn = np.random.default_rng(seed % 2**64).multivariate_hypergeometric(counts, n_test)

    def part(counts: list[int]) -> WordCounts:
        counted = zip(pairs, counts, strict=True)
        return words.subset([(word, count) for (word, _), count in counted if count])

    return part((counts - drawn).tolist()), part(drawn.tolist())
