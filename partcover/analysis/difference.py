"""Compares two inspected vocabularies: what is shared, and what only one of them holds."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..vocabulary.rules import SegmentationRule
from .inspection import Inspection

__all__ = ["Difference", "difference"]

TokenUses = tuple[tuple[Token, int | None], ...]


@dataclass(frozen=True)
class Difference:
    """Two vocabularies side by side.

    Attributes
    ----------
    shared : int
        Number of tokens in both.
    only_here, only_there : tuple of (token, uses)
        Tokens of one vocabulary alone, those used most first, then in its order; uses is None
        without a corpus.
    tokens_here, tokens_there : int or None
        Tokens that the corpus needs, each vocabulary under its own rule.
    rule_here, rule_there : str
        The rules.

    Examples
    --------
    >>> from partcover.analysis.difference import Difference
    >>> Difference(3, ((b"ab", 2),), (), 7, 9, "merges", "priority").to_json()["only_here"]
    [{'token': 'ab', 'uses': 2}]
    """

    shared: int
    only_here: TokenUses
    only_there: TokenUses
    tokens_here: int | None
    tokens_there: int | None
    rule_here: SegmentationRule
    rule_there: SegmentationRule

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object."""
        return {
            **vars(self),
            "only_here": [{"token": sym.to_json(t), "uses": n} for t, n in self.only_here],
            "only_there": [{"token": sym.to_json(t), "uses": n} for t, n in self.only_there],
        }


def difference(here: Inspection, there: Inspection) -> Difference:
    """Compares two inspected vocabularies, on the same corpus if on one.

    Parameters
    ----------
    here, there : Inspection
        The two.

    Returns
    -------
    Difference
        O(tokens · log(tokens)) time.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.analysis.difference import difference
    >>> from partcover.analysis.inspection import inspect_vocabulary
    >>> here, there = Vocabulary(["ab", "abc"]), Vocabulary(["ab", "cd"])
    >>> difference(inspect_vocabulary(here), inspect_vocabulary(there)).only_there
    ((b'cd', None),)
    """
    own, other = set(here.vocabulary.tokens), set(there.vocabulary.tokens)
    return Difference(
        shared=len(own & other),
        only_here=_uses_of_others(here, other),
        only_there=_uses_of_others(there, own),
        tokens_here=here.tokens,
        tokens_there=there.tokens,
        rule_here=here.rule,
        rule_there=there.rule,
    )


def _uses_of_others(inspection: Inspection, known: Collection[Token]) -> TokenUses:
    """The tokens that are not known, with their uses, those used most first."""
    tokens = inspection.vocabulary.tokens
    uses = [None] * len(tokens) if inspection.uses is None else inspection.uses.tolist()
    rows = [row for row in zip(tokens, uses, strict=True) if row[0] not in known]
    return tuple(sorted(rows, key=lambda row: -(row[1] or 0)))
