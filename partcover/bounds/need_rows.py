"""Makes the rows of tokens that others cannot be made without."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..kernels._parts import group_rows
from ..kernels._saddle_point import Saddle
from ..problem.merge_needs import MergeNeeds
from ..runtime.arrays import Float64, Int32, Int64
from .merge_rows import Ways
from .price_counter import PriceCounter

__all__ = ["NeedLists", "NeedRows"]


class NeedLists:
    """The candidates that each candidate cannot be made without, itself among them.

    Parameters
    ----------
    ways : Ways
        The candidates, and what makes them.

    Attributes
    ----------
    first : ndarray of int64, shape (candidates + 1,)
        Those that candidate c needs are ``listed[first[c]:first[c + 1]]``.
    listed : ndarray of int32
        Candidates.
    """

    def __init__(self, ways: Ways) -> None:
        self._ways = ways

    @cached_property
    def _lists(self) -> tuple[Int64, Int32]:
        ways = self._ways
        if ways.condition.pairs is None:  # each needs itself alone
            own = np.arange(len(ways.tokens) + 1)
            return own, own[:-1].astype(np.int32)
        needs = MergeNeeds(ways.condition, ways.exempt)
        found = [ways.numbers(needs.of(token)) for token in ways.tokens]
        first = np.cumsum([0, *map(len, found)])
        return first, np.array([number for own in found for number in own], np.int32)

    @property
    def first(self) -> Int64:
        """Where the list of each candidate begins."""
        return self._lists[0]

    @property
    def listed(self) -> Int32:
        """The lists."""
        return self._lists[1]

    def of(self, tokens: Int32) -> tuple[Int64, Int32]:
        """Returns the lists of some candidates: how many each needs, and which."""
        sizes = np.diff(self.first)[tokens]
        return sizes, self.listed[_ranges(self.first[:-1][tokens], sizes)]


class NeedRows:
    """Rows that keep the flows of a token and of all that need it below its x.

    Over a position of a word lies one piece.  If it is a token or one that cannot be made without
    it, the token is there: so the flows of these arcs over a position sum to x at most.

    Parameters
    ----------
    lists : NeedLists
        What candidates need.
    counter : PriceCounter
        The words and candidates.
    active : ndarray of int32
        The active set.
    which, start, end : ndarray of int32, shape (arcs,)
        The arcs of the active set, by start.

    Attributes
    ----------
    token : ndarray of int64, shape (rows,)
        The token whose x each row is about.
    target : ndarray of int32, shape (rows,)
        Its place in the active set.
    position : ndarray of int64, shape (rows,)
        A position that all arcs of the row lie over.
    first, arcs : ndarray
        The arcs, as `Saddle.set_pairs` takes them.
    """

    def __init__(
        self,
        lists: NeedLists,
        counter: PriceCounter,
        active: Int32,
        which: Int32,
        start: Int32,
        end: Int32,
    ) -> None:
        offsets = counter.instance.words.offsets
        place = np.full(len(counter.fixed), -1, np.int64)
        place[active] = np.arange(len(active))
        place[counter.fixed] = -1  # they are there anyway
        sizes, listed = lists.of(active)
        kept = place[listed] >= 0
        owner = np.repeat(np.arange(len(active)), sizes)[kept]
        needed = place[listed[kept]]
        # those that no other token needs have rows of their own arcs already
        several = np.bincount(needed, minlength=len(active))[needed] > 1
        owner, needed = owner[several], needed[several]
        begin = np.searchsorted(owner, np.arange(len(active) + 1))
        n_needed = np.diff(begin)[which]
        arc = np.repeat(np.arange(len(which)), n_needed)
        target = needed[_ranges(begin[:-1][which], n_needed)]
        word = np.searchsorted(offsets, start, "right")
        key = word[arc] * len(active) + target
        order = np.argsort(key, kind="stable")
        key, members = key[order], arc[order].astype(np.int32)
        groups = np.flatnonzero(np.diff(key, prepend=-1)) if len(key) else np.zeros(0, np.int64)
        found, self.first, self.arcs = group_rows(
            np.append(groups, len(key)), members, which, start, end
        )
        self.target = (key[groups][found[:, 0]] % max(1, len(active))).astype(np.int32)
        self.token = active[self.target].astype(np.int64)
        self.position = found[:, 1].copy()
        self._key = self.token * int(offsets[-1]) + self.position

    def __len__(self) -> int:
        return len(self.target)

    def copy_multipliers(self, saddle: Saddle, old: NeedRows, multipliers: Float64) -> None:
        """Gives rows of the same tokens over the same positions the multipliers that they had."""
        _, new, had = np.intersect1d(self._key, old._key, return_indices=True)
        saddle.pair_row[new] = multipliers[had]


def _ranges(first: Int64, sizes: Int64) -> Int64:
    """Returns the numbers from each first one on, as many as each size says."""
    before = np.cumsum(sizes) - sizes
    numbers: Int64 = np.arange(int(sizes.sum())) + np.repeat(first - before, sizes)
    return numbers
