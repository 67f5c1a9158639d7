"""Makes the tables of the scores of vocabularies."""

from __future__ import annotations

from typing import Any

from .listing import Listing, columns_of

_ABOUT = columns_of(
    "size rule pretokenizer unreachable", size="tokens", pretokenizer="pre-tokenizer"
)
_TEXTS = columns_of(
    "corpus total_count tokens tokens_per_word bytes_per_token",
    corpus="text",
    total_count="words",
    tokens_per_word="per word",
    bytes_per_token="bytes/token",
)
_USE = columns_of(
    "corpus whole_share used never_used renyi_efficiency",
    corpus="text",
    whole_share="kept whole",
    never_used="unused",
    renyi_efficiency="Rényi",
)
_GAPS = columns_of(
    "corpus lower_bound gap vocabulary_gap rule_gap",
    corpus="text",
    vocabulary_gap="choice",
    rule_gap="rule",
)
_PARITY = {"per": "tokens per", "worst_over_best": "worst/best", "gini": "Gini"}


def score_tables(scored: list[dict[str, Any]]) -> list[Listing]:
    """Returns tables of the scores; the CSV has a row for each vocabulary and each corpus.

    Parameters
    ----------
    scored : list of dict
        The scores of each vocabulary, as JSON.
    """
    name = {"vocabulary": "vocabulary"} if len(scored) > 1 else {}
    rows, parities = (
        [{**{key: data[key] for key in name}, **row} for data in scored for row in data[part]]
        for part in ("corpora", "parity")
    )
    about = [{**data, "rule": data["rule"].replace("_", " ")} for data in scored]
    tables = [
        Listing(about, name | _ABOUT, data=rows),
        Listing(rows, name | _TEXTS, "Tokens needed"),
        Listing(rows, name | _USE, "Use of tokens"),
    ]
    if any("gap" in row for row in rows):
        tables.append(Listing(rows, name | _GAPS, "Gap to the lower bound"))
    if model := scored[0].get("language_model"):
        columns = {
            "corpus": "text",
            "bits_per_byte": f"order {model['order']}",
            "bits_per_byte_same_context": f"contexts of {model['context_bytes']} bytes",
        }
        tables.append(Listing(rows, name | columns, "Bits per byte of an n-gram model"))
    if parities:
        tables.append(Listing(parities, name | _PARITY, "Parity between texts"))
    return tables
