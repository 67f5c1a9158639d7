"""Makes the tables and the chart of the page of records."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from partcover.instances.records import BUDGETS, Record
from partcover.report.plots import plot_lines
from partcover.report.tables.listing import rows_markdown

_METHODS = {"greedtok": "GreedTok", "bpe": "BPE", "unigram": "Unigram"}


def records_tables(records: Sequence[Record]) -> str:
    """Returns the tables of the page, as Markdown."""
    texts = [
        {
            "name": f"`{record.name}`",
            "title": record.title,
            "source": record.source,
            "words": record.words,
            "occurrences": record.occurrences,
        }
        for record in records
    ]
    columns = {
        "name": "name",
        "title": "text",
        "source": "source",
        "words": "distinct words",
        "occurrences": "occurrences",
    }
    gaps = {"name": "text", **{str(k): f"{k:,}" for k in BUDGETS}}
    parts = ["## Texts", rows_markdown(texts, columns).rstrip()]
    rows = [
        {"name": record.name, **{str(row.k): row.shown_gap for row in record.rows}}
        for record in records
    ]
    parts += ["## Gaps", _about_runs(records), rows_markdown(rows, gaps).rstrip()]
    for record in records:
        about = f"{_sentence(record.title)} The SHA-256 of the word counts is"
        parts += [f"## {record.name}", about]
        parts += [f"`{record.words_sha256}`.", rows_markdown(_known(record), _COLUMNS).rstrip()]
    return "\n\n".join(parts) + "\n"


def records_chart(records: Sequence[Record], path: str | PathLike[str]) -> None:
    """Draws the gap over k, a line for each text.

    Raises
    ------
    MissingExtra
        Without matplotlib.
    InputError
        For an ending of no figure, or a path that cannot be written.
    """
    lines = {
        (record.name, ""): [(row.k, 100 * row.gap) for row in record.rows]
        for record in records
        if record.rows
    }
    plot_lines(
        lines, path, "k, tokens of two or more bytes", "gap (%)", stretch=True, doubling=True
    )


_COLUMNS = {
    "k": "k",
    "tokens": "fewest known tokens",
    "lower_bound": "lower bound",
    "gap": "gap",
    **_METHODS,
    "found": "vocabulary found",
    "proved": "bound proven",
    "files": "files",
}


def _known(record: Record) -> list[dict[str, Any]]:
    """Returns a row for each budget of a text."""
    rows = []
    for row in record.rows:
        row_files = [best.file for best in (row.tokens, row.lower_bound) if best.file is not None]
        others = {
            name: _behind(row.methods[name], row.tokens.value)
            for name in _METHODS
            if name in row.methods
        }
        rows.append(
            {
                "k": row.k,
                "tokens": row.tokens.value,
                "lower_bound": row.lower_bound.value,
                "gap": row.shown_gap,
                **others,
                "found": f"{row.tokens.date}, {row.tokens.seconds:g} s",
                "proved": f"{row.lower_bound.date}, {row.lower_bound.seconds:g} s",
                "files": ", ".join(f"`{name}`" for name in row_files),
            }
        )
    return rows


def _about_runs(records: Sequence[Record]) -> str:
    """Returns sentences that explain the gaps, count the open rows and state the time limits."""
    rows = [row for record in records for row in record.rows]
    if not rows:
        return "There are no results yet."
    limits = sorted({row.longest_run for row in rows})
    seconds = " to ".join(f"{limit:,g}" for limit in dict.fromkeys((limits[0], limits[-1])))
    proven = sum(row.proven for row in rows)
    return (
        "Each cell is the gap (tokens − lower bound) / tokens for a text and k, or *proven* if it "
        f"is zero. {proven:,} of the {len(rows):,} rows are proven. The longest search for each "
        f"row had a time limit of {seconds} seconds."
    )


def _behind(tokens: int, best: int) -> str:
    return f"{tokens:,} (+{100 * (tokens - best) / best:.2f} %)"


def _sentence(title: str) -> str:
    return f"{title[0].upper()}{title[1:]}."
