"""A sparse integer program that is independent of any solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..corpus.symbols import Token
from ..runtime.arrays import Float64, Int64, keep_arrays
from ..runtime.memory import refuse_beyond
from ..runtime.notebook import brief

Sense = Literal["min", "max"]

# bytes of an entry in solver and model together, at the peak (HiGHS, 17 million entries)
_BYTES_AN_ENTRY = 250


@dataclass(frozen=True, eq=False)
class SparseModel:
    """An integer program: minimize (or maximize) objective·v, row_lower ≤ A v ≤ row_upper.

    Attributes
    ----------
    name : str
        The formulation.
    goal : {"tokens", "decision", "size"}
        The goal; see `partcover.exact.formulations.build.build`.
    maximize : bool
        The sense of the objective.
    objective : ndarray of int64, shape (variables,)
        Costs.
    lower, upper : ndarray of float64, shape (variables,)
        Bounds of the variables.
    integer : ndarray of bool, shape (variables,)
        Whether a variable must be an integer; false in a linear relaxation.  If these variables are
        integers, all variables are integral in some optimum.
    starts, columns, values : ndarray of int64, shapes (rows + 1,), (nonzeros,), (nonzeros,)
        A by rows: row r has ``values[starts[r]:starts[r + 1]]`` in ``columns[...]``.
    row_lower, row_upper : ndarray of float64, shape (rows,)
        Bounds of the rows; infinite if there is none.
    tokens : tuple of token
        Variable t is 1 if token t is chosen, for t < len(tokens).
    words : tuple of token
        The words that the numbers in names stand for.
    variable_names, row_names : callable
        Produce the names when needed; `partcover.exact.model_files` lists their meaning.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.exact.formulations.build import build
    >>> model = build(Instance({"aba": 2}, 1), "path")
    >>> model.name, model.maximize, model.tokens
    ('path', False, (b'aba',))
    """

    name: str
    goal: str
    maximize: bool
    objective: Int64
    lower: Float64
    upper: Float64
    integer: npt.NDArray[np.bool_]
    starts: Int64
    columns: Int64
    values: Int64
    row_lower: Float64
    row_upper: Float64
    tokens: tuple[Token, ...]
    words: tuple[Token, ...]
    variable_names: Callable[[], list[str]]
    row_names: Callable[[], list[str]]

    def __post_init__(self) -> None:
        keep_arrays(self)

    def __repr__(self) -> str:
        rows, variables = self.shape
        return brief("SparseModel", self.name, f"{rows:,} rows", f"{variables:,} variables")

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of (rows, variables)."""
        return len(self.row_lower), len(self.objective)

    @property
    def nonzeros(self) -> int:
        """The number of entries of the matrix."""
        return len(self.columns)

    def chosen(self, values: Float64) -> list[Token]:
        """Returns the tokens whose variable is nearer to 1 than to 0."""
        picked = np.flatnonzero(np.asarray(values)[: len(self.tokens)] > 0.5)
        return [self.tokens[t] for t in picked.tolist()]

    def relaxed(self) -> SparseModel:
        """Returns the linear relaxation, in which no variable must be an integer."""
        return replace(self, integer=np.zeros(len(self.integer), bool))

    def violation(self, values: Float64) -> float:
        """Returns the largest violation of a bound, a row or an integrality; 0 if there is none.

        O(nonzeros).
        """
        values = np.asarray(values, float)
        row = np.repeat(np.arange(len(self.row_lower)), np.diff(self.starts))
        activity = np.bincount(
            row, self.values * values[self.columns], minlength=len(self.row_lower)
        )
        whole = values[self.integer]
        parts = (
            self.lower - values,
            values - self.upper,
            self.row_lower - activity,
            activity - self.row_upper,
            np.abs(whole - np.round(whole)),
        )
        return max(0.0, *(float(part.max(initial=0.0)) for part in parts))


class Rows:
    """Collects rows as arrays of (row, column, value)."""

    def __init__(self) -> None:
        self.parts: list[tuple[Int64, Int64, Int64]] = []
        self.lower: list[Float64] = []
        self.upper: list[Float64] = []
        self.count = 0

    def add(self, count: int, lower: Any, upper: Any) -> int:
        """Adds rows with these bounds; returns the number of the first."""
        first = self.count
        self.count += count
        self.lower.append(np.broadcast_to(np.asarray(lower, float), count))
        self.upper.append(np.broadcast_to(np.asarray(upper, float), count))
        return first

    def extend(self, other: Rows) -> None:
        """Appends the rows of another collection."""
        self.parts += [
            (rows + self.count, columns, values) for rows, columns, values in other.parts
        ]
        self.lower += other.lower
        self.upper += other.upper
        self.count += other.count

    def put(self, rows: Any, columns: Any, values: Any) -> None:
        """Adds entries with one common value, or with a value each."""
        rows = np.asarray(rows, np.int64)
        values = np.broadcast_to(np.asarray(values, np.int64), len(rows))
        self.parts.append((rows, np.asarray(columns, np.int64), values))

    def arrays(self) -> tuple[Int64, Int64, Int64, Float64, Float64]:
        """Returns (starts, columns, values, lower, upper), with the entries of a row by column."""
        rows, columns, values = (np.concatenate(part) for part in zip(*self.parts, strict=True))
        order = np.lexsort((columns, rows))
        starts = np.zeros(self.count + 1, np.int64)
        np.cumsum(np.bincount(rows, minlength=self.count), out=starts[1:])
        return (
            starts,
            columns[order],
            values[order],
            np.concatenate(self.lower),
            np.concatenate(self.upper),
        )


def refuse_beyond_memory(name: str, entries: int) -> None:
    """Raises an error for a model that would not fit in memory.

    Parameters
    ----------
    name : str
        The formulation, for the message.
    entries : int
        Nonzeros and variables of the model, approximately.

    Raises
    ------
    InputError
        With the size, if model and solver would need more.
    """
    refuse_beyond(
        entries * _BYTES_AN_ENTRY,
        f"the {name} model would have about {entries:,} entries and need",
        "take fewer words, shorter candidates (max_length) or more frequent ones (min_count)",
    )
