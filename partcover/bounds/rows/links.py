"""Links: a word uses two tokens and those that bridge them at most once, unless both are chosen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...runtime.arrays import Int64
from ..counting.price_counter import PriceCounter
from .family import OverFlows
from .rows import ArcRows, Arcs

__all__ = ["LinkPayments", "rows_of_links"]


def rows_of_links(
    arcs: Arcs, links: Sequence[tuple[int, ...]]
) -> tuple[ArcRows, dict[int, tuple[int, ...]]]:
    """Returns the rows of links, and the candidates that bridge each link, by its name.

    Take the last symbol of an occurrence of the first candidate, and the first symbol of the next
    occurrence of the second one behind it.  A row has the first candidate's arcs over the one, the
    second's over the other, and those of other candidates over both.  Such a candidate bridges.  If
    it also has arcs over only the one and over only the other, it is left out.
    """
    which, start, end = arcs.which.tolist(), arcs.start.tolist(), arcs.end.tolist()
    active = arcs.active.tolist()
    n = len(active)
    by_token = np.argsort(arcs.which, kind="stable")
    first = np.searchsorted(arcs.which[by_token], np.arange(n + 1)).tolist()
    part = arcs.part
    begins = np.searchsorted(part, np.arange(len(arcs.offsets) + 1)).tolist()
    part_of = part.tolist()

    def own(candidate: int) -> list[int]:
        local = int(arcs.local[candidate])
        found: list[int] = by_token[first[local] : first[local + 1]].tolist()
        return found

    names, places, targets, firsts, listed = [], [], [], [0], []
    bridges: dict[int, tuple[int, ...]] = {}
    for number, (one, other) in enumerate(links):
        name = -1 - (one << 32 | other)
        others: dict[int, list[int]] = defaultdict(list)
        for o in own(other):
            others[part_of[o]].append(o)
        seen: set[int] = set()
        found: set[int] = set()
        for a in own(one):
            last = end[a] - 1
            behind = [o for o in others.get(part_of[a], ()) if start[o] > last]
            if not behind or last in seen:
                continue
            seen.add(last)
            at = start[behind[0]]
            over: dict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
            for o in range(begins[part_of[a]], begins[part_of[a] + 1]):
                if start[o] <= last < end[o]:
                    over[active[which[o]]][0].append(o)
                if start[o] <= at < end[o]:
                    over[active[which[o]]][1].append(o)
            row = {*over[one][0], *over[other][1]}
            n_own = len(row)
            for token, (early, late) in over.items():
                both = set(early) & set(late)
                if token not in (one, other) and both and len(both) in (len(early), len(late)):
                    row |= both
                    found.add(token)
            if len(row) > n_own:
                names.append(name)
                places.append(last)
                targets.append(n + number)
                listed.extend(sorted(row))
                firsts.append(len(listed))
        bridges[name] = tuple(sorted(found))
    rows = ArcRows(
        np.array(names, np.int64),
        np.array(places, np.int64),
        np.array(targets, np.int32),
        np.array(firsts, np.int64),
        np.array(listed, np.int32),
        limit=np.full(len(names), 2, np.int8),
    )
    return rows, bridges


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
