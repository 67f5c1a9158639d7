"""Finds tokens that no text is ever segmented into."""

from __future__ import annotations

import numpy as np

from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..runtime.arguments import Threads, checked
from ..segmentation.segmentation import Segmentation, segment
from ..vocabulary.vocabulary import Vocabulary

# what each term may change a sum over a text by: twice half a last place of 100,000, and in 64 bits
# of the sums of a terabyte
_ROUNDED = {"text32": 0.013, "text": 0.01}
_ROUNDING = 1e-9  # part of a sum of scores that floating point may be wrong by, at most


@checked
def unreachable_tokens(vocabulary: Vocabulary, *, threads: Threads = 1) -> tuple[Token, ...]:
    """Returns the tokens that no text ever contains after segmentation.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens, with the rule by which words are segmented.
    threads : int
        Number of threads; the result is the same for any.

    Returns
    -------
    tuple of token
        In the vocabulary's order.  There may be more: whether the words of a pre-tokenizer can
        contain a token is not checked.

    Notes
    -----
    A token is unreachable if, taken as a word of its own, it is split into several.  If a token
    is a piece of a longer word, no merge has crossed its ends, so the merges inside it were
    those of the token alone, in the same order, and make it whole there, too.  Under likelihood,
    the pieces of a token that together score more than it does replace it in every word; a
    difference that rounding may have made does not count.  The other rules leave a word that is a
    token whole.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.analysis.reachability import unreachable_tokens
    >>> merges = [("a", "b"), ("b", "c"), ("a", "bc")]
    >>> vocabulary = Vocabulary(["ab", "bc", "abc"], rule="merges", merges=merges)
    >>> unreachable_tokens(vocabulary)  # "abc" becomes "ab", "c"
    (b'abc',)
    """
    if not len(vocabulary) or vocabulary.rule == "single_symbols":
        return vocabulary.tokens
    words = WordCounts.from_counts(dict.fromkeys(vocabulary.tokens, 1), vocabulary.symbols)
    cut = segment(words, vocabulary, threads=threads)
    whole = cut.pieces == 1
    if vocabulary.rule == "superword_merges":
        # part of a word may be segmented into several words where it stands alone
        whole |= segment(words, vocabulary, "merges", threads=threads).pieces == 1
    several = np.flatnonzero(~whole).tolist()
    if vocabulary.rule == "likelihood":
        several = [word for word in several if _scores_less(vocabulary, cut, word)]
    return tuple(vocabulary.tokens[word] for word in several)


def _scores_less(vocabulary: Vocabulary, cut: Segmentation, word: int) -> bool:
    """Whether a token scores less than its pieces, by more than rounding could make."""
    scores = vocabulary.scores or ()
    begin, end = cut.words.offsets[word : word + 2].tolist()
    places = [place for place in cut.which[begin:end].tolist() if place >= -1]
    pieces = [
        scores[place] if place >= 0 else vocabulary.symbol_score(piece)
        for place, piece in zip(places, cut.of(word), strict=True)
    ]
    margin = _ROUNDING * sum(map(abs, (*pieces, scores[word])))
    if vocabulary.sums != "word":  # of all sums in a text
        margin += _ROUNDED[vocabulary.sums] * (end - begin)
    return bool(sum(pieces) > scores[word] + margin)
