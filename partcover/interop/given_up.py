"""Gives up what a format cannot express of a vocabulary, and says why.

Each function returns the vocabulary that is left, and adds what it gave up to the list `lost`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..corpus.normalizers import glance
from ..vocabulary.subset import only
from ..vocabulary.vocabulary import Vocabulary
from .byte_level import pieces_of


@dataclass(frozen=True)
class GivenUp:
    """A part of a vocabulary that an export left out because the format cannot express it.

    Attributes
    ----------
    what : str
        The part, as "the rule priority".
    reason : str
        Why it cannot be expressed.
    nearest : str
        What is written instead if the loss is accepted, as "the rule shortest_path".
    """

    what: str
    reason: str
    nearest: str

    def __str__(self) -> str:
        return f"{self.what} ({self.reason}); the nearest is {self.nearest}"


def give_up(
    vocabulary: Vocabulary,
    lost: list[GivenUp],
    what: str,
    reason: str,
    nearest: str = "none",
    **changes: Any,
) -> Vocabulary:
    """Returns a vocabulary with some fields changed, as `Vocabulary.with_` does."""
    lost.append(GivenUp(what, reason, nearest))
    return vocabulary.with_(**changes)


def keep(
    vocabulary: Vocabulary, lost: list[GivenUp], places: list[int], what: str, reason: str
) -> Vocabulary:
    """Returns a vocabulary with only the tokens at some places."""
    dropped = len(vocabulary) - len(places)
    if not dropped:
        return vocabulary
    lost.append(GivenUp(f"{dropped:,} tokens {what}", reason, f"the other {len(places):,} tokens"))
    return only(vocabulary, places)


def without_normalizer(vocabulary: Vocabulary, lost: list[GivenUp], reason: str) -> Vocabulary:
    """Returns a vocabulary that takes text as it is."""
    if vocabulary.normalizer is None:
        return vocabulary
    what = f"the normalizer {glance(vocabulary.normalizer)}"
    return give_up(vocabulary, lost, what, reason, normalizer=None)


def split_otherwise(
    vocabulary: Vocabulary, lost: list[GivenUp], reason: str, pretokenizer: str | None = "none"
) -> Vocabulary:
    """Returns a vocabulary with another pre-tokenizer."""
    what = f"the pre-tokenizer {vocabulary.pretokenizer}"
    nearest = pretokenizer or "none"
    return give_up(vocabulary, lost, what, reason, nearest, pretokenizer=pretokenizer)


def without_unknown(vocabulary: Vocabulary, lost: list[GivenUp], reason: str) -> Vocabulary:
    """Returns a vocabulary without an unknown token."""
    if vocabulary.unknown is None:
        return vocabulary
    what = f"the unknown token {vocabulary.unknown.token}"
    return give_up(vocabulary, lost, what, reason, unknown=None)


def without_ids(vocabulary: Vocabulary, lost: list[GivenUp], what: str, reason: str) -> Vocabulary:
    """Returns a vocabulary whose ids are those of the bytes, the tokens, and special tokens."""
    nearest, special = "ids 0 to 255 of the bytes and on", list(vocabulary.special)
    return give_up(
        vocabulary, lost, what, reason, nearest, ids=None, decode_only={}, special=special
    )


def with_ascending_ids(vocabulary: Vocabulary, lost: list[GivenUp], reason: str) -> Vocabulary:
    """Returns a vocabulary whose tokens are in the order of their ids."""
    if all(a < b for a, b in pairwise(vocabulary.id_of[256:])):
        return vocabulary
    return without_ids(vocabulary, lost, "ids in another order than the tokens", reason)


def without_special(
    vocabulary: Vocabulary,
    lost: list[GivenUp],
    names: Collection[str],
    what: str,
    reason: str,
    nearest: str = "without them",
) -> Vocabulary:
    """Returns a vocabulary without some of its special tokens, if there are any."""
    if not names:
        return vocabulary
    special = {text: n for text, n in vocabulary.special.items() if text not in names}
    flags = {text: has for text, has in vocabulary.special_flags.items() if text in special}
    return give_up(vocabulary, lost, what, reason, nearest, special=special, special_flags=flags)


def without_shared(
    vocabulary: Vocabulary,
    lost: list[GivenUp],
    keeps: Callable[[str, bytes], bool] = lambda _text, _piece: False,
) -> Vocabulary:
    """Returns the vocabulary without added tokens that have the ids of tokens.

    ``keeps(text, piece)`` returns whether an added token can stay; by default none can.
    """
    piece_of = dict(zip(vocabulary.id_of, pieces_of(vocabulary), strict=True))
    there = {text: n for text, n in vocabulary.special.items() if n in piece_of}
    gone = {text for text, number in there.items() if not keeps(text, piece_of[number])}
    first = min(gone, key=vocabulary.special.__getitem__, default="")
    what = f"{len(gone):,} added tokens that are tokens, too, such as {first!r}"
    reason = "it would not find them first"
    return without_special(vocabulary, lost, gone, what, reason, "them as tokens")
