"""The building blocks of all formulations: occurrences, places, rows and names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...corpus.symbols import Token
from ...problem.candidates import CandidateIndex
from ...problem.instance import Instance
from ...runtime.arrays import Int64
from ..sparse_model import Rows


@dataclass(frozen=True, eq=False)
class TokenOccurrences:
    """The candidates and fixed tokens of an instance, and their occurrences.

    Attributes
    ----------
    tokens : tuple of token
        The tokens: variable t of a model stands for token t.
    fixed : ndarray of bool, shape (tokens,)
        Whether a token is fixed.
    length : ndarray of int64, shape (tokens,)
        The length of each token.
    which, word, start : ndarray of int64, shape (occurrences,)
        The token, the word and the position in the word of each occurrence.
    """

    tokens: tuple[Token, ...]
    fixed: npt.NDArray[np.bool_]
    length: Int64
    which: Int64
    word: Int64
    start: Int64

    @classmethod
    def of(cls, instance: Instance, index: CandidateIndex) -> TokenOccurrences:
        """Finds the occurrences of the candidates of an index, and of the fixed tokens."""
        tokens = list(index.tokens())
        known = set(tokens)
        extra = [token for token in instance.fixed if token not in known]
        intervals = index.intervals.joined(index.find_tokens(extra))
        which, word, start = index.occurrences_of(intervals)
        tokens += extra
        fixed = set(instance.fixed)
        return cls(
            tuple(tokens),
            np.array([token in fixed for token in tokens], bool),
            intervals.length.astype(np.int64),
            which.astype(np.int64),
            word.astype(np.int64),
            start.astype(np.int64),
        )


@dataclass(frozen=True, eq=False)
class Body:
    """The rows of a formulation for the words; budgets and objective are the same for all.

    Attributes
    ----------
    rows : Rows
        The rows.
    tokens_of, cover_of : ndarray of int64, shape (variables,)
        Tokens needed and cover, for each variable except those of tokens.
    constant : int
        Tokens needed in addition.
    variable_names, row_names : callable
        Produce the names when needed.
    """

    rows: Rows
    tokens_of: Int64
    cover_of: Int64
    constant: int
    variable_names: Callable[[], list[str]]
    row_names: Callable[[], list[str]]


class Names:
    """Makes names from numbers: arrays side by side, joined by underscores."""

    def __init__(self, *parts: Int64) -> None:
        self.parts = parts

    def named(self, prefix: str) -> Iterator[str]:
        """Yields the names with a prefix."""
        for numbers in zip(*(part.tolist() for part in self.parts), strict=True):
            yield prefix + "_".join(map(str, numbers))


def expand(sizes: Int64) -> tuple[Int64, Int64]:
    """Returns the run of each element, and its index within the run, for runs of these sizes."""
    sizes = sizes.astype(np.int64)
    run = np.repeat(np.arange(len(sizes)), sizes)
    return run, np.arange(len(run)) - np.repeat(np.cumsum(sizes) - sizes, sizes)


@dataclass(frozen=True, eq=False)
class SymbolPlaces:
    """The places of all symbols of the words, and the pairs of adjacent symbols.

    Attributes
    ----------
    word, position : ndarray of int64, shape (symbols,)
        The word of each symbol, and its position in the word.
    pairs : ndarray of int64, shape (pairs,)
        The first symbol of each pair.
    pair_at : ndarray of int64, shape (symbols,)
        The number of the pair that begins at a symbol, if one does.
    """

    word: Int64
    position: Int64
    pairs: Int64
    pair_at: Int64

    @classmethod
    def of(cls, instance: Instance) -> SymbolPlaces:
        """Lists the places of an instance's words."""
        offsets = instance.words.offsets
        word = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        begins = np.ones(len(word), bool)
        begins[offsets[1:] - 1] = False
        return cls(
            word,
            np.arange(len(word)) - offsets[word],
            np.flatnonzero(begins),
            np.cumsum(begins) - begins,
        )

    def symbol_names(self) -> Names:
        """Returns the names of symbols: word and position."""
        return Names(self.word, self.position)

    def pair_names(self) -> Names:
        """Returns the names of pairs: word and position of the first symbol."""
        return Names(self.word[self.pairs], self.position[self.pairs])


def pair_body(
    instance: Instance,
    places: SymbolPlaces,
    rows: Rows,
    n_others: int,
    variable_names: Callable[[], list[str]],
    row_names: Callable[[], list[str]],
) -> Body:
    """Returns a body whose first variables after the tokens stand for covered pairs.

    `n_others` is the number of variables that follow these.
    """
    words = instance.words
    cover = words.counts[places.word[places.pairs]]
    cover = np.concatenate([cover, np.zeros(n_others, np.int64)])
    return Body(rows, -cover, cover, words.total_symbols, variable_names, row_names)
