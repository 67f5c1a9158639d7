"""A search space numbers the candidates that are tried, with their occurrences in the words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..kernels._local_search import State
from ..problem.instance import Instance
from ..problem.occurrences import Arcs, arcs_of
from ..runtime.arguments import shown
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["SearchSpace", "legal_start", "legal_tokens", "per_candidate", "promise_of"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]

ARCS = 2**23  # occurrences that are looked at; each takes some 100 bytes while they are sorted
STEPS = 2**31  # arcs that repeated tokens make a look at every word pass over


class SearchSpace:
    """The candidates that are tried, numbered, and their arcs in the words.

    Fixed tokens and `given` ones are among them; then those that promise at least `least`, the
    most first.
    """

    def __init__(
        self, instance: Instance, given: Iterable[Token], least: int, x: Float64 | None
    ) -> None:
        self.instance = instance
        index = instance.index
        named = list(dict.fromkeys([*instance.fixed, *given]))
        lo, hi, length = index.find([sym.to_array(token) for token in named])
        promise = promise_of(instance)
        order = np.argsort(-promise, kind="stable")
        wanted = promise[order] >= least
        if x is not None:
            wanted |= x[order] > 0
        order = order[wanted]
        within = np.cumsum((index.hi - index.lo)[order].astype(np.int64)) <= ARCS
        kept = np.sort(order[within])
        # named tokens first: some are no candidates, or dominated ones
        key = length.astype(np.int64) << 32 | lo
        keys = index.length[kept].astype(np.int64) << 32 | index.lo[kept]
        there = hi > lo
        kept = kept[~np.isin(keys, key[there])]
        self.index_number = np.concatenate([np.full(int(there.sum()), -1, np.int64), kept])
        names = np.flatnonzero(there)
        self.number = {named[n]: i for i, n in enumerate(names.tolist())}
        self.lo = np.concatenate([lo[names], index.lo[kept]])
        self.hi = np.concatenate([hi[names], index.hi[kept]])
        self.length = np.concatenate([length[names], index.length[kept]])
        self.arrays = self._arcs()
        while len(names) < len(self.lo) and self._steps() > STEPS:
            size = len(names) + (len(self.lo) - len(names)) // 2
            top = np.argsort(-promise[self.index_number[len(names) :]], kind="stable")
            stay = np.sort(np.concatenate([np.arange(len(names)), len(names) + top])[:size])
            self.index_number = self.index_number[stay]
            self.lo, self.hi, self.length = self.lo[stay], self.hi[stay], self.length[stay]
            self.arrays = self._arcs()
        self.whole = bool(np.isin(np.arange(len(index)), self._index_numbers()).all())
        # beyond all that there is, a larger budget would only be walked through
        self.free = min(instance.k - len(instance.fixed), len(self))
        self.fixed = [self.number[t] for t in instance.fixed if t in self.number]
        self.locked = np.zeros(len(self), np.uint8)
        self.locked[self.fixed] = 1
        self.groups = np.zeros(len(self), np.uint64)
        self.room = np.array([group.limit for group in instance.groups], np.int64)
        for token in set(instance.fixed) - set(self.number):
            self.room -= np.array([token in group for group in instance.groups], np.int64)
        if instance.groups:
            for c in range(len(self)):
                token = self.token(c)
                self.groups[c] = sum(1 << g for g, s in enumerate(instance.groups) if token in s)

    def __len__(self) -> int:
        return len(self.lo)

    def _index_numbers(self) -> Int64:
        """Which candidates of the index are here, named ones included."""
        index = self.instance.index
        keys = index.length.astype(np.int64) << 32 | index.lo
        mine = self.length.astype(np.int64) << 32 | self.lo
        return np.flatnonzero(np.isin(keys, mine))

    def per_number(self, values: Float64, default: float) -> Float64:
        """What each candidate of the index has, for those here."""
        index = self.instance.index
        keys = index.length.astype(np.int64) << 32 | index.lo
        order = np.argsort(keys)
        mine = self.length.astype(np.int64) << 32 | self.lo
        at = np.minimum(np.searchsorted(keys[order], mine), max(len(keys) - 1, 0))
        found = np.full(len(self), default)
        if len(keys):
            at = order[at]
            same = keys[at] == mine
            found[same] = values[at[same]]
        return found

    def _arcs(self) -> Arcs:
        return arcs_of(self.instance.index, self.lo, self.hi, self.length)

    def _steps(self) -> float:
        """Arcs that a look at every word passes over for candidates that occur twice in one."""
        arcs, word_first = self.arrays[:2]
        twice = np.zeros(len(arcs) + 1, np.int64)
        np.cumsum((arcs[:, 4] >= 0) & (arcs[:, 3] == np.arange(len(arcs))), out=twice[1:])
        repeated = np.diff(twice[word_first]).astype(np.float64)
        return float((repeated * np.diff(word_first)).sum())

    def state(self) -> State:
        """A new state for a search of this space."""
        return State(*self.arrays, self.locked, self.groups, self.room)

    def token(self, c: int) -> Token:
        """The candidate with a number."""
        array = self.instance.index.substring(int(self.lo[c]), int(self.length[c]))
        return sym.from_array(array, self.instance.symbols)

    def numbers(self, tokens: Sequence[Token]) -> Int32:
        """The numbers of tokens that are here, with the fixed ones."""
        mine = {self.number[token] for token in tokens if token in self.number}
        return np.array(sorted(mine | set(self.fixed)), np.int32)

    def tokens(self, picked: Int32) -> list[Token]:
        """The fixed tokens, then those of these numbers."""
        locked = self.locked
        rest = [self.token(c) for c in picked.tolist() if not locked[c]]
        return [*self.instance.fixed, *rest]


def promise_of(instance: Instance) -> Float64:
    """At most so many tokens can each candidate save (a float, so that it cannot overflow)."""
    index = instance.index
    return index.weight.astype(np.float64) * (index.length - 1)


def per_candidate(instance: Instance, values: npt.ArrayLike, name: str) -> Float64:
    """Values as an array, one for each candidate; `name` is what errors call it."""
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {shown(values)}: an array of numbers is expected") from None
    size = len(instance.index)
    if array.shape != (size,) or not np.isfinite(array).all():
        raise InputError(
            f"{name} has shape {array.shape}: one finite number for each of the {size} candidates "
            "of the instance's index is expected"
        )
    return array


def legal_start(instance: Instance, vocabulary: Vocabulary) -> Vocabulary:
    """What of a vocabulary an instance allows: its first k tokens, the fixed ones in front."""
    tokens = legal_tokens(instance, vocabulary)[: instance.k]
    return Vocabulary(tokens, instance.symbols, vocabulary.method)


def legal_tokens(instance: Instance, vocabulary: Vocabulary) -> list[Token]:
    """The fixed tokens, then what of a vocabulary is a candidate, within group budgets."""
    index = instance.index
    given = list(vocabulary)
    lo, hi, length = index.find([sym.to_array(token) for token in given])
    weight = index.weight_of(lo, hi)
    legal = (hi > lo) & (weight >= instance.min_count)
    legal &= length <= (instance.max_length or 2**31 - 1)
    listed = None if instance.candidates is None else set(instance.candidates)
    forbidden = set(instance.forbidden)
    chosen = list(instance.fixed)
    held = set(chosen)
    left = [group.limit - sum(token in group for token in held) for group in instance.groups]
    for token, fits in zip(given, legal.tolist(), strict=True):
        groups = [g for g, group in enumerate(instance.groups) if token in group]
        if not fits or token in held or token in forbidden or any(left[g] <= 0 for g in groups):
            continue
        if listed is not None and token not in listed:
            continue
        for g in groups:
            left[g] -= 1
        chosen.append(token)
    return chosen
