"""A segmentation rule is a name; `partcover.segment` says what each one does."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["RULES", "Rule"]

Rule = Literal[
    "shortest_path",
    "random_path",
    "priority",
    "longest_match",
    "merges",
    "character_merges",
    "likelihood",
    "single_symbols",
]
RULES: tuple[Rule, ...] = get_args(Rule)
