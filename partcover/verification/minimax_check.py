"""Checks minimax vocabularies and certificates in plain Python, integers only."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..corpus.symbols import Token
from ..problem.certificates.minimax import MinimaxCertificate
from ..problem.instance import Instance
from ..problem.minimax import MinimaxInstance
from ..runtime.arguments import checked
from ..vocabulary.vocabulary import Vocabulary
from .certificate_check import check_certificate, mismatches
from .recount import recount

__all__ = [
    "MinimaxCheck",
    "MinimaxRecount",
    "check_minimax_certificate",
    "minimax_mismatches",
    "verify_minimax",
]

_NAMED = 5  # references in a message


@dataclass(frozen=True)
class MinimaxRecount:
    """The result of an independent recount of a vocabulary for several corpora.

    Attributes
    ----------
    ok : bool
        Whether nothing is wrong.
    tokens : tuple of int
        The fewest tokens that each corpus needs.
    ratios : tuple of Fraction
        These over the references.
    worst : Fraction
        The largest ratio.
    problems : tuple of str
        One line for each thing that is wrong.

    Examples
    --------
    >>> from partcover import MinimaxInstance, Vocabulary, WordCounts, verify_minimax
    >>> corpora = [WordCounts.from_counts({"that": 3}), WordCounts.from_counts({"haha": 1})]
    >>> verify_minimax(MinimaxInstance(corpora, 1, [3, 1]), Vocabulary(["ha"])).to_json()["worst"]
    '3'
    """

    ok: bool
    tokens: tuple[int, ...]
    ratios: tuple[Fraction, ...]
    worst: Fraction
    problems: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object."""
        return {
            "ok": self.ok,
            "tokens": list(self.tokens),
            "ratios": list(map(str, self.ratios)),
            "worst": str(self.worst),
            "problems": list(self.problems),
        }


