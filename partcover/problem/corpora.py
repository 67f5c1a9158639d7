"""Several corpora for one vocabulary, whose largest ratio of tokens to reference is minimized."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Any

from ..corpus import symbols as sym
from ..corpus.alike import refuse_unlike
from ..corpus.counting.head_and_tail import HeadAndTail
from ..corpus.symbols import Symbols, Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..runtime.arguments import checked, shown
from ..runtime.arrays import Int64, np, read_only
from ..runtime.notebook import brief
from ..runtime.pickling import by_fields
from .certificates.checksum import listed, whole

_LARGEST = 2**62  # of references, which are also computed with in floating point
_SYMBOLS = 2**34  # counted symbols of weighted corpora, enough for prices with many digits
_FINE = 2**12  # about the largest weight, if the corpora have more symbols than that
_FINE_OF_TAILS = 2**6  # the same for heads and tails: sums over tails need more room
_SHARE = 1e-4  # smallest share of a corpus that weights are fine enough for
_MOST = 2**57 - 1  # most counted symbols that a bound supports


@dataclass(frozen=True, eq=False)
class Corpora:
    """Two or more corpora, and a reference count for each.

    For an `Instance` with several corpora, the best vocabulary has the smallest largest ratio.  The
    ratio of a corpus is the number of tokens that it needs divided by its reference count.

    Parameters
    ----------
    parts : iterable of WordCounts or HeadAndTail
        Two or more corpora, over the same symbols.  Those with a head and a tail, as all are then,
        have equally many words in the head.
    references : iterable of int
        The reference count of each corpus, 1 to 2^62: `reference_counts` makes some.
    names : iterable of str, optional
        Distinct names of the corpora; by default ``1``, ``2``, …

    Raises
    ------
    InputError
        For fewer than two corpora, a reference out of range, and corpora that were counted in
        different ways.

    Examples
    --------
    >>> from partcover import Corpora, Instance, WordCounts
    >>> words = [WordCounts.from_counts({"that": 3}), WordCounts.from_counts({"haha": 1})]
    >>> corpora = Corpora(words, references=[3, 1], names=["english", "laughter"])
    >>> Instance(corpora, k=1)
    Instance(k=1, english: 1 words, laughter: 1 words, bytes, candidates=substrings)
    >>> corpora.ratios([9, 2])
    (Fraction(3, 1), Fraction(2, 1))
    """

    parts: tuple[WordCounts | HeadAndTail, ...]
    references: tuple[int, ...]
    names: tuple[str, ...]

    @checked
    def __init__(
        self,
        parts: Iterable[WordCounts | HeadAndTail],
        references: Iterable[int],
        names: Iterable[str] | None = None,
    ) -> None:
        self.__dict__["parts"] = tuple(parts)
        given = self.words
        if len({part.n for part in self.tails}) > 1:
            raise InputError("the heads of the corpora must have equally many words")
        if len(given) < 2:
            raise InputError(f"{len(given)} corpus is given: give two or more")
        refuse_unlike(given)
        called = tuple(str(n + 1) for n in range(len(given))) if names is None else tuple(names)
        if others := [name for name in called if not isinstance(name, str)]:
            raise InputError(f"names have {shown(others[0])}: each name must be text")
        if len(called) != len(given) or len(set(called)) < len(called):
            raise InputError(
                f"names are {', '.join(called)}: each of the {len(given)} corpora needs a name "
                "of its own"
            )
        counts = tuple(references)
        if len(counts) != len(called):
            raise InputError(f"{len(counts)} references for {len(called)} corpora")
        pairs = zip(called, counts, strict=True)
        counts = tuple(whole(n, f"the reference of {name}", 1, _LARGEST) for name, n in pairs)
        self.__dict__.update(references=counts, names=called)

    __reduce__ = by_fields

    def __repr__(self) -> str:
        return brief("Corpora", *self.sizes, self.symbols)

    def __len__(self) -> int:
        return len(self.parts)

    @cached_property
    def tails(self) -> tuple[HeadAndTail, ...]:
        """The corpora, if they are heads and tails."""
        tails = tuple(part for part in self.parts if isinstance(part, HeadAndTail))
        return tails if len(tails) == len(self.parts) else ()

    @cached_property
    def words(self) -> tuple[WordCounts, ...]:
        """The words of each corpus, or of its head."""
        return checked_corpora([part.head for part in self.tails] or self.parts)

    @property
    def sizes(self) -> list[str]:
        """The name of each corpus with the number of its words, for messages."""
        pairs = zip(self.names, self.words, strict=True)
        return [f"{name}: {len(words):,} words" for name, words in pairs]

    @property
    def _symbols(self) -> list[int]:
        """The counted symbols of each corpus, of head and tail."""
        of_tails = [words.total_symbols for words in self.tails]
        return of_tails or [words.total_symbols for words in self.words]

    @property
    def symbols(self) -> Symbols:
        """The alphabet."""
        return self.words[0].symbols

    @cached_property
    def joined(self) -> WordCounts:
        """All words with the sums of their counts, in the order of their first occurrence."""
        table: dict[Token, int] = {}
        for words in self.words:
            for word, count in words:
                table[word] = table.get(word, 0) + count
        same = all(words.how == self.words[0].how for words in self.words)
        return WordCounts.from_counts(table, self.symbols, **(self.words[0].how if same else {}))

    @cached_property
    def alone(self) -> Corpora:
        """The same corpora with the words of the heads only."""
        return Corpora(self.words, self.references, self.names) if self.tails else self

    @cached_property
    def all_words(self) -> HeadAndTail | None:
        """The words of all corpora, if they are heads and tails."""
        ones = [1] * len(self)
        return HeadAndTail.joined(self.tails, ones, self.joined) if self.tails else None

    @cached_property
    def counts(self) -> Int64:
        """The count of each word of `joined` in each corpus, shape (corpora, words)."""
        counts = np.zeros((len(self), len(self.joined)), np.int64)
        number = {word: n for n, (word, _) in enumerate(self.joined)}
        for row, words in zip(counts, self.words, strict=True):
            row[[number[word] for word, _ in words]] = words.counts
        return read_only(counts)

    def split_at(self, protected: Sequence[Token]) -> Corpora:
        """Returns the corpora with the words split at protected tokens."""
        parts = (split_at(part, protected) for part in self.parts)
        return Corpora(parts, self.references, self.names)

    @checked
    def ratios(self, tokens: Sequence[int]) -> tuple[Fraction, ...]:
        """Returns the ratio of each corpus: its tokens divided by its reference."""
        self._check_number(tokens, "numbers of tokens")
        return tuple(map(Fraction, tokens, self.references))

    @checked
    def weighted(self, weights: Sequence[int]) -> WordCounts:
        """Returns all words with the counts of each corpus multiplied by its weight.

        Words that occur only in corpora of weight 0 are left out.
        """
        check_weights(weights, len(self))
        symbols = sum(map(mul, weights, self._symbols))
        if symbols > 2**62:
            raise InputError(
                f"with these weights there are {symbols} counted symbols: at most 2^62 are possible"
            )
        # the weight of a corpus without words may be larger than int64 can hold
        counts = np.array([min(w, 2**62) for w in weights], np.int64) @ self.counts
        if counts.min(initial=1) > 0:
            return replace(self.joined, counts=counts)
        listed = zip((word for word, _ in self.joined), counts.tolist(), strict=True)
        return self.joined.subset(pair for pair in listed if pair[1])

    @checked
    def all_weighted(self, weights: Sequence[int]) -> HeadAndTail:
        """Returns the same for the words of all heads and tails, as one head and one tail."""
        return HeadAndTail.joined(self.tails, weights, self.weighted(weights))

    @checked
    def integer_weights(self, shares: Sequence[float]) -> tuple[int, ...]:
        """Returns integers nearly proportional to shares divided by references, each at least 1.

        They are large enough for prices with many digits, and small enough to avoid overflow.
        """
        self._check_number(shares, "shares")
        sizes = self._symbols
        if sum(sizes) >= _MOST:
            raise InputError("the counts are too large to multiply by weights: scale them down")
        fine = _FINE_OF_TAILS if self.tails else _FINE
        room = min(max(_SYMBOLS, fine * sum(sizes)), _MOST)
        parts = [share / count for share, count in zip(shares, self.references, strict=True)]
        counted = sum(part * size for part, size in zip(parts, sizes, strict=True))
        if not self.tails:  # a weight that is rounded up to 1 is at most this share of the whole
            least = min(max(p, _SHARE / r) for p, r in zip(parts, self.references, strict=True))
            room = max(room, math.ceil(min(sum(sizes) + counted / least, _MOST // 2)))
        scale = (room - sum(sizes)) / counted if counted else 0.0
        weights = [max(1, math.floor(part * scale)) for part in parts]
        common = math.gcd(*weights)
        return tuple(weight // common for weight in weights)

    @checked
    def shares(self, weights: Sequence[int]) -> tuple[float, ...]:
        """Returns the shares of given weights; a weight of 0 counts as 1."""
        self._check_number(weights, "weights")
        parts = [max(w, 1) * r for w, r in zip(weights, self.references, strict=True)]
        return tuple(part / sum(parts) for part in parts)

    @checked
    def proven(self, lower_bound: int, weights: Sequence[int]) -> Fraction:
        """Returns the bound on the largest ratio that follows from a bound on weighted tokens."""
        check_weights(weights, len(self))
        total = sum(w * r for w, r in zip(weights, self.references, strict=True))
        return attainable(Fraction(lower_bound, total), self.references)

    @checked
    def enough(self, largest: Fraction, weights: Sequence[int]) -> int:
        """Returns the fewest weighted tokens that prove a largest ratio of at least this."""
        check_weights(weights, len(self))
        # the next smaller value that a ratio can have
        below = max(Fraction(math.ceil(largest * r) - 1, r) for r in self.references)
        total = sum(w * r for w, r in zip(weights, self.references, strict=True))
        return math.floor(below * total) + 1

    def _check_number(self, values: Sequence[float], what: str) -> None:
        if len(values) != len(self):
            raise InputError(f"{len(values)} {what} for {len(self)} corpora")

    def to_json(self) -> dict[str, Any]:
        """Returns the corpora as in an instance file, without their words."""
        return {"references": list(self.references), "names": list(self.names)}


def corpora_from_json(
    data: Mapping[str, Any],
    named: Sequence[tuple[Token, Any]],
    symbols: Symbols,
    how: Mapping[str, Any],
) -> Corpora:
    """Makes corpora from the content of an instance file, whose words have one count per corpus."""
    references = listed(data["references"], "'references'")
    names = listed(data["names"], "'names'") if "names" in data else None
    for word, row in named:
        if not isinstance(row, list) or len(row) != len(references):
            raise InputError(
                f"the word {sym.show(word)!r} must have a count for each of the "
                f"{len(references)} corpora"
            )
        for count in row:
            whole(count, f"a count of {sym.show(word)!r}", 0)
    corpora = (
        WordCounts.from_counts(
            ((word, row[number]) for word, row in named if row[number]), symbols, **how
        )
        for number in range(len(references))
    )
    return Corpora(corpora, references, names)


def split_at(corpus: Any, protected: Sequence[Token]) -> Any:
    """Returns a corpus with its words split at protected tokens, of the same pre-tokenizer."""
    if isinstance(corpus, WordCounts):
        return replace(corpus.split_at(protected), **corpus.how)
    return corpus.split_at(protected)


def attainable(bound: Fraction, references: Iterable[int]) -> Fraction:
    """Returns the smallest multiple of 1 / reference, over all references, that reaches a bound.

    The largest ratio is such a number: the tokens of one corpus divided by its reference.
    """
    return min(Fraction(math.ceil(bound * count), count) for count in references)


def checked_corpora(corpora: Iterable[Any]) -> tuple[WordCounts, ...]:
    """Returns corpora as a tuple; raises an error if one is not a `WordCounts`."""
    given = tuple(corpora)
    for words in given:
        if not isinstance(words, WordCounts):
            raise InputError(f"corpora have {shown(words)}: each corpus must be counted words")
    return given


def check_weights(weights: Sequence[int], n_corpora: int) -> None:
    """Raises an error unless there is one weight for each corpus, at least 0, and not all are 0."""
    if len(weights) != n_corpora:
        raise InputError(f"{len(weights)} weights for {n_corpora} corpora")
    for weight in weights:
        whole(weight, "a weight", 0)
    if not any(weights):
        raise InputError("all weights are 0")
