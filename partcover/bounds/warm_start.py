"""Makes the first point of the steps, from GreedTok's vocabulary and a certificate."""

from __future__ import annotations

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
    counter: PriceCounter, greedy: Solution, warm_start: Certificate | None
) -> tuple[Ascent, Certificate | None]:
    """Returns the plain steps before the first, and a warm start with its bound recounted.

    Parameters
    ----------
    counter : PriceCounter
        The words and candidates.
    greedy : Solution
        The solution of `greedtok`.
    warm_start : Certificate or None
        A certificate, for any k.
    """
    if counter.instance.words.total_symbols >= 2**53:
        raise InputError(
            "the counts are too large for prices of enough digits: scale them down, or take fewer "
            "words"
        )
    prices = known = None
    if warm_start is not None:
        prices = counter.prices_of(warm_start)
        known = _checked(counter, warm_start)
    vocabulary = greedy.vocabulary or Vocabulary((), counter.instance.symbols)
    ascent = Ascent(counter, vocabulary, greedy.gains)
    if prices is not None:
        ascent.prices = prices
    return ascent, known


def _checked(counter: PriceCounter, certificate: Certificate) -> Certificate | None:
    """Returns a certificate with its bound recounted, for its own k; None if it proves nothing."""
    instance = counter.instance.with_k(certificate.k)
    if certificate.k < len(instance.fixed):
        return None
    proven = counter.proven_by(certificate)
    if proven is None:
        proven = check_certificate(instance, certificate).lower_bound
    return replace(certificate, lower_bound=proven) if proven else None
