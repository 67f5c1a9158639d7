"""A warm start is a proven certificate, or the shortest first part of a vocabulary that will do."""

from __future__ import annotations

from ..corpus.symbols import Token
from ..errors import VerificationError
from ..problem.certificate import Certificate
from ..problem.instance import Instance
from ..segmentation.segmentation import segment
from ..verification.certificate_check import check_certificate
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["proven_bound", "shortest_prefix"]


def proven_bound(instance: Instance, certificate: Certificate) -> int:
    """The lower bound that a certificate to start from proves."""
    checked = check_certificate(instance, certificate)
    if not checked.ok:
        raise VerificationError(f"the certificate to start from: {checked.problems[0]}")
    return checked.lower_bound


def shortest_prefix(
    instance: Instance, vocabulary: Vocabulary | None, threshold: int
) -> list[Token] | None:
    """The fewest first tokens of a vocabulary that meet a threshold."""
    tokens = list(vocabulary or ())
    least, most = len(instance.fixed), len(tokens)

    def meets(size: int) -> bool:
        cut = segment(instance.words, Vocabulary(tokens[:size], instance.symbols))
        return cut.tokens <= threshold

    if most < least or not meets(most):
        return None
    while least < most:
        middle = (least + most) // 2
        if meets(middle):
            most = middle
        else:
            least = middle + 1
    return tokens[:most]
