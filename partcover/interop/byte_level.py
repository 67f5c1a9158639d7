"""Maps bytes to the 256 characters that stand for them in GPT-2's vocabulary."""

from __future__ import annotations

from typing import Any

from ..vocabulary.vocabulary import Vocabulary

__all__ = ["SPELLED_BYTES", "from_characters", "pieces_of", "to_characters"]

# bytes that are printable in Latin-1 stand for themselves, the others for U+0100 and on in order
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHER = [byte for byte in range(256) if byte not in _PRINTABLE]
_CHARACTER = {byte: chr(byte) for byte in _PRINTABLE} | {
    byte: chr(0x100 + place) for place, byte in enumerate(_OTHER)
}
_TABLE = str.maketrans({chr(byte): character for byte, character in _CHARACTER.items()})
#: The characters, as GPT-2 numbers them: those for themselves first.
SPELLED_BYTES = [_CHARACTER[byte] for byte in (*_PRINTABLE, *_OTHER)]
_BYTE = {character: byte for byte, character in _CHARACTER.items()}


def to_characters(token: bytes) -> str:
    """Spells bytes as characters, one for each."""
    return token.decode("latin-1").translate(_TABLE)


def from_characters(text: str) -> bytes | None:
    """Returns the bytes that `to_characters` spelled; None for text that spells none."""
    try:
        return bytes([_BYTE[character] for character in text])
    except KeyError:
        return None


def pieces_of(vocabulary: Vocabulary) -> list[bytes]:
    """Returns the 256 bytes and then the tokens, in the order of `Vocabulary.id_of`."""
    tokens: tuple[Any, ...] = vocabulary.tokens
    return [*(bytes([byte]) for byte in range(256)), *tokens]
