"""Implements the command ``score``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

import partcover as pc

from ....errors import InputError
from ....report.tables.scores import score_tables
from ....runtime.files.kinds import kind_of
from ...base_files import is_counted, note_other_than_utf8, read_corpus
from ...command import Options, command
from ...exit_status import EXIT_INTERRUPTED
from ...inputs import names_of, note_other_words, read_vocabulary, with_pretokenizer
from ...shown.output import Output

_ORDER, _CONTEXT = 3, 8  # of the n-gram model in tokens, and of another in bytes


@command("score", keeps_best=True)
def score_command(out: Output, vocab: str, files: tuple[str, ...], asked: Options) -> int:
    """Score vocabularies on texts by standard measures and the optimality gap.

    The tables show tokens per word, bytes per token, words kept whole, Rényi efficiency, the gap to
    a proven lower bound, and parity between texts. Each vocabulary splits text into words with its
    own pre-tokenizer.

    Options:
    vocab <V.json: Vocabulary file, or a tokenizer that `import` reads.
    files <TEXT|C.tsv|I.json|V2.json...: Texts that `count` reads, word counts, or instances; and
      further vocabularies to score.
    --train <TEXT...: Training text of an n-gram model for bits per byte.
    --time-limit SECONDS = 4: Total time for the lower bounds; 0 for no bounds.
    --key, --pretokenizer, --rule, --all-files, --threads, -o, tables
    $ partcover score tokenizer.json other.txt
    $ partcover score a.json b.json tokenizer.json other.txt  # compare several
    $ partcover score tokenizer.json other.txt --train book.txt  # also show bits per byte
    """
    paths = [vocab, *(path for path in files if _is_vocabulary(path))]
    corpora = [path for path in files if path not in paths]
    if not corpora:
        raise click.UsageError("a text is missing: score V.json TEXT")
    for text in (*corpora, *asked.train) if asked.train else ():
        if is_counted(text):
            raise InputError(f"{text}: --train needs text, not word counts")
        if text == "-":
            raise InputError(
                "--train reads the texts several times: give files instead of standard input"
            )
    named = names_of(paths)
    if len(named) > 1 and "-" in corpora:
        raise InputError(
            "several vocabularies each read the text: give a file instead of standard input"
        )
    vocabularies = {
        name: with_pretokenizer(path, read_vocabulary(path), asked.pretokenizer)
        for path, name in named.items()
    }
    limit = asked.time_limit / len(named)
    scored: list[dict[str, Any]] = []
    status = 0
    for name, vocabulary in vocabularies.items():
        data, is_interrupted = _scores(out, vocabulary, names_of(corpora), asked, limit)
        scored.append({"vocabulary": name, **data})
        if is_interrupted:  # the others have all but bounds
            limit, status = 0.0, EXIT_INTERRUPTED
    note_other_than_utf8(out, [*corpora, *asked.train], all_files=asked.all_files)
    tables = score_tables(scored)
    if len(scored) == 1:
        del scored[0]["vocabulary"]
    out.result(scored[0] if len(scored) == 1 else {"vocabularies": scored}, *tables)
    return status


def _scores(
    out: Output, vocabulary: pc.Vocabulary, names: dict[str, str], asked: Options, limit: float
) -> tuple[dict[str, Any], bool]:
    """Returns the scores of a vocabulary as JSON, and whether Ctrl-C has ended the bounds."""
    reading = {"key": asked.key, "all_files": asked.all_files}
    words = {}
    for corpus, name in names.items():
        words[name] = read_corpus(out, vocabulary, [corpus], **reading)
        note_other_words(out, vocabulary, words[name], name)
    if asked.train:
        from ....studies.bits_per_byte import measure_texts

        texts = _texts(asked.train, reading), (_texts([path], reading) for path in names)
        limits = {"order": _ORDER, "context_bytes": _CONTEXT, "rule": asked.rule}
        bits = out.run("language model", measure_texts, vocabulary, *texts, **limits)
    measured = (vocabulary, words, asked.rule)
    scores = out.run("bound", pc.score_vocabulary, *measured, time_limit=limit)
    data = {
        "method": vocabulary.method,
        "symbols": vocabulary.symbols,
        "pretokenizer": vocabulary.pretokenizer,
        **scores.to_json(),
    }
    if asked.train:
        data["language_model"] = {"order": _ORDER, "context_bytes": _CONTEXT}
        for row, of_corpus in zip(data["corpora"], bits, strict=True):
            row |= of_corpus
    return data, scores.is_interrupted


def _texts(paths: Sequence[str], reading: dict[str, Any]) -> Iterator[bytes]:
    """Yields the texts of files."""
    from ....corpus.files.readers import texts_of

    return (text for _, text in texts_of(paths, **reading))


def _is_vocabulary(path: str) -> bool:
    """Returns whether a file or folder holds tokens rather than text."""
    if path.endswith((".model", ".tiktoken")) or Path(path, "tokenizer.json").is_file():
        return True
    return kind_of(path) in ("vocabulary", "tokenizer")
