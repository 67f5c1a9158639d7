"""Reads tokenizer.json as a vocabulary, or states why its model is not supported."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....corpus.normalizers.normalizer import Normalizer
from ....corpus.symbols import text_of
from ....errors import InputError
from ....runtime.files.kinds import begins_object
from ....runtime.files.writing import load_json, read_json
from ....vocabulary.decoding import Decoding
from ....vocabulary.vocabulary import Vocabulary
from ...byte_level import from_characters, pieces_of
from ...end_of_word import read_ended, with_ends
from ...origin import ORIGIN
from ...splitting import read_splitting, steps_of
from ...whole_texts import marking_steps
from ..decoder import read_decoding
from ..normalizer import normalizer_of
from ..origin import use_of
from ..word_pieces import PREFIX
from .around import first_word, found_otherwise, made_otherwise, not_carried, written_twice
from .byte_models import (
    lacking_bytes,
    leaving_out,
    read_bpe,
    read_unigram,
    read_wordpiece,
)
from .entries import (
    BYTE,
    MARK,
    as_numbered,
    flags_of,
    made_tokens,
    other_entries,
    special_of,
    vocabulary_of,
)
from .rest import files_beside, origin_of, read_small
from .text_models import read_pieces_of_text, read_words_of_text
from .word_list import as_tokenizer, list_in

_NEVER = {0xC0, 0xC1, *range(0xF5, 0x100)}  # bytes that are in no UTF-8


def looks_like(path: Path) -> bool:
    """Returns whether a path is a tokenizer.json, BERT's list, or a folder with one."""
    if path.is_dir():
        return (path / "tokenizer.json").is_file() or list_in(path) is not None
    if not path.is_file():
        return False
    if begins_object(path) and b'"model"' in path.read_bytes():
        try:
            data = load_json(path)
        except InputError:
            return False
        return isinstance(data, dict) and isinstance(data.get("model"), dict)
    return list_in(path) is not None


def read(path: Path) -> tuple[Vocabulary, list[str]]:
    """Reads the vocabulary of a tokenizer.json, and remarks on what it does not hold.

    Raises
    ------
    InputError
        Naming the file, and the part of it that no vocabulary can express.
    """
    file = path / "tokenizer.json" if path.is_dir() else path
    if (path.is_file() or not file.is_file()) and (listed := list_in(path)) is not None:
        data, remarks = as_tokenizer(listed)
        vocabulary, more = from_json(data, listed)
        return vocabulary, remarks + more
    data = read_json(file)
    data.setdefault("decoder", None)
    vocabulary, remarks = from_json(data, file, renumber=True)
    _, byte_level, _ = read_splitting(_bytes_last(data).get("pre_tokenizer"))
    try:
        text = read_small(file, sys.maxsize)
        origin = origin_of(data, text, vocabulary, byte_level=byte_level)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError):
        origin = None  # for parts that no one read before
    if origin is not None:
        origin |= {"use": use_of(vocabulary), **files_beside(file, data["model"]["vocab"])}
        vocabulary = vocabulary.with_(provenance={**vocabulary.provenance, ORIGIN: origin})
    return vocabulary, remarks


def from_json(
    data: dict[str, Any], file: Path, *, renumber: bool = False
) -> tuple[Vocabulary, list[str]]:
    """Reads the content of a tokenizer.json.

    Parameters
    ----------
    data : dict
        The content.
    file : path
        What errors name.
    renumber : bool
        Whether added tokens get the ids that the library gives to them.

    Raises
    ------
    InputError
        As `read`.
    """
    renumbered: list[str] = []
    try:
        data = as_numbered(data, renumbered) if renumber else data
        vocabulary, remarks = _read(data)
        remarks = renumbered + remarks
        added = data.get("added_tokens") or []
        made_too = _made_too(data, vocabulary)
        special = {**vocabulary.special, **made_too}
        flags = flags_of(added, special)
        vocabulary = vocabulary.with_(special=special, special_flags=flags) if flags else vocabulary
        decoding, more = _decoding(data, vocabulary)
        if others := _shown_as(made_too, vocabulary):  # also when the token is pruned
            decoding = replace(decoding, shown={**decoding.shown, **others})
        if decoding != vocabulary.decoding:
            vocabulary = vocabulary.with_(decoding=decoding)
        remarks += more
        left_out = [e["content"] for e in added if e["content"] not in special]
        last = _bytes_last(data)
        remarks += first_word(data) + found_otherwise(last, vocabulary, spelled=last is not data)
        remarks += made_otherwise(data, vocabulary) + written_twice(data)
        return vocabulary, remarks + not_carried(data, left_out)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise InputError(
            f"{file}: not a tokenizer.json ({type(error).__name__}: {error})"
        ) from None


