"""Makes the tables of one vocabulary, and of its difference to another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .listing import Listing, columns_of, facts

_FACTS = {
    "method": "method",
    "rule": "segmentation rule",
    "pretokenizer": "pre-tokenizer",
    "size": "tokens in vocabulary",
    "special": "special tokens",
    "split_characters": "tokens splitting a character",
    "whole_words": "tokens that are words",
    "never_occur": "tokens in no word",
    "never_used": "unused tokens",
    "intermediate": "unused, part of others",
    "without_gain": "tokens without gain",
    "words": "distinct words",
    "total_count": "words counted",
    "tokens": "tokens needed",
    "tokens_per_word": "tokens per word",
    "single_symbols": "single symbols needed",
    "tokens_within_words": "tokens needed, within words",
    "share_across_words": "saving across words",
}


def inspection_tables(
    data: dict[str, Any], rows: list[dict[str, Any]], diff: str | None, top: int
) -> list[Listing | str]:
    """Returns tables of a vocabulary's tokens; the CSV has the tokens.

    Parameters
    ----------
    data : dict
        What was found, as JSON.
    rows : list of dict
        The tokens to list.
    diff : str or None
        The name of the vocabulary that this one is compared with.
    top : int
        How many lengths and tokens of only one vocabulary to list.
    """
    known = {name: data[key] for key, name in _FACTS.items() if data.get(key) is not None}
    if "rule" in data:
        known["segmentation rule"] = data["rule"].replace("_", " ")
    lengths = data["by_length"][:top]
    names = columns_of(
        "order token length occurrences uses gain whole_word splits_character intermediate",
        occurrences="occurs",
        whole_word="word",
        splits_character="splits a character",
        intermediate="only a part",
    )
    columns = {key: name for key, name in names.items() if rows and key in rows[0]}
    parts: list[Listing | str] = [replace(facts(known), data=rows)]
    parts.append(Listing(lengths, columns_of(" ".join(lengths[0] if lengths else ())), "by length"))
    if rows:
        parts.append(Listing(rows, columns))
    if "missing_words" in data:
        missing = data["missing_words"]
        columns = columns_of("word count tokens loss gain", loss="would save", gain="in all words")
        words = [{**word, "tokens": len(word["pieces"])} for word in missing["words"]]
        title = f"words that should be tokens: {missing['total']:,} (segmentation by shortest path)"
        parts.append(Listing(words, columns, title))
    if "diff" in data:
        two = data["diff"]
        sides = {"shared": two["shared"]}
        for side in ("here", "there"):
            sides[f"only {side}"] = len(two[f"only_{side}"])
            if two[f"tokens_{side}"] is not None:
                rule = two[f"rule_{side}"].replace("_", " ")
                sides[f"tokens needed {side}, {rule}"] = two[f"tokens_{side}"]
        parts += ["", facts(sides, f"here, and there: {diff}")]
        for side in ("here", "there"):
            listed = two[f"only_{side}"][:top]
            if listed:
                counted = [key for key in ("uses", "gain") if listed[0][key] is not None]
                columns = {key: key for key in ("token", *counted)}
                parts.append(Listing(listed, columns, f"only {side}"))
    return parts
