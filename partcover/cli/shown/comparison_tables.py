"""Makes the tables of a comparison of methods, and names the CSV files beside its rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ...report.tables import Listing, columns_of, shown_columns
from ...runtime.files.writing import in_place
from .output import Output

COLUMNS = columns_of(
    "method rule k size tokens tokens_per_word bytes_per_token held_out_tokens_per_word "
    "lower_bound gap relaxed_cover d certified_ratio memory seconds termination",
    tokens_per_word="per word",
    bytes_per_token="bytes/token",
    held_out_tokens_per_word="held out",
    certified_ratio="certified",
)
SETS = columns_of(
    "method rule k whole_words whole_word_share used used_share whole_share held_out_whole_share "
    "renyi_efficiency held_out_renyi_efficiency",
    whole_word_share="share",
    used_share="share",
    whole_share="words kept whole",
    held_out_whole_share="held out",
    renyi_efficiency="Rényi efficiency",
    held_out_renyi_efficiency="held out",
)
OVERLAP = columns_of(
    "first second k first_size second_size shared union jaccard same_rank first_difference",
    jaccard="shared/union",
)
TARGETS = columns_of(
    "method rule target k tokens tokens_per_word exact runs termination",
    k="k needed",
    tokens_per_word="per word",
    exact="proven smallest",
    runs="further runs",
)


def tables_of(data: dict[str, Any], sets: bool) -> dict[str, Listing]:
    """Makes the tables to show, by name; the CSV of the rows has the measures of the token sets."""
    rows, vocabularies = data["rows"], data["sets"]["vocabularies"] if sets else []
    names = ("k", "method", "rule")
    facts = {tuple(row[n] for n in names): row for row in vocabularies}
    records = [{**row, **facts.get(tuple(row[n] for n in names), {})} for row in rows]
    tables = {"rows": Listing(rows, COLUMNS, data=records)}
    if sets:
        tables["sets"] = Listing(vocabularies, SETS)
        tables["overlap"] = Listing(data["sets"]["overlap"], OVERLAP)
    if "targets" in data:
        tables["targets"] = Listing(data["targets"], TARGETS)
    return {
        name: replace(table, columns=shown_columns(table.rows, table.columns))
        for name, table in tables.items()
        if table.rows
    }


def files_beside(out: Output) -> dict[str, str]:
    """Returns the files beside a CSV, for the tables that are not about the same rows."""
    if out.path is None or out.file_form != "csv" or in_place(out.path):
        return {}
    path = Path(out.path)
    return {name: str(path.with_suffix(f".{name}.csv")) for name in ("overlap", "targets")}
