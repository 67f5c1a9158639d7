"""Finds what a vocabulary keeps of the file that it came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..vocabulary.vocabulary import Vocabulary

#: Where the provenance has it.
ORIGIN = "origin"


def kept_origin(vocabulary: Vocabulary, part: str) -> Mapping[str, Any]:
    """Returns what a vocabulary, or its base, keeps of its file, if that has a part; else {}."""
    for facts in (vocabulary.provenance, vocabulary.provenance.get("base")):
        origin = facts.get(ORIGIN) if isinstance(facts, Mapping) else None
        if isinstance(origin, Mapping) and part in origin:
            return origin
    return {}
