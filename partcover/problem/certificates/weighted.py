"""Makes certificates for several corpora from those of weighted words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..instance import Instance
from .certificate import Certificate
from .nodes import Leaf

__all__ = ["leaves_weighted", "of_weighted"]


def of_weighted(instance: Instance, weights: Sequence[int], proof: Certificate) -> Certificate:
    """Returns the certificate of the largest ratio that follows from one of weighted words.

    Parameters
    ----------
    instance : Instance
        The instance of several corpora.
    weights : sequence of int
        The weight of each corpus, at least 1.
    proof : Certificate
        The certificate of ``instance.weighted(weights)``.

    Examples
    --------
    >>> from partcover import Corpora, Instance, WordCounts, check_certificate, lower_bound
    >>> from partcover.problem.certificates.weighted import of_weighted
    >>> words = [WordCounts.from_counts({"abab": 1}), WordCounts.from_counts({"cdcd": 1})]
    >>> instance = Instance(Corpora(words, [1, 1]), 1)
    >>> proof = lower_bound(instance.weighted([1, 1])).certificate
    >>> certificate = of_weighted(instance, [1, 1], proof)
    >>> proof.lower_bound, certificate.lower_bound, check_certificate(instance, certificate).ok
    (5, Fraction(3, 1), True)
    """
    assert instance.corpora is not None
    tree = tuple(
        replace(node, weights=tuple(weights)) if isinstance(node, Leaf) else node
        for node in proof.tree
    )
    assert isinstance(proof.lower_bound, int)
    bound = instance.corpora.proven(proof.lower_bound, weights)
    return Certificate.of(instance, tree, bound, proof.scale_bits, proof.tail)


def leaves_weighted(certificate: Certificate) -> Iterator[tuple[int, ...]]:
    """Yields the weights of the leaves that have weights."""
    for node in certificate.tree:
        if isinstance(node, Leaf) and node.weights:
            yield node.weights
