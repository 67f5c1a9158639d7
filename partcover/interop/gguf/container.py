"""Reads and writes the keys of a GGUF file and their values, as ggml describes the format.

A file begins with ``GGUF``, its version, and how many tensors and keys it has; the keys and their
values follow, then the tensors, which are not looked at.  Nothing is reserved that the file says it
holds before so many bytes of it are there.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from ...errors import InputError
from ...runtime.files.writing import atomic_writer, open_input

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_KEYS = 1 << 16
_MOST_STRINGS = 1 << 24  # of an array
_LONGEST_KEY = 1 << 16
_BLOCK = 1 << 20
# the kinds of values
_BOOL, _STRING, _ARRAY = 7, 8, 9
_NUMBERS = {
    0: "<u1", 1: "<i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4", 6: "<f4", _BOOL: "|b1",
    10: "<u8", 11: "<i8", 12: "<f8",
}  # fmt: skip
UINT32, INT32, FLOAT32 = 4, 5, 6


@dataclass(frozen=True)
class Value:
    """The value of a key.

    Attributes
    ----------
    kind : int
        Its kind, as the format numbers it.
    content : Any
        A number, true or false, bytes of a string, an array of numbers, or a list of bytes.
    item : int
        The kind of an array's items; −1 for what is no array.
    """

    kind: int
    content: Any
    item: int = -1

    @classmethod
    def of(cls, content: Any) -> Value:
        """Returns the value of the kind that llama.cpp expects for what a tokenizer has."""
        if isinstance(content, bool):
            return cls(_BOOL, content)
        if isinstance(content, int):
            return cls(UINT32, content)
        if isinstance(content, str):
            return cls(_STRING, content.encode())
        if isinstance(content, np.ndarray):
            kinds = {np.dtype(name): kind for kind, name in _NUMBERS.items()}
            return cls(_ARRAY, content, kinds[content.dtype])
        return cls(_ARRAY, list(content), _STRING)

    @classmethod
    def of_numbers(cls, numbers: list[int], form: str) -> Value:
        """Returns an array of numbers, of a form as NumPy names it."""
        return cls.of(np.array(numbers, form))

    @property
    def raw(self) -> bytes:
        """The value as it stands in a file, with its kind."""
        head = struct.pack("<I", self.kind)
        if self.kind == _STRING:
            return head + _string(self.content)
        if self.kind != _ARRAY:
            return head + np.array(self.content, _NUMBERS[self.kind]).tobytes()
        head += struct.pack("<IQ", self.item, len(self.content))
        if self.item == _STRING:
            return head + b"".join(map(_string, self.content))
        return head + np.asarray(self.content, _NUMBERS[self.item]).tobytes()

    @classmethod
    def from_raw(cls, raw: bytes) -> Value:
        """Returns the value that `raw` gave.

        Raises
        ------
        InputError
            If it is none.
        """
        reader = _Reader(None, raw, 0)
        value = reader.value()
        if reader.at < len(raw):
            raise InputError("data follows the last value")
        return value


def is_numbers(value: Value | None) -> bool:
    """Returns whether a value is an array of numbers."""
    return value is not None and isinstance(value.content, np.ndarray)


def read_keys(path: Path) -> tuple[dict[str, Value], int]:
    """Reads the keys of a file and their values, in order, and how many tensors it has.

    Raises
    ------
    InputError
        If it is no GGUF file, or ends before its keys do.
    """
    try:
        with open_input(path) as file:
            file.seek(0, 2)
            size = file.tell()
            file.seek(0)
            return _Reader(file, b"", size).file()
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def write_keys(path: Path, keys: Mapping[str, Value]) -> None:
    """Writes a file of keys and without tensors."""
    with atomic_writer(path) as file:
        file.write(MAGIC + struct.pack("<IQQ", _VERSIONS[-1], 0, len(keys)))
        for name, value in keys.items():
            file.write(_string(name.encode()) + value.raw)


def _string(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


class _Reader:
    """Reads a file from its begin, a block at a time.

    Parameters
    ----------
    file : file, optional
        What follows `data`.
    data : bytes
        What is there.
    left : int
        How many bytes of the file are not.
    """

    def __init__(self, file: IO[bytes] | None, data: bytes, left: int) -> None:
        self._file, self._data, self._left = file, data, left
        self.at = 0

    def _need(self, size: int) -> None:
        """Makes sure that `size` bytes are there."""
        have = len(self._data) - self.at
        if size <= have:
            return
        if size > have + self._left:
            raise InputError("the GGUF file ends inside its keys: it is incomplete")
        parts = [self._data[self.at :]]
        while have < size:
            part = self._file.read(min(self._left, max(size - have, _BLOCK))) if self._file else b""
            if not part:
                raise InputError("the GGUF file ends inside its keys: it is incomplete")
            parts.append(part)
            have += len(part)
            self._left -= len(part)
        self._data, self.at = b"".join(parts), 0

    def _bytes(self, size: int) -> bytes:
        self._need(size)
        self.at += size
        return self._data[self.at - size : self.at]

    def _whole(self, form: str, size: int) -> int:
        self._need(size)
        (number,) = struct.unpack_from(form, self._data, self.at)
        self.at += size
        return int(number)

    def _string(self) -> bytes:
        return self._bytes(self._whole("<Q", 8))

    def file(self) -> tuple[dict[str, Value], int]:
        """Reads a file."""
        if self._bytes(4) != MAGIC:
            raise InputError("not a GGUF file")
        version = self._whole("<I", 4)
        if version not in _VERSIONS:
            raise InputError(
                f"the GGUF file has version {version}: only versions 2 and 3, little-endian, are "
                "supported"
            )
        n_tensors, n_keys = self._whole("<Q", 8), self._whole("<Q", 8)
        if n_keys > _MOST_KEYS:
            raise InputError(f"the GGUF file has {n_keys:,} keys, the limit is {_MOST_KEYS:,}")
        keys: dict[str, Value] = {}
        for _ in range(n_keys):
            size = self._whole("<Q", 8)
            if size > _LONGEST_KEY:
                raise InputError(f"a key of {size:,} bytes, the limit is {_LONGEST_KEY:,}")
            name = self._bytes(size).decode("utf-8", "backslashreplace")
            if name in keys:
                raise InputError(f"the key {name!r} is given twice")
            try:
                keys[name] = self.value()
            except InputError as error:
                raise InputError(f"{name}: {error}") from None
        return keys, n_tensors

    def value(self) -> Value:
        """Reads a value and its kind."""
        kind = self._whole("<I", 4)
        if kind == _STRING:
            return Value(kind, self._string())
        if kind == _ARRAY:
            return self._array()
        return Value(kind, self._numbers(kind, 1)[0].item())

    def _array(self) -> Value:
        item, count = self._whole("<I", 4), self._whole("<Q", 8)
        if item != _STRING:
            return Value(_ARRAY, self._numbers(item, count), item)
        if count > _MOST_STRINGS:
            raise InputError(f"an array of {count:,} strings, the limit is {_MOST_STRINGS:,}")
        return Value(_ARRAY, [self._string() for _ in range(count)], item)

    def _numbers(self, kind: int, count: int) -> np.ndarray[Any, Any]:
        if kind not in _NUMBERS:
            raise InputError(f"a value of the unknown type {kind}")
        form = np.dtype(_NUMBERS[kind])
        data = self._bytes(count * form.itemsize)
        # any byte but 0 is true
        numbers = np.frombuffer(data, np.uint8 if kind == _BOOL else form)
        return numbers != 0 if kind == _BOOL else numbers
