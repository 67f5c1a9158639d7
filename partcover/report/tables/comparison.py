"""Makes the tables of methods that were compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .listing import Listing, columns_of, shown_columns

COLUMNS = columns_of(
    "method rule k size tokens tokens_per_word bytes_per_token held_out_tokens_per_word "
    "lower_bound gap relaxed_cover d certified_ratio memory seconds termination",
    tokens_per_word="per word",
    bytes_per_token="bytes/token",
    held_out_tokens_per_word="held out",
    certified_ratio="certified",
)
_SETS = columns_of(
    "method rule k whole_words whole_word_share used used_share whole_share held_out_whole_share "
    "renyi_efficiency held_out_renyi_efficiency",
    whole_word_share="share",
    used_share="share",
    whole_share="words kept whole",
    held_out_whole_share="held out",
    renyi_efficiency="Rényi efficiency",
    held_out_renyi_efficiency="held out",
)
_OVERLAP = columns_of(
    "first second k first_size second_size shared union jaccard same_rank first_difference",
    jaccard="shared/union",
)


def comparison_tables(data: dict[str, Any], *, sets: bool) -> list[Listing]:
    """Returns the tables of a comparison; the CSV of the rows has the measures of the token sets.

    Parameters
    ----------
    data : dict
        The comparison as JSON.
    sets : bool
        Whether to add tables of the token sets and of their overlap.
    """
    rows, vocabularies = data["rows"], data["sets"]["vocabularies"] if sets else []
    names = ("k", "method", "rule")
    facts = {tuple(row[n] for n in names): row for row in vocabularies}
    records = [{**row, **facts.get(tuple(row[n] for n in names), {})} for row in rows]
    tables = [Listing(rows, COLUMNS, data=records)]
    if sets:
        tables += [Listing(vocabularies, _SETS), Listing(data["sets"]["overlap"], _OVERLAP)]
    return [
        replace(table, columns=shown_columns(table.rows, table.columns))
        for table in tables
        if table.rows
    ]
