"""Makes tables of solutions and rows: for the terminal, as CSV, and as Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from csv import writer
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Any

from ...corpus import symbols as sym
from ...errors import printable, shorten

if TYPE_CHECKING:
    from rich.table import Table

    from ...problem.solution import Result


_LONG = 40  # characters of a token in a line of tokens
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # a spreadsheet evaluates a cell that begins with one
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class Listing:
    """Rows to show as a table, and to write as CSV.

    Attributes
    ----------
    rows : sequence of dict
        The rows, as values by key.
    columns : dict of str to str
        The keys to show and their headings, in order.
    title : str
        What stands above the table.
    data : sequence of dict
        The rows of the CSV, where they differ from `rows`.
    """

    rows: Sequence[Mapping[str, Any]]
    columns: Mapping[str, str]
    title: str = ""
    data: Sequence[Mapping[str, Any]] = field(default=())

    @property
    def records(self) -> Sequence[Mapping[str, Any]]:
        """The rows of the CSV."""
        return self.data or self.rows


def columns_of(keys: str, **headings: str) -> dict[str, str]:
    """Returns columns by their keys, in order; without a heading of its own, one has its key's.

    Examples
    --------
    >>> from partcover.report.tables.listing import columns_of
    >>> columns_of("k lower_bound gap", gap="gap (%)")
    {'k': 'k', 'lower_bound': 'lower bound', 'gap': 'gap (%)'}
    """
    return {key: headings.get(key, key.replace("_", " ")) for key in keys.split()}


def cell(value: Any) -> str:
    """Returns a value as the text of a cell, digits in groups of three."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4f}"
    return str(value)


def is_finite_number(value: Any) -> bool:
    """Returns whether a value is a finite number, and not a bool.

    Examples
    --------
    >>> from partcover.report.tables.listing import is_finite_number
    >>> [is_finite_number(value) for value in (2, 0.5, float("nan"), True, "2")]
    [True, True, False, False, False]
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


# Columns that are left out first where there is no room for all, the least important first.
# After these, columns are left out from the right.
SPARE_COLUMNS = (
    "relaxed_cover", "d", "bytes_per_token", "size", "wmc", "greedwmc_relaxed_ratio", "seconds",
    "first_size", "second_size", "union", "used", "whole_words", "runs",
    "nonzeros", "rows", "variables", "relaxation", "proven_out", "proven_in",
    "total_symbols", "symbols", "family", "length", "intermediate", "splits_character",
    "greedwmc_ratio", "lp_gap", "greedtok_tokens",
    "same_rank", "first_difference", "exact", "target", "candidates", "words",
    "library", "handover", "events", "start", "certified_ratio", "memory", "lower_bound",
    "termination",
)  # fmt: skip


def fitted_table(listing: Listing, width: int | None = None) -> tuple[Table, list[str]]:
    """Makes a table that fits into the terminal and in which no number is shortened.

    First headings and texts are broken at their spaces, and names lose their middle.  If that is
    not enough, columns are left out, those of `SPARE_COLUMNS` before others; the first column is
    always shown, and so are all where none has a heading.  Texts are shortened to 200 characters.

    Parameters
    ----------
    listing : Listing
        The rows.
    width : int, optional
        The width of the terminal in columns; without it nothing is shortened or left out.

    Returns
    -------
    table : rich.table.Table
        The table.
    left_out : list of str
        The headings of the columns that are left out.
    """
    from rich.box import SIMPLE, SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from .fitting import column_widths, fitted_text

    keys = list(listing.columns)
    cells = [_cells(row, listing.columns) for row in listing.rows]
    if width is not None:
        cells = [[shorten(text) for text in row] for row in cells]
    columns = list(zip(*cells, strict=True)) if cells else [()] * len(keys)
    headings = [printable(heading) for heading in listing.columns.values()]
    facts = not any(headings)
    widths = column_widths(columns, headings)
    tight = width is not None and sum(size + 3 for size in widths if size) - 1 > width
    if tight:
        widths = column_widths(
            columns,
            headings,
            width,
            [keys.index(key) for key in SPARE_COLUMNS if key in keys],
            keep=len(keys) if facts else 1,
        )
    table = Table(
        title=Text(printable(listing.title)) if listing.title else None,
        title_justify="left",
        box=SIMPLE if facts else SIMPLE_HEAD,
        show_header=not facts,
        pad_edge=False,
        collapse_padding=tight,
    )
    for size, key, heading in zip(widths, keys, headings, strict=True):
        if size is not None:
            right = not _is_text(listing.rows, key) or (facts and key != keys[0])
            table.add_column(Text(heading), width=size, justify="right" if right else "left")
    for row in cells:
        shown = zip(row, widths, strict=True)
        table.add_row(*(Text(fitted_text(text, size)) for text, size in shown if size is not None))
    left_out = [head for head, size in zip(headings, widths, strict=True) if size is None]
    return table, left_out


def rows_markdown(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> str:
    """Returns rows as a table in Markdown."""
    lines = [
        columns.values(),
        ["---" if _is_text(rows, key) else "---:" for key in columns],
        *([text.replace("|", "\\|") for text in _cells(row, columns)] for row in rows),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def shown_columns(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> dict[str, str]:
    """Returns the columns for which some row has a value, and k.

    A ``termination`` of ``completed`` counts as no value.
    """
    empty = {"termination": "completed"}
    return {
        key: heading
        for key, heading in columns.items()
        if key == "k" or any(row.get(key) not in (None, empty.get(key)) for row in rows)
    }


def rows_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Returns rows as CSV: every key of any row, in full precision, an empty cell for None.

    Text that a spreadsheet would take for a formula gets an apostrophe in front, as OWASP advises,
    and control characters are escaped.  Numbers stay as they are.

    Examples
    --------
    >>> from partcover.report.tables.listing import rows_csv
    >>> print(rows_csv([{"token": "=1+1", "gain": -3}]), end="")
    token,gain
    '=1+1,-3
    """
    text = StringIO()
    keys = dict.fromkeys(key for row in rows for key in row)
    table = writer(text, lineterminator="\n")
    table.writerow(map(_csv_cell, keys))
    for row in rows:
        table.writerow(_csv_cell(row.get(key)) for key in keys)
    return text.getvalue()


