"""Hugging Face tokenizers: tokenizer.json, alone or in a folder."""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError
from ..vocabulary import Vocabulary
from .frame import Format, Nearest, Replay

__all__ = ["HUGGINGFACE"]


def _write(vocabulary: Vocabulary, path: Path) -> list[str]:
    raise InputError("not there yet")


def _replay(path: Path) -> Replay:
    raise InputError("not there yet")


HUGGINGFACE = Format(
    name="huggingface",
    title="Hugging Face tokenizers (tokenizer.json)",
    extra="huggingface",
    rules={
        "shortest_path": "Unigram, equal scores",
        "longest_match": "WordPiece, no prefix",
        "merges": "BPE",
        "likelihood": "Unigram",
        "single_symbols": "Unigram without tokens",
        "random_path": Nearest("shortest_path", "no model draws among shortest paths"),
        "priority": Nearest("shortest_path", "no model covers in an order of priority"),
    },
    write=_write,
    replay=_replay,
    read=None,
    recognises=lambda path: False,
)
