"""Checks the multipliers of needed tokens (dues) in plain Python, and sums their effect."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.certificates.cuts import PairPrices
from ..problem.merge_needs import MergeNeeds
from .sorted_words import SortedWords

__all__ = ["DueTerms"]

_LIMIT = 1 << 63  # numbers have at most 63 bits and a sign
# look-ups of multipliers; as many more are allowed for each place where a token pays
_FREE_STEPS = 1 << 26
_STEPS_A_PLACE = 16


class DueTerms:
    """What tokens pay to the tokens that they cannot be made without, for covering some symbols.

    Attributes
    ----------
    bonus : dict of token to int
        What is added to the reward of each token: its multipliers at all symbols, times word
        counts.
    n_entries : int
        Number of stored values of multipliers.

    Raises
    ------
    InputError
        For multipliers that are not positive, or positions that do not ascend.
    """

    def __init__(self, dues: Sequence[PairPrices], words: SortedWords, needs: MergeNeeds) -> None:
        self._needs = needs
        n_symbols = len(words.count_at)
        self._token: Token | None = None
        self._paid: list[tuple[list[int], list[int]]] = []
        self._steps = self._places = 0
        self.bonus: Counter[Token] = Counter()
        self._dues: dict[Token, tuple[list[int], list[int]]] = {}
        for pair in dues:
            positions: list[int] = pair.positions.tolist()
            due: list[int] = pair.multipliers.tolist()
            name = repr(sym.glance(pair.tokens[0]))
            if any(here >= there for here, there in pairwise(positions)):
                raise InputError(f"the multipliers paid to {name} do not ascend")
            if not positions or positions[0] < 0 or positions[-1] >= n_symbols:
                raise InputError(f"the multipliers paid to {name} are not at symbols of the words")
            if not 0 < min(due) <= max(due) < _LIMIT:
                raise InputError(f"{name} has a multiplier that is not 1 to 2^63 − 1")
            self._dues[pair.tokens[0]] = positions, list(accumulate(due, initial=0))
            at = zip(positions, due, strict=True)
            self.bonus[pair.tokens[0]] += sum(words.count_at[p] * m for p, m in at)
        self.n_entries = sum(len(positions) for positions, _ in self._dues.values())

    def pays(self, token: Token) -> bool:
        """Returns whether a token pays any multipliers."""
        return bool(self._paid_by(token))

    def paid_before(self, token: Token, position: int) -> int:
        """Returns what a token pays for all symbols before a position."""
        paid = self._paid_by(token)
        self._steps += len(paid)
        self._places += 1
        if self._steps > _FREE_STEPS + _STEPS_A_PLACE * self._places:
            raise InputError("tokens pay to too many others for a check in reasonable time")
        return sum(before[bisect_left(positions, position)] for positions, before in paid)

    def _paid_by(self, token: Token) -> list[tuple[list[int], list[int]]]:
        """Returns the multipliers that a token pays; cached for repeated look-ups."""
        if token != self._token:
            needed = self._needs.of(token)
            self._token = token
            self._paid = [self._dues[part] for part in needed if part in self._dues]
        return self._paid
