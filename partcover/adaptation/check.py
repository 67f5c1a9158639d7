"""Checks an extended vocabulary and the proof of its bound, in Python without the kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..analysis.word_borders import split_at_spaces
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.certificates.certificate import Certificate, policy_digest
from ..problem.instance import Instance
from ..runtime.arguments import checked
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from ..verification.certificate_check import CertificateCheck, check_certificate
from ..verification.recount import verify
from ..verification.rule_recount import COUNTED, cut_by_rule, tokens_by_rule
from ..vocabulary.subset import only
from ..vocabulary.vocabulary import Vocabulary
from .base import check_words, weighed
from .joined_pieces import merge_condition
from .pieces import Pieces, Run
from .task import Task
from .whole_paths import extension_instance

__all__ = ["ExtensionCheck", "verify_extension"]

_OF_MERGES = ("merges", "character_merges")


@dataclass(frozen=True)
class ExtensionCheck:
    """The result of an independent recount of an extended vocabulary.

    Attributes
    ----------
    ok : bool
        Whether nothing is wrong.
    tokens, claimed : int
        The tokens that are needed, weighted where a corpus to keep was, and what the file says.
    base_size, m, size : int
        The tokens that were there, how many more were asked for, and how many there are.
    lower_bound : int or None
        What the certificate proves: no m more tokens need fewer; of merges, none behind the base's.
    condition : str or None
        What the certificate takes every new token to be made by, in words; None for all tokens.
    problems : tuple of str
        One line for each thing that is wrong.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, extend, verify_extension
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2})
    >>> found = extend(Vocabulary(["at"], rule="merges", merges=[("a", "t")]), words, 1)
    >>> check = verify_extension(found.vocabulary, words, found.certificate)
    >>> check.ok, check.tokens, check.lower_bound
    (True, 8, 8)
    """

    ok: bool
    tokens: int
    claimed: int
    base_size: int
    m: int
    size: int
    lower_bound: int | None
    condition: str | None
    problems: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object, and the gap."""
        data = {**vars(self), "problems": list(self.problems)}
        if self.lower_bound is not None and self.ok and self.tokens:
            data["gap"] = (self.tokens - self.lower_bound) / self.tokens
        return data


@checked
def verify_extension(
    vocabulary: Vocabulary,
    words: WordCounts,
    certificate: Certificate | None = None,
    *,
    keep: WordCounts | None = None,
) -> ExtensionCheck:
    """Recounts the tokens that an extended vocabulary needs, and the bound for its additions.

    Parameters
    ----------
    vocabulary : Vocabulary
        A vocabulary made by `extend`, which begins with the tokens of the base.
    words : WordCounts
        The corpus that it was extended for.
    certificate : Certificate, optional
        The proof of the bound.
    keep : WordCounts, optional
        The corpus to keep, if it had a weight.

    Raises
    ------
    InputError
        If the vocabulary does not say how it was extended, or the words are of another kind.

    Notes
    -----
    Of merges the bound is about the pieces that the base leaves as symbols.  These are segmented
    again here, by the base's rule in plain Python.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, extend, verify_extension
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2})
    >>> found = extend(Vocabulary(["th"]), words, 1)
    >>> verify_extension(found.vocabulary, words.subset({b"that": 4})).problems
    ('the vocabulary was extended for other words or counts',)
    """
    size, m, claimed, weights = _said(vocabulary)
    if weights[1] and keep is None:
        ratio = f"{weights[1]} to {weights[0]}"
        raise InputError(
            f"the corpus to keep has a weight, {ratio}: give this corpus, too (keep=…, --keep)"
        )
    base = only(vocabulary, range(size))
    check_words(base, words)
    if words.pretokenizer == "none":
        words = split_at_spaces(words, base)
        keep = None if keep is None else split_at_spaces(keep, base)
    task = Task(base, weighed(words, keep, weights), m, None, RunLimits(), Progress())
    if task.objective.digest != vocabulary.provenance.get("corpus_sha256"):
        problem = "the vocabulary was extended for other words or counts"
        return ExtensionCheck(False, 0, claimed, size, m, len(vocabulary), None, None, (problem,))
    recount = verify(Instance(task.objective, size + m, prefix=base.tokens), vocabulary)
    problems = list(recount.problems)
    tokens = recount.tokens_priority if vocabulary.rule == "priority" else recount.tokens
    if vocabulary.rule in COUNTED:
        tokens = tokens_by_rule(task.objective, vocabulary)
    if tokens != claimed:
        problems.append(
            f"the file claims {claimed} tokens ({vocabulary.rule}), but the vocabulary needs "
            f"{tokens}"
        )
    bound = condition = None
    if certificate is not None:
        condition, check = _check(task, certificate)
        problems += check.problems
        bound = check.lower_bound
    return ExtensionCheck(
        not problems,
        tokens,
        claimed,
        size,
        m,
        len(vocabulary),
        None if bound is None else int(bound),
        condition,
        tuple(problems),
    )


def _said(vocabulary: Vocabulary) -> tuple[int, int, int, tuple[int, int]]:
    """Returns what a vocabulary says: base, m, tokens, and the weights of the corpora."""
    facts = vocabulary.provenance
    numbers = [facts.get(name) for name in ("base_size", "m", "tokens")]
    weights = facts.get("weights")
    numbers += weights if isinstance(weights, list) else [None]
    found = [number for number in numbers if type(number) is int and number >= 0]
    if vocabulary.method != "extend" or len(found) != 5 or len(numbers) != 5:
        raise InputError(
            "the vocabulary does not say how it was extended: use a file written by extend"
        )
    size, m, claimed, *both = found
    if size > len(vocabulary):
        raise InputError(
            f"the vocabulary has {len(vocabulary):,} tokens, but says that {size:,} of them are old"
        )
    return size, m, claimed, (both[0], both[1])


def _check(task: Task, certificate: Certificate) -> tuple[str | None, CertificateCheck]:
    """Recounts the bound that a certificate proves about an extension, and the condition of it."""
    instance = _instance(task)
    merges = merge_condition(task.base) if task.base.rule in _OF_MERGES else None
    if merges is None or certificate.policy_sha256 == policy_digest(instance):
        return None, check_certificate(instance, certificate)  # whatever makes the tokens
    return merges.about, check_certificate(replace(instance, merges=merges), certificate)


def _instance(task: Task) -> Instance:
    """Returns the instance that the bound of an extension is about."""
    rule = task.base.rule
    if rule not in _OF_MERGES:
        return extension_instance(task)
    return Pieces.of(task.base, task.objective, cut=_cut).instance(task.m, free=True)


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
