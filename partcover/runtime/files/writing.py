"""Writes files atomically; reads files with errors that name the place."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

from ...errors import InputError
from ..arguments import checked, shown
from ..arrays import np
from ..memory import refuse_beyond
from ..processes.signals import deferred
from .locks import ASIDE, is_free, kept_locked, lock_new


@contextlib.contextmanager
def atomic_writer(path: str | PathLike[str], *, lasting: bool = True) -> Iterator[IO[bytes]]:
    """Opens a binary file that gets its name only when it is complete; ``-`` is stdout.

    Parameters
    ----------
    path : path
        The file.
    lasting : bool
        Whether to wait until all of it is on the disk before it gets its name.  Then after a power
        cut, `path` has either the old or the complete new content.

    Raises
    ------
    InputError
        If the file cannot be created or written; the old content of `path` is then unchanged.
    """
    if fspath(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target}: is a directory; name a file to write")
    if in_place(target):
        with _naming(target), open(target, "wb") as file:
            yield file
        return
    with _naming(target), _aside(target) as (descriptor, aside), kept_locked(descriptor):
        with open(descriptor, "wb") as file:
            yield file
            if lasting:
                sync(file)
        umask = os.umask(0)
        os.umask(umask)
        aside.chmod(0o666 & ~umask)
        aside.replace(target)


def sync(file: IO[bytes]) -> None:
    """Waits until everything written to a file is on the disk."""
    file.flush()
    try:
        os.fsync(file.fileno())
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # the file system does not support it
            raise


@contextlib.contextmanager
def _aside(target: Path) -> Iterator[tuple[int, Path]]:
    """Creates the file that is renamed to `target` later, open and locked.

    If it still has its first name at the end of the block, it is deleted.
    """
    path = None
    try:
        with deferred():  # a file that is made is also known
            descriptor, path = _made_aside(target)
        yield descriptor, path
    finally:
        if path is not None:
            path.unlink(missing_ok=True)


def _made_aside(target: Path) -> tuple[int, Path]:
    import tempfile  # with a random generator and compression, which training does not need

    while True:
        descriptor, name = tempfile.mkstemp(ASIDE, f".{target.name}.", target.parent)
        if lock_new(descriptor, Path(name)):
            return descriptor, Path(name)
        os.close(descriptor)


def remove_left_behind(folder: Path, name: str = "") -> None:
    """Deletes unfinished files of runs that were killed: those without a lock.

    A file that is being written is locked until it has its name.

    Parameters
    ----------
    folder : Path
        The folder of the files.
    name : str
        The beginning of the final names of these files.
    """
    if sys.platform == "win32":
        return
    begin = f".{name}"
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not (entry.name.startswith(begin) and entry.name.endswith(ASIDE)):
                continue
            # the file belongs to others, or was renamed in the meantime
            with contextlib.suppress(OSError):
                file = os.open(entry.path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    if is_free(file):
                        Path(entry.path).unlink()
                finally:
                    os.close(file)


def in_place(path: str | PathLike[str]) -> bool:
    """Returns whether a path is written directly, without renaming.

    This is the case for ``-``, a terminal, a pipe and everything in /dev.
    """
    target = Path(path)
    special = target.exists() and not target.is_file() and not target.is_dir()
    return special or fspath(path) == "-" or fspath(path).startswith("/dev/")


@contextlib.contextmanager
def _naming(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror or error})") from None


def shown_path(path: str | PathLike[str]) -> str:
    """Returns the name of an input in messages: its path, or standard input for ``-``."""
    return "standard input" if fspath(path) == "-" else os.fsdecode(path)


@contextlib.contextmanager
def reading(path: str | PathLike[str]) -> Iterator[None]:
    """Names the file in any error while it is read.

    Raises
    ------
    InputError
        Instead of an `OSError`, or the `EOFError` of a truncated gzip stream.
    """
    try:
        yield
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{shown_path(path)}: cannot be read ({reason})") from None


@contextlib.contextmanager
def open_input(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Opens a file to read as bytes; ``-`` is standard input.

    Raises
    ------
    InputError
        If the file cannot be opened, or cannot be read inside the ``with`` block.
    """
    with reading(path):
        if fspath(path) == "-":
            yield sys.stdin.buffer
        else:
            with open(path, "rb") as file:
                yield file


