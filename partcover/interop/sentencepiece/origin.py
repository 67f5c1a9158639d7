"""Keeps the model file of a vocabulary, so that a changed one can be written back into it.

A vocabulary that is as it was read is the same file again, byte for byte.
"""

from __future__ import annotations

import base64
import binascii

from ...errors import InputError
from ...vocabulary.vocabulary import Vocabulary
from ..origin import kept_origin

_KEY = "sentencepiece"


def kept_of(data: bytes) -> dict[str, str]:
    """Returns a model file in a form for JSON."""
    return {_KEY: base64.b64encode(data).decode()}


def kept_file(vocabulary: Vocabulary) -> bytes | None:
    """Returns the model file that the vocabulary came from; or None.

    Raises
    ------
    InputError
        If what was kept is damaged.
    """
    given = kept_origin(vocabulary, _KEY)
    if not given:
        return None
    try:
        return base64.b64decode(given[_KEY], validate=True)
    except (binascii.Error, TypeError, ValueError) as error:
        raise InputError(
            f"what the vocabulary keeps of its sentencepiece model is damaged ({error})"
        ) from None
