"""Helps to read models of sentencepiece, which segment a text as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..corpus.normalizers.normalizer import Normalizer
from ..corpus.pretokenizers.published_patterns import SPACE_RUNS

_MARK = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}


def unknown_scores(score: float) -> dict[bytes, float]:
    """Returns scores of single bytes that add up to `score` for each character in UTF-8.

    No token begins inside a character, so a byte that begins one is followed by its others.
    """
    return {bytes([b]): 0.0 if 0x80 <= b < 0xC0 else score for b in range(256)}


def pretokenizer_of(pieces: Sequence[str], space: str = " ", *, suffix: bool = False) -> str:
    """Returns a pre-tokenizer that splits a text at spaces that no piece spans.

    Parameters
    ----------
    pieces : sequence of str
        The pieces.
    space : str
        The character that is a space in them.
    suffix : bool
        Whether spaces end words.
    """
    inside = [piece for piece in pieces if space in (piece[:-1] if suffix else piece[1:])]
    over = f"{space}[^{space}]" if suffix else f"[^{space}]{space}"
    if not inside and not suffix:
        return "first-space"
    if any(re.search(over, piece) for piece in inside):
        return "none"
    pattern = SPACE_RUNS
    if suffix:
        pattern = "[^ ]* +|[^ ]+" if inside else "[^ ]* |[^ ]+"
    how = {"behavior": "Isolated", "invert": False}
    step = {"type": "Split", "pattern": {"Regex": pattern}, **how}
    return json.dumps(step, separators=(",", ":"))


def marking_steps(data: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Returns the steps of a tokenizer.json's normalizer, if ▁ is written for spaces last.

    None where they are not, or the text is then split into words.
    """
    given, splitting = data.get("normalizer"), data.get("pre_tokenizer")
    steps: list[dict[str, Any]] = []
    if given is not None and given.get("normalizers", given) != []:
        steps = [dict(step) for step in Normalizer(given).steps]
    if steps and steps[-1] == _MARK:
        # no space is left to split at
        at_spaces = {"type": "Split", "pattern": {"String": " "}}
        none = splitting is None or at_spaces.items() <= splitting.items()
        return steps if none else None
    if splitting is None or splitting.get("type") != "Metaspace":
        return None
    marks = splitting.get("replacement", "▁"), splitting.get("prepend_scheme", "always")
    return None if marks != ("▁", "never") or splitting.get("split", True) else [*steps, _MARK]
