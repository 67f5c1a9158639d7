"""Solutions and rows as tables: for people, as wide as there is room, as CSV and Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from csv import DictWriter
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Any

from . import symbols as sym
from .errors import printable
from .solution import Solution

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "Listing",
    "cell",
    "facts",
    "fitted_table",
    "rows_csv",
    "rows_markdown",
    "shown_columns",
    "solution_parts",
    "token_line",
]


@dataclass(frozen=True)
class Listing:
    """Rows to show as a table, and to write as CSV.

    Attributes
    ----------
    rows : sequence of dict
        What each row has.
    columns : dict of str to str
        Keys to headings, in order, the most important first: where there is no room, columns are
        left out from the right.
    title : str
        Stands above the table.
    data : sequence of dict
        The rows of the CSV, where they are others than `rows`.
    """

    rows: Sequence[Mapping[str, Any]]
    columns: Mapping[str, str]
    title: str = ""
    data: Sequence[Mapping[str, Any]] = field(default=())

    @property
    def records(self) -> Sequence[Mapping[str, Any]]:
        """The rows of the CSV."""
        return self.data or self.rows


def cell(value: Any) -> str:
    """A value for a table: digits grouped, percentages for gaps are made by the caller."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4f}"
    return str(value)


_BETWEEN = 3  # columns of the terminal between two of the table
_NAME = 12  # what is left of the longest names before columns are left out
_NUMBER = re.compile(r"[≥≤<>~+−–-]? ?[\d.,]+( ?(%|s|[KMG]iB))?( – [\d.,]+)?|–|yes|no|")


def fitted_table(listing: Listing, width: int | None = None) -> tuple[Table, list[str]]:
    """A table of at most `width` columns of the terminal, in which every number is whole.

    First headings are broken at their spaces and names are cut, the longest first, to a dozen
    characters. If that is not enough, columns are left out from the right; the first stays.

    Returns
    -------
    table : rich.table.Table
    left_out : list of str
        Headings of the columns that are not in it.
    """
    from rich.box import SIMPLE, SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    keys = list(listing.columns)
    cells = [_cells(row, listing.columns) for row in listing.rows]
    cells = [[printable(text) for text in row] for row in cells]
    columns = list(zip(*cells, strict=True)) if cells else [()] * len(keys)
    headings = [printable(heading) for heading in listing.columns.values()]
    inside = [max(map(cell_len, column), default=0) for column in columns]
    wide = [max(a, cell_len(b)) for a, b in zip(inside, headings, strict=True)]
    facts = not any(headings)
    left_out: list[str] = []
    if width is not None and sum(wide) + _BETWEEN * len(wide) - 1 > width:
        words = [max(map(cell_len, heading.split()), default=0) for heading in headings]
        numbers = [
            max((cell_len(text) for text in column if _NUMBER.fullmatch(text)), default=0)
            for column in columns
        ]
        least = [
            max(min(size, _NAME), number, word)
            for size, number, word in zip(inside, numbers, words, strict=True)
        ]
        whole = [max(size, word) for size, word in zip(inside, words, strict=True)]
        many = len(keys)
        while not facts and many > 1 and sum(least[:many]) + _BETWEEN * many - 1 > width:
            many -= 1
        left_out = headings[many:]
        wide = _shared(least[:many], whole[:many], width - _BETWEEN * many + 1)
    table = Table(
        title=listing.title or None,
        title_justify="left",
        box=SIMPLE if facts else SIMPLE_HEAD,
        show_header=not facts,
        pad_edge=False,
    )
    for size, key, heading in zip(wide, keys, headings, strict=False):
        right = not _is_text(listing.rows, key) or (facts and key != keys[0])
        table.add_column(heading, width=size, justify="right" if right else "left", overflow="fold")
    for row in cells:
        shown = [
            Text(text if facts or cell_len(text) <= size else _cut(text, size))
            for text, size in zip(row, wide, strict=False)
        ]
        table.add_row(*shown)
    return table, left_out


