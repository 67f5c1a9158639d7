"""Segments words into tokens of a vocabulary, under one of nine rules.

A symbol that is in no token stands alone: single symbols are part of every vocabulary.

================  ================================================================================
rule              the tokens of a word, and its ties
================  ================================================================================
shortest_path     The fewest tokens.  At each end position the token with the earliest start, as in
                  Hugging Face's Unigram with equal scores and in PathPieceL (Schmidt et al. 2024).
random_path       PathPieceR: one of the segmentations into the fewest tokens, drawn uniformly; it
                  depends on the seed and the word alone.  (Schmidt et al. 2024 print a walk from
                  the end that draws uniformly among the tokens that tie at each position.  That is
                  not uniform over segmentations: with ``abc``, ``bcd`` and ``cde``, the word
                  ``abcde`` has three segmentations of three tokens; the walk takes the one that
                  ends in ``cde`` with probability 1/2 and each of the others with 1/4.)
priority          Tokens in the vocabulary's order, each from left to right wherever the pairs just
                  before and just after it are not yet inside a token; a token may replace shorter
                  ones that lie inside it (Lim, Choo and Lauw 2025, Algorithm 4).
longest_match     From the left, the longest token that begins there.
merges            Byte pair encoding.  With `Vocabulary.merges`: the neighboring pair that is
                  first among them is merged, leftmost first, one at a time, until none is left
                  (Sennrich et al. 2016, as in Hugging Face's BPE).  Without: the neighboring pair
                  whose concatenation is the token earliest in the vocabulary, leftmost first, and
                  a word that is a token stays whole (as in tiktoken).
character_merges  The same over bytes, but starting from characters (as in sentencepiece's BPE, and
                  in Hugging Face's with byte fallback): the first pieces are the word's UTF-8
                  characters, whether they are tokens or not; a word that is a token has no
                  precedence; at the end characters that are no tokens become single bytes.  Bytes
                  that are part of no character stand alone, and tokens with such bytes are never
                  used.  Over other symbols it is ``merges`` without precedence.
superword_merges  Of phrases (``count --phrases``): first ``merges`` within each of their words.
                  Then words that are one token are merged with their neighbors by the same
                  merges, without precedence of what is a token; a word of several tokens is a
                  border (BoundlessBPE, Schmidt et al. 2025).  The words are those of the
                  pre-tokenizer whose words were joined; words that are not phrases are segmented by
                  ``merges``.
likelihood        The largest sum of scores (float64, added from the left).  At each end position
                  the earliest start.  A symbol without a score has the smallest of all scores − 10
                  (Kudo 2018, as in Hugging Face's Unigram).
single_symbols    Every symbol alone.
================  ================================================================================
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..kernels.segmentation._segment import INSIDE, piece_counts
from ..kernels.words._word_arrays import extremes, weighted_sum
from ..runtime.arguments import Threads, checked
from ..runtime.arrays import Bools, Int32, Int64, np, read_only
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .cutters import cutter
from .long_tokens import words_of_one_long_token

_WITHOUT_ARRAYS = ("merges", "shortest_path", "single_symbols")
"""Rules that need no arrays, but only memory views: they segment without NumPy."""


@dataclass(frozen=True, eq=False)
class Segmentation:
    """The words of a corpus segmented into tokens, in read-only arrays.

    Attributes
    ----------
    words : WordCounts
        The words.
    rule : str
        The rule of the segmentation; see `segment`.
    cut : buffer of int32, shape (total symbols,)
        For each symbol of `words.data`: at the last symbol of a token, the token's index in the
        vocabulary; −1 at a single symbol; −2 at all other symbols.
    which : ndarray of int32, shape (total symbols,)
        The same as an array.
    """

    words: WordCounts
    rule: SegmentationRule
    cut: memoryview

    @cached_property
    def which(self) -> Int32:
        """For each symbol the token that ends there."""
        return np.asarray(self.cut)

    @cached_property
    def ends(self) -> Bools:
        """Whether a token ends at each symbol, shape (total symbols,)."""
        return read_only(np.not_equal(self.which, INSIDE))

    @cached_property
    def pieces(self) -> Int64:
        """The number of tokens of each word, shape (words,)."""
        return read_only(np.asarray(self._pieces))

    @cached_property
    def _pieces(self) -> memoryview:
        return piece_counts(self.cut, self.words.views[1])

    @property
    def tokens(self) -> int:
        """Σ c(W)·(tokens of W): the tokens of the corpus."""
        return weighted_sum(self.words.views[2], self._pieces)

    @property
    def cover(self) -> int:
        """Σ c(W)·(adjacent pairs of W inside one token): the cover."""
        return self.words.total_symbols - self.tokens

    def of(self, index: int) -> list[Token]:
        """Returns the tokens of the word at `index`."""
        begin, end = self.words.offsets[index : index + 2].tolist()
        word = sym.from_array(self.words.data[begin:end], self.words.symbols)
        (last,) = self.ends[begin:end].nonzero()
        return [word[a:b] for a, b in pairwise([0, *(last + 1).tolist()])]


@checked
def segment(
    words: WordCounts,
    vocabulary: Vocabulary,
    rule: SegmentationRule | None = None,
    *,
    seed: int = 0,
    threads: Threads = 1,
) -> Segmentation:
    """Segments every word into tokens of a vocabulary and single symbols.

    Parameters
    ----------
    words : WordCounts
        The words.
    vocabulary : Vocabulary
        The tokens, over the same symbols.
    rule : str, optional
        By default the vocabulary's own; the rules are in `partcover.segmentation.segmentation`.
    seed : int
        Random seed of ``random_path``; equal words are segmented equally, wherever they are.
    threads : int
        Number of threads that share the words; the result does not depend on it.

    Returns
    -------
    Segmentation
        O(symbols · longest token) time and O(longest word) memory besides the result; see
        `cutter`.

    Raises
    ------
    InputError
        If the symbols differ, the vocabulary is for words with an end-of-word mark that these
        lack, the rule is unknown or lacks its scores, or a word has 2^31 symbols or more.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, segment
    >>> words = WordCounts.from_counts({"lower": 2, "low": 5})
    >>> segmentation = segment(words, Vocabulary(["low", "er"]))
    >>> segmentation.of(0)
    [b'low', b'er']
    >>> segmentation.tokens, segmentation.cover
    (9, 16)
    """
    rule = rule or vocabulary.rule
    if vocabulary.symbols != words.symbols:
        raise InputError(
            f"the vocabulary is over {vocabulary.symbols}, the words are over {words.symbols}: "
            f"read them with --symbols {vocabulary.symbols} (symbols={vocabulary.symbols!r})"
        )
    if vocabulary.end_of_word is not None:
        words.refuse_without(vocabulary.end_of_word)
    longest = extremes(*words.views[1:])[2]
    if longest >= 2**31 - 1:
        raise InputError("a word has 2^31 symbols or more: split it with a pre-tokenizer")
    which: Any = memoryview(bytearray(4 * len(words.views[0]))).cast("i")
    names = None
    if rule in _WITHOUT_ARRAYS and words.symbols != "ints":
        data, offsets, _ = words.views
    else:
        data, offsets, which = words.data, words.offsets, np.asarray(which)
    if words.symbols == "ints":
        named = words.data  # draws depend on all symbols of a word
        if rule != "random_path":
            named, _ = sym.packed((*vocabulary, *vocabulary.symbol_scores), "ints")
        names = sym.distinct(named)
        data = sym.numbered(data, names)
    how = words.pretokenizer
    whole, places = words_of_one_long_token(words, vocabulary, rule)
    needed = vocabulary
    if places is not None:
        needed = Vocabulary((vocabulary.tokens[place] for place in places), vocabulary.symbols)
    cut = cutter(needed, rule, names=names, seed=seed, pretokenizer=how)
    shards = max(1, min(threads, len(words)))
    cuts = [len(words) * i // shards for i in range(shards + 1)]

    def work(shard: int) -> None:
        first, last = cuts[shard : shard + 2]
        for word in whole:
            if first <= word < last:
                cut(data, offsets, first, word, which)
                np.asarray(which)[offsets[word] : offsets[word + 1]] = INSIDE
                first = word + 1
        cut(data, offsets, first, last, which)

    if shards == 1:
        work(0)
    else:
        with ThreadPoolExecutor(shards) as pool:
            list(pool.map(work, range(shards)))
    if places is not None:
        found = np.asarray(which)
        is_token = found >= 0
        found[is_token] = places[found[is_token]]
        found[words.offsets[1:][[*whole]] - 1] = [*whole.values()]
    return Segmentation(words, rule, memoryview(which).toreadonly())
