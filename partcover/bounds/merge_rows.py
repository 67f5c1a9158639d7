"""Makes the rows that keep tokens below their parts, and what tokens then pay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from ..corpus.symbols import Token
from ..problem.merge_certificate import Charge
from ..problem.merge_condition import MergeCondition
from ..runtime.arrays import Float64, Int32, Int64
from .price_counter import PriceCounter

__all__ = ["MergeRows", "Ways"]

Split = tuple[int, ...]


class Ways:
    """The ways in which candidates are made of others.

    Parameters
    ----------
    counter : PriceCounter
        The candidates.
    condition : MergeCondition
        What makes them.
    """

    def __init__(self, counter: PriceCounter, condition: MergeCondition) -> None:
        instance = counter.instance
        self.tokens: list[Token] = list(instance.index.tokens_at(counter.intervals))
        self.condition = condition
        self.fixed = counter.fixed
        self._number = {token: number for number, token in enumerate(self.tokens)}
        words = instance.words if condition.whole_words else ()
        self.exempt = {*instance.fixed, *(word for word, _ in words)}
        self._splits: dict[int, list[Split] | None] = {}

    def numbers(self, tokens: Iterable[Token]) -> list[int]:
        """Returns the numbers of those tokens that are candidates."""
        return [self._number[token] for token in tokens if token in self._number]

    def splits(self, token: int) -> list[Split] | None:
        """Returns the candidates that each way needs; None if a token needs none."""
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

    def with_parts(self, tokens: Int32) -> Int32:
        """Returns tokens with all that they may be made of."""
        found = set(tokens.tolist())
        front = list(found)
        while front:
            for split in self.splits(front.pop()) or ():
                for part in split:
                    if part not in found:
                        found.add(part)
                        front.append(part)
        return np.array(sorted(found), np.int32)

    def charge(self, token: int, pays: int, gets: dict[int, int]) -> Charge:
        """Returns a charge by name; parts that are no candidates get all, which costs nothing."""
        named = {self.tokens[part]: more for part, more in gets.items() if more}
        for parts in self.condition.splits(self.tokens[token]):
            for part in parts:
                if part not in self._number:
                    named[part] = pays
        return Charge(self.tokens[token], pays, tuple(sorted(named.items())))


class MergeRows:
    """Rows Σ coef·x ≤ 0 over the tokens of an active set and over ways to make them.

    A token with one way has a row for each part: x_T ≤ x_P.  One with several has x_T ≤ Σ y over
    its ways, where y ≤ x_P for both parts; a way with one part is x_P itself.

    Attributes
    ----------
    n_ways : int
        The number of y.
    row, column, coef : ndarray
        The entries; columns are places in the active set, then ways.
    token : ndarray of int64, shape (rows,)
        For each row the place of the token that it is of.
    keys : list of (int, int, int)
        A name for each row that stays the same when the active set changes.
    """

    def __init__(self, ways: Ways, active: Int32) -> None:
        self.ways = ways
        self.active = active
        place = {token: at for at, token in enumerate(active.tolist())}
        self.n_ways = 0
        self.keys: list[tuple[int, int, int]] = []
        token: list[int] = []
        entries: list[tuple[int, int, float]] = []

        def add(key: tuple[int, int, int], *columns: tuple[int, float]) -> None:
            entries.extend((len(self.keys), column, coef) for column, coef in columns)
            self.keys.append(key)
            token.append(place[key[0]])

        for number, at in place.items():
            splits = ways.splits(number)
            if splits is None:
                continue
            if len(splits) == 1:
                for part in splits[0]:
                    add((number, part, -1), (at, 1.0), (place[part], -1.0))
                continue
            sums = [(at, 1.0)]
            for split in splits:
                if len(split) == 1:
                    sums.append((place[split[0]], -1.0))
                    continue
                way = len(active) + self.n_ways
                self.n_ways += 1
                sums.append((way, -1.0))
                for side, part in enumerate(split):
                    add((number, part, side), (way, 1.0), (place[part], -1.0))
            add((number, -1, -1), *sums)
        self.token = np.array(token, np.int64)
        self.row = np.array([entry[0] for entry in entries], np.int64)
        self.column = np.array([entry[1] for entry in entries], np.int64)
        self.coef = np.array([entry[2] for entry in entries])

    def __len__(self) -> int:
        return len(self.keys)

    def owed(self, multipliers: Float64) -> Float64:
        """Returns Σ coef·multiplier for each column."""
        size = len(self.active) + self.n_ways
        return _sums(self.column, self.coef * multipliers[self.row], size)

    def violation(self, values: Float64) -> Float64:
        """Returns Σ coef·value for each row."""
        return _sums(self.row, self.coef * values[self.column], len(self))

    def kept(self, x: Float64) -> Float64:
        """Returns the largest x, none above the one given, that the rows allow."""
        place = {token: at for at, token in enumerate(self.active.tolist())}
        tokens = self.ways.tokens
        values = x.tolist()
        for number in sorted(place, key=lambda number: len(tokens[number])):
            splits = self.ways.splits(number)
            if splits is not None and values[place[number]] > 0:
                made = (min(values[place[part]] for part in split) for split in splits)
                values[place[number]] = min(values[place[number]], sum(made))
        return np.array(values, np.float64)

    def charges(self, multipliers: Sequence[int]) -> list[tuple[int, int, dict[int, int]]]:
        """Returns what tokens pay, and what their parts get, valid whatever the multipliers are.

        Where both parts of a way get something else than what the token pays, that is shared
        between them in the same proportion.
        """
        given = dict(zip(self.keys, multipliers, strict=True))
        sides: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for key in self.keys:
            sides[key[0]].append(key)
        charges = []
        for token in sides:
            splits = self.ways.splits(token)
            assert splits is not None
            gets: dict[int, int] = defaultdict(int)
            if len(splits) == 1:
                pays = 0
                for part in splits[0]:
                    gets[part] = given[token, part, -1]
                    pays += gets[part]
            else:
                pays = given[token, -1, -1]
                for split in splits:
                    _share(pays, split, gets, given, token)
            if pays:
                charges.append((token, pays, dict(gets)))
        return charges


def _share(
    pays: int,
    split: Split,
    gets: dict[int, int],
    given: dict[tuple[int, int, int], int],
    token: int,
) -> None:
    """Lets the parts of a way get together what the token pays."""
    missing = pays - sum(gets[part] for part in split)
    if missing <= 0:
        return
    if len(split) == 1:
        gets[split[0]] += missing
        return
    left, right = (given[token, part, side] for side, part in enumerate(split))
    first = missing * left // (left + right) if left + right else missing // 2
    gets[split[0]] += first
    gets[split[1]] += missing - first


def _sums(numbers: Int64, values: Float64, size: int) -> Float64:
    return np.bincount(numbers, values, size).astype(np.float64, copy=False)
