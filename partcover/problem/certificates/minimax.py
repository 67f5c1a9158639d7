"""Holds a proof that no vocabulary serves the worst of several corpora better than stated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from ...errors import InputError
from ...runtime.arguments import shown
from ...runtime.fractions import read_fraction
from ...runtime.notebook import brief
from ..minimax import MinimaxInstance, check_weights
from .certificate import Certificate
from .file import SavedCertificate, whole

__all__ = ["MinimaxCertificate"]


@dataclass(frozen=True, eq=False)
class MinimaxCertificate(SavedCertificate):
    """A proof that the largest ratio of tokens to reference is at least `lower_bound`.

    It is a weight for each corpus and a `Certificate` of all words so weighted.
    `partcover.verification.minimax_check.check_minimax_certificate` checks it, and says why it
    holds.

    Attributes
    ----------
    corpora_sha256 : tuple of str
        The digest of each corpus (`WordCounts.digest`), in order.
    references, weights : tuple of int
        The reference count and the weight of each corpus.
    lower_bound : Fraction
        The lower bound that is claimed.
    certificate : Certificate
        The proof for the weighted words.

    Examples
    --------
    >>> from partcover import MinimaxCertificate, MinimaxInstance, WordCounts, bound_minimax
    >>> corpora = [WordCounts.from_counts({"abab": 1}), WordCounts.from_counts({"cdcd": 1})]
    >>> found = bound_minimax(MinimaxInstance(corpora, 1, [1, 1]))
    >>> found.certificate.save("P.cert")
    >>> MinimaxCertificate.load("P.cert")
    MinimaxCertificate(k=1, lower_bound=3, weights 1:1)
    """

    _KIND = "minimax-certificate"
    _ABOUT = "a minimax certificate"
    _FIELDS: ClassVar = {
        "corpora_sha256": list,
        "references": list,
        "weights": list,
        "lower_bound": str,
        "certificate": dict,
    }

    corpora_sha256: tuple[str, ...]
    references: tuple[int, ...]
    weights: tuple[int, ...]
    lower_bound: Fraction
    certificate: Certificate

    def __post_init__(self) -> None:
        if not len(self.corpora_sha256) == len(self.references) == len(self.weights):
            raise InputError("a certificate of several corpora has not a weight for each")
        for reference in self.references:
            whole(reference, "a reference", 1)
        check_weights(self.weights, len(self.corpora_sha256))
        if not isinstance(self.lower_bound, Fraction | int):
            raise InputError(
                f"the lower bound is {shown(self.lower_bound)}: a fraction is expected"
            )

    def __repr__(self) -> str:
        weights = f"weights {':'.join(map(str, self.weights))}"
        about = [f"k={self.certificate.k}", f"lower_bound={self.lower_bound}", weights]
        return brief("MinimaxCertificate", *about)

    @classmethod
    def of(
        cls, instance: MinimaxInstance, weights: Sequence[int], certificate: Certificate
    ) -> MinimaxCertificate:
        """Makes a certificate for an instance from one of its weighted words."""
        return cls(
            tuple(words.digest for words in instance.corpora),
            instance.references,
            tuple(weights),
            instance.proven(certificate.lower_bound, weights),
            certificate,
        )

    def _content(self) -> dict[str, Any]:
        return {
            "corpora_sha256": list(self.corpora_sha256),
            "references": list(self.references),
            "weights": list(self.weights),
            "lower_bound": str(self.lower_bound),
            "certificate": self.certificate.to_json(),
        }

    @classmethod
    def _of_content(cls, data: dict[str, Any]) -> MinimaxCertificate:
        digests, references, weights = (
            _listed(data, name, kind)
            for name, kind in (("corpora_sha256", str), ("references", int), ("weights", int))
        )
        try:
            bound = read_fraction(data["lower_bound"])
        except (ValueError, ZeroDivisionError):
            raise InputError("'lower_bound' is broken: the file is damaged") from None
        certificate = Certificate.from_json(data["certificate"])
        return cls(digests, references, weights, bound, certificate)


def _listed(data: dict[str, Any], name: str, kind: type) -> tuple[Any, ...]:
    values = data.get(name)
    if not isinstance(values, list) or not all(type(value) is kind for value in values):
        raise InputError(f"{name!r} is missing or broken: the file is damaged")
    return tuple(values)
