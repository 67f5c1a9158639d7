"""Segments by scores as libraries do that treat a whole text as one word."""

from __future__ import annotations

from ..kernels.segmentation._text_scores import TextScores
from ..runtime.arrays import Array, Float64, Int32, Int64, np
from .token_trie import TokenTrie

_MOST = (2 - 2**-23) * 2.0**127  # the largest float32


class TextCutter:
    """Segments words, each as a text of its own; implements `Cut`.

    Parameters
    ----------
    trie : TokenTrie
        The tokens of a vocabulary whose `sums` is not ``word``.

    Attributes
    ----------
    scores : TextScores
        The kernel, which can also segment words that follow a text.
    """

    def __init__(self, trie: TokenTrie) -> None:
        self.scores = TextScores(trie.flat, trie.offsets)
        scores, singles = trie.scores()
        narrow = trie.vocabulary.sums == "text32"
        if narrow:
            scores, singles = in_32_bits(scores), in_32_bits(singles)
        links, tokens = map(np.asarray, self.scores.endings())
        rows = trie.rows(tokens, {"score": scores})
        self.scores.set_scores(links, rows, singles, narrow)

    def __call__(
        self,
        data: Array,
        offsets: Int64,
        first: int,
        last: int,
        which: Int32,
    ) -> None:
        """Segments the words."""
        self.scores.cut(data, offsets, first, last, which)


def in_32_bits(scores: Float64) -> Float64:
    """Returns scores as sums in 32 bits take them."""
    return np.clip(scores, -_MOST, _MOST).astype(np.float32).astype(np.float64)
