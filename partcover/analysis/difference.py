"""Compares two inspected vocabularies: shared tokens, and tokens of only one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..vocabulary.rules import SegmentationRule
from .inspection import Inspection

TokenUses = tuple[tuple[Token, int | None, int | None], ...]


@dataclass(frozen=True)
class Difference:
    """Two vocabularies side by side.

    Attributes
    ----------
    shared : int
        Number of tokens in both.
    only_here, only_there : tuple of (token, uses, gain)
        Tokens of one vocabulary alone, those that gain most first, then those used most, then in
        its order; uses and gain are None without a corpus, gain too where it was not counted.
    tokens_here, tokens_there : int or None
        Tokens that the corpus needs, each vocabulary under its own rule.
    rule_here, rule_there : str
        The rules.

    Examples
    --------
    >>> from partcover.analysis.difference import Difference
    >>> Difference(3, ((b"ab", 2, 1),), (), 7, 9, "merges", "priority").to_json()["only_here"]
    [{'token': 'ab', 'uses': 2, 'gain': 1}]
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
            "only_here": _to_json(self.only_here),
            "only_there": _to_json(self.only_there),
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
    ((b'cd', None, None),)
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
    """Returns the tokens that are not known, with uses and gains."""
    tokens = inspection.vocabulary.tokens
    uses, gains = (
        [None] * len(tokens) if column is None else column.tolist()
        for column in (inspection.uses, inspection.gains)
    )
    rows = [row for row in zip(tokens, uses, gains, strict=True) if row[0] not in known]
    return tuple(sorted(rows, key=lambda row: (-(row[2] or 0), -(row[1] or 0))))


def _to_json(rows: TokenUses) -> list[dict[str, Any]]:
    return [{"token": sym.to_json(token), "uses": n, "gain": gain} for token, n, gain in rows]
