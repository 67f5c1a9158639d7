"""Encodes a long text as UTF-8, by several threads."""

from __future__ import annotations

from itertools import accumulate, pairwise

from ..kernels._shares import unwritten_bytes, utf8_size, write_utf8
from ..runtime.parallel import ordered_map

__all__ = ["utf8"]

_SHARE = 1 << 18  # characters that a thread takes at a time


def utf8(text: str, threads: int = 1) -> bytes:
    """Returns a text in UTF-8; U+DC80 to U+DCFF stand for bytes that are not UTF-8.

    Raises
    ------
    UnicodeEncodeError
        For other lone surrogates.
    """
    if text.isascii() or len(text) <= _SHARE:
        return text.encode("utf-8", "surrogateescape")
    shares = list(pairwise([*range(0, len(text), _SHARE), len(text)]))

    def size(share: tuple[int, int]) -> int:
        return utf8_size(text, *share)

    def write(job: tuple[tuple[int, int], int]) -> None:
        share, at = job
        write_utf8(text, *share, out, at)

    sizes = list(ordered_map(size, shares, threads))
    if -1 in sizes:
        return text.encode("utf-8", "surrogateescape")  # with its error
    *starts, total = accumulate(sizes, initial=0)
    out = unwritten_bytes(total)
    for _ in ordered_map(write, zip(shares, starts, strict=True), threads):
        pass
    return out
