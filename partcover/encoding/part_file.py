"""Stores an unfinished array, so that a run that was stopped or killed can be resumed."""

from __future__ import annotations

import json
import os
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

import numpy.typing as npt

from ..corpus.files.sources import Source
from ..errors import InputError
from ..runtime.checkpoints import Checkpoints
from ..runtime.files.locks import kept_locked, lock
from ..runtime.files.writing import (
    check_writable,
    checksum_of,
    in_place,
    read_json,
    sync,
    write_atomic,
)

_MOST = 1 << 60  # limit of the numbers in a record
_ANEW = "without --resume (resume=True) the run begins anew"
_BLOCK = 1 << 20  # bytes of ids that are read at once


@dataclass(frozen=True)
class Mark:
    """A place between two files, and the numbers of items encoded before it.

    Attributes
    ----------
    files, documents, bytes, ids : int
        The number of each.
    """

    files: int = 0
    documents: int = 0
    bytes: int = 0
    ids: int = 0


class PartFile:
    """The file ``OUT.part`` of an array, and ``OUT.part.json``, its record.

    The array gets its final name when it is complete.  Until then the record is updated every few
    seconds with the last place between two files that has been written.  The record has a checksum
    of the ids before that place, which are on the disk before the record is, and one of itself.

    Parameters
    ----------
    out : path
        The final file.
    about : mapping
        Everything that the ids depend on: the vocabulary, the rule, the type of the ids.
    sources : sequence of Source
        The files to encode.
    size : int
        Bytes of each id.
    """

    def __init__(
        self,
        out: str | PathLike[str],
        about: Mapping[str, Any],
        sources: Sequence[Source],
        size: int,
    ) -> None:
        self._out = Path(out)
        self._path = Path(f"{fspath(out)}.part")
        self._record = Path(f"{fspath(out)}.part.json")
        self._about = dict(about)
        self._sources = sources
        self._size = size
        self._mark = Mark()
        self._sum = self._sum_at_mark = 0  # checksums of all ids, and of the ids before the mark

    @staticmethod
    def fits(out: str | PathLike[str], sources: Sequence[Source]) -> bool:
        """Returns whether encoding can be resumed: input and output are ordinary files."""
        return not in_place(out) and all(source.size is not None for source in sources)

    def resumed(self) -> Mark:
        """Returns the place where an earlier run stopped; the beginning if there was none.

        Raises
        ------
        InputError
            If that run was for other files or another vocabulary.
        """
        if not (self._record.is_file() and self._path.is_file()):
            return self._mark
        record = read_json(self._record)
        signed = record.pop("crc32", None) == checksum_of(record)
        try:
            self._mark = Mark(**record["done"])
            self._sum_at_mark = record["ids_crc32"]
            files, about = record["files"], record["about"]
            whole = all(type(n) is int and 0 <= n < _MOST for n in asdict(self._mark).values())
            # the record is written after a file is done; `written` checks the ids
            whole = whole and 0 < self._mark.files <= len(self._sources)
        except (KeyError, TypeError):
            whole = False
        if not (signed and whole):
            raise InputError(f"{self._record}: not a record of an earlier run, or damaged; {_ANEW}")
        if about != self._about:
            raise InputError(
                f"{self._record}: written with another vocabulary or other options; {_ANEW}"
            )
        if self._described(self._mark.files) != files:
            raise InputError(
                f"{self._record}: the encoded files have changed, or are other files; {_ANEW}"
            )
        return self._mark

    @contextmanager
    def written(self, head: bytes) -> Iterator[IO[bytes]]:
        """Opens the array at the end of an earlier run's ids; renames it after the block.

        Parameters
        ----------
        head : bytes
            The header of the file.
        """
        check_writable(self._out)
        try:
            descriptor = self._opened()
            with kept_locked(descriptor):
                with open(descriptor, "r+b") as file:
                    end = len(head) + self._mark.ids * self._size
                    if self._mark.files:
                        self._check_ids(file, len(head), end)
                    else:
                        self._record.unlink(missing_ok=True)
                    file.truncate(end)
                    file.seek(0)
                    file.write(head)
                    file.seek(end)
                    self._file = file
                    self._checkpoints = Checkpoints(self._save, lambda: self._mark)
                    try:
                        yield file
                        sync(file)  # a full disk is noticed here, not when the file is closed
                    except BaseException:
                        self._leave()
                        raise
                self._path.replace(self._out)
                self._record.unlink(missing_ok=True)
        except OSError as error:
            raise InputError(f"{self._path}: cannot be written ({error.strerror})") from None

    def _opened(self) -> int:
        """Opens and locks the array; raises an error if it is a link or a pipe."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        while True:
            if self._path.is_symlink():
                raise InputError(
                    f"{self._path}: is a symbolic link, which is never followed: delete it"
                )
            file = os.open(self._path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
            try:
                if not stat.S_ISREG(os.fstat(file).st_mode):
                    raise InputError(f"{self._path}: is not a file: delete it")
                lock(file, self._path)
                if os.path.samestat(os.fstat(file), self._path.stat()):
                    return file
            except FileNotFoundError:
                pass  # a run that has ended in the meantime has renamed it
            except BaseException:
                os.close(file)
                raise
            os.close(file)

    def _check_ids(self, file: IO[bytes], begin: int, end: int) -> None:
        """Checks that the array contains the ids that an earlier run recorded."""
        if os.fstat(file.fileno()).st_size < end:
            raise InputError(f"{self._path}: shorter than the earlier run left it; {_ANEW}")
        file.seek(begin)
        checksum = 0
        for at in range(begin, end, _BLOCK):
            checksum = zlib.crc32(file.read(min(_BLOCK, end - at)), checksum)
        if checksum != self._sum_at_mark:
            raise InputError(
                f"{self._path}: damaged: it has other ids than the earlier run wrote; {_ANEW}"
            )
        self._sum = checksum

    def write(self, ids: npt.NDArray[Any], before: int = 0, mark: Mark | None = None) -> None:
        """Writes ids, and records a place among them if it is time to.

        Parameters
        ----------
        ids : ndarray
            The ids.
        before : int
            Number of these ids before the place.
        mark : Mark, optional
            The place, if there is one.
        """
        self._file.write(ids.data)
        at_mark = zlib.crc32(ids[:before].data, self._sum)
        self._sum = zlib.crc32(ids[before:].data, at_mark)
        if mark is not None:
            self._mark, self._sum_at_mark = mark, at_mark
            if mark.files < len(self._sources):
                self._checkpoints.offer()

    def _save(self, mark: Mark) -> None:
        """Writes the record, after the ids before the place are on the disk."""
        sync(self._file)
        record = {
            "done": asdict(mark),
            "ids_crc32": self._sum_at_mark,
            "files": self._described(mark.files),
            "about": self._about,
        }
        write_atomic(self._record, json.dumps(record | {"crc32": checksum_of(record)}))

    def _leave(self) -> None:
        """Records the complete part for a later run; removes the file if there is no record."""
        if self._mark.files:
            with suppress(InputError, OSError):
                self._save(self._mark)
        if not self._record.is_file():
            self._path.unlink(missing_ok=True)

    def _described(self, count: int) -> list[list[Any]]:
        """Returns the first files with their sizes and modification times."""
        return [[each.path, each.size, each.modified] for each in self._sources[:count]]
