"""A price counter in one thread, for the tests of bounds."""

from __future__ import annotations

from partcover import Instance
from partcover.bounds.counting.price_counter import PriceCounter
from partcover.runtime.processes.parallel import workers


def counter_of(instance: Instance) -> PriceCounter:
    with workers(1) as share:
        return PriceCounter(instance, share)


def token_of(counter: PriceCounter, number: int):
    (token,) = counter.instance.index.tokens_at(counter.intervals.take([number]))
    return token
