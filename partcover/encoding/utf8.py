"""Encodes characters of a text as UTF-8."""

from __future__ import annotations

from ..kernels.encoding._shares import written_utf8

SMALL = 128  # characters of texts that Python encodes as fast
_SOME = 4096


def utf8(text: str, first: int, last: int) -> bytes:
    """Returns characters first..last - 1 in UTF-8; U+DC80 to U+DCFF represent single bytes.

    It does not copy the characters first, and several threads can run it at the same time.

    Raises
    ------
    UnicodeEncodeError
        For other lone surrogates.
    """
    out = written_utf8(text, first, last)
    if out is None:
        return text[first:last].encode("utf-8", "surrogateescape")  # raises the error
    return out


def about_bytes(text: str) -> int:
    """Returns about how many bytes a text has in UTF-8, from some of its characters."""
    some = text[:: len(text) // _SOME + 1]
    return len(text) * len(some.encode("utf-8", "surrogatepass")) // max(len(some), 1)
