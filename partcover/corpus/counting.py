"""Counts the words of text, streamed and in threads."""

from __future__ import annotations

import codecs
import threading
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from queue import SimpleQueue

import numpy as np

from ..errors import InputError
from ..kernels import _encoder, _word_table
from ..runtime.file_kinds import HEADER, kind_of_head, looks_counted
from ..runtime.files import shown
from ..runtime.progress import Progress
from .normalizers import Normalizer
from .pretokenizers import Pretokenizer, PretokenizerRule, character_kinds
from .readers import Document, Source, documents, refuse_piece
from .word_arrays import Arrays

__all__ = ["blocks", "count_files", "count_texts"]


PART = 1 << 24  # bytes of a plain file that one thread takes at a time
PIECES = 1 << 26  # bytes of distinct pieces after which a rule is run over them


class _Tally:
    """Counts words in one thread.

    Pieces are counted in `table`.  Where a piece is not a word yet (`Pretokenizer.mark` is None),
    each distinct piece is cut whenever the table has grown to `PIECES` bytes, and its words are
    counted in `words`.
    """

    def __init__(self, pretokenizer: Pretokenizer, normalizer: Normalizer | None = None) -> None:
        self.pretokenizer = pretokenizer
        self.normalizer = normalizer
        self.table = _word_table.WordTable()
        self.words = _word_table.WordTable()

    def add(self, document: Document, utf8: bool) -> None:
        rule = self.pretokenizer.rules[0]
        chunks = _checked(document) if utf8 else document.chunks
        if self.normalizer is not None:
            chunks = map(self.normalizer.of_bytes, blocks(chunks, self.normalizer, document))
        for block in blocks(chunks, rule, document):
            self.table.add_text(block, rule.pieces)
            if self.pretokenizer.mark is None and self.table.nbytes > PIECES:
                self._cut_pieces()

    def _cut_pieces(self) -> None:
        """Runs the rules over the distinct pieces, and counts their words."""
        table = self.table
        for place, rule in enumerate(self.pretokenizer.rules):
            if place or rule.mark is None:
                table = _cut(table, rule)
            if rule.mark not in (None, " "):
                marked = table.export(False, rule.mark.encode("utf-8", "surrogateescape"))
                table = _word_table.WordTable()
                table.add_words(*marked)
        self.words.merge(table)
        self.table = _word_table.WordTable()

    def merge(self, other: _Tally) -> None:
        self.table.merge(other.table)
        self.words.merge(other.words)

    def result(self) -> Arrays:
        mark = self.pretokenizer.mark
        if mark is None:
            self._cut_pieces()
            return self.words.export(True)
        return self.table.export(True, mark.encode("utf-8", "surrogateescape"))


def _cut(pieces: _word_table.WordTable, rule: PretokenizerRule) -> _word_table.WordTable:
    """Returns the words of pieces, each cut by itself."""
    data, offsets, counts = pieces.export(False)
    table = _word_table.WordTable()
    if not rule.given:
        ends, piece = _encoder.cut_words(data, offsets, rule.finder, character_kinds())
        table.add_words(data, ends, counts[piece])
        return table
    words: dict[str, int] = {}
    text, places = data.tobytes(), offsets.tolist()
    for start, end, count in zip(places, places[1:], counts.tolist(), strict=False):
        for word in rule.words(text[start:end].decode("utf-8", "surrogateescape")):
            words[word] = words.get(word, 0) + count
    encoded = [word.encode("utf-8", "surrogateescape") for word in words if word]
    table.add_words(
        np.frombuffer(b"".join(encoded), np.uint8),
        np.cumsum([0, *map(len, encoded)], dtype=np.int64),
        np.array([count for word, count in words.items() if word], np.int64),
    )
    return table


def blocks(
    chunks: Iterable[bytes], rule: PretokenizerRule | Normalizer, document: Document | None = None
) -> Iterator[bytes]:
    """Yields a text in blocks that end where `rule` cuts, or text may be normalized apart.

    Text without such a place is buffered until it has doubled, so that no byte is searched more
    than a few times; in a compressed document it may grow to `Document.piece` bytes.

    Examples
    --------
    >>> from partcover.corpus.counting import blocks
    >>> from partcover.corpus.pretokenizers import PRETOKENIZER_RULES
    >>> list(blocks([b"to be or n", b"ot to be"], PRETOKENIZER_RULES["first-space"]))
    [b'to be or', b' not to', b' be']
    """
    buffered: list[bytes] = []
    size = wanted = 0
    for chunk in chunks:
        buffered.append(chunk)
        size += len(chunk)
        if document is not None:
            refuse_piece(document.where, size, document.piece)
        if size < wanted:
            continue
        text = b"".join(buffered)
        cut = rule.last_cut(text)
        if cut > 0:
            yield text[:cut]
            text = text[cut:]
        buffered, size = [text], len(text)
        wanted = 2 * size
    if size:
        yield b"".join(buffered)


