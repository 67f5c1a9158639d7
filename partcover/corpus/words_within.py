"""Counts the words that phrases are made of."""

from __future__ import annotations

from collections import Counter

from ..errors import InputError
from ..runtime.arguments import shown
from . import symbols as sym
from .phrases import without_phrases
from .pretokenizers import Pretokenizer
from .symbols import Token
from .word_counts import WordCounts

__all__ = ["words_within"]


def words_within(phrases: WordCounts, pretokenizer: str | None = None) -> WordCounts:
    """Returns the words that phrases are made of, counted.

    Parameters
    ----------
    phrases : WordCounts
        The phrases.
    pretokenizer : str, optional
        What cuts them; by default the pre-tokenizer whose words were joined.  Where the words are
        no phrases, they are returned as they are.

    Returns
    -------
    WordCounts
        Recorded as counted with the pre-tokenizer that cuts them.

    Raises
    ------
    InputError
        For an unknown pre-tokenizer, one whose words, joined, are not the phrases again, or words
        of integers.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.corpus.words_within import words_within
    >>> phrases = WordCounts.from_texts(["one of one"], pretokenizer="gpt2+phrases")
    >>> phrases.to_dict(), words_within(phrases).to_dict()
    ({b'one of one': 1}, {b'one': 1, b' of': 1, b' one': 1})
    """
    name = pretokenizer or without_phrases(phrases.pretokenizer or "none")
    if name in ("none", phrases.pretokenizer):
        return phrases
    if phrases.symbols == "ints":
        raise InputError(f"words of integers are no text, which {name} could cut")
    rules = Pretokenizer.from_name(name)
    mark = rules.rules[0].mark or " "
    counts: Counter[Token] = Counter()
    for phrase, count in phrases:
        text = (
            phrase.decode("utf-8", "surrogateescape") if isinstance(phrase, bytes) else str(phrase)
        )
        parts = rules.split(text.replace(mark, " "))
        if "".join(parts) != text:
            raise InputError(f"the words of {name}, joined, are not {shown(text)} again")
        for part in parts:
            counts[sym.to_token(part, phrases.symbols)] += count
    return WordCounts.from_counts(counts, phrases.symbols, pretokenizer=name)
