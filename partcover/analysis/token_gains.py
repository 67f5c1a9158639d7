"""Counts what each token of a vocabulary saves, and what further tokens would save."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from ..corpus.counting.head_and_tail import words_between
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..kernels.search._local_search import State
from ..problem.word_index import WordIndex, arcs_of
from ..runtime.arrays import Int64

SLICE = 1 << 23
"""Symbols of words that are indexed at a time."""


def token_gains(
    words: WordCounts,
    tokens: Sequence[Token],
    others: Sequence[Token] = (),
    *,
    threads: int = 1,
) -> tuple[Int64, Int64]:
    """Returns what each token saves under the shortest path, each one on its own.

    Parameters
    ----------
    words : WordCounts
        The corpus.
    tokens : sequence of token
        The vocabulary.
    others : sequence of token
        Tokens that are not in it.
    threads : int
        Number of threads; the result is the same for any.

    Returns
    -------
    losses : ndarray of int64, shape (tokens,)
        How many more tokens the corpus needs when that one token is left out.  Leaving out
        several costs at least the largest of their losses, and may cost more than the sum.
    gains : ndarray of int64, shape (others,)
        How many fewer tokens the corpus needs when that one token is added.

    Notes
    -----
    Exact under the shortest path, whatever rule the vocabulary is meant for.  In each word,
    O(tokens on its path · occurrences in it) time; some 8 million symbols of words are looked at
    at a time, and memory follows the occurrences in those.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.analysis.token_gains import token_gains
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2})
    >>> losses, gains = token_gains(words, [b"hat", b"at"], [b"that"])
    >>> losses.tolist(), gains.tolist()
    ([5, 0], [3])
    """
    _, gains = occurrences_and_gains(words, tokens, others, threads=threads)
    return gains[: len(tokens)], gains[len(tokens) :]


def occurrences_and_gains(
    words: WordCounts, tokens: Sequence[Token], others: Sequence[Token] = (), *, threads: int = 1
) -> tuple[Int64, Int64]:
    """Counts how often each token and each other one occurs, and what it saves (`token_gains`).

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.analysis.token_gains import occurrences_and_gains
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2})
    >>> occurrences, gains = occurrences_and_gains(words, [b"hat", b"at"])
    >>> occurrences.tolist(), gains.tolist()
    ([5, 5], [5, 0])
    """
    listed = (*tokens, *others)
    chosen = np.arange(len(tokens), dtype=np.int32)
    cuts = np.searchsorted(words.offsets, np.arange(0, words.offsets[-1], SLICE)).tolist()
    slices = list(pairwise(sorted({0, *cuts, len(words)})))

    def count(part: tuple[int, int]) -> tuple[Int64, Int64]:
        index = WordIndex(words_between(words, *part))
        intervals = index.find_tokens(listed)
        state = State(
            *arcs_of(index, intervals),
            np.zeros(len(listed), np.uint8),
            np.zeros(len(listed), np.uint64),
            np.zeros(0, np.int64),
        )
        state.load(chosen)
        return index.weight_of(intervals), state.worths()

    occurrences, gains = np.zeros((2, len(listed)), np.int64)
    with ThreadPoolExecutor(max(1, min(threads, len(slices)))) as pool:
        for part_occurrences, part_gains in pool.map(count, slices):
            occurrences += part_occurrences
            gains += part_gains
    return occurrences, gains
