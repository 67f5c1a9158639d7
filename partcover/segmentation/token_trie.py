"""Converts the tokens of a vocabulary to the arrays and the trie that the kernels use."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..kernels.segmentation._segment import SHORT_WORD, Segmenter
from ..kernels.words._word_arrays import numbers_of
from ..runtime.arrays import Array, Float64, Int32, Int64, Records, np
from ..vocabulary.vocabulary import Vocabulary

Listed: TypeAlias = Records

_SAME = array("i", range(256))  # a byte's number is the byte

NO_NUMBERS: Int64 = memoryview(b"").cast("q")  # type: ignore[assignment]


class Backward(NamedTuple):
    """A `Segmenter` of reversed tokens, and for each token the tokens that it begins with."""

    segmenter: Segmenter | None
    links: Int64
    chain: Int32


_NOTHING = Backward(None, NO_NUMBERS, memoryview(b"").cast("i"))  # type: ignore[arg-type]


class TokenTrie:
    """The tokens of a vocabulary in flat arrays, and a `Segmenter` of them.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens.
    names : ndarray of int64, optional
        For integer symbols: symbols in ascending order; tokens are stored as indices into them.
    """

    def __init__(self, vocabulary: Vocabulary, names: Int64 | None) -> None:
        self.vocabulary = vocabulary
        self.names = NO_NUMBERS if names is None else names
        self._placed = names is not None
        self.flat: Any
        self.offsets: Any
        if vocabulary.symbols == "bytes":
            text, self.offsets = sym.joined(vocabulary)
            self.flat = numbers_of(text, _SAME)
        else:
            flat, self.offsets = sym.packed(vocabulary, vocabulary.symbols)
            self.flat = self.place(flat)

    @cached_property
    def segmenter(self) -> Segmenter:
        """The kernel of most rules."""
        return Segmenter(self.flat, self.offsets)

    @cached_property
    def backward(self) -> Backward:
        """A segmenter of the reversed tokens."""
        offsets = np.asarray(self.offsets)
        lengths = np.diff(offsets)
        mirror = np.repeat(offsets[:-1] + offsets[1:] - 1, lengths)
        mirror -= np.arange(len(self.flat))
        segmenter = Segmenter(np.asarray(self.flat)[mirror], offsets)
        # what a token begins with, it ends with when reversed
        links, chain = map(np.asarray, segmenter.endings())
        token = np.repeat(np.arange(len(lengths)), np.diff(links))
        return Backward(segmenter, links, chain[np.lexsort((chain, token))])

    def priority(
        self,
        data: Array,
        offsets: Int64,
        first: int,
        last: int,
        which: Int32,
    ) -> None:
        """Segments words by the rule ``priority``; implements `Cut`."""
        long = int(np.diff(offsets[first : last + 1]).max(initial=0)) > SHORT_WORD
        backward = self.backward if long else _NOTHING
        self.segmenter.priority(data, offsets, first, last, which, *backward)

    def places(self, symbols: Sequence[Token]) -> list[int]:
        """Returns single symbols as `place` does."""
        if self.vocabulary.symbols == "bytes":
            return [*sym.joined(symbols)[0]]
        return [*map(int, self.place(sym.packed(symbols, self.vocabulary.symbols)[0]))]

    def place(self, symbols: Array) -> Int32:
        """Returns symbols as stored in the data; one without a name is larger than all others."""
        if self._placed:
            return sym.numbered(symbols, self.names)
        return symbols.astype(np.int32)

    def listed(self, **columns: Array) -> tuple[Int64, Listed]:
        """Returns the links and the chain of `Segmenter.endings`, with `columns` of each token."""
        links, tokens = map(np.asarray, self.segmenter.endings())
        return links, self.rows(tokens, columns)

    def rows(self, tokens: Int32, columns: dict[str, Array]) -> Listed:
        """Returns `columns`, the length and the index of each token as one structured array."""
        lengths = np.diff(self.offsets).astype(np.int32)
        columns = {**columns, "length": lengths, "token": np.arange(len(lengths), dtype=np.int32)}
        return rows_of(**{name: column[tokens] for name, column in columns.items()})

    def scores(self) -> tuple[Float64, Float64]:
        """Returns the scores of tokens and of symbols; the last one is for all larger symbols."""
        vocabulary = self.vocabulary
        if vocabulary.scores is None:
            raise InputError(
                "the rule likelihood needs scores, but this vocabulary has none: choose another "
                "rule"
            )
        if vocabulary.sums != "word":
            every = [vocabulary.symbol_score(bytes([byte])) for byte in range(256)]
            return np.array(vocabulary.scores), np.array(every)
        given = vocabulary.symbol_scores
        default = min((*vocabulary.scores, *given.values()), default=0.0) - 10
        places = self.place(sym.packed(given, vocabulary.symbols)[0])
        singles = np.full(max(places.tolist(), default=-1) + 2, default)
        singles[places] = list(given.values())
        return np.array(vocabulary.scores), singles


def rows_of(**columns: Array) -> Listed:
    """Returns columns as one structured array."""
    kinds = [(name, column.dtype) for name, column in columns.items()]
    rows = np.empty(len(next(iter(columns.values()))), kinds)
    for name, column in columns.items():
        rows[name] = column
    return rows
