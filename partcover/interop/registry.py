"""Lists the formats, and finds them by name or by what a file looks like."""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError
from ..runtime.files import load_json
from .format import Format
from .greedtok import GREEDTOK
from .hex_vocab import PATHPIECE, SAGE
from .huggingface import HUGGINGFACE
from .priority_tokenizer import PRIORITY_TOKENIZER
from .sentencepiece import SENTENCEPIECE
from .tiktoken import TIKTOKEN
from .token_list import LIST

__all__ = ["FORMATS", "find_format", "recognise"]

# in the order in which a path is tried when no format is named
FORMATS: dict[str, Format] = {
    format_.name: format_
    for format_ in (
        HUGGINGFACE,
        PRIORITY_TOKENIZER,
        SENTENCEPIECE,
        TIKTOKEN,
        GREEDTOK,
        SAGE,
        PATHPIECE,
        LIST,
    )
}


def find_format(name: str) -> Format:
    """Finds a format by its name.

    Raises
    ------
    InputError
        If there is none of that name; the message lists them.
    """
    if name not in FORMATS:
        raise InputError(f"unknown format {name!r}: use {', '.join(FORMATS)}")
    return FORMATS[name]


def recognise(path: Path) -> Format:
    """Finds the format that a file or folder looks like.

    Raises
    ------
    InputError
        If there is nothing at `path`, it looks like no format, or it is named as JSON and is
        none.
    """
    if not path.exists():
        raise InputError(f"{path}: cannot be read (no such file or folder)")
    for format_ in FORMATS.values():
        if format_.read is not None and format_.recognises(path):
            return format_
    if path.is_file() and path.suffix.lower() == ".json":
        load_json(path)  # its error says more
    raise InputError(f"{path}: not recognised: name its format, {', '.join(FORMATS)}")
