"""Names the segmentation rules; `partcover.segment` says what each one does."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

__all__ = ["SEGMENTATION_RULES", "SegmentationRule"]

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
SEGMENTATION_RULES: tuple[SegmentationRule, ...] = get_args(SegmentationRule)
