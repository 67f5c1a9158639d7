r"""Defines the three alphabets of words and tokens, and their written form.

A *word* or *token* is ``bytes`` over the symbols ``"bytes"``, ``str`` over ``"chars"`` and a
tuple of non-negative ``int`` over ``"ints"``.  Written as text (in a counted-words TSV or a
JSON file) bytes that are UTF-8 stand as themselves, any other byte as ``\xHH``, and a
backslash as ``\\``; a TSV also escapes tab, line feed and carriage return.  Integers are
written in decimal, separated by single spaces (TSV) or as a JSON list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..runtime.arguments import shown

__all__ = [
    "DTYPES",
    "SYMBOLS",
    "Symbols",
    "Token",
    "escape",
    "from_array",
    "from_json",
    "glance",
    "show",
    "slices",
    "text_of",
    "to_array",
    "to_json",
    "to_token",
    "unescape",
]

Symbols: TypeAlias = Literal["bytes", "chars", "ints"]
Token: TypeAlias = bytes | str | tuple[int, ...]

SYMBOLS: tuple[Symbols, ...] = ("bytes", "chars", "ints")
DTYPES: dict[str, npt.DTypeLike] = {"bytes": np.uint8, "chars": np.int32, "ints": np.int64}

_GLANCE = 32  # symbols
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|[\\tnr])|\\")
_PLAIN = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}
_TSV = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_JSON = str.maketrans({"\\": "\\\\"})


def escape(word: bytes | str, *, tsv: bool = True) -> str:
    """Write a word as text; `tsv` also escapes tab, line feed and carriage return."""
    text = word.decode("utf-8", "surrogateescape") if isinstance(word, bytes) else word
    text = text.translate(_TSV if tsv else _JSON)
    if text.isascii():
        return text
    return _SURROGATE.sub(_write_surrogate, text)


def _write_surrogate(match: re.Match[str]) -> str:
    code = ord(match.group())
    if not 0xDC80 <= code <= 0xDCFF:
        raise InputError(f"a lone surrogate U+{code:04X} cannot be written as UTF-8")
    return f"\\x{code - 0xDC00:02X}"


def _read_escape(match: re.Match[str]) -> str:
    code = match.group(1)
    if code is None:
        raise InputError("a backslash must be followed by \\, t, n, r or xHH")
    if code[0] == "x":
        value = int(code[1:], 16)
        return chr(value) if value < 0x80 else chr(0xDC00 + value)
    return _PLAIN[code]


def unescape(text: str, symbols: Symbols) -> bytes | str:
    """Read what `escape` wrote.

    Raises
    ------
    InputError
        For a broken escape, or for bytes that are not UTF-8 where `symbols` is ``"chars"``.
    """
    if "\\" in text:
        text = _ESCAPE.sub(_read_escape, text)
    try:
        data = text.encode("utf-8", "surrogateescape")
        return data if symbols == "bytes" else data.decode("utf-8")
    except UnicodeError:
        raise InputError(f"{text!r} is not valid UTF-8, which symbols={symbols!r} needs") from None


def to_token(value: Any, symbols: Symbols) -> Token:
    """Bring a word or token given from Python into its one type, or say why it cannot be.

    Text is taken as UTF-8 where symbols are bytes; any sequence of integers is taken where
    symbols are integers.
    """
    if symbols == "bytes":
        if isinstance(value, str):
            try:
                return value.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:
                raise InputError(f"{shown(value)} has a lone surrogate, not UTF-8") from None
        if isinstance(value, bytes | bytearray):
            return bytes(value)
    elif symbols == "chars":
        if isinstance(value, bytes | bytearray):
            return unescape(escape(bytes(value)), "chars")
        if isinstance(value, str):
            if not value.isascii() and _SURROGATE.search(value):
                raise InputError(f"{shown(value)} has a lone surrogate, not UTF-8")
            return str(value)
    elif symbols == "ints":
        if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes):
            word = tuple(
                int(s) for s in value if isinstance(s, int | np.integer) and not isinstance(s, bool)
            )
            if len(word) == len(value) and all(0 <= s < 2**62 for s in word):
                return word
        raise InputError(f"{shown(value)} is not a list of non-negative integers (symbols='ints')")
    else:
        raise InputError(f"unknown symbols {shown(symbols)}: use one of {', '.join(SYMBOLS)}")
    raise InputError(f"{shown(value)} is not text or bytes (symbols={symbols!r})")


def to_array(word: Token) -> npt.NDArray[Any]:
    """The symbols of a word as a 1-D array (uint8, int32 code points, or int64)."""
    if isinstance(word, bytes):
        return np.frombuffer(word, np.uint8)
    if isinstance(word, str):
        return np.array([ord(c) for c in word], np.int32)
    return np.array(word, np.int64)


def from_array(data: npt.NDArray[Any], symbols: Symbols) -> Token:
    """The inverse of `to_array`."""
    if symbols == "bytes":
        return data.astype(np.uint8, copy=False).tobytes()
    if symbols == "chars":
        return "".join(map(chr, data.tolist()))
    return tuple(data.tolist())


def slices(
    data: npt.NDArray[Any], begin: npt.NDArray[Any], end: npt.NDArray[Any], symbols: Symbols
) -> Iterator[Token]:
    """``from_array(data[b:e], symbols)`` for each begin and end, many at a time."""
    whole: Any
    if symbols == "bytes":
        whole = data.astype(np.uint8, copy=False).tobytes()
    elif symbols == "chars":
        whole = data.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    else:
        whole = tuple(data.tolist())
    for first, last in zip(begin.tolist(), end.tolist(), strict=True):
        yield whole[first:last]


def text_of(token: Token) -> str | None:
    """The text that a token over bytes is in UTF-8; None where it cuts a character."""
    try:
        return bytes(token).decode("utf-8")  # type: ignore[arg-type]
    except UnicodeDecodeError:
        return None


def to_json(token: Token) -> str | list[int]:
    """A token as it stands in a JSON file."""
    return list(token) if isinstance(token, tuple) else escape(token, tsv=False)


def from_json(value: Any, symbols: Symbols) -> Token:
    """The inverse of `to_json`."""
    if symbols == "ints":
        return to_token(value, symbols)
    if not isinstance(value, str):
        raise InputError(f"{value!r} is not a token over {symbols}: a JSON string is expected")
    return unescape(value, symbols)


def glance(token: Token) -> str:
    """The beginning of a token, however long it is; one that is cut ends in an ellipsis."""
    return show(token) if len(token) <= _GLANCE else f"{show(token[:_GLANCE])}…"


def show(token: Token) -> str:
    """A token for messages and tables."""
    if isinstance(token, tuple):
        return " ".join(map(str, token))
    return escape(token)
