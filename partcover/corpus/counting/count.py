"""Counts the words of text, streamed: of a shard of files, or of texts in memory."""

from __future__ import annotations

import codecs
import json
import os
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from ...errors import InputError
from ...kernels.words import _word_ends, _word_table
from ...kernels.words._word_arrays import picked
from ...runtime.arguments import plain, shown
from ...runtime.arrays import np
from ...runtime.files.kinds import HEADER, kind_of_head, looks_counted
from ...runtime.files.writing import checksum_of, shown_path, write_atomic
from ..files.readers import Document, documents, refuse_long_piece, refuse_piece
from ..files.sources import Source, check_unchanged, is_url, sha256_of
from ..files.tsv import Header
from ..pretokenizers import DEFAULT_PRETOKENIZER
from ..pretokenizers.character_kinds import character_kinds
from ..pretokenizers.pretokenizer import Pretokenizer
from ..pretokenizers.rules import PretokenizerRule
from ..pretokenizers.seams import cut_finder
from ..pretokenizers.splitters import Splitter
from ..symbols import Symbols
from ..word_arrays import Views, arrays_of
from .runs import Spill, write_run
from .shards import Shard

if TYPE_CHECKING:
    from ..normalizers.normalizer import Normalizer

_ASCII = bytes(range(0x80))
PIECES = 1 << 26  # bytes of distinct pieces after which a rule is run over them
# Parts of the memory that a table of pieces, a table of words and words to be sorted may fill:
# tables double as they grow, and what is done with each takes as much again, or more.
PIECES_SHARE, TABLE_SHARE, BLOCK_SHARE = 12, 8, 6