def _read(data: dict[str, Any]) -> tuple[Vocabulary, list[str]]:
    data, model = _bytes_last(data), data["model"]
    # files written before version 0.10 have no type
    kind = model.get("type") or ("BPE" if "merges" in model else "Unigram")
    pretokenizer, byte_level, remarks = read_splitting(data.get("pre_tokenizer"))
    if not byte_level and kind in ("Unigram", "BPE"):
        return read_pieces_of_text(data, kind, pretokenizer)
    normalizer = normalizer_of(data)
    if kind == "WordPiece" and not byte_level:
        vocabulary, remarks = read_words_of_text(data)
        return vocabulary.with_(normalizer=normalizer), remarks
    special = special_of(data, spelled=True)
    if kind == "BPE":
        use = read_bpe(model, special)
        if model.get("end_of_word_suffix"):
            pretokenizer = with_ends(pretokenizer)
    elif kind == "WordPiece":
        use = read_wordpiece(model, special, remarks)
    elif kind == "Unigram":
        use = read_unigram(model, special)
    else:
        raise InputError(f"its model {kind} is not supported")
    spell = read_ended(model.get("end_of_word_suffix") or "") if kind == "BPE" else from_characters
    vocab = model["vocab"]
    entries = {text: n for n, (text, _) in enumerate(vocab)} if kind == "Unigram" else vocab
    use["decode_only"] = other_entries(entries, special, spell, remarks)
    vocabulary = vocabulary_of(use, special, pretokenizer, remarks)
    if kind == "BPE" and not {*lacking_bytes(vocabulary)} <= _NEVER:
        vocabulary = leaving_out(vocabulary, data, remarks)
    return vocabulary.with_(normalizer=normalizer), remarks


def _decoding(data: dict[str, Any], vocabulary: Vocabulary) -> tuple[Decoding, list[str]]:
    """Returns what the decoder does beside joining tokens, and remarks."""
    if "decoder" not in data:  # of a list of pieces
        return vocabulary.decoding, []
    last = _bytes_last(data)
    _, byte_level, _ = read_splitting(last.get("pre_tokenizer"))
    model = data["model"]
    vocab = model["vocab"]
    texts = vocab if isinstance(vocab, dict) else [text for text, _ in vocab]
    bytes_there = sum(map(bool, map(BYTE.fullmatch, texts))) if model.get("byte_fallback") else 0
    pieces_of_words = model.get("type") == "WordPiece" and not byte_level
    spaced = not byte_level and marking_steps(data) is not None and MARK in texts
    return read_decoding(
        data.get("decoder"),
        vocabulary,
        of_text=not byte_level,
        fallback=bytes_there > 0,
        changed=bool(bytes_there or model.get("end_of_word_suffix")),
        spaced=spaced,
        inside=model.get("continuing_subword_prefix", PREFIX) if pieces_of_words else "",
        normal=Normalizer.of(normalizer_of(last)),
        normalized=last is not data,
    )


def _bytes_last(data: dict[str, Any]) -> dict[str, Any]:
    """Returns the same with a ByteLevel that ends the normalizer as pre-tokenizer, if it has none.

    Bytes are then spelled as characters after a text is split into words, of which there is one.
    """
    steps = list(steps_of(data.get("normalizer"), "normalizers"))
    last = steps[-1].get("type") if steps else None
    if data.get("pre_tokenizer") is not None or last != "ByteLevel":
        return data
    normalizer = {"type": "Sequence", "normalizers": steps[:-1]} if steps[1:] else None
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    return {**data, "normalizer": normalizer, "pre_tokenizer": byte_level}


def _made_too(data: dict[str, Any], vocabulary: Vocabulary) -> dict[str, int]:
    """Returns the added tokens that are not special and that merges make, with the tokens' ids."""
    made, vocab, numbers = made_tokens(data["model"]), data["model"]["vocab"], set(vocabulary.id_of)
    texts = (e["content"] for e in data.get("added_tokens") or [] if not e.get("special"))
    return {text: vocab[text] for text in texts if text in made and vocab.get(text) in numbers}


def _shown_as(made_too: Mapping[str, int], vocabulary: Vocabulary) -> dict[str, str]:
    """Returns what added tokens that merges make decode to, where that is not their own text."""
    piece_of = dict(zip(vocabulary.id_of, pieces_of(vocabulary), strict=True))
    shown_as = {name: text_of(piece_of[number]) for name, number in made_too.items()}
    return {name: text for name, text in shown_as.items() if text is not None and text != name}
