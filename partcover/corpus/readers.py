"""Reads documents: plain text, JSON Lines, Parquet, compressed or not, and folders.

The name of a file tells its kind: ``.jsonl`` holds one JSON object a line, ``.parquet`` one
document a row, anything else is one document of plain text; after ``.gz`` and ``.zst`` are
decompressed.  A folder stands for the files below it, sorted by path, whose names end in
``.txt``, ``.md``, ``.jsonl`` (each also with ``.gz`` or ``.zst``), ``.parquet``, or in ``.gz`` or
``.zst`` alone, or for all of them with `all_files`; names that start with a dot, links to folders
and special files are skipped.  ``-`` is standard input, as plain text.

Bytes of a plain text are passed on unchanged: no newline is translated, no byte order mark
removed.
"""

from __future__ import annotations

import gzip
import json
import os
import stat
import zlib
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import PurePath
from typing import IO, Any

from ..errors import InputError, MissingExtra
from ..runtime.files import check_whole, open_input, reading, shown, size_of

__all__ = ["OTHER_NAMES", "Document", "Source", "documents", "find_sources", "listed_reasons"]

CHUNK = 1 << 19  # bytes that are read at a time
PIECE = 1 << 28
"""Bytes that compressed input may inflate to in one piece: a line, a document, a word."""
_WINDOW = 1 << 27  # bytes of output that Zstandard may keep
_SLICE = 512  # bytes of Zstandard at a time: at most 128 blocks, each of at most 128 KiB
ROW_GROUP = 1 << 31  # bytes of a Parquet column that are decompressed together
_TEXTS = ("", ".txt", ".md", ".jsonl")
_PACKED = {".gz": "gz", ".zst": "zst"}


@dataclass(frozen=True)
class Source:
    """A file and how it is read.

    Attributes
    ----------
    path : str
        The file; ``-`` for standard input.
    kind : {"text", "jsonl", "parquet"}
        The kind of its content.
    packing : {"", "gz", "zst"}
        How it is compressed.
    size : int or None
        Its size on disk in bytes, if known.
    start, end : int
        For plain text, the part to read: the words that start in ``[start, end)`` when text is
        cut before each space; an `end` of -1 is the end of the file.
    """

    path: str
    kind: str
    packing: str
    size: int | None
    start: int = 0
    end: int = -1


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
            If it is compressed and inflates to more than `piece` bytes.
        """
        chunks, size = [], 0
        for chunk in self.chunks:
            chunks.append(chunk)
            size += len(chunk)
            refuse_piece(self.where, size, self.piece)
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
            f"{where}: inflates to more than {limit // 2**20} MiB without a place to cut; unpack "
            "it first, if it is what you expect"
        )


_ENDINGS = ".txt, .md, .jsonl, .parquet, .gz, .zst"
OTHER_NAMES = f"with other endings than {_ENDINGS}"


def find_sources(
    paths: Iterable[str | PathLike[str]],
    *,
    all_files: bool = False,
    skipped: Counter[str] | None = None,
) -> list[Source]:
    """Returns the files that `paths` stand for, in order.

    Parameters
    ----------
    paths : iterable of path
        Files and folders.
    all_files : bool
        Whether to take all files of a folder whatever their names end in, those of unknown kind
        as plain text.
    skipped : Counter, optional
        Receives, by reason, how many files of folders are skipped.

    Raises
    ------
    InputError
        If a path is missing, or a folder has no file to read.
    """
    skipped = Counter() if skipped is None else skipped
    sources: list[Source] = []
    for given in paths:
        path = fspath(given)
        if os.path.isdir(path):  # noqa: PTH112 - paths stay the strings they are given as
            reasons: Counter[str] = Counter()
            walk = _walk(path, all_files, reasons)
            inside = sorted(walk, key=lambda name: PurePath(name).parts)
            if not inside:
                others = f"; {listed_reasons(reasons)}" if reasons else ""
                raise InputError(f"{path}: no text in this folder ({_ENDINGS}){others}")
            sources += map(_source, inside)
            skipped.update(reasons)
        else:
            sources.append(_source(path))
    return sources


def listed_reasons(skipped: Counter[str]) -> str:
    """Returns how many files were skipped and why, and the option that takes them if any does."""
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in skipped.most_common())
    more = "; --all-files (all_files=True) takes these as text" if skipped[OTHER_NAMES] else ""
    return f"{skipped.total():,} files or folders passed over: {reasons}{more}"


def _walk(folder: str, all_files: bool, skipped: Counter[str]) -> Iterator[str]:
    def refuse(error: OSError) -> None:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror or error})")

    for parent, folders, names in os.walk(folder, onerror=refuse):
        for name in [*folders]:
            if name.startswith("."):
                folders.remove(name)
                skipped["hidden"] += 1
            elif os.path.islink(os.path.join(parent, name)):  # noqa: PTH114, PTH118
                skipped["links to folders"] += 1
        for name in names:
            path = os.path.join(parent, name)  # noqa: PTH118
            if name.startswith("."):
                skipped["hidden"] += 1
            elif not (all_files or _is_known(name)):
                skipped[OTHER_NAMES] += 1
            elif (status := _status(path)).st_size == 0 and stat.S_ISREG(status.st_mode):
                skipped["empty"] += 1
                yield path
            elif not stat.S_ISREG(status.st_mode):
                skipped["no plain files"] += 1
            else:
                yield path


def _is_known(name: str) -> bool:
    kind, packing, suffix = _kind(name)
    return suffix in _TEXTS[1 - bool(packing) :] or kind == "parquet"


def _status(path: str) -> os.stat_result:
    try:
        return os.stat(path)  # noqa: PTH116
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None


def _kind(path: str) -> tuple[str, str, str]:
    """Returns the kind, the packing, and the suffix before the packing's."""
    name = PurePath(path)
    packing = _PACKED.get(name.suffix.lower(), "")
    suffix = (name.with_suffix("") if packing else name).suffix.lower()
    if suffix == ".jsonl":
        return "jsonl", packing, suffix
    if suffix == ".parquet" and not packing:
        return "parquet", packing, suffix
    return "text", packing, suffix


