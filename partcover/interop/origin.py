"""Finds what a vocabulary keeps of the file that it came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..vocabulary.vocabulary import Vocabulary

#: Where the provenance has it.
ORIGIN = "origin"


def kept_origin(vocabulary: Vocabulary) -> Mapping[str, Any]:
    """Returns what a vocabulary, or the one it was made of, keeps of its file; {} for nothing."""
    base = vocabulary.provenance.get("base")
    given = vocabulary.provenance.get(ORIGIN) or (
        base.get(ORIGIN) if isinstance(base, Mapping) else None
    )
    return given if isinstance(given, Mapping) else {}
