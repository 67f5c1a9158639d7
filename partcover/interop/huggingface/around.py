"""Names what a tokenizer.json does to a text before and after its model."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

__all__ = ["not_carried"]


def not_carried(data: Mapping[str, Any], made: Set[str]) -> list[str]:
    """Returns remarks on what is not carried; `made` are the tokens of its merges."""
    remarks = []
    added = data.get("added_tokens") or []
    if both := [entry["content"] for entry in added if entry["content"] in made]:
        remarks.append(
            f"{len(both)} added tokens that merges make too, as {both[0]!r}, are no special tokens "
            "here: there a text is cut at them before it is split"
        )
    if names := ", ".join(_adding(data.get("post_processor"))):
        remarks.append(f"its post-processor ({names}) puts tokens around every text there")
    if truncation := data.get("truncation"):
        remarks.append(f"a text is cut off after {truncation.get('max_length')} tokens there")
    if data.get("padding"):
        remarks.append("texts are padded there")
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
