"""Words cut into tokens of a vocabulary, under a written rule."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from . import symbols as sym
from .corpus import WordCounts
from .errors import InputError
from .kernels._fewest import Automaton
from .kernels._segment import INSIDE, Segmenter
from .symbols import Token
from .vocabulary import RULES, Rule, Vocabulary

__all__ = ["Cut", "Segmentation", "cutter", "segment"]


class Cut(Protocol):
    """Cuts words `first` to `last` − 1 of a flat array.

    Writes to `which` (int32, as long as `data`), at the last symbol of each token, the token's
    index in the vocabulary, or −1 for a single symbol, and −2 elsewhere.  Runs without the
    interpreter lock.
    """

    def __call__(
        self,
        data: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        first: int,
        last: int,
        which: npt.NDArray[np.int32],
    ) -> None:
        """Cut."""


@dataclass(frozen=True, eq=False)
class Segmentation:
    """Every word of a corpus as tokens.

    Attributes
    ----------
    words : WordCounts
        The words.
    rule : str
        How they were cut; see `segment`.
    which : ndarray of int32, shape (total symbols,)
        At the last symbol of each token, as `words.data` lies, its index in the vocabulary, or
        −1 for a single symbol; −2 elsewhere.
    """

    words: WordCounts
    rule: Rule
    which: npt.NDArray[np.int32]

    @cached_property
    def ends(self) -> npt.NDArray[np.bool_]:
        """Whether a token ends at each symbol, shape (total symbols,)."""
        return np.not_equal(self.which, INSIDE)

    @cached_property
    def pieces(self) -> npt.NDArray[np.int64]:
        """Tokens of each word, shape (words,)."""
        if not len(self.words):
            return np.zeros(0, np.int64)
        return np.add.reduceat(self.ends, self.words.offsets[:-1], dtype=np.int64)

    @property
    def tokens(self) -> int:
        """Σ c(W)·(tokens of W)."""
        return int(np.dot(self.words.counts, self.pieces))

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
    rule: Rule | None = None,
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
    rule : str, optional
        By default the vocabulary's own; see `cutter`.
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
    rule = rule or vocabulary.rule
    if vocabulary.symbols != words.symbols:
        raise InputError(
            f"the vocabulary is over {vocabulary.symbols}, the words are over {words.symbols}"
        )
    if len(words) and int(np.diff(words.offsets).max()) >= 2**31 - 1:
        raise InputError("a word has 2^31 symbols or more: cut it with a pre-tokenizer")
    data, names = words.data, None
    if words.symbols == "ints":
        names, data = np.unique(data, return_inverse=True)
        data = data.astype(np.int32)
    cut = cutter(vocabulary, rule, names=names)
    which = np.empty(len(data), np.int32)
    shards = max(1, min(threads, len(words)))
    cuts = [len(words) * i // shards for i in range(shards + 1)]

    def work(shard: int) -> None:
        cut(data, words.offsets, cuts[shard], cuts[shard + 1], which)

    if shards == 1:
        work(0)
    else:
        with ThreadPoolExecutor(shards) as pool:
            list(pool.map(work, range(shards)))
    return Segmentation(words, rule, which)


def cutter(
    vocabulary: Vocabulary,
    rule: Rule | None = None,
    *,
    names: npt.NDArray[np.int64] | None = None,
) -> Cut:
    """The kernel that cuts words under a rule, made ready for a vocabulary.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens.
    rule : str, optional
        By default the vocabulary's own.  ``shortest_path``: the fewest tokens; among equal
        paths, at each end position the token with the earliest start.  ``priority``: tokens in
        the vocabulary's order, each from left to right wherever the pairs just before and just
        after it are not yet inside a token (Lim, Choo and Lauw 2025, Algorithm 4).
    names : ndarray of int64, optional
        For integer symbols: those of the words, sorted; the data then holds their places.

    Returns
    -------
    Cut
        A call that takes words as uint8 (bytes) or int32 (characters, and places in `names`).

    Raises
    ------
    InputError
        If the rule is unknown.
    """
    rule = rule or vocabulary.rule
    if rule not in RULES:
        raise InputError(f"unknown rule {rule!r}: use one of {', '.join(RULES)}")
    if rule == "single_symbols":
        vocabulary = vocabulary.with_(tokens=(), merges=None, scores=None, ids=None, rule=rule)
    elif rule not in ("shortest_path", "priority"):
        raise InputError(f"rule {rule!r} is not there yet")
    lengths = np.fromiter((len(token) for token in vocabulary), np.int64, len(vocabulary))
    offsets = np.zeros(len(vocabulary) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    parts = [sym.to_array(token) for token in vocabulary]
    flat = np.concatenate([np.zeros(0, sym.DTYPES[vocabulary.symbols]), *parts])
    if names is not None:
        places = np.searchsorted(names, flat)
        # a symbol that is in no word: past all that are
        known = names[np.minimum(places, len(names) - 1)] == flat if len(names) else False
        flat = np.where(known, places, len(names))
    if rule == "priority":
        return Segmenter(flat.astype(np.int32), offsets).priority
    return Automaton(flat.astype(np.int32), offsets).shortest_path
