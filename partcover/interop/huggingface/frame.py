"""Reads which ids a tokenizer.json puts around texts, and how it states spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from ...encoding.offsets import Trim
from ...vocabulary.vocabulary import Vocabulary
from ..splitting import steps_of
from .origin import tokenizer_in


def frame_of(vocabulary: Vocabulary) -> tuple[list[int], list[int]] | None:
    """Returns the ids that the vocabulary's own file puts before and after a text.

    They are those of its special tokens now.  None where a token is no special token, what is put
    there is not known, or several steps put something there.
    """
    steps = [step for step in _processors(vocabulary) if step.get("type") != "ByteLevel"]
    if not steps:
        return [], []
    step = steps[0]
    if len(steps) == 1 and step.get("type") in ("BertProcessing", "RobertaProcessing"):
        front, back = [step["cls"][0]], [step["sep"][0]]
    elif len(steps) == 1 and step.get("type") == "TemplateProcessing":
        parts = step["single"]
        places = [place for place, part in enumerate(parts) if "Sequence" in part]
        if len(places) != 1:
            return None
        tokens = step.get("special_tokens") or {}
        names = [_names(part, tokens) for part in parts]
        front = list(chain.from_iterable(names[: places[0]]))
        back = list(chain.from_iterable(names[places[0] + 1 :]))
    else:
        return None
    if not {*front, *back} <= vocabulary.special.keys():
        return None
    return [vocabulary.special[name] for name in front], [vocabulary.special[name] for name in back]


def trim_of(vocabulary: Vocabulary) -> Trim:
    """Returns which spaces at the ends of tokens the vocabulary's own file leaves out of spans."""
    for step in _processors(vocabulary):
        if step.get("type") in ("ByteLevel", "RobertaProcessing") and step.get(
            "trim_offsets", True
        ):
            return "later_spaces" if step.get("add_prefix_space", True) else "spaces"
    return "nothing"


def _names(part: Mapping[str, Any], tokens: Mapping[str, Any]) -> list[str]:
    """Returns the tokens that a part of a template stands for."""
    if "SpecialToken" not in part:
        return []
    name = part["SpecialToken"]["id"]
    return list(tokens[name]["tokens"]) if name in tokens else [name]


def _processors(vocabulary: Vocabulary) -> Iterator[Mapping[str, Any]]:
    """Yields the steps of the post-processor of the vocabulary's own file."""
    yield from steps_of(tokenizer_in(vocabulary).get("post_processor"), "processors")
