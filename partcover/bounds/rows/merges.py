"""Merges: a token may be chosen only if two other tokens that make it are chosen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from copy import copy
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...corpus.symbols import Token
from ...problem.certificates.nodes import Charge
from ...problem.merge_condition import MergeCondition
from ...runtime.arrays import Bools, Float64, Int32
from ..counting.price_counter import PriceCounter
from .family import Family, Given, Multipliers, OverFlows, Term
from .rows import Arcs, Rows

_MOST = 4  # limit of payments, as a multiple of all symbols; rewards have room for 16 times

Split = tuple[int, ...]
Key = tuple[int, int, int]


class Merges(Family):
    """The rows x_T ≤ x_P for the parts P of a token T that can be made in only one way.

    For a token with several ways the row is x_T ≤ Σ y over the ways, with y ≤ x_P for both parts.
    A way with a single part has x_P in place of y.  The y are columns of this family.

    T pays the multiplier of a row, and P gets it.  In integers T pays u_T, and in each way the
    parts get u_T together.  So for any multipliers, a vocabulary that contains T contains tokens
    that get what T pays (`check_certificate` has the proof).
    """

    def __init__(self, counter: PriceCounter, condition: MergeCondition) -> None:
        instance = counter.instance
        self.tokens: list[Token] = list(instance.index.tokens_at(counter.intervals))
        self.condition = condition
        self.fixed = counter.fixed
        self.outside = np.zeros(len(counter.fixed), bool)
        self._number = {token: number for number, token in enumerate(self.tokens)}
        words = instance.words if condition.whole_words else ()
        self.exempt = {*instance.fixed, *(word for word, _ in words)}
        self._splits: dict[int, list[Split] | None] = {}

    def of_case(self, outside: Bools) -> Merges:
        """Returns the same family for a case: a way with a part outside the case is removed."""
        other = copy(self)
        other.outside = outside
        return other

    def numbers(self, tokens: Iterable[Token]) -> list[int]:
        """Returns the numbers of those tokens that are candidates."""
        return [self._number[token] for token in tokens if token in self._number]

    def splits(self, token: int) -> list[Split] | None:
        """Returns the candidates that each way needs; None if the token needs none."""
        if token not in self._splits:
            self._splits[token] = self._found(token)
        return self._splits[token]

    def _found(self, token: int) -> list[Split] | None:
        if self.tokens[token] in self.exempt:
            return None
        splits: list[Split] = []
        for parts in self.condition.splits(self.tokens[token]):
            numbers = [self._number.get(part, -1) for part in parts]
            needed = tuple(number for number in numbers if number < 0 or not self.fixed[number])
            if not needed:
                return None
            if min(needed) >= 0:
                splits.append(needed)
        return splits

    def ways(self, token: int) -> list[Split] | None:
        """Returns those `splits` whose parts may all be in a vocabulary of the case."""
        splits = self.splits(token)
        if splits is None or not self.outside.any():
            return splits
        return [split for split in splits if not self.outside[list(split)].any()]

    def closed(self, active: Bools) -> Bools:
        """Returns an active set extended by all tokens that its tokens may be made of."""
        found = set(np.flatnonzero(active).tolist())
        front = list(found)
        while front:
            for split in self.ways(front.pop()) or ():
                for part in split:
                    if part not in found:
                        found.add(part)
                        front.append(part)
        closed = np.zeros(len(active), bool)
        closed[list(found)] = True
        return closed

    def _charge(self, token: int, pays: int, gets: dict[int, int]) -> Charge:
        """Returns a charge by name; parts that are not candidates get all, at no cost."""
        named = {self.tokens[part]: more for part, more in gets.items() if more}
        for parts in self.condition.splits(self.tokens[token]):
            for part in parts:
                if part not in self._number:
                    named[part] = pays
        return Charge(self.tokens[token], pays, tuple(sorted(named.items())))

    def rows(self, arcs: Arcs) -> Rows:
        """Returns the rows for an active set that is closed."""
        active = arcs.active
        place = {token: at for at, token in enumerate(active.tolist())}
        keys: list[Key] = []
        own: list[tuple[int, Split]] = []
        entries: list[tuple[int, int, float]] = []

        def add(key: Key, *columns: tuple[int, float]) -> None:
            entries.extend((len(keys), column, coef) for column, coef in columns)
            keys.append(key)

        for number, at in place.items():
            splits = self.ways(number)
            if splits is None:
                continue
            if len(splits) == 1 and len(self.splits(number) or ()) == 1:
                for part in splits[0]:
                    add((number, part, -1), (at, 1.0), (place[part], -1.0))
                continue
            sums = [(at, 1.0)]
            for split in splits:
                if len(split) == 1:
                    sums.append((place[split[0]], -1.0))
                    continue
                way = len(active) + len(own)
                own.append((number, split))
                sums.append((way, -1.0))
                for side, part in enumerate(split):
                    add((number, part, side), (way, 1.0), (place[part], -1.0))
            add((number, -1, -1), *sums)
        # a row is scaled by its token's weight, so that it moves as fast as the rows of arcs
        token = np.array([place[key[0]] for key in keys], np.int64)
        return Rows(
            keys,
            own,
            np.zeros(len(own)),
            np.array([entry[0] for entry in entries], np.int64),
            np.array([entry[1] for entry in entries], np.int64),
            np.array([entry[2] for entry in entries]),
            np.zeros(len(keys)),
            arcs.weight[token],
        )

    def kept(self, active: Int32, x: Float64) -> Float64:
        """Returns the largest x that is at most the given one and satisfies the rows."""
        place = {token: at for at, token in enumerate(active.tolist())}
        values = x.tolist()
        for number in sorted(place, key=lambda number: len(self.tokens[number])):
            splits = self.ways(number)
            if splits is not None and values[place[number]] > 0:
                made = (min(values[place[part]] for part in split) for split in splits)
                values[place[number]] = min(values[place[number]], sum(made))
        return np.array(values, np.float64)

    def term(self, counter: PriceCounter, multipliers: Multipliers, over: OverFlows) -> Term:
        """Returns what tokens pay to their parts.

        If merges cannot make a token that the case contains, multipliers grow without limit.  Then
        all of them are scaled down, so that rewards fit in 63 bits.
        """
        term = Term(self, self.charges(multipliers))
        largest = max(map(abs, self.gives(counter, term).tokens.values()), default=0)
        most = _MOST * max(1, counter.instance.words.total_symbols) * counter.one
        less = largest // most + 1
        if less == 1:
            return term
        return Term(self, self.charges({key: m // less for key, m in multipliers.items()}))

    def charges(self, multipliers: Multipliers) -> dict[tuple[int, int], int]:
        """Returns what tokens pay (with −1) and what their parts get, for any multipliers.

        If the parts of a way together do not get what the token pays, the payment is divided
        between them in the same proportion.
        """
        charges: dict[tuple[int, int], int] = {}
        for token in dict.fromkeys(key[0] for key in multipliers):
            splits = self.splits(token)
            assert splits is not None
            gets: dict[int, int] = defaultdict(int)
            if (token, -1, -1) not in multipliers:
                for part in splits[0]:
                    gets[part] = multipliers[token, part, -1]
                pays = sum(gets.values())
            else:
                pays = multipliers[token, -1, -1]
                for split in splits:
                    gone = [part for part in split if self.outside[part]]
                    # giving to a part that is not there costs nothing
                    _share(pays, tuple(gone[:1]) or split, gets, multipliers, token)
            if pays:
                charges[token, -1] = pays
                charges |= {(token, part): more for part, more in gets.items()}
        return charges

    def gives(self, counter: PriceCounter, term: Term) -> Given:
        """Returns what tokens get minus what they pay."""
        given = Given()
        for (token, part), charged in term.multipliers.items():
            given.tokens[token if part < 0 else part] += -charged if part < 0 else charged
        return given

    def in_leaf(self, counter: PriceCounter, term: Term) -> dict[str, Any]:
        """Returns the charges by name."""
        own: dict[int, dict[int, int]] = defaultdict(dict)
        for (token, part), charged in term.multipliers.items():
            own[token][part] = charged
        charges = [self._charge(token, gets.pop(-1), gets) for token, gets in own.items()]
        return {"charges": tuple(sorted(charges, key=lambda charge: charge.token))}


_MERGES: WeakKeyDictionary[PriceCounter, Merges] = WeakKeyDictionary()


def merges_of(counter: PriceCounter) -> Merges:
    """Returns the family of a counter with merges; it is made once."""
    if counter not in _MERGES:
        assert counter.merges is not None
        _MERGES[counter] = Merges(counter, counter.merges)
    return _MERGES[counter]


def _share(
    pays: int,
    split: Split,
    gets: dict[int, int],
    given: Multipliers,
    token: int,
) -> None:
    """Divides what the token pays among the parts of a way."""
    missing = pays - sum(gets[part] for part in split)
    if missing <= 0:
        return
    if len(split) == 1:
        gets[split[0]] += missing
        return
    left, right = (given.get((token, part, side), 0) for side, part in enumerate(split))
    first = missing * left // (left + right) if left + right else missing // 2
    gets[split[0]] += first
    gets[split[1]] += missing - first
