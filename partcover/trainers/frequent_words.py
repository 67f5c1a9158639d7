"""Takes the most frequent words themselves as tokens."""

from __future__ import annotations

import time

import numpy as np

from ..corpus.symbols import Token
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Threads
from ..vocabulary.vocabulary import Vocabulary
from .trainer import LIMITED_MERGES, solution_of, trainer

__all__ = ["frequent"]


@trainer("frequent", about="the most frequent words", honours=LIMITED_MERGES, nested=True)
def frequent(instance: Instance, *, threads: Threads = 1) -> Solution:
    """The k most frequent words of two symbols or more; ties go to the smaller word.

    Parameters
    ----------
    instance : Instance
        The words and k.  Keeps to `prefix` (these tokens come first), `max_length` (no longer
        word), `min_count` (no rarer word) and `forbidden`.
    threads : int
        Threads of the segmentation; the result is the same for any number.

    Returns
    -------
    Solution
        Method ``frequent``, under the rule ``shortest_path``.  The first j tokens answer every
        budget j.  ``extra["nothing_left_to_gain"]``: there are fewer than k such words.

    Raises
    ------
    InputError
        For an option of the instance that it cannot keep to.
    """
    started = time.monotonic()
    words = instance.words
    lengths = np.diff(words.offsets)
    fits = (lengths >= 2) & (words.counts >= instance.min_count)
    if instance.max_length is not None:
        fits &= lengths <= instance.max_length
    taken = {*instance.forbidden, *instance.prefix}
    wanted = instance.k - len(instance.prefix)
    # the least count that can be chosen: only words from there on are worth a Python object
    counts = np.sort(words.counts[fits])[::-1]
    least = counts[min(len(counts), wanted + len(taken)) - 1] if len(counts) and wanted else 0
    ranked: list[tuple[int, Token]] = []
    for index in np.flatnonzero(fits & (words.counts >= least)).tolist():
        word = words.word(index)
        if word not in taken:
            ranked.append((-int(words.counts[index]), word))
    chosen = [word for _, word in sorted(ranked)[:wanted]]
    vocabulary = Vocabulary((*instance.prefix, *chosen), instance.symbols, "frequent")
    extra = {"size": len(vocabulary), "nothing_left_to_gain": len(vocabulary) < instance.k}
    return solution_of(instance, vocabulary, started, threads=threads, extra=extra)
