"""Writes and reads GPT-2's pair of files: the ids in vocab.json, the merges in merges.txt."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

from ..corpus.normalizers.normalizer import Normalizer
from ..corpus.pretokenizers.byte_spelling import spelled_bytes
from ..corpus.pretokenizers.published_patterns import CLIP, PATTERNS
from ..errors import InputError
from ..runtime.arguments import counted
from ..runtime.files.kinds import begins_object
from ..runtime.files.writing import load_json, open_input, read_json, read_text, write_atomic
from ..runtime.numerals import read_int
from ..vocabulary.rules import SEGMENTATION_RULES, SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .byte_level import SPELLED_BYTES, pieces_of
from .end_of_word import SUFFIX, ends_words, merges_inside, without_ends
from .format import Format, Nearest, Replay
from .given_up import GivenUp, split_otherwise, without_normalizer
from .huggingface.format import replay_of
from .huggingface.layout import escapes, kept, rewritten
from .huggingface.library import Library
from .huggingface.reading.entries import flags_of
from .huggingface.reading.read import from_json
from .huggingface.spelling import speller
from .huggingface.writing.into import added_entry
from .huggingface.writing.model import build_model
from .origin import ORIGIN, kept_origin
from .splitting import read_splitting

# how the files are called: as the libraries write them, and as GPT-2 was published
_NAMES = (("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"))
_CONFIG = "tokenizer_config.json"
_ADDED = "added_tokens.json"
_IDS = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\d+\s*[,}]')
_SPECIAL = re.compile(r"<[^<>\s]+>|\[[^\[\]\s]+\]")
# classes of transformers that split a text as GPT-2 does
_AS_GPT2 = {"GPT2", "Roberta", "Bart", "CodeGen", "Longformer", "LED", "Whisper", "Blenderbot"}
_BYTE_LEVEL = {"type": "ByteLevel", "trim_offsets": True}


def _split(pattern: str, behavior: str, *, invert: bool, cut: bool) -> dict[str, Any]:
    how = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}
    byte_level = {**_BYTE_LEVEL, "add_prefix_space": False, "use_regex": cut}
    return {"type": "Sequence", "pretokenizers": [how, byte_level]}


# the classes of transformers whose texts are split otherwise, as tokenizer.json has it
_CLASSES = {
    "Qwen2": {
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": _split(PATTERNS["qwen2"], "Isolated", invert=False, cut=False),
    },
    "CLIP": {
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "NFC"},
                {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
                {"type": "Lowercase"},
            ],
        },
        "pre_tokenizer": _split(CLIP, "Removed", invert=True, cut=True),
    },
}
# the list of merges that OpenAI published with CLIP: how its first line begins, how many of its
# merges are used, and its special tokens as open_clip names them
_SIMPLE = b'"bpe_simple_vocab_16e6.txt#version'
_SIMPLE_MERGES = 49152 - 256 - 2
_LARGEST, _LONGEST_LINE = 1 << 28, 1 << 24  # bytes of merges, little where they are packed
_SIMPLE_SPECIAL = ("<start_of_text>", "<end_of_text>")


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
    if path.is_file() and _is_simple(path):
        return _read_simple(path)
    ids_file, merges_file = _files(path)
    for file, other in ((ids_file, merges_file), (merges_file, ids_file)):
        if not file.is_file():
            raise InputError(
                f"{file}: cannot be read (it must be in the same folder as {other.name})"
            )
    merges = list(_merges(merges_file))
    vocab = read_json(ids_file)
    config = _beside(ids_file, _CONFIG)
    ended = any(right.endswith(SUFFIX) for _, right in merges)
    if ended and not all(spelled_bytes(bytes([byte])) in vocab for byte in range(256)):
        raise InputError(
            f"{merges_file}: its merges mark ends of words with {SUFFIX}, like CLIP's, but its "
            "tokens are text"
        )
    splitting, remarks = _splitting(config, ended)
    made = {text for left, right in merges for text in (left, right, left + right)}
    special = {
        text: number for text, number in vocab.items() if text not in made and _SPECIAL.match(text)
    }
    listed = _listed(config)
    added = {**special, **_beside(ids_file, _ADDED), **{e["content"]: n for n, e in listed.items()}}
    # transformers adds them in this order; what is no number is refused later
    ordered = sorted(added.items(), key=lambda item: item[1] if type(item[1]) is int else 0)
    vocabulary, more = _vocabulary(vocab, merges, dict(ordered), splitting, ids_file, renumber=True)
    if flags := flags_of(listed.values(), vocabulary.special):
        vocabulary = vocabulary.with_(special_flags=flags)
    if str(config.get("tokenizer_class")).startswith("CLIP"):
        vocabulary = _stripping(vocabulary)
    provenance = {**vocabulary.provenance, ORIGIN: _layouts(ids_file, vocab, merges_file)}
    return vocabulary.with_(provenance=provenance), remarks + more


def _layouts(ids_file: Path, vocab: dict[str, int], merges_file: Path) -> dict[str, Any]:
    """Returns how the two files are laid out."""
    try:
        text = read_text(ids_file)
        escaped = escapes(text)
        data = dict(sorted(vocab.items(), key=lambda item: item[1]))
        short = kept(text, {(): data}, escaped=escaped)
    except (InputError, TypeError, ValueError, RecursionError):
        return {}  # in another encoding, or with an entry that no one read
    with _opened(merges_file) as file:
        first = last = file.readline(_LONGEST_LINE)
        for line in iter(partial(file.readline, _LONGEST_LINE), b""):
            last = line
    return {
        "vocab": short,
        "escaped": escaped,
        "merges": first.decode("utf-8", "replace") if b"#version:" in first else "",
        "end": "\r\n" if first.endswith(b"\r\n") else "\n",
        "ended": last.endswith(b"\n"),
    }


def _vocabulary(
    vocab: dict[str, Any],
    merges: list[tuple[str, str]],
    special: dict[str, int],
    splitting: dict[str, Any],
    file: Path,
    *,
    renumber: bool = False,
) -> tuple[Vocabulary, list[str]]:
    ended = any(right.endswith(SUFFIX) for _, right in merges)
    model = {"type": "BPE", "vocab": vocab, "merges": merges}
    added = [{"content": text, "id": number, "special": True} for text, number in special.items()]
    return from_json(
        {
            **splitting,
            "added_tokens": added,
            "model": {**model, "end_of_word_suffix": SUFFIX if ended else None},
        },
        file,
        renumber=renumber,
    )


def _is_simple(path: Path) -> bool:
    with _opened(path) as file:
        return file.read(len(_SIMPLE)) == _SIMPLE


def _read_simple(path: Path) -> tuple[Vocabulary, list[str]]:
    """Reads CLIP's merges, which stand alone: ids are those of bytes, and then of merges."""
    merges = list(islice(_merges(path), _SIMPLE_MERGES))
    bytes_ = SPELLED_BYTES
    entries = [*bytes_, *(text + SUFFIX for text in bytes_), *map("".join, merges)]
    vocab = {text: number for number, text in enumerate(entries)}
    special = {text: len(entries) + place for place, text in enumerate(_SIMPLE_SPECIAL)}
    vocabulary, remarks = _vocabulary(vocab, merges, special, _CLASSES["CLIP"], path)
    names = "OpenAI's package names the special tokens <|startoftext|> and <|endoftext|>"
    before = (
        "OpenAI's package first changes a text with ftfy, html.unescape, and Python's lower(), by "
        "which a word that ends in Σ ends in ς"
    )
    return _stripping(vocabulary), [names, before, *remarks]


