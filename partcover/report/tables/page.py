"""Arranges rows as tables of a page, without empty columns and with as many columns as fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .fitting import column_widths
from .listing import SPARE_COLUMNS, Listing, is_finite_number, text_of

_ROOM = 118  # characters that fit beside each other where a page is 1,280 pixels wide
_HEADINGS = {
    "tokens_per_word": "per word",
    "lower_bound": "lower bound",
    "certified_ratio": "certified",
    "held_out_tokens": "held out: tokens",
    "held_out_tokens_per_word": "held out: per word",
    "held_out_bytes_per_token": "held out: bytes / token",
    "bytes_per_token": "bytes / token",
}
_SAYS_NOTHING = {"termination": "completed", "status": "feasible"}


def page_table(name: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns a table for the page's template.

    Columns without values are left out, and so is one that repeats ``k``.  Values that are equal
    in all rows are listed once, above the table.  Columns that do not fit are hidden until the
    reader asks for them, the least important ones first.

    Parameters
    ----------
    name : str
        The title.
    rows : sequence of dict
        The rows; values that are lists or objects are left out.

    Returns
    -------
    dict
        ``name``, ``columns`` (each ``heading``, ``number``, ``spare``), ``rows`` (each a list of
        cells with ``text`` and ``number``) and ``same`` (pairs of heading and text).

    Examples
    --------
    >>> from partcover.report.tables.page import page_table
    >>> rows = [{"method": "bpe", "k": k, "seed": 0, "gap": None} for k in (1, 2)]
    >>> table = page_table("rows", rows)
    >>> [column["heading"] for column in table["columns"]], table["same"]
    (['k'], [('method', 'bpe'), ('seed', '0')])
    """
    keys = [
        key
        for key in dict.fromkeys(key for row in rows for key in row)
        if all(_is_simple(row.get(key)) for row in rows)
        and any(row.get(key) is not None for row in rows)
    ]
    if "size" in keys and all(row.get("size") == row.get("k") for row in rows):
        keys.remove("size")
    same = [key for key in keys if len(rows) > 1 and key != "k" and _is_constant(key, rows)]
    keys = [key for key in keys if key not in same]
    cells = [[_cell(key, row.get(key)) for row in rows] for key in keys]
    headings = [_HEADINGS.get(key, key.replace("_", " ")) for key in keys]
    widths = column_widths(
        [[text for text, _ in column] for column in cells],
        headings,
        _ROOM,
        [keys.index(key) for key in SPARE_COLUMNS if key in keys],
        between=3,
    )
    numbers = [any(number is not None for _, number in column) for column in cells]
    return {
        "name": name,
        "columns": [
            {"heading": heading, "number": number, "spare": width is None}
            for heading, number, width in zip(headings, numbers, widths, strict=True)
        ],
        "rows": [
            [{"text": text, "number": number} for text, number in row]
            for row in zip(*cells, strict=True)
        ],
        "same": [
            (_HEADINGS.get(key, key.replace("_", " ")), text_of(key, rows[0].get(key)))
            for key in same
            if rows[0].get(key) != _SAYS_NOTHING.get(key, ...)
        ],
    }


def listing_table(listing: Listing) -> dict[str, Any]:
    """Returns a listing for the page's template, with all its columns.

    Examples
    --------
    >>> from partcover.report.tables.page import listing_table
    >>> from partcover.report.tables.listing import Listing
    >>> listing_table(Listing([{"k": 2, "gap": 0.25}], {"k": "k", "gap": ""}, "one"))["rows"]
    [[{'text': '2', 'number': True}, {'text': '25.000 %', 'number': True}]]
    """
    columns = listing.columns
    numbers = {key: any(is_finite_number(row.get(key)) for row in listing.rows) for key in columns}
    return {
        "name": listing.title,
        "columns": [{"heading": columns[key], "number": numbers[key]} for key in columns],
        "rows": [
            [{"text": text_of(key, row.get(key)), "number": numbers[key]} for key in columns]
            for row in listing.rows
        ],
    }


def _cell(key: str, value: Any) -> tuple[str, float | None]:
    """Returns a value as text, and the number to sort by."""
    return text_of(key, value), value if is_finite_number(value) else None


def _is_simple(value: Any) -> bool:
    """Whether a value fits into a cell."""
    return value is None or isinstance(value, int | float | str)


def _is_constant(key: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether all rows have one value; measured values are always shown."""
    return key not in ("tokens", "gap", "seconds") and len({row.get(key) for row in rows}) == 1
