"""Checks the tokens, merges and scores of a vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, starmap
from operator import add
from typing import Any

from ..corpus import symbols as sym
from ..corpus.symbols import Symbols, Token
from ..errors import InputError
from ..runtime.arguments import shown


def all_are(kind: type, values: Iterable[Any]) -> bool:
    """Returns whether all values are of a type: there may be a million of them."""
    return set(map(type, values)) <= {kind}


def refuse_one_of(tokens: Iterable[Token]) -> None:
    """Refuses the first token that is short or there already."""
    seen: set[Token] = set()
    for token in tokens:
        if len(token) < 2:
            raise InputError(
                f"token {sym.show(token)!r} has fewer than two symbols: leave it out, single "
                "symbols are always available"
            )
        if token in seen:
            raise InputError(f"token {sym.show(token)!r} is given twice")
        seen.add(token)


def checked_score(value: float) -> float:
    """Returns a score as a float; raises an error if it is none."""
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        raise InputError(f"a score is {str(value)[:40]}: it must be a finite number") from None


def checked_merges(
    merges: Iterable[tuple[Any, Any]], tokens: set[Token], symbols: Symbols
) -> tuple[tuple[Token, Token], ...]:
    """Returns merges as pairs of tokens; raises an error for one that makes none of `tokens`."""
    merges = tuple(merges)
    if _are_plain(merges, tokens):
        return merges
    pairs: dict[tuple[Token, Token], None] = {}
    for given in merges:
        if not isinstance(given, Sequence) or isinstance(given, str | bytes) or len(given) != 2:
            raise InputError(f"merge {shown(given)}: it must be a pair of tokens")
        pair = sym.to_token(given[0], symbols), sym.to_token(given[1], symbols)
        both: Token = pair[0] + pair[1]  # type: ignore[operator]
        for part in (*pair, both):
            if len(part) != 1 and part not in tokens:
                raise InputError(f"{_merge(pair)}: {sym.show(part)!r} is not a token")
        if pair in pairs:
            raise InputError(f"{_merge(pair)} is given twice")
        pairs[pair] = None
    return tuple(pairs)


def _are_plain(merges: tuple[Any, ...], tokens: set[Token]) -> bool:
    """Returns whether all merges are valid and of bytes: a file may have half a million of them."""
    if not all_are(tuple, merges) or not set(map(len, merges)) <= {2}:
        return False
    parts = [*chain.from_iterable(merges)]
    return (
        all_are(bytes, parts)
        and all(len(part) == 1 for part in set(parts) - tokens)
        and tokens.issuperset(starmap(add, merges))
        and len(set(merges)) == len(merges)
    )


def _merge(pair: tuple[Token, Token]) -> str:
    return f"merge {sym.show(pair[0])!r} + {sym.show(pair[1])!r}"
