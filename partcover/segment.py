"""Words cut into tokens of a vocabulary, under a written rule."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from . import symbols as sym
from .corpus import WordCounts
from .errors import InputError
from .kernels._segment import Segmenter
from .solution import Rule
from .symbols import Token
from .vocabulary import Vocabulary

__all__ = ["Segmentation", "segment"]


@dataclass(frozen=True, eq=False)
class Segmentation:
    """Every word of a corpus as tokens.

    Attributes
    ----------
    words : WordCounts
        The words.
    rule : {"shortest_path", "priority"}
        How they were cut.
    pieces : ndarray of int32, shape (words,)
        Tokens of each word.
    ends : ndarray of uint8, shape (total symbols,)
        1 at the last symbol of each token, as `words.data` lies.
    """

    words: WordCounts
    rule: Rule
    pieces: npt.NDArray[np.int32]
    ends: npt.NDArray[np.uint8]

    @property
    def tokens(self) -> int:
        """Σ c(W)·(tokens of W)."""
        return int(np.dot(self.words.counts, self.pieces.astype(np.int64)))

    @property
    def cover(self) -> int:
        """Σ c(W)·(adjacent pairs of W inside one token)."""
        return self.words.total_symbols - self.tokens

    def of(self, index: int) -> list[Token]:
        """The tokens of the word at `index`."""
        begin, end = self.words.offsets[index : index + 2].tolist()
        cuts = [begin, *(begin + 1 + np.flatnonzero(self.ends[begin:end])).tolist()]
        return [sym.from_array(self.words.data[a:b], self.words.symbols) for a, b in pairwise(cuts)]


def segment(
    words: WordCounts,
    vocabulary: Vocabulary,
    rule: Rule = "shortest_path",
    *,
    threads: int = 1,
) -> Segmentation:
    """Cut every word into tokens of a vocabulary and single symbols.

    Parameters
    ----------
    words : WordCounts
        The words.
    vocabulary : Vocabulary
        The tokens, over the same symbols.
    rule : {"shortest_path", "priority"}
        ``shortest_path``: the fewest tokens; among equal paths, at each end position the token
        with the earliest start.  ``priority``: tokens in the vocabulary's order, each from left
        to right wherever the pairs just before and just after it are not yet inside a token
        (Lim, Choo and Lauw 2025, Algorithm 4).
    threads : int
        Words are shared among this many threads; the result is the same.

    Returns
    -------
    Segmentation
        O(symbols · longest token) time for the shortest path.

    Raises
    ------
    InputError
        If the symbols differ, the rule is unknown, or a word has 2^31 symbols or more.
    """
    if rule not in get_args(Rule):
        raise InputError(f"unknown rule {rule!r}: use one of {', '.join(get_args(Rule))}")
    if vocabulary.symbols != words.symbols:
        raise InputError(
            f"the vocabulary is over {vocabulary.symbols}, the words are over {words.symbols}"
        )
    if len(words) and int(np.diff(words.offsets).max()) >= 2**31 - 1:
        raise InputError("a word has 2^31 symbols or more: cut it with a pre-tokenizer")
    lengths = np.fromiter((len(token) for token in vocabulary), np.int64, len(vocabulary))
    offsets = np.zeros(len(vocabulary) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    parts = [sym.to_array(token) for token in vocabulary]
    flat = np.concatenate([np.zeros(0, sym.DTYPES[words.symbols]), *parts])
    data = _as_int32(words.data, flat)
    segmenter = Segmenter(data[len(words.data) :], offsets)
    data = data[: len(words.data)]

    pieces = np.empty(len(words), np.int32)
    ends = np.empty(len(words.data), np.uint8)
    run = segmenter.shortest_path if rule == "shortest_path" else segmenter.priority
    shards = max(1, min(threads, len(words)))
    cuts = [len(words) * i // shards for i in range(shards + 1)]

    def work(shard: int) -> None:
        run(data, words.offsets, cuts[shard], cuts[shard + 1], pieces, ends)

    if shards == 1:
        work(0)
    else:
        with ThreadPoolExecutor(shards) as pool:
            list(pool.map(work, range(shards)))
    return Segmentation(words, rule, pieces, ends)


def _as_int32(words: npt.NDArray[Any], tokens: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Symbols of words and tokens, one array after the other, as non-negative int32."""
    both = np.concatenate([words, tokens])
    if both.dtype == np.int64:
        both = np.unique(both, return_inverse=True)[1]
    return both.astype(np.int32)
