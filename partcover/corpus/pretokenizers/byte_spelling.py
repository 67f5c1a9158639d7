"""Spells bytes as GPT-2 does, by a character for each."""

from __future__ import annotations

#: The bytes that stand for themselves: what is printable in Latin-1.
PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHER = [byte for byte in range(256) if byte not in PRINTABLE]
#: The character of each byte; those that do not stand for themselves have U+0100 and on, in order.
BYTE_SPELLINGS = {byte: chr(byte) for byte in PRINTABLE} | {
    byte: chr(0x100 + place) for place, byte in enumerate(_OTHER)
}
_TABLE = str.maketrans({chr(byte): character for byte, character in BYTE_SPELLINGS.items()})


def spelled_bytes(data: bytes) -> str:
    """Spells bytes as characters, one for each.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.byte_spelling import spelled_bytes
    >>> spelled_bytes("é ".encode())
    'Ã©Ġ'
    """
    return data.decode("latin-1").translate(_TABLE)
