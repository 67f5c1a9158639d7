"""Finds the words that take the most tokens beyond one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..segmentation.segmentation import Segmentation


@dataclass(frozen=True)
class CostlyWord:
    """A word that takes more than one token.

    Attributes
    ----------
    word : token
        The word.
    count : int
        How often it occurs.
    pieces : tuple of token
        The tokens that it becomes.

    Examples
    --------
    >>> from partcover.analysis.costly_words import CostlyWord
    >>> CostlyWord(b"hat", 5, (b"h", b"at")).loss
    5
    """

    word: Token
    count: int
    pieces: tuple[Token, ...]

    @classmethod
    def of(cls, cut: Segmentation, number: int, *more: int) -> Self:
        """Returns a segmented word by its number, with what else its class needs."""
        words = cut.words
        return cls(words.word(number), int(words.counts[number]), tuple(cut.of(number)), *more)

    @property
    def loss(self) -> int:
        """The tokens beyond one, summed over its occurrences."""
        return self.count * (len(self.pieces) - 1)

    def to_json(self) -> dict[str, Any]:
        """Returns the word as a JSON object."""
        return {
            "word": sym.to_json(self.word),
            "count": self.count,
            "pieces": [sym.to_json(piece) for piece in self.pieces],
            "loss": self.loss,
        }


def costly_words(cut: Segmentation, top: int) -> tuple[CostlyWord, ...]:
    """Returns the words with the most extra tokens; of equal ones, the first.

    Parameters
    ----------
    cut : Segmentation
        The words and their tokens.
    top : int
        How many to return at most; words of one token are left out.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, segment
    >>> from partcover.analysis.costly_words import costly_words
    >>> words = WordCounts.from_counts({"hat": 3, "cat": 2, "at": 9})
    >>> cut = segment(words, Vocabulary(["at"]))
    >>> [(costly.word, costly.loss) for costly in costly_words(cut, 5)]
    [(b'hat', 3), (b'cat', 2)]
    """
    losses = cut.words.counts * (cut.pieces - 1)
    order = np.argsort(-losses, kind="stable")[:top].tolist()
    return tuple(CostlyWord.of(cut, number) for number in order if losses[number] > 0)
