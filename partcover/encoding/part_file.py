"""Keeps the array that is being written, so that a run that was stopped or killed can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

from ..corpus.sources import Source
from ..errors import InputError
from ..runtime.checkpoints import Checkpoints
from ..runtime.files import check_writable, in_place, read_json, write_atomic
from ..runtime.locks import kept_locked, lock

__all__ = ["Mark", "PartFile"]

_MOST = 1 << 60  # of what a record may have counted


@dataclass(frozen=True)
class Mark:
    """A place between two files: what is encoded before it.

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
    """The file ``OUT.part`` of an array, and ``OUT.part.json``, which says what is in it.

    The array takes its name when it is complete.  Until then the record holds the last place
    between two files that is written, every few seconds.

    Parameters
    ----------
    out : path
        The array.
    about : mapping
        What makes the ids what they are: the vocabulary, the rule, the type of the ids.
    sources : sequence of Source
        The files to encode.
    size : int
        Bytes of an id.
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

    @staticmethod
    def fits(out: str | PathLike[str], sources: Sequence[Source]) -> bool:
        """Returns whether an array can be gone on with: a file made of files."""
        return not in_place(out) and all(source.size is not None for source in sources)

    def resumed(self) -> Mark:
        """Returns where an earlier run has come to; the beginning if there was none.

        Raises
        ------
        InputError
            If it was of other files or of another vocabulary.
        """
        if not (self._record.is_file() and self._path.is_file()):
            return self._mark
        record = read_json(self._record)
        try:
            self._mark = Mark(**record["done"])
            files, about = record["files"], record["about"]
            whole = all(type(n) is int and 0 <= n < _MOST for n in asdict(self._mark).values())
            # it is written once a file is done; `written` looks at the ids
            whole = whole and 0 < self._mark.files <= len(self._sources)
        except (KeyError, TypeError):
            whole = False
        if not whole:
            raise InputError(f"{self._record}: not a record of an earlier run")
        if about != self._about:
            raise InputError(
                f"{self._record}: of another vocabulary or other options; without --resume "
                "(resume=True) the run begins anew"
            )
        if self._described(self._mark.files) != files:
            raise InputError(
                f"{self._record}: the files that were encoded have changed since, or are others; "
                "without --resume (resume=True) the run begins anew"
            )
        return self._mark

    @contextmanager
    def written(self, head: bytes) -> Iterator[IO[bytes]]:
        """Opens the array behind what an earlier run has written; renames it after the block.

        Parameters
        ----------
        head : bytes
            What the file begins with.
        """
        check_writable(self._out)
        try:
            descriptor = self._opened()
            with kept_locked(descriptor):
                with open(descriptor, "r+b") as file:
                    end = len(head) + self._mark.ids * self._size
                    if self._mark.files and os.fstat(descriptor).st_size < end:
                        raise InputError(
                            f"{self._path}: shorter than an earlier run has left it; without "
                            "--resume (resume=True) the run begins anew"
                        )
                    if not self._mark.files:
                        self._record.unlink(missing_ok=True)
                    file.truncate(end)
                    file.seek(0)
                    file.write(head)
                    file.seek(end)
                    self._file = file
                    self._checkpoints = Checkpoints(self._save, lambda: self._mark)
                    try:
                        yield file
                        file.flush()  # a full disk is noticed here, not when the file is closed
                    except BaseException:
                        self._leave()
                        raise
                self._path.replace(self._out)
                self._record.unlink(missing_ok=True)
        except OSError as error:
            raise InputError(f"{self._path}: cannot be written ({error.strerror})") from None

    def _opened(self) -> int:
        """Opens the array that is being written, or makes it, and keeps other runs out of it."""
        while True:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                lock(descriptor, self._path)
                if os.path.samestat(os.fstat(descriptor), self._path.stat()):
                    return descriptor
            except FileNotFoundError:
                pass  # a run that ended meanwhile has renamed it
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)

    def reached(self, mark: Mark) -> None:
        """Records that all before a place is written, if it is time for that."""
        self._mark = mark
        if mark.files < len(self._sources):
            self._checkpoints.offer()

    def _save(self, mark: Mark) -> None:
        """Writes the record, behind the ids before the place."""
        self._file.flush()
        record = {
            "done": asdict(mark),
            "files": self._described(mark.files),
            "about": self._about,
        }
        write_atomic(self._record, json.dumps(record))

    def _leave(self) -> None:
        """Leaves what is whole for a run that goes on, and nothing where that is no file."""
        if self._mark.files:
            with suppress(InputError, OSError):
                self._save(self._mark)
        if not self._record.is_file():
            self._path.unlink(missing_ok=True)

    def _described(self, count: int) -> list[list[Any]]:
        """Returns the first files with their sizes and times."""
        return [[each.path, each.size, each.modified] for each in self._sources[:count]]
