"""Writes and reads the authors' GreedTok: its tokenizer class's folder, or a file of tokens."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..corpus.pretokenizers.phrases import name_of_pattern, split_pattern
from ..errors import InputError, MissingExtra
from ..runtime.files.writing import read_json, write_atomic
from ..vocabulary.subset import only
from ..vocabulary.vocabulary import Vocabulary
from .format import Format, Replay, only_rule
from .given_up import GivenUp, keep, split_otherwise, with_ascending_ids
from .ranks.hex_vocab import adapt_lines, by_id, from_lines, hex_lines, write_hex
from .token_list import not_carried

_TOKENS, _SPECIAL, _CONFIG = (
    "added_tokens.txt",
    "special_tokens_map.json",
    "tokenizer_config.json",
)
_WHOLE = r"[\s\S]+"  # the text is one word


def _adapt(vocabulary: Vocabulary, lost: list[GivenUp]) -> Vocabulary:
    kept = [place for place, token in enumerate(vocabulary) if b"\0" not in bytes(token)]  # type: ignore[arg-type]
    why = "the authors' encoder would look for the NUL beyond the end of a word"
    vocabulary = keep(vocabulary, lost, kept, "that hold a NUL", why)
    vocabulary = adapt_lines(vocabulary, lost)
    vocabulary = with_ascending_ids(vocabulary, lost, "the order of the lines is the priority")
    if vocabulary.pretokenizer is None or _pattern(vocabulary.pretokenizer) is not None:
        return vocabulary
    return split_otherwise(vocabulary, lost, "it is not one pattern", None)


def _pattern(pretokenizer: str) -> str | None:
    """Returns a pre-tokenizer as the one pattern, with findall, that a folder holds."""
    return _WHOLE if pretokenizer == "none" else split_pattern(pretokenizer)


def _write(vocabulary: Vocabulary, path: Path) -> list[str]:
    tokens, remarks = by_id(vocabulary)
    path.mkdir(exist_ok=True)
    write_hex(path / _TOKENS, tokens)
    write_atomic(path / _SPECIAL, "{}\n")
    pattern = _pattern(vocabulary.pretokenizer or "none")
    config = {"pattern": pattern, "tokenizer_class": "GreedTok"}
    write_atomic(path / _CONFIG, json.dumps(config, ensure_ascii=False, indent=2) + "\n")
    return [*remarks, *not_carried(vocabulary.with_(pretokenizer=None))]


def _read(path: Path) -> tuple[Vocabulary, list[str]]:
    if path.is_file():
        vocabulary, remarks = from_lines(hex_lines(path), "priority")
        return vocabulary, [*remarks, "a file of tokens holds no pre-tokenizer"]
    lines = hex_lines(path / _TOKENS)
    vocabulary, remarks = from_lines(lines, "priority")
    special: dict[str, int] = {}
    if (path / _SPECIAL).exists():
        for name, text in read_json(path / _SPECIAL).items():
            for part in text if isinstance(text, list) else [text]:
                content: Any = part.get("content") if isinstance(part, dict) else part
                try:
                    listed = content.encode()
                except (AttributeError, UnicodeEncodeError):  # no text, or not UTF-8
                    listed = b""
                if listed not in lines:
                    raise InputError(
                        f"{path / _SPECIAL}: {name} is {content!r}, which {_TOKENS} does not list"
                    )
                special[content] = lines.index(listed)
    if special:
        names = {text.encode() for text in special}
        kept = [place for place, token in enumerate(vocabulary) if token not in names]
        vocabulary = only(vocabulary, kept)
        singles = [-1 if number in special.values() else number for number in vocabulary.id_of]
        vocabulary = vocabulary.with_(ids=singles, special=special)
        remarks.append("the authors' encoder also finds special tokens inside words")
    if (path / _CONFIG).exists():
        pattern = read_json(path / _CONFIG).get("pattern", _DEFAULT)
        if not isinstance(pattern, str):
            raise InputError(f"{path / _CONFIG}: the pattern {pattern!r} is not text")
        named = {_DEFAULT: "gpt2", _WHOLE: "none"}.get(pattern) or name_of_pattern(pattern)
        if named is not None:
            vocabulary = vocabulary.with_(pretokenizer=named)
        else:
            shown = pattern.encode(errors="backslashreplace").decode()
            remarks.append(f"its pattern is not a known pre-tokenizer: {shown}")
    return vocabulary, remarks


# GPT-2's pattern as the authors write it
_DEFAULT = r"""'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""


def _recognises(path: Path) -> bool:
    return (path / _TOKENS).is_file()


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Discards what native code prints on standard output."""
    sys.stdout.flush()
    saved, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(saved, 1)
        os.close(saved)
        os.close(nowhere)


def _replay(path: Path) -> Replay:
    try:
        from importlib.metadata import version

        import regex
        from pcatt import greedy_encoder
    except ImportError as error:
        missing = MissingExtra("greedtok", "greedtok", "replaying a GreedTok vocabulary")
        if not isinstance(error, ModuleNotFoundError):  # it lacks a library of the system
            missing = MissingExtra(
                "greedtok",
                "greedtok",
                "replaying a GreedTok vocabulary",
                f"cannot be loaded ({error})",
                "install that library (libtbb is Debian's and Ubuntu's libtbb12, Fedora's tbb; or "
                "pip install tbb, with the folder lib of the environment in LD_LIBRARY_PATH)",
            )
        raise missing from None
    with _silent():
        encoder = greedy_encoder.build(hex_lines(path / _TOKENS), {})
    content = [bytes(encoder.get_rule(n)) for n in range(encoder.get_rules_size())]
    pattern = regex.compile(read_json(path / _CONFIG)["pattern"])

    def cut(pieces: Sequence[bytes]) -> list[bytes]:
        return [content[number] for number in encoder.tokenize_presplit(pieces)]

    def words(pieces: Sequence[bytes]) -> list[list[bytes] | None]:
        return [cut([piece]) for piece in pieces]

    def text(whole: str) -> list[bytes]:
        return cut([part.encode("utf-8") for part in pattern.findall(whole)])

    id_of: dict[Any, int] = {token: number for number, token in enumerate(content)}
    return Replay(f"greedtok {version('greedtok')}", words, text, id_of.get)


GREEDTOK = Format(
    name="greedtok",
    title="the authors' GreedTok: the folder of their tokenizer class",
    rules=only_rule(
        "priority",
        "covering by priority; see the page on two neighbouring copies of a token",
        "GreedTok covers in the order of the tokens",
    ),
    write=_write,
    replay=_replay,
    read=_read,
    recognises=_recognises,
    adapt=_adapt,
)
