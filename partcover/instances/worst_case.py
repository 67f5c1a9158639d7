"""Searches for the tiny instances on which a method falls furthest behind the optimum."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial
from typing import Any, Literal

import numpy as np

from ..corpus.symbols import to_json
from ..corpus.word_counts import WordCounts
from ..errors import InputError, VerificationError
from ..heuristics.greedy import greedtok, greedwmc
from ..kernels import _worst_case
from ..problem.instance import Instance
from ..runtime.arguments import Seconds, Seed, checked
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["ENUMERABLE", "METHODS", "WorstCase", "worst"]

METHODS = ("greedtok", "greedwmc", "greedwmc-relaxed", "bpe")
ENUMERABLE = 100_000_000  # multisets of words that are all looked at; more are searched

_ROOM = 64  # symbols of an instance that the kernel holds
_LONGEST = 16
_IMAGES = 1_000_000  # words under all renamings of their symbols that are tabled
_LETTERS = "abcdefghijklmnop"
_LOOK = 0.1  # seconds between looks at the clock, about
_PATIENCE = 10_000  # steps without a smaller ratio that end a climb


@dataclass(frozen=True)
class WorstCase:
    """An instance on which a method covers little of what can be covered.

    Attributes
    ----------
    instance : Instance
        The instance; its ``source`` says how it was found and gives the optimum.
    method : str
        What was run.
    vocabulary, optimal : Vocabulary
        The method's tokens in its order, and an optimal set.
    cover, optimum_cover : int
        What the method covers and what can be covered: under the method's own rule, and for
        ``greedwmc-relaxed`` with overlaps allowed on both sides.
    tokens, optimum_tokens : int
        Tokens that the method needs, and the fewest; None for ``greedwmc-relaxed``, whose
        cover is not a segmentation.
    exhausted : bool
        Every multiset of the space was looked at: nothing in it has a smaller ratio.
    seen, examined : int
        Multisets generated (or steps of the search), and instances whose ratio was found: when
        all are enumerated, one for each class under renaming and reversal.
    termination : {"completed", "time_limit", "interrupted"}
        Why it ended.
    seconds : float
        Wall-clock seconds.
    """

    instance: Instance
    method: str
    vocabulary: Vocabulary
    optimal: Vocabulary
    cover: int
    optimum_cover: int
    tokens: int | None
    optimum_tokens: int | None
    exhausted: bool
    seen: int
    examined: int
    termination: Literal["completed", "time_limit", "interrupted"]
    seconds: float

    @property
    def ratio(self) -> float:
        """Cover over the optimum's."""
        return self.cover / self.optimum_cover

    @property
    def tokens_ratio(self) -> float | None:
        """Tokens over the optimum's."""
        if self.tokens is None or self.optimum_tokens is None:
            return None
        return self.tokens / self.optimum_tokens

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the command."""
        return {
            "method": self.method,
            "k": self.instance.k,
            "words": [[to_json(word), count] for word, count in self.instance.words],
            "cover": self.cover,
            "optimum_cover": self.optimum_cover,
            "ratio": self.ratio,
            "tokens": self.tokens,
            "optimum_tokens": self.optimum_tokens,
            "tokens_ratio": self.tokens_ratio,
            "vocabulary": [to_json(token) for token in self.vocabulary],
            "optimal_vocabulary": [to_json(token) for token in self.optimal],
            "exhausted": self.exhausted,
            "seen": self.seen,
            "examined": self.examined,
            "termination": self.termination,
            "seconds": round(self.seconds, 6),
        }


@checked
def worst(
    method: str = "greedtok",
    *,
    k: int = 2,
    alphabet: int = 2,
    words: int = 3,
    length: int = 5,
    restarts: int = 20,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> WorstCase:
    """Find the instance on which a method's cover is the smallest part of the optimum's.

    The space is every multiset of one to `words` words (a word that is there twice counts
    twice) of 2 to `length` symbols, all substrings being candidates.

    Parameters
    ----------
    method : {"greedtok", "greedwmc", "greedwmc-relaxed", "bpe"}
        ``greedtok``: its own cover, priority order.  ``greedwmc``: the shortest path over its
        vocabulary.  ``greedwmc-relaxed``: its relaxed cover, against the optimum of WMC.
        ``bpe``: k merges of the most frequent adjacent pair, cut by the merges themselves; a
        pair of equal tokens is counted and merged without overlaps, from the left; ties go to
        the lexicographically smallest pair of tokens; merging goes on while there is a pair,
        even one that occurs once, for k tokens may be used.  (A merge counts even if it
        spells a token that is there already.)
    k : int
        The budget.
    alphabet, words, length : int
        At most this many symbols (up to 16), words, and symbols in a word (up to 16); no more
        than 64 symbols in all.
    restarts : int
        Climbs of the local search.
    time_limit : float, optional
        Seconds after which the worst so far is returned; what it finds then depends on the
        machine.
    seed : int
        Of the local search.
    progress : Progress, optional
        Called with (done, of, remark): multisets, or restarts.

    Returns
    -------
    WorstCase
        The smallest ratio; then the fewest symbols; then the first found.  Recounted by
        `verify`, and by `greedtok` and `greedwmc` where they are the method.

    Raises
    ------
    InputError
        For an unknown method, or sizes the kernel does not hold.
    VerificationError
        If the recount contradicts the kernel.

    Notes
    -----
    A space of at most `ENUMERABLE` multisets is enumerated, unless its words have more than a
    million images under renaming, and ``exhausted`` says so.
    Renaming the symbols and reversing the words change no optimum, so one of each class is
    solved; the method, whose ties and left-to-right placing may follow them, runs on every
    image.  A larger space is climbed from random instances: a step changes, inserts, drops or
    doubles a symbol or a word, and is taken unless the ratio grows.  The optimum is found by
    branch and bound on the relaxed cover, exponential in k: instants for k up to about 5,
    seconds for k = 8 and 64 symbols.
    """
    started = time.monotonic()
    _check(method, k, alphabet, words, length, restarts)
    end = None if time_limit is None else started + time_limit
    many = sum(alphabet**size for size in range(2, length + 1))
    space = sum(comb(many + size - 1, size) for size in range(1, words + 1))
    number = METHODS.index(method)
    parameters = {"alphabet": alphabet, "words": words, "length": length}
    search: _Enumeration | _Climb
    if space <= ENUMERABLE and many * factorial(alphabet) <= _IMAGES:
        search = _Enumeration(number, k, **parameters)
    else:
        search = _Climb(number, k, **parameters, restarts=restarts, seed=seed)
    termination: Literal["completed", "time_limit", "interrupted"] = "completed"
    progress = progress or Progress()
    try:
        for done, of in search.steps(space):
            progress.advance(done, of, f"{float(search.ratio):.4f}")
            if end is not None and time.monotonic() >= end:
                termination = "time_limit"
                break
    except KeyboardInterrupt:
        termination = "interrupted"
    exhausted = termination == "completed" and isinstance(search, _Enumeration)
    return _state(
        method,
        k,
        search.found(),
        parameters=parameters,
        exhausted=exhausted,
        seen=search.seen,
        examined=search.examined,
        seed=seed,
        termination=termination,
        started=started,
    )


def _check(
    method: str,
    k: int,
    alphabet: int,
    words: int,
    length: int,
    restarts: int,
) -> None:
    if method not in METHODS:
        raise InputError(f"unknown method {method!r}: use {', '.join(METHODS)}")
    if k < 1:
        raise InputError(f"k is {k}: at least 1 is expected")
    if not 1 <= alphabet <= len(_LETTERS):
        raise InputError(f"alphabet is {alphabet}: 1 to {len(_LETTERS)} symbols are expected")
    if not 2 <= length <= _LONGEST:
        raise InputError(f"length is {length}: words of 2 to {_LONGEST} symbols are expected")
    if words < 1 or words * length > _ROOM:
        raise InputError(
            f"{words} words of {length} symbols: at least 1 word, and at most {_ROOM} symbols in "
            "all, are expected"
        )
    if restarts < 1:
        raise InputError(f"restarts is {restarts}: at least 1 is expected")


class _Enumeration:
    """Every multiset, in the kernel."""

    def __init__(self, method: int, k: int, *, alphabet: int, words: int, length: int) -> None:
        self.words = words
        self.table = [
            word for size in range(2, length + 1) for word in product(range(alphabet), repeat=size)
        ]
        number = {word: i for i, word in enumerate(self.table)}
        symbols = np.zeros((len(self.table), _LONGEST), np.uint8)
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
        self.search = _worst_case.Search(symbols, lengths, images, k, method)

    def steps(self, space: int) -> Iterable[tuple[int, int]]:
        chunk = 1000
        for size in range(1, self.words + 1):
            self.search.start(size)
            more = True
            while more:
                began = time.monotonic()
                more = self.search.run(chunk)
                chunk = chunk * 2 if time.monotonic() - began < _LOOK else max(1, chunk // 2)
                yield self.search.seen, space

    @property
    def ratio(self) -> Fraction:
        return Fraction(self.search.cover, self.search.optimum)

    @property
    def seen(self) -> int:
        return self.search.seen

    @property
    def examined(self) -> int:
        return self.search.examined

    def found(self) -> list[tuple[int, ...]]:
        return [self.table[number] for number in self.search.words] or [(0, 0)]


class _Climb:
    """Local search by small changes, from random instances."""

    def __init__(
        self,
        method: int,
        k: int,
        *,
        alphabet: int,
        words: int,
        length: int,
        restarts: int,
        seed: int,
    ) -> None:
        self.method, self.k = method, k
        self.alphabet, self.words, self.length = alphabet, words, length
        self.restarts = restarts
        self.random = random.Random(seed)
        self.seen = self.examined = 0
        self.best: tuple[Fraction, int] = (Fraction(2), 0)
        self.worst: list[tuple[int, ...]] = [(0, 0)]

    @property
    def ratio(self) -> Fraction:
        return self.best[0]

    def steps(self, space: int) -> Iterable[tuple[int, int]]:
        looked = time.monotonic()
        for restart in range(self.restarts):
            here = [self._word() for _ in range(self.random.randint(1, self.words))]
            value = self._value(here)
            least, idle = value, 0
            while idle < _PATIENCE:
                there = self._changed(here)
                found = self._value(there)
                if found[0] <= value[0]:
                    here, value = there, found
                idle = 0 if found < least else idle + 1
                least = min(least, found)
                if time.monotonic() - looked >= _LOOK:
                    yield restart, self.restarts
                    looked = time.monotonic()
        yield self.restarts, self.restarts

    def found(self) -> list[tuple[int, ...]]:
        return self.worst

    def _value(self, words: Sequence[tuple[int, ...]]) -> tuple[Fraction, int]:
        """The ratio, and the symbols; the smallest is kept."""
        self.seen += 1
        self.examined += 1
        arrays = _arrays(words)
        cover = _worst_case.method_cover(*arrays, self.k, self.method)[0]
        optimum = _worst_case.optimum(*arrays, self.k, METHODS[self.method] == "greedwmc-relaxed")[
            0
        ]
        value = Fraction(cover, optimum), sum(map(len, words))
        if value < self.best:
            self.best, self.worst = value, list(words)
        return value

    def _word(self) -> tuple[int, ...]:
        size = self.random.randint(2, self.length)
        return tuple(self.random.randrange(self.alphabet) for _ in range(size))

    def _changed(self, words: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """One to three changes, each of a symbol or a word."""
        changed = list(words)
        for _ in range(self.random.choice((1, 1, 2, 3))):
            i = self.random.randrange(len(changed))
            word = changed[i]
            p = self.random.randrange(len(word))
            kind = self.random.randrange(7)
            symbol = (self.random.randrange(self.alphabet),)
            if kind <= 1:
                changed[i] = word[:p] + symbol + word[p + 1 :]
            elif kind == 2 and len(word) < self.length:
                changed[i] = word[:p] + symbol + word[p:]
            elif kind == 3 and len(word) > 2:
                changed[i] = word[:p] + word[p + 1 :]
            elif kind == 4:
                changed[i] = self._word()
            elif kind == 5 and len(changed) < self.words:
                changed.append(self.random.choice([word, self._word()]))
            elif kind == 6 and len(changed) > 1:
                del changed[i]
        return changed


def _arrays(words: Iterable[tuple[int, ...]]) -> tuple[Any, Any, Any]:
    """Distinct words and their counts, as the kernel takes them."""
    counts = Counter(words)
    text = np.array([symbol for word in counts for symbol in word], np.uint8)
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum([len(word) for word in counts], out=offsets[1:])
    return text, offsets, np.array(list(counts.values()), np.int64)


def _state(
    method: str,
    k: int,
    found: Sequence[tuple[int, ...]],
    *,
    parameters: dict[str, int],
    exhausted: bool,
    seen: int,
    examined: int,
    seed: int,
    termination: Literal["completed", "time_limit", "interrupted"],
    started: float,
) -> WorstCase:
    """Name the symbols, recount, and say how it was found."""
    arrays = _arrays(found)
    relaxed = method == "greedwmc-relaxed"
    cover, places = _worst_case.method_cover(*arrays, k, METHODS.index(method))
    best_cover, best_places = _worst_case.optimum(*arrays, k, relaxed)
    best_tokens = best_places if not relaxed else _worst_case.optimum(*arrays, k)[1]

    text = "".join(_LETTERS[symbol] for symbol in arrays[0].tolist())

    def vocabulary(some: Iterable[tuple[int, int]], made_by: str) -> Vocabulary:
        # two merges of BPE may spell one token
        tokens = dict.fromkeys(text[start : start + size] for start, size in some)
        return Vocabulary([token.encode() for token in tokens], "bytes", made_by)

    words = WordCounts.from_counts(
        Counter("".join(_LETTERS[symbol] for symbol in word) for word in found)
    )
    chosen, optimal = vocabulary(places, method), vocabulary(best_places, "solve")
    optimum = verify(Instance(words, k), vocabulary(best_tokens, "solve"))
    total = words.total_symbols
    case = {"ratio": cover / best_cover, "cover": cover, "optimum_cover": best_cover}
    instance = Instance(
        words,
        k,
        source={
            "family": "worst-case",
            "from": f"partcover worst --method {method} -k {k}"
            + "".join(f" --{name} {value}" for name, value in parameters.items())
            + f" --seed {seed}",
            "method": method,
            **case,
            "vocabulary": [to_json(token) for token in chosen],
            "parameters": parameters,
            "seed": seed,
            "exhausted": exhausted,
            "examined": examined,
            "best": {
                "tokens": optimum.tokens,
                "vocabulary": [to_json(token) for token in vocabulary(best_tokens, "solve")],
                "proven": True,
                "by": "enumeration of all vocabularies",
                "lower_bound": optimum.tokens,
                "certificate": None,
            },
        },
    )
    recounted = _recount(instance, method, chosen)
    stated = verify(instance, optimal)
    best = stated.relaxed_cover if relaxed else stated.cover
    if not (stated.ok and optimum.ok) or best != best_cover or recounted not in (None, cover):
        raise VerificationError(
            f"{method} covers {recounted} of {best}, the search has {cover} of {best_cover}: "
            "please report the instance"
        )
    return WorstCase(
        instance=instance,
        method=method,
        vocabulary=chosen,
        optimal=optimal,
        cover=cover,
        optimum_cover=best_cover,
        tokens=None if relaxed else total - cover,
        optimum_tokens=None if relaxed else optimum.tokens,
        exhausted=exhausted,
        seen=seen,
        examined=examined,
        termination=termination,
        seconds=time.monotonic() - started,
    )


def _recount(instance: Instance, method: str, chosen: Vocabulary) -> int | None:
    """The method's cover by the code for whole corpora; None for BPE, which has none."""
    if method == "bpe":
        return None
    if method == "greedtok":
        solution = greedtok(instance)
        cover = solution.cover
    else:
        solution = greedwmc(instance)
        cover = solution.extra["relaxed_cover"]
        if method == "greedwmc":
            cover = segment(instance.words, chosen).cover
    if solution.vocabulary is None or solution.vocabulary.tokens != chosen.tokens:
        raise VerificationError(f"{method} chooses other tokens: please report the instance")
    return cover
