"""Recounts the rewards of tokens whose occurrences pay multipliers at positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...kernels.bounds._rewards import charged_rewards
from ...runtime.arrays import Int32, Int64
from ...runtime.processes.parallel import SHARDS
from .price_counter import PriceCounter

__all__ = ["Multipliers", "Payers", "Payments"]


@dataclass(frozen=True)
class Multipliers:
    """Lists of multipliers, each sorted by position."""

    keys: Int64  # the key of each list, ascending; shape (lists,)
    first: Int64  # where each list begins; shape (lists + 1,)
    position: Int32  # where each multiplier is paid, in ``words.data``; shape (multipliers,)
    sums: Int64  # for each list a 0, followed by its partial sums; shape (multipliers + lists,)

    @classmethod
    def of(cls, key: Int64, position: Int64, multiplier: Int64) -> Multipliers:
        """Makes the lists from multipliers in any order."""
        order = np.lexsort((position, key))
        keys, first = np.unique(key[order], return_index=True)
        first = np.append(first, len(key)).astype(np.int64)
        total = np.concatenate([[0], np.cumsum(multiplier[order])])
        n_sums = np.diff(first) + 1
        numbers = np.arange(int(n_sums.sum())) - np.repeat(np.arange(len(keys)), n_sums)
        sums = total[numbers] - np.repeat(total[first[:-1]], n_sums)
        return cls(keys, first, position[order].astype(np.int32), sums)


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


@dataclass(frozen=True)
class Payers:
    """The tokens that pay multipliers, and which ones each pays."""

    tokens: Int64  # the paying tokens, as candidates of a counter; shape (payers,)
    first: Int64  # where the lists of each token begin in `lists`; shape (payers + 1,)
    lists: Int64 | Int32  # numbers of lists
    multipliers: Multipliers

    @classmethod
    def of(cls, payments: Sequence[Payments]) -> Payers:
        """Collects the paying tokens, each with the lists of all owners that it pays."""
        n = len(payments)
        owner = np.concatenate([own.owner * n + i for i, own in enumerate(payments)])
        position = np.concatenate([own.position for own in payments])
        multiplier = np.concatenate([own.multiplier for own in payments])
        lists = Multipliers.of(owner, position, multiplier)
        payer = np.concatenate([own.payer for own in payments])
        paid = np.concatenate([own.paid * n + i for i, own in enumerate(payments)])
        at = np.searchsorted(lists.keys, paid)
        known = lists.keys[np.minimum(at, len(lists.keys) - 1)] == paid
        payer, at = payer[known], at[known]
        order = np.argsort(payer, kind="stable")
        tokens, first = np.unique(payer[order], return_index=True)
        first = np.append(first, len(payer)).astype(np.int64)
        return cls(tokens, first, at[order], lists)

    def count(self, counter: PriceCounter, before: Int64, units: Int64, low: Int64) -> None:
        """Counts the rewards of the paying tokens into `units`, and remainders below a unit.

        `before` has the sum of the prices before each position.
        """
        paid = self.multipliers
        occurrences = (counter.places, before, counter.count_at, counter.one)
        candidates = (counter.lo, counter.hi, counter.length)
        payers = (self.tokens.astype(np.int32), self.first, self.lists.astype(np.int32))
        lists = (paid.first, paid.position, paid.sums)
        arrays = (*occurrences, *candidates, *payers, *lists, units, low)
        cuts = np.linspace(0, len(self.tokens), SHARDS + 1).astype(int).tolist()

        def work(n: int) -> None:
            charged_rewards(*arrays, counter.low_bits, cuts[n], cuts[n + 1])

        counter.share(work, SHARDS)