def _shared(least: list[int], whole: list[int], room: int) -> list[int]:
    """Sizes between least and whole that use up the room, the narrow served first."""
    sizes = list(least)
    spare = room - sum(sizes)
    order = sorted(range(len(sizes)), key=lambda n: whole[n] - least[n])
    for served, n in enumerate(order):
        more = min(whole[n] - least[n], max(0, spare) // (len(order) - served))
        sizes[n] += more
        spare -= more
    return sizes


def _cut(text: str, size: int) -> str:
    """A name in as much room as there is."""
    from rich.cells import set_cell_size

    return text if _NUMBER.fullmatch(text) else set_cell_size(text, size - 1).rstrip() + "…"


def rows_markdown(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> str:
    """The same table in Markdown."""
    lines = [
        columns.values(),
        ["---" if _is_text(rows, key) else "---:" for key in columns],
        *([text.replace("|", "\\|") for text in _cells(row, columns)] for row in rows),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def shown_columns(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> dict[str, str]:
    """Of `columns` k and those that some row has something for.

    ``termination`` is something where it is not ``completed``.
    """
    plain = {"termination": "completed"}
    return {
        key: heading
        for key, heading in columns.items()
        if key == "k" or any(row.get(key) not in (None, plain.get(key)) for row in rows)
    }


def rows_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows with every key that any of them has, in full precision; nothing for None."""
    text = StringIO()
    keys = dict.fromkeys(key for row in rows for key in row)
    writer = DictWriter(text, list(keys), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: _plain(value) for key, value in row.items()})
    return text.getvalue()


def _plain(value: Any) -> Any:
    """A value as a cell of CSV: what has parts as JSON."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _is_text(rows: Sequence[Mapping[str, Any]], key: str) -> bool:
    return any(isinstance(row.get(key), str) for row in rows)


def _cells(row: Mapping[str, Any], columns: Mapping[str, str]) -> list[str]:
    cells = []
    for key in columns:
        value = row.get(key)
        if value is not None and key.endswith(("gap", "share")):
            cells.append(f"{100 * value:.3f} %")
        elif value is not None and key == "seconds":
            cells.append(f"{value:.2f}")
        elif value is not None and key == "memory":
            cells.append(f"{value / 2**20:,.1f} MiB")
        elif key == "rule" and value is not None:
            cells.append(value.replace("_", " "))
        else:
            cells.append(cell(value))
    return cells


def facts(
    values: Mapping[str, Any], title: str = "", data: Mapping[str, Any] | None = None
) -> Listing:
    """Names and values, two columns; `data` is the row of the CSV."""
    rows = [{"what": name.replace("_", " "), "value": cell(v)} for name, v in values.items()]
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
    "relaxed_cover": "relaxed cover (own objective)",
    "lower_bound": "lower bound",
    "certified": "lower bound of the certificate",
    "leaves": "cases of the certificate",
    "gap": "gap",
    "status": "status",
    "termination": "stopped by",
    "solver": "solver",
    "formulation": "formulation",
    "threshold": "threshold",
    "meets_threshold": "meets the threshold",
    "seconds": "seconds",
}


def solution_parts(solution: Solution, *, shown: int = 20) -> tuple[Listing | str, ...]:
    """What a solution is, and its first tokens."""
    data = solution.to_json(vocabulary=False)
    values = {
        heading: f"{100 * data[key]:.3f} %" if key == "gap" else data[key]
        for key, heading in _FACTS.items()
        if data.get(key) is not None
    }
    values |= {f"policy: {key}": value for key, value in solution.policy.items()}
    table = facts(values, solution.method, data)
    if solution.vocabulary is None or not len(solution.vocabulary):
        return (table,)
    return table, "tokens: " + token_line(solution.vocabulary.tokens, solution.symbols, shown)


def token_line(tokens: Sequence[sym.Token], symbols: sym.Symbols, most: int = 20) -> str:
    """The first tokens, spaces as ␣, and how many more there are."""
    first = [sym.show(token) for token in tokens[:most]]
    if symbols != "ints":
        first = [token.replace(" ", "␣") for token in first]
    first = [token if len(token) <= _LONG else f"{token[:_LONG]}…" for token in first]
    more = len(tokens) - len(first)
    return "  ".join(first) + (f"  … and {more:,} more" if more else "")


_LONG = 40  # characters of a token in a line of them
