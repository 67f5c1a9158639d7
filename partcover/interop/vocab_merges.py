"""Writes and reads GPT-2's pair of files: the ids in vocab.json, the merges in merges.txt."""

from __future__ import annotations

import gzip
import importlib.metadata
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from ..errors import InputError, MissingExtra
from ..runtime.file_kinds import begins_object
from ..runtime.files import load_json, open_input, read_json, write_atomic
from ..vocabulary.rules import SEGMENTATION_RULES, SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .byte_level import from_characters, pieces_of, to_characters
from .format import Format, GivenUp, Nearest, Replay
from .huggingface.model import build_model
from .huggingface.read import from_json

__all__ = ["VOCAB_MERGES"]

# how the files are called: as the libraries write them, and as GPT-2 was published
_NAMES = (("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"))
_CONFIG = "tokenizer_config.json"
_ADDED = "added_tokens.json"
_IDS = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\d+\s*[,}]')
_SPECIAL = re.compile(r"<[^<>\s]+>|\[[^\[\]\s]+\]")
_END = "</w>"  # CLIP's
# classes of transformers that cut a text as GPT-2 does
_AS_GPT2 = {"GPT2", "Roberta", "Bart", "CodeGen", "Longformer", "LED", "Whisper", "Blenderbot"}
_BYTE_LEVEL = {"type": "ByteLevel", "trim_offsets": True}
_QWEN2 = {
    "normalizer": {"type": "NFC"},
    "pre_tokenizer": {
        "type": "Sequence",
        "pretokenizers": [
            {
                "type": "Split",
                "pattern": {
                    "Regex": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| "
                    r"?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
                },
                "behavior": "Isolated",
                "invert": False,
            },
            {**_BYTE_LEVEL, "add_prefix_space": False, "use_regex": False},
        ],
    },
}


def _files(path: Path) -> tuple[Path, Path]:
    """Returns the two files of which `path` is one, or the folder."""
    if path.is_dir():
        pairs = [(path / ids, path / merges) for ids, merges in _NAMES]
        return next((pair for pair in pairs if all(file.is_file() for file in pair)), pairs[0])
    for ids, merges in _NAMES:
        if path.name.endswith(ids):
            return path, path.with_name(path.name.removesuffix(ids) + merges)
        if path.name.endswith(merges):
            return path.with_name(path.name.removesuffix(merges) + ids), path
    ids, merges = _NAMES[0]
    return (path, path.with_name(merges)) if begins_object(path) else (path.with_name(ids), path)


def _recognises(path: Path) -> bool:
    if path.is_dir():
        return all(file.is_file() for file in _files(path))
    if not path.is_file():
        return False
    try:
        with _opened(path) as file:
            head = file.read(1000)
    except InputError:
        return False
    if b"#version:" in head.partition(b"\n")[0]:
        return True
    if not _IDS.match(head):
        return False
    try:
        data = load_json(path)
    except InputError:
        return False
    return isinstance(data, dict) and all(type(number) is int for number in data.values())


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Opens a file, unpacked where it is a .gz."""
    with open_input(path) as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        try:
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if packed else file
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise InputError(f"{path}: cannot be unpacked") from None


def _read(path: Path) -> tuple[Vocabulary, list[str]]:
    ids_file, merges_file = _files(path)
    merges = list(_merges(merges_file)) if merges_file.is_file() else None
    if merges and any(part.endswith(_END) for pair in merges for part in pair):
        raise InputError(
            f"{merges_file}: its merges end words in {_END}, as CLIP's: there a byte at the end of "
            "a word has an id of its own and a text is lower-cased, which no vocabulary holds here"
        )
    for file, other in ((ids_file, merges_file), (merges_file, ids_file)):
        if not file.is_file():
            raise InputError(f"{file}: cannot be read (it has to stand beside {other.name})")
    assert merges is not None
    vocab = read_json(ids_file)
    config = _beside(ids_file, _CONFIG)
    splitting, remarks = _splitting(config)
    made = {text for left, right in merges for text in (left, right, left + right)}
    special = {
        text: number for text, number in vocab.items() if text not in made and _SPECIAL.match(text)
    }
    added = {**special, **_beside(ids_file, _ADDED), **_listed(config)}
    data = {
        **splitting,
        "added_tokens": [
            {"content": text, "id": number, "special": True} for text, number in added.items()
        ],
        "model": {"type": "BPE", "vocab": vocab, "merges": merges},
    }
    vocabulary, more = from_json(data, ids_file)
    return vocabulary, remarks + more


def _merges(path: Path) -> Iterator[tuple[str, str]]:
    """Yields the pairs that merge."""
    with _opened(path) as file:
        for number, line in enumerate(file, 1):
            if line.isspace() or (b"#version:" in line and number == 1):
                continue
            try:
                left, right = line.decode("utf-8").rstrip("\r\n").split(" ")
            except ValueError:  # UnicodeDecodeError too
                left = right = ""
            if not left or not right:
                raise InputError(f"{path}:{number}: two parts of a merge are expected")
            yield left, right


def _beside(file: Path, name: str) -> dict[str, Any]:
    other = file.with_name(name)
    return read_json(other) if other.is_file() else {}


def _listed(config: dict[str, Any]) -> dict[str, int]:
    """Returns the special tokens that a tokenizer_config.json lists."""
    try:
        return {e["content"]: int(n) for n, e in config.get("added_tokens_decoder", {}).items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError(f"{_CONFIG} beside it does not list added tokens") from None


def _splitting(config: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Returns normalizer and pre-tokenizer as tokenizer.json has them, and a remark."""
    name = str(config.get("tokenizer_class") or "").removesuffix("Fast").removesuffix("Tokenizer")
    if name == "Qwen2":
        return dict(_QWEN2), []
    prefix = bool(config.get("add_prefix_space", False))
    splitting = {"pre_tokenizer": {**_BYTE_LEVEL, "add_prefix_space": prefix, "use_regex": True}}
    if name in _AS_GPT2:
        return splitting, []
    why = f"its class {name}Tokenizer is not known here" if name else "the files hold none"
    return splitting, [f"the pre-tokenizer is GPT-2's: {why}; --pretokenizer names another"]


