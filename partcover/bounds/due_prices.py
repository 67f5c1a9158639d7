"""Counts in integers what prices prove where tokens pay dues to those that they need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels._rewards import charged_rewards
from ..runtime.arrays import Int64
from ..runtime.parallel import SHARDS
from .cut_prices import CutPrices
from .merge_ascent import MergeAscent
from .need_rows import NeedLists
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

    def _charge(self, counter: PriceCounter, before: Int64, units: Int64, low: Int64) -> None:
        """Counts the rewards of tokens that pay again: their occurrences pay dues."""
        if not len(self.pairs):
            return
        # the dues of each token that gets some, by position, and their partial sums
        order = np.lexsort((self.position, self.pair))
        first = np.searchsorted(self.pair[order], np.arange(len(self.pairs) + 1)).astype(np.int64)
        total = np.concatenate([[0], np.cumsum(self.multiplier[order])])
        n_sums = np.diff(first) + 1
        numbers = np.arange(int(n_sums.sum())) - np.repeat(np.arange(len(n_sums)), n_sums)
        sums = total[numbers] - np.repeat(total[first[:-1]], n_sums)
        # who pays to which of these
        place = np.full(len(counter.lo), -1, np.int32)
        place[self.pairs & 0xFFFFFFFF] = np.arange(len(self.pairs))
        needed = place[self.needs.listed]
        owner = np.repeat(np.arange(len(counter.lo)), np.diff(self.needs.first))[needed >= 0]
        listed = needed[needed >= 0]
        tokens, lists = np.unique(owner, return_index=True)
        lists = np.append(lists, len(owner)).astype(np.int64)
        cuts = np.linspace(0, len(tokens), SHARDS + 1).astype(int).tolist()
        which, positions = tokens.astype(np.int32), self.position[order].astype(np.int32)

        def work(n: int) -> None:
            charged_rewards(
                counter.places,
                before,
                counter.count_at,
                counter.one,
                counter.lo,
                counter.hi,
                counter.length,
                which,
                lists,
                listed,
                first,
                positions,
                sums,
                units,
                low,
                counter.low_bits,
                cuts[n],
                cuts[n + 1],
            )

        counter.share(work, SHARDS)

    def _sum_multipliers(self, counter: PriceCounter) -> tuple[dict[int, int], dict[int, int]]:
        """Returns what is lost, nothing, and what tokens get."""
        sums, _ = super()._sum_multipliers(counter)
        return {}, {pair & 0xFFFFFFFF: due for pair, due in sums.items()}