@dataclass(frozen=True)
class MinimaxCheck:
    """The result of an independent recount of a minimax certificate.

    Attributes
    ----------
    ok : bool
        Whether the certificate is about this instance and proves what it claims.
    claimed, lower_bound : Fraction
        The lower bound that it claims, and the one that it proves: 0 for another instance.
    weighted_bound : int
        The tokens that the weighted words need at least.
    weights, references : tuple of int
        As the certificate has them.
    problems : tuple of str
        One line for each thing that is wrong.

    Examples
    --------
    >>> from partcover import MinimaxInstance, WordCounts, bound_minimax
    >>> from partcover import check_minimax_certificate
    >>> corpora = [WordCounts.from_counts({"abab": 1}), WordCounts.from_counts({"cdcd": 1})]
    >>> instance = MinimaxInstance(corpora, 1, [1, 1])
    >>> check = check_minimax_certificate(instance, bound_minimax(instance).certificate)
    >>> check.ok, check.weights, check.weighted_bound, check.lower_bound
    (True, (1, 1), 5, Fraction(3, 1))
    """

    ok: bool
    claimed: Fraction
    lower_bound: Fraction
    weighted_bound: int
    weights: tuple[int, ...]
    references: tuple[int, ...]
    problems: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object."""
        return {
            "ok": self.ok,
            "claimed_lower_bound": str(self.claimed),
            "lower_bound": str(self.lower_bound),
            "weighted_bound": self.weighted_bound,
            "weights": list(self.weights),
            "references": list(self.references),
            "problems": list(self.problems),
        }


@checked
def verify_minimax(instance: MinimaxInstance, vocabulary: Vocabulary) -> MinimaxRecount:
    """Recounts the tokens of each corpus, and checks every condition.

    Parameters
    ----------
    instance : MinimaxInstance
        The corpora, their references, the budget and conditions.
    vocabulary : Vocabulary
        The vocabulary to check.

    Returns
    -------
    MinimaxRecount
        As `verify` counts, in Python integers.

    Examples
    --------
    >>> from partcover import MinimaxInstance, Vocabulary, WordCounts, verify_minimax
    >>> corpora = [WordCounts.from_counts({"that": 3}), WordCounts.from_counts({"haha": 1})]
    >>> recount = verify_minimax(MinimaxInstance(corpora, 1, [3, 1]), Vocabulary(["ha"]))
    >>> recount.tokens, recount.worst
    ((9, 2), Fraction(3, 1))
    """
    problems: list[str] = []
    if vocabulary.symbols != instance.symbols:
        line = f"tokens over {vocabulary.symbols}, words over {instance.symbols}"
        return MinimaxRecount(False, (), (), Fraction(0), (line,))
    if vocabulary.end_of_word is not None:
        instance.whole.words.refuse_without(vocabulary.end_of_word)
    total, broken = recount(instance.whole, vocabulary)
    problems += broken
    tokens = tuple(
        recount(Instance(words, instance.k), vocabulary)[0] for words in instance.corpora
    )
    if sum(tokens) != total:
        problems.append(f"{sum(tokens)} tokens over the corpora, {total} over all words")
    ratios = tuple(map(Fraction, tokens, instance.references))
    return MinimaxRecount(not problems, tokens, ratios, max(ratios), tuple(problems))


@checked
def check_minimax_certificate(
    instance: MinimaxInstance, certificate: MinimaxCertificate
) -> MinimaxCheck:
    """Recounts the lower bound of the largest ratio that a certificate proves.

    Parameters
    ----------
    instance : MinimaxInstance
        The corpora, their references, the budget and conditions.
    certificate : MinimaxCertificate
        The certificate to check.

    Returns
    -------
    MinimaxCheck
        Python integers throughout, as `check_certificate` counts.

    Notes
    -----
    Why the bound holds, for weights w ≥ 0, references r and a vocabulary of at most k tokens
    with which corpus i needs t_i tokens:

    1. The words of all corpora, those of corpus i counted w_i times as often, need Σ w_i·t_i
       tokens.  By its certificate that is at least L.
    2. With z = max t_i / r_i, each t_i ≤ z·r_i.  So L ≤ Σ w_i·t_i ≤ z·Σ w_i·r_i.
    3. z is t_i / r_i for some i: a whole number over r_i that is at least L / Σ w_i·r_i, and so
       at least the smallest such number.  ∎

    Weights of 0 leave out words that are in no other corpus.  A token that occurs in none of the
    words that are left saves none of the weighted tokens, so line 1 holds for it as well.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from fractions import Fraction
    >>> from partcover import MinimaxInstance, WordCounts, bound_minimax
    >>> from partcover import check_minimax_certificate
    >>> corpora = [WordCounts.from_counts({"abab": 1}), WordCounts.from_counts({"cdcd": 1})]
    >>> instance = MinimaxInstance(corpora, 1, [1, 1])
    >>> certificate = bound_minimax(instance).certificate
    >>> false = replace(certificate, lower_bound=Fraction(4))
    >>> check_minimax_certificate(instance, false).problems
    ('lower bound 4 claimed, 3 is proven',)
    """
    problems = minimax_mismatches(instance, certificate)
    weighted_bound, bound = 0, Fraction(0)
    if not problems:
        weights, references = certificate.weights, instance.references
        check = check_certificate(_weighted(instance, weights), certificate.certificate)
        problems += check.problems
        weighted_bound = check.lower_bound
        parts = Fraction(
            weighted_bound, sum(w * r for w, r in zip(weights, references, strict=True))
        )
        bound = min(Fraction(math.ceil(parts * count), count) for count in references)
        if certificate.lower_bound > bound:
            problems.append(f"lower bound {certificate.lower_bound} claimed, {bound} is proven")
    return MinimaxCheck(
        not problems,
        certificate.lower_bound,
        bound,
        weighted_bound,
        certificate.weights,
        certificate.references,
        tuple(problems),
    )


def minimax_mismatches(instance: MinimaxInstance, certificate: MinimaxCertificate) -> list[str]:
    """Returns in what a certificate is about another instance, a line for each.

    Examples
    --------
    >>> from partcover import MinimaxInstance, WordCounts, bound_minimax
    >>> from partcover.verification.minimax_check import minimax_mismatches
    >>> corpora = [WordCounts.from_counts({"abab": 1}), WordCounts.from_counts({"cdcd": 1})]
    >>> certificate = bound_minimax(MinimaxInstance(corpora, 1, [1, 1])).certificate
    >>> minimax_mismatches(MinimaxInstance(corpora, 2, [1, 1]), certificate)
    ['the certificate is for k = 1, and k is 2']
    """
    if len(certificate.corpora_sha256) != len(instance.corpora):
        n_corpora = len(certificate.corpora_sha256)
        return [f"the certificate is about {n_corpora} corpora, here are {len(instance.corpora)}"]
    digests = zip(instance.names, instance.corpora, certificate.corpora_sha256, strict=True)
    problems = [
        f"the certificate is about other words or counts than those of {name}"
        for name, words, digest in digests
        if words.digest != digest
    ]
    if not problems:
        weighted = _weighted(instance, certificate.weights)
        problems = mismatches(weighted, certificate.certificate)
    # last, as references may follow from the words, k and the conditions
    if not problems and certificate.references != instance.references:
        problems.append(
            f"the certificate is about other references, {_listed(certificate.references)}; "
            f"these are {_listed(instance.references)}"
        )
    return problems


def _listed(references: tuple[int, ...]) -> str:
    named = ", ".join(map(str, references[:_NAMED]))
    return named + ", …" * (len(references) > _NAMED)


def _weighted(instance: MinimaxInstance, weights: tuple[int, ...]) -> Instance:
    """Returns all words as one instance, the counts of each corpus multiplied, word by word."""
    table: dict[Token, int] = {}
    for weight, words in zip(weights, instance.corpora, strict=True):
        for word, count in words:
            if weight:
                table[word] = table.get(word, 0) + weight * count
    return replace(instance.whole, words=instance.whole.words.subset(table))
