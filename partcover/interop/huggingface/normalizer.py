"""Reads the normalizer of a tokenizer.json, and expresses sentencepiece's by its steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...corpus.normalizers.normalizer import Normalizer
from ..given_up import GivenUp
from ..splitting import steps_of


def normalizer_of(data: Mapping[str, Any]) -> str | None:
    """Returns the name of a file's normalizer; None where it has no steps."""
    step: Any = data.get("normalizer")
    return Normalizer(step).name if [*steps_of(step, "normalizers")] else None


def as_steps(name: str, lost: list[GivenUp]) -> str | None:
    """Returns a normalizer that the library has, and adds what was given up for that to `lost`."""
    steps: list[dict[str, Any]] = []
    for step in Normalizer(name).steps:
        steps += _steps(step, lost) if step["type"] == "SentencePiece" else [step]
    return Normalizer({"type": "Sequence", "normalizers": steps}).name if steps else None


def changes_parts(name: str) -> bool:
    """Returns whether a step of sentencepiece does more to a text than to write spaces for ▁."""
    own = ("precompiled_charsmap", "add_dummy_prefix", "remove_extra_whitespaces")
    steps = [step for step in Normalizer(name).steps if step["type"] == "SentencePiece"]
    return any(step[key] for step in steps for key in own)


def _steps(step: dict[str, Any], lost: list[GivenUp]) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    if map_ := step["precompiled_charsmap"]:
        steps.append({"type": "Precompiled", "precompiled_charsmap": map_})
        reason = "the library looks at clusters of characters, and takes the shortest"
        lost.append(GivenUp("the longest entries of a map of characters", reason, "the map"))
    if step["remove_extra_whitespaces"]:
        last = "[ ▁]" if step["escape_whitespaces"] else " "
        for pattern, content in ((r"\A +", ""), (" {2,}", " "), (rf"{last}+\z", "")):
            steps.append({"type": "Replace", "pattern": {"Regex": pattern}, "content": content})
    if step["add_dummy_prefix"] and step["treat_whitespace_as_suffix"]:
        lost.append(GivenUp("a space behind a text", "Prepend puts it in front", "none"))
    elif step["add_dummy_prefix"]:
        steps.append({"type": "Prepend", "prepend": " "})
    if step["escape_whitespaces"]:
        steps.append({"type": "Replace", "pattern": {"String": "▁"}, "content": " "})
    return steps
