"""Shows the scores of a vocabulary: reads the texts or counts, and makes the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.instance import Instance
from ..report.tables import Listing, facts
from ..runtime.file_kinds import kind_of
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .exit_status import EXIT_INTERRUPTED
from .inputs import other_words, read_any_vocabulary, with_pretokenizer
from .output import Output

__all__ = ["ScoreOptions", "read_words", "show_scores"]

_TEXTS = {
    "corpus": "text",
    "total_count": "words",
    "bytes": "bytes",
    "tokens": "tokens",
    "tokens_per_word": "per word",
    "bytes_per_token": "bytes/token",
}
_USE = {
    "corpus": "text",
    "whole_share": "words kept whole",
    "used": "tokens used",
    "never_used": "never used",
    "renyi_efficiency": "Rényi efficiency",
}
_GAPS = {
    "corpus": "text",
    "lower_bound": "lower bound",
    "gap": "gap",
    "vocabulary_gap": "by the vocabulary",
    "rule_gap": "by the rule",
}
_PARITY = {"per": "tokens per", "worst_over_best": "worst/best", "gini": "Gini"}


@dataclass(frozen=True)
class ScoreOptions:
    """How texts become words, and the seconds for the lower bounds."""

    pretokenizer: str | None
    key: str
    time_limit: float


def show_scores(
    out: Output,
    path: str,
    corpora: Sequence[str],
    rule: SegmentationRule | None,
    options: ScoreOptions,
) -> int:
    """Scores a vocabulary on texts or counts, and shows the tables; returns the exit status."""
    from ..studies.vocabulary_scores import score_vocabulary

    if not corpora:
        raise click.UsageError("--scores needs a text: inspect V.json TEXT --scores")
    vocabulary = with_pretokenizer(path, read_any_vocabulary(path), options.pretokenizer)
    words = {}
    for corpus, name in _names(corpora).items():
        words[name] = _counted(out, corpus, vocabulary, options.key)
        for remark in other_words(vocabulary, words[name]):
            out.note(f"{name}: {remark}")
    with out.events(None, phase="bound", time_limit=options.time_limit) as progress:
        scores = score_vocabulary(
            vocabulary,
            words,
            rule,
            time_limit=options.time_limit,
            threads=out.threads,
            progress=progress,
        )
    data = {
        "method": vocabulary.method,
        "symbols": vocabulary.symbols,
        "pretokenizer": vocabulary.pretokenizer,
        **scores.to_json(),
    }
    out.result(data, *_tables(data))
    return EXIT_INTERRUPTED if scores.is_interrupted else 0


def read_words(path: str, vocabulary: Vocabulary) -> WordCounts:
    """Reads the words of counts or of an instance, over the symbols of the vocabulary."""
    if path.endswith(".json"):
        words = Instance.load(path).words
        if words.symbols != vocabulary.symbols:
            raise InputError(
                f"{path}: words over {words.symbols}, the vocabulary is over {vocabulary.symbols}"
            )
        return words
    return WordCounts.load(path, vocabulary.symbols)


def _counted(out: Output, path: str, vocabulary: Vocabulary, key: str) -> WordCounts:
    """Reads counted words, or counts those of a text as the vocabulary cuts it."""
    kind = kind_of(path)
    if kind in ("counts", "instance") or path.endswith((".json", ".tsv")):
        return read_words(path, vocabulary)
    if kind == "tokenizer":
        raise InputError(f"{path}: this looks like a tokenizer, no text")
    if vocabulary.symbols == "ints":
        raise InputError(f"{path}: text, and the vocabulary is over integers")
    with out.progress("counting") as progress:
        return WordCounts.from_files(
            path,
            pretokenizer=vocabulary.need_pretokenizer(),
            normalizer=vocabulary.normalizer,
            symbols=vocabulary.symbols,
            key=key,
            threads=out.threads,
            progress=progress,
        )


def _names(paths: Sequence[str]) -> dict[str, str]:
    """Names corpora as their files are, by the whole path where two are alike."""
    paths = list(dict.fromkeys(paths))
    short = [Path(path).name for path in paths]
    return {
        path: path if short.count(name) > 1 else name
        for path, name in zip(paths, short, strict=True)
    }


def _tables(data: dict[str, Any]) -> list[Listing]:
    """Makes the tables; the CSV has a row for each corpus."""
    rows = data["corpora"]
    known = {
        "tokens held": data["size"],
        "segmentation rule": data["rule"].replace("_", " "),
        "tokens that can never come out": data["unreachable"],
    }
    tables = [replace(facts(known), data=rows)]
    tables.append(Listing(rows, _TEXTS, "what becomes of a text"))
    tables.append(Listing(rows, _USE, "how its tokens are used"))
    if any("gap" in row for row in rows):
        tables.append(Listing(rows, _GAPS, "how far from the optimum of its size"))
    if data["parity"]:
        tables.append(Listing(data["parity"], _PARITY, "how evenly these texts are served"))
    return tables
