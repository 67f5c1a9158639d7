"""Merges adjacent parts in order of rank, and splits tokens, in plain Python."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import suppress
from typing import Any, TypeAlias

from .vocabulary import Vocabulary

Rank: TypeAlias = Callable[[Any, Any], "int | None"]


def ranks(vocabulary: Vocabulary) -> Rank:
    """Returns the function that ranks the merge of two adjacent parts by a vocabulary's rule."""
    if vocabulary.merges is None:
        of_token = {token: rank for rank, token in enumerate(vocabulary.tokens)}
        return lambda left, right: of_token.get(left + right)
    of_pair: dict[Any, int] = {pair: rank for rank, pair in enumerate(vocabulary.merges)}
    return lambda left, right: of_pair.get((left, right))


def merge(parts: Sequence[Any], rank: Rank, fewest: int = 1) -> list[Any]:
    """Merges adjacent parts, lowest rank first, and leftmost first among equal ranks.

    Parameters
    ----------
    parts : sequence
        The parts to merge.
    rank : callable
        Returns the rank of a pair of adjacent parts; None if the pair does not merge.
    fewest : int, optional
        Number of parts at which to stop.

    Returns
    -------
    list
        The remaining parts, after O(n log n) calls of `rank` for n parts.

    Examples
    --------
    >>> from partcover.vocabulary.merging import merge
    >>> ranks = {("t", "h"): 1, ("a", "t"): 0, ("h", "at"): 2}
    >>> merge("that", lambda *pair: ranks.get(pair))
    ['th', 'at']
    """
    pieces = list(parts)
    left, end = len(pieces), len(pieces)
    before = list(range(-1, end - 1))
    after = list(range(1, end + 1))
    heap: list[tuple[int, int]] = []  # ranks and places of pairs; some of the pairs no longer exist

    def rank_at(place: int) -> int | None:
        following = after[place]
        return rank(pieces[place], pieces[following]) if following < end else None

    for place in range(end - 1):
        if (number := rank_at(place)) is not None:
            heap.append((number, place))
    heapq.heapify(heap)
    while heap and left > fewest:
        number, place = heapq.heappop(heap)
        if pieces[place] is None or rank_at(place) != number:
            continue
        gone = after[place]
        pieces[place] += pieces[gone]
        pieces[gone] = None
        after[place] = after[gone]
        if after[place] < end:
            before[after[place]] = place
        left -= 1
        for changed in (before[place], place):
            if changed >= 0 and (number_now := rank_at(changed)) is not None:
                heapq.heappush(heap, (number_now, changed))
    return [piece for piece in pieces if piece is not None]


def parts_of(token: Any, vocabulary: Vocabulary, rank: Rank | None = None) -> list[Any]:
    """Returns the last two parts that a vocabulary's merges make of a token, or more.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.vocabulary.merging import parts_of
    >>> parts_of(b"that", Vocabulary(["at", "hat", "that"], rule="merges"))
    [b't', b'hat']
    """
    pieces = [token[place : place + 1] for place in range(len(token))]
    if vocabulary.rule == "character_merges" and vocabulary.symbols == "bytes":
        with suppress(UnicodeDecodeError):
            pieces = [character.encode() for character in token.decode()]
    return merge(pieces, rank or ranks(vocabulary), 2)


def halves(token: Any, lengths: Set[int]) -> Iterator[tuple[Any, Any]]:
    """Yields the two parts of a token, at each place where both have one of some lengths.

    Trying all places takes time quadratic in the length of a token.  If both parts are tokens,
    there are at most as many places as tokens have distinct lengths.

    Examples
    --------
    >>> from partcover.vocabulary.merging import halves
    >>> list(halves("that", {1, 3}))
    [('t', 'hat'), ('tha', 't')]
    """
    size = len(token)
    for at in range(1, size) if size <= len(lengths) else sorted(lengths):
        if at < size and at in lengths and size - at in lengths:
            yield token[:at], token[at:]