class Tally:
    """Counts words in one thread.

    Pieces are counted in `table`.  Where a piece is not a word yet (`Pretokenizer.mark` is None),
    each distinct piece is split whenever the table has grown to `PIECES` bytes, and its words are
    counted in `words`.  Words of the first rule that are found as fast as pieces are counted in
    `words` if there is no other rule, and otherwise as pieces, which it splits no further.

    Parameters
    ----------
    pretokenizer : Pretokenizer
        How text is split into words.
    normalizer : Normalizer, optional
        What is done to each text before it is split.
    spill : Spill, optional
        Takes the words whenever they need more than `memory`.
    memory : int, optional
        Bytes that counting may take, besides a piece of text.
    """

    def __init__(
        self,
        pretokenizer: Pretokenizer,
        normalizer: Normalizer | None = None,
        spill: Spill | None = None,
        memory: int | None = None,
    ) -> None:
        self.pretokenizer = pretokenizer
        self.normalizer = normalizer
        self.spill = spill
        self.table = _word_table.WordTable()
        self.words = _word_table.WordTable()
        first = pretokenizer.rules[0]
        # whether words of ASCII are found so fast that there is no need to count pieces before
        self.at_once = not first.given and _word_ends.finds_windows(
            first.finder, character_kinds(), first.phrase
        )
        self.pieces = PIECES if memory is None else min(PIECES, memory // PIECES_SHARE)
        self.room = None if memory is None else memory // TABLE_SHARE

    def add(self, document: Document, utf8: bool) -> None:
        """Counts the words of a document, which has to be UTF-8 if `utf8` says so."""
        rule = self.pretokenizer.rules[0]
        chunks = _checked(document) if utf8 else document.chunks
        if self.normalizer is not None:
            chunks = map(self.normalizer.of_bytes, blocks(chunks, self.normalizer, document))
        for block in blocks(chunks, rule, document):
            if self.at_once and _is_mostly_ascii(block):
                are_words = self.pretokenizer.mark is None and len(self.pretokenizer.rules) == 1
                table = self.words if are_words else self.table
                table.add_words_of(block, rule.finder, character_kinds())
            else:
                self.table.add_text(block, rule.pieces)
            if self.pretokenizer.mark is None and self.table.nbytes > self.pieces:
                self._cut_pieces()
            counted = self.words if self.pretokenizer.mark is None else self.table
            if self.spill is not None and self.room is not None and counted.nbytes > self.room:
                self.spill.add(arrays_of(self.result(False)))

    def _cut_pieces(self) -> None:
        """Runs the rules over the distinct pieces, and counts their words."""
        table = self.table
        self.table = _word_table.WordTable()
        for place, rule in enumerate(self.pretokenizer.rules):
            if place or rule.mark is None or rule.phrase > 1:
                table = _cut(table, rule)
            if rule.mark not in (None, " "):
                table = _marked(table, rule.mark.encode("utf-8", "surrogateescape"))
        self.words.merge(table)

    def result(self, by_count: bool) -> Views:
        """Returns the words counted so far, and forgets them."""
        mark = self.pretokenizer.mark
        if mark is None:
            self._cut_pieces()
            return self.words.views(by_count)
        return self.table.views(by_count, mark.encode("utf-8", "surrogateescape"))


def _is_mostly_ascii(text: bytes) -> bool:
    """Returns whether few bytes of a text, of those at even distances, are not ASCII."""
    sample = text[::64]
    return 4 * len(sample.translate(None, _ASCII)) < len(sample)


def _cut(pieces: _word_table.WordTable, rule: PretokenizerRule) -> _word_table.WordTable:
    """Returns the words of pieces, each split by itself."""
    table = _word_table.WordTable()
    if not rule.given:
        spelled, begins, numbers = pieces.views(False)
        kinds = character_kinds()
        ends, of = _word_ends.cut_words(spelled, begins, rule.finder, kinds, rule.phrase)
        table.add_words(spelled, ends, picked(numbers, of))
        return table
    data, offsets, counts = pieces.export(False)
    if rule.compiled is not None:
        data, offsets, starts = rule.compiled.cut(data, offsets)
        piece = np.searchsorted(offsets, starts[:-1], "right") - 1
        table.add_words(data, starts, counts[piece])
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


def _marked(words: _word_table.WordTable, mark: bytes) -> _word_table.WordTable:
    """Returns words with a mark for each space."""
    data, offsets, counts = words.export(False)
    spaces = np.concatenate([np.zeros(1, np.int64), np.cumsum(data == ord(" "))])
    text = np.frombuffer(data.tobytes().replace(b" ", mark), np.uint8)
    table = _word_table.WordTable()
    table.add_words(text, offsets + (len(mark) - 1) * spaces[offsets], counts)
    return table


def blocks(
    chunks: Iterable[bytes], rule: PretokenizerRule | Normalizer, document: Document | None = None
) -> Iterator[bytes]:
    """Yields a text in blocks that end where `rule` splits, or text may be normalized apart.

    Text without such a place is buffered until it has doubled, so that no byte is searched more
    than a few times; in a compressed document it may grow to `Document.piece` bytes.

    Examples
    --------
    >>> from partcover.corpus.counting.count import blocks
    >>> from partcover.corpus.pretokenizers.rules import PRETOKENIZER_RULES
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
        refuse_long_piece("the text" if document is None else document.where, size)
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


def not_counted(source: Source, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the chunks of a text; a counts file or another file of partcover's is an error."""
    rest = iter(chunks)
    first = next(rest, b"")
    has_header = first.removeprefix(BOM_UTF8).startswith(HEADER)
    if has_header or (source.path.endswith(".tsv") and looks_counted(first)):
        raise InputError(
            f"{shown_path(source.path)}: this is a counts file (word, tab, count), not text: its "
            "words are counted already; --all-files (all_files=True) counts it as text"
        )
    if (kind := kind_of_head(first)) in ("vocabulary", "instance", "certificate"):
        raise InputError(
            f"{shown_path(source.path)}: this is a file of partcover ({kind}), not text; "
            "--all-files (all_files=True) counts it as text"
        )
    yield from chain([first], rest)


@dataclass(frozen=True)
class CountSettings:
    """How words are counted.

    Attributes
    ----------
    pretokenizer : str or callable
        How text is split into words.
    normalizer : str or None
        What is done to each text before it is split.
    symbols : {"bytes", "chars"}
        The alphabet; with ``chars``, bytes that are not UTF-8 are an error.
    key : str
        The field or column that holds the text.
    all_files : bool
        Whether a counts file is counted as text instead of being an error.
    """

    pretokenizer: str | Splitter = DEFAULT_PRETOKENIZER
    normalizer: str | None = None
    symbols: Symbols = "bytes"
    key: str = "text"
    all_files: bool = False

    @property
    def rules(self) -> tuple[Pretokenizer, Normalizer | None]:
        """The pre-tokenizer and the normalizer."""
        if isinstance(self.pretokenizer, str):
            return _named_rules(self.pretokenizer, self.normalizer)
        return Pretokenizer.of(self.pretokenizer), _normalizer_of(self.normalizer)

    @property
    def header(self) -> Header:
        """What a counts file says of it."""
        pretokenizer, normalizer = self.rules
        # a function has no name that others could use
        name = pretokenizer.name if isinstance(self.pretokenizer, str) else None
        return Header(name, self.symbols, normalizer.name if normalizer else None)


@lru_cache(4)
def _named_rules(
    pretokenizer: str, normalizer: str | None
) -> tuple[Pretokenizer, Normalizer | None]:
    return Pretokenizer.of(pretokenizer), _normalizer_of(normalizer)


def _normalizer_of(name: str | None) -> Normalizer | None:
    if name is None:
        return None
    from ..normalizers.normalizer import Normalizer  # slow to import, rarely needed

    return Normalizer(name)


def count_texts(texts: Iterable[str | bytes], settings: CountSettings) -> Views:
    """Counts the words of texts, each a document of its own, most frequent first."""
    tally = Tally(*settings.rules)
    for number, text in enumerate(texts, 1):
        where = f"text {number}"
        if not isinstance(text, str | bytes):
            raise InputError(f"{where} is {shown(text)}: it must be str or bytes")
        text = plain(text)
        if isinstance(text, str):
            try:
                text = text.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:
                raise InputError(
                    f"{where} has a lone surrogate, which UTF-8 cannot encode"
                ) from None
        tally.add(Document(where, (text,)), settings.symbols == "chars")
    return tally.result(True)


def count_only_shard(shard: Shard, settings: CountSettings, report: Callable[[int], None]) -> Views:
    """Returns the words of a shard, by count descending, then word ascending; see `count_shard`."""
    tally = Tally(*settings.rules)
    _add_shard(tally, shard, settings, report)
    return tally.result(True)


def _add_shard(
    tally: Tally, shard: Shard, settings: CountSettings, report: Callable[[int], None] | None
) -> None:
    first_cut = cut_finder(*settings.rules)
    for source in shard.sources:
        for document in documents(source, key=settings.key, report=report, first_cut=first_cut):
            if source.kind == "text" and not source.start and not settings.all_files:
                document = replace(document, chunks=not_counted(source, document.chunks))
            tally.add(document, settings.symbols == "chars")
        check_unchanged(source)


def count_shard(
    shard: Shard,
    settings: CountSettings,
    folder: str,
    memory: int | None = None,
    report: Callable[[int], None] | None = None,
    *,
    hashes: bool = False,
) -> str:
    """Counts the words of a shard and writes them as a sorted run.

    Parameters
    ----------
    shard : Shard
        The files.
    settings : CountSettings
        How they are counted.
    folder : str
        The folder of the run, which is named as the shard.
    memory : int, optional
        Bytes that may be taken; what does not fit is written to the folder meanwhile.
    report : callable, optional
        Called with the number of bytes read since the last call.
    hashes : bool
        Whether what the shard is, and the SHA-256 of the files that begin in it, are written
        beside the run, as JSON.

    Returns
    -------
    str
        The path of the run.

    Raises
    ------
    InputError
        For input that cannot be read, is a counts file or changes while it is read; if the run
        cannot be written.
    """
    with Spill(folder, None if memory is None else memory // BLOCK_SHARE) as spill:
        tally = Tally(*settings.rules, spill, memory)
        _add_shard(tally, shard, settings, report)
        spill.add(arrays_of(tally.result(False)))
        if hashes:
            begun = [s.path for s in shard.sources if s.size is not None and not s.start]
            found = {os.path.abspath(p): sha256_of(p) for p in begun if not is_url(p)}  # noqa: PTH100
            facts = {"sources": shard.facts, "sha256": found}
            text = json.dumps(facts | {"crc32": checksum_of(facts)})
            write_atomic(os.path.join(folder, f"{shard.name}.json"), text)  # noqa: PTH118
        path = os.path.join(folder, f"{shard.name}.run")  # noqa: PTH118 - may be on other machines
        write_run(path, spill.blocks(), lasting=hashes)
    return path
