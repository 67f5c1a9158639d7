"""The rows that families add to the relaxation, for one active set."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from ...kernels.bounds._parts import group_rows
from ...kernels.steps._column_step import add_values, subtract_pushes
from ...kernels.steps._saddle_point import Saddle
from ...runtime.arrays import Bools, Float64, Int8, Int32, Int64, Integers


def _none(dtype: type) -> np.ndarray:
    return np.zeros(0, dtype)


@dataclass(frozen=True)
class Arcs:
    """The arcs of an active set: occurrences of its candidates in words, or in parts of words."""

    active: Int32
    # the arcs, sorted by start: the index in the active set, the first place, and the place behind
    # the last; shape (arcs,)
    which: Int32
    start: Int32
    end: Int32
    offsets: Int64  # where each word or part begins; shape (parts + 1,)
    counts: Float64 | Int64  # count of each word or part; shape (parts,)
    weight: Float64  # count of each candidate's occurrences; shape (active,)
    x: Float64  # x of each candidate; shape (active,)

    @cached_property
    def local(self) -> Int64:
        """The index in the active set of each candidate, as far as there are active ones."""
        local = np.full(int(self.active.max(initial=0)) + 1, -1, np.int64)
        local[self.active] = np.arange(len(self.active))
        return local

    @cached_property
    def part(self) -> Int64:
        """The number of the word or part of each arc."""
        return np.searchsorted(self.offsets, self.start, "right")

    def rows_of_groups(self, owner: Int64, arc: Int64) -> tuple[Int64, Int64, Int64, Int32]:
        """Returns the largest sets of at least two arcs of an owner that lie over one place.

        Given are the arcs of each owner, those in one part together and ascending.  The arrays are
        the owner and the place of each row, and its arcs as `ArcRows` has them.
        """
        part = self.part[arc]
        begins = np.flatnonzero(np.diff(owner, prepend=-1) | np.diff(part, prepend=-1))
        first = np.append(begins, len(arc)).astype(np.int64)
        arrays = self.which, self.start, self.end
        rows, row_first, own = group_rows(first, arc.astype(np.int32), *arrays)
        return owner[begins][rows[:, 0]], rows[:, 1].copy(), row_first, own

    def count_at(self, places: Integers) -> Float64:
        """Returns the counts of the words or parts at some places."""
        part = np.searchsorted(self.offsets, places, "right") - 1
        return self.counts[part].astype(float)


@dataclass(frozen=True)
class ArcRows:
    """Rows over flows: the flows of some arcs over one place sum to at most a column.

    Or signed rows: flows with signs, and the column, sum to at most a limit.
    """

    # the subject of the row: an edge or a link, as `edge_key` and `link_key` of cuts.py name it, or
    # a single candidate; shape (rows,)
    name: Int64 = field(default_factory=lambda: _none(np.int64))
    # a place that all arcs of the row cover; shape (rows,)
    place: Int64 = field(default_factory=lambda: _none(np.int64))
    target: Int32 = field(default_factory=lambda: _none(np.int32))  # the column; shape (rows,)
    # the arcs, as `Saddle.set_pairs` takes them
    first: Int64 = field(default_factory=lambda: np.zeros(1, np.int64))
    arcs: Int32 = field(default_factory=lambda: _none(np.int32))
    # the number of the family of each row, if the rows of several families are stacked; shape
    # (rows,)
    part: Int32 = field(default_factory=lambda: _none(np.int32))
    # the sign of each arc and the limit of each row, as `Saddle.set_pairs` takes them
    sign: Int8 = field(default_factory=lambda: _none(np.int8))
    limit: Int8 = field(default_factory=lambda: _none(np.int8))

    def __post_init__(self) -> None:
        if len(self.sign) < len(self.arcs):
            object.__setattr__(self, "sign", np.ones(len(self.arcs), np.int8))
        if len(self.limit) < len(self.name):
            object.__setattr__(self, "limit", np.full(len(self.name), -1, np.int8))
        if len(self.part) < len(self.name):
            object.__setattr__(self, "part", np.zeros(len(self.name), np.int32))

    def __len__(self) -> int:
        return len(self.name)

    @classmethod
    def joined(cls, parts: Sequence[ArcRows]) -> ArcRows:
        """Returns the rows of all parts, one after another."""
        n_arcs = np.cumsum([0, *(len(part.arcs) for part in parts)])
        firsts = [part.first[1:] + by for part, by in zip(parts, n_arcs, strict=False)]
        names = [each.name for each in fields(cls)]
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return cls(**joined | {"first": np.concatenate([[0], *firsts])})

    def put(self, saddle: Saddle) -> None:
        """Sets the rows of a saddle, with multipliers of 0."""
        saddle.set_pairs(self.first, self.arcs, self.target, self.sign, self.limit)

    def by_place(self) -> ArcRows:
        """Returns the rows sorted by place, so that the rows of a word are contiguous."""
        return self.take(np.argsort(self.place, kind="stable"))

    def take(self, which: Bools | Int64) -> ArcRows:
        """Returns some of the rows."""
        sizes = np.diff(self.first)[which]
        first = np.concatenate([[0], np.cumsum(sizes)])
        entries = ranges(self.first[:-1][which], sizes)
        chosen = self.name[which], self.place[which], self.target[which]
        signed = self.sign[entries], self.limit[which]
        return ArcRows(*chosen, first, self.arcs[entries], self.part[which], *signed)

    def room(self, columns: Float64, flow: Float64) -> Float64:
        """Returns by how much the sum of each row may grow."""
        numbers = np.repeat(np.arange(len(self)), np.diff(self.first))
        used = sums(numbers, self.sign * flow[self.arcs], len(self))
        most = columns[self.target]
        room: Float64 = np.where(self.limit < 0, most, self.limit - most) - used
        return room

    def pushes(self, multipliers: Float64, n_arcs: int) -> Float64:
        """Returns the sum of the multipliers of the rows of each arc."""
        paid = np.repeat(multipliers, np.diff(self.first))
        return sums(self.arcs, self.sign * paid, n_arcs)

    def same(self, places: Integers, others: ArcRows) -> tuple[Int64, Int64]:
        """Returns which rows are among others, and where: they have the same name and place.

        `places` has the place of each row, as the others number them; −1 for one that they lack.
        """
        names = np.unique(np.concatenate([self.name, others.name]))
        n = max(len(names), 1)
        ours = places.astype(np.int64) * n + np.searchsorted(names, self.name)
        theirs = others.place * n + np.searchsorted(names, others.name)
        return matches(np.where(places < 0, -1, ours), theirs)


@dataclass(frozen=True)
class Rows:
    """Rows Σ coef·column ≤ rhs with multipliers of at least 0, and rows over flows.

    Columns are the x of the active set, followed by the family's own variables between 0 and 1.
    """

    keys: Sequence[Hashable] = ()  # a key for each row that does not change with the active set
    own: Sequence[Hashable] = ()  # a key for each variable of its own, likewise
    # the first values of new variables; shape (own,)
    own_first: Float64 = field(default_factory=lambda: _none(np.float64))
    # the rows and columns of the entries; shape (entries,)
    row: Int64 = field(default_factory=lambda: _none(np.int64))
    column: Int64 = field(default_factory=lambda: _none(np.int64))
    # the coefficients; shape (entries,)
    coef: Float64 = field(default_factory=lambda: _none(np.float64))
    # the right-hand sides; shape (rows,)
    rhs: Float64 = field(default_factory=lambda: _none(np.float64))
    # factors of the rows, so that their multipliers move as fast as those of arcs; shape (rows,)
    scale: Float64 = field(default_factory=lambda: _none(np.float64))
    arcs: ArcRows = field(default_factory=ArcRows)  # the rows over flows
    first_row: tuple[int, ...] = ()  # where the rows of each stacked family begin, and the end

    @classmethod
    def stacked(cls, parts: Sequence[Rows], n_active: int) -> Rows:
        """Returns the rows of several families stacked as one."""
        if not parts:
            return cls()
        n_rows = np.cumsum([0, *(len(part.keys) for part in parts)])
        n_own = np.cumsum([0, *(len(part.own) for part in parts)])

        def moved(columns: Integers, by: int) -> Integers:
            return np.where(columns < n_active, columns, columns + by).astype(columns.dtype)

        def joined(name: str) -> np.ndarray:
            return np.concatenate([getattr(part, name) for part in parts])

        own = []
        for n, (part, by) in enumerate(zip(parts, n_own, strict=False)):
            target = moved(part.arcs.target, by).astype(np.int32)
            numbers = np.full(len(part.arcs), n, np.int32)
            own.append(replace(part.arcs, target=target, part=numbers))
        rows_over_flows = ArcRows.joined(own)
        if sum(len(each) > 0 for each in own) > 1:
            rows_over_flows = rows_over_flows.by_place()
        columns = [moved(part.column, by) for part, by in zip(parts, n_own, strict=False)]
        return cls(
            [key for part in parts for key in part.keys],
            [key for part in parts for key in part.own],
            joined("own_first"),
            np.concatenate([part.row + by for part, by in zip(parts, n_rows, strict=False)]),
            np.concatenate(columns),
            joined("coef"),
            joined("rhs"),
            joined("scale"),
            rows_over_flows,
            tuple(n_rows.tolist()),
        )

    def of_part(self, number: int) -> slice:
        """Returns the rows of one family among stacked rows."""
        return slice(self.first_row[number], self.first_row[number + 1])

    @cached_property
    def _by_row(self) -> tuple[Int64, Int32, Float64]:
        """The entries sorted by row: where those of each row begin, columns, coefficients."""
        order = np.argsort(self.row, kind="stable")
        first = np.searchsorted(self.row[order], np.arange(len(self.keys) + 1)).astype(np.int64)
        return first, self.column[order].astype(np.int32), self.coef[order]

    def without(self, gain: Float64, multipliers: Float64) -> Float64:
        """Returns the gain of each column minus Σ coef·multiplier."""
        left = gain.copy()
        subtract_pushes(*self._by_row, multipliers, left)
        return left

    def violation(self, values: Float64) -> Float64:
        """Returns Σ coef·value − rhs for each row."""
        violation = -self.rhs
        add_values(*self._by_row, values, violation)
        return violation


def matches(ours: Int64, theirs: Int64) -> tuple[Int64, Int64]:
    """Returns which of `ours` are in `theirs`, and where; `theirs` are distinct and at least 0."""
    order = np.argsort(theirs)
    ranked = theirs[order]
    at = np.minimum(np.searchsorted(ranked, ours), max(len(theirs) - 1, 0))
    same = np.flatnonzero(ranked[at] == ours) if len(theirs) else np.zeros(0, np.int64)
    return same, order[at[same]]


def ranges(first: Int64, sizes: Int64) -> Int64:
    """Returns ranges of consecutive numbers, joined; each has a first number and a size."""
    before = np.cumsum(sizes) - sizes
    numbers: Int64 = np.arange(int(sizes.sum())) + np.repeat(first - before, sizes)
    return numbers


def sums(numbers: Integers, values: Float64, size: int) -> Float64:
    """Returns the sum of the values with each number from 0 to size − 1."""
    return np.bincount(numbers, values, size).astype(np.float64, copy=False)
