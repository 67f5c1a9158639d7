"""Maps bytes to the 256 characters that represent them in GPT-2's vocabulary."""

from __future__ import annotations

from typing import Any

from ..corpus.pretokenizers.byte_spelling import BYTE_SPELLINGS
from ..vocabulary.vocabulary import Vocabulary

#: The characters, as GPT-2 numbers them: those for themselves first.
SPELLED_BYTES = list(BYTE_SPELLINGS.values())
_BYTE = {character: byte for byte, character in BYTE_SPELLINGS.items()}


def from_characters(text: str) -> bytes | None:
    """Returns the bytes that `spelled_bytes` spelled; None for text that spells none."""
    try:
        return bytes([_BYTE[character] for character in text])
    except KeyError:
        return None


def pieces_of(vocabulary: Vocabulary) -> list[bytes]:
    """Returns the 256 bytes and then the tokens, in the order of `Vocabulary.id_of`."""
    tokens: tuple[Any, ...] = vocabulary.tokens
    return [*(bytes([byte]) for byte in range(256)), *tokens]
