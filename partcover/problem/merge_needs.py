"""Finds the tokens that one cannot be made without."""

from __future__ import annotations

from collections.abc import Collection

from ..corpus.symbols import Token
from .merge_certificate import MergeCondition

__all__ = ["MergeNeeds"]


class MergeNeeds:
    """Finds the tokens that merges cannot make a token without, itself among them.

    Parameters
    ----------
    condition : MergeCondition
        What makes tokens.  Where any two may be merged, a token needs itself alone.
    exempt : collection of token
        Tokens that need no parts.

    Examples
    --------
    >>> from partcover import MergeCondition
    >>> from partcover.problem.merge_needs import MergeNeeds
    >>> merges = MergeCondition(((b"t", b"h"), (b"a", b"t"), (b"th", b"at")))
    >>> sorted(MergeNeeds(merges, ()).of(b"that"))
    [b'at', b'th', b'that']
    """

    def __init__(self, condition: MergeCondition, exempt: Collection[Token]) -> None:
        self._condition = condition
        self._exempt = exempt
        self._known: dict[Token, frozenset[Token]] = {}

    def of(self, token: Token) -> frozenset[Token]:
        """Returns what a token needs: what all ways to make it need."""
        if self._condition.pairs is None:
            return frozenset({token})
        known = self._known
        waiting = [token]
        while waiting:
            last = waiting[-1]
            if last in known:
                waiting.pop()
                continue
            splits = [] if last in self._exempt else list(self._condition.splits(last))
            missing = [part for parts in splits for part in parts if part not in known]
            if missing:
                waiting += missing  # they are shorter
                continue
            waiting.pop()
            ways = [frozenset().union(*(known[part] for part in parts)) for parts in splits]
            common = frozenset.intersection(*ways) if ways else frozenset()
            known[last] = common | {last}
        return known[token]
