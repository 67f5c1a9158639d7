"""Makes the table of the best known results for public texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...instances.records import BUDGETS, Record
from .listing import Listing


def record_table(records: Sequence[Record], rows: Sequence[dict[str, Any]]) -> Listing:
    """Returns the gap of each text for each k; the CSV has the rows, without those of methods.

    Parameters
    ----------
    records : sequence of Record
        The records to show.
    rows : sequence of dict
        What is known for each text and k.
    """
    gaps = [
        {"name": record.name, **{str(row.k): row.shown_gap for row in record.rows}}
        for record in records
    ]
    columns = {"name": "text", **{str(k): f"k={k}" for k in BUDGETS}}
    flat = [{key: row[key] for key in row if key != "methods"} for row in rows]
    return Listing(gaps, columns, data=flat)