def _checked(document: Document) -> Iterator[bytes]:
    """Yields the chunks of a document, checked to be UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    place = document.start
    chunk = b""
    try:
        for chunk in document.chunks:
            pending = len(decoder.getstate()[0])
            decoder.decode(chunk)
            place += len(chunk)
            yield chunk
        chunk, pending = b"", len(decoder.getstate()[0])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{document.where}: byte {place - pending + error.start} is not UTF-8, which "
            "symbols='chars' needs; use symbols='bytes'"
        ) from None


def _not_counted(source: Source, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the chunks of a text; a counts file or another file of partcover's is an error."""
    rest = iter(chunks)
    first = next(rest, b"")
    has_header = first.removeprefix(BOM_UTF8).startswith(HEADER)
    if has_header or (source.path.endswith(".tsv") and looks_counted(first)):
        raise InputError(
            f"{shown(source.path)}: this is a counts file (word, tab, count), no text: its words "
            "are counted already; --all-files (all_files=True) counts it as text"
        )
    if (kind := kind_of_head(first)) in ("vocabulary", "instance", "certificate"):
        raise InputError(
            f"{shown(source.path)}: this is a file of partcover's ({kind}), no text; --all-files "
            "(all_files=True) counts it as text"
        )
    yield from chain([first], rest)


def count_texts(
    texts: Iterable[str | bytes],
    pretokenizer: Pretokenizer,
    utf8: bool,
    normalizer: Normalizer | None = None,
) -> Arrays:
    """Counts the words of texts, each a document of its own; see `count_files`."""
    tally = _Tally(pretokenizer, normalizer)
    for number, text in enumerate(texts, 1):
        where = f"text {number}"
        if isinstance(text, str):
            try:
                text = text.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:
                raise InputError(f"{where} has a lone surrogate, not UTF-8") from None
        elif not isinstance(text, bytes):
            raise InputError(f"{where} is {type(text).__name__}: str or bytes is expected")
        tally.add(Document(where, (text,)), utf8)
    return tally.result()


def count_files(
    sources: Sequence[Source],
    pretokenizer: Pretokenizer,
    *,
    utf8: bool,
    key: str,
    threads: int,
    progress: Progress,
    all_files: bool = False,
    normalizer: Normalizer | None = None,
) -> Arrays:
    """Counts the words of files.

    The threads share the files, and also the parts of a plain file where the pre-tokenizer cuts
    at every space.  The result is ordered by count descending, then word ascending, so it is the
    same for any number of threads.

    Parameters
    ----------
    sources : sequence of Source
        The files, from `find_sources`.
    pretokenizer : Pretokenizer
        How text is cut into words.
    utf8 : bool
        Whether bytes that are not UTF-8 are an error.
    key : str
        The field or column that holds the text.
    threads : int
        Number of threads, at least 1.
    progress : Progress
        Gets the bytes read and their total (None where unknown), from one thread at a time.
    all_files : bool
        Whether a counts file is counted as text instead of being an error.
    normalizer : Normalizer, optional
        What is done to each text before it is cut.

    Raises
    ------
    InputError
        For input that cannot be read, or is a counts file; of several errors the first in order
        of files.
    """
    sizes = [source.size for source in sources]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    done = 0
    lock = threading.Lock()
    stop = threading.Event()

    def report(read: int) -> None:
        nonlocal done
        if stop.is_set():
            raise _Stopped
        with lock:
            done += read
            progress.advance(done, total, f"{done / 1e6:,.0f} MB")

    def work(source: Source, tally: _Tally) -> None:
        for document in documents(source, key=key, report=report):
            if source.kind == "text" and not document.start and not all_files:
                document = replace(document, chunks=_not_counted(source, document.chunks))
            tally.add(document, utf8)

    if threads == 1:
        tally = _Tally(pretokenizer, normalizer)
        for source in sources:
            work(source, tally)
        return tally.result()

    tallies = [_Tally(pretokenizer, normalizer) for _ in range(threads)]
    idle: SimpleQueue[_Tally] = SimpleQueue()
    for tally in tallies:
        idle.put(tally)

    def borrow(source: Source) -> None:
        tally = idle.get()
        try:
            work(source, tally)
        finally:
            idle.put(tally)

    parts = [part for source in sources for part in _parts(source, pretokenizer, normalizer)]
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(borrow, part) for part in parts]
        try:
            for future in futures:
                future.result()
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    first, *others = tallies
    for tally in others:
        first.merge(tally)
    return first.result()


class _Stopped(Exception):
    """Ends the reading of a file when another thread has failed; it is never seen outside."""


def _parts(
    source: Source, pretokenizer: Pretokenizer, normalizer: Normalizer | None
) -> Iterator[Source]:
    cut_at_spaces = pretokenizer.rules[0].pieces == _word_table.EVERY_SPACE and normalizer is None
    size = source.size or 0
    if source.kind != "text" or source.packing or not cut_at_spaces or size <= PART:
        yield source
        return
    for start in range(0, size, PART):
        end = start + PART
        yield replace(source, start=start, end=end if end < size else -1)