@contextlib.contextmanager
def open_unchanging(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Opens a file as `open_input` does, and checks that it does not change inside the block.

    Raises
    ------
    InputError
        If the file has changed; this error replaces any error inside the block.
    """
    with open_input(path) as file:
        before = _state(file)
        try:
            yield file
        except InputError:
            _refuse_changed(path, file, before)
            raise
        _refuse_changed(path, file, before)


def _state(file: IO[bytes]) -> tuple[int, int] | None:
    """Returns the size and modification time of an open file; None for a pipe or a terminal."""
    if size_of(file) is None:
        return None
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns


def _refuse_changed(
    path: str | PathLike[str], file: IO[bytes], before: tuple[int, int] | None
) -> None:
    now = _state(file)
    if before is None or now is None or now == before:
        return
    raise InputError(
        f"{shown_path(path)}: changed while it was read; it had {before[0]:,} bytes and has "
        f"{now[0]:,} now: make a copy of it"
    ) from None


def size_of(file: IO[bytes]) -> int | None:
    """Returns the size in bytes of an open file; None for a pipe or a terminal."""
    try:
        status = os.fstat(file.fileno())
    except (OSError, ValueError):  # not a file of the operating system
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def check_whole(path: str | PathLike[str], file: IO[bytes], size: int | None) -> None:
    """Checks at the end of a file that its size has not shrunk since the beginning.

    Parameters
    ----------
    path : path
        The path, for the message.
    file : binary file
        The file, read to its end.
    size : int, optional
        Its size at the beginning, from `size_of`; None checks nothing.

    Raises
    ------
    InputError
        If the file has become shorter in the meantime.
    """
    if size is not None and file.tell() < size:
        raise InputError(
            f"{shown_path(path)}: became shorter while it was read; it had {size:,} bytes, of "
            f"which {file.tell():,} could be read"
        )


@contextlib.contextmanager
def scratch_folder(parent: str | PathLike[str] | None = None) -> Iterator[str]:
    """Creates a folder that exists only during the ``with`` block.

    Parameters
    ----------
    parent : path, optional
        The parent folder; by default the system's folder for temporary files.

    Raises
    ------
    InputError
        If it cannot be created.
    """
    import tempfile

    try:
        folder = tempfile.TemporaryDirectory(
            prefix="partcover-", dir=parent, ignore_cleanup_errors=True
        )
    except OSError as error:
        where = parent or tempfile.gettempdir()
        raise InputError(f"{where}: cannot be written ({error.strerror or error})") from None
    with folder as path:
        yield path


def check_writable(path: str | PathLike[str]) -> None:
    """Checks before long work that its result can be written; removes files of killed runs.

    Raises
    ------
    InputError
        If no file can be created in the folder of `path`, or `path` is a folder.
    """
    target = Path(path)
    # no permission, a read-only or full file system, or a name that is too long
    with _naming(target):
        if in_place(path):
            return
        if target.is_dir():
            raise InputError(f"{target}: is a directory; name a file to write")
        if not target.parent.is_dir():
            raise InputError(f"{target}: cannot be written (no folder {target.parent})")
        remove_left_behind(target.parent, f"{target.name}.")
        with _aside(target) as (descriptor, _):
            os.close(descriptor)


@checked
def write_atomic(path: str | PathLike[str], text: str) -> None:
    """Writes text as UTF-8, completely or not at all; Ctrl-C waits until it is written.

    Writing to a pipe, which may wait for a reader forever, can be interrupted.  A byte of a file
    name that is not UTF-8 (U+DC80 to U+DCFF) is escaped, as on standard output.

    Examples
    --------
    >>> from partcover.runtime.files.writing import read_text, write_atomic
    >>> write_atomic("note.txt", "hat")
    >>> read_text("note.txt")
    'hat'
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        if code := re.search("[\ud800-\udc7f\udd00-\udfff]", text):
            raise InputError(
                f"{fspath(path)}: a lone surrogate U+{ord(code[0]):04X} cannot be written as UTF-8"
            ) from None
        data = text.encode("utf-8", "backslashreplace")
    with contextlib.nullcontext() if in_place(path) else deferred(), atomic_writer(path) as file:
        file.write(data)


def facts_of(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Returns a copy of a mapping as JSON holds it, to be written later; `name` is for errors.

    Raises
    ------
    InputError
        For what JSON cannot hold.

    Examples
    --------
    >>> import numpy as np
    >>> from partcover.runtime.files.writing import facts_of
    >>> facts_of({"tokens": np.int64(3), "ids": (1, 2)}, "provenance")
    {'tokens': 3, 'ids': [1, 2]}
    """

    def converted(value: Any) -> Any:
        if isinstance(value, Mapping):
            return dict(value)
        if isinstance(value, np.number | np.bool_):
            return value.item()
        raise TypeError(f"it has {shown(value)}")

    try:
        facts: dict[str, Any] = json.loads(json.dumps(dict(table), default=converted))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{name} cannot be written as JSON: {error}") from None
    return facts


def read_text(path: str | PathLike[str]) -> str:
    """Reads a UTF-8 file, with its ends of lines as they are; errors name it."""
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{fspath(path)}: cannot be read ({error.strerror or error})") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{_place(path, error)} not text in UTF-8") from None


def _place(path: str | PathLike[str], error: UnicodeDecodeError) -> str:
    """Returns the file, the line and the byte that is not UTF-8."""
    before = error.object[: error.start]
    line, begin = before.count(b"\n") + 1, before.rfind(b"\n") + 1
    byte = f"byte {error.start - begin + 1}, 0x{error.object[error.start]:02X}:"
    return f"{fspath(path)}:{line}: {byte}"


def load_json(path: str | PathLike[str]) -> Any:
    """Reads a JSON file.

    Raises
    ------
    InputError
        Naming the file, and the line with the invalid JSON; for a file larger than the memory.
    """
    try:
        refuse_beyond(
            Path(path).stat().st_size, f"{fspath(path)}: reading needs", "use a smaller file"
        )
        text = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{fspath(path)}: cannot be read ({error.strerror or error})") from None
    return json_of(text, path)


def json_of(text: bytes, path: str | PathLike[str]) -> Any:
    """Returns what the JSON text of a file says; errors name the file, as in `load_json`."""
    try:
        return json.loads(text)
    except UnicodeDecodeError as error:
        raise InputError(f"{_place(path, error)} not JSON (the bytes are not UTF-8)") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{fspath(path)}:{error.lineno}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:  # a number or a nesting beyond Python's limits
        reason = str(error).partition(";")[0]
        raise InputError(f"{fspath(path)}: cannot be read as JSON ({reason})") from None


def read_json(path: str | PathLike[str]) -> dict[str, Any]:
    """Reads a file of one JSON object; errors as in `load_json`, and for any other JSON."""
    data = load_json(path)
    if not isinstance(data, dict):
        raise InputError(f"{fspath(path)}: expected a JSON object")
    return data


def checksum_of(data: Mapping[str, Any]) -> int:
    """Returns a checksum of a JSON object that does not depend on its formatting."""
    return zlib.crc32(json.dumps(data, sort_keys=True).encode())
