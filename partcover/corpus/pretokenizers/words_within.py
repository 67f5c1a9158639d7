"""Counts the words that phrases are made of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from ...errors import InputError
from ...kernels.words import _word_ends
from ...runtime.arguments import shown
from ...runtime.arrays import Array, Int64, np
from .. import symbols as sym
from ..symbols import Symbols, Token
from ..word_counts import WordCounts
from .character_kinds import character_kinds
from .phrases import without_phrases
from .pretokenizer import Pretokenizer


def words_within(phrases: WordCounts, pretokenizer: str | None = None) -> WordCounts:
    """Returns the words that phrases are made of, counted.

    Parameters
    ----------
    phrases : WordCounts
        The phrases.
    pretokenizer : str, optional
        What splits them; by default the pre-tokenizer whose words were joined.  Where the words are
        no phrases, they are returned as they are.

    Returns
    -------
    WordCounts
        Recorded as counted with the pre-tokenizer that splits them.

    Raises
    ------
    InputError
        For an unknown pre-tokenizer, one whose words, joined, are not the phrases again, or words
        of integers.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.corpus.pretokenizers.words_within import words_within
    >>> phrases = WordCounts.from_texts(["one of one"], pretokenizer="gpt2+phrases")
    >>> phrases.to_dict(), words_within(phrases).to_dict()
    ({b'one of one': 1}, {b'one': 1, b' of': 1, b' one': 1})
    """
    name = pretokenizer or without_phrases(phrases.pretokenizer or "none")
    if name in ("none", phrases.pretokenizer):
        return phrases
    if phrases.symbols == "ints":
        raise InputError(f"words of integers are not text, so {name} cannot split them")
    within = WordsWithin(Pretokenizer.from_name(name))
    counts: Counter[Token] = Counter()
    for phrase, count in phrases:
        for word in within.of(phrase):
            counts[word] += count
    return WordCounts.from_counts(counts, phrases.symbols, pretokenizer=name)


@dataclass(frozen=True)
class WordsWithin:
    """Finds the words that phrases are made of.

    Parameters
    ----------
    rules : Pretokenizer, optional
        What splits phrases into words; by default a phrase is one word.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.words_within import WordsWithin
    >>> WordsWithin.joined_by("gpt2+phrases").of(b"one of one")
    [b'one', b' of', b' one']
    """

    rules: Pretokenizer | None = None

    @classmethod
    def joined_by(cls, pretokenizer: str | None) -> WordsWithin:
        """Returns what finds the words that a pre-tokenizer joins; a phrase where it joins none."""
        name = without_phrases(pretokenizer or "none")
        return cls() if name in ("none", pretokenizer) else cls(Pretokenizer.from_name(name))

    def of(self, phrase: Token) -> list[Token]:
        """Returns the words of a phrase.

        Raises
        ------
        InputError
            If the words, joined, are not the phrase.
        """
        if self.rules is None:
            return [phrase]
        symbols: Symbols = "bytes" if isinstance(phrase, bytes) else "chars"
        text = (
            phrase.decode("utf-8", "surrogateescape") if isinstance(phrase, bytes) else str(phrase)
        )
        mark = self.rules.rules[0].mark or " "
        raw = _exchanged(text, mark)
        words, at = [], 0
        for part in self.rules.split(raw):
            size = len(part) - (len(mark) - 1 if raw.startswith(" ", at) else 0)
            words.append(_exchanged(raw[at : at + size], mark))
            at += size
        if "".join(words) != text:
            raise InputError(
                f"the words of {self.rules.name}, joined, are not the text {shown(text)}"
            )
        return [sym.to_token(word, symbols) for word in words]

    def starts(self, data: Array, offsets: Int64) -> Int64:
        """Returns where the words of phrases start in `data`, and where the last ends.

        Parameters
        ----------
        data : ndarray of uint8 or int32
            Bytes or characters.
        offsets : ndarray of int64
            Where the phrases start in `data`, and where the last ends.

        Examples
        --------
        >>> import numpy as np
        >>> from partcover.corpus.pretokenizers.words_within import WordsWithin
        >>> data, offsets = np.frombuffer(b"one of one", np.uint8), np.array([0, 10])
        >>> WordsWithin.joined_by("gpt2+phrases").starts(data, offsets)
        array([ 0,  3,  6, 10])
        """
        if self.rules is None:
            return offsets
        rule = self.rules.rules[0]
        symbols: Symbols = "bytes" if data.dtype == np.uint8 else "chars"
        plain = len(self.rules.rules) == 1 and not rule.given and rule.mark in (None, " ")
        if plain and symbols == "bytes":
            cut, _ = _word_ends.cut_words(data, offsets, rule.finder, character_kinds())
            starts = np.asarray(cut)
            starts[0] = offsets[0]
            return starts
        places = offsets[:1].tolist()
        for begin, end in pairwise(offsets.tolist()):
            for word in self.of(sym.from_array(data[begin:end], symbols)):
                places.append(places[-1] + len(word))
        return np.array(places, np.int64)


def _exchanged(text: str, mark: str) -> str:
    """Exchanges mark and space: in a word a space stands for a mark that is in the text."""
    return " ".join(part.replace(" ", mark) for part in text.split(mark))
