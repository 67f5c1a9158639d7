"""Reads words and counts from data frames and tables of other libraries, importing none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from ...errors import InputError
from ...runtime.arguments import is_listed, shown


class Table(Protocol):
    """A data frame, a table or a series of another library."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rows and, for a table, of columns."""


def pairs_of(counts: Any) -> Iterable[Any]:
    """Returns the (word, count) pairs in a mapping, a series, a data frame or an iterable.

    Parameters
    ----------
    counts : any
        A mapping; a pandas series, whose index is the words; a pandas or polars data frame or an
        Arrow table with columns ``word`` and ``count``, or with two columns, words first; any
        iterable of pairs.

    Raises
    ------
    InputError
        For anything else, and for two columns of the same name.

    Examples
    --------
    >>> from partcover.corpus.files.columns import pairs_of
    >>> list(pairs_of({"low": 5}))
    [('low', 5)]
    """
    names = _names(counts)
    if names is not None:
        if not {"word", "count"} <= set(names) and len(names) != 2:
            columns = ", ".join(map(str, names[:10])) or "none"
            raise InputError(
                f"the columns of {shown(counts)} are {columns}: name two of them 'word' and "
                "'count', or give these two alone"
            )
        word, count = ("word", "count") if {"word", "count"} <= set(names) else names
        for name in (word, count):
            if names.count(name) > 1:
                raise InputError(
                    f"{shown(counts)} has {names.count(name)} columns named {shown(name)}: keep "
                    "one of each name"
                )
        return zip(_column(counts, word), _column(counts, count), strict=True)
    if isinstance(counts, Mapping):
        return counts.items()
    if callable(getattr(counts, "items", None)) and hasattr(counts, "index"):
        pairs: Iterable[Any] = counts.items()
        return pairs
    if hasattr(counts, "to_pylist") or hasattr(counts, "to_list"):
        raise InputError(
            f"{shown(counts)} is a single column: give words and counts, or give words alone to "
            "from_words"
        )
    return _iterable(counts, "counts", "a mapping of words to counts, or pairs of these,")


def values_of(values: Any, name: str, kind: str) -> Iterable[Any]:
    """Returns the values in a column or another iterable.

    Parameters
    ----------
    values : any
        A pandas or polars series, an Arrow array, or any iterable.
    name, kind : str
        For messages: the argument's name, and what is expected.

    Raises
    ------
    InputError
        For one text, a mapping, a table, or what is not iterable.

    Examples
    --------
    >>> from partcover.corpus.files.columns import values_of
    >>> values_of(["low", "lower"], "words", "a list of words")
    ['low', 'lower']
    """
    if isinstance(values, Mapping) or _names(values) is not None:
        raise InputError(f"{name} are {shown(values)}: give one column of it as {kind}")
    return _iterable(values, name, kind)


def _iterable(values: Any, name: str, kind: str) -> Iterable[Any]:
    if callable(getattr(values, "to_pylist", None)):  # Arrow's arrays hold scalars of their own
        values = values.to_pylist()
    if not is_listed(values):
        raise InputError(f"{name} are {shown(values)}: they must be {kind}")
    return values


def _names(table: Any) -> list[Any] | None:
    """Returns the names of a table's columns, or None for anything else."""
    if isinstance(table, Mapping) or not hasattr(table, "shape"):
        return None
    names = getattr(table, "column_names", None)  # Arrow
    if names is None:
        names = getattr(table, "columns", None)  # pandas and polars; Arrow's hold the data
    return None if names is None or isinstance(table, type) else list(names)


def _column(table: Any, name: Any) -> Iterable[Any]:
    if hasattr(table, "column_names"):
        values: list[Any] = table.column(name).to_pylist()
        return values
    column: Iterable[Any] = table[name].to_list()
    return column
