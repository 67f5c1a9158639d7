"""Recounts the rewards of tokens whose occurrences pay multipliers at positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...kernels.bounds._rewards import charged_rewards
from ...runtime.arrays import Int32, Int64
from ...runtime.processes.parallel import SHARDS
from .price_counter import PriceCounter


@dataclass(frozen=True)
class Payments:
    """Multipliers with their owners, and the tokens that pay each owner."""

    # the owner of each multiplier, the position in ``words.data`` where it is paid, and its value;
    # shape (multipliers,)
    owner: Int64
    position: Int64
    multiplier: Int64
    payer: Int64  # candidates, and the owner whose multipliers each pays; shape (payers,)
    paid: Int64


def count_payers(
    payments: Sequence[Payments], counter: PriceCounter, before: Int64, units: Int64, low: Int64
) -> None:
    """Counts the rewards of the paying tokens into `units`, and remainders below a unit.

    Each pays the multipliers of all its owners.  `before` has the sum of the prices before each
    position.
    """
    n = len(payments)
    owner = np.concatenate([own.owner * n + i for i, own in enumerate(payments)])
    position = np.concatenate([own.position for own in payments])
    multiplier = np.concatenate([own.multiplier for own in payments])
    owners, lists = _lists(owner, position, multiplier)
    payer = np.concatenate([own.payer for own in payments])
    paid = np.concatenate([own.paid * n + i for i, own in enumerate(payments)])
    at = np.searchsorted(owners, paid)
    known = owners[np.minimum(at, len(owners) - 1)] == paid
    payer, at = payer[known], at[known]
    order = np.argsort(payer, kind="stable")
    tokens, first = np.unique(payer[order], return_index=True)
    first = np.append(first, len(payer)).astype(np.int64)
    payers = (tokens.astype(np.int32), first, at[order].astype(np.int32))
    occurrences = (counter.places, before, counter.count_at, counter.one)
    candidates = (counter.lo, counter.hi, counter.length)
    arrays = (*occurrences, *candidates, *payers, *lists, units, low)
    cuts = np.linspace(0, len(tokens), SHARDS + 1).astype(int).tolist()

    def work(n: int) -> None:
        charged_rewards(*arrays, counter.low_bits, cuts[n], cuts[n + 1])

    counter.share(work, SHARDS)


def _lists(
    owner: Int64, position: Int64, multiplier: Int64
) -> tuple[Int64, tuple[Int64, Int32, Int64]]:
    """Returns the owners, and their lists of multipliers: first ones, positions and sums.

    Lists are by position; sums are for each list a 0, followed by its partial sums.
    """
    order = np.lexsort((position, owner))
    owners, first = np.unique(owner[order], return_index=True)
    first = np.append(first, len(owner)).astype(np.int64)
    total = np.concatenate([[0], np.cumsum(multiplier[order])])
    n_sums = np.diff(first) + 1
    numbers = np.arange(int(n_sums.sum())) - np.repeat(np.arange(len(owners)), n_sums)
    sums = total[numbers] - np.repeat(total[first[:-1]], n_sums)
    return owners, (first, position[order].astype(np.int32), sums)
