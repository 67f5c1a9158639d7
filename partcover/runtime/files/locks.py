"""Prevents two runs from writing the same files, if the system supports locks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...errors import InputError
from ..processes.signals import deferred

ASIDE = ".partcover"  # the extension of the temporary file next to a file that is being written


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
        return  # the file system has no locks


def lock_new(file: int, path: Path) -> bool:
    """Locks an open file that was just created; returns whether it still has its name.

    Another run may have taken it for abandoned, and deleted it, just before it was locked.
    """
    if sys.platform == "win32":
        return True
    import fcntl

    with suppress(OSError):  # the file system may have no locks
        fcntl.flock(file, fcntl.LOCK_EX)
    return _is_at(file, path)


def is_free(file: int) -> bool:
    """Locks an open file unless another run has; returns False if there are no locks."""
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
    """Keeps the lock of an open file to the end of the block, even if the file is closed before."""
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
    """Creates a folder if needed, and keeps other runs out of it during the block.

    A folder that it creates is deleted if it is empty after the block.

    Raises
    ------
    InputError
        If another run uses it, or it cannot be created.
    """
    is_new, file = not path.exists(), None
    try:
        with deferred():  # a folder that is made is also known
            file = _locked_folder(path)
        yield
    finally:
        if file is not None:
            if is_new and _is_at(file, path):  # not that of another run, which came after it
                with suppress(OSError):  # it is not empty
                    path.rmdir()
            os.close(file)


@contextmanager
def held_output(path: Path) -> Iterator[None]:
    """Prevents other runs from writing a file, or its companions, during the block.

    A hidden file next to it holds the lock.  If a run is killed, its hidden file stays, and the
    next run removes it.

    Raises
    ------
    InputError
        If another run holds the lock, or the hidden file cannot be created.
    """
    if sys.platform == "win32":
        yield
        return
    beside = path.parent / f".{path.name}{ASIDE}"
    held = None
    try:
        with deferred():  # a file that is made is also known
            while True:
                try:
                    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
                    file = os.open(beside, flags, 0o666)
                except OSError as error:
                    raise InputError(f"{path}: cannot be written ({error.strerror})") from None
                try:
                    lock(file, path)
                    if _is_at(file, beside):
                        held = file
                        break
                except BaseException:
                    os.close(file)
                    raise
                os.close(file)  # a run that has ended in the meantime has deleted it
        yield
    finally:
        if held is not None:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            os.close(held)


def _is_at(file: int, path: Path) -> bool:
    """Returns whether an open file still has its name."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _locked_folder(path: Path) -> int | None:
    """Returns the folder, opened and locked; None if folders cannot be opened."""
    while True:
        try:
            path.mkdir(exist_ok=True)
            if sys.platform == "win32":
                return None
            file = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError as error:
            if path.parent.exists():
                continue  # a run that has ended in the meantime has deleted it
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
        os.close(file)  # deleted in the meantime: it is created again
