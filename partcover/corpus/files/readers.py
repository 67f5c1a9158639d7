"""Reads documents: plain text, JSON Lines and Parquet, compressed or not.

Bytes of a plain text are passed on unchanged: no newline is translated, no byte order mark
removed.  What is read from is listed by `partcover.corpus.files.sources`.
"""

from __future__ import annotations

import gzip
import json
import zlib
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from os import PathLike
from typing import IO, Any

from ...errors import InputError, MissingExtra, PartcoverError
from ...runtime.files.writing import check_whole, reading, shown_path, size_of
from ...runtime.memory import refuse_beyond
from ...runtime.progress import Progress
from ..pretokenizers.seams import FirstCut, first_line, seams
from .sources import Source, find_sources, is_url, open_source

CHUNK = 1 << 19  # bytes that are read at a time
PIECE = 1 << 28
"""Bytes that compressed input may inflate to in one piece: a line, a document, a word."""
_WINDOW = 1 << 27  # bytes of output that Zstandard may keep
LONG_PIECE = 1 << 28  # bytes of memory below which a piece is not looked at
_SLICE = 512  # bytes of Zstandard at a time: at most 128 blocks, each of at most 128 KiB
ROW_GROUP = 1 << 31  # bytes of a Parquet column that are decompressed together


@dataclass(frozen=True)
class Document:
    """A document as chunks of bytes.

    Attributes
    ----------
    where : str
        The file, and the line or row, for messages.
    chunks : iterable of bytes
        The text; a chunk may end inside a word or a character.
    start : int
        The position of the first byte in its file, or 0.
    piece : int or None
        The number of bytes that may be in memory together, if the text is compressed.
    """

    where: str
    chunks: Iterable[bytes]
    start: int = 0
    piece: int | None = None

    def together(self) -> bytes:
        """Returns the text in one piece.

        Raises
        ------
        InputError
            If it is compressed and unpacks to more than `piece` bytes, or is more than memory
            holds.
        """
        chunks, size, wanted = [], 0, 0
        for chunk in self.chunks:
            chunks.append(chunk)
            size += len(chunk)
            refuse_piece(self.where, size, self.piece)
            if size >= wanted:
                refuse_long_piece(self.where, size)
                wanted = 2 * size
        return b"".join(chunks)


def refuse_piece(where: str, size: int, limit: int | None) -> None:
    """Checks that compressed input does not inflate to too many bytes in one piece.

    Raises
    ------
    InputError
        If `size` bytes are more than `limit`.
    """
    if limit is not None and size > limit:
        raise InputError(
            f"{where}: unpacks to more than {limit // 2**20} MiB without a place to split at; "
            "unpack it first, if this is what you expect"
        )


def refuse_long_piece(where: str, size: int) -> None:
    """Checks that a text without a place to split, as that of a device, may grow to twice its size.

    Raises
    ------
    InputError
        If memory does not hold that.
    """
    need = 4 * size  # twice the text, and a copy of it
    if need > LONG_PIECE:
        refuse_beyond(
            need,
            f"{where}: {size:,} bytes or more without a place to split at take",
            "break the text into lines, or split it with another pre-tokenizer",
        )


def documents(
    source: Source,
    *,
    key: str = "text",
    report: Callable[[int], None] | None = None,
    first_cut: FirstCut | None = None,
) -> Iterator[Document]:
    """Yields the documents of a file, streamed; each must be read before the next.

    Parameters
    ----------
    source : Source
        From `find_sources`.
    key : str
        The field (JSON lines) or column (Parquet) that holds the text; nulls are skipped.
    report : callable, optional
        Called with the number of bytes of the file read since the last call.
    first_cut : callable, optional
        Finds where plain text is split in any case, if the source is a part of such a file.

    Raises
    ------
    InputError
        If the file cannot be read, is damaged or cut short, also while it is read, has no such
        field, or unpacks to more than `PIECE` in one piece; the message names the file, and the
        line if there are lines.
    MissingExtra
        If the library for Zstandard, Parquet or a URL is not installed.
    """
    report = report or (lambda _: None)
    if source.kind == "parquet":
        yield from _rows(source, key, report)
        return
    with open_source(source.path) as file:
        begin = 0
        if source.is_part:
            cut = first_line if source.kind == "jsonl" else first_cut
            assert cut is not None
            begin, chunks = _part(source, file, cut, report)
        else:
            chunks = _chunks(source, file, report)
        if source.kind == "jsonl":
            yield from _lines(source, key, chunks, begin)
        else:
            piece = PIECE if source.packing else None
            yield Document(shown_path(source.path), chunks, begin, piece)


