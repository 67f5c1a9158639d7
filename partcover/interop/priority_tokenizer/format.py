"""Defines the format of a priority tokenizer: a folder for transformers with its own class."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

from ...corpus.pretokenizers.byte_spelling import spelled_bytes
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import from_characters
from ..format import Format, Replay, exported_module, only_rule
from ..given_up import GivenUp
from ..splitting import patterns, split_as
from .files import CONFIG, CUTTER, VOCABULARY
from .read import looks_like, read
from .write import write


def _adapt(vocabulary: Vocabulary, lost: list[GivenUp]) -> Vocabulary:
    reason = "its class splits by patterns, whose matches are the words"
    return split_as(vocabulary, lost, patterns, reason)


def _replay(path: Path) -> Replay:
    cutter = exported_module(path / CUTTER).PriorityCutter(str(path / VOCABULARY))

    def bytes_of(tokens: list[str]) -> list[bytes]:
        return [from_characters(token) or b"" for token in tokens]

    special = json.loads((path / CONFIG).read_bytes())["added_tokens_decoder"]
    ids = {entry["content"]: int(number) for number, entry in special.items()}
    return Replay(
        f"{CUTTER}, regex {importlib.metadata.version('regex')}",
        lambda words: [bytes_of(cutter.cut_word(spelled_bytes(word))) for word in words],
        lambda text: bytes_of(cutter.tokens(text)),
        lambda token: cutter.vocab.get(spelled_bytes(token)),
        ids.get,
    )


PRIORITY_TOKENIZER = Format(
    name="priority-class",
    title="a folder for transformers with a tokenizer class of its own, in plain Python",
    rules=only_rule(
        "priority",
        "a Python class",
        "it is for priority; the format huggingface is for other rules",
    ),
    write=write,
    replay=_replay,
    read=read,
    recognises=looks_like,
    adapt=_adapt,
)
