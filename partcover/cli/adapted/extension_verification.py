"""Reads what ``verify`` takes of ``extend``: a vocabulary, and the corpus that it is for."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...runtime.files.kinds import kind_of
from ..command import Function
from ..inputs import InstanceSource
from ..shown.output import Output
from .base_files import read_corpus

if TYPE_CHECKING:
    from ...problem.instance import Instance
    from ...vocabulary.vocabulary import Vocabulary

__all__ = ["extended_instances", "extended_vocabulary", "vocabulary_first"]


def vocabulary_first(function: Function) -> Function:
    """Takes a vocabulary that comes before the input as the one to check: ``verify NEW CORPUS``."""

    @functools.wraps(function)
    def wrapper(*, corpora: tuple[str, ...], vocab: str | None, **options: Any) -> Any:
        swapped = vocab is None and len(corpora) == 2 and not options["minimax"]
        if swapped and kind_of(corpora[0]) == "vocabulary":
            vocab, *rest = corpora
            corpora = tuple(rest)
        return function(corpora=corpora, vocab=vocab, **options)

    return wrapper


def extended_vocabulary(source: InstanceSource, path: str | None) -> Vocabulary | None:
    """Returns the vocabulary of a file that says how it was extended, if nothing else does.

    With an instance file, a budget, candidates or other options, the instance is what these say.
    """
    from ...vocabulary.vocabulary import Vocabulary

    if path is None or source.corpus is None or source != InstanceSource(source.corpus):
        return None
    if kind_of(path) != "vocabulary" or kind_of(source.corpus) == "instance":
        return None
    vocabulary = Vocabulary.load(path)
    said = vocabulary.method == "extend" and "m" in vocabulary.provenance
    return vocabulary if said else None


def extended_instances(
    out: Output, corpus: str, vocabulary: Vocabulary, keep: Sequence[str]
) -> tuple[Instance, Instance]:
    """Reads the corpora of an extension; returns the instances of the vocabulary and its bound."""
    from ...adaptation.check import extension_instances

    words = read_corpus(out, vocabulary, [corpus], key="text", all_files=False)
    kept = read_corpus(out, vocabulary, keep, key="text", all_files=False) if keep else None
    return extension_instances(vocabulary, words, keep=kept)
