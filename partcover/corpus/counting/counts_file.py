"""Writes counted words in a stream, as TSV or as Parquet, and reads both in blocks.

Parquet holds two columns, ``word`` (binary) and ``count`` (int64), in row groups that depend on the
words alone; how they were counted stands in the metadata of the schema, below ``partcover``, as in
the first line of a TSV.  Read is any file with a column ``word`` of text or binary and a column
``count`` of whole numbers, or with two such columns, words first, as Spark, DuckDB and Polars write
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

from ...errors import InputError, MissingExtra
from ...kernels.words import _word_lines, _word_table
from ...runtime.arrays import np
from ...runtime.files.writing import atomic_writer, shown_path
from ..files import tsv
from ..files.tsv import Header
from ..symbols import Symbols, Token
from ..word_arrays import MAX_COUNT, WORDS_PER_BLOCK, Arrays, Views
from .runs import joined

ROWS = 1 << 17  # words of a row group
ROW_BYTES = 1 << 24  # bytes of its words, after which it ends
_REPEATED = 1 << 26  # bytes of words in a batch that may stand for fewer in the file


@dataclass
class Totals:
    """How much was counted.

    Attributes
    ----------
    words : int
        Distinct words.
    total_count : int
        Words counted.
    total_symbols : int
        Their symbols.
    """

    words: int = 0
    total_count: int = 0
    total_symbols: int = 0

    def add(self, block: Arrays, chars: bool) -> None:
        """Adds the words of a block.

        Raises
        ------
        InputError
            If the number of symbols does not fit in int64.
        """
        data, offsets, counts = block
        if chars:  # a character starts at every byte that is not 10xxxxxx
            offsets = np.concatenate([[0], np.cumsum((data & 0xC0) != 0x80)])[offsets]
        self.words += len(counts)
        lengths = np.diff(offsets)
        if float(np.multiply(counts, lengths, dtype=float).sum()) < 2.0**62:
            self.total_count += int(counts.sum())
            self.total_symbols += int(np.dot(counts, lengths))
        else:
            self.total_count += sum(counts.tolist())
            self.total_symbols += sum(map(int.__mul__, counts.tolist(), lengths.tolist()))
        if self.total_symbols > MAX_COUNT:
            raise InputError(
                f"the counted corpus has {self.total_symbols} symbols or more, more than int64 can "
                "hold: scale the counts down"
            )


def is_parquet(path: str | PathLike[str]) -> bool:
    """Returns whether a path ends as that of a Parquet file."""
    return fspath(path).lower().endswith(".parquet")


def write_counts(
    path: str | PathLike[str],
    header: Header,
    blocks: Iterable[Arrays],
    source: str | None = None,
) -> Totals:
    r"""Writes words, aside and then renamed: Parquet if the path ends so, else TSV.

    Parameters
    ----------
    path : path
        The file; ``-`` is standard output.
    header : Header
        How they were counted.
    blocks : iterable of blocks
        The words.
    source : str, optional
        Where they come from; if it is given, there must be words.

    Raises
    ------
    InputError
        If there are none, or it cannot be written.

    Examples
    --------
    >>> import numpy as np
    >>> from pathlib import Path
    >>> from partcover.corpus.counting.counts_file import write_counts
    >>> from partcover.corpus.files.tsv import Header
    >>> block = np.frombuffer(b"hathot", np.uint8), np.array([0, 3, 6]), np.array([2, 1])
    >>> write_counts("counts.tsv", Header("gpt2", "bytes"), [block], "hats")
    Totals(words=2, total_count=3, total_symbols=9)
    >>> Path("counts.tsv").read_text().splitlines()
    ['#partcover counts 1 pretokenizer=gpt2 symbols=bytes', 'hat\t2', 'hot\t1']
    """
    totals = Totals()

    def counted() -> Iterator[Arrays]:
        for block in blocks:
            totals.add(block, header.symbols == "chars")
            yield block
        if source is not None and not totals.words:
            raise InputError(f"{source}: the corpus is empty: it has no words")

    with atomic_writer(path) as file:
        (_write_parquet if is_parquet(path) else _write_tsv)(file, header, counted())
    return totals


def _write_tsv(file: IO[bytes], header: Header, blocks: Iterator[Arrays]) -> None:
    first = next(blocks, None)  # if there must be words and are none, nothing is written
    file.write(tsv.format_header(header))
    for block in chain([] if first is None else [first], blocks):
        words = len(block[2])
        for begin in range(0, words, WORDS_PER_BLOCK):
            file.write(_word_lines.tsv_lines(*block, begin, min(begin + WORDS_PER_BLOCK, words)))


def _write_parquet(file: IO[bytes], header: Header, blocks: Iterable[Arrays]) -> None:
    pa, pq = _pyarrow("writing Parquet")
    facts = tsv.format_header(header).rstrip()
    columns = [pa.field("word", pa.binary(), False), pa.field("count", pa.int64(), False)]
    schema = pa.schema(columns, {"partcover": facts})
    # each word is there once: a dictionary of them is of no use
    with pq.ParquetWriter(file, schema, compression="zstd", use_dictionary=["count"]) as writer:
        for data, offsets, counts in _row_groups(blocks):
            if len(data) >= 2**31:
                raise InputError(
                    "a word of 2 GiB or more does not fit into Parquet: write a .tsv file"
                )
            buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)]
            words = pa.Array.from_buffers(pa.binary(), len(counts), buffers)
            writer.write_batch(pa.record_batch([words, pa.array(counts)], schema))


def _row_groups(blocks: Iterable[Arrays]) -> Iterator[Arrays]:
    """Yields words in row groups, whatever blocks they come in."""
    pending: list[Arrays] = []
    rows = size = 0
    for data, offsets, counts in blocks:
        begin = 0
        while begin < len(counts):
            # up to the word that fills the group
            full = int(np.searchsorted(offsets, offsets[begin] + ROW_BYTES - size))
            end = min(full, begin + ROWS - rows, len(counts))
            first, last = int(offsets[begin]), int(offsets[end])
            part = data[first:last], offsets[begin : end + 1] - first, counts[begin:end]
            pending.append(part)
            rows, size, begin = rows + end - begin, size + last - first, end
            if rows == ROWS or size >= ROW_BYTES:
                yield joined(pending)
                pending, rows, size = [], 0, 0
    if pending:
        yield joined(pending)


def read_blocks(path: str, room: int | None = None) -> tuple[Header, Iterator[Arrays]]:
    """Reads counted words over bytes or characters in blocks, in no order.

    Parameters
    ----------
    path : str
        A TSV, or a file whose name ends in ``.parquet``.
    room : int, optional
        Bytes after which a block of a TSV ends.

    Returns
    -------
    header : Header
        How they were counted, as far as the file says it.
    blocks : iterator of blocks
        The words, characters in UTF-8.  A word may come several times.

    Raises
    ------
    InputError
        If the file cannot be read, is of integers, or holds what is no word or count.
    """
    return _read_parquet(path) if is_parquet(path) else tsv.read_blocks(path, room)


def spans_of(path: str, size: int, room: int) -> list[tuple[int, int]]:
    """Returns the spans of a file that `read_span` takes, which depend on the file alone.

    Parameters
    ----------
    path : str
        As for `read_blocks`.
    size : int
        The size of the file.
    room : int
        Bytes of a span of a TSV; of Parquet each row group is one.

    Returns
    -------
    list of (int, int)
        Bytes of a TSV, row groups of Parquet: the first, and the one behind the last.
    """
    if not is_parquet(path):
        return [(begin, begin + room) for begin in range(0, max(size, 1), room)]
    pa, pq = _pyarrow(f"reading {path}")
    try:
        with pq.ParquetFile(path) as file:
            return [(group, group + 1) for group in range(file.num_row_groups)]
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        raise _unreadable(path, error) from None


def read_span(path: str, span: tuple[int, int]) -> tuple[Header, Iterator[Arrays]]:
    """Reads a span of a file, as `read_blocks` reads all of it."""
    if is_parquet(path):
        return _read_parquet(path, span)
    header, block = tsv.read_part(path, *span)
    return header, iter([block])


def read_words(
    path: str | PathLike[str], symbols: Symbols | None = None
) -> tuple[Arrays | Views | dict[Token, int], Header]:
    """Reads counted words, TSV or Parquet, as `partcover.corpus.files.tsv.read` does."""
    if not is_parquet(path):
        if Path(path).is_dir():
            raise InputError(f"{fspath(path)}: this is a folder. Run `partcover count` on it first")
        return tsv.read(path, symbols)
    header, blocks = _read_parquet(fspath(path))
    if "ints" in (symbols, header.symbols):
        raise InputError(f"{fspath(path)}: words of integers can only be stored as TSV")
    if None not in (symbols, header.symbols) and symbols != header.symbols:
        raise InputError(
            f"{fspath(path)}: the words are over {header.symbols}, not over {symbols} as asked for"
        )
    table = _word_table.WordTable()
    symbols = symbols or header.symbols or "bytes"
    for block in blocks:
        if symbols == "chars":
            check_text(block, path)
        try:
            table.add_words(*block)
        except OverflowError:
            raise InputError(f"{fspath(path)}: a sum of counts does not fit into int64") from None
    return table.export(False), header._replace(symbols=symbols)


def _read_parquet(
    path: str, span: tuple[int, int] | None = None
) -> tuple[Header, Iterator[Arrays]]:
    pa, pq = _pyarrow(f"reading {path}")
    try:
        schema = pq.read_schema(path)
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        raise _unreadable(path, error) from None
    names = schema.names
    if not {"word", "count"} <= set(names):
        if len(names) != 2:
            listed = ", ".join(map(repr, names[:8])) or "none"
            raise InputError(f"{path}: expected columns 'word' and 'count', found {listed}")
        word, count = names
    else:
        word, count = "word", "count"
    for name in (word, count):
        if names.count(name) > 1:
            raise InputError(f"{path}: has {names.count(name)} columns named {name!r}: keep one")
    kinds = schema.field(word).type, schema.field(count).type
    types = pa.types
    if types.is_dictionary(kinds[0]):
        kinds = kinds[0].value_type, kinds[1]
    texts = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    if not any(test(kinds[0]) for test in texts):
        raise InputError(f"{path}: column {word!r} is {kinds[0]}, not text or binary")
    if not types.is_integer(kinds[1]):
        raise InputError(f"{path}: column {count!r} is {kinds[1]}, not whole numbers")
    facts = (schema.metadata or {}).get(b"partcover", b"")
    try:
        header = tsv.parse_header(facts) or Header()
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return header, _batches(path, word, count, span)


def _batches(path: str, word: str, count: str, span: tuple[int, int] | None) -> Iterator[Arrays]:
    pa, pq = _pyarrow(f"reading {path}")
    try:
        # with a dictionary, a long word of many rows, which takes few bytes of a file, is in
        # memory once
        with pq.ParquetFile(path, buffer_size=1 << 20, read_dictionary=[word]) as file:
            begin, end = span or (0, file.num_row_groups)
            row = 1 + sum(file.metadata.row_group(group).num_rows for group in range(begin))
            batches = file.iter_batches(
                ROWS // 4, range(begin, end), columns=[word, count], use_threads=False
            )
            for batch in batches:
                yield _checked(path, row, batch.column(word), batch.column(count), pa)
                row += batch.num_rows
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        raise _unreadable(path, error) from None


def _checked(path: str, row: int, words: Any, counts: Any, pa: Any) -> Arrays:
    """Returns a batch as arrays; a null, an empty word or a count below 1 is an error."""

    def refuse(wrong: Any, what: str) -> None:
        if wrong.any():
            raise InputError(f"{path}, row {row + int(np.argmax(wrong))}: {what}")

    for column, what in ((words, "the word is null"), (counts, "the count is null")):
        refuse(column.is_null().to_numpy(zero_copy_only=False), what)
    values = counts.to_numpy(zero_copy_only=False)
    refuse(values < 1, "a count is at least 1")
    refuse(values > MAX_COUNT, "the count does not fit in int64")
    _refuse_repeated(path, row, words)
    packed = words.dictionary_decode().cast(pa.large_binary())
    offsets = np.frombuffer(packed.buffers()[1], np.int64)[packed.offset :][: len(packed) + 1]
    refuse(np.diff(offsets) < 1, "the word is empty")
    data = np.frombuffer(packed.buffers()[2], np.uint8)[offsets[0] : offsets[-1]]
    return data, offsets - offsets[0], values.astype(np.int64)


def _refuse_repeated(path: str, row: int, words: Any) -> None:
    """Refuses a batch where long words that are there once stand in very many rows."""
    import pyarrow.compute as pc

    sizes = pc.binary_length(words.dictionary).to_numpy(zero_copy_only=False).astype(np.int64)
    decoded, distinct = int(sizes[words.indices.to_numpy()].sum()), int(sizes.sum())
    if decoded > 4 * distinct + _REPEATED:
        raise InputError(
            f"{path}: {len(words):,} rows from {row:,} on repeat {distinct / 2**20:,.1f} MiB of "
            f"words as {decoded / 2**20:,.1f} MiB: add up the counts of each word first"
        )


def check_text(block: Arrays, path: str | PathLike[str]) -> None:
    """Checks that each word of a block is UTF-8.

    Raises
    ------
    InputError
        Naming the file.
    """
    data, offsets, _ = block
    try:
        data.tobytes().decode("utf-8")
        if not np.any((data[offsets[:-1]] & 0xC0) == 0x80):  # none begins inside a character
            return
    except UnicodeDecodeError:
        pass
    raise InputError(f"{shown_path(path)}: a word is not UTF-8, which symbols='chars' needs")


def _unreadable(path: str, error: Exception) -> InputError:
    reason = " ".join(str(getattr(error, "strerror", None) or error).split())
    return InputError(f"{shown_path(path)}: cannot be read as Parquet ({reason})")


def _pyarrow(purpose: str) -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtra("pyarrow", "parquet", purpose) from None
    return pa, pq
