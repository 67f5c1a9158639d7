"""Tells which neighbors in a word cannot stay apart when merges are applied in their order."""

from __future__ import annotations

from collections.abc import Iterator

from ..corpus.symbols import Token
from .merge_condition import MergeCondition


class MergeOrder:
    """The order of merges, and the parts that tokens consist of while they are being made.

    A merge joins the parts *a* and *b* at a border of a word if both are there at the same time and
    *ab* is in the vocabulary.  So if a token A ends at the border and a token B begins there, if
    the last part of A is *a* until after the time of this merge and the first part of B is *b*
    until then, then *ab* is not in the vocabulary.

    `merges` are those of a condition in their order; a merge is named by its index, and `usable` if
    both parts can be made in one way only, by merges before it.  Merging characters joins only
    parts that are UTF-8, so other merges are not usable.

    A token is *proper* if it is a single symbol (or a given character), or if exactly one merge
    makes it, both parts are proper, and the merges of the parts come before it.  Only then is it
    known of which parts it consists at each time.

    Why the statement holds, for proper A and B, a usable merge r of *a* and *b*, and the vocabulary
    S whose merges are those of the list with both parts and the result in S or single symbols.
    Suppose A and B are pieces of the result and *ab* is in S.  A and B were made by their own
    merges, so *a*, which ends at the border, and *b*, which begins there, existed during the
    merging, and merge r is one of S.  Let *a* be joined to more of A by merge i, if A is not *a*,
    and *b* to more of B by merge j, if B is not *b*; both are after r.

    1. At some time both exist.  Suppose *a* is joined by merge i before *b* is there.  Until then
       *b* is in parts that its own merges made, so one of its merges is possible, and all of them
       come before r, so before i.  But the first possible merge is applied.  The same holds for
       *a* and j.
    2. While both exist, merge r is possible.  So no later merge is applied, in particular neither
       i nor j, until merge r is applied here or *a* or *b* is gone.  Only merges i and j take them
       away within A and B, so merge r is applied, and A and B are not pieces of the result.  ∎

    >>> from partcover import MergeCondition
    >>> from partcover.problem.merge_order import MergeOrder
    >>> order = MergeOrder(MergeCondition(((b"h", b"e"), (b"e", b"r"), (b"t", b"h"))))
    >>> list(order.ends(b"th")), list(order.begins(b"er"))
    ([(2, 3), (1, 2)], [(2, 3), (1, 1)])

    ``er`` begins with ``e`` until merge 1, which comes after merge 0 of ``h`` and ``e``.
    """

    def __init__(self, condition: MergeCondition) -> None:
        self._condition = condition
        self.merges = list(dict.fromkeys(condition.pairs or ()))
        results = [left + right for left, right in self.merges]  # type: ignore[operator]
        n_ways: dict[Token, int] = {}
        for result in results:
            n_ways[result] = n_ways.get(result, 0) + 1
        self._merge_of: dict[Token, int] = {}  # of each proper token that a merge makes
        self.usable: list[bool] = []
        for number, (pair, result) in enumerate(zip(self.merges, results, strict=True)):
            self.usable.append(all(self.is_proper(part) and self._is_joined(part) for part in pair))
            if self.usable[-1] and n_ways[result] == 1 and not condition.is_given(result):
                self._merge_of[result] = number

    def is_proper(self, token: Token) -> bool:
        """Returns whether it is known how a token is made; see the notes."""
        return token in self._merge_of or self._condition.is_given(token)

    def _is_joined(self, part: Token) -> bool:
        """Whether the rule may join a part to another."""
        if self._condition.rule != "character_merges" or not isinstance(part, bytes):
            return True
        try:
            part.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return True

    def ends(self, token: Token) -> Iterator[tuple[int, int]]:
        """Yields the length of each last part of a token, and the merge that joins it to more.

        For the token itself this is the number of merges.  Nothing for tokens that are not proper.
        """
        return self._spine(token, 1)

    def begins(self, token: Token) -> Iterator[tuple[int, int]]:
        """Yields the same of each first part."""
        return self._spine(token, 0)

    def _spine(self, token: Token, side: int) -> Iterator[tuple[int, int]]:
        joined = len(self.merges)
        while self.is_proper(token):
            yield len(token), joined
            if token not in self._merge_of:
                break
            joined = self._merge_of[token]
            token = self.merges[joined][side]
