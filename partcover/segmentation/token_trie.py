"""A token trie holds the tokens of a vocabulary as the kernels take them."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..errors import InputError
from ..kernels._segment import SHORT_WORD, Segmenter
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["NO_NUMBERS", "TokenTrie", "rows_of"]

Listed: TypeAlias = npt.NDArray[np.void]

NO_NUMBERS = np.zeros(0, np.int64)


class TokenTrie:
    """Tokens as the kernels take them, and the Segmenter of them."""

    def __init__(self, vocabulary: Vocabulary, names: npt.NDArray[np.int64] | None) -> None:
        self.vocabulary = vocabulary
        self.names = NO_NUMBERS if names is None else names
        self._placed = names is not None
        lengths = np.fromiter((len(token) for token in vocabulary), np.int64, len(vocabulary))
        self.offsets = np.zeros(len(vocabulary) + 1, np.int64)
        np.cumsum(lengths, out=self.offsets[1:])
        parts = [sym.to_array(token) for token in vocabulary]
        flat = np.concatenate([np.zeros(0, sym.DTYPES[vocabulary.symbols]), *parts])
        self.flat = self.place(flat)
        self.segmenter = Segmenter(self.flat, self.offsets)

    @cached_property
    def backward(self) -> Segmenter:
        """Of the same tokens, each from its end to its begin."""
        lengths = np.diff(self.offsets)
        mirror = np.repeat(self.offsets[:-1] + self.offsets[1:] - 1, lengths)
        return Segmenter(self.flat[mirror - np.arange(len(self.flat))], self.offsets)

    def priority(
        self,
        data: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        first: int,
        last: int,
        which: npt.NDArray[np.int32],
    ) -> None:
        """The `Cut` of that rule."""
        long = int(np.diff(offsets[first : last + 1]).max(initial=0)) > SHORT_WORD
        backward = self.backward if long else None
        self.segmenter.priority(data, offsets, first, last, which, backward)

    def place(self, symbols: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """Symbols as the data has them; one that is in no word: past all that are."""
        if self._placed:
            names = self.names
            places = np.searchsorted(names, symbols)
            known = names[np.minimum(places, len(names) - 1)] == symbols if len(names) else False
            symbols = np.where(known, places, len(names))
        return symbols.astype(np.int32)

    def listed(self, **columns: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], Listed]:
        """The tokens of `Segmenter.endings`, each with what `columns` say of it."""
        links, tokens = self.segmenter.endings()
        lengths = np.diff(self.offsets).astype(np.int32)
        columns = {**columns, "length": lengths, "token": np.arange(len(lengths), dtype=np.int32)}
        return links, rows_of(**{name: column[tokens] for name, column in columns.items()})

    def scores(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Scores of tokens, and of single symbols: the last is of all that lie beyond."""
        vocabulary = self.vocabulary
        if vocabulary.scores is None:
            raise InputError(
                "the rule likelihood needs scores, and this vocabulary has none: choose another "
                "rule"
            )
        given = vocabulary.symbol_scores
        least = min((*vocabulary.scores, *given.values()), default=0.0) - 10
        flat = [sym.to_array(symbol) for symbol in given]
        places = self.place(np.concatenate([np.zeros(0, np.int64), *flat]))
        singles = np.full(max(places.tolist(), default=-1) + 2, least)
        singles[places] = list(given.values())
        return np.array(vocabulary.scores), singles


def rows_of(**columns: npt.NDArray[Any]) -> Listed:
    """Columns as one array of structures."""
    kinds = [(name, column.dtype) for name, column in columns.items()]
    rows = np.empty(len(next(iter(columns.values()))), kinds)
    for name, column in columns.items():
        rows[name] = column
    return rows
