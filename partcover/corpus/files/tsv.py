r"""Reads and writes counted words as TSV: one ``word<TAB>count`` a line.

UTF-8, with the escapes ``\\``, ``\t``, ``\n``, ``\r`` and ``\xHH`` in words, so that any bytes
fit.  A count is a whole number from 1 to 2**63 - 1 in decimal digits.  The last line may lack
its line feed, and a carriage return before a line feed is not part of the count.  Where symbols
are bytes, raw bytes that are not UTF-8 are taken as they stand.  A byte order mark at the
beginning is no part of the first word.

The first line says how the words were counted::

    #partcover counts 1 pretokenizer=gpt2 symbols=bytes

It has no tab, so it cannot be mistaken for a word.  White space, control characters, ``%`` and
characters beyond ASCII in values are percent-encoded.  ``normalizer=NFKC`` says what was done to
the text before.  Each fact may be missing, and so may the line; facts that this version does not
know are ignored.  The line may be repeated further down, as in files joined with ``cat``, and must
then say the same.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from itertools import chain
from os import PathLike
from typing import IO, NamedTuple
from urllib.parse import quote, unquote

from ...errors import InputError
from ...kernels.words import _word_table
from ...runtime.arguments import closest, shown
from ...runtime.files.kinds import HEADER, likely_mistake
from ...runtime.files.writing import open_input, open_unchanging, shown_path
from .. import symbols as sym
from ..symbols import Symbols, Token
from ..word_arrays import MAX_COUNT, Arrays, Views, arrays_of

CHUNK = 1 << 22  # bytes that are read at a time
_NUMBER = re.compile(rb"[0-9]+")
_SIGNED = re.compile(rb"-[0-9]+(\.[0-9]*)?")
_FRACTION = re.compile(rb"[0-9]*\.[0-9]*")


_VERSION = 1
_UNQUOTED = "!\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~"  # all of ASCII that is visible, but %


class Header(NamedTuple):
    """How words were counted, as far as known."""

    pretokenizer: str | None = None
    symbols: Symbols | None = None
    normalizer: str | None = None


def format_header(header: Header) -> bytes:
    """Returns the first line of a file, with its line feed.

    Examples
    --------
    >>> from partcover.corpus.files.tsv import Header, format_header
    >>> format_header(Header("gpt2", "bytes")).rstrip()
    b'#partcover counts 1 pretokenizer=gpt2 symbols=bytes'
    """
    facts = "".join(
        f" {key}={quote(value, _UNQUOTED, errors='surrogateescape')}"
        for key, value in header._asdict().items()
        if value is not None
    )
    return b"%b %d%b\n" % (HEADER, _VERSION, facts.encode("ascii"))


def parse_header(line: bytes) -> Header | None:
    """Parses the first line of a file, without its line feed; None for any other line.

    Raises
    ------
    InputError
        For a later version, or malformed facts.
    """
    line = line.removeprefix(BOM_UTF8)  # further down, too, as `cat` leaves it
    if not line.startswith(HEADER) or b"\t" in line:
        return None
    version, *fields = line[len(HEADER) :].decode("utf-8", "replace").split() or [""]
    if version != str(_VERSION):
        raise InputError(
            f"the version {version!r} of counts files is not supported, the latest is "
            f"{_VERSION}: update partcover"
        )
    facts: dict[str, str] = {}
    for field in fields:
        key, equals, value = field.partition("=")
        value = unquote(value, errors="surrogateescape")
        if not equals or not value:
            raise InputError(f"{field!r} is not an entry of the form KEY=VALUE")
        if facts.setdefault(key, value) != value:
            raise InputError(f"two different values: {key}={facts[key]} and {key}={value}")
    symbols = facts.get("symbols")
    for alphabet in sym.SYMBOLS:
        if symbols == alphabet:
            return Header(facts.get("pretokenizer"), alphabet, facts.get("normalizer"))
    if symbols is not None:
        raise InputError(f"unknown symbols {shown(symbols)}: {closest(symbols, sym.SYMBOLS)}")
    return Header(facts.get("pretokenizer"), normalizer=facts.get("normalizer"))


def parse_line(line: bytes, symbols: Symbols) -> tuple[Token, int]:
    r"""Parses one line, without its line feed.

    Raises
    ------
    InputError
        Saying what is wrong with the line.

    Examples
    --------
    >>> from partcover.corpus.files.tsv import parse_line
    >>> parse_line(b"low\t5", "bytes")
    (b'low', 5)
    """
    fields = line.split(b"\t")
    if len(fields) == 1:
        raise InputError("count is missing. Expected WORD<TAB>COUNT")
    if len(fields) > 2:
        raise InputError(
            "more than one tab. Expected WORD<TAB>COUNT; write a tab inside a word as \\t"
        )
    text, number = fields[0], fields[1].removesuffix(b"\r")
    if not text:
        raise InputError("the word is empty")
    return parse_word(text, symbols), _count(number)


def parse_word(text: bytes, symbols: Symbols) -> Token:
    r"""Parses a word as it is written in a line.

    Raises
    ------
    InputError
        Saying what is wrong with the word.

    Examples
    --------
    >>> from partcover.corpus.files.tsv import parse_word
    >>> parse_word(rb"a\tb", "bytes"), parse_word(b"1 2", "ints")
    (b'a\tb', (1, 2))
    """
    if symbols == "ints":
        return _integers(text)
    try:
        decoded = text.decode("utf-8", "surrogateescape" if symbols == "bytes" else "strict")
    except UnicodeDecodeError:
        raise InputError(f"the word is not UTF-8, which symbols={symbols!r} needs") from None
    return sym.unescape(decoded, symbols)


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
        if len(digits) > 19 or int(digits) > MAX_COUNT:
            raise InputError(f"the count {shown_number} is larger than {MAX_COUNT:,}")
        return int(digits)
    if _SIGNED.fullmatch(number):
        raise InputError(f"the count {shown_number} is negative: a count is at least 1")
    if _FRACTION.fullmatch(number) and number != b".":
        raise InputError(f"the count {shown_number} is not a whole number")
    if HEADER in number:
        raise InputError("another counts file begins inside the line: insert the missing line feed")
    raise InputError(f"the count {shown_number!r} is not a whole number")


class _Reader:
    """Reads a file, and keeps the facts that its first line states.

    Parameters
    ----------
    path : path
        The path, for messages.
    symbols : {"bytes", "chars", "ints"}, optional
        The alphabet that the caller requires.
    """

    def __init__(self, path: str | PathLike[str], symbols: Symbols | None) -> None:
        self.path = path
        self.symbols = symbols
        self.symbols_required = symbols is not None
        self.pretokenizer: str | None = None
        self.normalizer: str | None = None
        self.lines = 0  # before the part that is being read, behind the place of `skipped`
        self.skipped = 0  # bytes

    def error(self, number: int, message: object) -> InputError:
        """Returns an error in a line of the current part; for line 1 with the likely mistake."""
        number += self.lines
        if self.skipped:
            with open_input(self.path) as file:
                number += file.read(self.skipped).count(b"\n")
        mistake = likely_mistake(self.path, "counts") if number == 1 else ""
        return InputError(f"{shown_path(self.path)}:{number}: {message}{mistake}")

    def first_line(self, file: IO[bytes]) -> bytes:
        """Reads the first line, without a byte order mark; a header is returned as b""."""
        line = file.readline()
        if line.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) and b"\0" in line:
            raise self.error(1, "this is UTF-16: save it as UTF-8")
        line = line.removeprefix(BOM_UTF8)
        header = self._header(line.rstrip(b"\r\n"), 1)
        if header is not None:
            self.pretokenizer, self.normalizer = header.pretokenizer, header.normalizer
            self.symbols = self.symbols or header.symbols
            self.lines = 1
            line = b""
        self.symbols = self.symbols or "bytes"
        return line

    def is_header(self, line: bytes, number: int) -> bool:
        """Returns whether a line is a header; it must not contradict the first line."""
        header = self._header(line, number)
        if header is None:
            return False
        how = ""
        if header.pretokenizer not in (None, self.pretokenizer):
            before = f"with {self.pretokenizer}" if self.pretokenizer else "in an unknown way"
            how = f"words counted with {header.pretokenizer}, those above {before}"
        elif header.normalizer != self.normalizer:
            how = (
                f"words of text normalized by {header.normalizer or 'nothing'}, those above by "
                f"{self.normalizer or 'nothing'}"
            )
        if how:
            raise self.error(number, f"{how}: their counts cannot be added up")
        return True

    def _header(self, line: bytes, number: int) -> Header | None:
        """Returns what a line states if it is a header, whose symbols must be those of others."""
        try:
            header = parse_header(line)
            if header and self.symbols and header.symbols not in (None, self.symbols):
                why = "asked for" if self.symbols_required else "taken above"
                raise InputError(f"the words are over {header.symbols}, {self.symbols} were {why}")
        except InputError as error:
            raise self.error(number, error) from None
        return header

    def views(self, first: bytes, file: IO[bytes]) -> Views:
        """Reads words over bytes; memory for the distinct ones and a chunk."""
        (table,) = self._tables(first, file, None)
        return table.views(False)

    def blocks(self, first: bytes, file: IO[bytes], room: int | None) -> Iterator[Arrays]:
        """Yields words over bytes whenever they take more than `room` bytes, and at the end."""
        return (table.export(False) for table in self._tables(first, file, room))

    def _tables(
        self, first: bytes, file: IO[bytes], room: int | None
    ) -> Iterator[_word_table.WordTable]:
        table = _word_table.WordTable()
        pending = [first]
        while chunk := file.read(CHUNK):
            cut = chunk.rfind(b"\n") + 1
            pending.append(chunk[:cut] if cut else chunk)
            if cut:
                self._add(table, b"".join(pending))
                pending = [chunk[cut:]]
                if room is not None and table.nbytes > room:
                    yield table
        self._add(table, b"".join(pending))
        yield table

    def _add(self, table: _word_table.WordTable, text: bytes) -> None:
        rest = memoryview(text)
        while True:
            status, lines, start = table.add_tsv(rest)
            if status == _word_table.DONE:
                self.lines += lines
                return
            place = len(text) - len(rest) + start
            end = text.find(b"\n", place)
            line = text[place:] if end < 0 else text[place:end]
            if self.is_header(line.removesuffix(b"\r"), lines):
                self.lines += lines
                rest = rest[start + len(line) + 1 :]
                continue
            try:  # the kernel only reports that the line is bad; the parser in Python says why
                word, _ = parse_line(line, "bytes")
            except InputError as error:
                raise self.error(lines, error) from None
            raise self.error(lines, f"the summed count of {sym.show(word)!r} does not fit in int64")

    def table(self, first: bytes, file: IO[bytes], *, once: bool = False) -> dict[Token, int]:
        """Reads words over any symbols, line by line in Python."""
        assert self.symbols is not None
        table: dict[Token, int] = {}
        lines: Iterator[bytes] = chain([first] if first else [], file)
        for number, ended in enumerate(lines, 1):
            line = ended.removesuffix(b"\n")
            if self.is_header(line.removesuffix(b"\r"), number):
                continue
            try:
                word, count = parse_line(line, self.symbols)
                if once and word in table:
                    raise InputError(f"the word {sym.show(word)!r} is given a second time")
                table[word] = table.get(word, 0) + count
                if table[word] > MAX_COUNT:
                    raise InputError(
                        f"the summed count of {sym.show(word)!r} does not fit in int64"
                    )
            except InputError as error:
                raise self.error(number, error) from None
        return table


def read(
    path: str | PathLike[str], symbols: Symbols | None = None
) -> tuple[Views | dict[Token, int], Header]:
    """Reads a counted-words TSV.

    Parameters
    ----------
    path : path
        The file; ``-`` is standard input.
    symbols : {"bytes", "chars", "ints"}, optional
        The alphabet; by default the one the file states, or bytes.

    Returns
    -------
    words : tuple of memory views, or dict
        Data, offsets and counts of words over bytes, in O(file) compiled time; over other
        symbols a dictionary.  In the order of their first lines; the counts of equal words are
        summed.
    header : Header
        The pre-tokenizer and normalizer that the file states, and the symbols that were read.

    Raises
    ------
    InputError
        Naming the file and the line; for symbols other than those the file states.
    """
    with open_unchanging(path) as file:
        reader = _Reader(path, symbols)
        first = reader.first_line(file)
        words = (reader.views if reader.symbols == "bytes" else reader.table)(first, file)
    return words, Header(reader.pretokenizer, reader.symbols, reader.normalizer)


def read_blocks(
    path: str | PathLike[str], room: int | None = None
) -> tuple[Header, Iterator[Arrays]]:
    """Reads a counted-words TSV over bytes or characters in blocks of about `room` bytes.

    Returns
    -------
    header : Header
        What the first line states.
    blocks : iterator of blocks
        The words as bytes.

    Raises
    ------
    InputError
        As `read` does; for words of integers.
    """
    with ExitStack() as stack:
        file = stack.enter_context(open_unchanging(path))
        reader = _Reader(path, None)
        first = reader.first_line(file)
        if reader.symbols == "ints":
            raise InputError(
                f"{shown_path(path)}: words of integers cannot be merged; join their files with cat"
            )
        opened = stack.pop_all()

    def blocks() -> Iterator[Arrays]:
        with opened:
            yield from reader.blocks(first, file, room)

    return Header(reader.pretokenizer, reader.symbols, reader.normalizer), blocks()


def read_part(path: str | PathLike[str], begin: int, end: int) -> tuple[Header, Arrays]:
    r"""Reads those lines of a counted-words TSV over bytes or characters that begin in a range.

    Parameters
    ----------
    path : path
        The file.
    begin, end : int
        The range, in bytes, not empty.

    Returns
    -------
    header : Header
        What the first line of the file states.
    words : block
        The words as bytes, in the order of their lines.

    Raises
    ------
    InputError
        As `read_blocks` does.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover.corpus.files.tsv import read_part
    >>> _ = Path("hats.tsv").write_text("that\t9\nhat\t5\nchat\t1\n")
    >>> for span in ((0, 8), (8, 16)):
    ...     header, (data, offsets, counts) = read_part("hats.tsv", *span)
    ...     print(data.tobytes(), counts)
    b'thathat' [9 5]
    b'chat' [1]
    """
    with open_unchanging(path) as file:
        reader = _Reader(path, None)
        first = reader.first_line(file)
        header = Header(reader.pretokenizer, reader.symbols, reader.normalizer)
        if reader.symbols == "ints":
            raise InputError(f"{shown_path(path)}: words of integers cannot have a head and a tail")
        if begin:
            first = b""
            file.seek(begin - 1)
            file.readline()
            reader.lines, reader.skipped = 0, file.tell()
        start = file.tell()
        text = b""
        if start < end:
            file.seek(end - 1)
            file.readline()
            stop = file.tell()
            file.seek(start)
            text = file.read(stop - start)
        return header, arrays_of(reader.views(first, BytesIO(text)))


def read_table(path: str | PathLike[str], symbols: Symbols) -> dict[Token, int]:
    """Reads a TSV without repeated words, line by line in Python.

    Raises
    ------
    InputError
        Naming the file and the line.
    """
    with open_unchanging(path) as file:
        reader = _Reader(path, symbols)
        return reader.table(reader.first_line(file), file, once=True)


_UNESCAPED = re.compile(rb"[ -\[\]-~]+")


def format_line(word: Token, count: int) -> bytes:
    r"""Returns one line of the file, with its line feed.

    Examples
    --------
    >>> from partcover.corpus.files.tsv import format_line
    >>> format_line(b"low", 5)
    b'low\t5\n'
    """
    if isinstance(word, bytes) and _UNESCAPED.fullmatch(word):
        return b"%b\t%d\n" % (word, count)
    if isinstance(word, tuple):
        return b"%b\t%d\n" % (sym.show(word).encode(), count)
    return b"%b\t%d\n" % (sym.escape(word).encode(), count)
