"""Finds what a tokenizer.json does to a text before and after its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...splitting import steps_of


def not_carried(data: Mapping[str, Any], left_out: Sequence[str]) -> list[str]:
    """Returns remarks on what is not carried; `left_out` are added tokens that merges make."""
    remarks = []
    if left_out:
        remarks.append(
            f"{len(left_out):,} special tokens, such as {left_out[0]!r}, are ordinary tokens, "
            "because merges can build them; the library splits text at them first"
        )
    steps = steps_of(data.get("post_processor"), "processors")
    if names := ", ".join(str(step.get("type")) for step in steps if _adds(step)):
        remarks.append(
            f"not converted: post-processor ({names}), which puts tokens around every text"
        )
    if truncation := data.get("truncation"):
        remarks.append(f"not converted: truncation after {truncation.get('max_length')} tokens")
    if data.get("padding"):
        remarks.append("not converted: padding")
    return remarks


def _adds(step: Mapping[str, Any]) -> bool:
    """Returns whether a step of a post-processor adds tokens."""
    if step.get("type") == "TemplateProcessing":
        pieces = [*step.get("single", []), *step.get("pair", [])]
        return any("SpecialToken" in piece for piece in pieces)
    return step.get("type") != "ByteLevel"
