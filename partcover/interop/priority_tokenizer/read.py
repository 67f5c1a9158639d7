"""Reads the folder of a priority tokenizer as a vocabulary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import InputError
from ...runtime.files.writing import read_json
from ...runtime.numerals import read_int
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import from_characters
from .files import CONFIG, CUTTER, VOCABULARY


def looks_like(path: Path) -> bool:
    """Returns whether a path is the folder of a priority tokenizer."""
    return (path / CUTTER).is_file()


def read(path: Path) -> tuple[Vocabulary, list[str]]:
    """Reads the vocabulary of a folder; there are no remarks.

    Raises
    ------
    InputError
        Naming the file that is not as it is written.
    """
    file = path / VOCABULARY
    data = read_json(file)
    vocab = data.get("vocab")
    if data.get("format") != "partcover-priority" or not isinstance(vocab, dict):
        raise InputError(f"{file}: not the vocabulary of a priority tokenizer")
    settings = read_json(path / CONFIG)
    pieces: dict[bytes, int] = {}
    for text, number in vocab.items():
        piece = from_characters(text)
        if piece is None or not isinstance(number, int):
            raise InputError(f"{file}: {text!r}: {number!r} is not a token and its id")
        pieces[piece] = number
    tokens = [piece for piece in pieces if len(piece) > 1]
    singles = [pieces.get(bytes([byte]), -1) for byte in range(256)]
    ids = [*singles, *map(pieces.__getitem__, tokens)]
    try:
        vocabulary = Vocabulary(
            tokens,
            rule="priority",
            pretokenizer=data.get("pretokenizer"),
            ids=None if ids == list(range(len(ids))) else ids,
            special=_special(settings),
        )
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    return vocabulary, []


def _special(settings: dict[str, Any]) -> dict[str, int]:
    added = settings.get("added_tokens_decoder", {})
    try:
        return {entry["content"]: read_int(number) for number, entry in added.items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError(f"{CONFIG} in the same folder does not list added tokens") from None
