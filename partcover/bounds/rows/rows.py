"""Holds the rows that families add to the relaxation, for one active set."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...runtime.arrays import Bools, Float64, Int32, Int64, Integers

__all__ = ["ArcRows", "Arcs", "Rows", "matches", "ranges", "sums"]


def _none(dtype: type) -> np.ndarray:
    return np.zeros(0, dtype)


@dataclass(frozen=True)
class Arcs:
    """The arcs of an active set: occurrences of its candidates in words, or in parts of words.

    Attributes
    ----------
    active : ndarray of int32
        The active set.
    which, start, end : ndarray of int32, shape (arcs,)
        The arcs by start: which of the active set, and from which place to which.
    offsets : ndarray of int64, shape (parts + 1,)
        Where each word or part begins.
    counts : ndarray, shape (parts,)
        How often each occurs.
    weight : ndarray of float64, shape (active,)
        How often each candidate occurs.
    x : ndarray of float64, shape (active,)
        How much of each candidate is chosen.
    """

    active: Int32
    which: Int32
    start: Int32
    end: Int32
    offsets: Int64
    counts: Float64 | Int64
    weight: Float64
    x: Float64

    def count_at(self, places: Integers) -> Float64:
        """Returns how often the words or parts of some places occur."""
        part = np.searchsorted(self.offsets, places, "right") - 1
        return self.counts[part].astype(float)


@dataclass(frozen=True)
class ArcRows:
    """Rows over flows: those of some arcs over one place sum to at most a column.

    Attributes
    ----------
    name : ndarray of int64, shape (rows,)
        What a row is about: a set of candidates, as `set_key` names it, or a single one.
    place : ndarray of int64, shape (rows,)
        A place that all arcs of the row lie over.
    target : ndarray of int32, shape (rows,)
        The column.
    first, arcs : ndarray
        The arcs, as `Saddle.set_pairs` takes them.
    part : ndarray of int32, shape (rows,)
        The number of the family that a row is of, where several stand upon each other.
    """

    name: Int64 = field(default_factory=lambda: _none(np.int64))
    place: Int64 = field(default_factory=lambda: _none(np.int64))
    target: Int32 = field(default_factory=lambda: _none(np.int32))
    first: Int64 = field(default_factory=lambda: np.zeros(1, np.int64))
    arcs: Int32 = field(default_factory=lambda: _none(np.int32))
    part: Int32 = field(default_factory=lambda: _none(np.int32))

    def __len__(self) -> int:
        return len(self.name)

    def by_place(self) -> ArcRows:
        """Returns the rows in the order of their places, so that those of a word stand together."""
        order = np.argsort(self.place, kind="stable")
        sizes = np.diff(self.first)[order]
        first = np.concatenate([[0], np.cumsum(sizes)])
        arcs = self.arcs[ranges(self.first[:-1][order], sizes)]
        name, place, target = self.name[order], self.place[order], self.target[order]
        return ArcRows(name, place, target, first, arcs, self.part[order])

    def take(self, which: Bools) -> ArcRows:
        """Returns some of the rows."""
        sizes = np.diff(self.first)[which]
        first = np.concatenate([[0], np.cumsum(sizes)])
        arcs = self.arcs[ranges(self.first[:-1][which], sizes)]
        chosen = self.name[which], self.place[which], self.target[which]
        return ArcRows(*chosen, first, arcs, self.part[which])

    def sums(self, flow: Float64) -> Float64:
        """Returns the flow of the arcs of each row."""
        numbers = np.repeat(np.arange(len(self)), np.diff(self.first))
        return sums(numbers, flow[self.arcs], len(self))

    def same(self, places: Integers, others: ArcRows) -> tuple[Int64, Int64]:
        """Returns which rows are among others, and where: of one name, over one of their places.

        Parameters
        ----------
        places : ndarray of int, shape (rows,)
            The place of each row, as the others number them; −1 for one that they lack.
        others : ArcRows
            The others.
        """
        names = np.unique(np.concatenate([self.name, others.name]))
        n = max(len(names), 1)
        ours = places.astype(np.int64) * n + np.searchsorted(names, self.name)
        theirs = others.place * n + np.searchsorted(names, others.name)
        return matches(np.where(places < 0, -1, ours), theirs)


@dataclass(frozen=True)
class Rows:
    """Rows Σ coef·column ≤ rhs, whose multipliers are not below 0, and rows over flows.

    Columns are the x of the active set, then the family's own variables, from 0 to 1.

    Attributes
    ----------
    keys : sequence of hashable
        A name for each row that stays the same when the active set changes.
    own : sequence of hashable
        Likewise for each variable.
    own_first : ndarray of float64, shape (own,)
        Where variables that are new begin.
    row, column : ndarray of int64, shape (entries,)
        The entries.
    coef : ndarray of float64, shape (entries,)
        Theirs.
    rhs : ndarray of float64, shape (rows,)
        The right-hand sides.
    scale : ndarray of float64, shape (rows,)
        By what rows are multiplied, so that multipliers move as fast as those of arcs.
    arcs : ArcRows
        The rows over flows.
    first_row : tuple of int
        Where the rows of each family begin, where several stand upon each other, and the end.
    """

    keys: Sequence[Hashable] = ()
    own: Sequence[Hashable] = ()
    own_first: Float64 = field(default_factory=lambda: _none(np.float64))
    row: Int64 = field(default_factory=lambda: _none(np.int64))
    column: Int64 = field(default_factory=lambda: _none(np.int64))
    coef: Float64 = field(default_factory=lambda: _none(np.float64))
    rhs: Float64 = field(default_factory=lambda: _none(np.float64))
    scale: Float64 = field(default_factory=lambda: _none(np.float64))
    arcs: ArcRows = field(default_factory=ArcRows)
    first_row: tuple[int, ...] = ()

    @classmethod
    def stacked(cls, parts: Sequence[Rows], n_active: int) -> Rows:
        """Returns the rows of several families as those of one."""
        if not parts:
            return cls()
        n_rows = np.cumsum([0, *(len(part.keys) for part in parts)])
        n_own = np.cumsum([0, *(len(part.own) for part in parts)])
        n_arcs = np.cumsum([0, *(len(part.arcs.arcs) for part in parts)])

        def moved(columns: Integers, by: int) -> Integers:
            return np.where(columns < n_active, columns, columns + by).astype(columns.dtype)

        def joined(name: str) -> np.ndarray:
            return np.concatenate([getattr(part, name) for part in parts])

        arcs = [part.arcs for part in parts]
        rows_over_flows = ArcRows(
            np.concatenate([own.name for own in arcs]),
            np.concatenate([own.place for own in arcs]),
            np.concatenate([moved(a.target, by) for a, by in zip(arcs, n_own, strict=False)]),
            np.concatenate([[0], *(a.first[1:] + by for a, by in zip(arcs, n_arcs, strict=False))]),
            np.concatenate([own.arcs for own in arcs]),
            np.repeat(np.arange(len(parts), dtype=np.int32), list(map(len, arcs))),
        )
        if sum(len(own) > 0 for own in arcs) > 1:
            rows_over_flows = rows_over_flows.by_place()
        return cls(
            [key for part in parts for key in part.keys],
            [key for part in parts for key in part.own],
            joined("own_first"),
            np.concatenate([part.row + by for part, by in zip(parts, n_rows, strict=False)]),
            np.concatenate(
                [moved(part.column, by) for part, by in zip(parts, n_own, strict=False)]
            ),
            joined("coef"),
            joined("rhs"),
            joined("scale"),
            rows_over_flows,
            tuple(n_rows.tolist()),
        )

    def of_part(self, number: int) -> slice:
        """Returns which rows are of a family, of those that stand upon each other."""
        return slice(self.first_row[number], self.first_row[number + 1])

    def transposed(self, multipliers: Float64, columns: int) -> Float64:
        """Returns Σ coef·multiplier for each column."""
        return sums(self.column, self.coef * multipliers[self.row], columns)

    def violation(self, values: Float64) -> Float64:
        """Returns Σ coef·value − rhs for each row."""
        return sums(self.row, self.coef * values[self.column], len(self.keys)) - self.rhs


def matches(ours: Int64, theirs: Int64) -> tuple[Int64, Int64]:
    """Returns which of `ours` are in `theirs`, and where; those are distinct and not below 0."""
    order = np.argsort(theirs)
    ranked = theirs[order]
    at = np.minimum(np.searchsorted(ranked, ours), max(len(theirs) - 1, 0))
    same = np.flatnonzero(ranked[at] == ours) if len(theirs) else np.zeros(0, np.int64)
    return same, order[at[same]]


def ranges(first: Int64, sizes: Int64) -> Int64:
    """Returns the numbers from each first one on, as many as each size says."""
    before = np.cumsum(sizes) - sizes
    numbers: Int64 = np.arange(int(sizes.sum())) + np.repeat(first - before, sizes)
    return numbers


def sums(numbers: Integers, values: Float64, size: int) -> Float64:
    """Returns the sums of the values that have each number from 0 to size − 1."""
    return np.bincount(numbers, values, size).astype(np.float64, copy=False)
