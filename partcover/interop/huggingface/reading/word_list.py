"""Reads BERT's list of pieces, vocab.txt or vocab.json, as a tokenizer.json."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ....errors import InputError
from ....runtime.files.writing import load_json, open_input, read_json
from ..word_pieces import PREFIX, mark_steps

_UNKNOWN = "[UNK]"
_SPECIAL = (_UNKNOWN, "[SEP]", "[CLS]", "[PAD]", "[MASK]")
_CONFIG = "tokenizer_config.json"
_MARK = "▁"  # in front of pieces that begin a word, in other lists
_LARGEST = 1 << 24
_JSON = re.compile(rb'\s*[\[{]\s*"')


def looks_like_list(path: Path) -> bool:
    """Returns whether a file is a list of pieces with ``[UNK]`` and pieces with ``##`` or ▁."""
    try:
        return path.stat().st_size <= _LARGEST and _entries(path) is not None
    except (InputError, OSError):
        return False


def list_in(path: Path) -> Path | None:
    """Returns the list in a folder, or the path itself if it is one."""
    files = [path / "vocab.txt", path / "vocab.json"] if path.is_dir() else [path]
    return next((file for file in files if file.is_file() and looks_like_list(file)), None)


def as_tokenizer(path: Path) -> tuple[dict[str, Any], list[str]]:
    """Returns the content of an equal tokenizer.json, and remarks.

    Raises
    ------
    InputError
        If the file is no such list, or an entry of it is there twice.
    """
    entries = _entries(path)
    if entries is None:
        raise InputError(
            f"{path}: not a WordPiece list: expected {_UNKNOWN} and pieces that begin with ##"
        )
    vocab: dict[str, int] = {}
    for text, number in entries:
        if text in vocab:
            raise InputError(f"{path}: the piece {text!r} is given twice")
        vocab[text] = number
    normalizer, remarks = _normalizer(path, vocab)
    splitting: dict[str, Any] = {"type": "BertPreTokenizer"}
    prefix, longest = PREFIX, 100
    if not any(text.startswith(PREFIX) for text in vocab):
        # what begins a word has the mark already, and words count it
        prefix, longest, splitting = "", longest + 1, mark_steps(splitting, _MARK)
        vocab.pop(_MARK, None)  # alone it is no piece
    model = {
        "type": "WordPiece",
        "unk_token": _UNKNOWN,
        "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": longest,
        "vocab": vocab,
    }
    added = [
        {"content": text, "id": vocab[text], "special": True} for text in _SPECIAL if text in vocab
    ]
    # a list with marks has no decoder that the library knows
    decoder = {"decoder": {"type": "WordPiece", "prefix": PREFIX, "cleanup": True}}
    return {
        "added_tokens": added,
        "normalizer": normalizer,
        "pre_tokenizer": splitting,
        "post_processor": {"type": "BertProcessing"},
        **(decoder if prefix else {}),
        "model": model,
    }, remarks


def _entries(path: Path) -> list[tuple[str, int]] | None:
    """Returns the pieces and their ids; None where it is no such list."""
    with open_input(path) as file:
        content = file.read()
    if _UNKNOWN.encode() not in content:
        return None
    pairs: Iterable[tuple[Any, Any]]
    if _JSON.match(content):
        data = load_json(path)
        pairs = data.items() if isinstance(data, dict) else ((t, n) for n, t in enumerate(data))
    else:
        try:
            lines = content.decode("utf-8").removesuffix("\n").split("\n")
        except UnicodeDecodeError:
            return None
        pairs = ((line.removesuffix("\r"), number) for number, line in enumerate(lines))
    entries = [(text, number) for text, number in pairs]
    if not all(isinstance(text, str) and type(number) is int for text, number in entries):
        return None
    known = {text for text, _ in entries}
    marked = any(text.startswith((PREFIX, _MARK)) and len(text) > 2 for text in known)
    return entries if _UNKNOWN in known and marked else None


def _normalizer(path: Path, vocab: dict[str, int]) -> tuple[dict[str, Any], list[str]]:
    """Returns BERT's normalizer, by the settings beside the list or its letters."""
    file = path.with_name(_CONFIG)
    config = read_json(file) if file.is_file() else {}
    upper = any(text != text.lower() for text in vocab if text[:1] not in ("[", "<"))
    lower = config.get("do_lower_case", not upper)
    remarks = []
    if "do_lower_case" not in config:
        how = "some tokens have" if upper else "no token has"
        remarks.append(f"{how} capital letters, so text is {'not ' * upper}converted to lower case")
    normalizer = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": config.get("tokenize_chinese_chars", True),
        "strip_accents": config.get("strip_accents"),
        "lowercase": lower,
    }
    return normalizer, remarks
