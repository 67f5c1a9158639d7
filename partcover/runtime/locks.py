"""Keeps two runs from writing the same files, where the system can tell."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import InputError

__all__ = ["held_folder", "is_free", "kept_locked", "lock", "lock_new"]


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
        raise InputError(f"{path}: another run is writing it") from None
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
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


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
            if os.path.samestat(os.fstat(file), path.stat()):
                return file
        except FileNotFoundError:
            pass  # deleted between both: it is made again
        except BaseException:
            os.close(file)
            raise
        os.close(file)