def _stripping(vocabulary: Vocabulary) -> Vocabulary:
    """Returns a vocabulary that decodes as CLIP's class does, without white space at the ends."""
    return vocabulary.with_(decoding=replace(vocabulary.decoding, stripped=True))


def _merges(path: Path) -> Iterator[tuple[str, str]]:
    """Yields the pairs that merge."""
    with _opened(path) as file:
        size = 0
        for number, line in enumerate(iter(partial(file.readline, _LONGEST_LINE), b""), 1):
            size += len(line)
            if size > _LARGEST:
                raise InputError(
                    f"{path}: it has more than {_LARGEST:,} bytes of merges, the limit"
                )
            if line.isspace() or (b"#version:" in line and number == 1):
                continue
            try:
                left, right = line.decode("utf-8").rstrip("\r\n").split(" ")
            except ValueError:  # UnicodeDecodeError too
                left = right = ""
            if not left or not right:
                raise InputError(f"{path}:{number}: expected the two parts of a merge")
            yield left, right


def _beside(file: Path, name: str) -> dict[str, Any]:
    other = file.with_name(name)
    return read_json(other) if other.is_file() else {}


def _listed(config: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """Returns the special tokens that a tokenizer_config.json lists, by their ids."""
    try:
        listed = {read_int(n): dict(e) for n, e in config.get("added_tokens_decoder", {}).items()}
        if all(isinstance(entry["content"], str) for entry in listed.values()):
            return listed
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise InputError(f"{_CONFIG} beside it does not list added tokens")


def _splitting(config: dict[str, Any], ended: bool) -> tuple[dict[str, Any], list[str]]:
    """Returns normalizer and pre-tokenizer as tokenizer.json has them, and a remark."""
    name = str(config.get("tokenizer_class") or "").removesuffix("Fast").removesuffix("Tokenizer")
    if name in _CLASSES:
        return _CLASSES[name], []
    why = f"its class {name}Tokenizer is unknown" if name else "the files hold none"
    if ended:
        return _CLASSES["CLIP"], [f"the normalizer and the pre-tokenizer are CLIP's: {why}"]
    prefix = bool(config.get("add_prefix_space", False))
    splitting = {"pre_tokenizer": {**_BYTE_LEVEL, "add_prefix_space": prefix, "use_regex": True}}
    if name in _AS_GPT2:
        return splitting, []
    return splitting, [f"the pre-tokenizer is GPT-2's: {why}; --pretokenizer names another"]


def _class_of(vocabulary: Vocabulary) -> str | None:
    """Returns the class of transformers that treats a text so, but for GPT-2's."""
    name = vocabulary.pretokenizer
    if ended := ends_words(name):
        name = without_ends(name or "")
    for class_, how in _CLASSES.items():
        cuts = read_splitting(how["pre_tokenizer"])[0]
        how_ = Normalizer(how["normalizer"]).name, cuts, class_ == "CLIP"
        if how_ == (vocabulary.normalizer, name, ended):
            return class_
    return None


def _adapt(vocabulary: Vocabulary, lost: list[GivenUp]) -> Vocabulary:
    class_ = _class_of(vocabulary)
    if class_ == "CLIP" and merges_inside(vocabulary) is None:
        class_ = None
    if class_ is not None:
        return vocabulary
    vocabulary = without_normalizer(vocabulary, lost, "GPT-2's class takes text as it is")
    if vocabulary.pretokenizer in (None, "gpt2"):
        return vocabulary
    return split_otherwise(vocabulary, lost, "text is split by GPT-2's pattern", "gpt2")


def _write(vocabulary: Vocabulary, path: Path) -> list[str]:
    spell = speller(vocabulary)
    pieces = zip(pieces_of(vocabulary), vocabulary.id_of, strict=True)
    vocab = {spell(piece) or "": number for piece, number in pieces if number >= 0}
    for text in vocabulary.special:
        if text in vocab:
            raise InputError(
                f"a token and a special token are both spelled {text!r}: rename one of them"
            )
    model = build_model(vocabulary, vocab, {})
    entries = sorted({**vocab, **vocabulary.special}.items(), key=lambda item: item[1])
    config = {
        "tokenizer_class": f"{_class_of(vocabulary) or 'GPT2'}Tokenizer",
        "add_prefix_space": False,
        "added_tokens_decoder": {
            str(number): added_entry(vocabulary, text)
            for text, number in vocabulary.special.items()
        },
    }
    layout = _LAYOUT | _layout_in(vocabulary)
    lines = [f"{left} {right}" for left, right in model.get("merges", ())]
    merges = layout["merges"] + layout["end"].join(lines)
    try:
        ids = rewritten(layout["vocab"], dict(entries), escaped=layout["escaped"])
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"the layout of its vocab.json that is stored in the vocabulary is damaged ({error!r})"
        ) from None
    path.mkdir()
    ids_file, merges_file = _files(path)
    write_atomic(ids_file, ids)
    write_atomic(merges_file, merges + layout["end"] * (layout["ended"] and bool(lines)))
    write_atomic(path / _CONFIG, json.dumps(config, ensure_ascii=False, indent=1) + "\n")
    missing = vocabulary.id_of[:256].count(-1)
    some = counted(missing, "byte", "has", "have")
    return [f"{some} no id: no text that holds one can be given to it"][: missing > 0]


# of files that are new
_LAYOUT: dict[str, Any] = {
    "vocab": '{\n"a": 0,\n"b": 1\n}\n',
    "escaped": False,
    "merges": "#version: 0.2\n",
    "end": "\n",
    "ended": True,
}


def _layout_in(vocabulary: Vocabulary) -> dict[str, Any]:
    """Returns how the files were laid out that the vocabulary came from, as far as it is known."""
    given = kept_origin(vocabulary, "escaped")
    return {key: given[key] for key, new in _LAYOUT.items() if type(given.get(key)) is type(new)}


def _replay(path: Path) -> Replay:
    ids_file, merges_file = _files(path)
    merges = list(_merges(merges_file))
    ended = any(right.endswith(SUFFIX) for _, right in merges)
    splitting, _ = _splitting(_beside(ids_file, _CONFIG), ended)
    model: dict[str, Any] = {"type": "BPE", "vocab": read_json(ids_file), "merges": merges}
    model["end_of_word_suffix"] = SUFFIX if ended else None
    data = {"version": "1.0", **splitting, "model": model}
    return replay_of(Library(data, "the format vocab-merges"))


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
    normalizes=True,
)
