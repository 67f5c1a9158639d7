"""What each character is to the kernel that finds words."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Mapping
from functools import cache
from io import BytesIO
from mmap import mmap

from ...runtime.arrays import UInt8, np
from ...runtime.patterns import regex
from .character_table import KINDS

#: Where Unicode has characters that are any of these; a test looks at the others.
PLACES = (range(0x40000), range(0xE0000, 0xE1000))


@cache
def character_kinds() -> memoryview:
    """Returns the kinds of each code point, as bits of the encoder's kernel.

    They are those of Unicode 16, as the libraries have them.  Only those at `PLACES` take memory.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.character_kinds import character_kinds
    >>> kinds = character_kinds()
    >>> len(kinds) == 0x110000, kinds[ord("a")] == kinds[ord("z")] != kinds[ord("A")]
    (True, True)
    """
    stored = BytesIO(zlib.decompress(base64.b85decode(KINDS.replace("\n", ""))))
    kinds = mmap(-1, 0x110000)
    for place in PLACES:
        kinds[place.start : place.stop] = stored.read(len(place))
    return memoryview(kinds).toreadonly()


def code_points(patterns: Mapping[str, int], places: Iterable[range] = PLACES) -> UInt8:
    r"""Returns for each code point the bits of the patterns, of runs of characters, that match it.

    Parameters
    ----------
    patterns : mapping of str to int
        The bits of each.
    places : iterable of range
        The code points that are looked at; the others have no bits.

    Returns
    -------
    ndarray of uint8, shape (0x110000,)
        Read-only.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.character_kinds import code_points
    >>> code_points({r"\d+": 1})[[ord("a"), ord("7")]].tolist()
    [0, 1]
    """
    kinds = np.zeros(0x110000, np.uint8)
    for place in places:
        kinds[place.start : place.stop] = _matching(_characters(place), patterns)
    kinds.setflags(write=False)
    return kinds


def first_bytes(kinds: UInt8) -> UInt8:
    """Returns for each byte whether a character that begins with it may have a kind that is not 0.

    Parameters
    ----------
    kinds : ndarray of uint8, shape (0x110000,)
        The kind of each code point; 0 for ASCII.

    Returns
    -------
    ndarray of uint8, shape (256,)

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.character_kinds import code_points, first_bytes
    >>> [hex(byte) for byte in first_bytes(code_points({"é": 1})).nonzero()[0]]
    ['0xc3', '0xf0', '0xf1', '0xf2', '0xf3', '0xf4']
    """
    blocks = kinds.reshape(-1, 64).max(axis=1)  # of the code points that differ in the last byte
    first = np.zeros(256, np.uint8)
    first[0xC2:0xE0] = blocks[2:0x20]
    blocks[:0x20] = 0  # those of less than three bytes
    first[0xE0:0xF0] = blocks[:0x400].reshape(-1, 64).max(axis=1)
    first[0xF0:0xF5] = True
    return first


def _characters(place: range) -> str:
    codes = np.arange(place.start, place.stop, dtype="<u4")
    return str(codes.view(f"<U{len(codes)}")[0])


def _matching(text: str, patterns: Mapping[str, int]) -> UInt8:
    """Returns for each character of a text the bits of the patterns that match it."""
    kinds = np.zeros(len(text), np.uint8)
    for pattern, bits in patterns.items():
        found = [match.span() for match in regex.finditer(pattern, text)]
        spans = np.array(found, np.int64).reshape(-1, 2)
        begins = np.zeros(len(text) + 1, np.int8)
        begins[spans[:, 0]] += 1
        begins[spans[:, 1]] -= 1  # no run begins where another ends
        kinds |= np.cumsum(begins[:-1], dtype=np.int8).view(np.uint8) * np.uint8(bits)
    return kinds
