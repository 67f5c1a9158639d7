"""The names of the segmentation rules; `partcover.segment` describes each one."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

SegmentationRule: TypeAlias = Literal[
    "shortest_path",
    "random_path",
    "priority",
    "longest_match",
    "merges",
    "character_merges",
    "superword_merges",
    "likelihood",
    "single_symbols",
]
#: Where the rule ``likelihood`` adds up scores: in a word, or in a text with 64 or 32 bits.
ScoreSums: TypeAlias = Literal["word", "text", "text32"]
SEGMENTATION_RULES: tuple[SegmentationRule, ...] = get_args(SegmentationRule)
