"""Lays out occurrences of tokens in words as arcs, for the kernel that keeps gains and losses."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..kernels._local_search import by_candidate
from ..runtime.arrays import Int32, Int64
from .word_index import Intervals, WordIndex

__all__ = ["Arcs", "arcs_of"]

Arcs: TypeAlias = tuple[Int32, Int64, Int32, Int64, Int64, Int32, Int32]


def arcs_of(index: WordIndex, tokens: Intervals) -> Arcs:
    """Returns the first seven arguments of `partcover.kernels._local_search.State`.

    Parameters
    ----------
    index : WordIndex
        The index of the words.
    tokens : Intervals
        Where the tokens occur.

    Returns
    -------
    tuple of ndarray
        Arcs by word, start, length; where each word's begin; sizes and counts of the words;
        where each token's words begin, the words, and the token's first arc there.
        O(occurrences + symbols) time, some 80 bytes for each occurrence.
    """
    words, n_tokens = index.words, len(tokens.length)
    which, word, begin = index.occurrences_of(tokens)
    size = len(which)
    arcs = np.empty((size, 5), np.int32)
    arcs[:, 0], arcs[:, 1], arcs[:, 2] = begin, begin + tokens.length[which], which
    arcs[:, 4] = -1
    del begin
    order = by_candidate(which, n_tokens)  # stable: by word, by start within a word
    which, places = which[order], word[order]
    first = np.ones(size, bool)
    first[1:] = (which[1:] != which[:-1]) | (places[1:] != places[:-1])
    arcs[order, 3] = order[first][np.cumsum(first) - 1]
    again = np.flatnonzero(~first)
    arcs[order[again - 1], 4] = order[again]
    word_first = np.zeros(len(words) + 1, np.int64)
    np.cumsum(np.bincount(word, minlength=len(words)), out=word_first[1:])
    places_first = np.zeros(n_tokens + 1, np.int64)
    np.cumsum(np.bincount(which[first], minlength=n_tokens), out=places_first[1:])
    return (
        arcs,
        word_first,
        np.diff(words.offsets).astype(np.int32),
        words.counts,
        places_first,
        places[first].astype(np.int32),
        order[first],
    )
