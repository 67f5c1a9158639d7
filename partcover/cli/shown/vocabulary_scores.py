"""Shows the scores of vocabularies: reads the texts or counts, and makes the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

import partcover as pc

from ...errors import InputError
from ...report.tables.scores import score_tables
from ...runtime.files.kinds import kind_of
from ..base_files import read_corpus
from ..command import Options
from ..exit_status import EXIT_INTERRUPTED
from ..inputs import note_other_words, read_vocabulary, read_words, with_pretokenizer
from .output import Output

_ORDER, _CONTEXT = 3, 8  # of the n-gram model in tokens, and of another in bytes


def show_scores(out: Output, first: str, others: Sequence[str], options: Options) -> int:
    """Scores one vocabulary or several on texts or counts; returns the exit status."""
    paths = [first, *(path for path in others if _is_vocabulary(path))]
    corpora = [path for path in others if path not in paths]
    if not corpora:
        raise click.UsageError("--scores needs a text: inspect V.json TEXT --scores")
    for text in (*corpora, *options.train) if options.train else ():
        if _is_counted(text):
            raise InputError(f"{text}: --train needs text, not word counts")
        if text == "-":
            raise InputError(
                "--train reads the texts several times: give files instead of standard input"
            )
    named = _names(paths)
    if len(named) > 1 and "-" in corpora:
        raise InputError(
            "several vocabularies each read the text: give a file instead of standard input"
        )
    vocabularies = {
        name: with_pretokenizer(path, read_vocabulary(path), options.pretokenizer)
        for path, name in named.items()
    }
    limit = options.time_limit / len(named)
    scored: list[dict[str, Any]] = []
    status = 0
    for name, vocabulary in vocabularies.items():
        data, is_interrupted = _scores(out, vocabulary, _names(corpora), options, limit)
        scored.append({"vocabulary": name, **data})
        if is_interrupted:  # the others have all but bounds
            limit, status = 0.0, EXIT_INTERRUPTED
    tables = score_tables(scored)
    if len(scored) == 1:
        del scored[0]["vocabulary"]
    out.result(scored[0] if len(scored) == 1 else {"vocabularies": scored}, *tables)
    return status


def _scores(
    out: Output, vocabulary: pc.Vocabulary, names: dict[str, str], options: Options, limit: float
) -> tuple[dict[str, Any], bool]:
    """Returns the scores of a vocabulary as JSON, and whether Ctrl-C has ended the bounds."""
    words = {}
    for corpus, name in names.items():
        words[name] = _counted(out, corpus, vocabulary, options.key)
        note_other_words(out, vocabulary, words[name], name)
    if options.train:
        from ...studies.bits_per_byte import measure_texts

        texts = _texts(options.train, options), (_texts([path], options) for path in names)
        limits = {"order": _ORDER, "context_bytes": _CONTEXT, "rule": options.rule}
        bits = out.run("language model", measure_texts, vocabulary, *texts, **limits)
    asked = (vocabulary, words, options.rule)
    scores = out.run("bound", pc.score_vocabulary, *asked, time_limit=limit)
    data = {
        "method": vocabulary.method,
        "symbols": vocabulary.symbols,
        "pretokenizer": vocabulary.pretokenizer,
        **scores.to_json(),
    }
    if options.train:
        data["language_model"] = {"order": _ORDER, "context_bytes": _CONTEXT}
        for row, of_corpus in zip(data["corpora"], bits, strict=True):
            row |= of_corpus
    return data, scores.is_interrupted


def _texts(paths: Sequence[str], options: Options) -> Iterator[bytes]:
    """Yields the texts of files."""
    from ...corpus.files.readers import texts_of

    return (text for _, text in texts_of(paths, key=options.key))


def _is_vocabulary(path: str) -> bool:
    """Returns whether a file or folder holds tokens rather than text."""
    if path.endswith((".model", ".tiktoken")) or Path(path, "tokenizer.json").is_file():
        return True
    return kind_of(path) in ("vocabulary", "tokenizer")


def _is_counted(path: str) -> bool:
    """Returns whether a file holds counted words rather than text."""
    return kind_of(path) in ("counts", "instance") or path.endswith((".json", ".tsv"))


def _counted(out: Output, path: str, vocabulary: pc.Vocabulary, key: str) -> pc.WordCounts:
    """Reads word counts, or counts the words of a text with the vocabulary's pre-tokenizer."""
    if _is_counted(path):
        return read_words(path, vocabulary)
    if vocabulary.symbols == "ints":
        raise InputError(
            f"{path}: the tokens of the vocabulary consist of integers, so it cannot tokenize text"
        )
    return read_corpus(out, vocabulary, [path], key=key, all_files=True)


def _names(paths: Sequence[str]) -> dict[str, str]:
    """Names corpora as their files are, by the whole path where two are alike."""
    paths = list(dict.fromkeys(paths))
    short = [Path(path).name for path in paths]
    return {
        path: path if short.count(name) > 1 else name
        for path, name in zip(paths, short, strict=True)
    }
