"""Ordered tokens with their provenance; the vocabulary file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

from . import symbols as sym
from .errors import InputError
from .files import read_json, write_atomic
from .symbols import Symbols, Token

__all__ = ["Vocabulary"]


@dataclass(frozen=True)
class Vocabulary:
    """Tokens of two or more symbols, in order; single symbols are always available.

    Parameters
    ----------
    tokens : iterable of token
        Distinct tokens; the order is the priority order where a rule has one.
    symbols : {"bytes", "chars", "ints"}
        The alphabet of the tokens.
    method : str
        What chose them.
    provenance : mapping
        Anything JSON can hold: corpus hash, options, versions, numbers reached.

    Raises
    ------
    InputError
        For a duplicate, or a token of fewer than two symbols.
    """

    tokens: tuple[Token, ...]
    symbols: Symbols = "bytes"
    method: str = "given"
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __init__(
        self,
        tokens: Iterable[Any],
        symbols: Symbols = "bytes",
        method: str = "given",
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        checked = tuple(sym.to_token(token, symbols) for token in tokens)
        seen: set[Token] = set()
        for token in checked:
            if len(token) < 2:
                raise InputError(
                    f"token {sym.show(token)!r} has {len(token)} symbol(s): single symbols are "
                    "always available, a token has two or more"
                )
            if token in seen:
                raise InputError(f"token {sym.show(token)!r} is given twice")
            seen.add(token)
        object.__setattr__(self, "tokens", checked)
        object.__setattr__(self, "symbols", symbols)
        object.__setattr__(self, "method", method)
        object.__setattr__(self, "provenance", dict(provenance or {}))

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    def to_json(self) -> dict[str, Any]:
        """The content of a vocabulary file."""
        return {
            "format": "partcover-vocabulary",
            "version": 1,
            "symbols": self.symbols,
            "method": self.method,
            "tokens": [sym.to_json(token) for token in self.tokens],
            "provenance": dict(self.provenance),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the vocabulary file (aside, then renamed)."""
        write_atomic(path, json.dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Vocabulary:
        """Read a vocabulary file, or the vocabulary of a solution written as JSON.

        Raises
        ------
        InputError
            If the file cannot be read, is not JSON, or holds no list of tokens.
        """
        data = read_json(path)
        tokens = data.get("tokens")
        if not isinstance(tokens, list):
            tokens = data.get("vocabulary")
        if not isinstance(tokens, list):
            raise InputError(
                f"{fspath(path)}: no list of tokens under 'tokens' (a vocabulary file) or "
                "'vocabulary' (a solution)"
            )
        version = data.get("version", 1)
        if version != 1:
            raise InputError(f"{fspath(path)}: vocabulary version {version!r} is not known; update")
        symbols = data.get("symbols", "bytes")
        try:
            if symbols not in sym.SYMBOLS:
                raise InputError(f"unknown symbols {symbols!r}")
            return cls(
                (sym.from_json(token, symbols) for token in tokens),
                symbols,
                str(data.get("method", "given")),
                data.get("provenance") or {},
            )
        except InputError as error:
            raise InputError(f"{fspath(path)}: {error}") from None
