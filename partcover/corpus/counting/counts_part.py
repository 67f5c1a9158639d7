"""Reads a file of counted words in parts, which any worker can read by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from ...errors import InputError
from ...runtime.files.writing import shown_path
from ..files.sources import state_of
from ..files.tsv import Header
from ..symbols import Symbols
from ..word_arrays import Arrays, from_utf8
from ..word_counts import WordCounts
from .counts_file import check_text, read_span, spans_of

PART = 1 << 20  # bytes of a part of a TSV


@dataclass(frozen=True)
class CountsPart:
    """A part of a file of counted words.

    Attributes
    ----------
    path : str
        The file.
    symbols : {"bytes", "chars"}
        What its words are made of.
    span : tuple of int
        The part, as `partcover.corpus.counting.counts_file.spans_of` says.
    state : tuple
        The size of the file, and when it was modified: it must stay so.
    """

    path: str
    symbols: Symbols
    span: tuple[int, int]
    state: tuple[int | None, int | str | None]

    def blocks(self) -> Iterator[WordCounts]:
        """Yields the words in blocks.

        Raises
        ------
        InputError
            If they cannot be read, or the file has changed.
        """
        self._check_unchanged()
        header, blocks = read_span(self.path, self.span)
        for block in blocks:
            if self.symbols == "chars":
                check_text(block, self.path)
            yield words_of(block, header._replace(symbols=self.symbols))
        self._check_unchanged()

    def _check_unchanged(self) -> None:
        if state_of(self.path) != self.state:
            raise InputError(
                f"{self.path}: changed while it was read, which happens several times: make a "
                "copy of it"
            )


def parts_of(path: str | PathLike[str], symbols: Symbols | None = None) -> list[CountsPart]:
    """Returns the parts of a file, in order, which depend on the file alone.

    Parameters
    ----------
    path : path
        The file, TSV or Parquet.
    symbols : {"bytes", "chars"}, optional
        What its words are made of; by default as the file states.

    Raises
    ------
    InputError
        If it cannot be read so, or is of integers.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.corpus.counting.counts_part import parts_of
    >>> WordCounts.from_counts({"that": 9, "hat": 5}).save("counts.tsv")
    >>> [list(block) for part in parts_of("counts.tsv") for block in part.blocks()]
    [[(b'that', 9), (b'hat', 5)]]
    """
    name = fspath(path)
    state = state_of(name)
    if state[0] is None:
        raise InputError(
            f"{shown_path(name)}: is not a file. Words with a tail are read several times: save "
            "them to a file first"
        )
    spans = spans_of(name, state[0], PART)
    header, _ = read_span(name, spans[0] if spans else (0, 0))
    if None not in (symbols, header.symbols) and symbols != header.symbols:
        raise InputError(
            f"{name}: the words are over {header.symbols}, not over {symbols} as asked for"
        )
    alphabet: Symbols = symbols or header.symbols or "bytes"
    return [CountsPart(name, alphabet, span, state) for span in spans]


def words_of(arrays: Arrays, header: Header) -> WordCounts:
    """Returns words over bytes or characters, which are given in UTF-8."""
    data, offsets, counts = arrays
    symbols: Symbols = header.symbols or "bytes"
    how: dict[str, Any] = {"pretokenizer": header.pretokenizer, "normalizer": header.normalizer}
    if symbols == "chars":
        return WordCounts(*from_utf8(data, offsets), counts, symbols, **how)
    return WordCounts(data, offsets, counts, symbols, **how)
