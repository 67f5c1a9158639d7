"""Balances the weights of several corpora while a case is bounded."""

from __future__ import annotations

from fractions import Fraction

from ...heuristics.weight_steps import WeightSteps
from ..climbing.cut_rounds import CutRounds
from ..counting.price_counter import PriceCounter

__all__ = ["Balance"]

_STEP = 1.0  # the first step, of logarithms of shares over those of ratios
_UNEVEN = 0.25  # of what a case lacks: the largest ratio above the mean, for which to move weights
_MOST = 8  # changes of weights of a case


class Balance:
    """The weights for a case: a corpus with a ratio above the mean gets more.

    Any weights give a valid bound.  The best are those under which the relaxation needs the same
    ratio of tokens to reference in all corpora that have weight.

    Parameters
    ----------
    counter : PriceCounter
        Counts by the first weights.
    """

    def __init__(self, counter: PriceCounter) -> None:
        assert counter.corpora is not None
        self.corpora = counter.corpora
        self._steps = WeightSteps(self.corpora.shares(counter.weights), _STEP)
        self._left = _MOST

    def after(
        self, rounds: CutRounds, level: Fraction, best: int | Fraction
    ) -> tuple[int, ...] | None:
        """Returns other weights if the corpora are served unevenly at the point of some rounds.

        Parameters
        ----------
        rounds : CutRounds
            The rounds.
        level : Fraction
            What is proven.
        best : int or Fraction
            The largest ratio that closes the case.
        """
        tokens = rounds.steps.tokens_by_corpus()
        ratios = [float(t) / r for t, r in zip(tokens, self.corpora.references, strict=True)]
        mean = sum(s * ratio for s, ratio in zip(self._steps.shares, ratios, strict=True))
        if not self._left or max(ratios) - mean <= _UNEVEN * float(best - level):
            return None
        self._left -= 1
        self._steps.update(ratios)
        return self.corpora.integer_weights(self._steps.shares)
