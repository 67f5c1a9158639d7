"""Finds what a tokenizer.json does to a text before and after its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def not_carried(data: Mapping[str, Any], left_out: Sequence[str]) -> list[str]:
    """Returns remarks on what is not carried; `left_out` are added tokens that merges make."""
    remarks = []
    if left_out:
        remarks.append(
            f"{len(left_out):,} special tokens, such as {left_out[0]!r}, are ordinary tokens, "
            "because merges can build them; the library splits text at them first"
        )
    if names := ", ".join(_adding(data.get("post_processor"))):
        remarks.append(
            f"not converted: post-processor ({names}), which puts tokens around every text"
        )
    if truncation := data.get("truncation"):
        remarks.append(f"not converted: truncation after {truncation.get('max_length')} tokens")
    if data.get("padding"):
        remarks.append("not converted: padding")
    return remarks


def _adding(step: Mapping[str, Any] | None) -> list[str]:
    """Names the steps of a post-processor that add tokens."""
    if step is None:
        return []
    if step.get("type") == "Sequence":
        return [name for part in step.get("processors", []) for name in _adding(part)]
    if step.get("type") == "TemplateProcessing":
        pieces = [*step.get("single", []), *step.get("pair", [])]
        return ["TemplateProcessing"] if any("SpecialToken" in piece for piece in pieces) else []
    return [] if step.get("type") == "ByteLevel" else [str(step.get("type"))]
