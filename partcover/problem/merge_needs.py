"""Finds the tokens that a token cannot be made without."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..corpus.symbols import Token
from .merge_condition import MergeCondition

__all__ = ["MergeNeeds"]


class MergeNeeds:
    """Finds the tokens that merges cannot make a token without, including the token itself.

    Parameters
    ----------
    condition : MergeCondition
        The merges.  If any two parts may be merged, a token needs only itself.
    exempt : collection of token
        Tokens that need no parts.

    Notes
    -----
    For each token, only a few tokens whose needs together are its own are stored, so memory is
    proportional to the number of merges, however deep they are.  Nothing is stored for tokens
    that no merge makes.

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
        # for each token, tokens that with all their needs are what it needs besides itself
        self._below: dict[Token, tuple[Token, ...]] = {}

    def of(self, token: Token) -> frozenset[Token]:
        """Returns the tokens that a token needs: those that all ways to make it need."""
        if self._condition.pairs is None or not self._ways(token):
            return frozenset({token})
        waiting = [token]
        while waiting:
            last = waiting[-1]
            if last in self._below:
                waiting.pop()
                continue
            ways = self._ways(last)
            missing = [part for parts in ways for part in parts if part not in self._below]
            if missing:
                waiting += missing  # they are shorter
                continue
            waiting.pop()
            self._below[last] = ways[0] if len(ways) == 1 else self._shared(ways)
        return frozenset(self._closure([token]))

    def _ways(self, token: Token) -> list[tuple[Token, ...]]:
        return [] if token in self._exempt else list(self._condition.splits(token))

    def _closure(self, tokens: Iterable[Token]) -> set[Token]:
        """Returns tokens together with all that they need."""
        found: set[Token] = set()
        waiting = list(tokens)
        while waiting:
            token = waiting.pop()
            if token not in found:
                found.add(token)
                waiting += self._below[token]
        return found

    def _shared(self, ways: list[tuple[Token, ...]]) -> tuple[Token, ...]:
        """Returns the fewest tokens whose needs together are what all ways need."""
        common = set.intersection(*map(self._closure, ways)) if ways else set()
        largest: list[Token] = []
        covered: set[Token] = set()
        # what a token needs is shorter than the token
        for token in sorted(common, key=len, reverse=True):
            if token not in covered:
                largest.append(token)
                covered |= self._closure([token])
        return tuple(largest)