def texts_of(
    paths: Iterable[str | PathLike[str]],
    *,
    key: str = "text",
    all_files: bool = False,
    skipped: Counter[str] | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[str, bytes]]:
    """Yields where each document of files stands, and its text in one piece.

    Parameters
    ----------
    paths, all_files, skipped
        As for `find_sources`.
    key : str
        The field or column that holds the text.
    progress : Progress, optional
        Receives the bytes read.

    Raises
    ------
    InputError
        As `find_sources`, at once, and as `documents`.
    """
    sources = find_sources(paths, all_files=all_files, skipped=skipped)
    progress = progress or Progress()
    read = 0

    def report(more: int) -> None:
        nonlocal read
        read += more
        progress.advance(read, None, f"{read / 1e6:,.0f} MB")

    return (
        (document.where, document.together())
        for source in sources
        for document in documents(source, key=key, report=report)
    )


def _chunks(source: Source, file: IO[bytes], report: Callable[[int], None]) -> Iterator[bytes]:
    # the size when it was listed, unless the file has grown since
    size = max(source.size or 0, size_of(file) or 0) or None
    with reading(source.path):
        if not source.packing:
            while chunk := file.read(CHUNK):
                report(len(chunk))
                yield chunk
            check_whole(source.path, file, size)
            return
        before = 0
        for chunk in _gunzip(source, file) if source.packing == "gz" else _unzstd(source, file):
            report(file.tell() - before)
            before = file.tell()
            yield chunk
        check_whole(source.path, file, size)
        report(file.tell() - before)


def _gunzip(source: Source, file: IO[bytes]) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=file) as unpacked:
        try:
            while chunk := unpacked.read(CHUNK):
                yield chunk
        except zlib.error as error:
            raise InputError(f"{source.path}: damaged gzip data ({error})") from None


