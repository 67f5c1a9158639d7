"""Adjusts the weights of several corpora while a case is bounded."""

from __future__ import annotations

from fractions import Fraction

from ...heuristics.weight_steps import WeightSteps
from ..climbing.cut_rounds import CutRounds
from ..counting.price_counter import PriceCounter

_STEP = 1.0  # the first step: change of a share's logarithm over that of a ratio
_UNEVEN = 0.25  # weights move if the largest ratio exceeds the mean by this part of the case's gap
_MOST = 8  # most changes of weights in a case


class Balance:
    """The weights of a case: a corpus whose ratio is above the mean gets more weight.

    All weights give a valid bound.  The best are those with which the relaxation has the same ratio
    of tokens to reference in all corpora with positive weight.
    """

    def __init__(self, counter: PriceCounter) -> None:
        assert counter.corpora is not None
        self.corpora = counter.corpora
        self._steps = WeightSteps(self.corpora.shares(counter.weights), _STEP)
        self._left = _MOST

    def after(
        self, rounds: CutRounds, level: Fraction, best: int | Fraction
    ) -> tuple[int, ...] | None:
        """Returns other weights if the ratios of the corpora are unequal at the point of rounds.

        `level` is the proven bound, and `best` the largest ratio that closes the case.
        """
        tokens = rounds.steps.tokens_by_corpus()
        ratios = [float(t) / r for t, r in zip(tokens, self.corpora.references, strict=True)]
        mean = sum(s * ratio for s, ratio in zip(self._steps.shares, ratios, strict=True))
        if not self._left or max(ratios) - mean <= _UNEVEN * float(best - level):
            return None
        self._left -= 1
        self._steps.update(ratios)
        return self.corpora.integer_weights(self._steps.shares)
