"""Keeps what else a model file holds, so that a changed vocabulary can be written back."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from ...errors import InputError
from ...vocabulary.vocabulary import Vocabulary
from .proto import new_model

__all__ = ["kept_model", "kept_of"]

_KEY = "sentencepiece"


def kept_of(model: Any) -> dict[str, str]:
    """Returns what a model holds beside its pieces and its map of characters, which stand apart."""
    rest = new_model()
    rest.CopyFrom(model)
    rest.ClearField("pieces")
    rest.normalizer_spec.ClearField("precompiled_charsmap")
    return {_KEY: base64.b64encode(rest.SerializeToString()).decode()}


def kept_model(vocabulary: Vocabulary) -> Any | None:
    """Returns a model without pieces that holds what the vocabulary's own file held; or None.

    Raises
    ------
    InputError
        If what was kept is damaged.
    """
    base = vocabulary.provenance.get("base")
    given = vocabulary.provenance.get("origin")
    if given is None and isinstance(base, Mapping):
        given = base.get("origin")
    if not isinstance(given, Mapping) or _KEY not in given:
        return None
    from google.protobuf.message import DecodeError

    model = new_model()
    try:
        model.ParseFromString(base64.b64decode(given[_KEY], validate=True))
    except (binascii.Error, DecodeError, TypeError, ValueError) as error:
        raise InputError(
            f"what the vocabulary keeps of its sentencepiece model is damaged ({error})"
        ) from None
    return model
