"""Solutions and rows as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from csv import DictWriter
from io import StringIO
from typing import Any

from rich.box import SIMPLE, SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from . import symbols as sym
from .solution import Solution

__all__ = [
    "cell",
    "facts_table",
    "rows_csv",
    "rows_markdown",
    "rows_table",
    "shown_columns",
    "solution_tables",
]


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


def rows_table(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], title: str | None = None
) -> Table:
    """Rows as a table; `columns` maps keys to headings, in order.

    A key whose name ends in ``gap`` or ``share`` is shown in percent, ``seconds`` with two
    decimals, ``memory`` in MiB.
    """
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for key, heading in columns.items():
        table.add_column(
            heading, justify="left" if _is_text(rows, key) else "right", overflow="fold"
        )
    for row in rows:
        table.add_row(*map(Text, _cells(row, columns)))
    return table


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
    writer.writerows(rows)
    return text.getvalue()


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


def facts_table(facts: Mapping[str, Any], title: str | None = None) -> Table:
    """Names and values, two columns."""
    table = Table(show_header=False, title=title, title_justify="left", box=SIMPLE)
    table.add_column()
    table.add_column(justify="right")
    for name, value in facts.items():
        table.add_row(name.replace("_", " "), Text(cell(value)))
    return table


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


def solution_tables(console: Console, solution: Solution, *, shown: int = 20) -> None:
    """Print what a solution is and its first tokens."""
    data = solution.to_json(vocabulary=False)
    table = Table(show_header=False, title=solution.method, title_justify="left", box=SIMPLE)
    table.add_column()
    table.add_column(justify="right")
    for key, heading in _FACTS.items():
        if key in data and data[key] is not None:
            text = f"{100 * data[key]:.3f} %" if key == "gap" else cell(data[key])
            table.add_row(heading, Text(text))
    for key, value in solution.policy.items():
        table.add_row(f"policy: {key}", Text(cell(value)))
    console.print(table)
    if solution.vocabulary is not None and len(solution.vocabulary):
        first = [sym.show(token) for token in solution.vocabulary.tokens[:shown]]
        if solution.symbols != "ints":
            first = [token.replace(" ", "␣") for token in first]
        more = len(solution.vocabulary) - len(first)
        tail = f"  … and {more:,} more" if more else ""
        console.print(Text("tokens: " + "  ".join(first) + tail), soft_wrap=True)
