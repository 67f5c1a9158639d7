"""Lists occurrences of tokens in words as arcs, for the kernel that computes gains and losses."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..errors import InputError
from ..kernels.search._search_arcs import search_arcs
from ..runtime.arrays import Int32, Int64
from .word_index import Intervals, WordIndex

__all__ = ["Arcs", "arcs_of"]

Arcs: TypeAlias = tuple[Int32, Int64, Int32, Int64, Int64, Int32, Int32]


def arcs_of(index: WordIndex, tokens: Intervals) -> Arcs:
    """Returns the first seven arguments of `partcover.kernels.search._local_search.State`.

    Returns
    -------
    tuple of ndarray
        Arcs by word, start and length; where each word's arcs begin; sizes and counts of the words;
        where each token's words begin, these words, and the token's first arc in each.
        O(occurrences + symbols) time, 28 bytes for each occurrence.

    Raises
    ------
    InputError
        If the tokens occur 2^31 times or more in total.
    """
    words = index.words
    occurrences = tokens.occurrences
    if occurrences >= 2**31:
        raise InputError(
            f"the tokens occur {occurrences:,} times, but a search can use at most {2**31 - 1:,} "
            "occurrences: leave out rare words, or cap candidates with --max-length (max_length)"
        )
    sa, word_of, lo, hi, length = (
        np.asarray(part, np.int32)
        for part in (index.sa, index.word_of, tokens.lo, tokens.hi, tokens.length)
    )
    found = search_arcs(sa, word_of, words.offsets, lo, hi, length)
    arcs, word_first, places_first, places, place_arc = found
    sizes = np.diff(words.offsets).astype(np.int32)
    return arcs, word_first, sizes, words.counts, places_first, places, place_arc
