"""Defines the format of a priority tokenizer: a folder for transformers with its own class."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

from ...corpus.pretokenizers.byte_spelling import spelled_bytes
from ...corpus.pretokenizers.pretokenizer import Pretokenizer
from ...errors import InputError
from ...vocabulary.rules import SEGMENTATION_RULES, SegmentationRule
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import from_characters
from ..format import Format, GivenUp, Nearest, Replay, exported_module
from ..splitting import patterns
from .files import CONFIG, CUTTER, VOCABULARY
from .read import looks_like, read
from .write import write


def _adapt(vocabulary: Vocabulary) -> tuple[Vocabulary, list[GivenUp]]:
    reason = None
    try:
        Pretokenizer.from_name(vocabulary.pretokenizer or "none")
        if patterns(vocabulary.pretokenizer) is None:
            reason = "its class splits by patterns, whose matches are the words"
    except InputError as error:
        reason = str(error)
    if reason is None:
        return vocabulary, []
    lost = GivenUp(f"the pre-tokenizer {vocabulary.pretokenizer}", reason, "none")
    return vocabulary.with_(pretokenizer="none"), [lost]


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


def _other(rule: SegmentationRule) -> str | Nearest:
    if rule == "priority":
        return "a Python class"
    return Nearest("priority", "it is for priority; the format huggingface is for other rules")


PRIORITY_TOKENIZER = Format(
    name="priority-class",
    title="a folder for transformers with a tokenizer class of its own, in plain Python",
    rules={rule: _other(rule) for rule in SEGMENTATION_RULES},
    write=write,
    replay=_replay,
    read=read,
    recognises=looks_like,
    adapt=_adapt,
)
