"""Cuts whole texts where a space follows another character, if no token reaches across."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..vocabulary.merging import merge, ranks
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["cut_at_spaces"]

_CHARS = re.compile(r"(?<=[^ ])(?= )")
_BYTES = re.compile(rb"(?<=[^ ])(?= )")
_LONG = 20_000  # symbols of a word for which nothing better than one token can be proven


def cut_at_spaces(words: WordCounts, vocabulary: Vocabulary) -> WordCounts:
    """Returns words that are whole texts cut into smaller ones with the same tokens.

    A sentencepiece model takes a whole text as one word, yet its tokens begin at spaces: where a
    space follows another character, a token ends in any case.  Cutting there changes no token, and
    says much more about what is possible.  Only a word that is a token stays whole under ``merges``
    without pairs: where merging does not make it, the cut would change it.

    Parameters
    ----------
    words : WordCounts
        Texts, over bytes or characters.
    vocabulary : Vocabulary
        The tokens.

    Returns
    -------
    WordCounts
        `words` itself if a token that reaches across such a place occurs, or a cut changes one.

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
    found = next((t for t in across if any(_holds(word, t) for word, _ in words)), None)
    why = "reaches across words"
    counts: Counter[Token] = Counter()
    if found is None:
        for word, count in words:
            for piece in _pieces(word):
                counts[piece] += count
        found = next(_unmade(counts, vocabulary), None)
        why = "is made by no merges, but stays whole as a word"
    if found is not None:
        if any(len(word) > _LONG for word, _ in words):
            raise InputError(
                "the tokenizer takes a whole text as one word, and its token "
                f"{sym.show(found)!r} {why}: no bound can be found for that"
            )
        return words
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return WordCounts.from_counts(ranked, words.symbols)


def _pieces(token: Token) -> list[Token]:
    """Returns the parts of a token or a word between such places."""
    if isinstance(token, bytes):
        return list(_BYTES.split(token))
    return list(_CHARS.split(str(token)))


def _unmade(words: Counter[Token], vocabulary: Vocabulary) -> Iterator[Token]:
    """Yields the words that are tokens though merging does not make them."""
    if vocabulary.rule == "merges" and vocabulary.merges is None:
        rank = ranks(vocabulary)
        for token in filter(words.__contains__, vocabulary.tokens):
            symbols = [token[place : place + 1] for place in range(len(token))]
            if len(merge(symbols, rank)) > 1:
                yield token


def _holds(word: Token, token: Token) -> bool:
    """Whether a word holds a token over the same symbols."""
    if isinstance(word, bytes):
        return isinstance(token, bytes) and token in word
    return str(token) in str(word)
