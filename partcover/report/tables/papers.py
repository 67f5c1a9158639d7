"""Makes the tables of papers that were reproduced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...studies.paper_tables import EXPERIMENTS, remarks
from .listing import Listing, shown_columns


def paper_tables(results: Sequence[dict[str, Any]]) -> list[Listing | str]:
    """Returns every table, below the command that makes it.

    Parameters
    ----------
    results : sequence of dict
        The manifest and the rows of each table.
    """
    parts: list[Listing | str] = []
    for result in results:
        facts, rows = result["manifest"], result["rows"]
        experiment = EXPERIMENTS[facts["experiment"]]
        parts += [
            f"## {facts['experiment']}",
            f"{experiment.about} From {experiment.paper}.",
            f"    {facts['command']}",
            Listing(rows, _shown(experiment.columns, rows)),
            *remarks(facts, rows),
        ]
    facts = results[0]["manifest"]
    source, versions = facts["input"], facts["versions"]
    parts.append(
        f"Made from {source['corpus']} ({source['words']:,} words, {source['total_count']:,} "
        f"counted, SHA-256 of the counted words {source['corpus_sha256']}), seed {facts['seed']}, "
        f"with {', '.join(f'{library} {number}' for library, number in versions.items())}."
    )
    if len(results) > 1:
        command = facts["command"].replace(facts["experiment"], "all", 1)
        head = "# The papers' tables, reproduced"
        how = (
            "Tables and figures of papers on tokenization, computed with partcover. The command "
            f"above each table makes it; `{command} -o FILE.md` makes the whole page."
        )
        parts = [head, how, *parts]
    return parts


def _shown(columns: Any, rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Returns the columns that some row has a value for, and sizes where one is below k."""
    sizes = {
        key: key.replace("_", " ")
        for key in ("size", "first_size", "second_size")
        if any(row.get(key) is not None and row[key] < row["k"] for row in rows)
    }
    return shown_columns(rows, {**columns, **sizes})
