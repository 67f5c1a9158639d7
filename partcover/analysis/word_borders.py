"""Cuts whole texts where a space follows another character, if no token reaches across."""

from __future__ import annotations

import re
from collections import Counter

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["cut_at_spaces"]

_CHARS = re.compile(r"(?<=[^ ])(?= )")
_BYTES = re.compile(rb"(?<=[^ ])(?= )")
_LONG = 20_000  # symbols of a word for which nothing better than one token can be proven


def cut_at_spaces(words: WordCounts, vocabulary: Vocabulary) -> WordCounts:
    """Returns words that are whole texts cut into smaller ones with the same tokens.

    A sentencepiece model takes a whole text as one word, yet its tokens begin at spaces: where a
    space follows another character, a token ends in any case.  Cutting there changes no token, by
    whatever rule, and says much more about what is possible.

    Parameters
    ----------
    words : WordCounts
        Texts, over bytes or characters.
    vocabulary : Vocabulary
        The tokens.

    Returns
    -------
    WordCounts
        `words` itself if a token that reaches across such a place occurs.

    Raises
    ------
    InputError
        If one does, and a text is so long that no bound can be found for it.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts
    >>> from partcover.analysis.word_borders import cut_at_spaces
    >>> words = WordCounts.from_texts(["a hat,  a hat"], pretokenizer="none")
    >>> cut_at_spaces(words, Vocabulary([" hat", "  "])).to_dict()
    {b'  a': 1, b' hat': 1, b' hat,': 1, b'a': 1}
    """
    across = [token for token in vocabulary.tokens if len(_pieces(token)) > 1]
    if across:
        found = next((t for t in across if any(_holds(word, t) for word, _ in words)), None)
        if found is not None:
            if any(len(word) > _LONG for word, _ in words):
                raise InputError(
                    "the tokenizer takes a whole text as one word, and its token "
                    f"{sym.show(found)!r} reaches across words: no bound can be found for that"
                )
            return words
    counts: Counter[Token] = Counter()
    for word, count in words:
        for piece in _pieces(word):
            counts[piece] += count
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return WordCounts.from_counts(ranked, words.symbols)


def _pieces(token: Token) -> list[Token]:
    """Returns the parts of a token or a word between such places."""
    if isinstance(token, bytes):
        return list(_BYTES.split(token))
    return list(_CHARS.split(str(token)))


def _holds(word: Token, token: Token) -> bool:
    """Whether a word holds a token over the same symbols."""
    if isinstance(word, bytes):
        return isinstance(token, bytes) and token in word
    return str(token) in str(word)
