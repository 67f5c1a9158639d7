"""Reads what else a tokenizer's files hold, so that a changed vocabulary can be written back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....vocabulary.vocabulary import Vocabulary
from ...whole_texts import marking_steps
from ..decimals import as_read
from ..layout import escapes, kept, parsed
from ..origin import CONFIG, KEPT, mapping
from ..spelling import FREE
from ..word_pieces import PREFIX, free_mark
from .entries import BYTE, MARK

# what tokenizer.json holds too, for classes of transformers that do not read it
_REPLACED = ("vocab.json", "merges.txt", "vocab.txt", "added_tokens.json", "tokenizer.model")
_LARGEST = 1 << 20  # bytes of a file beside it that is kept


def origin_of(
    data: Mapping[str, Any], text: str | None, vocabulary: Vocabulary, *, byte_level: bool
) -> dict[str, Any] | None:
    """Returns what a tokenizer.json holds besides, and how pieces are spelled; None if unknown.

    Parameters
    ----------
    data : dict
        The file.
    text : str, optional
        Its text, if it is UTF-8.
    vocabulary : Vocabulary
        What was read of it.
    byte_level : bool
        Whether its pieces are bytes, spelled as characters.
    """
    model = data["model"]
    vocab = model["vocab"]
    kind = model.get("type") or ("BPE" if "merges" in model else "Unigram")
    entries = vocab if isinstance(vocab, dict) else {t: n for n, (t, _) in enumerate(vocab)}
    added = {entry["content"] for entry in data.get("added_tokens") or []}
    spelling: dict[str, Any] = {"model": kind, "bytes": byte_level}
    # special tokens that are entries of the model, and those that are nothing else
    spelling["entries"] = sorted(entries.keys() & {*added, *vocabulary.special})
    spelling["not_added"] = sorted(entries.keys() & vocabulary.special.keys() - added)
    taken = {*vocabulary.id_of, *vocabulary.special.values(), *vocabulary.decode_only}
    spelling["unreached"] = {
        name: number
        for name, number in entries.items()
        if number not in taken and not FREE.fullmatch(name)
    }
    if kind == "BPE":
        spelling["joined"] = any(isinstance(merge, str) for merge in (model["merges"] or ())[:1])
        spelling["suffix"] = model.get("end_of_word_suffix") or ""
        if (name := model.get("unk_token")) in entries:
            spelling["unknown"] = [name, vocab[name]]
    if kind == "WordPiece" and not byte_level:
        prefix = model.get("continuing_subword_prefix", PREFIX)
        if prefix not in ("", PREFIX):
            return None
        spelling["mark"] = free_mark(entries) if prefix else ""
    elif not byte_level:
        texts = set(entries)
        bytes_there = [byte for byte in range(256) if f"<0x{byte:02X}>" in texts]
        spelling["fallback"] = bytes_there if model.get("byte_fallback") else []
        spelling["spaced"] = marking_steps(data) is not None and MARK in entries
    if kind == "Unigram":
        if model.get("unk_id") is not None:
            spelling["unknown"] = [vocab[model["unk_id"]][0], model["unk_id"]]
        added.update(spelling["unreached"])
        added.update(str(name) for name in spelling.get("unknown", ()))
        spelling["scores"] = {
            text: score for text, score in vocab if text in added or BYTE.fullmatch(text)
        }
    if text is None:
        text = json.dumps(data, ensure_ascii=False, indent=2)
    lists: dict[tuple[str, ...], Any] = {}
    if isinstance(vocab, dict):
        lists["model", "vocab"] = dict(sorted(vocab.items(), key=lambda item: item[1]))
    else:
        lists["model", "vocab"] = [[piece, as_read(float(score))] for piece, score in vocab]
    if kind == "BPE" and vocabulary.merges is not None:  # others are needed whole
        lists["model", "merges"] = model["merges"]
    escaped = escapes(text)
    short = kept(text, lists, escaped=escaped)
    return {"tokenizer": short, "escaped": escaped, "spelling": spelling}


def files_beside(file: Path, vocab: Any) -> dict[str, Any]:
    """Returns the texts of the files beside a tokenizer.json with these pieces.

    Settings may rename pieces, which are given by their ids.
    """
    texts = {name: read_small(file.parent / name) for name in KEPT}
    found: dict[str, Any] = {"files": {n: text for n, text in texts.items() if text is not None}}
    if replaced := [name for name in _REPLACED if (file.parent / name).is_file()]:
        found["replaced"] = replaced
    try:
        config = parsed(texts[CONFIG] or "{}")
    except (ValueError, RecursionError):
        config = None
    if not isinstance(config, dict):
        del found["files"][CONFIG]
        return found
    ids = vocab
    if not isinstance(vocab, dict):
        ids = {text: number for number, (text, _) in enumerate(vocab)}
    piece_of = {str(number): text for text, number in ids.items()}
    found["renames"] = {
        number: piece_of[number]
        for number, entry in mapping(config.get("added_tokens_decoder")).items()
        if isinstance(entry, dict) and number in piece_of
    }
    return found


def read_small(path: Path, largest: int = _LARGEST) -> str | None:
    """Returns the text of a file of at most so many bytes; None if there is none."""
    try:
        if not path.is_file() or path.stat().st_size > largest:
            return None
        # ends of lines as they are; the libraries do not read JSON with a byte order mark
        return path.read_bytes().decode("utf-8-sig" if path.suffix == ".json" else "utf-8")
    except (OSError, UnicodeDecodeError):
        return None
