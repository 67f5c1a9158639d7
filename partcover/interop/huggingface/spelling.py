"""Spells tokens as the pieces of a tokenizer.json."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ...corpus import symbols as sym
from ...corpus.pretokenizers.byte_spelling import spelled_bytes
from ...vocabulary.vocabulary import Vocabulary
from ..end_of_word import END, ends_words, spell_ended
from .word_pieces import spell_piece, word_mark

_MARK = "▁"  # in pieces that are text
FREE = re.compile(r"<free [0-9]+>")  # what fills an id that nothing has
# what the decoder of byte fallback reads as a byte
DECODED_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>")


def speller(vocabulary: Vocabulary) -> Callable[[bytes], str | None]:
    """Returns the function that spells a piece, or gives None where it cannot be spelled."""
    if ends_words(vocabulary.pretokenizer):
        return spell_ended
    if (mark := word_mark(vocabulary)) is not None:
        return spell_piece(mark)
    return to_text if vocabulary.rule == "character_merges" else spelled_bytes


def own_speller(
    spelling: Mapping[str, Any], vocabulary: Vocabulary
) -> Callable[[bytes], str | None]:
    """Returns the function that spells a piece as the vocabulary's own file does."""
    if spelling["bytes"]:
        suffix = spelling.get("suffix") or ""

        def spell_bytes(piece: bytes) -> str:
            if suffix and len(piece) > 1 and piece.endswith(END):
                return spelled_bytes(piece[:-1]) + str(suffix)
            return spelled_bytes(piece)

        return spell_bytes
    if spelling["model"] == "WordPiece":
        mark = spelling["mark"]
        return spell_piece(mark) if mark else sym.text_of
    # of a byte whose character is a piece, the character has its id
    whole = {text for text in vocabulary.decode_only.values() if len(text) == 1}
    fallback, spaced = set(spelling["fallback"]), spelling["spaced"]

    def spell(piece: bytes) -> str | None:
        if len(piece) == 1 and piece[0] in fallback and piece not in whole:
            return f"<0x{piece[0]:02X}>"
        text = sym.text_of(piece)
        return text.replace(" ", _MARK) if text is not None and spaced else text

    return spell


def to_text(piece: bytes) -> str | None:
    """Spells a piece as text, a byte that is no character as ``<0xHH>``; None if impossible."""
    text = sym.text_of(piece)
    if text is None:
        return f"<0x{piece[0]:02X}>" if len(piece) == 1 else None
    return None if DECODED_BYTE.fullmatch(text) else text
