"""Takes words and counts from data frames and tables of other libraries, importing none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from ..errors import InputError
from ..runtime.arguments import shown

__all__ = ["Table", "pairs_of", "values_of"]


class Table(Protocol):
    """A data frame, a table or a series of another library."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows, and columns if it has them."""


def pairs_of(counts: Any) -> Iterable[Any]:
    """The (word, count) pairs in a mapping, a series, a data frame, a table or an iterable.

    Parameters
    ----------
    counts : any
        A mapping, or what has ``items`` as pandas' Series (words are its index); a data frame of
        pandas or polars, or an Arrow table, with columns ``word`` and ``count`` or with two
        columns, words first; any iterable of pairs.

    Raises
    ------
    InputError
        For anything else.
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
        return zip(_column(counts, word), _column(counts, count), strict=True)
    if isinstance(counts, Mapping):
        return counts.items()
    if callable(getattr(counts, "items", None)) and hasattr(counts, "index"):
        pairs: Iterable[Any] = counts.items()
        return pairs
    if hasattr(counts, "to_pylist") or hasattr(counts, "to_list"):
        raise InputError(
            f"{shown(counts)} is one column: give words with counts, or the words alone to "
            "from_words"
        )
    return _iterable(counts, "counts", "a mapping of words to counts, or pairs of these,")


def values_of(values: Any, name: str, kind: str) -> Iterable[Any]:
    """The values in a column or another iterable.

    Parameters
    ----------
    values : any
        A series of pandas or polars, an Arrow array, or any iterable.
    name, kind : str
        For errors: what it is called, and what is expected.

    Raises
    ------
    InputError
        For one text, a mapping, a table, or what is no iterable.
    """
    if isinstance(values, Mapping) or _names(values) is not None:
        raise InputError(f"{name} are {shown(values)}: {kind} is expected; give one column of it")
    return _iterable(values, name, kind)


def _iterable(values: Any, name: str, kind: str) -> Iterable[Any]:
    if callable(getattr(values, "to_pylist", None)):  # Arrow's arrays hold scalars of their own
        values = values.to_pylist()
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InputError(f"{name} are {shown(values)}: {kind} is expected")
    return values


def _names(table: Any) -> list[Any] | None:
    """The names of a table's columns; None for what is no table."""
    if isinstance(table, Mapping) or not hasattr(table, "shape"):
        return None
    names = getattr(table, "column_names", None)  # Arrow's
    if names is None:
        names = getattr(table, "columns", None)  # of pandas and polars; Arrow's are the data
    return None if names is None or isinstance(table, type) else list(names)


def _column(table: Any, name: Any) -> Iterable[Any]:
    if hasattr(table, "column_names"):
        values: list[Any] = table.column(name).to_pylist()
        return values
    column: Iterable[Any] = table[name].to_list()
    return column
