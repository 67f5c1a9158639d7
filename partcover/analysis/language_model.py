"""An n-gram model over tokens, with interpolated modified Kneser–Ney smoothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..runtime.arrays import Float64, Int64
from ..runtime.memory import refuse_beyond

_BYTES_A_SYMBOL = 120  # of the text while it is counted, about
_BYTES_A_GRAM = 40
_FALLBACK = (0.5, 1.0, 1.5)  # discounts where the counts of counts do not give them, as KenLM's


@dataclass(frozen=True, eq=False)
class _Level:
    """The n-grams with contexts of one length: what is known of each, and of each context.

    An n-gram is a number: its place in `keys`, where it stands as the number of its context, an
    n-gram of the level below, times the number of symbols, plus its last symbol.
    """

    keys: Int64
    probabilities: Float64
    lower_share: Float64  # of each context: what is left to the level below; 1 where it is unseen


@dataclass(frozen=True, eq=False)
class NgramModel:
    """An n-gram model over the ids 0 to size − 1 and the end of a sequence.

    Attributes
    ----------
    size : int
        Number of ids.  The id `size` is the end, and `size` + 1 the begin, which only contexts
        hold.
    order : int
        One more than the largest number of ids in a context.
    lengths : ndarray of int64, shape (size + 2,), optional
        The bytes of each id, where contexts are limited by them.
    context_bytes : int, optional
        The largest number of bytes in a context.

    Notes
    -----
    Modified Kneser–Ney smoothing as Chen and Goodman (1998) state it, interpolated, with the
    discounts of each level from its counts of counts, 0.5, 1 and 1.5 where these do not give any;
    the lowest level is interpolated with the uniform distribution over ids and end.  Sequences
    begin with a mark, and n-grams that begin with it keep their counts, as in KenLM (Heafield et
    al. 2013).  KenLM's uniform distribution is over the ids that occur, the end and one unknown
    word: the probabilities are the same where exactly one id does not occur.  KenLM also takes a
    discount of 0, with which an unseen id could have a probability of 0; here the level then has
    0.5, 1 and 1.5.  For its discounts KenLM takes the last n-gram of each lower level by how often
    it occurs, not by its count (``adjust_counts.cc``), which changes them in small texts.

    With `context_bytes` the context of a symbol is as many ids before it as have no more bytes
    together, and at most ``order − 1``.  How long it is depends on the context alone, so the
    probabilities after each context still sum to one.  A count of a lower level is the number of
    different ids that extend the n-gram to the left, and of its occurrences that the limit keeps
    from being extended.

    Training is O(order · symbols · log symbols) in time, measuring O(order · symbols · log
    n-grams).

    Examples
    --------
    >>> import numpy as np
    >>> from partcover.analysis.language_model import NgramModel
    >>> model = NgramModel.train([[0, 1, 0, 1, 0, 2]], size=3, order=2)
    >>> model.distribution([0]).round(3).tolist(), model.bits([[0, 1]])
    ([0.162, 0.446, 0.279, 0.112], 4.91...)
    """

    size: int
    order: int
    lengths: Int64 | None
    context_bytes: int | None
    levels: tuple[_Level, ...]

    @classmethod
    def train(
        cls,
        sequences: Iterable[Sequence[int] | npt.NDArray[np.integer]],
        size: int,
        order: int = 3,
        *,
        lengths: Sequence[int] | Int64 | None = None,
        context_bytes: int | None = None,
    ) -> NgramModel:
        """Trains a model.

        Parameters
        ----------
        sequences : iterable of sequence of int
            The ids of each text, 0 to `size` − 1.
        size : int
            Number of ids.
        order : int
            1 for no context, 3 for contexts of two ids.
        lengths : sequence of int, optional
            The bytes of each id, for `context_bytes`.
        context_bytes : int, optional
            The largest number of bytes in a context.

        Raises
        ------
        InputError
            For an order below 1, ids out of range, no id at all, one of `lengths` and
            `context_bytes` without the other, or more text than fits in memory.

        Examples
        --------
        >>> from partcover.analysis.language_model import NgramModel
        >>> NgramModel.train([[0, 0, 1]], size=2, order=1).distribution([]).round(3).tolist()
        [0.417, 0.292, 0.292]
        """
        if order < 1:
            raise InputError(f"the order of the n-gram model is {order}: it must be at least 1")
        if (lengths is None) != (context_bytes is None):
            raise InputError("to limit contexts by bytes, give both lengths and context_bytes")
        sizes = None if lengths is None else np.append(np.asarray(lengths, np.int64), [0, 0])
        if sizes is not None and len(sizes) != size + 2:
            raise InputError(f"{len(sizes) - 2} lengths for {size} ids")
        model = cls(size, order, sizes, context_bytes, ())
        stream, reach = model._stream(sequences)
        if len(stream) <= 2:
            raise InputError("an n-gram model needs at least one id to train on")
        n_levels = int(reach.max()) + 1
        refuse_beyond(
            len(stream) * (_BYTES_A_SYMBOL + n_levels * _BYTES_A_GRAM),
            f"a model of {len(stream):,} tokens, in contexts of up to {n_levels - 1}, takes",
            "take less text, or a smaller order",
        )
        levels = _levels(stream, reach, size, n_levels)
        return cls(size, order, sizes, context_bytes, levels)

    def bits(self, sequences: Iterable[Sequence[int] | npt.NDArray[np.integer]]) -> float:
        """Returns −log₂ of the probability of sequences, the end of each included.

        Raises
        ------
        InputError
            For ids out of range.

        Examples
        --------
        >>> from partcover.analysis.language_model import NgramModel
        >>> model = NgramModel.train([[0, 1] * 9], size=2, order=2)
        >>> model.bits([[0, 1] * 9]) < model.bits([[0] * 18])
        True
        """
        stream, reach = self._stream(sequences)
        return float(-np.log2(self._probabilities(stream, reach)[reach >= 0]).sum())

    def distribution(self, context: Sequence[int] | npt.NDArray[np.integer]) -> Float64:
        """Returns the probabilities of all ids, and of the end, at each place of a text.

        Parameters
        ----------
        context : sequence of int
            All ids of a text so far.

        Returns
        -------
        ndarray of float64, shape (size + 1,)
            They sum to one, up to rounding.
        """
        before = np.asarray(context, np.int64)
        texts = [np.append(before, symbol) for symbol in range(self.size)]
        stream, reach = self._stream([*texts, before])
        # each text ends two places before the next; the last is followed by the end alone
        places = np.append((len(before) + 3) * np.arange(1, self.size + 1) - 2, len(stream) - 1)
        probabilities: Float64 = self._probabilities(stream, reach)[places]
        return probabilities

    def _stream(
        self, sequences: Iterable[Sequence[int] | npt.NDArray[np.integer]]
    ) -> tuple[Int64, Int64]:
        """Joins sequences, each between begin and end.

        Returns
        -------
        stream : ndarray of int64
            The symbols.
        reach : ndarray of int64
            How many symbols before each are its context; −1 for a begin, which is not predicted.
        """
        arrays = [np.asarray(sequence, np.int64) for sequence in sequences]
        for array in arrays:
            if array.size and not 0 <= array.min() <= array.max() < self.size:
                raise InputError(f"ids must be from 0 to {self.size - 1}")
        begin, end = np.array([self.size + 1]), np.array([self.size])
        stream = np.concatenate([part for array in arrays for part in (begin, array, end)] or [end])
        places = np.arange(len(stream))
        begins = np.maximum.accumulate(np.where(stream == begin, places, 0))
        reach = np.minimum(places - begins, self.order - 1)
        if self.lengths is not None:
            before = np.concatenate([[0], np.cumsum(self.lengths[stream])])[:-1]
            first = np.searchsorted(before, before - (self.context_bytes or 0))
            reach = np.minimum(reach, places - first)
        reach[stream == begin] = -1
        return stream, reach

    def _probabilities(self, stream: Int64, reach: Int64) -> Float64:
        """Returns the probability of each symbol of a stream after its context."""
        probability = np.full(len(stream), 1 / (self.size + 1))
        grams = stream.copy()  # of the level below, ending at each place; −1 where it is unseen
        for number, level in enumerate(self.levels):
            contexts = np.concatenate([[-1], grams[:-1]]) if number else np.zeros_like(stream)
            here = np.flatnonzero((reach >= number) & (contexts >= 0))
            context = contexts[here]
            keys = context * (self.size + 2) + stream[here]
            found = np.minimum(np.searchsorted(level.keys, keys), len(level.keys) - 1)
            seen = level.keys[found] == keys
            shared = level.lower_share[context] * probability[here]
            probability[here] = np.where(seen, level.probabilities[found], shared)
            if number:
                grams = np.full(len(stream), -1)
                grams[here[seen]] = found[seen]
        return probability


def _levels(stream: Int64, reach: Int64, size: int, order: int) -> tuple[_Level, ...]:
    """Counts the n-grams of each level, and smooths them."""
    base = size + 2
    keys: list[Int64] = []
    counts: list[Int64] = []
    suffixes: list[Int64] = []  # without its first symbol: of each n-gram, one of the level below
    numbers = np.zeros(len(stream), np.int64)  # of the n-gram that ends at each place
    for level in range(order):
        here = np.flatnonzero(reach >= level)
        before = (np.zeros_like(here), stream[here - 1], numbers[here - 1])[min(level, 2)]
        unique, first, which = np.unique(
            before * base + stream[here], return_index=True, return_inverse=True
        )
        keys.append(unique)
        suffixes.append(numbers[here[first]])
        counts.append(np.bincount(which[reach[here] == level], minlength=len(unique)))
        numbers = np.full(len(stream), -1)
        numbers[here] = which
    for level in range(order - 1, 0, -1):
        counts[level - 1] += np.bincount(suffixes[level], minlength=len(counts[level - 1]))
    levels: list[_Level] = []
    for level in range(order):
        below = levels[-1].probabilities[suffixes[level]] if level else np.array(1 / (size + 1))
        n_contexts = (1, base, len(keys[level - 1]))[min(level, 2)]
        levels.append(_smoothed(keys[level], keys[level] // base, counts[level], n_contexts, below))
    return tuple(levels)


def _smoothed(
    keys: Int64, contexts: Int64, counts: Int64, n_contexts: int, below: Float64
) -> _Level:
    """Takes discounts from the counts of one level, and gives them to the level below."""
    discounts = np.array((0, *_discounts(counts)))[np.minimum(counts, 3)]
    totals = np.bincount(contexts, counts, n_contexts)
    taken = np.bincount(contexts, discounts, n_contexts)
    share = np.divide(taken, totals, out=np.ones(n_contexts), where=totals > 0)
    probabilities = (counts - discounts) / totals[contexts] + share[contexts] * below
    return _Level(keys, probabilities, share)


def _discounts(counts: Int64) -> tuple[float, ...]:
    """Returns what is taken from a count of 1, of 2, and of 3 or more: something of each."""
    n = np.bincount(np.minimum(counts, 5), minlength=6).tolist()
    both = n[1] + 2 * n[2]
    # whether all are above 0 is said in integers: they are not where 1, 2 or 3 does not occur
    if any(i * n[i] * both <= (i + 1) * n[i + 1] * n[1] for i in (1, 2, 3)):
        return _FALLBACK
    y = n[1] / both
    return tuple(i - (i + 1) * y * n[i + 1] / n[i] for i in (1, 2, 3))
