"""Keeps two runs from writing the same files, if the system supports locks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...errors import InputError

__all__ = [
    "ASIDE",
    "held_folder",
    "held_output",
    "is_free",
    "kept_locked",
    "lock",
    "lock_new",
]

ASIDE = ".partcover"  # the ending of what stands beside a file while that is written


def lock(file: int, path: Path) -> None:
    """Locks an open file or folder until it is closed.

    Raises
    ------
    InputError
        If another run has locked it.
    """
    if sys.platform == "win32":
        return
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(f"{path}: another run is writing this file: wait for it") from None
    except OSError:
        return  # a file system without locks


def lock_new(file: int, path: Path) -> bool:
    """Locks an open file that was just made; returns whether it still has its name.

    Somebody who takes it for left behind, in the moment before, deletes it.
    """
    if sys.platform == "win32":
        return True
    import fcntl

    with suppress(OSError):  # a file system without locks
        fcntl.flock(file, fcntl.LOCK_EX)
    return _is_at(file, path)


def is_free(file: int) -> bool:
    """Locks an open file unless another run has; returns False where no lock can tell."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def kept_locked(descriptor: int) -> Iterator[None]:
    """Keeps the lock of an open file, which is closed inside the block, until the end of it."""
    if sys.platform == "win32":
        yield
        return
    other = os.dup(descriptor)
    try:
        yield
    finally:
        os.close(other)


@contextmanager
def held_folder(path: Path) -> Iterator[None]:
    """Makes a folder if it is not there, and keeps other runs out of it during the block.

    Raises
    ------
    InputError
        If another run is at work in it, or it cannot be made.
    """
    file = _locked_folder(path)
    try:
        yield
    finally:
        if file is not None:
            os.close(file)


@contextmanager
def held_output(path: Path) -> Iterator[None]:
    """Keeps other runs from writing a file during the block, or what belongs to it.

    A hidden file beside it has the lock.  A run that is killed leaves it, and the next removes it.

    Raises
    ------
    InputError
        If another run holds it, or the hidden file cannot be made.
    """
    if sys.platform == "win32":
        yield
        return
    beside = path.parent / f".{path.name}{ASIDE}"
    while True:
        try:
            file = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror})") from None
        try:
            lock(file, path)
            if _is_at(file, beside):
                break
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # a run that ended meanwhile has deleted it
    try:
        yield
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        os.close(file)


def _is_at(file: int, path: Path) -> bool:
    """Returns whether an open file still has its name."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _locked_folder(path: Path) -> int | None:
    """Returns the folder, open and locked; None where folders cannot be opened."""
    while True:
        try:
            path.mkdir(exist_ok=True)
            if sys.platform == "win32":
                return None
            file = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError as error:
            if path.parent.exists():
                continue  # a run that ended meanwhile has deleted it
            raise InputError(f"{path}: cannot be written ({error.strerror})") from None
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None
        try:
            lock(file, path)
            if _is_at(file, path):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # deleted between both: it is made again
