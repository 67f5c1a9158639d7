"""Finds weights of corpora that make their ratios equal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

# limits of a step: the change of a share's logarithm over that of a ratio
_SMALLEST, _LARGEST = 0.05, 64.0
_SLOWER, _FASTER = 0.5, 1.25
_LOWEST = -14.0  # smallest logarithm of a share relative to the largest share


class WeightSteps:
    """Steps of multiplicative weights: a corpus with a ratio above the mean gets a larger share.

    The logarithm of a share changes by a step times the logarithm of its ratio over the mean ratio,
    which is weighted by the shares.  Each corpus has a step of its own.  The step shrinks when the
    ratio crosses the mean, and grows when it stays on the same side (as in resilient propagation,
    Riedmiller and Braun 1993).

    Parameters
    ----------
    shares : sequence of float
        The first shares.
    step : float
        The first step of each corpus.

    Attributes
    ----------
    shares : list of float
        The share of each corpus in the weighted sum of ratios; the shares add up to 1.

    Examples
    --------
    >>> from partcover.heuristics.weight_steps import WeightSteps
    >>> steps = WeightSteps([0.5, 0.5], step=1.0)
    >>> steps.update([3, 1])
    >>> [round(share, 3) for share in steps.shares]
    [0.75, 0.25]
    """

    def __init__(self, shares: Sequence[float], step: float = 4.0) -> None:
        # the weights of a certificate may differ by more than floating point can say
        self._logarithms = [math.log(share) if share else _LOWEST for share in shares]
        self._steps = [step] * len(shares)
        self._sides = [0.0] * len(shares)
        self.shares = list(shares)

    def mean(self, ratios: Sequence[Fraction | float]) -> float:
        """Returns the mean of ratios, weighted by the shares."""
        return sum(share * float(ratio) for share, ratio in zip(self.shares, ratios, strict=True))

    def update(self, ratios: Sequence[Fraction | float]) -> None:
        """Updates the shares from the ratios of the best vocabulary for the present shares."""
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
