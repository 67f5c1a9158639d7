"""The candidates that a local search tries, with numbers and occurrences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..corpus.symbols import Token
from ..errors import InputError
from ..kernels.search._local_search import State
from ..kernels.search._search_arcs import repeated_steps
from ..problem.group_budget import GroupBudgets
from ..problem.instance import Instance
from ..problem.memory_plan import MOST_SEARCHED
from ..problem.word_index import arcs_of
from ..runtime.arguments import shown
from ..runtime.arrays import ArrayLike, Float64, Int32, Integers, np
from ..vocabulary.vocabulary import Vocabulary

STEPS = 2**31  # limit of arcs that a pass over all words visits for tokens that repeat in a word


class SearchSpace:
    """The numbered candidates that are tried, and their arcs in the words.

    Parameters
    ----------
    instance : Instance
        The instance.
    given : iterable of token
        Tokens to include, in addition to the fixed ones.
    min_promise : int
        Include only other candidates that can save at least this many tokens; the best come first.
    x : ndarray of float64, or None
        Candidates with x > 0 are included too.
    """

    def __init__(
        self, instance: Instance, given: Iterable[Token], min_promise: int, x: Float64 | None
    ) -> None:
        self.instance = instance
        index = instance.index
        named = list(dict.fromkeys([*instance.fixed, *given]))
        intervals = index.find_tokens(named)
        promise = promise_of(instance)
        order = np.argsort(-promise, kind="stable")
        wanted = promise[order] >= min_promise
        if x is not None:
            wanted |= x[order] > 0
        order = order[wanted]
        within = np.cumsum((index.hi - index.lo)[order].astype(np.int64)) <= MOST_SEARCHED
        kept = np.sort(order[within])
        # given tokens first: some are not candidates, or are dominated
        kept = np.setdiff1d(kept, index.numbers(intervals), assume_unique=True)
        names = np.flatnonzero(intervals.occurs)
        self.index_number = np.concatenate([np.full(len(names), -1, np.int64), kept])
        self.number = {named[n]: i for i, n in enumerate(names.tolist())}
        self.intervals = intervals.take(names).joined(index.intervals.take(kept))
        self.arrays = arcs_of(index, self.intervals)
        while len(names) < len(self) and repeated_steps(*self.arrays[:2]) > STEPS:
            size = len(names) + (len(self) - len(names)) // 2
            top = np.argsort(-promise[self.index_number[len(names) :]], kind="stable")
            stay = np.sort(np.concatenate([np.arange(len(names)), len(names) + top])[:size])
            self.index_number = self.index_number[stay]
            self.intervals = self.intervals.take(stay)
            self.arrays = arcs_of(index, self.intervals)
        self.numbers_in_index = index.numbers(self.intervals)
        self.whole = index.min_promise == 0
        self.whole &= int((self.numbers_in_index >= 0).sum()) == len(index)
        # more than all candidates would only make loops longer
        self.free = min(instance.k - len(instance.fixed), len(self))
        self.fixed = [self.number[t] for t in instance.fixed if t in self.number]
        self.locked = np.zeros(len(self), np.uint8)
        self.locked[self.fixed] = 1
        # fixed tokens that occur are included, and are counted when they are chosen
        budgets = GroupBudgets(instance.groups, set(instance.fixed) - set(self.number))
        self.room = budgets.room
        self.groups = np.zeros(len(self), np.uint64)
        if instance.groups:
            self.groups = budgets.bits(self.tokens_of())

    def __len__(self) -> int:
        return len(self.intervals.lo)

    def per_number(self, values: Float64, default: float) -> Float64:
        """Converts values of the index's candidates to values of the candidates here."""
        numbers = self.numbers_in_index
        known = numbers >= 0
        own = np.full(len(self), default)
        own[known] = values[numbers[known]]
        return own

    def state(self) -> State:
        """Returns a new state for a search in this space."""
        return State(*self.arrays, self.locked, self.groups, self.room)

    def tokens_of(self, numbers: Integers | None = None) -> Iterator[Token]:
        """Yields the candidates with these numbers, or all of them."""
        intervals = self.intervals if numbers is None else self.intervals.take(numbers)
        return self.instance.index.tokens_at(intervals)

    def numbers(self, tokens: Sequence[Token]) -> Int32:
        """Returns the numbers of those tokens that are included, and of the fixed ones."""
        numbers = {self.number[token] for token in tokens if token in self.number}
        return np.array(sorted(numbers | set(self.fixed)), np.int32)

    def tokens(self, picked: Int32) -> list[Token]:
        """Returns the fixed tokens, then the tokens with these numbers."""
        return [*self.instance.fixed, *self.tokens_of(picked[self.locked[picked] == 0])]


def promise_of(instance: Instance) -> Float64:
    """Returns an upper bound on the savings of each candidate (floats, which cannot overflow)."""
    index = instance.index
    return index.weight.astype(np.float64) * (index.length - 1)


def per_candidate(instance: Instance, x: ArrayLike) -> Float64:
    """Returns a solution of the linear relaxation as an array, a number for each candidate."""
    try:
        array = np.asarray(x, np.float64)
    except (OverflowError, TypeError, ValueError):
        raise InputError(f"x is {shown(x)}: it must be an array of numbers") from None
    size = len(instance.index)
    if array.shape != (size,) or not np.isfinite(array).all():
        raise InputError(
            f"x has shape {array.shape}: it must have one finite number for each of the "
            f"{size} candidates of the instance's index"
        )
    return array


def legal_start(instance: Instance, vocabulary: Vocabulary) -> Vocabulary:
    """Returns the first k tokens of a vocabulary that an instance allows, fixed tokens first."""
    tokens = legal_tokens(instance, vocabulary)[: instance.k]
    return Vocabulary(tokens, instance.symbols, vocabulary.method)


def legal_tokens(instance: Instance, vocabulary: Vocabulary) -> list[Token]:
    """Returns the fixed tokens, then a vocabulary's candidates within the group budgets."""
    index = instance.index
    given = list(vocabulary)
    intervals = index.find_tokens(given)
    legal = intervals.occurs & (index.weight_of(intervals) >= instance.min_count)
    legal &= intervals.length <= (instance.max_length or 2**31 - 1)
    listed = None if instance.candidates is None else set(instance.candidates)
    excluded = {*instance.forbidden, *instance.fixed}
    budgets = GroupBudgets(instance.groups, instance.fixed)
    chosen = list(instance.fixed)
    for token, fits in zip(given, legal.tolist(), strict=True):
        fits &= token not in excluded and (listed is None or token in listed)
        if fits and budgets.admit(token):
            chosen.append(token)
    return chosen
