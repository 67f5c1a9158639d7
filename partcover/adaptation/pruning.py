"""Holds the result of pruning a vocabulary: the tokens kept, their new ids, and the proof."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..corpus.symbols import Token
from ..runtime.arrays import Int64
from ..vocabulary.vocabulary import Vocabulary
from .extension import Adaptation

__all__ = ["Pruning"]


@dataclass(frozen=True, repr=False)
class Pruning(Adaptation):
    """A vocabulary of some tokens of another one, and how close they are to optimal.

    Attributes are those of `Adaptation`, and:

    Attributes
    ----------
    k : int
        How many tokens of two or more symbols stay.
    required : tuple of token
        Those that had to stay, whatever they save.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, prune
    >>> from partcover.adaptation.pruning import Pruning
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2, "cat": 2})
    >>> found: Pruning = prune(Vocabulary(["th", "at", "hat"], special=["<s>"]), words, 1)
    >>> found.vocabulary.tokens, found.corpus.before, found.tokens, found.lower_bound
    ((b'hat',), 12, 14, 14)
    >>> found.ids[255:].tolist(), found.vocabulary.special
    ([255, -1, -1, 256, 257], {'<s>': 257})
    """

    k: int
    required: tuple[Token, ...]

    @cached_property
    def ids(self) -> Int64:
        """The new id of each old one, −1 for a removed token; empty unless symbols are bytes.

        Row ``old`` of an embedding matrix becomes row ``ids[old]``.
        """
        if self.base.symbols != "bytes":
            return np.zeros(0, np.int64)
        old, new = (_numbers(vocabulary) for vocabulary in (self.base, self.vocabulary))
        ids = np.full(max(old.values()) + 1, -1, np.int64)
        for name, number in old.items():
            ids[number] = new.get(name, -1)
        return ids

    def to_json(self, *, vocabulary: bool = True) -> dict[str, Any]:
        """Returns the JSON object of ``partcover prune``."""
        data = super().to_json(vocabulary=vocabulary)
        data |= {"k": self.k, "required": len(self.required)}
        if self.base.symbols == "bytes":
            data["ids_before"], data["ids_after"] = (
                len(_numbers(vocabulary)) for vocabulary in (self.base, self.vocabulary)
            )
        return data


def _numbers(vocabulary: Vocabulary) -> dict[Token, int]:
    """Returns the ids of the bytes that have one, the tokens and the special tokens."""
    names: list[Token] = [*(bytes([byte]) for byte in range(256)), *vocabulary.tokens]
    ids = dict(zip(names, vocabulary.id_of, strict=True))
    ids.update(vocabulary.special)
    return {name: number for name, number in ids.items() if number >= 0}
