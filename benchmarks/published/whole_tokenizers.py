"""Tries a published tokenizer whole: in, encoded and decoded, audited, changed, and out again.

`tokenizers_people_run.py --whole` runs it; each result is the number of texts that come out as the
tokenizer's own library has them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from published_tokenizers import Own, Published, own_library, readable

from partcover import (
    Bound,
    Encoder,
    InputError,
    Vocabulary,
    WordCounts,
    audit_tokenizer,
    check_certificate,
    export,
    extend,
    prune,
)
from partcover.encoding.offsets import Trim
from partcover.interop.huggingface.frame import trim_of
from partcover.studies.audited_text import words_of_files

CHECKS = ["ids", "decoding", "offsets", "audit", "export", "extend", "prune"]
ADDED = 100
SECONDS = 1.0

# the format that goes back into the tokenizer's own library
_FORMATS = {
    "tokenizers": "huggingface", "clip": "huggingface", "bert": "huggingface",
    "sentencepiece": "sentencepiece", "tekken": "tekken", "tiktoken": "tiktoken", "rwkv": "rwkv",
}  # fmt: skip


def whole(published: Published, texts: list[str], corpora: dict[str, str]) -> dict[str, Any]:
    """Returns for each of `CHECKS` how many texts are right, of how many, and the first remark.

    Parameters
    ----------
    published : Published
        The tokenizer.
    texts : list of str
        What is encoded and decoded.
    corpora : dict of str to str
        Texts by name to audit, and to extend and prune for.
    """
    row: dict[str, Any] = {"name": published.name, "package": published.package}
    try:
        vocabulary = Vocabulary.load(readable(published))
        how = {
            "pretokenizer": vocabulary.need_pretokenizer(),
            "normalizer": vocabulary.normalizer,
        }
        own = own_library(published, readable(published))
    except (InputError, ImportError) as error:
        return {**row, "remark": str(error)}
    encoder = Encoder(vocabulary)
    ids = list(map(own.encode, texts))
    row["ids"] = _equal(ids, [encoded(encoder, text) for text in texts])
    row["decoding"] = _equal(list(map(own.decode, ids)), encoder.decode_batch(ids, "replace"))
    if own.offsets is not None:
        trim = trim_of(vocabulary)  # as the file says
        same = [_same_offsets(own.offsets(text), encoder, text, trim) for text in texts]
        row["offsets"] = [sum(same), len(same)]
    words = WordCounts.from_texts(corpora.values(), symbols=vocabulary.symbols, **how)
    checks: dict[str, Callable[[], list[int]]] = {
        "audit": lambda: _audits(vocabulary, own, corpora),
        "export": lambda: _goes_back(published, vocabulary, texts, ids),
        "extend": lambda: _goes_back(
            published, extend(vocabulary, words, ADDED, time_limit=SECONDS).vocabulary, texts
        ),
        "prune": lambda: _goes_back(
            published,
            prune(vocabulary, words, len(vocabulary) // 2, time_limit=SECONDS).vocabulary,
            texts,
        ),
    }
    for name, check in checks.items():
        try:
            row[name] = check()
        except InputError as error:
            row[name] = [0, len(corpora) if name == "audit" else len(texts)]
            row.setdefault("refused", {})[name] = str(error)
    return row


def unchanged(published: Published) -> str:
    """Exports a tokenizer as it is, by way of a vocabulary file; returns whether bytes differ."""
    path = readable(published)
    with tempfile.TemporaryDirectory() as folder:
        saved, target = Path(folder, "vocabulary.json"), Path(folder, path.name)
        try:
            Vocabulary.load(path).save(saved)
            export(Vocabulary.load(saved), target, _FORMATS[published.own])
        except InputError as error:
            return f"refused: {error}"
        if target.is_dir():
            return "another format: " + ", ".join(sorted(file.name for file in target.iterdir()))
        return "equal" if target.read_bytes() == path.read_bytes() else "differs"


def _equal(theirs: list[Any], ours: list[Any]) -> list[int]:
    """Returns how many are equal, of how many."""
    return [sum(a == b for a, b in zip(theirs, ours, strict=True)), len(theirs)]


def encoded(encoder: Encoder, text: str) -> list[int] | None:
    """Returns the ids; None where a byte has none, which some libraries leave out."""
    try:
        return encoder.encode(text)
    except InputError:
        return None


def _same_offsets(theirs: list[Any], encoder: Encoder, text: str, trim: Trim) -> bool:
    """Compares what tokens stand for, as far as the library says it (`Own.offsets`)."""
    if encoded(encoder, text) is None:
        return False
    _, ours = encoder.encode_with_offsets(text, unit="chars", trim=trim)
    return len(theirs) == len(ours) and all(
        there in (None, span, span[0]) for there, span in zip(theirs, ours, strict=True)
    )


def _audits(vocabulary: Vocabulary, own: Own, corpora: dict[str, str]) -> list[int]:
    """Audits each corpus: the count must be the library's, each bound be confirmed."""
    right = 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "text.txt")
        for text in corpora.values():
            file.write_text(text, "utf-8", newline="")
            found = words_of_files(vocabulary, [file])
            theirs = len(own.encode(text))
            audit = audit_tokenizer(
                vocabulary,
                found.words,
                own_tokens=theirs,
                added_found=found.added,
                time_limit=SECONDS,
                added=(),
            )
            proven = [audit.bound, audit.bound_used]
            confirmed = all(map(_is_confirmed, filter(None, proven)))
            right += Encoder(vocabulary).count(text) == theirs and confirmed
    return [right, len(corpora)]


def _is_confirmed(bound: Bound) -> bool:
    """Checks a bound by code that shares nothing with the search."""
    checked = check_certificate(bound.instance, bound.certificate)
    return checked.ok and checked.lower_bound >= bound.lower_bound


def _goes_back(
    published: Published,
    vocabulary: Vocabulary,
    texts: list[str],
    expected: Sequence[list[int] | None] | None = None,
) -> list[int]:
    """Exports a vocabulary, and compares its own library with us, or with ids that are known."""
    name = _FORMATS[published.own]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / ("exported" if name == "huggingface" else published.path.name)
        export(vocabulary, target, name)
        own = own_library(published, target)
        encoder = Encoder(vocabulary)
        ids = expected or [encoded(encoder, text) for text in texts]
        return _equal(list(map(own.encode, texts)), ids)
