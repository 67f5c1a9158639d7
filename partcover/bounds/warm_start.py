"""Makes the first point of the steps, from GreedTok's vocabulary and a certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import InputError
from ..problem.certificate import Certificate
from ..problem.solution import Solution
from ..verification.certificate_check import check_certificate
from ..vocabulary.vocabulary import Vocabulary
from .price_counter import PriceCounter
from .primal_dual import Ascent

__all__ = ["first_point"]


def first_point(
    counter: PriceCounter, greedy: Solution, warm_starts: Sequence[Certificate]
) -> tuple[Ascent, dict[int, Certificate]]:
    """Returns the plain steps before the first, and what warm starts prove, recounted, by their k.

    Parameters
    ----------
    counter : PriceCounter
        The words and candidates.
    greedy : Solution
        The solution of `greedtok`.
    warm_starts : sequence of Certificate
        Certificates, for any k; the steps begin from the first.
    """
    if counter.instance.words.total_symbols >= 2**53:
        raise InputError(
            "the counts are too large for prices of enough digits: scale them down, or take fewer "
            "words"
        )
    prices = [counter.prices_of(warm_start) for warm_start in warm_starts]
    known = [_checked(counter, warm_start) for warm_start in warm_starts]
    vocabulary = greedy.vocabulary or Vocabulary((), counter.instance.symbols)
    ascent = Ascent(counter, vocabulary, greedy.gains)
    if prices:
        ascent.prices = prices[0]
    return ascent, {certificate.k: certificate for certificate in known if certificate is not None}


def _checked(counter: PriceCounter, certificate: Certificate) -> Certificate | None:
    """Returns a certificate with its bound recounted, for its own k; None if it proves nothing."""
    instance = counter.instance.with_k(certificate.k)
    if certificate.k < len(instance.fixed):
        return None
    proven = counter.proven_by(certificate)
    if proven is None:
        proven = check_certificate(instance, certificate).lower_bound
    return replace(certificate, lower_bound=proven) if proven else None
