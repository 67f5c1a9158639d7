"""Reads a tokenizer, and the corpora that it is audited, extended or pruned for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import partcover as pc

from ..errors import InputError
from ..runtime.files.kinds import kind_of
from ..vocabulary.rules import SegmentationRule
from .command import Options
from .inputs import read_vocabulary, with_pretokenizer
from .shown.output import Output


def read_tokenizer(path: str, pretokenizer: str | None) -> pc.Vocabulary:
    """Reads a tokenizer of text, whose own pre-tokenizer goes before the one that is named."""
    return _of_text(path, read_vocabulary(path), pretokenizer)


def read_base(path: str, pretokenizer: str | None, rule: SegmentationRule | None) -> pc.Vocabulary:
    """Reads a tokenizer or a list of tokens, ``.txt`` or ``.list``, under a rule that is named."""
    base = _of_text(path, pc.Vocabulary.load(path), pretokenizer)
    return base if rule is None else base.with_(rule=rule)


def _of_text(path: str, vocabulary: pc.Vocabulary, pretokenizer: str | None) -> pc.Vocabulary:
    if vocabulary.symbols == "ints":
        raise InputError(f"{path}: its tokens consist of integers, so it cannot tokenize text")
    return with_pretokenizer(path, vocabulary, pretokenizer)


def read_corpora(
    out: Output, base: pc.Vocabulary, asked: Options, keep: Sequence[str] = ()
) -> tuple[pc.WordCounts, pc.WordCounts | None]:
    """Reads the corpus of a command, and another to keep where it is named.

    Words that the vocabulary does not split text into are refused before any text is counted.
    """
    from ..adaptation.base import check_words

    corpora = {"the corpus": asked.files, "the corpus to keep": keep}
    read: dict[str, pc.WordCounts] = {}
    for name in sorted(corpora, key=lambda name: not _are_counted(corpora[name])):
        if corpora[name]:
            read[name] = read_corpus(
                out, base, corpora[name], key=asked.key, all_files=asked.all_files
            )
            check_words(base, read[name], name)
    return read["the corpus"], read.get("the corpus to keep")


def _are_counted(files: Sequence[str]) -> bool:
    return [kind_of(file) for file in files] == ["counts"]


def read_corpus(
    out: Output,
    base: pc.Vocabulary,
    files: Sequence[str],
    *,
    key: str = "text",
    all_files: bool = False,
) -> pc.WordCounts:
    """Reads word counts, or counts the words of text with a vocabulary's pre-tokenizer."""
    if not all_files:
        if _are_counted(files):
            return pc.WordCounts.load(files[0])
        refuse_tokenizers(files)
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


def refuse_tokenizers(files: Iterable[str]) -> None:
    """Refuses tokenizers where text is to be counted."""
    for file in files:
        if kind_of(file) == "tokenizer":
            raise InputError(
                f"{file}: this looks like a tokenizer, not a text; add --all-files to count it as "
                "text"
            )
