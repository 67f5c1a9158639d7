"""Names the segmentation rules; `partcover.segment` says what each one does."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

__all__ = ["SEGMENTATION_RULES", "ScoreSums", "SegmentationRule"]

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
#: Over what the rule ``likelihood`` adds up scores: a word, or all of a text, in 64 bits or in 32.
ScoreSums: TypeAlias = Literal["word", "text", "text32"]
SEGMENTATION_RULES: tuple[SegmentationRule, ...] = get_args(SegmentationRule)
