"""Checks what ``extend`` has made: a vocabulary for a corpus, and the proof of its bound."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...report.tables import facts, labeled
from ...runtime.files.kinds import kind_of
from ..command import Function
from ..exit_status import EXIT_VERIFICATION
from ..inputs import InstanceSource
from ..shown.output import Output, say_problems
from .base_files import read_corpus

if TYPE_CHECKING:
    from ...vocabulary.vocabulary import Vocabulary

__all__ = ["extended_vocabulary", "verify_extended", "vocabulary_first"]


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


def verify_extended(
    out: Output,
    source: InstanceSource,
    vocabulary: Vocabulary,
    certificate: str | None,
    keep: Sequence[str],
) -> int:
    """Checks the vocabulary and the certificate, shows what is found, returns the exit status."""
    from ...adaptation.check import verify_extension
    from ...problem.certificates.certificate import Certificate

    proof = None if certificate is None else Certificate.load(certificate)
    words = read_corpus(out, vocabulary, [source.corpus or ""], key="text", all_files=False)
    kept = read_corpus(out, vocabulary, keep, key="text", all_files=False) if keep else None
    check = verify_extension(vocabulary, words, proof, keep=kept)
    data = check.to_json()
    shown = {key: value for key, value in data.items() if key != "problems"}
    out.result(data, facts(labeled(shown)))
    say_problems(check.problems)
    return 0 if check.ok else EXIT_VERIFICATION
