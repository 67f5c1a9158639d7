"""Words joined to phrases, written out."""

from __future__ import annotations

import regex

from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer


def joins(left: str, right: str) -> bool:
    """Whether a word is joined to the one before it."""
    while left and regex.fullmatch(r"\p{M}", left[-1]):
        left = left[:-1]
    if right[0] in " '’":
        right = right[1:]
    return all(c and regex.fullmatch(r"\p{L}", c) for c in (left[-1:], right[:1]))


def phrases_of(text: str, base: str, most: int) -> list[str]:
    """The words of a base in rows, each cut from its beginning into phrases of so many words."""
    rows: list[list[str]] = []
    for word in Pretokenizer.from_name(base).split(text):
        if rows and joins(rows[-1][-1], word):
            rows[-1].append(word)
        else:
            rows.append([word])
    return ["".join(row[i : i + most]) for row in rows for i in range(0, len(row), most)]
