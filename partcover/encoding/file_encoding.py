"""Reads files block by block, and writes their ids to one array on disk."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.counting.count import blocks
from ..corpus.files.readers import documents
from ..corpus.files.sources import check_unchanged, find_sources
from ..corpus.pretokenizers.rules import PretokenizerRule
from ..errors import InputError
from ..runtime.files.writing import atomic_writer, in_place
from ..runtime.progress import Progress
from .part_file import Mark, PartFile

FileFormat: TypeAlias = Literal["npy", "bin"]
#: The document's name, the position in all text, the text, and whether it ends the document.
Block: TypeAlias = tuple[str, int, bytes, bool]
#: Ids, and the number of ids before each place between two files.
Ids: TypeAlias = tuple[npt.NDArray[Any], Sequence[tuple[int, Mark]]]


@dataclass(frozen=True)
class Encoded:
    """The result of `Encoder.encode_files`.

    Attributes
    ----------
    documents, bytes, ids : int
        The number of each; ids include those that end documents.
    dtype : str
        The type of the ids in the file.
    """

    documents: int
    bytes: int
    ids: int
    dtype: str


def format_of(out: str | PathLike[str], file_format: FileFormat | None) -> FileFormat:
    """Returns the format of a file: the given one, or the one that its name implies."""
    return file_format or ("npy" if fspath(out).endswith(".npy") else "bin")


def checked_dtype(dtype: npt.DTypeLike | None, own: np.dtype[Any], largest: int) -> np.dtype[Any]:
    """Returns the integer type of a file, by default `own`; it must hold the largest id."""
    if dtype is None:
        return own.newbyteorder("<")
    try:
        kind = np.dtype(dtype)
    except (TypeError, ValueError):
        raise InputError(f"dtype {dtype!r} is not a dtype of NumPy") from None
    if kind.kind not in "iu" or largest > np.iinfo(kind).max:
        raise InputError(f"dtype {kind.name} cannot hold all ids, which go up to {largest:,}")
    return kind.newbyteorder("<")


class FileText:
    """Reads the text of files block by block, and counts what it has read.

    Parameters
    ----------
    paths : path or iterable of path
        The files, as for `WordCounts.from_files`.
    rule : PretokenizerRule
        The first rule of the pre-tokenizer; no block ends inside one of its words.
    key : str
        The field or column that holds the text.
    whole : bool
        Whether a document is one block.
    all_files : bool
        Whether to read all files of a folder, whatever their extensions.
    progress : Progress
        Receives the bytes read and their total (None if unknown).
    """

    def __init__(
        self,
        paths: str | PathLike[str] | Iterable[str | PathLike[str]],
        rule: PretokenizerRule,
        *,
        key: str,
        whole: bool,
        all_files: bool,
        progress: Progress,
    ) -> None:
        listed = [paths] if isinstance(paths, str | PathLike) else paths
        self.sources = find_sources(listed, all_files=all_files)
        sizes = [source.size for source in self.sources]
        self._total = None if None in sizes else sum(size or 0 for size in sizes)
        self._rule = rule
        self._key = key
        self._whole = whole
        self._progress = progress
        self._read = 0
        self.document_count = 0
        self.bytes = 0

    def _report(self, more: int) -> None:
        self._read += more
        self._progress.advance(self._read, self._total, f"{self._read / 1e6:,.0f} MB")

    def blocks(self, done: Mark) -> Iterator[tuple[Block | Mark, int]]:
        """Yields each block of text with its length in bytes, and a mark after each file.

        Parameters
        ----------
        done : Mark
            Where to begin.
        """
        self.document_count, self.bytes = done.documents, done.bytes
        self._report(sum(source.size or 0 for source in self.sources[: done.files]))
        for number, source in enumerate(self.sources[done.files :], done.files + 1):
            for document in documents(source, key=self._key, report=self._report):
                self.document_count += 1
                chunks = blocks(document.chunks, self._rule, document)
                if self._whole:
                    chunks = iter((document.together(),))
                where, pending = document.where, b""
                for block in chunks:
                    if pending:
                        yield (where, self.bytes - len(pending), pending, False), len(pending)
                    pending = block
                    self.bytes += len(block)
                yield (where, self.bytes - len(pending), pending, True), len(pending)
            check_unchanged(source)
            yield Mark(number, self.document_count, self.bytes), 0


def write_ids(
    arrays: Iterable[Ids],
    out: str | PathLike[str],
    file_format: FileFormat,
    kind: np.dtype[Any],
    part: PartFile | None = None,
    written: int = 0,
) -> int:
    """Writes arrays of ids one after another to a file; returns the number of ids.

    Parameters
    ----------
    arrays : iterable of (ndarray, list)
        Arrays of ids, with the marks between them.
    out : path
        The file.
    file_format, kind
        The file's format, and the type of the ids.
    part : PartFile, optional
        Receives the ids until all are written.
    written : int
        Number of ids that it already contains.
    """
    if file_format == "npy" and in_place(out):  # its header, which has the size, is written last
        raise InputError(f"{fspath(out)}: the npy format needs a file; use bin")
    head = npy_header(kind, 0) if file_format == "npy" else b""
    with atomic_writer(out) if part is None else part.written(head) as file:
        if part is None:
            file.write(head)
        for ids, marks in arrays:
            if part is None:
                file.write(ids.data)
            elif marks:
                before, mark = marks[-1]
                part.write(ids, before, replace(mark, ids=written + before))
            else:
                part.write(ids)
            written += len(ids)
        if file_format == "npy":
            file.seek(0)
            file.write(npy_header(kind, written))
    return written


def npy_header(dtype: np.dtype[Any], size: int) -> bytes:
    """Returns NumPy's header, which has the same length for any size."""
    header = io.BytesIO()
    described = {"descr": dtype.str, "fortran_order": False, "shape": (size,)}
    np.lib.format.write_array_header_1_0(header, described)
    return header.getvalue()
