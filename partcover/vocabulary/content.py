"""Reads what a file says of how the tokens of a vocabulary are used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..corpus import symbols as sym
from ..corpus.symbols import Symbols
from ..errors import InputError
from .decoding import Decoding
from .special import whole_number
from .unknown import Unknown


def use_from_json(data: Mapping[str, Any], symbols: Symbols) -> dict[str, Any]:
    """Returns the arguments from what `Vocabulary.use_to_json` wrote."""
    use: dict[str, Any] = {}

    def listed(key: str, kind: type | tuple[type, ...]) -> list[Any] | None:
        values = data.get(key)
        if values is None:
            return None
        if not isinstance(values, list) or not all(isinstance(v, kind) for v in values):
            raise InputError(f"'{key}' is not valid in a vocabulary file")
        return values

    def pairs(key: str) -> list[Any] | None:
        values = listed(key, list)
        if values is not None and not all(len(value) == 2 for value in values):
            raise InputError(f"'{key}' must be a list of pairs")
        return values

    if (merges := pairs("merges")) is not None:
        use["merges"] = [(sym.from_json(a, symbols), sym.from_json(b, symbols)) for a, b in merges]
    use["scores"] = listed("scores", (int, float))
    if (singles := pairs("symbol_scores")) is not None:
        if not all(isinstance(value, int | float) for _, value in singles):
            raise InputError("'symbol_scores' must be a list of pairs of a symbol and a number")
        use["symbol_scores"] = {sym.from_json(s, symbols): v for s, v in singles}
    use["sums"] = data.get("sums", "word")
    use["ids"] = listed("ids", int)
    use["pretokenizer"] = data.get("pretokenizer")
    if not isinstance(use["pretokenizer"], str | None):
        raise InputError("'pretokenizer' must be a name")
    use["normalizer"] = data.get("normalizer")
    if not isinstance(use["normalizer"], str | None):
        raise InputError("'normalizer' must be a name")
    use["special"] = data.get("special") or {}
    if not isinstance(use["special"], dict):
        raise InputError("'special' must be an object of special tokens and their ids")
    use["special_flags"] = data.get("special_flags")
    unknown = data.get("unknown")
    use["unknown"] = None if unknown is None else Unknown.from_json(unknown)
    decoding = data.get("decoding")
    use["decoding"] = None if decoding is None else Decoding.from_json(decoding)
    if (others := pairs("decode_only")) is not None:
        use["decode_only"] = {
            whole_number(number, "decode_only: "): sym.from_json(text, symbols)
            for number, text in others
        }
    return use
