"""Exact prices for cases in which nothing is left to choose, and prices that fit any case."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from ..counting.price_counter import PriceCounter
from .dual_point import Case, DualPoint

__all__ = ["exact_prices", "word_prices"]


def exact_prices(counter: PriceCounter, case: Case) -> DualPoint:
    """Returns prices that prove the tokens a case needs if no tokens beyond its own are chosen.

    The fewest tokens for the first p symbols of a word rise by at most 1 from symbol to symbol,
    and by at most 1 over a token.  Taken as prices, these rises sum to the tokens of the word, and
    no token has a positive reward.

    Parameters
    ----------
    counter : PriceCounter
        The words and candidates.
    case : Case
        The case.
    """
    words = counter.instance.words
    # starts of the occurrences that end at a position
    starts: dict[int, list[int]] = defaultdict(list)
    for token in np.flatnonzero(case.inside).tolist():
        length = int(counter.length[token])
        for start in counter.places[counter.lo[token] : counter.hi[token]].tolist():
            starts[start + length].append(start)
    prices = np.full(len(words.data), counter.one, np.int64)
    ends = np.fromiter(starts, np.int64, len(starts)) - 1
    for word in np.unique(np.searchsorted(words.offsets, ends, "right") - 1).tolist():
        first, last = int(words.offsets[word]), int(words.offsets[word + 1])
        fewest = [0]
        for end in range(first + 1, last + 1):
            before = (fewest[start - first] for start in starts.get(end, ()))
            fewest.append(1 + min([fewest[-1], *before]))
        prices[first:last] = np.diff(fewest) * counter.one
    return DualPoint(prices)


def word_prices(counter: PriceCounter) -> DualPoint:
    """Returns prices that prove one token for each counted word, in any case."""
    words = counter.instance.words
    prices = np.zeros(len(words.data), np.int64)
    prices[words.offsets[:-1]] = counter.one
    return DualPoint(prices)
