"""Order: neighbors that merges would join, because of their order, are not both used."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from ...kernels.steps._saddle_point import arcs as arcs_of
from ...problem.merge_order import MergeOrder
from ...runtime.arrays import Bools, Int32, Int64, Integers
from ..counting.payers import Payments
from ..counting.price_counter import PriceCounter
from .family import Family, Given, OverFlows, Term
from .merges import Merges
from .rows import ArcRows, Arcs, Rows, ranges

_MOST_ARCS = 64  # limit of the arcs across a border; a row with more is left out


class Order(Family):
    """Rows that forbid neighbors which a merge of a chosen token would join.

    Let a merge of *a* and *b* make the chosen token U, and let U lie over a border of a word such
    that *a* ends there.  If a token of the set L ends at the border, then no token of the set R
    begins there (`MergeOrder`): L has the tokens that end with *a*, R those that begin with *b*,
    until after this merge.  In flows, at each border where U may be made ::

        (flows of R that begin here) ≤ (flows of tokens not in L that end here) + 1 − x_U

    Single symbols belong to these sums.  They lie where no token does, so their flow is 1 minus the
    flows over the symbol.  With that the row has the tokens alone, with signs.

    R has no tokens of which an earlier occurrence reaches over the border.  Each token of R pays
    the multiplier where it begins, and each token not in L gets it where it
    ends.  What single symbols pay or get changes the price of their symbol, and U pays.
    """

    begins_late = True

    def __init__(self, merges: Merges, counter: PriceCounter) -> None:
        self.merges = merges
        self._counter = counter
        self.order = MergeOrder(merges.condition)

    @cached_property
    def _ways(self) -> tuple[Int64, Int64]:
        """Where the merges of each candidate begin, and the merges: usable ones that make it."""
        order, number = self.order, self.merges.numbers
        made = [
            (candidate, merge)
            for merge, (left, right) in enumerate(order.merges)
            if order.usable[merge]
            for candidate in number([left + right])  # type: ignore[operator]
        ]
        made.sort()
        owner = np.array([candidate for candidate, _ in made], np.int64)
        first = np.searchsorted(owner, np.arange(len(self.merges.tokens) + 1))
        return first, np.array([merge for _, merge in made], np.int64)

    @cached_property
    def sizes(self) -> Int64:
        """The numbers of symbols of both parts of each merge."""
        pairs = [(len(left), len(right)) for left, right in self.order.merges]
        return np.array(pairs, np.int64).reshape(-1, 2)

    @cached_property
    def _parts(self) -> tuple[_Parts, _Parts]:
        """The last and the first parts of candidates."""
        tokens = self.merges.tokens
        return _Parts(map(self.order.ends, tokens)), _Parts(map(self.order.begins, tokens))

    @cached_property
    def everywhere(self) -> tuple[Int32, Int64, Int64]:
        """All occurrences of all candidates, by start."""
        counter = self._counter
        n_symbols = len(counter.instance.words.data)
        found = arcs_of(counter.places, counter.lo, counter.hi, counter.length, n_symbols)
        return found[0], found[1].astype(np.int64), found[2].astype(np.int64)

    def _may_meet(self, side: int, token: Integers, merge: Int64) -> Bools:
        """Returns whether each token has the left (0) or right part of a merge at the border.

        It ends with the left part, or begins with the right one, until after the merge.
        """
        return self._parts[side].until(token, self.sizes[merge, side]) > merge

    def rows(self, arcs: Arcs) -> Rows:
        """Returns the rows for an active set."""
        first, merges = self._ways
        token = arcs.active[arcs.which]
        start, end = arcs.start.astype(np.int64), arcs.end.astype(np.int64)
        n_ways = np.diff(first)[token]
        owner = np.repeat(np.arange(len(token)), n_ways)
        merge = merges[ranges(first[:-1][token], n_ways)]
        border = start[owner] + self.sizes[merge, 0]
        by_end = np.argsort(end, kind="stable")
        inside = np.repeat(np.arange(len(token)), end - start - 1)
        at = ranges(start + 1, end - start - 1)
        by_border = np.argsort(at, kind="stable")
        over = at[by_border]
        lists = (
            (end[by_end], by_end),
            (start, np.arange(len(token))),
            (over, inside[by_border]),
        )
        n_over = np.searchsorted(over, border, "right") - np.searchsorted(over, border)
        few = n_over <= _MOST_ARCS
        owner, merge, border = owner[few], merge[few], border[few]
        row, other = zip(*(_matched(places, border, own) for places, own in lists), strict=True)
        is_last = self._may_meet(0, token[other[0]], merge[row[0]])
        is_first = self._may_meet(1, token[other[1]], merge[row[1]])
        is_first &= _stands_alone(token, start, end)[other[1]]
        alone_last, alone_first = (self.sizes[merge] == 1).T.astype(np.int8)
        # a token that gets something where it ends also gets it where it lies over the border
        gets, lies = (
            row[n] * len(self.merges.tokens) + token[other[n]].astype(np.int64) for n in (0, 2)
        )
        also = np.isin(lies, gets[~is_last])
        sign = np.concatenate(
            [
                np.where(is_last, 1, 0) - alone_last[row[0]],
                np.where(is_first, 1, 0) - alone_first[row[1]],
                1 - alone_last[row[2]] - alone_first[row[2]] - also,
            ]
        )
        n = len(merge)
        # without a token of L or of R the row says nothing
        useful = (alone_last > 0) | (np.bincount(row[0], is_last, n) > 0)
        useful &= (alone_first > 0) | (np.bincount(row[1], is_first, n) > 0)
        rows, arc = np.concatenate(row), np.concatenate(other)
        kept = (sign != 0) & useful[rows]
        rows, arc, sign = rows[kept], arc[kept], sign[kept]
        order = np.lexsort((arc, rows, border[rows]))
        rows, arc, sign = rows[order], arc[order], sign[order]
        begin = np.flatnonzero(np.diff(rows, prepend=-1))
        which = rows[begin]
        return Rows(
            arcs=ArcRows(
                -1 - merge[which],
                border[which],
                arcs.which[owner[which]].astype(np.int32),
                np.append(begin, len(rows)),
                arc.astype(np.int32),
                sign=sign.astype(np.int8),
                limit=(2 - alone_first - alone_last)[which].astype(np.int8),
            )
        )

    @cached_property
    def _by_end(self) -> Int64:
        """The occurrences by end."""
        return np.argsort(self.everywhere[2], kind="stable")

    @cached_property
    def _alone(self) -> Bools:
        """Whether each occurrence may pay (`_stands_alone`)."""
        return _stands_alone(*self.everywhere)

    def _merges_of(self, over: OverFlows) -> list[tuple[Any, Any]]:
        """Returns the merge of each name: merge n has the name −1 − n."""
        return [self.order.merges[-1 - name] for name in over.names.tolist()]

    def gives(self, counter: PriceCounter, term: Term) -> Given:
        """Returns what the results of merges pay, and the loss: the multipliers of all rows."""
        given = Given()
        results = [left + right for left, right in self._merges_of(term.over)]
        paid = term.over.sums(counter)
        for token, own in zip(self.merges.numbers(results), paid, strict=True):
            given.tokens[token] -= own
            given.loss += own
        return given

    def payments(self, counter: PriceCounter, over: OverFlows) -> Payments:
        """Returns the payments of tokens, below 0 for what they get, each in a list of its own."""
        token, start, end = self.everywhere
        by_end = self._by_end
        merge, border = -1 - over.names[over.which], over.position
        row, arc = _matched(end[by_end], border, by_end)
        gets = ~self._may_meet(0, token[arc], merge[row])
        first, begun = _matched(start, border, np.arange(len(start)))
        pays = self._may_meet(1, token[begun], merge[first]) & self._alone[begun]
        payer = np.concatenate([token[arc[gets]], token[begun[pays]]]).astype(np.int64)
        position = np.concatenate([border[row[gets]] - 1, border[first[pays]]])
        amount = np.concatenate([-over.multiplier[row[gets]], over.multiplier[first[pays]]])
        payers = np.unique(payer)
        return Payments(payer, position, amount, payers, payers)

    def added(self, counter: PriceCounter, over: OverFlows) -> Int64:
        """Returns what is added to the price of each symbol."""
        left, right = self.sizes[-1 - over.names[over.which]].T
        added = np.zeros(len(counter.instance.words.data), np.int64)
        np.add.at(added, over.position[right == 1], over.multiplier[right == 1])
        np.subtract.at(added, over.position[left > 1] - 1, over.multiplier[left > 1])
        return added

    def in_leaf(self, counter: PriceCounter, term: Term) -> dict[str, Any]:
        """Returns the multipliers by merge."""
        orders = term.over.pairs(self._merges_of(term.over), counter)
        return {"orders": tuple(sorted(orders, key=lambda each: each.tokens))}


class _Parts:
    """The first or last parts of candidates, by number of symbols."""

    def __init__(self, parts: Iterable[Iterable[tuple[int, int]]]) -> None:
        listed = [(token, size, joined) for token, own in enumerate(parts) for size, joined in own]
        table = np.array(listed, np.int64).reshape(-1, 3)
        self._longest = int(table[:, 1].max(initial=0)) + 1
        key = table[:, 0] * self._longest + table[:, 1]
        order = np.argsort(key)
        self._key = np.append(key[order], np.int64(-1))
        self._joined = np.append(table[order, 2], np.int64(-1))

    def until(self, token: Integers, size: Int64) -> Int64:
        """Returns the merge that joins the part of each token with a size to more; −1 if none."""
        key = token.astype(np.int64) * self._longest + size
        at = np.searchsorted(self._key[:-1], key)
        found: Int64 = np.where(
            (self._key[at] == key) & (size < self._longest), self._joined[at], -1
        )
        return found


def _stands_alone(token: Integers, start: Int64, end: Int64) -> Bools:
    """Returns whether no earlier occurrence of the same token reaches into each occurrence.

    A token pays for the symbol behind the border, and so would an earlier occurrence over it.
    """
    order = np.lexsort((start, token))
    alone = np.ones(len(token), bool)
    reaches = (token[order][1:] == token[order][:-1]) & (end[order][:-1] > start[order][1:])
    alone[order[1:]] = ~reaches
    return alone


def _matched(places: Int64, wanted: Int64, listed: Int64) -> tuple[Int64, Int64]:
    """Returns what is listed at each wanted place, and for which one; places are ascending."""
    low = np.searchsorted(places, wanted)
    sizes = np.searchsorted(places, wanted, "right") - low
    return np.repeat(np.arange(len(low)), sizes), listed[ranges(low, sizes)]
