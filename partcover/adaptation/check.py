"""States the instances that an extended vocabulary and the proof of its bound are about."""

from __future__ import annotations

from typing import Any

from ..corpus.word_counts import WordCounts
from ..errors import InputError, VerificationError
from ..problem.instance import Instance
from ..runtime.arguments import checked
from ..verification.rule_recount import cut_by_rule
from ..vocabulary.subset import only
from ..vocabulary.vocabulary import Vocabulary
from .base import Task, check_words, split_texts, weighed
from .joined_pieces import made_by_merges
from .pieces import Pieces, Run
from .whole_paths import extension_instance


@checked
def extension_instances(
    vocabulary: Vocabulary, words: WordCounts, *, keep: WordCounts | None = None
) -> tuple[Instance, Instance]:
    """Returns the instances to check an extended vocabulary and the bound for its additions with.

    Parameters
    ----------
    vocabulary : Vocabulary
        A vocabulary made by `extend`, which begins with the tokens of the base.
    words : WordCounts
        The corpus that it was extended for.
    keep : WordCounts, optional
        The corpus to keep, if it had a weight.

    Returns
    -------
    tuple of Instance
        The instance for `verify`: the vocabulary holds the base's tokens and at most m more.  The
        instance for `check_certificate`: no m more tokens need fewer than the bound; of merges,
        none after the base's.

    Raises
    ------
    InputError
        If the vocabulary does not say how it was extended, or the words are of another kind.
    VerificationError
        If it was extended for other words or counts.

    Notes
    -----
    With merges the bound is about the pieces that the base leaves as symbols.  These are segmented
    again here, by the base's rule in plain Python.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, check_certificate, extend, verify
    >>> from partcover import extension_instances
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2})
    >>> found = extend(Vocabulary(["th"]), words, 1)
    >>> instance, bounded = extension_instances(found.vocabulary, words)
    >>> verify(instance, found.vocabulary).tokens
    8
    >>> check_certificate(bounded, found.certificate).lower_bound
    8
    """
    size, m, weights = _said(vocabulary)
    if weights[1] and keep is None:
        ratio = f"{weights[1]} to {weights[0]}"
        raise InputError(
            f"the corpus to keep has a weight, {ratio}: give this corpus, too (keep=…, --keep)"
        )
    base = only(vocabulary, range(size))
    check_words(base, words)
    words, keep = split_texts(base, words, keep)
    task = Task(base, weighed(words, keep, weights), m)
    if task.objective.digest != vocabulary.provenance.get("corpus_sha256"):
        raise VerificationError("the vocabulary was extended for other words or counts")
    instance = Instance(task.objective, size + m, prefix=base.tokens)
    if base.rule not in ("merges", "character_merges"):
        return instance, extension_instance(task)
    pieces = Pieces.of(base, task.objective, cut=_cut)
    return instance, made_by_merges(pieces.instance(m, free=True), base)


def _said(vocabulary: Vocabulary) -> tuple[int, int, tuple[int, int]]:
    """Returns what a vocabulary says: base, m, and the weights of the corpora."""
    facts = vocabulary.provenance
    weights = facts.get("weights")
    said = [facts.get("base_size"), facts.get("m"), *(weights if type(weights) is list else ())]
    are_numbers = all(type(number) is int and number >= 0 for number in said)
    if vocabulary.method != "extend" or len(said) != 4 or not are_numbers:
        raise InputError(
            "the vocabulary does not say how it was extended: use a file written by extend"
        )
    size, m, *both = said
    if size > len(vocabulary):
        raise InputError(
            f"the vocabulary has {len(vocabulary):,} tokens, but says that {size:,} of them are old"
        )
    return size, m, (both[0], both[1])


def _cut(base: Vocabulary, words: WordCounts) -> WordCounts:
    """Returns words as the numbers of the pieces that a vocabulary segments them into."""
    number: dict[Any, int] = {token: place for place, token in enumerate(base.tokens)}
    size = len(base)

    def numbered(piece: Any) -> int:
        if len(piece) > 1:
            return number[piece]
        return size + (ord(piece) if isinstance(piece, str | bytes) else int(piece[0]))

    table: dict[Run, int] = {}
    for pieces, (_, count) in zip(cut_by_rule(words, base), words, strict=True):
        table[tuple(map(numbered, pieces))] = count
    return WordCounts.from_counts(table, "ints")
