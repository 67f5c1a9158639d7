"""Relates byte-pair encoding by pairs to merging by the rank of tokens, where they agree.

Take a list of pairs by which every token merges from what it begins as (its bytes, or its
characters), and let the tokens be in the order of the pairs that do the last step of that.  Then
merging by rank, any two neighbours that together are a token, does the same in every word, step by
step.  For let x and y be neighbours that together are a token t.  Nothing has merged across their
borders, so between them the merges so far are those of t alone.  These lead to t by one state of
two pieces, so x and y are that: its pair.  The merges that are possible are thus the same by pairs
and by rank, one for each place of a token, and so is their order.  A word that is a token ends
whole for the same reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

from ..vocabulary.vocabulary import Vocabulary

__all__ = ["bytes_of", "characters_of", "last_merges", "pairs_are_needless"]

Parts: TypeAlias = Callable[[bytes], list[bytes]]


def bytes_of(token: bytes) -> list[bytes]:
    """What merging bytes begins with."""
    return [token[i : i + 1] for i in range(len(token))]


def characters_of(token: bytes) -> list[bytes]:
    """What merging characters begins with: bytes that are none stand alone."""
    text = token.decode("utf-8", "surrogateescape")
    return [character.encode("utf-8", "surrogateescape") for character in text]


def last_merges(
    merges: Sequence[tuple[bytes, bytes]], tokens: Iterable[bytes], parts_of: Parts
) -> dict[bytes, int | None]:
    """The place of the pair that makes each token of what it begins as.

    Parameters
    ----------
    merges : sequence of pair of bytes
        The first one merges first, leftmost first.
    tokens : iterable of bytes
        Those that begin as one part are left out.
    parts_of : callable
        What a token begins as.

    Returns
    -------
    dict
        None for a token that is not merged into one piece.
    """
    rank = {pair: place for place, pair in enumerate(merges)}
    last: dict[bytes, int | None] = {}
    for token in tokens:
        parts = parts_of(token)
        if len(parts) == 1:
            continue
        found: int | None = None
        while len(parts) > 1:
            ranks = [rank.get(pair, len(rank)) for pair in pairwise(parts)]
            found = min(ranks)
            if found == len(rank):
                found = None
                break
            best = ranks.index(found)
            parts[best : best + 2] = [parts[best] + parts[best + 1]]
        last[token] = found
    return last


def pairs_are_needless(vocabulary: Vocabulary) -> bool:
    """Whether merging without the pairs is proven to give the same in every word.

    Of a vocabulary over bytes, under ``merges`` or ``character_merges``.
    """
    if vocabulary.merges is None:
        return True
    merges = [(bytes(a), bytes(b)) for a, b in vocabulary.merges]  # type: ignore[arg-type]
    tokens = [bytes(token) for token in vocabulary]  # type: ignore[arg-type]
    parts_of = characters_of if vocabulary.rule == "character_merges" else bytes_of
    ranks = list(last_merges(merges, tokens, parts_of).values())
    return all(a is not None and b is not None and a < b for a, b in pairwise([-1, *ranks]))
