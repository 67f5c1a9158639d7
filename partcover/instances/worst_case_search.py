"""Searches spaces of tiny instances for the one with the smallest ratio to the optimum."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels.search import _worst_case
from ..runtime.arguments import closest

MEASURES = ("cover", "tokens")
METHODS = ("greedtok", "greedwmc", "greedwmc-relaxed", "bpe")
#: Multisets of words that are all enumerated; larger spaces are searched.
ENUMERABLE = 100_000_000
#: The symbols, as they are written.
LETTERS = "abcdefghijklmnop"

_MOST_TOKENS = 2**31 - 1
_MAX_SYMBOLS = 64  # symbols of an instance that the kernel holds
_MAX_LENGTH = 16
_MAX_IMAGES = 1_000_000  # words under all renamings of their symbols that are tabled
_REPORT_SECONDS = 0.1  # between reports, about
#: Steps without a smaller ratio that end a climb.
PATIENCE = 10_000

Word = tuple[int, ...]


@dataclass(frozen=True)
class Space:
    """The instances that are searched: multisets of words over an alphabet.

    Parameters
    ----------
    method : str
        One of `METHODS`.
    k : int
        The budget.
    alphabet, words, length : int
        Symbols, words in an instance and symbols in a word, at most.
    measure : str
        What the ratio is of, one of `MEASURES`.

    Raises
    ------
    InputError
        For an unknown method, or sizes that the kernel does not hold.
    """

    method: str
    k: int
    alphabet: int
    words: int
    length: int
    measure: str = "cover"

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError(f"unknown method {self.method!r}: {closest(self.method, METHODS)}")
        if self.measure not in MEASURES:
            raise InputError(f"unknown measure {self.measure!r}: {closest(self.measure, MEASURES)}")
        if self.of_tokens and self.method == "greedwmc-relaxed":
            raise InputError(
                "greedwmc-relaxed has no tokens, because its cover is not a segmentation"
            )
        if not 1 <= self.k <= _MOST_TOKENS:
            raise InputError(f"k is {self.k}: it must be from 1 to {_MOST_TOKENS:,}")
        if not 1 <= self.alphabet <= len(LETTERS):
            raise InputError(
                f"alphabet is {self.alphabet}: it must be from 1 to {len(LETTERS)} symbols"
            )
        if not 2 <= self.length <= _MAX_LENGTH:
            raise InputError(f"length is {self.length}: it must be from 2 to {_MAX_LENGTH} symbols")
        if self.words < 1 or self.words * self.length > _MAX_SYMBOLS:
            raise InputError(
                f"{self.words} words of {self.length} symbols: there must be at least 1 word, "
                f"and at most {_MAX_SYMBOLS} symbols in total"
            )

    @property
    def number(self) -> int:
        """The number of the method in the kernel."""
        return METHODS.index(self.method)

    @property
    def of_tokens(self) -> bool:
        """Whether the ratio is of tokens."""
        return self.measure == "tokens"

    @property
    def n_words(self) -> int:
        """The number of words there are."""
        return sum(self.alphabet**size for size in range(2, self.length + 1))

    @property
    def n_instances(self) -> int:
        """The number of multisets of words."""
        return sum(comb(self.n_words + size - 1, size) for size in range(1, self.words + 1))

    @property
    def is_enumerable(self) -> bool:
        """Whether all instances can be enumerated."""
        images = self.n_words * factorial(self.alphabet)
        return self.n_instances <= ENUMERABLE and images <= _MAX_IMAGES


class Enumeration:
    """Enumerates every multiset, in the kernel.

    Parameters
    ----------
    space : Space
        The instances.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        alphabet = space.alphabet
        self.table = [
            word
            for size in range(2, space.length + 1)
            for word in product(range(alphabet), repeat=size)
        ]
        number = {word: i for i, word in enumerate(self.table)}
        symbols = np.zeros((len(self.table), _MAX_LENGTH), np.uint8)
        for row, word in zip(symbols, self.table, strict=True):
            row[: len(word)] = word
        names = list(permutations(range(alphabet)))  # the first renames nothing
        images = np.array(
            [
                [
                    [number[tuple(name[s] for s in word[::step])] for word in self.table]
                    for name in names
                ]
                for step in (1, -1)
            ],
            np.int32,
        )
        lengths = np.array([len(word) for word in self.table], np.int32)
        self.search = _worst_case.Search(
            symbols, lengths, images, space.k, space.number, space.of_tokens
        )

    def steps(self) -> Iterator[tuple[int, int]]:
        """Runs, and yields the multisets enumerated so far and in all."""
        chunk = 1000
        total = self.space.n_instances
        for size in range(1, self.space.words + 1):
            self.search.start(size)
            instances_left = True
            while instances_left:
                started = time.monotonic()
                instances_left = self.search.run(chunk)
                is_fast = time.monotonic() - started < _REPORT_SECONDS
                chunk = chunk * 2 if is_fast else max(1, chunk // 2)
                yield self.search.seen, total

    @property
    def ratio(self) -> Fraction:
        """The smallest ratio so far."""
        return Fraction(self.search.numerator, self.search.denominator)

    @property
    def seen(self) -> int:
        """Multisets enumerated so far."""
        return self.search.seen

    @property
    def examined(self) -> int:
        """Instances whose ratio was computed."""
        return self.search.examined

    def worst(self) -> list[Word]:
        """Returns the words of the instance with the smallest ratio so far."""
        return [self.table[number] for number in self.search.words] or [(0, 0)]


class Climb:
    """Searches locally by small changes, from random instances.

    Parameters
    ----------
    space : Space
        The instances.
    restarts : int
        Number of climbs.
    seed : int
        Random seed.

    Attributes
    ----------
    seen, examined : int
        Instances whose ratio was computed.
    """

    def __init__(self, space: Space, restarts: int, seed: int) -> None:
        self.space = space
        self.restarts = restarts
        self.random = random.Random(seed)
        self.seen = self.examined = 0
        self._best: tuple[Fraction, int] = (Fraction(2), 0)
        self._worst: list[Word] = [(0, 0)]

    @property
    def ratio(self) -> Fraction:
        """The smallest ratio so far."""
        return self._best[0]

    def steps(self) -> Iterator[tuple[int, int]]:
        """Runs, and yields the climbs done so far and in all."""
        reported = time.monotonic()
        for restart in range(self.restarts):
            current = [self._word() for _ in range(self.random.randint(1, self.space.words))]
            value = self._value(current)
            lowest, idle = value, 0
            while idle < PATIENCE:
                neighbour = self._changed(current)
                neighbour_value = self._value(neighbour)
                if neighbour_value[0] <= value[0]:
                    current, value = neighbour, neighbour_value
                idle = 0 if neighbour_value < lowest else idle + 1
                lowest = min(lowest, neighbour_value)
                if time.monotonic() - reported >= _REPORT_SECONDS:
                    yield restart, self.restarts
                    reported = time.monotonic()
        yield self.restarts, self.restarts

    def worst(self) -> list[Word]:
        """Returns the words of the instance with the smallest ratio so far."""
        return self._worst

    def _value(self, words: Sequence[Word]) -> tuple[Fraction, int]:
        """Returns the ratio and the number of symbols, and keeps the smallest."""
        self.seen += 1
        self.examined += 1
        arrays = kernel_arrays(words)
        space = self.space
        cover = _worst_case.method_cover(*arrays, space.k, space.number)[0]
        optimum = _worst_case.optimum(*arrays, space.k, space.method == "greedwmc-relaxed")[0]
        symbols = sum(map(len, words))
        if space.of_tokens:
            value = Fraction(symbols - optimum, symbols - cover), symbols
        else:
            value = Fraction(cover, optimum), symbols
        if value < self._best:
            self._best, self._worst = value, list(words)
        return value

    def _word(self) -> Word:
        size = self.random.randint(2, self.space.length)
        return tuple(self.random.randrange(self.space.alphabet) for _ in range(size))

    def _changed(self, words: Sequence[Word]) -> list[Word]:
        """Makes one to three changes, each of a symbol or a word."""
        changed = list(words)
        for _ in range(self.random.choice((1, 1, 2, 3))):
            i = self.random.randrange(len(changed))
            word = changed[i]
            p = self.random.randrange(len(word))
            kind = self.random.randrange(7)
            symbol = (self.random.randrange(self.space.alphabet),)
            if kind <= 1:
                changed[i] = word[:p] + symbol + word[p + 1 :]
            elif kind == 2 and len(word) < self.space.length:
                changed[i] = word[:p] + symbol + word[p:]
            elif kind == 3 and len(word) > 2:
                changed[i] = word[:p] + word[p + 1 :]
            elif kind == 4:
                changed[i] = self._word()
            elif kind == 5 and len(changed) < self.space.words:
                changed.append(self.random.choice([word, self._word()]))
            elif kind == 6 and len(changed) > 1:
                del changed[i]
        return changed


def kernel_arrays(words: Iterable[Word]) -> tuple[Any, Any, Any]:
    """Returns the distinct words and their counts, as the kernel takes them."""
    counts = Counter(words)
    text = np.array([symbol for word in counts for symbol in word], np.uint8)
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum([len(word) for word in counts], out=offsets[1:])
    return text, offsets, np.array(list(counts.values()), np.int64)
