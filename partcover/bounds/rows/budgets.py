"""The budget, and the budgets of groups within it: projection onto them, and their multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...kernels.steps._saddle_point import project
from ...runtime.arrays import Bools, Float64, Int32
from ..counting.price_counter import PriceCounter
from .family import NO_FLOWS, Family, Given, Multipliers, OverFlows, Term

_SWEEPS = 4  # sweeps over the budgets; the next step begins with the multipliers of the last
_EXACT = 1e-11  # a multiplier that changes relatively less is unchanged


class Budgets:
    """The rows Σ x ≤ k, and Σ x ≤ limit over the tokens of each group.

    The multiplier of a row (`fee`) lowers the reward of each of its tokens, and lowers the bound by
    the multiplier for each token that the budget allows.  The same holds in integers: for any
    multipliers, no vocabulary within the budgets pays more than this.

    `free` tokens may be chosen in addition to those inside, and none of those outside.  The limits
    of groups include the tokens inside.
    """

    def __init__(
        self,
        free: int,
        inside: Bools,
        groups: Sequence[tuple[Bools, int]] = (),
        fee: float = 0.0,
        fees: Float64 | None = None,
        outside: Bools | None = None,
    ) -> None:
        self.inside = inside
        self.outside = np.zeros_like(inside) if outside is None else outside
        self.free = float(max(free, 0))
        self.fee = fee
        self.groups = groups
        self.room = [
            float(max(0, limit - int(np.count_nonzero(members & inside))))
            for members, limit in groups
        ]
        self.fees = np.zeros(len(groups)) if fees is None else fees
        self.kept = np.zeros(0, bool)

    def of_case(self, free: int, inside: Bools, outside: Bools | None = None) -> Budgets:
        """Returns the same budgets for a case, with the same multipliers."""
        return Budgets(free, inside, self.groups, self.fee, self.fees.copy(), outside)

    def over(self, active: Int32) -> None:
        """Changes to an active set."""
        self.kept = self.inside[active]
        decided = self.kept | self.outside[active]
        self.optional = np.flatnonzero(~decided) if decided.any() else None
        chosen = active if self.optional is None else active[self.optional]
        self.members = [np.flatnonzero(members[chosen]) for members, _ in self.groups]

    def project(self, x: Float64, gain: Float64, scale: Float64) -> Float64:
        """Returns the point within the budgets that is nearest to x + scale·gain."""
        made = self.kept.astype(float)
        if self.optional is None:
            self._project(x, gain, scale, made)
            return made
        part = np.empty(len(self.optional))
        self._project(x[self.optional], gain[self.optional], scale[self.optional], part)
        made[self.optional] = part
        return made

    def _project(self, x: Float64, gain: Float64, scale: Float64, out: Float64) -> None:
        """Gives each budget in turn the smallest multiplier that keeps it, until none changes.

        This is coordinate ascent on the dual, which begins at the multipliers of the last step.
        """
        if not self.groups:
            self.fee = project(x, gain, scale, self.free, self.fee, out)
            return
        buffer = np.empty(len(x))
        for _ in range(_SWEEPS):
            before = self.fee, self.fees.copy()
            owed = np.zeros(len(x))
            for members, fee in zip(self.members, self.fees.tolist(), strict=True):
                owed[members] += fee
            for number, members in enumerate(self.members):
                others = owed[members] - self.fees[number] + self.fee
                arrays = x[members], gain[members] - others, scale[members]
                fee = float(self.fees[number])
                kept = buffer[: len(members)]
                self.fees[number] = project(*arrays, self.room[number], fee, kept)
                owed[members] += self.fees[number] - fee
            self.fee = project(x, gain - owed, scale, self.free, self.fee, out)
            largest = max(1.0, self.fee, float(self.fees.max()))
            moved = max(abs(self.fee - before[0]), float(np.abs(self.fees - before[1]).max()))
            if moved <= _EXACT * largest:
                break

    def fitted(self, x: Float64) -> Float64:
        """Returns x clipped to 0 and 1, and scaled down if it exceeds the budget."""
        fitted = np.clip(x, 0, 1)
        taken = float(fitted[~self.kept].sum())
        if taken > self.free:
            fitted[~self.kept] *= self.free / taken
        return fitted

    def term(self, counter: PriceCounter) -> Term:
        """Returns the multipliers of the groups, in units of 1 / one tokens."""
        fees = map(int, np.rint(self.fees * counter.one).tolist())
        return Fees().term(counter, dict(enumerate(fees)), NO_FLOWS)


class Fees(Family):
    """The multipliers that tokens of groups pay, by the number of the group; see `Budgets`."""

    def term(self, counter: PriceCounter, multipliers: Multipliers, over: OverFlows) -> Term:
        """Returns the multipliers; larger ones than any reward of a token prove no more."""
        most = int(counter.largest_reward.max(initial=0)) * counter.one
        return Term(self, {group: min(max(0, fee), most) for group, fee in multipliers.items()})

    def gives(self, counter: PriceCounter, term: Term) -> Given:
        """Returns what tokens pay; the loss is the multiplier times the budget, for each group."""
        given = Given()
        for (members, limit), fee in zip(counter.groups, term.multipliers.values(), strict=True):
            given.groups.append((members, -fee))
            given.loss += limit * fee
        return given

    def in_leaf(self, counter: PriceCounter, term: Term) -> dict[str, Any]:
        """Returns the multipliers, if there are any."""
        fees = tuple(term.multipliers.values())
        return {"group_multipliers": fees if any(fees) else ()}
