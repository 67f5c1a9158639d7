"""Applies merges as byte-pair encoding does: in order, each from left to right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, TypeAlias

from ..corpus import symbols as sym
from ..corpus.symbols import Symbols, Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..runtime.files.writing import load_json, write_atomic

Merge: TypeAlias = tuple[Token, Token]


@dataclass(frozen=True)
class Merges:
    """Ordered pairs of tokens, each to be joined into one token wherever it occurs.

    Parameters
    ----------
    pairs : iterable of pairs of token
        In the order in which they are applied; a token has one symbol or more, and a pair may be
        repeated.
    symbols : {"bytes", "chars", "ints"}
        The alphabet of the tokens.

    Raises
    ------
    InputError
        If something is not a pair of non-empty tokens over the symbols.

    Examples
    --------
    >>> from partcover.hardness.bottom_up import Merges
    >>> merges = Merges([("a", "b"), ("ab", "c")])
    >>> len(merges), merges.pairs[1]
    (2, (b'ab', b'c'))
    """

    pairs: tuple[Merge, ...]
    symbols: Symbols = "bytes"

    def __init__(self, pairs: Iterable[Any], symbols: Symbols = "bytes") -> None:
        checked: list[Merge] = []
        for number, pair in enumerate(pairs, 1):
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise InputError(f"merge {number} is {pair!r}: it must be a pair of tokens")
            left, right = (sym.to_token(token, symbols) for token in pair)
            if not left or not right:
                raise InputError(f"merge {number} has an empty token")
            checked.append((left, right))
        object.__setattr__(self, "pairs", tuple(checked))
        object.__setattr__(self, "symbols", symbols)

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Merge]:
        return iter(self.pairs)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a JSON list of pairs, one on each line, atomically."""
        lines = (
            json.dumps([sym.to_json(left), sym.to_json(right)], ensure_ascii=False)
            for left, right in self.pairs
        )
        write_atomic(path, "[" + ",\n ".join(lines) + "]\n")

    @classmethod
    def load(cls, path: str | PathLike[str], symbols: Symbols = "bytes") -> Merges:
        """Reads what `save` wrote.

        Raises
        ------
        InputError
            Naming the file: if it cannot be read, is not JSON, or is not a list of pairs.
        """
        name, data = fspath(path), load_json(path)
        if not isinstance(data, list) or not all(
            isinstance(pair, list) and len(pair) == 2 for pair in data
        ):
            raise InputError(f"{name}: expected a list of merges, each a pair of tokens")
        try:
            return cls(
                ((sym.from_json(a, symbols), sym.from_json(b, symbols)) for a, b in data), symbols
            )
        except InputError as error:
            raise InputError(f"{name}: {error}") from None


def apply_merges(words: WordCounts, merges: Merges) -> list[list[Token]]:
    """Segments every word into tokens by all merges.

    A word begins as its single symbols.  Each merge in turn joins its two tokens wherever they are
    adjacent, from left to right; it does not join a token that it has just made.  Tokens are equal
    if their symbols are, whichever merge made them.

    Parameters
    ----------
    words : WordCounts
        The words.
    merges : Merges
        The merges, over the same symbols.

    Returns
    -------
    list of list of token
        In the order of the words.  O(merges · total symbols).

    Raises
    ------
    InputError
        If words and merges are over different symbols.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.hardness.bottom_up import Merges, apply_merges
    >>> words = WordCounts.from_counts({"abcab": 2, "bc": 1})
    >>> apply_merges(words, Merges([("a", "b"), ("ab", "c")]))
    [[b'abc', b'ab'], [b'b', b'c']]

    References
    ----------
    Whittington, Bachmann and Pimentel 2024, Tokenisation is NP-Complete: bottom-up tokenisation.
    """
    if words.symbols != merges.symbols:
        raise InputError(f"the merges are over {merges.symbols}, the words over {words.symbols}")
    return [_merge(word, merges.pairs) for word, _ in words]


def merged_tokens(words: WordCounts, merges: Merges) -> int:
    """Counts the tokens after all merges, Σ c(W)·(tokens of W); see `apply_merges`.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.hardness.bottom_up import Merges, merged_tokens
    >>> merged_tokens(WordCounts.from_counts({"abcab": 2, "bc": 1}), Merges([("a", "b")]))
    8
    """
    pieces = apply_merges(words, merges)
    return sum(c * len(p) for c, p in zip(words.counts.tolist(), pieces, strict=True))


def _merge(word: Token, merges: tuple[Merge, ...]) -> list[Token]:
    pieces: list[Token] = [word[i : i + 1] for i in range(len(word))]
    for left, right in merges:
        joined: list[Token] = []
        place = 0
        while place < len(pieces):
            if pieces[place] == left and pieces[place + 1 : place + 2] == [right]:
                joined.append(left + right)  # type: ignore[operator]
                place += 2
            else:
                joined.append(pieces[place])
                place += 1
        pieces = joined
    return pieces
