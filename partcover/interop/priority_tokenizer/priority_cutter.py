"""Segments text into tokens by priority, GreedTok's rule, in plain Python.

This file stands beside an exported vocabulary and needs nothing but the package regex.  Tokens are
taken in order; each is placed from left to right wherever neither of its ends lies inside a token
that is placed already (Lim, Choo and Lauw 2025, Algorithm 4).  Bytes are spelled by the 256
characters of GPT-2's vocabulary.
"""

from __future__ import annotations

import json
from functools import lru_cache

import regex

_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHER = [byte for byte in range(256) if byte not in _PRINTABLE]
_SPELLED = str.maketrans({chr(byte): chr(0x100 + i) for i, byte in enumerate(_OTHER)})
_BYTES = {chr(byte): byte for byte in _PRINTABLE} | {
    chr(0x100 + i): byte for i, byte in enumerate(_OTHER)
}


def spell(data: bytes) -> str:
    """Spells bytes as characters, one for each."""
    return data.decode("latin-1").translate(_SPELLED)


def exchange(text: str, mark: str) -> str:
    """Exchanges mark and space."""
    return " ".join(part.replace(" ", mark) for part in text.split(mark))


class PriorityCutter:
    """Segments text with the vocabulary of a file.

    A mark that stands in the text itself becomes a space, so that `text` gives it back.

    Parameters
    ----------
    path : str
        The file: JSON with ``vocab`` (tokens, in order of priority, and their ids) and
        ``splits`` (one after another: a pattern whose matches are the words of a text, and a
        mark that is exchanged with the space, which words start with, or null).
    """

    def __init__(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        self.vocab: dict[str, int] = data["vocab"]
        tokens = [token for token in self.vocab if len(token) > 1]
        self.rank = {token: rank for rank, token in enumerate(tokens)}
        self.lengths = sorted(set(map(len, tokens)))
        self.splits = [(regex.compile(pattern).findall, mark) for pattern, mark in data["splits"]]
        self.cut = lru_cache(1 << 16)(self.cut_word)

    def words(self, text: str) -> list[str]:
        """Splits a text into words."""
        words = [text] if text else []
        for find, mark in self.splits:
            words = [part for word in words for part in find(word)]
            if mark is not None:
                words = [exchange(word, mark) for word in words]
        return words

    def cut_word(self, word: str) -> tuple[str, ...]:
        """Segments a word into tokens, both spelled as characters."""
        rank, size = self.rank, len(word)
        occurrences = [
            (rank[word[start : start + length]], start, start + length)
            for length in self.lengths
            for start in range(size - length + 1)
            if word[start : start + length] in rank
        ]
        occurrences.sort()
        inside = [False] * (size + 1)
        for _, start, end in occurrences:
            if not inside[start] and not inside[end]:
                inside[start + 1 : end] = [True] * (end - start - 1)
        cuts = [place for place in range(size + 1) if not inside[place]]
        return tuple(word[a:b] for a, b in zip(cuts, cuts[1:]))  # noqa: B905, RUF007 - any Python

    def tokens(self, text: str) -> list[str]:
        """Segments a text into tokens, spelled as characters."""
        return [token for word in self.words(text) for token in self.cut(spell(word.encode()))]

    def text(self, tokens: list[str]) -> str:
        """Returns the text of tokens, with marks and spaces exchanged back."""
        data = bytes(_BYTES[character] for token in tokens for character in token)
        text = data.decode("utf-8", errors="replace")
        for _, mark in reversed(self.splits):
            text = text if mark is None else exchange(text, mark)
        return text
