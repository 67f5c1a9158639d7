"""Reads and writes files of ids: lines of numbers, JSON lines, NumPy arrays, bare numbers."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Iterator
from pathlib import PurePath
from typing import IO, TYPE_CHECKING, Any

from ..errors import InputError
from ..runtime.files.writing import open_input, shown_path

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .text_encoder import Ids

SECTION = 1 << 18  # numbers, or bytes of them, at a time


def id_format(path: str) -> str:
    """Returns the format that a file's name ends in; lines of numbers for any other name."""
    endings = {".npy": "npy", ".bin": "bin", ".json": "json", ".jsonl": "json"}
    return endings.get(PurePath(path).suffix, "ids")


def write_line(file: IO[bytes], ids: Ids | int, form: str) -> None:
    """Writes the ids of a document as a line, some at a time: there may be a hundred million.

    A number stands for itself.
    """
    start, between, end = (b'{"ids": [', b", ", b"]}\n") if form == "json" else (b"", b" ", b"\n")
    if isinstance(ids, int):
        file.write(b"%d\n" % ids)
        return
    file.write(start)
    for first in range(0, len(ids), SECTION):
        part = between.join(b"%d" % number for number in ids[first : first + SECTION].tolist())
        file.write(between + part if first else part)
    file.write(end)


def read_numbers(line: bytes) -> npt.NDArray[np.int64]:
    """Reads the numbers of a line, with any white space between them.

    Raises ValueError for what is no whole number, and OverflowError for one that no int64 holds.
    """
    import numpy as np

    if b"_" in line:  # which int() takes
        raise ValueError("an underscore in a number")
    parts = [np.zeros(0, np.int64)]
    at = 0
    while at < len(line):
        end = line.find(b" ", at + SECTION)
        end = len(line) if end < 0 else end
        parts.append(np.array([int(word) for word in line[at:end].split()], np.int64))
        at = end
    return np.concatenate(parts)


def read_ids(path: str, dtype: np.dtype[Any]) -> Iterator[tuple[str, Any]]:
    """Yields where ids stand and the ids, by line, or all at once for an array.

    An array without a header has numbers of a `dtype`.
    """
    import numpy as np

    name, form = shown_path(path), id_format(path)
    with open_input(path) as file:
        if form in ("ids", "json"):
            for number, line in enumerate(file, 1):
                where = f"{name}:{number}"
                yield where, _parsed(line, form, where)
        elif form == "bin":
            data = file.read()
            if len(data) % dtype.itemsize:
                raise InputError(
                    f"{name}: its size, {len(data):,} bytes, does not fit {dtype.name} numbers"
                )
            yield name, np.frombuffer(data, dtype.newbyteorder("<"))
        else:
            data = file.read()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of a header that Python 2 wrote
                    array = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
            except Exception:  # the header is a Python literal: damaged, it may raise anything
                raise InputError(f"{name}: not an array in NumPy's format") from None
            yield name, array


def _parsed(line: bytes, form: str, where: str) -> list[int] | npt.NDArray[np.int64]:
    """Parses a line of numbers, or of JSON."""
    try:
        if form == "ids":
            return read_numbers(line)
        row = json.loads(line)
        ids = row["ids"] if isinstance(row, dict) else row
        if isinstance(ids, list):
            return ids
    except (ValueError, KeyError, OverflowError, RecursionError):
        pass
    expected = "whole numbers" if form == "ids" else "JSON with a list 'ids'"
    raise InputError(f"{where}: expected a line of {expected}")
