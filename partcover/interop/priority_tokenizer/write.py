"""Writes a folder for transformers: a vocabulary, and a tokenizer class that covers by priority."""

from __future__ import annotations

import json
from pathlib import Path

from ...corpus.pretokenizers.byte_spelling import spelled_bytes
from ...errors import InputError
from ...runtime.files.writing import write_atomic
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import pieces_of
from ..splitting import patterns
from .files import CLASS, CONFIG, CUTTER, VOCABULARY


def write(vocabulary: Vocabulary, path: Path) -> list[str]:
    """Writes the folder: the vocabulary, the settings, and the code that segments by it.

    Raises
    ------
    InputError
        If a special token is spelled as a token.
    """
    vocab = {
        spelled_bytes(piece): number
        for piece, number in zip(pieces_of(vocabulary), vocabulary.id_of, strict=True)
        if number >= 0
    }
    for text in vocabulary.special:
        if text in vocab:
            raise InputError(
                f"a token and a special token are both spelled {text!r}: rename one of them"
            )
    content = {
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
    write_atomic(path / VOCABULARY, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    write_atomic(path / CONFIG, json.dumps(settings, indent=1) + "\n")
    write_atomic(path / "special_tokens_map.json", json.dumps(names, indent=1) + "\n")
    for name in (CUTTER, CLASS):
        write_atomic(path / name, Path(__file__).with_name(name).read_text("utf-8"))
    return ["it runs in plain Python: a prototype's speed"]
