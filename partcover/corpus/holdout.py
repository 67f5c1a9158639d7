"""Splits counted words into two parts: one to train on, one to measure on."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from .word_counts import WordCounts

__all__ = ["split"]

_MOST = 10**9  # numpy draws from fewer than that


def split(words: WordCounts, share: float, *, seed: int = 0) -> tuple[WordCounts, WordCounts]:
    """Hold a part of a corpus out, occurrence by occurrence.

    The ``round(share · occurrences)`` occurrences held out are drawn evenly from all, without
    replacement: their counts by word are multivariate hypergeometric.

    Parameters
    ----------
    words : WordCounts
        The corpus.
    share : float
        The part to hold out, above 0 and below 1.
    seed : int
        Decides the draw, with the counted words; their order does not matter.

    Returns
    -------
    rest, held_out : WordCounts
        Their counts add up to those of `words`; a word may be in one part only.  Ascending by
        word.

    Raises
    ------
    InputError
        For a share out of range, a corpus too small to be split so, or one of 10^9 occurrences
        or more.
    """
    if not 0 < share < 1:
        raise InputError(f"the share to hold out is {share}: above 0 and below 1 is expected")
    total = words.total_count
    if total >= _MOST:
        raise InputError(
            f"{total:,} occurrences: a split draws from fewer than {_MOST:,}; split the text "
            "before it is counted"
        )
    many = round(share * total)
    if many in (0, total):
        raise InputError(f"{total} occurrences are too few to hold out a share of {share}")
    pairs = sorted(words)
    counts = np.array([count for _, count in pairs], np.int64)
    drawn = np.random.default_rng(seed % 2**64).multivariate_hypergeometric(counts, many)

    def part(counts: list[int]) -> WordCounts:
        kept = [(word, n) for (word, _), n in zip(pairs, counts, strict=True) if n]
        return words.subset(kept)

    return part((counts - drawn).tolist()), part(drawn.tolist())
