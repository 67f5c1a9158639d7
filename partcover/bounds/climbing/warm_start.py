"""Computes the first point of the steps, from GreedTok's vocabulary and a certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...errors import InputError
from ...problem.certificates.certificate import Certificate
from ...problem.instance import Instance
from ...problem.memory_plan import MOST_PRICED
from ...problem.solution import Solution
from ...runtime.limits import Deadline
from ...verification.certificate_check import check_certificate
from ...vocabulary.vocabulary import Vocabulary
from ..counting.price_counter import PriceCounter
from ..rows.families import families_of
from ..steps.word_ascent import WordAscent

__all__ = ["can_list", "first_point", "within_reach"]

_REACH = 2  # candidates that can save at least 1 / 2 of GreedTok's last gain are listed
# most counted symbols: a reward has a unit of at most half a token in 63 bits
_MOST_SYMBOLS = 2**57
_LISTED = 4e-7  # seconds to list a candidate and to begin a bound with it


def can_list(instance: Instance, deadline: Deadline) -> bool:
    """Whether all candidates are listed already, or can be before a deadline.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.bounds.climbing.warm_start import can_list
    >>> from partcover.runtime.limits import Deadline
    >>> can_list(Instance({"banana": 2}, 1), Deadline(0))
    True
    """
    index = instance.promising
    return index.min_promise == 0 or deadline.has_time_for(_LISTED * index.n_undominated)


def within_reach(instance: Instance, greedy: Solution, deadline: Deadline) -> Instance:
    """Returns the instance with an index of the candidates that a bound has to look at.

    If there are very many candidates, or no time to list all, those that can save little are left
    out.  Their rewards are unlikely to be among the k largest, and `PriceCounter` uses upper bounds
    for those that might be.

    Parameters
    ----------
    instance : Instance
        The instance.
    greedy : Solution
        The solution of `greedtok` for it, or for a larger budget.
    deadline : Deadline
        The time limit of the bound.
    """
    index = instance.promising
    can_list_all = can_list(instance, deadline)
    if can_list_all and index.n_undominated <= MOST_PRICED:
        return instance
    least = index.min_promise
    if can_list_all and len(greedy.gains) >= instance.k > 0:
        least = min(least, min(greedy.gains) // _REACH)
    return instance.of_promise(least)


def first_point(
    counter: PriceCounter, greedy: Solution, certificates: Sequence[Certificate]
) -> tuple[WordAscent, dict[int, Certificate]]:
    """Returns the steps before the first one, and the recounted bounds of warm starts by k.

    Parameters
    ----------
    counter : PriceCounter
        The words and candidates.
    greedy : Solution
        The solution of `greedtok`.
    certificates : sequence of Certificate
        Certificates for any k; the steps begin at the prices of the first.
    """
    if counter.instance.words.total_symbols >= _MOST_SYMBOLS:
        raise InputError(
            "the counts are too large for precise prices: scale them down, or use fewer words"
        )
    prices = [counter.prices_of(one) for one in certificates]
    known = [_checked(counter, one) for one in certificates]
    vocabulary = greedy.vocabulary or Vocabulary((), counter.instance.symbols)
    ascent = WordAscent(counter, vocabulary, greedy.gains, families_of(counter))
    if prices:
        ascent.prices = prices[0]
    return ascent, {certificate.k: certificate for certificate in known if certificate is not None}


def _checked(counter: PriceCounter, certificate: Certificate) -> Certificate | None:
    """Returns a certificate with its bound recounted, for its own k; None if it proves nothing."""
    instance = counter.asked(counter.instance.with_k(certificate.k))
    if certificate.k < len(instance.fixed):
        return None
    proven = counter.proven_by(certificate)
    if proven is None:
        proven = int(check_certificate(instance, certificate).lower_bound)
    return replace(certificate, lower_bound=proven) if proven else None
