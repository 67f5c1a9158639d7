"""Keeps counted words on disk as sorted runs, and merges them.

A *run* is a file of counted words, sorted, in blocks of about `BLOCK` bytes.  To merge many runs,
one block of each is in memory.  Each block has a checksum, and a run ends with the number of its
words and the checksum of the checksums, so that a run that was not written to its end is noticed.
"""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import cached_property
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...kernels.words import _word_lines
from ...runtime.arrays import np
from ...runtime.files.writing import atomic_writer, open_input, scratch_folder
from ..symbols import show
from ..word_arrays import Arrays

BLOCK = 1 << 18  # bytes of a block, if no word is longer
FAN_IN = 64  # runs that are merged at a time
_WORD = 16  # bytes of a word in a block, besides its own
_HEAD = struct.Struct("<qqI")  # the words of a block, their bytes, its checksum
_MAGIC = b"partcover run 2\n"


def write_run(path: str | Path, blocks: Iterable[Arrays], *, lasting: bool = False) -> None:
    """Writes a run, aside and then renamed, so that a run of its name is whole.

    Parameters
    ----------
    path : path
        The file.
    blocks : iterable of blocks
        The words, sorted.
    lasting : bool
        Whether a later process is to read it, even after a power cut.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    total, checksum = 0, _checksum([_MAGIC])
    with atomic_writer(path, lasting=lasting) as file:
        file.write(_MAGIC)
        for data, offsets, counts in (part for block in blocks for part in _cut(block)):
            parts = [array.tobytes() for array in (offsets, counts, data)]
            head = _HEAD.pack(len(counts), len(data), _checksum(parts))
            total, checksum = total + len(counts), _checksum([head], checksum)
            file.write(head)
            for part in parts:
                file.write(part)
        file.write(_HEAD.pack(0, total, checksum))


def read_run(path: str | Path, by_count: bool = False) -> Iterator[Arrays]:
    """Yields the blocks of a run, sorted by word or by (count descending, word).

    Raises
    ------
    InputError
        If it cannot be read, or does not hold what a run holds.  A folder for runs may be open to
        others, who can make the checksums right.
    """
    damaged = InputError(
        f"{path}: this part of a count is damaged. Delete it, then continue with --resume"
    )
    with open_input(path) as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise damaged
        left = Path(path).stat().st_size - len(_MAGIC)
        total, heads = 0, _checksum([_MAGIC])
        before: Any = None
        while True:
            head = file.read(_HEAD.size)
            if len(head) < _HEAD.size:
                raise damaged
            words, size, checksum = _HEAD.unpack(head)
            if not words:
                # a power cut may leave zeros, which look like an end
                if (left, size, checksum) != (_HEAD.size, total, heads):
                    raise damaged
                return
            total, heads = total + words, _checksum([head], heads)
            left -= _HEAD.size + 8 * (2 * words + 1) + size
            if words < 0 or size < 0 or left < 0:  # no more is read than there is
                raise damaged
            parts = [file.read(8 * (words + 1)), file.read(8 * words), file.read(size)]
            if _checksum(parts) != checksum:
                raise damaged
            block = (
                np.frombuffer(parts[2], np.uint8),
                np.frombuffer(parts[0], np.int64),
                np.frombuffer(parts[1], np.int64),
            )
            if not _word_lines.are_sorted(*block, by_count):
                raise damaged
            if before is not None and _key(block, 0, by_count) <= before:
                raise damaged
            before = _key(block, words - 1, by_count)
            yield block


def _key(block: Arrays, number: int, by_count: bool) -> Any:
    """Returns what a word of a block is sorted by."""
    data, offsets, counts = block
    word = data[offsets[number] : offsets[number + 1]].tobytes()
    return (-int(counts[number]), word) if by_count else word


def is_whole(path: str | Path) -> bool:
    """Returns whether a file is a run that was written to its end."""
    try:
        with open(path, "rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return False
            file.seek(-_HEAD.size, 2)
            words, _, checksum = _HEAD.unpack(file.read())
            return not words and checksum != 0
    except OSError:
        return False


def _checksum(parts: Iterable[bytes], checksum: int = 0) -> int:
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    return checksum


def _cut(block: Arrays) -> Iterator[Arrays]:
    """Yields the words of a block in blocks of `BLOCK` bytes, or of one long word."""
    data, offsets, counts = block
    begin, words = 0, len(counts)
    while begin < words:
        limit = int(offsets[begin]) + _WORD * begin + BLOCK
        end = bisect_right(range(words + 1), limit, key=lambda i: int(offsets[i]) + _WORD * i) - 1
        end = max(end, begin + 1)
        first, last = int(offsets[begin]), int(offsets[end])
        yield data[first:last], offsets[begin : end + 1] - first, counts[begin:end]
        begin = end


def sorted_blocks(blocks: Sequence[Arrays], by_count: bool) -> Arrays:
    """Returns the words of some blocks in one, sorted by word or by (count descending, word).

    By word, the counts of equal words are summed.

    Raises
    ------
    InputError
        If a sum does not fit in int64.
    """
    data, offsets, counts = joined(blocks)
    words, places, sums, overflow = _word_lines.sort_words(data, offsets, counts, by_count)
    if overflow >= 0:
        word = data[offsets[overflow] : offsets[overflow + 1]].tobytes()
        raise InputError(f"the sum of the counts of {show(word)!r} does not fit into int64")
    return words, places, sums


def joined(blocks: Sequence[Arrays]) -> Arrays:
    """Returns the words of some blocks in one."""
    if len(blocks) == 1:
        return blocks[0]
    if not blocks:
        return np.zeros(0, np.uint8), np.zeros(1, np.int64), np.zeros(0, np.int64)
    starts = np.cumsum([0] + [len(data) for data, _, _ in blocks])
    offsets = [offsets[1:] + start for (_, offsets, _), start in zip(blocks, starts, strict=False)]
    return (
        np.concatenate([data for data, _, _ in blocks]),
        np.concatenate([[0], *offsets]).astype(np.int64, copy=False),
        np.concatenate([counts for _, _, counts in blocks]),
    )


class _Cursor:
    """A place in a run: the words of one of its blocks from `at` on."""

    def __init__(self, blocks: Iterable[Arrays], by_count: bool) -> None:
        self._blocks = iter(blocks)
        self._by_count = by_count
        self.block: Arrays | None = None
        self.at = 0
        self.load()

    def load(self) -> None:
        """Goes on to the next block; `block` is None at the end."""
        self.at = 0
        self.block = next((block for block in self._blocks if len(block[2])), None)

    def close(self) -> None:
        """Closes the file of a run."""
        if isinstance(self._blocks, Generator):
            self._blocks.close()

    def key(self, number: int) -> Any:
        """Returns what a word of the block is sorted by."""
        assert self.block is not None
        return _key(self.block, number, self._by_count)

    @property
    def last(self) -> Any:
        """What the last word of the block is sorted by."""
        assert self.block is not None
        return self.key(len(self.block[2]) - 1)

    def take(self, last: Any) -> Iterator[Arrays]:
        """Yields the words up to `last`, if there are any, and goes behind them."""
        assert self.block is not None
        data, offsets, counts = self.block
        end = bisect_right(range(len(counts)), last, lo=self.at, key=self.key)
        if end > self.at:
            first = offsets[self.at]
            words = offsets[self.at : end + 1] - first
            yield data[first : offsets[end]], words, counts[self.at : end]
        self.at = end
        if end == len(counts):
            self.load()


def merge(runs: Iterable[Iterable[Arrays]], by_count: bool = False) -> Iterator[Arrays]:
    """Yields the words of sorted runs in one order; by word, counts of equal words are summed.

    In each step, what is not behind the last word of any block in memory is complete: it is
    taken out of the blocks and sorted, which for pieces that are sorted is to merge them.

    Parameters
    ----------
    runs : iterable of iterable of blocks
        Each sorted by word, without equal words, or by (count descending, word).
    by_count : bool
        Which of the two.

    Raises
    ------
    InputError
        If a sum does not fit in int64.

    Examples
    --------
    >>> import numpy as np
    >>> from partcover.corpus.counting.runs import merge
    >>> one = np.frombuffer(b"hathot", np.uint8), np.array([0, 3, 6]), np.array([2, 1])
    >>> two = np.frombuffer(b"hot", np.uint8), np.array([0, 3]), np.array([5])
    >>> [(data.tobytes(), counts.tolist()) for data, _, counts in merge([[one], [two]])]
    [(b'hathot', [2, 6])]
    """
    with ExitStack() as stack:  # closes all files if one of them is damaged
        cursors = [stack.enter_context(closing(_Cursor(run, by_count))) for run in runs]
        while cursors := [cursor for cursor in cursors if cursor.block is not None]:
            if len(cursors) == 1:
                yield from cursors[0].take(cursors[0].last)
                continue
            last = min(cursor.last for cursor in cursors)
            taken = [block for cursor in cursors for block in cursor.take(last)]
            yield sorted_blocks(taken, by_count)


def merge_files(paths: Sequence[str], target: str, by_count: bool = False) -> str:
    """Merges runs to one, and returns its path."""
    write_run(target, merge((read_run(path, by_count) for path in paths), by_count))
    return target


class Spill:
    """Gathers counted words and gives them back sorted; on disk what passes a limit.

    It is a context manager, which deletes what is on disk.

    Parameters
    ----------
    folder : path or None
        Where a folder for runs is made if they are needed; None for where the system has them.
    room : int or None
        Bytes of words and counts in memory; sorting them takes four times as much.  None for no
        limit.
    by_count : bool
        Whether words are sorted by (count descending, word); else by word, with the counts of
        equal words summed.
    """

    def __init__(
        self, folder: str | Path | None, room: int | None, *, by_count: bool = False
    ) -> None:
        self._parent = folder
        self._room = room
        self._by_count = by_count
        self._blocks: list[Arrays] = []
        self._size = 0
        self._runs: list[str] = []
        self._written = 0
        self._stack = ExitStack()

    def __enter__(self) -> Spill:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @cached_property
    def _folder(self) -> Path:
        return Path(self._stack.enter_context(scratch_folder(self._parent)))

    def add(self, block: Arrays) -> None:
        """Takes in words."""
        self._blocks.append(block)
        self._size += sum(array.nbytes for array in block)
        if self._room is not None and self._size > self._room:
            self._write()

    def blocks(self) -> Iterator[Arrays]:
        """Yields all words, sorted."""
        if not self._runs:
            yield sorted_blocks(self._taken(), self._by_count)
            return
        if self._blocks:
            self._write()
        number = 0
        while len(self._runs) > FAN_IN:
            first, self._runs = self._runs[:FAN_IN], self._runs[FAN_IN:]
            target = str(self._folder / f"merged-{number}")
            self._runs.append(merge_files(first, target, self._by_count))
            for path in first:
                Path(path).unlink()
            number += 1
        runs = (read_run(path, self._by_count) for path in self._runs)
        yield from merge(runs, self._by_count)

    def _taken(self) -> list[Arrays]:
        blocks, self._blocks, self._size = self._blocks, [], 0
        return blocks

    def _write(self) -> None:
        path = self._folder / f"spilled-{self._written}"
        self._written += 1
        write_run(path, [sorted_blocks(self._taken(), self._by_count)])
        self._runs.append(str(path))
