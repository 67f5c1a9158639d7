"""Writes cover in order of priority for transformers, with a tokenizer class beside it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
from pathlib import Path
from typing import Any

from ..corpus.pretokenizers import Pretokenizer
from ..errors import InputError
from ..runtime.files import read_json, write_atomic
from ..vocabulary.rules import RULES, Rule
from ..vocabulary.vocabulary import Vocabulary
from .byte_level import from_characters, to_characters
from .format import Format, GivenUp, Nearest, Replay
from .splitting import patterns

__all__ = ["PRIORITY_CLASS"]

_VOCABULARY, _CUTTER, _CLASS = "vocab.json", "priority_cutter.py", "tokenization_priority.py"


def _adapt(vocabulary: Vocabulary) -> tuple[Vocabulary, list[GivenUp]]:
    try:
        Pretokenizer.from_name(vocabulary.pretokenizer or "none")
    except InputError as error:
        lost = GivenUp(f"the pre-tokenizer {vocabulary.pretokenizer}", str(error), "none")
        return vocabulary.with_(pretokenizer="none"), [lost]
    return vocabulary, []


def _write(vocabulary: Vocabulary, path: Path) -> list[str]:
    tokens: tuple[Any, ...] = vocabulary.tokens
    pieces = [*(bytes([byte]) for byte in range(256)), *tokens]
    vocab = {
        to_characters(piece): number
        for piece, number in zip(pieces, vocabulary.id_of, strict=True)
        if number >= 0
    }
    for text in vocabulary.special:
        if text in vocab:
            raise InputError(f"special token {text!r} is spelled as a token: rename one of them")
    held = {
        "format": "partcover-priority",
        "version": 1,
        "pretokenizer": vocabulary.pretokenizer,
        "splits": patterns(vocabulary.pretokenizer),
        "vocab": vocab,
    }
    form = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False}
    names = {"additional_special_tokens": list(vocabulary.special)} if vocabulary.special else {}
    settings = {
        "tokenizer_class": "PriorityTokenizer",
        "auto_map": {"AutoTokenizer": ["tokenization_priority.PriorityTokenizer", None]},
        "added_tokens_decoder": {
            str(number): {"content": text, **form, "special": True}
            for text, number in vocabulary.special.items()
        },
        "clean_up_tokenization_spaces": False,
        "model_max_length": int(1e30),
        **names,
    }
    path.mkdir()
    write_atomic(path / _VOCABULARY, json.dumps(held, ensure_ascii=False, indent=1) + "\n")
    write_atomic(path / "tokenizer_config.json", json.dumps(settings, indent=1) + "\n")
    write_atomic(path / "special_tokens_map.json", json.dumps(names, indent=1) + "\n")
    for name in (_CUTTER, _CLASS):
        write_atomic(path / name, Path(__file__).with_name(name).read_text("utf-8"))
    return ["it runs in plain Python: a prototype's speed"]


def _replay(path: Path) -> Replay:
    # the file as written, by itself: it has to run without partcover
    spec = importlib.util.spec_from_file_location("exported_priority_cutter", path / _CUTTER)
    if spec is None or spec.loader is None:
        raise InputError(f"{path / _CUTTER}: cannot be read")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    cutter = module.PriorityCutter(str(path / _VOCABULARY))

    def bytes_of(tokens: list[str]) -> list[bytes]:
        return [from_characters(token) or b"" for token in tokens]

    special = json.loads((path / "tokenizer_config.json").read_bytes())["added_tokens_decoder"]
    ids = {entry["content"]: int(number) for number, entry in special.items()}
    return Replay(
        f"{_CUTTER}, regex {importlib.metadata.version('regex')}",
        lambda words: [bytes_of(cutter.cut_word(to_characters(word))) for word in words],
        lambda text: bytes_of(cutter.tokens(text)),
        lambda token: cutter.vocab.get(to_characters(token)),
        ids.get,
    )


def _read(path: Path) -> tuple[Vocabulary, list[str]]:
    file = path / _VOCABULARY
    data = read_json(file)
    vocab = data.get("vocab")
    if data.get("format") != "partcover-priority" or not isinstance(vocab, dict):
        raise InputError(f"{file}: not the vocabulary of a priority tokenizer")
    settings = read_json(path / "tokenizer_config.json")
    pieces: dict[bytes, int] = {}
    for text, number in vocab.items():
        piece = from_characters(text)
        if piece is None or not isinstance(number, int):
            raise InputError(f"{file}: {text!r}: {number!r} is no token and its id")
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
    held = settings.get("added_tokens_decoder", {})
    try:
        return {entry["content"]: int(number) for number, entry in held.items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError("tokenizer_config.json beside it does not list added tokens") from None


def _other(rule: Rule) -> str | Nearest:
    if rule == "priority":
        return "a Python class"
    return Nearest("priority", "it is for priority; the format huggingface is for other rules")


PRIORITY_CLASS = Format(
    name="priority-class",
    title="A folder for transformers with a tokenizer class of its own, in plain Python",
    rules={rule: _other(rule) for rule in RULES},
    write=_write,
    replay=_replay,
    read=_read,
    recognises=lambda path: (path / _CUTTER).is_file(),
    adapt=_adapt,
)