def _unzstd(source: Source, file: IO[bytes]) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError:
        raise MissingExtra("zstandard", "zstd", f"reading {source.path}") from None
    # one decompressor for each frame, since only so is a truncated frame noticed
    frame = None
    while read := file.read(CHUNK // 8):
        for at in range(0, len(read), _SLICE):
            packed = read[at : at + _SLICE]
            while packed:
                frame = frame or zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()
                try:
                    chunk = frame.decompress(packed)
                except zstandard.ZstdError as error:
                    if "too much memory" in str(error):
                        raise InputError(
                            f"{source.path}: its window is larger than {_WINDOW // 2**20} MiB; "
                            "unpack it first (zstd -d --long=31)"
                        ) from None
                    raise InputError(f"{source.path}: damaged Zstandard data ({error})") from None
                packed = b""
                if frame.eof:
                    packed, frame = frame.unused_data, None
                if chunk:
                    yield chunk
    if frame is not None:
        raise InputError(
            f"{source.path}: the Zstandard data ends too early: the file is incomplete"
        )


def _part(
    source: Source, file: IO[bytes], first_cut: FirstCut, report: Callable[[int], None]
) -> tuple[int, Iterator[bytes]]:
    """Returns where a part begins, and its chunks."""
    file.seek(0, 2)
    check_whole(source.path, file, source.size)
    begin, end = seams(file, source.start, source.end, first_cut)
    file.seek(begin)
    return begin, _part_chunks(source, file, begin, end, report)


def _part_chunks(
    source: Source, file: IO[bytes], place: int, end: int | None, report: Callable[[int], None]
) -> Iterator[bytes]:
    """Yields the text from `place` to `end`; reports as many bytes as the part was to have."""
    left = (source.size or 0 if source.end < 0 else source.end) - source.start
    with reading(source.path):
        while end is None or place < end:
            chunk = file.read(CHUNK if end is None else min(CHUNK, end - place))
            if not chunk:
                check_whole(source.path, file, end or source.size)
                break
            report(min(len(chunk), left))
            left -= min(len(chunk), left)
            place += len(chunk)
            yield chunk
        report(left)


def _lines(source: Source, key: str, chunks: Iterable[bytes], begin: int) -> Iterator[Document]:
    piece = PIECE if source.packing else None
    for number, line in enumerate(_split_lines(source.path, chunks, piece), 1):
        if number == 1 and not begin:
            line = line.removeprefix(BOM_UTF8)
        if not line.strip():
            continue
        try:
            text = _text_of(line, key)
        except InputError as error:
            number += _line_feeds(source.path, begin)
            raise InputError(f"{source.path}:{number}: {error}") from None
        if text is not None:
            yield Document(f"{source.path}:{number}", (text,))


def _text_of(line: bytes, key: str) -> bytes | None:
    """Returns the text in a line of JSON; None for null."""
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError("not JSON (the bytes are not UTF-8)") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({getattr(error, 'msg', error)})") from None
    if not isinstance(row, dict):
        raise InputError("expected a JSON object")
    if key not in row:
        raise InputError(f"there is no key {key!r}; found {_listed(row)}")
    text = row[key]
    if text is None:
        return None
    if not isinstance(text, str):
        raise InputError(f"the value of {key!r} is not text")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError("the text has a lone surrogate, which UTF-8 cannot encode") from None


def _line_feeds(path: str, end: int) -> int:
    """Returns the number of line feeds before a place, for the line in a message."""
    lines = 0
    with open_source(path) as file:
        while end > 0 and (chunk := file.read(min(CHUNK, end))):
            lines += chunk.count(b"\n")
            end -= len(chunk)
    return lines


def _split_lines(path: str, chunks: Iterable[bytes], piece: int | None) -> Iterator[bytes]:
    parts: list[bytes] = []  # of the current line
    size = lines = 0
    for chunk in chunks:
        first, *rest = chunk.split(b"\n")
        parts.append(first)
        size += len(first)
        refuse_piece(f"{path}:{lines + 1}", size, piece)
        for line in rest:
            yield b"".join(parts)
            parts, size = [line], len(line)
            lines += 1
    if last := b"".join(parts):
        yield last


def _rows(source: Source, key: str, report: Callable[[int], None]) -> Iterator[Document]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtra("pyarrow", "parquet", f"reading {source.path}") from None
    with ExitStack() as stack:
        place: Any = source.path
        if is_url(source.path):
            place = stack.enter_context(open_source(source.path))
        try:
            _check_column(source, key, pq.read_schema(place), pa.types)
            # with a dictionary, equal values are in memory once; in buffers, so is not all of a
            # row group
            file = pq.ParquetFile(place, read_dictionary=[key], buffer_size=CHUNK)
            stack.enter_context(file)
            row, groups = _row_groups(source, file.metadata, key)
            for batch in file.iter_batches(4096, groups, columns=[key], use_threads=False):
                column: Any = batch.column(0)
                texts = column.dictionary
                for row, number in enumerate(column.indices.to_pylist(), row + 1):  # noqa: B020
                    if number is not None and texts[number].is_valid:
                        where = f"{source.path}, row {row}"
                        text = texts[number].as_buffer()
                        refuse_piece(where, text.size, PIECE)
                        yield Document(where, (text.to_pybytes(),))
        except PartcoverError:
            raise
        except Exception as error:  # of a damaged file pyarrow raises UnicodeDecodeError and others
            reason = " ".join(str(getattr(error, "strerror", None) or error).split())
            raise InputError(f"{source.path}: cannot be read as Parquet ({reason})") from None
    report((source.size or 0 if source.end < 0 else source.end) - source.start)


def _check_column(source: Source, key: str, schema: Any, types: Any) -> None:
    """Checks that the column of the text is there and holds text."""
    if key not in schema.names:
        raise InputError(
            f"{source.path}: there is no column {key!r}; found {_listed(schema.names)}"
        )
    if schema.names.count(key) > 1:
        raise InputError(
            f"{source.path}: has {schema.names.count(key)} columns named {key!r}: keep one"
        )
    kind = schema.field(key).type
    if types.is_dictionary(kind):
        kind = kind.value_type
    tests = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    if not any(test(kind) for test in tests):
        raise InputError(f"{source.path}: column {key!r} is {kind}, not text")


def _row_groups(source: Source, metadata: Any, key: str) -> tuple[int, list[int]]:
    """Returns the row groups that begin in a part, and the number of rows before them."""
    before, taken = 0, []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        first = group.column(0)
        place = first.data_page_offset
        if first.has_dictionary_page:
            place = min(place, first.dictionary_page_offset)
        if source.start <= place and (source.end < 0 or place < source.end):
            _check_row_group(source, number, group, key)
            taken.append(number)
        elif not taken:
            before += group.num_rows
    return before, taken


def _check_row_group(source: Source, number: int, group: Any, key: str) -> None:
    for place in range(group.num_columns):
        column = group.column(place)
        if column.path_in_schema == key and column.total_uncompressed_size > ROW_GROUP:
            raise InputError(
                f"{source.path}: row group {number + 1} unpacks to "
                f"{column.total_uncompressed_size / 2**30:,.1f} GiB of {key!r}, more than "
                f"{ROW_GROUP // 2**30}: write it with smaller row groups"
            )


def _listed(names: Iterable[str]) -> str:
    listed = [repr(name) for name in names]
    return ", ".join(listed[:8]) + (", …" if len(listed) > 8 else "") if listed else "none"
