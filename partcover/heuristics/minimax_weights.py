"""Finds weights of corpora under which all of them are served alike, and reference counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..analysis.metrics import text_bytes
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.instance import Instance
from ..problem.minimax import CONDITIONS, checked_corpora
from ..runtime.arguments import Budget, Threads, checked, shown
from .greedy import greedtok

__all__ = ["REFERENCES", "WeightSteps", "reference_counts"]

REFERENCES = ("own", "bytes", "words")

_SMALLEST, _LARGEST = 0.05, 64.0  # steps: logarithms of shares over those of ratios
_SLOWER, _FASTER = 0.5, 1.25
_LOWEST = -14.0  # logarithm of a share over the largest one


@checked
def reference_counts(
    corpora: Iterable[WordCounts],
    how: str,
    k: Budget,
    *,
    conditions: Mapping[str, Any] | None = None,
    threads: Threads = 1,
) -> tuple[int, ...]:
    """Returns a reference count for each corpus.

    Parameters
    ----------
    corpora : iterable of WordCounts
        The corpora.
    how : {"own", "bytes", "words"}
        ``own``: the fewest tokens that it needs with the vocabulary that GreedTok chooses for it
        alone, so that a ratio is what sharing costs.  ``bytes``: the bytes of its words, counted.
        ``words``: its words, counted.
    k : int
        The budget of each vocabulary of ``own``.
    conditions : mapping, optional
        The conditions of an `Instance` by their names, for ``own``: the same as for all corpora
        together.
    threads : int
        Number of threads; the result is the same for any number.

    Raises
    ------
    InputError
        For another name, or bytes of words that are integers.

    Examples
    --------
    >>> from partcover import WordCounts, reference_counts
    >>> corpora = [WordCounts.from_counts({"that": 3}), WordCounts.from_counts({"haha": 1})]
    >>> [reference_counts(corpora, how, 1) for how in ("own", "bytes", "words")]
    [(3, 1), (12, 4), (3, 1)]
    """
    if how not in REFERENCES:
        raise InputError(f"unknown reference {how!r}: use {', '.join(REFERENCES)}, or numbers")
    given = checked_corpora(corpora)
    if how == "words":
        return tuple(words.total_count for words in given)
    if how == "own":
        limits = dict(conditions or {})
        unknown = [name for name in limits if name not in CONDITIONS]
        if unknown:
            raise InputError(f"unknown condition {shown(unknown[0])}: use {', '.join(CONDITIONS)}")
        runs = (greedtok(Instance(words, k, **limits), threads=threads) for words in given)
        return tuple(int(run.extra["tokens_shortest_path"]) for run in runs)
    sizes = [text_bytes(words) for words in given]
    if None in sizes:
        raise InputError("words of integers have no bytes: use own, words or numbers")
    return tuple(size for size in sizes if size is not None)


class WeightSteps:
    """Steps of multiplicative weights: a corpus with a ratio above the mean gets a larger share.

    The logarithm of a share moves by a step times the logarithm of its ratio over the mean, which
    is weighted by the shares.  Each corpus has a step of its own: it shrinks where the ratio has
    come to the other side of the mean, and grows where it has stayed (as in resilient
    propagation, Riedmiller and Braun 1993).

    Parameters
    ----------
    shares : sequence of float
        The first shares.
    step : float
        The first step of each corpus.

    Attributes
    ----------
    shares : list of float
        The share of each corpus in the sum of ratios; they add up to 1.

    Examples
    --------
    >>> from partcover.heuristics.minimax_weights import WeightSteps
    >>> steps = WeightSteps([0.5, 0.5], step=1.0)
    >>> steps.update([3, 1])
    >>> [round(share, 3) for share in steps.shares]
    [0.75, 0.25]
    """

    def __init__(self, shares: Sequence[float], step: float = 4.0) -> None:
        self._logarithms = [math.log(share) for share in shares]
        self._steps = [step] * len(shares)
        self._sides = [0.0] * len(shares)
        self.shares = list(shares)

    def mean(self, ratios: Sequence[Fraction]) -> float:
        """Returns the mean of ratios, weighted by the shares."""
        return sum(share * float(ratio) for share, ratio in zip(self.shares, ratios, strict=True))

    def update(self, ratios: Sequence[Fraction]) -> None:
        """Moves the shares by the ratios of the best vocabulary for the present ones."""
        mean = self.mean(ratios)
        for n, ratio in enumerate(ratios):
            side = math.log(float(ratio) / mean) if ratio and mean else 0.0
            if side * self._sides[n] < 0:
                self._steps[n] = max(_SMALLEST, _SLOWER * self._steps[n])
            elif side * self._sides[n] > 0:
                self._steps[n] = min(_LARGEST, _FASTER * self._steps[n])
            self._sides[n] = side
            self._logarithms[n] += self._steps[n] * side
        largest = max(self._logarithms)
        self._logarithms = [max(_LOWEST, value - largest) for value in self._logarithms]
        parts = [math.exp(value) for value in self._logarithms]
        self.shares = [part / sum(parts) for part in parts]
