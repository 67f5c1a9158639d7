r"""Defines the three alphabets of words and tokens, and how they are written.

A *word* or *token* is ``bytes`` over the symbols ``"bytes"``, ``str`` over ``"chars"`` and a
tuple of non-negative ``int`` over ``"ints"``.  Written as text (in a counted-words TSV or a
JSON file) bytes that are UTF-8 stand as themselves, any other byte as ``\xHH``, and a
backslash as ``\\``; a TSV also escapes tab, line feed and carriage return.  Integers are
written in decimal, separated by single spaces (TSV) or as a JSON list.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from typing import Any, Literal, TypeAlias

from ..errors import InputError
from ..runtime.arguments import plain, shown
from ..runtime.arrays import Array, Int32, Int64, np

Symbols: TypeAlias = Literal["bytes", "chars", "ints"]
Token: TypeAlias = bytes | str | tuple[int, ...]

SYMBOLS: tuple[Symbols, ...] = ("bytes", "chars", "ints")
DTYPES: dict[Symbols, str] = {"bytes": "uint8", "chars": "int32", "ints": "int64"}

MOST_INTEGER = 2**62 - 1  # of words over integers

_GLANCE = 32  # symbols that `glance` shows
_BLOCK = 1 << 18  # symbols that are numbered at once, so that 64-bit places take little memory
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|[\\tnr])|\\")
_UNESCAPED = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}
_TSV = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_JSON = str.maketrans({"\\": "\\\\"})


def escape(word: bytes | str, *, tsv: bool = True) -> str:
    r"""Returns a word as text; with `tsv`, tab, line feed and carriage return are escaped too.

    Examples
    --------
    >>> from partcover.corpus.symbols import escape
    >>> escape(b"a\t\xff") == r"a\t\xFF"
    True
    """
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
    return _UNESCAPED[code]


def unescape(text: str, symbols: Symbols) -> bytes | str:
    r"""Returns the word that `escape` wrote.

    Raises
    ------
    InputError
        For a broken escape, or for bytes that are not UTF-8 where `symbols` is ``"chars"``.

    Examples
    --------
    >>> from partcover.corpus.symbols import unescape
    >>> unescape(r"a\tb", "bytes")
    b'a\tb'
    """
    if "\\" in text:
        text = _ESCAPE.sub(_read_escape, text)
    try:
        data = text.encode("utf-8", "surrogateescape")
        return data if symbols == "bytes" else data.decode("utf-8")
    except UnicodeError:
        raise InputError(f"{text!r} is not valid UTF-8, which symbols={symbols!r} needs") from None


def to_token(value: Any, symbols: Symbols) -> Token:
    r"""Converts a word or token given by the user to the type of its alphabet.

    Over bytes, text is encoded as UTF-8; over integers, any sequence of integers is accepted.

    Raises
    ------
    InputError
        If the value is not a word over `symbols`.

    Examples
    --------
    >>> from partcover.corpus.symbols import to_token
    >>> to_token("é", "bytes")
    b'\xc3\xa9'
    >>> to_token([1, 2], "ints")
    (1, 2)
    """
    if symbols == "bytes":
        if isinstance(value, str):
            try:
                return plain(value).encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:
                raise InputError(
                    f"{shown(value)} has a lone surrogate, which UTF-8 cannot encode"
                ) from None
        if isinstance(value, bytes | bytearray):
            return plain(value)
    elif symbols == "chars":
        if isinstance(value, bytes | bytearray):
            return unescape(escape(plain(value)), "chars")
        if isinstance(value, str):
            text = plain(value)
            if not text.isascii() and _SURROGATE.search(text):
                raise InputError(f"{shown(text)} has a lone surrogate, which UTF-8 cannot encode")
            return text
    else:
        has_axes = getattr(value, "shape", None) != ()
        if (
            isinstance(value, Sequence | np.ndarray)
            and has_axes
            and not isinstance(value, str | bytes)
        ):
            word = tuple(
                int(s) for s in value if isinstance(s, int | np.integer) and not isinstance(s, bool)
            )
            if len(word) == len(value) and min(word, default=0) >= 0:
                if max(word, default=0) > MOST_INTEGER:
                    raise InputError("an integer symbol is 2**62 or more")
                return word
        raise InputError(f"{shown(value)} is not a list of non-negative integers (symbols='ints')")
    raise InputError(f"{shown(value)} is not text or bytes (symbols={symbols!r})")


def joined(words: Iterable[Any]) -> tuple[bytes, array[int]]:
    """Returns words over bytes as one string, and where each begins, and the last ends.

    Examples
    --------
    >>> from partcover.corpus.symbols import joined
    >>> text, begins = joined([b"ab", b"c"])
    >>> text, begins.tolist()
    (b'abc', [0, 2, 3])
    """
    listed = list(words)
    return b"".join(listed), array("q", accumulate(map(len, listed), initial=0))


def packed(words: Iterable[Any], symbols: Symbols) -> tuple[Array, Int64]:
    """Returns the symbols of words in one array, and where each word begins, and the last ends.

    Symbols are uint8, int32 code points, or int64.

    Examples
    --------
    >>> from partcover.corpus.symbols import packed
    >>> [array.tolist() for array in packed([b"ab", b"c"], "bytes")]
    [[97, 98, 99], [0, 2, 3]]
    """
    words = list(words)
    offsets = np.zeros(len(words) + 1, np.int64)
    np.cumsum([*map(len, words)], out=offsets[1:])
    if symbols == "bytes":
        return np.frombuffer(b"".join(words), np.uint8), offsets
    each = chain.from_iterable(map(ord, word) if symbols == "chars" else word for word in words)
    return np.fromiter(each, DTYPES[symbols], int(offsets[-1])), offsets


def distinct(data: Array) -> Array:
    """Returns the distinct symbols of an array, ascending.

    Examples
    --------
    >>> from partcover.corpus.symbols import distinct, packed
    >>> distinct(packed([(7, 10**9), (7, 2)], "ints")[0]).tolist()
    [2, 7, 1000000000]
    """
    most = int(data.max(initial=0))
    if most <= len(data):
        there = np.zeros(most + 1, bool)
        for begin in range(0, len(data), _BLOCK):
            there[data[begin : begin + _BLOCK]] = True
        return there.nonzero()[0].astype(data.dtype)
    ordered = np.sort(data)
    is_first = np.ones(len(data), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def numbered(data: Array, alphabet: Array) -> Int32:
    """Returns the index of each symbol of an array in an alphabet, ascending distinct symbols.

    A symbol that is not in it gets an index behind the last.

    Examples
    --------
    >>> from partcover.corpus.symbols import numbered, packed
    >>> alphabet, _ = packed([(2, 7, 10**9)], "ints")
    >>> numbered(packed([(7, 10**9), (7, 3)], "ints")[0], alphabet).tolist()
    [1, 2, 1, 3]
    """
    numbers: Int32 = np.full(len(data), len(alphabet), np.int32)
    if not len(alphabet):
        return numbers
    most = int(alphabet[-1])
    table = np.full(most + 2 if most <= len(data) else 0, len(alphabet), np.int32)
    if len(table):
        table[alphabet] = np.arange(len(alphabet), dtype=np.int32)
    last = len(alphabet) - 1
    for begin in range(0, len(data), _BLOCK):
        part = data[begin : begin + _BLOCK]
        if len(table):
            numbers[begin : begin + _BLOCK] = table[np.minimum(part, np.int64(most + 1))]
        else:
            place = np.minimum(np.searchsorted(alphabet, part), last)
            is_there = alphabet[place] == part
            numbers[begin : begin + _BLOCK][is_there] = place[is_there]
    return numbers


def from_array(data: Array, symbols: Symbols) -> Token:
    """Returns the word over `symbols` in an array: the inverse of `packed`.

    Examples
    --------
    >>> from partcover.corpus.symbols import from_array, packed
    >>> from_array(packed(["ab"], "chars")[0], "chars")
    'ab'
    """
    if symbols == "bytes":
        return data.astype("uint8", copy=False).tobytes()
    if symbols == "chars":
        return "".join(map(chr, data.tolist()))
    return tuple(data.tolist())


def slices(data: Array, begin: Array, end: Array, symbols: Symbols) -> Iterator[Token]:
    """Yields ``from_array(data[b:e], symbols)`` for each b of `begin` and e of `end`, faster."""
    whole: Any
    bounds = zip(begin.tolist(), end.tolist(), strict=True)
    if symbols == "ints":  # all of them as objects of Python would take much memory
        whole = np.ascontiguousarray(data).data
        yield from (tuple(whole[first:last].tolist()) for first, last in bounds)
        return
    if symbols == "bytes":
        whole = data.astype("uint8", copy=False).tobytes()
    else:
        whole = data.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    for first, last in bounds:
        yield whole[first:last]


def text_of(token: Token) -> str | None:
    r"""Returns a token over bytes decoded as UTF-8, or None where it is not UTF-8.

    Examples
    --------
    >>> from partcover.corpus.symbols import text_of
    >>> text_of(b"caf\xc3\xa9"), text_of(b"\xc3")
    ('café', None)
    """
    try:
        return bytes(token).decode("utf-8")  # type: ignore[arg-type]
    except UnicodeDecodeError:
        return None


def to_json(token: Token) -> str | list[int]:
    """Returns a token as JSON files hold it.

    Examples
    --------
    >>> from partcover.corpus.symbols import to_json
    >>> to_json(b"ab"), to_json((1, 2))
    ('ab', [1, 2])
    """
    return list(token) if isinstance(token, tuple) else escape(token, tsv=False)


def from_json(value: Any, symbols: Symbols) -> Token:
    """Returns the token over `symbols` that a JSON file holds: the inverse of `to_json`.

    Examples
    --------
    >>> from partcover.corpus.symbols import from_json
    >>> from_json([1, 2], "ints")
    (1, 2)
    """
    if symbols == "ints":
        return to_token(value, symbols)
    if not isinstance(value, str):
        raise InputError(f"{value!r} is not a token over {symbols}: it must be a JSON string")
    return unescape(value, symbols)


def glance(token: Token) -> str:
    """Returns a token's first 32 symbols for display, with an ellipsis where it is longer."""
    return show(token) if len(token) <= _GLANCE else f"{show(token[:_GLANCE])}…"


def show(token: Token) -> str:
    """Returns a token as text for messages and tables.

    Examples
    --------
    >>> from partcover.corpus.symbols import show
    >>> show(b"ab"), show((1, 2))
    ('ab', '1 2')
    """
    if isinstance(token, tuple):
        return " ".join(map(str, token))
    return escape(token)
