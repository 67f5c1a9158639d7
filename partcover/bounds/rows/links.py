"""Links: a word uses two tokens and those that bridge them at most once, unless both are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from ...kernels.bounds._links import link_payments, link_rows
from ...runtime.arrays import Int32, Int64
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


def link_payers(
    counter: PriceCounter,
    links: Mapping[int, tuple[int, int]],
    bridges: Mapping[int, tuple[int, ...]],
    over: OverFlows,
) -> tuple[Int64, Int64, Int64]:
    """Returns the tokens that pay for links, where each pays, and the multipliers.

    Each token pays at one of two positions, as `rows_of_links` defines its rows.
    """
    names = over.names[: np.searchsorted(over.names, 0)].tolist()
    order = np.argsort(over.which, kind="stable")
    first = np.searchsorted(over.which[order], np.arange(len(names) + 1)).astype(np.int64)
    order = order[: first[-1]]
    bridged = [bridges.get(name, ()) for name in names]
    pairs = np.array([links[name] for name in names], np.int32).reshape(-1, 2)
    others = np.array([token for tokens in bridged for token in tokens], np.int32)
    tokens, inverse = np.unique(np.concatenate([pairs.ravel(), others]), return_inverse=True)
    local: Int32 = inverse.astype(np.int32)
    intervals = zip(counter.lo[tokens].tolist(), counter.hi[tokens].tolist(), strict=True)
    starts = [np.sort(counter.places[lo:hi]) for lo, hi in intervals]
    paid = link_payments(
        local[: pairs.size].reshape(-1, 2),
        np.cumsum([0, *map(len, bridged)], dtype=np.int64),
        local[pairs.size :],
        first,
        over.position[order],
        over.multiplier[order],
        np.cumsum([0, *map(len, starts)], dtype=np.int64),
        np.concatenate([np.zeros(0, np.int32), *starts]),
        counter.length[tokens],
    )
    owner, position, multiplier = paid.T
    return tokens[owner].astype(np.int64), position, multiplier
