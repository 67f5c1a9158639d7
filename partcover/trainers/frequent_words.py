"""Takes the most frequent words themselves as tokens."""

from __future__ import annotations

from heapq import nsmallest

from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Threads
from ..runtime.arrays import np
from ..runtime.limits import Deadline
from ..vocabulary.vocabulary import Vocabulary
from .trainer import LIMITED_MERGES, solution_of, trainer


@trainer(
    "frequent",
    about="the most frequent words",
    supports=LIMITED_MERGES,
    nested=True,
    work="words",
)
def frequent(instance: Instance, *, threads: Threads = 1) -> Solution:
    """Takes the k most frequent words of two symbols or more; ties go to the smaller word.

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

    Examples
    --------
    >>> from partcover import Instance, trainers
    >>> trainers.frequent(Instance({"low": 5, "a": 9, "lower": 2}, 1)).vocabulary.tokens
    (b'low',)
    """
    deadline = Deadline()
    words = instance.words
    lengths = np.diff(words.offsets)
    fits = (lengths >= 2) & (words.counts >= instance.min_count)
    if instance.max_length is not None:
        fits &= lengths <= instance.max_length
    excluded = {*instance.forbidden, *instance.prefix}
    n_words = instance.k - len(instance.prefix)
    # only words that occur as often as the last one chosen are worth a Python object, one at a time
    counts = np.sort(words.counts[fits])[::-1]
    lowest = counts[min(len(counts), n_words + len(excluded)) - 1] if len(counts) and n_words else 0
    often = np.flatnonzero(fits & (words.counts >= lowest)).tolist()
    ranked = ((-int(words.counts[index]), words.word(index)) for index in often)
    chosen = [word for _, word in nsmallest(n_words, (r for r in ranked if r[1] not in excluded))]
    vocabulary = Vocabulary((*instance.prefix, *chosen), instance.symbols, "frequent")
    extra = {"size": len(vocabulary), "nothing_left_to_gain": len(vocabulary) < instance.k}
    return solution_of(instance, vocabulary, deadline.seconds, threads=threads, extra=extra)
