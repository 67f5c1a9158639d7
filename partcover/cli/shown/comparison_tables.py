"""Makes the tables of a comparison of methods."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...report.tables import Listing, columns_of, shown_columns

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


def tables_of(data: dict[str, Any], sets: bool) -> list[Listing]:
    """Makes the tables to show; the CSV of the rows has the measures of the token sets."""
    rows, vocabularies = data["rows"], data["sets"]["vocabularies"] if sets else []
    names = ("k", "method", "rule")
    facts = {tuple(row[n] for n in names): row for row in vocabularies}
    records = [{**row, **facts.get(tuple(row[n] for n in names), {})} for row in rows]
    tables = [Listing(rows, COLUMNS, data=records)]
    if sets:
        tables += [Listing(vocabularies, SETS), Listing(data["sets"]["overlap"], OVERLAP)]
    tables.append(Listing(data.get("targets", ()), TARGETS))
    return [
        replace(table, columns=shown_columns(table.rows, table.columns))
        for table in tables
        if table.rows
    ]
