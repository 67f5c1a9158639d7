"""Parts of words, cut where no active candidate crosses and merged where they are the same."""

from __future__ import annotations

import numpy as np

from ..kernels._cut_steps import CutSteps, merge_parts, pair_rows
from ..kernels._saddle_point import arcs
from ..runtime.arrays import Bools, Int32, Int64
from .price_counter import PriceCounter

__all__ = ["Parts"]


class Parts:
    """The merged parts of the words for an active set, their arcs and their rows.

    An arc is an occurrence of an active candidate.  Each has a row of its own, of it and the
    earlier arcs of its candidate that overlap it; each pair has a row for each largest set of its
    arcs over one position.

    Parameters
    ----------
    counter : PriceCounter
        The words and candidates.
    active : ndarray of int32
        The active set.
    pairs : ndarray of int64, shape (pairs,)
        Pairs of active candidates, as `pair_key` names them, ascending.

    Attributes
    ----------
    place : ndarray of int32, shape (symbols,)
        Where a position of the words is among the parts; −1 where no arc lies.
    position : ndarray of int64, shape (places,)
        The first position of the words at each place.
    offsets : ndarray of int64, shape (parts + 1,)
        First place of each part.
    counts : ndarray of float64, shape (parts,)
        Counts of the words that have the part, summed.
    candidate, start, end : ndarray of int32, shape (arcs,)
        Each arc's candidate and places.
    row_first, row_arcs, row_part : ndarray
        The rows, as `CutSteps` takes them.
    row_pair : ndarray of int64, shape (rows,)
        The number of the row's pair; −1 for an arc's own row.
    row_arc : ndarray of int64, shape (rows,)
        The arc of an own row; 0 for the others.
    row_place : ndarray of int64, shape (rows,)
        A place that all arcs of the row lie over.
    """

    def __init__(self, counter: PriceCounter, active: Int32, pairs: Int64) -> None:
        self.pairs = pairs
        self.n_candidates = len(counter.lo)
        lo, hi, length = (a[active] for a in (counter.lo, counter.hi, counter.length))
        symbols = len(counter.count_at)
        which, start, end, back = arcs(counter.places, lo, hi, length, symbols)
        self.place, self.offsets, counts, arc = merge_parts(counter.count_at, which, start, end)
        self.counts = counts.astype(float)
        self.start = self.place[start[arc]]
        self.end = (self.start + (end - start)[arc]).astype(np.int32)
        self.candidate = active[which[arc]]
        self.arc_position = start[arc]
        self.position = np.zeros(int(self.offsets[-1]), np.int64)
        covered = np.flatnonzero(self.place >= 0)[::-1]
        self.position[self.place[covered]] = covered
        self._make_rows(*_own_rows(arc, start, end, back))

    def _make_rows(self, own_rows: Int64, own_arcs: Int64) -> None:
        """Joins the arcs' own rows and those of pairs, part by part."""
        n = len(self.start)
        in_pair = np.zeros(self.n_candidates, np.uint8)
        in_pair[self.pairs >> 32] = in_pair[self.pairs & 0xFFFFFFFF] = 1
        pair_of, first, pair_arcs = pair_rows(
            self.offsets, self.candidate, self.start, self.end, self.pairs, in_pair
        )
        part = np.searchsorted(self.offsets, self.start, "right") - 1
        row_part = np.concatenate([part, pair_of[:, 0]])
        rows = np.concatenate([own_rows, n + np.repeat(np.arange(len(pair_of)), np.diff(first))])
        row_arcs = np.concatenate([own_arcs, pair_arcs])
        order = np.argsort(row_part, kind="stable")
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        self.row_part = row_part[order].astype(np.int32)
        self.row_pair = np.concatenate([np.full(n, -1), pair_of[:, 1]])[order]
        self.row_place = np.concatenate([self.start.astype(np.int64), pair_of[:, 2]])[order]
        self.row_arc = np.zeros(len(order), np.int64)
        self.row_arc[rank[:n]] = np.arange(n)
        rows = rank[rows]
        self.row_arcs = row_arcs[np.argsort(rows, kind="stable")].astype(np.int32)
        self.row_first = np.zeros(len(order) + 1, np.int64)
        np.cumsum(np.bincount(rows, minlength=len(order)), out=self.row_first[1:])

    def copy_point(self, steps: CutSteps, old: Parts, old_steps: CutSteps) -> None:
        """Copies the point of other parts of the same words, where they have the same."""
        at = old.place[self.position]
        covered = at >= 0
        for ours, theirs in (
            (steps.price, old_steps.price),
            (steps.price_made, old_steps.price_made),
        ):
            ours[:] = 1.0
            ours[covered] = theirs[at[covered]]
        arc_at = old.place[self.arc_position].astype(np.int64)
        ours_of, theirs_of = _matches(
            np.stack([arc_at, self.candidate]), np.stack([old.start, old.candidate])
        )
        steps.flow[ours_of] = old_steps.flow[theirs_of]
        steps.flow_made[ours_of] = old_steps.flow_made[theirs_of]
        row_at = old.place[self.position[self.row_place]].astype(np.int64)
        ours_of, theirs_of = _matches(
            np.stack([row_at, self._row_names()]), np.stack([old.row_place, old._row_names()])
        )
        steps.row[ours_of] = old_steps.row[theirs_of]
        steps.row_made[ours_of] = old_steps.row_made[theirs_of]

    def _row_names(self) -> Int64:
        """Returns what each row is about: a candidate, or −1 − a pair's name."""
        names: Int64 = self.candidate[self.row_arc].astype(np.int64)
        of_pair = self.row_pair >= 0
        names[of_pair] = -1 - self.pairs[self.row_pair[of_pair]]
        return names

    def everywhere(self, places: Int64) -> tuple[Int64, Int64]:
        """Returns all positions of some places, and for each the index of its place."""
        covered: Bools = self.place >= 0
        order = np.argsort(self.place, kind="stable")[int(np.count_nonzero(~covered)) :]
        ascending = self.place[order]
        begin = np.searchsorted(ascending, places, "left")
        sizes = np.searchsorted(ascending, places, "right") - begin
        at = np.repeat(begin - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
        return order[at], np.repeat(np.arange(len(places)), sizes)


def _own_rows(arc: Int64, start: Int32, end: Int32, back: Int32) -> tuple[Int64, Int64]:
    """Returns the rows of the arcs themselves, as (row, arc) for each arc in a row."""
    number = np.full(len(start), -1, np.int64)
    number[arc] = np.arange(len(arc))
    rows, members = [np.arange(len(arc))], [np.arange(len(arc))]
    row, at = np.flatnonzero(back[arc]), arc[back[arc] > 0]
    while len(row):
        at = at - back[at]
        overlaps = end[at] > start[arc[row]]
        row, at = row[overlaps], at[overlaps]
        rows.append(row)
        members.append(number[at])
        row, at = row[back[at] > 0], at[back[at] > 0]
    return np.concatenate(rows), np.concatenate(members)


def _matches(ours: Int64, theirs: Int64) -> tuple[Int64, Int64]:
    """Returns the columns of `ours` that are in `theirs`, and where; columns there are distinct."""
    columns = np.concatenate([theirs, ours], axis=1)
    order = np.lexsort((columns[1], columns[0]))
    ranked = columns[:, order]
    same = np.zeros(len(order), np.int64)
    same[1:] = np.cumsum(np.any(ranked[:, 1:] != ranked[:, :-1], axis=0))
    number = np.empty(len(order), np.int64)
    number[order] = same
    n = theirs.shape[1]
    owner = np.full(int(same[-1]) + 1 if len(same) else 0, -1, np.int64)
    owner[number[:n]] = np.arange(n)
    owners = owner[number[n:]]
    return np.flatnonzero(owners >= 0), owners[owners >= 0]
