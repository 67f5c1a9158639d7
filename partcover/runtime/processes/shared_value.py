"""Passes a value to all calls of an executor; processes read it once from a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from typing import Any, Generic, TypeVar

from ...errors import InputError
from ..files.writing import scratch_folder

_Value = TypeVar("_Value")


class Shared(Generic[_Value]):
    """A handle for a value in calls."""

    @property
    def value(self) -> _Value:
        """The value; another process reads it once."""
        raise NotImplementedError


@contextmanager
def shared(
    value: _Value, executor: Executor | None, scratch: str | PathLike[str] | None = None
) -> Iterator[Shared[_Value]]:
    """Yields a handle that has the value in every call of an executor.

    Parameters
    ----------
    value : object
        The value, which must be picklable.  Calls must not change it.
    executor : concurrent.futures.Executor or None
        The executor that makes the calls; None for this thread.
    scratch : path, optional
        A folder that all workers can read, for the file; by default the system's.

    Raises
    ------
    InputError
        If the file cannot be written, or in a call, if it cannot be read.

    Examples
    --------
    >>> from partcover.runtime.processes.engines import executor_of
    >>> from partcover.runtime.processes.shared_value import shared
    >>> with executor_of("threads", 1) as executor, shared("hat", executor) as lent:
    ...     executor.submit(lambda: lent.value).result()
    'hat'
    """
    if executor is None or isinstance(executor, ThreadPoolExecutor):
        yield _Here(value)
        return
    import pickle

    with scratch_folder(scratch) as folder:
        path = os.path.join(os.path.abspath(folder), "shared")  # noqa: PTH100, PTH118
        content = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        try:
            with open(path, "wb") as file:
                file.write(content)
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None
        yield _InFile(path, _sha256(content))


@dataclass(frozen=True)
class _Here(Shared[_Value]):
    """A value in this process."""

    held: _Value

    @property
    def value(self) -> _Value:
        return self.held


def _sha256(content: bytes) -> bytes:
    import hashlib  # OpenSSL takes 4 MiB

    return hashlib.sha256(content).digest()


_read: dict[bytes, Any] = {}  # the last value that this process has read


@dataclass(frozen=True)
class _InFile(Shared[_Value]):
    """A value in a file; it is trusted like the calls, since its hash is sent with them."""

    path: str
    sha256: bytes

    @property
    def value(self) -> _Value:
        if self.sha256 not in _read:
            try:
                with open(self.path, "rb") as file:
                    content = file.read()
            except OSError as error:
                raise InputError(
                    f"{self.path}: a worker cannot read it ({error.strerror or error}): name a "
                    "directory that all workers can read with --scratch (scratch=…)"
                ) from None
            if _sha256(content) != self.sha256:
                raise InputError(f"{self.path}: a worker read other bytes than were written")
            import pickle

            _read.clear()
            _read[self.sha256] = pickle.loads(content)
        value: _Value = _read[self.sha256]
        return value