def _csv_cell(value: Any) -> Any:
    """Returns a value as a cell of CSV: lists and dicts as JSON."""
    if isinstance(value, list | dict):
        text = json.dumps(value, ensure_ascii=False)
        return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
    if not isinstance(value, str):
        return value
    is_formula = value.startswith(_FORMULA) and not _NUMBER.fullmatch(value)
    return f"'{printable(value)}" if is_formula else printable(value)


def _is_text(rows: Sequence[Mapping[str, Any]], key: str) -> bool:
    """Whether some row has text under a key."""
    return any(isinstance(row.get(key), str | list) for row in rows)


def _cells(row: Mapping[str, Any], columns: Mapping[str, str]) -> list[str]:
    return [text_of(key, row.get(key)) for key in columns]


def text_of(key: str, value: Any) -> str:
    """Returns the text of a value, which depends on its key."""
    is_token = key in ("token", "word")
    if isinstance(value, str):
        text = printable(value.replace("_", " ") if key == "rule" else value)
        return text.replace(" ", "␣") if is_token else text
    if is_token and isinstance(value, list | tuple):
        return " ".join(map(str, value))
    if is_finite_number(value):
        if key.endswith(("gap", "share")):
            return f"{100 * value:.3f} %"
        if key == "seconds":
            return f"{value:.2f}"
        if key == "memory":
            return f"{value / 2**20:,.1f} MiB"
    return printable(cell(value))


def facts(
    values: Mapping[str, Any], title: str = "", data: Mapping[str, Any] | None = None
) -> Listing:
    """Makes a table of names and values; `data` is the row of the CSV."""
    rows = [
        {"what": name.replace("_", " "), "value": text_of(name, v)} for name, v in values.items()
    ]
    return Listing(rows, {"what": "", "value": ""}, title, (values if data is None else data,))


_FACTS = {
    "words": "distinct words",
    "total_count": "words counted",
    "candidates": "candidates",
    "k": "k",
    "size": "tokens chosen",
    "smallest_size": "tokens chosen, at least",
    "rule": "segmentation rule",
    "tokens": "tokens needed",
    "cover": "cover",
    "tokens_per_word": "tokens per word",
    "tokens_shortest_path": "tokens needed, shortest path",
    "tokens_priority": "tokens needed, priority",
    "tokens_by_rule": "tokens needed, own rule",
    "relaxed_cover": "relaxed cover",
    "worst": "largest ratio",
    "worst_over_best": "largest over smallest ratio",
    "gini": "Gini coefficient of the ratios",
    "lower_bound": "lower bound",
    "leaves": "cases of the certificate",
    "gap": "gap",
    "status": "status",
    "termination": "termination",
    "rounds": "rounds of weights",
    "solver": "solver",
    "formulation": "formulation",
    "threshold": "threshold",
    "meets_threshold": "meets the threshold",
    "seconds": "seconds",
}


def labeled(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns values by the labels that the table of a solution has for their keys.

    A key without a label keeps its name, and values that are None are left out.

    Examples
    --------
    >>> from partcover.report.tables.listing import labeled
    >>> labeled({"tokens": 28, "claimed": 28, "threshold": None})
    {'tokens needed': 28, 'claimed': 28}
    """
    return {_FACTS.get(key, key): value for key, value in values.items() if value is not None}


def solution_parts(solution: Result, *, shown: int = 20) -> tuple[Listing | str, ...]:
    """Returns the facts of a solution, and a line with its first `shown` tokens."""
    data = solution.to_json(vocabulary=False)
    values = {heading: data[key] for key, heading in _FACTS.items() if data.get(key) is not None}
    values |= {f"policy: {key}": value for key, value in solution.policy.items()}
    table = facts(values, solution.method, data)
    if solution.vocabulary is None or not len(solution.vocabulary) or not shown:
        return (table,)
    return table, "tokens: " + token_line(solution.vocabulary.tokens, solution.symbols, shown)


def token_line(tokens: Sequence[sym.Token], symbols: sym.Symbols, shown: int = 20) -> str:
    """Returns a line with the first tokens, spaces as ␣, and the number of further ones."""
    first = [sym.show(token) for token in tokens[:shown]]
    if symbols != "ints":
        first = [token.replace(" ", "␣") for token in first]
    first = [token if len(token) <= _LONG else f"{token[:_LONG]}…" for token in first]
    more = len(tokens) - len(first)
    return "  ".join(first) + (f"  … and {more:,} more" if more else "")
