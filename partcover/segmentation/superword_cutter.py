"""Segments phrases by merges within words, and then by merges of whole words."""

from __future__ import annotations

from ..corpus.pretokenizers.words_within import WordsWithin
from ..kernels.segmentation._merge_segmentation import FIRST_SYMBOL, MergeSegmenter
from ..kernels.segmentation._segment import INSIDE, SINGLE
from ..runtime.arrays import Array, Bools, Int32, Int64, np
from .merge_cutter import MergePairs, merge_cutter, merge_pairs
from .token_trie import NO_NUMBERS, TokenTrie


class SuperwordCutter:
    """Segments phrases under the rule ``superword_merges``; implements `Cut`.

    Each word of a phrase is segmented by merges.  Then words that are a single token are merged
    with their neighbors by the same merges.  A word of several tokens is a border.

    Parameters
    ----------
    trie : TokenTrie
        The tokens.
    within : WordsWithin
        Finds the words of phrases.

    Examples
    --------
    >>> import numpy as np
    >>> from partcover import Vocabulary
    >>> from partcover.segmentation.cutters import cutter
    >>> merges = [("b", "c"), ("a", " "), (" ", "a"), ("a", " a")]
    >>> vocabulary = Vocabulary(
    ...     ["bc", "a ", " a", "a a"], rule="superword_merges", merges=merges,
    ...     pretokenizer="gpt2+phrases",
    ... )
    >>> which = np.empty(6, np.int32)
    >>> cutter(vocabulary)(np.frombuffer(b"a a ab", np.uint8), np.array([0, 6]), 0, 1, which)
    >>> which.tolist()  # "a a", " a", "b": no merge crosses into " ab"
    [-2, -2, 3, -2, 2, -1]
    """

    def __init__(self, trie: TokenTrie, within: WordsWithin) -> None:
        self._within = within
        self._words = merge_cutter(trie, 0.0, 0, whole=True)
        self._n_tokens = len(trie.vocabulary)
        pairs = MergePairs(*map(np.asarray, merge_pairs(trie)))
        self._merger = MergeSegmenter(*_of_words(pairs, self._n_tokens), NO_NUMBERS)

    def __call__(
        self,
        data: Array,
        offsets: Int64,
        first: int,
        last: int,
        which: Int32,
    ) -> None:
        """Segments the phrases."""
        words = self._within.starts(data, offsets[first : last + 1])
        self._words(data, words, 0, len(words) - 1, which)
        ends, rows = rows_of_whole_words(which, words, offsets[first : last + 1])
        pieces = which[ends]
        symbols = data[ends].astype(np.int32)
        pieces = np.where(pieces == SINGLE, self._n_tokens + symbols, pieces).astype(np.int32)
        merged = np.empty(len(ends), np.int32)
        self._merger.merge(pieces, rows, 0, len(rows) - 1, merged, 0.0, 0, NO_NUMBERS)
        which[ends] = np.where(merged == SINGLE, which[ends], merged)


def rows_of_whole_words(
    which: Int32,
    words: Int64,
    phrases: Int64,
) -> tuple[Int64, Int64]:
    """Finds the words that are one token, and the uninterrupted rows of such words.

    Parameters
    ----------
    which : ndarray of int32
        The segmentation of the words, as in `Segmentation.which`.
    words, phrases : ndarray of int64
        The starts of words and phrases, each followed by the end of the last one.

    Returns
    -------
    ends : ndarray of int64, shape (whole words,)
        The last symbol of each word.
    rows : ndarray of int64, shape (rows + 1,)
        The index of the first word in each row, followed by the number of words.

    Examples
    --------
    >>> import numpy as np
    >>> from partcover.segmentation.superword_cutter import rows_of_whole_words
    >>> which = np.array([-2, 0, -2, 1, -1, -1, -2, 1], np.int32)
    >>> rows_of_whole_words(which, np.array([0, 2, 4, 6, 8]), np.array([0, 8]))
    (array([1, 3, 7]), array([0, 2, 3]))
    """
    if len(words) < 2:
        return np.zeros(0, np.int64), np.zeros(1, np.int64)
    begin = words[0]
    ended = which[begin : words[-1]] != INSIDE
    whole = np.add.reduceat(ended, words[:-1] - begin, dtype=np.int64) == 1
    starts_row = np.concatenate([[True], ~whole[:-1]])
    starts_row[np.searchsorted(words[:-1], phrases[:-1][np.diff(phrases) > 0])] = True
    rows = np.flatnonzero(starts_row[whole])
    return words[1:][whole] - 1, np.append(rows, np.count_nonzero(whole))


def _of_words(pairs: MergePairs, n_tokens: int) -> MergePairs:
    """Returns the pairs whose sides may also be words that are tokens.

    The symbols are the pieces that words can be: token i is symbol i, symbol s is n_tokens + s.
    """
    made = [
        MergePairs(left[fits], right[fits], pairs.rank[fits], pairs.token[fits])
        for left, left_fits in _as_words(pairs.left, n_tokens)
        for right, right_fits in _as_words(pairs.right, n_tokens)
        for fits in (left_fits & right_fits,)
    ]
    return MergePairs(*(np.concatenate(part) for part in zip(*made, strict=True)))


def _as_words(side: Int32, n_tokens: int) -> list[tuple[Int32, Bools]]:
    """Returns one side of pairs as words and as tokens made of words, and where it is either."""
    words = np.where(side < 0, side - n_tokens, FIRST_SYMBOL - side).astype(np.int32)
    return [(words, np.ones(len(side), bool)), (side, side >= 0)]
