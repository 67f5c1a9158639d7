"""Reads and writes WordPiece over text, as BERT's: a piece's place in the word is part of it.

There pieces inside a word have a prefix, ``##``.  Here the others have a mark, which every word
gets in front (Metaspace of `partcover.corpus.pretokenizers.steps`): so what a piece is depends on
its bytes alone, and the longest match is the same.  A mark that a text has is written twice: no
piece holds two, so its word is unknown, as there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...corpus import symbols as sym
from ...corpus.pretokenizers.pretokenizer import Pretokenizer, rule_names
from ...corpus.pretokenizers.steps import Steps, read_steps
from ...vocabulary.unknown import Unknown
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import pieces_of

__all__ = [
    "PREFIX",
    "free_mark",
    "mark_steps",
    "read_piece",
    "spell_piece",
    "unknown_words",
    "without_mark",
    "word_mark",
]

PREFIX = "##"
# what may mark the beginning of words: ▁, or a character of private use
_MARKS = (0x2581, *range(0xE000, 0xF900))


def free_mark(pieces: Iterable[str]) -> str:
    """Returns the first mark that no piece has."""
    held = set().union(*pieces)
    return next(mark for mark in map(chr, _MARKS) if mark not in held)


def mark_steps(splitting: Mapping[str, Any] | None, mark: str) -> dict[str, Any]:
    """Returns the pre-tokenizer that puts a mark in front of each word, too, as JSON."""
    whole = {"prepend_scheme": "always", "split": False, "again": True}
    begin = {"type": "Metaspace", "replacement": mark, **whole}
    return {"type": "Sequence", "pretokenizers": [*([splitting] if splitting else []), begin]}


def read_piece(mark: str, prefix: str) -> Callable[[str], bytes]:
    """Returns the function from a piece as it is spelled to its bytes."""

    def read(text: str) -> bytes:
        if prefix and text.startswith(prefix) and text != prefix:
            return text.removeprefix(prefix).encode("utf-8")
        return (mark + text).encode("utf-8")

    return read


def spell_piece(mark: str) -> Callable[[bytes], str | None]:
    """Returns the function that spells a piece; None for one that is no text."""

    def spell(piece: bytes) -> str | None:
        text = sym.text_of(piece)
        if text is None or text == mark:
            return None
        return text.removeprefix(mark) if text.startswith(mark) else PREFIX + text

    return spell


def unknown_words(
    model: Mapping[str, Any], special: Mapping[str, int], marked: bool
) -> Unknown | None:
    """Returns what stands for words that are unknown to a WordPiece model over text."""
    token = model.get("unk_token", "[UNK]")
    longest = model.get("max_input_chars_per_word", 100)
    if token not in special:
        return None
    return Unknown(token, "word", longest + marked if longest < 2**31 else None)


def word_mark(vocabulary: Vocabulary) -> str | None:
    """Returns the mark of words if WordPiece over text segments like the vocabulary; else None."""
    name = vocabulary.pretokenizer
    if vocabulary.rule != "longest_match" or name is None or rule_names(name):
        return None
    steps = read_steps(name).steps
    last = steps[-1].data if steps else {}
    if (last.get("type"), last.get("prepend_scheme"), last.get("split")) != (
        "Metaspace", "always", False,
    ):  # fmt: skip
        return None
    mark = steps[-1].prefix
    spell = spell_piece(mark)
    spelled = [
        spell(piece)
        for piece, number in zip(pieces_of(vocabulary), vocabulary.id_of, strict=True)
        if number >= 0
    ]
    texts = [text for text in spelled if text]
    whole = len(texts) == len(spelled) == len(set(texts))
    held = [*texts, *vocabulary.special]
    return mark if whole and not any(mark in t for t in texts) and free_mark(held) == mark else None


def without_mark(pretokenizer: str) -> str:
    """Returns the pre-tokenizer without its last step, which puts the mark."""
    return Pretokenizer.from_steps(Steps(read_steps(pretokenizer).steps[:-1])).name
