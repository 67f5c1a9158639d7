"""Finds the words that are one long token, and the tokens that the other words need."""

from __future__ import annotations

from ..corpus.word_counts import WordCounts
from ..runtime.arrays import Int64, np
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary

LONG = 1_000
"""Only tokens with at least this many symbols are examined, since few words are longer."""

_KEEP_WHOLE = ("shortest_path", "random_path", "priority", "longest_match")


def words_of_one_long_token(
    words: WordCounts, vocabulary: Vocabulary, rule: SegmentationRule
) -> tuple[dict[int, int], Int64 | None]:
    """Finds the words that are one long token, and the tokens that can be part of another word.

    Parameters
    ----------
    words : WordCounts
        The words.
    vocabulary : Vocabulary
        The tokens.
    rule : str
        The segmentation rule.

    Returns
    -------
    whole : dict of int to int
        The index of the token that a word is, by the word's index in `words`.
    places : ndarray of int64, optional
        The indices of the tokens, ascending, without long tokens that cannot be part of a longer
        word.  None: all of them, for example if the rule may segment a word that is a token.

    Notes
    -----
    A trie takes about 40 bytes for each symbol of a token, and a text that is one word makes a
    token of its own size.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts
    >>> from partcover.segmentation.long_tokens import words_of_one_long_token
    >>> words = WordCounts.from_counts({"ab" * 2_000: 1, "cab": 1})
    >>> vocabulary = Vocabulary(["ab" * 2_000, "ab"])
    >>> whole, places = words_of_one_long_token(words, vocabulary, "shortest_path")
    >>> whole, places.tolist()
    ({0: 0}, [1])
    """
    keeps_whole = rule in _KEEP_WHOLE or (rule == "merges" and vocabulary.merges is None)
    if not keeps_whole or max(map(len, vocabulary), default=0) <= LONG:
        return {}, None
    lengths = np.fromiter(map(len, vocabulary), np.int64, len(vocabulary))
    symbols = np.diff(words.offsets)
    long = np.flatnonzero(lengths > LONG)
    place_of = {vocabulary.tokens[place]: place for place in long.tolist()}
    as_long = np.flatnonzero(np.isin(symbols, lengths[long])).tolist()
    whole = {word: place_of[text] for word in as_long if (text := words.word(word)) in place_of}
    symbols[[*whole]] = 0
    # a long token as long as a word is that word, or does not occur in it
    return whole, np.flatnonzero((lengths <= LONG) | (lengths < symbols.max(initial=0)))
