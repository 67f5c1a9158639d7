"""Spells tokens as the pieces of a tokenizer.json."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...corpus import symbols as sym
from ...corpus.pretokenizers.byte_spelling import spelled_bytes
from ...vocabulary.vocabulary import Vocabulary
from ..end_of_word import ends_words, spell_ended
from .word_pieces import spell_piece, word_mark

# what the decoder of byte fallback reads as a byte
DECODED_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>")


def speller(vocabulary: Vocabulary) -> Callable[[bytes], str | None]:
    """Returns the function that spells a piece, or gives None where it cannot be spelled."""
    if ends_words(vocabulary.pretokenizer):
        return spell_ended
    if (mark := word_mark(vocabulary)) is not None:
        return spell_piece(mark)
    return to_text if vocabulary.rule == "character_merges" else spelled_bytes


def to_text(piece: bytes) -> str | None:
    """Spells a piece as text, a byte that is no character as ``<0xHH>``; None if impossible."""
    text = sym.text_of(piece)
    if text is None:
        return f"<0x{piece[0]:02X}>" if len(piece) == 1 else None
    return None if DECODED_BYTE.fullmatch(text) else text
