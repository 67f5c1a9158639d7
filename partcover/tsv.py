r"""The counted-words TSV: one ``word<TAB>count`` a line.

UTF-8, with the escapes ``\\``, ``\t``, ``\n``, ``\r`` and ``\xHH`` in words, so that any bytes
fit.  A count is a whole number from 1 to 2**63 - 1 in decimal digits.  The last line may lack
its line feed, and a carriage return before a line feed is not part of the count.  Where symbols
are bytes, raw bytes that are not UTF-8 are taken as they stand.
"""

from __future__ import annotations

import re
from os import PathLike

import numpy as np
import numpy.typing as npt

from . import symbols as sym
from .errors import InputError
from .files import open_input, shown
from .kernels import _words
from .symbols import Symbols, Token

__all__ = ["format_line", "parse_line", "read_bytes", "read_table"]

_CHUNK = 1 << 22
_MAX = 2**63 - 1
_NUMBER = re.compile(rb"[0-9]+")
_SIGNED = re.compile(rb"-[0-9]+(\.[0-9]*)?")
_FRACTION = re.compile(rb"[0-9]*\.[0-9]*")


def parse_line(line: bytes, symbols: Symbols) -> tuple[Token, int]:
    """Read one line, without its line feed.

    Raises
    ------
    InputError
        Saying what is wrong with the line.
    """
    fields = line.split(b"\t")
    if len(fields) == 1:
        raise InputError("no tab: a line is a word, a tab and its count")
    if len(fields) > 2:
        raise InputError("more than one tab: a tab inside a word is written \\t")
    text, number = fields[0], fields[1].removesuffix(b"\r")
    if not text:
        raise InputError("the word is empty")
    if symbols == "ints":
        word: Token = _integers(text)
    else:
        try:
            decoded = text.decode("utf-8", "surrogateescape" if symbols == "bytes" else "strict")
        except UnicodeDecodeError:
            raise InputError(f"the word is not UTF-8, which symbols={symbols!r} needs") from None
        word = sym.unescape(decoded, symbols)
    return word, _count(number)


def _integers(text: bytes) -> tuple[int, ...]:
    fields = text.split(b" ")
    if not all(map(_NUMBER.fullmatch, fields)):
        raise InputError(
            f"{text.decode(errors='replace')!r} is not a word over symbols='ints': non-negative "
            "integers separated by single spaces"
        )
    if any(len(field) > 20 for field in fields):
        raise InputError("an integer symbol is 2**62 or more")
    word = tuple(map(int, fields))
    if max(word) >= 2**62:
        raise InputError("an integer symbol is 2**62 or more")
    return word


def _count(number: bytes) -> int:
    shown_number = number[:40].decode(errors="replace")
    if _NUMBER.fullmatch(number):
        digits = number.lstrip(b"0")
        if not digits:
            raise InputError("the count is zero: a count is at least 1")
        if len(digits) > 19 or int(digits) > _MAX:
            raise InputError(f"the count {shown_number} does not fit in int64")
        return int(digits)
    if _SIGNED.fullmatch(number):
        raise InputError(f"the count {shown_number} is negative: a count is at least 1")
    if _FRACTION.fullmatch(number) and number != b".":
        raise InputError(f"the count {shown_number} is not a whole number")
    raise InputError(f"the count {shown_number!r} is not a number")


def read_bytes(
    path: str | PathLike[str],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Read a TSV over bytes; O(file) time, memory for the distinct words and one chunk.

    Returns
    -------
    data, offsets, counts : ndarray
        The words in the order in which the file first has them; duplicates are summed.

    Raises
    ------
    InputError
        Naming the file and the line.
    """
    table = _words.WordTable()
    lines = 0
    with open_input(path) as file:
        held: list[bytes] = []
        while chunk := file.read(_CHUNK):
            cut = chunk.rfind(b"\n") + 1
            held.append(chunk[:cut] if cut else chunk)
            if cut:
                lines += _add(table, b"".join(held), lines, path)
                held = [chunk[cut:]]
        _add(table, b"".join(held), lines, path)
    return table.export(False)


def _add(table: _words.WordTable, text: bytes, before: int, path: str | PathLike[str]) -> int:
    status, lines, start = table.add_tsv(text)
    if status == _words.DONE:
        return lines
    where = f"{shown(path)}:{before + lines}"
    line = text[start:].split(b"\n", 1)[0]
    try:  # the kernel says only that the line is bad; the readable parser says why
        word, _ = parse_line(line, "bytes")
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    raise InputError(f"{where}: the summed count of {sym.show(word)!r} does not fit in int64")


def read_table(
    path: str | PathLike[str], symbols: Symbols, *, once: bool = False
) -> dict[Token, int]:
    """Read a TSV over any symbols, line by line in Python.

    Duplicates are summed, or refused where each word may stand `once`.

    Raises
    ------
    InputError
        Naming the file and the line.
    """
    table: dict[Token, int] = {}
    with open_input(path) as file:
        for number, line in enumerate(file, 1):
            try:
                word, count = parse_line(line.removesuffix(b"\n"), symbols)
                if once and word in table:
                    raise InputError(f"the word {sym.show(word)!r} stands here a second time")
                table[word] = table.get(word, 0) + count
                if table[word] > _MAX:
                    raise InputError(
                        f"the summed count of {sym.show(word)!r} does not fit in int64"
                    )
            except InputError as error:
                raise InputError(f"{shown(path)}:{number}: {error}") from None
    return table


_PLAIN = re.compile(rb"[ -\[\]-~]+")


def format_line(word: Token, count: int) -> bytes:
    """One line of the file, with its line feed."""
    if isinstance(word, bytes) and _PLAIN.fullmatch(word):
        return b"%b\t%d\n" % (word, count)
    if isinstance(word, tuple):
        return b"%b\t%d\n" % (sym.show(word).encode(), count)
    return b"%b\t%d\n" % (sym.escape(word).encode(), count)
