"""Divides files into shards, which are counted apart."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ..files.sources import Source, is_url


@dataclass(frozen=True)
class Shard:
    """Files, or a part of one, that are counted together.

    Attributes
    ----------
    number : int
        From 0 on, in the order of the files.
    sources : tuple of Source
        The files, or parts of files.
    """

    number: int
    sources: tuple[Source, ...]

    @property
    def name(self) -> str:
        """The name of its files, without ending."""
        return f"shard-{self.number:07}"

    @property
    def facts(self) -> list[list[int | str | None]]:
        """What tells for JSON whether these are still the same files."""
        return [[_absolute(s.path), s.size, s.modified, s.start, s.end] for s in self.sources]

    @property
    def size(self) -> int:
        """Its bytes on disk, as far as they are known."""
        return sum(map(_size, self.sources))


def plan_shards(sources: Iterable[Source], size: int, *, cut_text: bool) -> list[Shard]:
    """Returns shards of about `size` bytes.

    Small files are put together; a larger one that is not compressed is split into parts of `size`
    bytes.

    Parameters
    ----------
    sources : iterable of Source
        The files.
    size : int
        Bytes of a shard.
    cut_text : bool
        Whether plain text may be split, as the pre-tokenizer says.

    Examples
    --------
    >>> from partcover.corpus.counting.shards import plan_shards
    >>> from partcover.corpus.files.sources import Source
    >>> sources = [Source("a.txt", "text", "", 250), Source("b.txt", "text", "", 40)]
    >>> [[(s.path, s.start, s.end) for s in shard.sources]
    ...  for shard in plan_shards(sources, 100, cut_text=True)]
    [[('a.txt', 0, 100)], [('a.txt', 100, 200)], [('a.txt', 200, -1), ('b.txt', 0, -1)]]
    """
    shards: list[Shard] = []
    batch: list[Source] = []
    held = 0
    for part in (part for source in sources for part in _parts(source, size, cut_text)):
        if batch and held + _size(part) > size:
            shards.append(Shard(len(shards), tuple(batch)))
            batch, held = [], 0
        batch.append(part)
        held += _size(part)
    if batch:
        shards.append(Shard(len(shards), tuple(batch)))
    return shards


def _parts(source: Source, size: int, cut_text: bool) -> Iterator[Source]:
    whole = source.size or 0
    if source.packing or whole <= size or (source.kind == "text" and not cut_text):
        yield source
        return
    for start in range(0, whole, size):
        end = start + size
        yield replace(source, start=start, end=end if end < whole else -1)


def _size(part: Source) -> int:
    return (part.size or 0 if part.end < 0 else part.end) - part.start


def _absolute(path: str) -> str:
    return path if is_url(path) else os.path.abspath(path)  # noqa: PTH100
