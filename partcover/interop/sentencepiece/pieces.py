"""Spells tokens as the pieces of a sentencepiece model."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...corpus import symbols as sym

MARK = "▁"  # stands for a space where sentencepiece escapes spaces
LONGEST = 7999  # bytes of a piece; sentencepiece 0.2.3 refuses a model with a longer one
BYTE_PIECE = re.compile(r"<0x[0-9A-F]{2}>")


def text_of(token: sym.Token) -> str | None:
    """Spells a token as a piece; None where it cannot be one."""
    text = sym.text_of(token)
    return None if text is None or "\0" in text or BYTE_PIECE.fullmatch(text) else text


def is_too_long(text: str | None) -> bool:
    """Returns whether a piece is longer than sentencepiece loads."""
    return text is not None and len(text.replace(" ", MARK).encode("utf-8")) > LONGEST


def open_characters(tokens: Iterable[sym.Token]) -> set[int]:
    """Returns the sizes in bytes of the characters in tokens that are no tokens themselves."""
    texts = {bytes(token).decode("utf-8") for token in tokens}  # type: ignore[arg-type]
    characters = {character for text in texts for character in text} - texts
    return {len(character.encode("utf-8")) for character in characters} - {1}
