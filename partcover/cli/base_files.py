"""Reads a tokenizer, and the corpora that it is audited, scored, extended or pruned for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import partcover as pc

from ..corpus.files.sources import find_sources
from ..errors import InputError
from ..runtime.arguments import counted
from ..runtime.files.kinds import kind_of, other_than_utf8
from .inputs import read_vocabulary, read_words, with_pretokenizer
from .shown.output import Output


def read_tokenizer(
    path: str,
    pretokenizer: str | None,
    load: Callable[[str], pc.Vocabulary] = read_vocabulary,
) -> pc.Vocabulary:
    """Reads a tokenizer of text, whose own pre-tokenizer goes before the one that is named."""
    vocabulary = load(path)
    if vocabulary.symbols == "ints":
        raise InputError(f"{path}: its tokens consist of integers, so it cannot tokenize text")
    return with_pretokenizer(path, vocabulary, pretokenizer)


def is_counted(path: str) -> bool:
    """Returns whether a file holds counted words rather than text, perhaps with a mistake."""
    kind = kind_of(path)
    named = kind != "text" and path.endswith((".json", ".tsv"))
    return named or kind in ("counts", "instance")


def read_corpus(
    out: Output,
    base: pc.Vocabulary,
    files: Sequence[str],
    *,
    key: str = "text",
    all_files: bool = False,
) -> pc.WordCounts:
    """Reads the counted words of one file, or counts those of text with its pre-tokenizer."""
    if not all_files:
        refuse_tokenizers(files)
        if len(files) == 1 and is_counted(files[0]):
            return read_words(files[0], base)
    if base.symbols == "ints":
        raise InputError(
            f"{files[0]}: the tokens of the vocabulary consist of integers, so it cannot tokenize "
            "text"
        )
    return out.run(
        "counting",
        pc.WordCounts.from_files,
        files,
        pretokenizer=base.need_pretokenizer(),
        normalizer=base.normalizer,
        symbols=base.symbols,
        key=key,
        all_files=all_files,
    )


def note_other_than_utf8(out: Output, files: Sequence[str], *, all_files: bool) -> None:
    """Remarks on files that were read as UTF-8 text and begin as something else, by the first."""
    found = [
        (source.path, what)
        for source in find_sources(files, all_files=all_files)
        if source.kind == "text"
        and not source.packing
        and (what := other_than_utf8(source.path)) is not None
    ]
    if found:
        path, what = found[0]
        others = f" (and {counted(len(found) - 1, 'more file')})" if len(found) > 1 else ""
        out.note(
            f"{path}{others}: this looks like {what}, and its bytes were taken as UTF-8 text; "
            "convert it to UTF-8 first, if it is text"
        )


def refuse_tokenizers(files: Iterable[str]) -> None:
    """Refuses tokenizers where text is to be counted."""
    for file in files:
        if kind_of(file) == "tokenizer":
            raise InputError(
                f"{file}: this looks like a tokenizer, not a text; add --all-files to count it as "
                "text"
            )
