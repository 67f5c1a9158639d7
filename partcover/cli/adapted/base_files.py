"""Reads a tokenizer, and the corpora that it is audited, extended or pruned for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...runtime.files.kinds import kind_of
from ..inputs import read_any_vocabulary, with_pretokenizer
from ..shown.output import Output

if TYPE_CHECKING:
    from ...corpus.word_counts import WordCounts
    from ...vocabulary.vocabulary import Vocabulary

__all__ = ["read_base", "read_corpora", "read_corpus", "read_tokenizer"]


def read_tokenizer(path: str, pretokenizer: str | None) -> Vocabulary:
    """Reads a tokenizer, whose own pre-tokenizer goes before the one that is named.

    Raises
    ------
    InputError
        If it cannot be read, is over integers, or has another pre-tokenizer.
    """
    return _of_text(path, read_any_vocabulary(path), pretokenizer)


def read_base(path: str, pretokenizer: str | None) -> Vocabulary:
    """Reads what `read_tokenizer` does, and a list of tokens by its name, ``.txt`` or ``.list``."""
    from ...vocabulary.vocabulary import Vocabulary

    return _of_text(path, Vocabulary.load(path), pretokenizer)


def _of_text(path: str, vocabulary: Vocabulary, pretokenizer: str | None) -> Vocabulary:
    if vocabulary.symbols == "ints":
        raise InputError(f"{path}: its tokens consist of integers, so it cannot tokenize text")
    return with_pretokenizer(path, vocabulary, pretokenizer)


def read_corpora(
    out: Output, base: Vocabulary, corpora: Mapping[str, Sequence[str]], **reading: Any
) -> dict[str, WordCounts]:
    """Reads several corpora, those of counted words first, and checks each for the vocabulary.

    Raises
    ------
    InputError
        As `read_corpus` does, or for words that the vocabulary does not split text into, before
        any text is counted.
    """
    from ...adaptation.base import check_words

    read: dict[str, WordCounts] = {}
    for name in sorted(corpora, key=lambda name: not _are_counted(corpora[name])):
        if corpora[name]:
            read[name] = read_corpus(out, base, corpora[name], **reading)
            check_words(base, read[name], name)
    return read


def _are_counted(files: Sequence[str]) -> bool:
    return [kind_of(file) for file in files] == ["counts"]


def read_corpus(
    out: Output, base: Vocabulary, files: Sequence[str], *, key: str, all_files: bool
) -> WordCounts:
    """Reads word counts, or counts the words of text with a vocabulary's pre-tokenizer."""
    from ...corpus.word_counts import WordCounts

    kinds = [None if all_files else kind_of(file) for file in files]
    if kinds == ["counts"]:
        return WordCounts.load(files[0])
    for file, kind in zip(files, kinds, strict=True):
        if kind == "tokenizer":
            raise InputError(
                f"{file}: this looks like a tokenizer, not a text; add --all-files to count it as "
                "text"
            )
    with out.progress("counting") as progress:
        return WordCounts.from_files(
            files,
            pretokenizer=base.need_pretokenizer(),
            normalizer=base.normalizer,
            symbols=base.symbols,
            key=key,
            threads=out.threads,
            progress=progress,
            all_files=all_files,
        )