def _source(path: str) -> Source:
    if path == "-":
        return Source(path, "text", "", None)
    status = _status(path)
    kind, packing, suffix = _kind(path)
    if packing and suffix in (".parquet", ".tar"):
        raise InputError(f"{path}: unpack it first; {suffix}.{packing} is not read")
    size = status.st_size if os.path.isfile(path) else None  # noqa: PTH113
    return Source(path, kind, packing, size)


def documents(
    source: Source, *, key: str = "text", report: Callable[[int], None] | None = None
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

    Raises
    ------
    InputError
        If the file cannot be read, is damaged or cut short, also while it is read, has no such
        field, or inflates to more than `PIECE` in one piece; the message names the file, and the
        line if there are lines.
    MissingExtra
        If the library for Zstandard or Parquet is not installed.
    """
    report = report or (lambda _: None)
    if source.kind == "parquet":
        yield from _rows(source, key, report)
        return
    with open_input(source.path) as file:
        if source.kind == "jsonl":
            yield from _lines(source, key, _chunks(source, file, report))
        elif source.start or source.end >= 0:
            yield from _part(source, file, report)
        else:
            piece = PIECE if source.packing else None
            yield Document(shown(source.path), _chunks(source, file, report), piece=piece)


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
    # one decompressor for each frame, since only so a frame that is cut short is noticed
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
        raise InputError(f"{source.path}: the Zstandard data is cut short")


def _part(source: Source, file: IO[bytes], report: Callable[[int], None]) -> Iterator[Document]:
    """Yields a document of the words that start in a part of the file, if there are any."""
    file.seek(source.start)
    place, head = source.start, file.read(CHUNK)
    if source.start:  # a word that continues into this part belongs to the part before
        while head and (space := head.find(b" ")) < 0:
            place += len(head)
            head = file.read(CHUNK)
        if head:
            place += space
            head = head[space:]
        else:
            check_whole(source.path, file, source.size)
        if not head or 0 <= source.end <= place:
            report(source.end - source.start)
            return
    yield Document(source.path, _part_chunks(source, file, place, head, report), place)


def _part_chunks(
    source: Source, file: IO[bytes], place: int, chunk: bytes, report: Callable[[int], None]
) -> Iterator[bytes]:
    """Yields the text from `place`, where `chunk` was read, to the first space after the part."""
    with reading(source.path):
        reported = source.start
        while chunk:
            if source.end >= 0 and place + len(chunk) > source.end:
                space = chunk.find(b" ", max(source.end - place, 0))
                if space >= 0:
                    yield chunk[:space]
                    break
            yield chunk
            place += len(chunk)
            here = place if source.end < 0 else min(place, source.end)
            report(here - reported)
            reported = here
            chunk = file.read(CHUNK)
        else:
            check_whole(source.path, file, source.size)
        report(max(source.end, reported) - reported)


def _lines(source: Source, key: str, chunks: Iterable[bytes]) -> Iterator[Document]:
    piece = PIECE if source.packing else None
    for number, line in enumerate(_split_lines(source.path, chunks, piece), 1):
        if number == 1:
            line = line.removeprefix(BOM_UTF8)
        if not line.strip():
            continue
        where = f"{source.path}:{number}"
        try:
            row = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            raise InputError(f"{where}: not JSON (the bytes are not UTF-8)") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: not JSON ({getattr(error, 'msg', error)})") from None
        if not isinstance(row, dict):
            raise InputError(f"{where}: a JSON object is expected")
        if key not in row:
            raise InputError(f"{where}: no key {key!r}; there is {_listed(row)}")
        text = row[key]
        if text is None:
            continue
        if not isinstance(text, str):
            raise InputError(f"{where}: the value of {key!r} is not text")
        try:
            yield Document(where, (text.encode("utf-8"),))
        except UnicodeEncodeError:
            raise InputError(f"{where}: the text has a lone surrogate, not UTF-8") from None


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
    try:
        schema = pq.read_schema(source.path)
        if key not in schema.names:
            raise InputError(f"{source.path}: no column {key!r}; there is {_listed(schema.names)}")
        kind = schema.field(key).type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if not any(
            test(kind)
            for test in (
                pa.types.is_string,
                pa.types.is_large_string,
                pa.types.is_binary,
                pa.types.is_large_binary,
            )
        ):
            raise InputError(f"{source.path}: column {key!r} is {kind}, not text")
        # with a dictionary, equal values are in memory once
        with pq.ParquetFile(source.path, read_dictionary=[key]) as file:
            _check_row_groups(source, file.metadata, key)
            row = 0
            for batch in file.iter_batches(batch_size=4096, columns=[key], use_threads=False):
                column: Any = batch.column(0)
                texts = column.dictionary
                for row, place in enumerate(column.indices.to_pylist(), row + 1):  # noqa: B020
                    if place is not None and texts[place].is_valid:
                        where = f"{source.path}, row {row}"
                        text = texts[place].as_buffer()
                        refuse_piece(where, text.size, PIECE)
                        yield Document(where, (text.to_pybytes(),))
    except (OSError, pa.ArrowException) as error:
        reason = " ".join(str(getattr(error, "strerror", None) or error).split())
        raise InputError(f"{source.path}: cannot be read as Parquet ({reason})") from None
    report(source.size or 0)


def _check_row_groups(source: Source, metadata: Any, key: str) -> None:
    for group in range(metadata.num_row_groups):
        for place in range(metadata.num_columns):
            column = metadata.row_group(group).column(place)
            if column.path_in_schema == key and column.total_uncompressed_size > ROW_GROUP:
                raise InputError(
                    f"{source.path}: row group {group + 1} inflates to "
                    f"{column.total_uncompressed_size / 2**30:,.1f} GiB of {key!r}, more than "
                    f"{ROW_GROUP // 2**30}: write it with smaller row groups"
                )


def _listed(names: Iterable[str]) -> str:
    listed = [repr(name) for name in names]
    return ", ".join(listed[:8]) + (", …" if len(listed) > 8 else "") if listed else "none"
