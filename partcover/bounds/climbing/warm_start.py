"""Computes the first point of the steps, from GreedTok's vocabulary and a certificate."""

from __future__ import annotations

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

_REACH = 2  # candidates that can save at least 1 / 2 of GreedTok's last gain are listed
# most counted symbols: a reward has a unit of at most half a token in 63 bits
_MOST_SYMBOLS = 2**57
_LISTED = 4e-7  # seconds to list a candidate and to begin a bound with it


def can_list(instance: Instance, deadline: Deadline) -> bool:
    """Whether all candidates are listed already, or can be before a deadline."""
    index = instance.promising_index()
    return index.min_promise == 0 or deadline.has_time_for(_LISTED * index.n_undominated)


def within_reach(instance: Instance, greedy: Solution, deadline: Deadline) -> Instance:
    """Returns the instance with an index of the candidates that a bound has to look at.

    If there are very many candidates, or no time to list all, those that can save little are left
    out.  Their rewards are unlikely to be among the k largest, and `PriceCounter` uses upper bounds
    for those that might be.
    """
    if instance.merges is not None:  # whose candidates are all listed already
        return instance
    index = instance.promising_index()
    can_list_all = can_list(instance, deadline)
    if can_list_all and index.n_undominated <= MOST_PRICED:
        return instance
    least = index.min_promise
    if can_list_all and len(greedy.gains) >= instance.k > 0:
        least = min(least, min(greedy.gains) // _REACH)
    return instance.of_promise(least)


def first_point(
    counter: PriceCounter, greedy: Solution, start: Certificate | None
) -> tuple[WordAscent, Certificate | None]:
    """Returns the steps before the first one, and the start with its bound recounted for this k.

    The steps begin at the prices of the start, which may be for any k, or at GreedTok's vocabulary.
    """
    if counter.instance.words.total_symbols >= _MOST_SYMBOLS:
        raise InputError(
            "the counts are too large for precise prices: scale them down, or use fewer words"
        )
    prices = None if start is None else counter.prices_of(start)
    known = None
    if start is not None and start.k == counter.instance.k:
        proven = counter.proven_by(start)
        if proven is None:
            proven = int(check_certificate(counter.asked, start).lower_bound)
        known = replace(start, lower_bound=proven) if proven else None
    vocabulary = greedy.vocabulary or Vocabulary((), counter.instance.symbols)
    ascent = WordAscent(counter, vocabulary, greedy.gains, families_of(counter))
    ascent.prices = prices
    return ascent, known
