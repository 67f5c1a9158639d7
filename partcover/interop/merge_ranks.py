"""Decides whether byte-pair encoding by pairs and merging by the rank of tokens are the same.

Let every token merge, by a list of pairs, from its parts (its bytes, or its characters) into one
piece, and let the tokens be in the order of the pairs that do their last steps.  Then merging by
rank, of any two neighbours that together are a token, does the same in every word, step by step.

Proof.  Let x and y be neighbours that together are a token t.  Nothing has merged across the
borders of t in the word, so inside it the merges so far are those of t by itself.  These lead to
t through a single state of two pieces, so x and y are that pair.  The possible merges are thus
the same by pairs and by rank, one for each place of a token, and so is their order.  A word that
is a token becomes one piece for the same reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

from ..vocabulary.merging import merge
from ..vocabulary.vocabulary import Vocabulary
from .given_up import GivenUp, give_up

Parts: TypeAlias = Callable[[bytes], list[bytes]]


def bytes_of(token: bytes) -> list[bytes]:
    """Returns the bytes of a token, from which merging bytes begins."""
    return [token[i : i + 1] for i in range(len(token))]


def characters_of(token: bytes) -> list[bytes]:
    """Returns the characters of a token, from which merging characters begins, and other bytes."""
    text = token.decode("utf-8", "surrogateescape")
    return [character.encode("utf-8", "surrogateescape") for character in text]


def last_merges(
    merges: Sequence[tuple[bytes, bytes]], tokens: Iterable[bytes], parts_of: Parts
) -> dict[bytes, int | None]:
    """Finds the pair that does the last step of each token.

    Parameters
    ----------
    merges : sequence of pair of bytes
        The first one merges first, leftmost first.
    tokens : iterable of bytes
        Those of a single part are left out.
    parts_of : callable
        Returns the parts from which a token merges.

    Returns
    -------
    dict
        The place of the pair for each token; None for a token that does not become one piece.
    """
    rank = {pair: place for place, pair in enumerate(merges)}
    last: dict[bytes, int | None] = {}
    for token in tokens:
        parts = parts_of(token)
        if len(parts) > 1:
            left, *right = merge(parts, lambda *pair: rank.get(pair), 2)
            last[token] = rank.get((left, right[0])) if len(right) == 1 else None
    return last


def pairs_are_needless(vocabulary: Vocabulary) -> bool:
    """Returns whether merging by rank is proven to segment every word as merging by the pairs.

    The vocabulary is over bytes, under ``merges`` or ``character_merges``.
    """
    if vocabulary.merges is None:
        return True
    merges = [(bytes(a), bytes(b)) for a, b in vocabulary.merges]  # type: ignore[arg-type]
    tokens = [bytes(token) for token in vocabulary]  # type: ignore[arg-type]
    parts_of = characters_of if vocabulary.rule == "character_merges" else bytes_of
    ranks = list(last_merges(merges, tokens, parts_of).values())
    return all(a is not None and b is not None and a < b for a, b in pairwise([-1, *ranks]))


def without_pairs(vocabulary: Vocabulary, lost: list[GivenUp], reason: str) -> Vocabulary:
    """Returns a vocabulary that merges by rank; needless pairs are not added to `lost`."""
    if pairs_are_needless(vocabulary):
        return vocabulary if vocabulary.merges is None else vocabulary.with_(merges=None)
    nearest = "merges without pairs"
    return give_up(vocabulary, lost, "which pairs merge", reason, nearest, merges=None)
