"""Reads how a sentencepiece model normalizes a text and splits it into words."""

from __future__ import annotations

import base64
from typing import Any, NamedTuple

from ...corpus.normalizers.normalizer import Normalizer
from ...vocabulary.vocabulary import Vocabulary
from ..whole_texts import pretokenizer_of
from .pieces import MARK
from .proto import CONTROL, NORMAL, UNKNOWN, USER_DEFINED


class Spaces(NamedTuple):
    """How a model treats a text.

    Attributes
    ----------
    normalizer : str or None
        The normalizer.
    pretokenizer : str
        A pre-tokenizer that splits where no piece reaches over.
    spaced : bool
        Whether ▁ in pieces is a space here.
    remarks : list of str
        What is not carried.
    """

    normalizer: str | None
    pretokenizer: str
    spaced: bool
    remarks: list[str]


def spaces_of(model: Any, *, exact: bool = False) -> Spaces:
    """Returns how a model treats a text.

    Parameters
    ----------
    model : message
        The model.
    exact : bool
        Whether a ▁ in a text is a space in all cases, as there: that takes a normalizer.

    Raises
    ------
    InputError
        If its map of characters is broken.
    """
    spec = model.normalizer_spec
    kinds = (CONTROL, UNKNOWN)
    pieces = [piece.piece for piece in model.pieces if piece.type not in kinds]
    normal = {p.piece for p in model.pieces if p.type in (NORMAL, USER_DEFINED)}
    escaped, suffix = spec.escape_whitespaces, model.trainer_spec.treat_whitespace_as_suffix
    does = spec.precompiled_charsmap or spec.add_dummy_prefix or spec.remove_extra_whitespaces
    # a ▁ in the text is part of them as well
    does = does or any(p.type == USER_DEFINED for p in model.pieces)
    space = MARK if escaped else " "
    known = space in normal or model.trainer_spec.byte_fallback
    first = not any(MARK in piece[1:] for piece in pieces)
    if escaped and known and first and not (does or exact):
        return Spaces(
            None,
            f"space-prefix:{MARK}",
            False,
            [f"llama.cpp reads {MARK} in a text as a space"],
        )
    normalizer = normalizer_of(model) if escaped or does else None
    if escaped and MARK not in normal:
        # what is unknown are the bytes of the mark
        mark = {"type": "Replace", "pattern": {"String": " "}, "content": MARK}
        steps = [normalizer.to_json(), mark] if normalizer else [mark]
        both = Normalizer({"type": "Sequence", "normalizers": steps})
        return Spaces(both.name, "none", False, [])
    name = None if normalizer is None else normalizer.name
    # a space that is no piece is unknown together with what is so beside it
    cuts = pretokenizer_of(pieces, space, suffix=suffix) if known else "none"
    return Spaces(name, cuts, escaped, [])


def normalizer_of(model: Any) -> Normalizer:
    """Returns what a model does to a text, as a normalizer."""
    spec = model.normalizer_spec
    step = {
        "type": "SentencePiece",
        "precompiled_charsmap": base64.b64encode(spec.precompiled_charsmap).decode(),
        "user_defined": [p.piece for p in model.pieces if p.type == USER_DEFINED],
        "add_dummy_prefix": spec.add_dummy_prefix,
        "remove_extra_whitespaces": spec.remove_extra_whitespaces,
        "escape_whitespaces": spec.escape_whitespaces,
        "treat_whitespace_as_suffix": model.trainer_spec.treat_whitespace_as_suffix,
    }
    return Normalizer(step)


def is_own(normalizer: str | None) -> bool:
    """Returns whether a model can hold a normalizer, which is what `normalizer_of` returned."""
    steps = () if normalizer is None else Normalizer(normalizer).steps
    if not steps or steps[0]["type"] != "SentencePiece":
        return False
    # where a space is no piece, the mark stays
    return all(step["type"] == "Replace" and step["content"] == MARK for step in steps[1:])


def own_spec(vocabulary: Vocabulary) -> dict[str, Any] | None:
    """Returns the step of a vocabulary's normalizer that a model holds; None without one."""
    if vocabulary.normalizer is None or not is_own(vocabulary.normalizer):
        return None
    return Normalizer(vocabulary.normalizer).steps[0]