def _adapt(vocabulary: Vocabulary) -> tuple[Vocabulary, list[GivenUp]]:
    if vocabulary.pretokenizer in (None, "gpt2"):
        return vocabulary, []
    lost = GivenUp(
        f"the pre-tokenizer {vocabulary.pretokenizer}", "text is cut by GPT-2's pattern", "gpt2"
    )
    return vocabulary.with_(pretokenizer="gpt2"), [lost]


def _write(vocabulary: Vocabulary, path: Path) -> list[str]:
    vocab = {
        to_characters(piece): number
        for piece, number in zip(pieces_of(vocabulary), vocabulary.id_of, strict=True)
        if number >= 0
    }
    for text in vocabulary.special:
        if text in vocab:
            raise InputError(f"special token {text!r} is spelled as a token: rename one of them")
    model = build_model(vocabulary, vocab, {})
    entries = sorted({**vocab, **vocabulary.special}.items(), key=lambda item: item[1])
    config = {
        "tokenizer_class": "GPT2Tokenizer",
        "add_prefix_space": False,
        "added_tokens_decoder": {
            str(number): {"content": text, "special": True}
            for text, number in vocabulary.special.items()
        },
    }
    path.mkdir()
    ids_file, merges_file = _files(path)
    write_atomic(ids_file, json.dumps(dict(entries), ensure_ascii=False, indent=0) + "\n")
    lines = [f"{left} {right}\n" for left, right in model.get("merges", ())]
    write_atomic(merges_file, "#version: 0.2\n" + "".join(lines))
    write_atomic(path / _CONFIG, json.dumps(config, ensure_ascii=False, indent=1) + "\n")
    missing = vocabulary.id_of[:256].count(-1)
    return [f"{missing} bytes have no id: no text that holds one can be given to it"][: missing > 0]


def _replay(path: Path) -> Replay:
    try:
        from tokenizers import Tokenizer, models, pre_tokenizers
    except ImportError:
        raise MissingExtra("tokenizers", "huggingface", "the format vocab-merges") from None
    model = models.BPE.from_file(*map(str, _files(path)))
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    ids = tokenizer.get_vocab()

    def spelled(piece: str) -> bytes:
        return from_characters(piece) or piece.encode("utf-8")

    def words(pieces: Sequence[bytes]) -> list[list[bytes] | None]:
        return [
            [spelled(token.value) for token in model.tokenize(to_characters(piece))]
            for piece in pieces
        ]

    return Replay(
        f"tokenizers {importlib.metadata.version('tokenizers')}",
        words,
        lambda text: [spelled(piece) for piece in tokenizer.encode(text).tokens],
        lambda token: ids.get(to_characters(token)),
        ids.get,
    )


_RULES: dict[SegmentationRule, str | Nearest] = {
    "single_symbols": "BPE without merges",
    "merges": "BPE; a word that is a token is not looked up",
}
for _rule in SEGMENTATION_RULES:
    _RULES.setdefault(_rule, Nearest("merges", "BPE merges bytes by a list of pairs"))
VOCAB_MERGES = Format(
    name="vocab-merges",
    title="GPT-2's pair of files, vocab.json and merges.txt, in a folder",
    rules=_RULES,
    write=_write,
    replay=_replay,
    read=_read,
    recognises=_recognises,
    adapt=_adapt,
)
