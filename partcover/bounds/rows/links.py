"""Links: a word uses two tokens and those that bridge them at most once, unless both are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...kernels.bounds._links import link_rows
from ...runtime.arrays import Int64
from ..counting.price_counter import PriceCounter
from .family import OverFlows
from .rows import ArcRows, Arcs


def rows_of_links(arcs: Arcs, links: Int64) -> tuple[ArcRows, dict[int, tuple[int, ...]]]:
    """Returns the rows of links, and the candidates that bridge each link, by its name.

    Take the last symbol of an occurrence of the first candidate, and the first symbol of the next
    occurrence of the second one behind it.  A row has the first candidate's arcs over the one, the
    second's over the other, and those of other candidates over both.  Such a candidate bridges.  If
    it also has arcs over only the one and over only the other, it is left out.
    """
    names = -1 - (links[:, 0] << 32 | links[:, 1])
    n = len(arcs.active)
    one, other = arcs.local[links].T
    order = np.lexsort((other, one))
    first = np.searchsorted(one[order], np.arange(n + 1)).astype(np.int64)
    arrays = arcs.offsets, arcs.which, arcs.start, arcs.end
    listed = other[order].astype(np.int32), order.astype(np.int32)
    rows, row_first, own = link_rows(*arrays, first, *listed)
    number, place = rows[:, 0], rows[:, 1].copy()
    link = np.repeat(number, np.diff(row_first))
    token = arcs.which[own]
    bridges = (token != one[link]) & (token != other[link])
    pairs = np.unique(link[bridges] * n + token[bridges])
    bounds = np.searchsorted(pairs, np.arange(len(links) + 1) * n).tolist()
    tokens = arcs.active[pairs % max(n, 1)].tolist()
    found = {
        name: tuple(tokens[begin:end])
        for name, (begin, end) in zip(names.tolist(), pairwise(bounds), strict=True)
    }
    target = (n + number).astype(np.int32)
    limit = np.full(len(rows), 2, np.int8)
    return ArcRows(names[number], place, target, row_first, own, limit=limit), found


@dataclass(frozen=True)
class LinkPayments:
    """What the candidates of links pay: each one at one of two positions."""

    owner: Int64
    position: Int64
    multiplier: Int64

    @classmethod
    def of(
        cls,
        counter: PriceCounter,
        links: Mapping[int, tuple[int, ...]],
        bridges: Mapping[int, tuple[int, ...]],
        over: OverFlows,
    ) -> LinkPayments:
        """Returns the payments for the multipliers of links, as `rows_of_links` defines them."""
        starts: dict[int, Int64] = {}

        def starts_of(token: int) -> Int64:
            if token not in starts:
                places = counter.places[counter.lo[token] : counter.hi[token]]
                starts[token] = np.sort(places).astype(np.int64)
            return starts[token]

        owner, position, multiplier = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], []
        multiplier.append(np.zeros(0, np.int64))
        n_links = int(np.searchsorted(over.names, 0))
        order = np.argsort(over.which, kind="stable")
        bounds = np.searchsorted(over.which[order], np.arange(n_links + 1))
        for number, name in enumerate(over.names[:n_links].tolist()):
            chosen = order[bounds[number] : bounds[number + 1]]
            at, paid = over.position[chosen], over.multiplier[chosen]
            one, other = links[name]
            behind = starts_of(other)
            then = behind[np.searchsorted(behind, at, "right")]
            payers = [(one, at, paid), (other, then, paid)]
            for token in bridges.get(name, ()):
                place = _paid_at(starts_of(token), int(counter.length[token]), at, then)
                pays = place >= 0
                payers.append((token, place[pays], paid[pays]))
            for token, places, multipliers in payers:
                owner.append(np.full(len(places), token, np.int64))
                position.append(places)
                multiplier.append(multipliers)
        return cls(*(np.concatenate(each) for each in (owner, position, multiplier)))


def _paid_at(starts: Int64, size: int, one: Int64, other: Int64) -> Int64:
    """Returns where a token of these starts pays for each two positions; −1 if it does not."""

    def upto(limit: Int64) -> Int64:
        return np.searchsorted(starts, limit, "right")

    both = np.maximum(upto(one) - upto(other - size), 0)
    early, late = upto(one) - upto(one - size), upto(other) - upto(other - size)
    place: Int64 = np.where(both == early, one, np.where(both == late, other, -1))
    return np.where(both > 0, place, -1)
