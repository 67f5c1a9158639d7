"""Splits whole texts at spaces behind another character, except where a token reaches across.

Some vocabularies write ▁ for a space in the text; it counts as one here.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable

import numpy as np

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..problem.word_index import WordIndex
from ..runtime.arrays import Bools, Int64
from ..vocabulary.merging import merge, ranks
from ..vocabulary.vocabulary import Vocabulary

_CHARS = re.compile(r"(?<=[^ ▁])(?=[ ▁])")
_BYTES = re.compile(rb"(?<=[^ ])(?<!\xe2\x96\x81)(?= |\xe2\x96\x81)")


def are_whole_texts(words: WordCounts) -> bool:
    """Returns whether the pre-tokenizer of words does not split texts at spaces.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.analysis.word_borders import are_whole_texts
    >>> name = '{"type":"Metaspace","replacement":"▁","prepend_scheme":"never","split":false}'
    >>> [are_whole_texts(WordCounts.from_texts(["a hat"], pretokenizer=n)) for n in (name, "gpt2")]
    [True, False]
    """
    name = words.pretokenizer
    if name is None or not name.startswith("{"):
        return name == "none"
    step = json.loads(name)
    return step.get("type") == "Metaspace" and step.get("split") is False


def reaches_across(token: Token) -> bool:
    """Returns whether a space follows another character inside a token.

    Examples
    --------
    >>> from partcover.analysis.word_borders import reaches_across
    >>> reaches_across(b" of the"), reaches_across(b"  hat")
    (True, False)
    """
    return bool(_places(token))


def split_at_spaces(words: WordCounts, vocabulary: Vocabulary) -> WordCounts:
    """Splits words that are whole texts into smaller words with the same tokens.

    A sentencepiece model treats a whole text as one word, yet most of its tokens begin at spaces.
    Where a space follows another character, a token always ends, unless one that reaches across
    occurs there.  Splitting at all other such places changes no token, and lower bounds of the
    smaller words say much more.  Under ``merges`` without pairs, a token that merging does not make
    would change if it stood alone as a word, so it is not separated from what follows it.

    Parameters
    ----------
    words : WordCounts
        Texts, over bytes or characters; those over integers are returned as they are.
    vocabulary : Vocabulary
        The tokens.

    Returns
    -------
    WordCounts
        The most frequent first.  O(symbols) time and memory, and the occurrences of tokens that
        reach across.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts
    >>> from partcover.analysis.word_borders import split_at_spaces
    >>> words = WordCounts.from_texts(["a hat,  a hat"], pretokenizer="none")
    >>> split_at_spaces(words, Vocabulary([" hat", "  "])).to_dict()
    {b'  a': 1, b' hat': 1, b' hat,': 1, b'a': 1}
    >>> split_at_spaces(words, Vocabulary(["a hat"])).to_dict()
    {b'  a hat': 1, b'a hat,': 1}
    """
    if words.symbols == "ints":
        return words
    borders = _borders(words)
    across = [token for token in vocabulary.tokens if reaches_across(token)]
    if across:
        borders[_covered(words, across)] = False
    whole = np.zeros(len(borders), bool)
    whole[words.offsets] = True
    while True:
        pieces = _pieces(words, borders | whole)
        unmade = _unmade({piece for piece, _, _ in pieces}, vocabulary)
        parts = [
            begin if whole[end] else end
            for piece, begin, end in pieces
            if piece in unmade and not (whole[begin] and whole[end])
        ]
        if not parts:
            return _counted(words, pieces)
        borders[parts] = False


def split_at_every_space(words: WordCounts) -> WordCounts:
    """Splits words wherever a space follows another character.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.analysis.word_borders import split_at_every_space
    >>> split_at_every_space(WordCounts.from_counts({"a hat": 2})).to_dict()
    {b' hat': 2, b'a': 2}
    """
    if words.symbols == "ints":
        return words
    borders = _borders(words)
    borders[words.offsets] = True
    return _counted(words, _pieces(words, borders))


def _places(token: Token) -> list[int]:
    """Returns where a space follows another character inside a token."""
    if isinstance(token, bytes):
        return [found.start() for found in _BYTES.finditer(token)]
    return [found.start() for found in _CHARS.finditer(token)] if isinstance(token, str) else []


def _borders(words: WordCounts) -> Bools:
    """Whether a space follows another character of the same word at each symbol of the data."""
    data = words.data
    mark = "▁".encode() if words.symbols == "bytes" else [ord("▁")]
    begins = data == ord(" ")  # where a space begins, and where one has ended
    ended = np.append(False, begins)
    marks = np.ones(max(0, len(data) - len(mark) + 1), bool)
    for place, symbol in enumerate(mark):
        marks &= data[place : place + len(marks)] == symbol
    found = np.flatnonzero(marks)
    begins[found] = True
    ended[found + len(mark)] = True
    borders = np.zeros(len(data) + 1, bool)
    borders[1:-1] = (begins & ~ended[:-1])[1:]
    borders[words.offsets] = False
    return borders


def _covered(words: WordCounts, across: Iterable[Token]) -> Int64:
    """Returns the places inside occurrences of tokens that reach across."""
    tokens = [*across]
    index = WordIndex(words)
    found = index.find_tokens(tokens)
    places = [np.zeros(0, np.int64)]
    for number in np.flatnonzero(found.occurs).tolist():
        start = index.sa[found.lo[number] : found.hi[number]]
        begin = start.astype(np.int64) - index.word_of[start] - 1
        places += [begin + place for place in _places(tokens[number])]
    return np.concatenate(places)


def _pieces(words: WordCounts, borders: Bools) -> list[tuple[Token, int, int]]:
    """Returns what is between borders, and where it begins and ends."""
    places = np.flatnonzero(borders)
    spelled = sym.slices(words.data, places[:-1], places[1:], words.symbols)
    return [*zip(spelled, places[:-1].tolist(), places[1:].tolist(), strict=True)]


def _counted(words: WordCounts, pieces: list[tuple[Token, int, int]]) -> WordCounts:
    """Returns pieces of words with their counts."""
    begins = np.array([begin for _, begin, _ in pieces], np.int64)
    word = np.searchsorted(words.offsets, begins, side="right") - 1
    counts: Counter[Token] = Counter()
    for (piece, _, _), count in zip(pieces, words.counts[word].tolist(), strict=True):
        counts[piece] += count
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return WordCounts.from_counts(ranked, words.symbols)


def _unmade(words: set[Token], vocabulary: Vocabulary) -> set[Token]:
    """Returns the words that are tokens though merging does not make them."""
    if vocabulary.rule != "merges" or vocabulary.merges is not None:
        return set()
    rank = ranks(vocabulary)
    return {
        token
        for token in vocabulary.tokens
        if token in words
        and len(merge([token[place : place + 1] for place in range(len(token))], rank)) > 1
    }
