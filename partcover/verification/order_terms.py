"""Checks the multipliers of merges that are applied in order, and sums what tokens pay."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any

from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.certificates.cuts import PairPrices, names
from ..problem.merge_condition import MergeCondition
from ..problem.merge_order import MergeOrder
from .cut_terms import checked_multipliers
from .sorted_words import SortedWords

__all__ = ["OrderTerms"]

_FREE_STEPS = 1 << 26  # parts of words that are looked at
_STEPS_A_MULTIPLIER = 256


class OrderTerms:
    """The effect of the multipliers of merges on a leaf's bound.

    Multipliers are refused for merges that the condition does not have or whose parts can be made
    in several ways, and at places where the merge is not possible.

    `paid` is what the results of merges pay: their rewards are lower by it, and so is the bound.
    `added` is added to the price of a symbol.  `due` is for each token what its occurrences pay at
    a symbol; below 0 what they get.  `n_entries` values are stored.
    """

    def __init__(
        self, condition: MergeCondition, orders: Sequence[PairPrices], words: SortedWords
    ) -> None:
        self.paid: Counter[Token] = Counter()
        self.added: dict[int, int] = defaultdict(int)
        self.due: dict[Token, Counter[int]] = defaultdict(Counter)
        self._words = words
        order = MergeOrder(condition)
        self._last = cache(lambda token: dict(order.ends(token)))
        self._first = cache(lambda token: dict(order.begins(token)))
        self._steps, n_multipliers = 0, 0
        number: dict[Any, int] = {merge: n for n, merge in enumerate(order.merges)}
        if len({each.tokens for each in orders}) < len(orders):
            raise InputError("a leaf has a merge twice")
        for each in orders:
            merge: Any = each.tokens
            about = f"the merge of {names(merge)}"
            if merge not in number:
                raise InputError(f"{about} is not one of the instance's")
            if not order.usable[number[merge]]:
                raise InputError(f"{about} has parts made in several ways")
            at = checked_multipliers(each, about, range(len(words.word_at)))
            for symbol, multiplier in at.items():
                n_multipliers += 1
                self._take(merge, number[merge], symbol, multiplier)
                if self._steps > _FREE_STEPS + _STEPS_A_MULTIPLIER * n_multipliers:
                    raise InputError("merges have too many neighbors for a check in short time")
        self.n_entries = n_multipliers + sum(map(len, self.due.values()))

    def _take(self, merge: tuple[Any, Any], number: int, symbol: int, multiplier: int) -> None:
        """Adds a multiplier of a merge at the border before a symbol."""
        words, (left, right) = self._words, merge
        word = words.word_at[symbol]
        first, text = words.first[word], words.text
        end = first + words.sizes[word]
        start, stop = symbol - len(left), symbol + len(right)
        if start < first or stop > end or text[start:stop] != left + right:
            raise InputError(f"{names(merge)} are not on both sides of a symbol with a multiplier")
        self.paid[left + right] += words.count_at[symbol] * multiplier
        if len(right) == 1:  # the single symbol pays
            self.added[symbol] += multiplier
        if len(left) > 1:  # the single symbol gets
            self.added[symbol - 1] -= multiplier
        self._steps += end - first
        for begin in range(first, symbol - 1):
            token = text[begin:symbol]
            if self._last(token).get(len(left), -1) <= number:
                self.due[token][symbol - 1] -= multiplier
        for begin in range(symbol + 2, end + 1):
            token = text[symbol:begin]
            joined = self._first(token).get(len(right), -1)
            if joined > number and not self._reaches(token, first, symbol, end):
                self.due[token][symbol] += multiplier

    def _reaches(self, token: Any, first: int, symbol: int, end: int) -> bool:
        """Returns whether an earlier occurrence of a token in the word lies over a symbol."""
        size, text = len(token), self._words.text
        earlier = range(max(first, symbol - size + 1), min(symbol, end - size + 1))
        return any(text[start : start + size] == token for start in earlier)
