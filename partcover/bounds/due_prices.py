"""Counts in integers what prices prove where tokens pay dues to those that they need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .cut_prices import CutPrices
from .merge_ascent import MergeAscent
from .need_rows import NeedLists
from .payers import Multipliers, Payers
from .price_counter import PriceCounter

__all__ = ["DuePrices"]

_MOST = 16.0  # tokens, of all dues of a token over a symbol: their sums then fit in 63 bits


@dataclass(frozen=True)
class DuePrices(CutPrices):
    """Prices of symbols, and dues: pairs of a token with itself hold what it gets.

    Attributes are those of `CutPrices`, and:

    Attributes
    ----------
    needs : NeedLists
        Who pays.
    """

    needs: NeedLists

    @classmethod
    def of_merges(cls, ascent: MergeAscent) -> DuePrices:
        """The prices and dues of the last step, rounded."""
        counter, rows, needs = ascent.counter, ascent.need_rows, ascent.needs
        assert rows is not None
        due = np.zeros(0)
        if len(rows):
            largest = _MOST / int(np.diff(needs.first).max(initial=1))
            due = np.minimum(ascent.held.saddle.pair_made, largest)
        multiplier = np.rint(due * counter.one).astype(np.int64)
        paid = np.flatnonzero(multiplier > 0)
        tokens, pair = np.unique(rows.token[paid], return_inverse=True)
        return cls(
            counter.rounded(ascent.proposed()),
            tokens << 32 | tokens,
            pair,
            rows.position[paid],
            multiplier[paid],
            (),
            needs,
        )

    def _payers(self, counter: PriceCounter) -> Payers:
        """Returns the tokens that pay dues, each those of all that it needs."""
        # the list of each token that gets dues: each of `pairs` has some
        place = np.full(len(counter.lo), -1, np.int32)
        place[self.pairs & 0xFFFFFFFF] = np.arange(len(self.pairs))
        needed = place[self.needs.listed]
        owner = np.repeat(np.arange(len(counter.lo)), np.diff(self.needs.first))[needed >= 0]
        tokens, first = np.unique(owner, return_index=True)
        first = np.append(first, len(owner)).astype(np.int64)
        dues = Multipliers.of(self.pair, self.position, self.multiplier)
        return Payers(tokens, first, needed[needed >= 0], dues)

    def _sum_multipliers(self, counter: PriceCounter) -> tuple[dict[int, int], dict[int, int]]:
        """Returns what is lost, nothing, and what tokens get."""
        sums, _ = super()._sum_multipliers(counter)
        return {}, {pair & 0xFFFFFFFF: due for pair, due in sums.items()}
