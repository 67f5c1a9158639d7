"""Text to ids and back.

Words are found one after another in compiled code, as the first rule of the pre-tokenizer finds
them, and looked up in a bounded table; only those that are not in it go through the other rules
and are cut into tokens, once for each section of text.  So the time follows the distinct words,
and ids do not depend on the table, on threads or on how a file is read.

No text is lost: `Encoder.decode_bytes` gives back what was encoded, whatever the bytes.  Under
``space-prefix`` the mark stands for a space; a mark that is in the text itself becomes a space
inside a word, which nothing else does there, so that decoding, which exchanges the two again, is
exact.  A mark must not overlap itself for that, nor hold a space.
"""

from __future__ import annotations

import codecs
import copy
import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count, pairwise
from os import PathLike, fspath
from typing import Any, Literal, TypeAlias, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..corpus.columns import values_of
from ..corpus.counting import Progress, blocks
from ..corpus.pretokenizers import Pretokenizer, Splitter, character_kinds
from ..corpus.readers import documents, find_sources
from ..errors import InputError
from ..kernels._encoder import WordCache
from ..kernels._segment import SINGLE
from ..runtime.arguments import Threads, Whole, checked, shown
from ..runtime.files import atomic_writer
from ..runtime.notebook import brief
from ..runtime.parallel import bundled, in_order
from ..segmentation.segmentation import Draw, cutter, sampler
from ..vocabulary.vocabulary import Rule, Vocabulary
from .offsets import character_lengths, spans

__all__ = ["Encoded", "Encoder", "Ids", "Special", "Unit"]

Special: TypeAlias = Literal["text", "parse", "error"]
Unit: TypeAlias = Literal["bytes", "chars"]
FileFormat: TypeAlias = Literal["npy", "bin"]
Ids: TypeAlias = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
Numbers: TypeAlias = npt.NDArray[np.int32]
_Text = TypeVar("_Text", bytes, bytes | Numbers)

_SECTION = 1 << 18  # bytes of text between two turns of cutting what is new
_PART = 1 << 20  # bytes of text that one thread takes at a time
_CACHE = 1 << 26


@dataclass(frozen=True)
class Encoded:
    """What `Encoder.encode_files` wrote.

    Attributes
    ----------
    documents, bytes, ids : int
        How many of each; ids with those between documents.
    dtype : str
        Of the ids in the file.
    """

    documents: int
    bytes: int
    ids: int
    dtype: str


class Encoder:
    """Text to ids and back, with one vocabulary.

    Ids are those of the vocabulary; in everything that follows ``numbers`` are 0 to 255 for the
    bytes, 256 + t for token t, and then the special tokens in their order.

    Parameters
    ----------
    vocabulary : Vocabulary
        Tokens over bytes.
    pretokenizer : str or callable, optional
        How text becomes words, see `partcover.corpus.pretokenizers`; by default the
        vocabulary's own.  ``space-prefix`` may only stand first.  Or a function that gives
        all words of a text, which must leave nothing out: their concatenation is the text.
    rule : str, optional
        How words are cut, see `partcover.segment`; by default the vocabulary's own.
    threads : int
        Threads that share a long text, a batch or files; the ids are the same.
    cache : int
        Bytes that each thread may hold of words and what they are cut into; 0 cuts every word
        anew.
    seed : int
        For the rule ``random_path``, which cuts equal words equally; `sampling` does not.

    Raises
    ------
    InputError
        For tokens that are not over bytes, an unknown rule or pre-tokenizer, none at all, or a
        mark that cannot be undone.
    """

    @checked
    def __init__(
        self,
        vocabulary: Vocabulary,
        pretokenizer: str | Splitter | None = None,
        rule: Rule | None = None,
        *,
        threads: Threads = 1,
        cache: int = _CACHE,
        seed: int = 0,
    ) -> None:
        given = pretokenizer or vocabulary.need_pretokenizer()
        if cache < 0:
            raise InputError(f"cache is {cache}: a number of bytes, or 0, is expected")
        if vocabulary.end_of_word is not None:
            raise InputError(
                f"the vocabulary is of words that end in {vocabulary.end_of_word!r}, which no "
                "pre-tokenizer here writes: train without end_of_word"
            )
        ids = [*vocabulary.id_of, *vocabulary.special.values()]
        self.vocabulary = vocabulary
        rules = Pretokenizer.of(given)
        self.pretokenizer = rules.name
        self._given = given
        self._seed = seed
        self._drawn: dict[str, Any] | None = None  # how `sampling` draws
        self.rule: Rule = rule or vocabulary.rule
        self.threads = threads
        #: uint16 where every id fits, else uint32.
        self.dtype = np.dtype(np.uint16 if max(ids) < 1 << 16 else np.uint32)
        self._rules = rules.rules
        self._mark = _mark(self._rules[0].mark, [rule.mark for rule in self._rules[1:]])
        self._cut = cutter(vocabulary, self.rule, seed=seed)
        self._draw: Callable[..., None] | None = None
        self._samplers: dict[str, Draw] = {}
        self._cache = cache
        self._kinds = character_kinds()
        self._idle: deque[_Worker] = deque()

        texts: list[bytes] = [bytes((byte,)) for byte in range(256)]
        texts += [token for token in vocabulary if isinstance(token, bytes)]
        self._special = {_as_bytes(text, f"special token {text!r}"): len(texts) + place
                         for place, text in enumerate(vocabulary.special)}  # fmt: skip
        texts += self._special
        by_length = sorted(self._special, key=len, reverse=True)
        self._find_special = re.compile(b"(" + b"|".join(map(re.escape, by_length)) + b")")
        self._lengths = np.array([len(text) for text in texts], np.int64)
        self._lacks = np.array(ids[:256]) < 0
        self._ids = np.maximum(ids, 0).astype(self.dtype)
        self._plain = ids == list(range(len(ids)))
        self._text_of = dict(zip(ids, texts, strict=True))
        self._text_of.pop(-1, None)
        self._special_ids = frozenset(vocabulary.special.values())

    def __repr__(self) -> str:
        tokens = f"{len(self.vocabulary):,} tokens"
        drawn = None if self._drawn is None else f"drawn with seed {self._drawn['seed']}"
        return brief("Encoder", tokens, self.pretokenizer, self.rule, drawn)

    # -- copies and pickles, for processes of their own

    def __copy__(self) -> Encoder:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._samplers = dict(self._samplers)
        other._idle = deque()
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        # what it was made from: the kernels' tables are made anew, and equal encoders pickle alike
        options = {"threads": self.threads, "cache": self._cache, "seed": self._seed}
        made = self.vocabulary, self._given, self.rule, options, self._drawn
        return _restored, made

    # -- text to ids

    def encode(self, text: str | bytes, *, special: Special = "text") -> list[int]:
        """The ids of a text.

        Parameters
        ----------
        text : str or bytes
            Text is taken as UTF-8; lone surrogates U+DC80 to U+DCFF, which Python reads bytes
            that are not UTF-8 as, as those bytes.
        special : {"text", "parse", "error"}
            Special tokens in the text are text as any other, become their ids (the longest one
            first where several start), or are an error.

        Returns
        -------
        list of int
            O(len(text)) time for what is in the table, and the rule's own for what is not.

        Raises
        ------
        InputError
            For a byte without an id that no token covers, a special token where they are an
            error, or other lone surrogates.
        """
        ids: list[int] = self.encode_to_numpy(text, special=special).tolist()
        return ids

    def encode_to_numpy(self, text: str | bytes, *, special: Special = "text") -> Ids:
        """The ids of a text, as an array of `dtype`; otherwise as `encode`."""
        parts = self._parts(_as_bytes(text, "the text"), special)
        found = [
            part if isinstance(part, np.ndarray) else self._shared(part, at, self.threads)
            for at, part in _placed(parts)
        ]
        return self._to_ids(_joined(found))

    def encode_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        special: Special = "text",
        threads: int | None = None,
    ) -> list[list[int]]:
        """The ids of each text; `threads` by default the encoder's.  Otherwise as `encode`."""
        each = self.encode_each(texts, special=special, threads=threads)
        return [ids.tolist() for ids in each]

    def encode_each(
        self,
        texts: Iterable[str | bytes],
        *,
        special: Special = "text",
        threads: int | None = None,
        names: Iterable[str] | None = None,
    ) -> Iterator[Ids]:
        """The ids of each text, one array after another; texts are taken as they are needed.

        `names` are what errors call the texts, by default their numbers.  Otherwise as
        `encode_batch`.
        """
        if isinstance(texts, str | bytes):
            raise InputError("texts is one text: give a list of texts, or use encode")
        texts = values_of(texts, "texts", "a list of texts")

        _check_special(special)
        called = iter(names) if names is not None else map("text {}".format, count(1))

        def checked() -> Iterator[tuple[tuple[str, int, bytes], int]]:
            at = 0
            for text in texts:
                name = next(called, None)
                if name is None:
                    raise InputError("there are fewer names than texts")
                data = _as_bytes(text, name)
                yield (name, at, data), len(data)
                at += len(data)

        def work(job: list[tuple[str, int, bytes]]) -> list[Ids]:
            done = []
            with self._worker() as worker:
                for name, at, text in job:
                    with _naming(name):
                        done.append(
                            self._to_ids(_joined(worker.of(self._parts(text, special), at)))
                        )
            return done

        share = self.threads if threads is None else _number_of(threads)
        for done in in_order(work, bundled(checked(), _SECTION), share):
            yield from done

    def sample(
        self,
        text: str | bytes,
        *,
        seed: int,
        dropout: float | None = None,
        alpha: float | None = None,
        special: Special = "text",
    ) -> list[int]:
        """The ids of a text, cut at random; `encode` of `sampling`.

        Parameters
        ----------
        text, special
            As in `encode`.
        seed, dropout, alpha
            As in `sampling`.

        Returns
        -------
        list of int
            `decode` gives the text back.

        Raises
        ------
        InputError
            As in `encode` and `sampling`.
        """
        drawn = self.sampling(seed=seed, dropout=dropout, alpha=alpha)
        return drawn.encode(text, special=special)

    def sampling(
        self, *, seed: int, dropout: float | None = None, alpha: float | None = None
    ) -> Encoder:
        """An encoder that cuts words at random around the rule: subword regularization.

        A model that meets a word in many segmentations learns more of what it is made of.  Each
        occurrence is drawn afresh, by the seed, the word and the bytes of text before it in the
        call: a call gives the same ids again, whatever the threads, and another seed (of each
        epoch, say) gives others.

        Parameters
        ----------
        seed : int
            Any; it counts modulo 2^64.
        dropout : float
            For ``merges`` (BPE-dropout, Provilkov et al. 2020) and ``longest_match``
            (MaxMatch-dropout, Hiraoka 2022): how likely a merge, or a token, is left out each
            time it is met; from 0, the rule itself, to 1, single bytes.  0.1 is usual.  Under
            ``merges`` a word that is a token has no precedence then, so tokens that merges do
            not make are lost.
        alpha : float
            For ``likelihood`` (subword regularization, Kudo 2018) and ``shortest_path``: a
            segmentation is as likely as exp(alpha · sum of scores), or exp(−alpha · tokens),
            over all of the word's; from 0, where all are equally likely, to infinity, those of
            fewest tokens (``shortest_path``).  ``random_path`` is that, and takes neither
            (PathPieceR, Schmidt et al. 2024).

        Returns
        -------
        Encoder
            With the same vocabulary, whose every method draws; it has no table of words.

        Raises
        ------
        InputError
            If the rule cannot be drawn from, `dropout` or `alpha` is missing, out of range, or of
            another rule, or the seed is no integer.
        """
        if not _of_integers(type(seed)):
            raise InputError(f"seed is {shown(seed)}: an integer is expected")
        asked = repr((dropout, alpha))
        if asked not in self._samplers:
            self._samplers.clear()
            self._samplers[asked] = sampler(
                self.vocabulary, self.rule, dropout=dropout, alpha=alpha
            )
        drawn = copy.copy(self)
        drawn._drawn = {"seed": int(seed), "dropout": dropout, "alpha": alpha}
        drawn._draw = partial(self._samplers[asked], seed=int(seed) % 2**64)
        drawn._cache = 0
        return drawn

    @checked
    def encode_with_offsets(
        self,
        text: str | bytes,
        *,
        unit: Unit = "bytes",
        special: Special = "text",
        after: Whole = 0,
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """The ids of a text, and where in it each token stands.

        Parameters
        ----------
        text, special
            As in `encode`.
        unit : {"bytes", "chars"}
            Of the offsets.  Where a token ends inside a character, or inside the mark of a
            space, its span has all of that.
        after : int
            Bytes of the texts before this one, which draws of `sampling` depend on: with them
            the ids are those of `encode_each`.

        Returns
        -------
        ids : list of int
            As `encode` gives them.
        offsets : list of (int, int)
            Start and end of each token.

        Raises
        ------
        InputError
            As in `encode`, or for an unknown unit.
        """
        data = _as_bytes(text, "the text")
        numbers: list[Numbers] = []
        starts: list[npt.NDArray[np.int64]] = []
        ends: list[npt.NDArray[np.int64]] = []
        base = 0
        for at, part in _placed(self._parts(data, special), after):
            if isinstance(part, np.ndarray):
                numbers.append(part)
                size = int(self._lengths[part[0]])
                span = np.array([0]), np.array([size])
            else:
                numbers.append(self._shared(part, at, self.threads))
                lengths = self._lengths[numbers[-1]]
                stop = np.cumsum(lengths)
                span = stop - lengths, stop
                if len(self._mark) > 1:
                    span = spans(self._images(part), *span)
                size = len(part)
            starts.append(span[0] + base)
            ends.append(span[1] + base)
            base += size
        start, end = (np.concatenate([np.zeros(0, np.int64), *found]) for found in (starts, ends))
        if unit == "chars":
            start, end = spans(character_lengths(data), start, end)
        offsets = list(zip(start.tolist(), end.tolist(), strict=True))
        return self._to_ids(_joined(numbers)).tolist(), offsets

    def encode_files(
        self,
        paths: str | PathLike[str] | Iterable[str | PathLike[str]],
        out: str | PathLike[str],
        *,
        file_format: FileFormat | None = None,
        dtype: npt.DTypeLike | None = None,
        key: str = "text",
        end_of_document: str | None = None,
        special: Special = "text",
        threads: int | None = None,
        progress: Progress | None = None,
        all_files: bool = False,
    ) -> Encoded:
        """Write the ids of files to one array on disk.

        Text is streamed: memory is a few megabytes a thread and its table, unless the
        pre-tokenizer takes a document as one word, or `special` has each looked through as a
        whole.  The file is written aside and renamed when it is complete.

        Parameters
        ----------
        paths : path or iterable of path
            As `WordCounts.from_files` takes them.
        out : path
            The file to write.
        file_format : {"npy", "bin"}, optional
            NumPy's format, or the ids alone, little-endian; by default the first where `out`
            ends in ``.npy``.
        dtype : dtype, optional
            An integer type; by default `dtype` of the encoder.
        key : str
            Field (JSON lines) or column (Parquet) that holds the text.
        end_of_document : str, optional
            The special token written after each document.
        special : {"text", "parse", "error"}
            As in `encode`.
        threads : int, optional
            By default the encoder's; the file is the same.
        progress : callable, optional
            ``progress(bytes_done, bytes_total_or_None)``.
        all_files : bool
            Take the files of a folder whatever their names end in, what is not known as plain
            text.

        Returns
        -------
        Encoded
            What was written.

        Raises
        ------
        InputError
            For input that cannot be read or encoded, an `out` that cannot be written, a `dtype`
            that does not hold every id, an unknown format, or an unknown special token.
        MissingExtra
            If Zstandard or Parquet is to be read and its library is not installed.
        """
        file_format = file_format or ("npy" if fspath(out).endswith(".npy") else "bin")
        if file_format not in get_args(FileFormat):
            raise InputError(f"unknown file_format {file_format!r}: use 'npy' or 'bin'")
        kind = self._checked_dtype(dtype)
        share = self.threads if threads is None else _number_of(threads)
        _check_special(special)
        ending: list[Numbers] = []
        if end_of_document is not None:
            place = self._special.get(_as_bytes(end_of_document, "the end of documents"))
            if place is None:
                known = ", ".join(map(repr, self.vocabulary.special)) or "none"
                raise InputError(
                    f"end of document {end_of_document!r} is no special token of the vocabulary; "
                    f"there is {known}"
                )
            ending = [np.array([place], np.int32)]
        listed = [paths] if isinstance(paths, str | PathLike) else paths
        sources = find_sources(listed, all_files=all_files)
        sizes = [source.size for source in sources]
        total = None if None in sizes else sum(size or 0 for size in sizes)
        read = text_bytes = document_count = written = 0

        def report(more: int) -> None:
            nonlocal read
            read += more
            if progress is not None:
                progress(read, total)

        def pieces() -> Iterator[tuple[tuple[str, int, bytes, bool], int]]:
            """Blocks of text: the document, where in all text, and whether it is the last."""
            nonlocal text_bytes, document_count
            for source in sources:
                for document in documents(source, key=key, report=report):
                    document_count += 1
                    chunks = blocks(document.chunks, self._rules[0], document)
                    if special != "text":
                        chunks = iter((document.together(),))
                    where, held = document.where, b""
                    for block in chunks:
                        if held:
                            yield (where, text_bytes - len(held), held, False), len(held)
                        held = block
                        text_bytes += len(block)
                    yield (where, text_bytes - len(held), held, True), len(held)

        def work(job: list[tuple[str, int, bytes, bool]]) -> npt.NDArray[Any]:
            found: list[Numbers] = []
            with self._worker() as worker:
                for where, at, block, last in job:
                    with _naming(where):
                        found += worker.of(self._parts(block, special), at)
                    if last:
                        found += ending
            return self._to_ids(_joined(found)).astype(kind, copy=False)

        with atomic_writer(out) as file:
            if file_format == "npy":
                if not file.seekable():
                    raise InputError(f"{fspath(out)}: the npy format needs a file; use bin")
                file.write(_npy_header(kind, 0))
            for ids in in_order(work, bundled(pieces(), _PART), share):
                file.write(ids.data)
                written += len(ids)
            if file_format == "npy":
                file.seek(0)
                file.write(_npy_header(kind, written))
        return Encoded(document_count, text_bytes, written, kind.name)

    # -- ids to text

    def decode_bytes(self, ids: Iterable[int] | npt.NDArray[Any]) -> bytes:
        """The bytes that ids stand for, special tokens as their text.

        Raises
        ------
        InputError
            For an id that the vocabulary does not have, saying where; for an array that is not
            one of integers.
        """
        if not isinstance(ids, Sequence | np.ndarray) or isinstance(ids, str | bytes):
            if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
                raise InputError(f"ids are {shown(ids)}: a list or array of integers is expected")
            ids = list(ids)
        if isinstance(ids, np.ndarray) and (ids.ndim != 1 or ids.dtype.kind not in "iu"):
            raise InputError(
                f"ids are an array of {ids.dtype} with {ids.ndim} axes: integers along one "
                "are expected"
            )
        done: list[bytes] = []
        run: list[bytes] = []  # since the last special token, marks not yet exchanged
        for first in range(0, len(ids), _SECTION):
            # a section at a time: as Python objects, ids take twenty times the space of an array
            part = ids[first : first + _SECTION]
            numbers = part.tolist() if isinstance(part, np.ndarray) else part
            texts = self._texts(numbers, first)
            begin = 0
            if self._mark != b" " and not self._special_ids.isdisjoint(numbers):
                for place, number in enumerate(numbers):
                    if number in self._special_ids:
                        run.append(b"".join(texts[begin:place]))
                        done += [_exchange(b"".join(run), self._mark), texts[place]]
                        run = []
                        begin = place + 1
            run.append(b"".join(texts[begin:]))
        text = b"".join(run)
        return b"".join([*done, text if self._mark == b" " else _exchange(text, self._mark)])

    def _texts(self, numbers: Sequence[int], first: int) -> list[bytes]:
        """What each id stands for; `first` is the place of the first of them among all."""
        try:
            if all(map(_of_integers, set(map(type, numbers)))):
                return [self._text_of[number] for number in numbers]
        except KeyError:
            pass
        place, wrong = next(
            (place, number)
            for place, number in enumerate(numbers, first)
            if not _of_integers(type(number)) or number not in self._text_of
        )
        raise InputError(f"id {wrong!r}, number {place} of the ids, is not in the vocabulary")

    def decode(self, ids: Iterable[int] | npt.NDArray[Any], errors: str = "strict") -> str:
        """The text that ids stand for.

        Parameters
        ----------
        ids : iterable of int, or ndarray of integers
            What to decode.
        errors : str
            What to do with bytes that are not UTF-8, as in `bytes.decode`: ``strict`` refuses
            them, ``replace`` puts U+FFFD there, ``surrogateescape`` keeps them.

        Raises
        ------
        InputError
            As `decode_bytes`; for bytes that are not UTF-8 under ``strict``; for an unknown
            `errors`.
        """
        try:
            codecs.lookup_error(errors)(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "a trial"))
        except UnicodeDecodeError:
            pass
        except (LookupError, TypeError, ValueError):  # some are for encoding alone
            raise InputError(
                f"unknown errors {errors!r}: use 'strict', 'replace', 'ignore', "
                "'backslashreplace' or 'surrogateescape'"
            ) from None
        try:
            return self.decode_bytes(ids).decode("utf-8", errors)
        except UnicodeDecodeError as error:
            raise InputError(
                f"byte {error.start} of the decoded text is not UTF-8: --errors replace "
                "(errors='replace') puts U+FFFD there, keep (decode_bytes) keeps it"
            ) from None

    # -- parts

    def _parts(self, text: bytes, special: Special) -> list[bytes | Numbers]:
        """A text cut at its special tokens, each a number already."""
        _check_special(special)
        if special == "text" or not self._special:
            return [text]
        if special == "error":
            if found := self._find_special.search(text):
                raise InputError(
                    f"the text has the special token {found[0].decode('utf-8', 'replace')!r} at "
                    f"byte {found.start()}: --special parse (special='parse') takes it as such, "
                    "text as text"
                )
            return [text]
        return [
            np.array([self._special[part]], np.int32) if place % 2 else part
            for place, part in enumerate(self._find_special.split(text))
        ]

    @contextmanager
    def _worker(self) -> Iterator[_Worker]:
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = _Worker(self)
        yield worker
        self._idle.append(worker)  # one that has failed is not used again

    def _shared(self, text: bytes, at: int, threads: int) -> Numbers:
        """The numbers of a text that starts at `at`, by several threads where it is long."""

        def work(job: tuple[int, bytes]) -> Numbers:
            with self._worker() as worker:
                return worker.numbers(job[1], job[0])

        if threads == 1 or len(text) <= _PART:
            return work((at, text))
        chunks = (text[at : at + _PART] for at in range(0, len(text), _PART))
        jobs = _placed(blocks(chunks, self._rules[0]), at)
        return _joined(list(in_order(work, jobs, threads)))

    def _to_ids(self, numbers: Numbers) -> Ids:
        return numbers.astype(self.dtype) if self._plain else self._ids[numbers]

    def _images(self, text: bytes) -> npt.NDArray[np.int64]:
        """How many bytes each byte of a text becomes when mark and space are exchanged."""
        lengths = np.ones(len(text), np.int64)
        lengths[np.frombuffer(text, np.uint8) == 0x20] = len(self._mark)
        for found in re.finditer(re.escape(self._mark), text):
            lengths[found.start() + 1 : found.end()] = 0
        return lengths

    def _checked_dtype(self, dtype: npt.DTypeLike | None) -> np.dtype[Any]:
        if dtype is None:
            return self.dtype.newbyteorder("<")
        try:
            kind = np.dtype(dtype)
        except TypeError:
            raise InputError(f"dtype {dtype!r} is none of NumPy's") from None
        largest = max(self._text_of)
        if kind.kind not in "iu" or largest > np.iinfo(kind).max:
            raise InputError(f"dtype {kind.name} does not hold every id, up to {largest:,}")
        return kind.newbyteorder("<")


class _Worker:
    """What one thread encodes with."""

    def __init__(self, encoder: Encoder) -> None:
        self.rules = encoder._rules
        self.cut = encoder._cut
        self.draw = encoder._draw
        self.lacks = encoder._lacks if encoder._lacks.any() else None
        self.mark = encoder._mark
        self.cache = WordCache(self.rules[0].finder, encoder._kinds, encoder._mark, encoder._cache)

    def of(self, parts: Iterable[bytes | Numbers], first: int) -> list[Numbers]:
        return [
            part if isinstance(part, np.ndarray) else self.numbers(part, at)
            for at, part in _placed(parts, first)
        ]

    def numbers(self, text: bytes, first: int) -> Numbers:
        """The numbers of a text, whose first byte is byte `first` of all."""
        found = []
        at = 0
        while at < len(text):
            at, misses = self.cache.find(text, at, at + _SECTION)
            if misses:
                self.learn(text, first)
            found.append(self.cache.take())
        return _joined(found)

    def learn(self, text: bytes, first: int) -> None:
        """Cut the words that `find` did not know."""
        data, offsets = self.cache.missed(text)
        words = offsets if len(self.rules) == 1 else self.cut_further(data, offsets)
        if int(np.diff(words).max()) >= 2**31 - 1:
            raise InputError("a word has 2^31 bytes or more: use another pre-tokenizer")
        which = np.empty(len(data), np.int32)
        if self.draw is None:
            self.cut(data, words, 0, len(words) - 1, which)
        else:
            draws = self.occurrences(offsets, words, first)
            self.draw(data, words, 0, len(words) - 1, which, draws)
        if self.lacks is not None:
            bad = np.flatnonzero((which == SINGLE) & self.lacks[data])
            if len(bad):
                word = int(np.searchsorted(words, bad[0], "right"))
                shown = sym.show(data[words[word - 1] : words[word]][:80].tobytes())
                raise InputError(
                    f"byte 0x{int(data[bad[0]]):02X}, in the word '{shown}', has no id in the "
                    "vocabulary"
                )
        self.cache.learn(offsets, data, which)

    def occurrences(
        self, offsets: npt.NDArray[np.int64], words: npt.NDArray[np.int64], first: int
    ) -> npt.NDArray[np.int64]:
        """A number for each word, by where it starts: no other has it.

        A word grows by less than a mark when mark and space are exchanged, so its parts stay
        below the next one's number if all are that far apart.
        """
        place = np.searchsorted(offsets, words[:-1], "right") - 1
        starts = first + self.cache.passed()[place]
        return starts * len(self.mark) + words[:-1] - offsets[place]

    def cut_further(
        self, data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Where words start when the rules after the first have cut them as well."""
        text, ends = data.tobytes(), offsets.tolist()
        lengths: list[int] = []
        for start, end in pairwise(ends):
            words = [text[start:end].decode("utf-8", "surrogateescape")]
            for rule in self.rules[1:]:
                parts = [part for word in words for part in rule.words(word)]
                if rule.given and "".join(parts) != "".join(words):
                    raise InputError(
                        "the words of the pre-tokenizer, joined, are not the text again: an "
                        "encoder's must neither leave out nor change anything "
                        f"(text {shown(''.join(words))}, words {shown(' | '.join(parts[:3]))})"
                    )
                words = parts
            lengths += [len(word.encode("utf-8", "surrogateescape")) for word in words]
        starts = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=starts[1:])
        return starts


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Name the text in what is wrong with it."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _of_integers(kind: type) -> bool:
    """Whether values of a type are integers; True and 1.0 would pass for ids 1."""
    return kind is int or (issubclass(kind, int | np.integer) and kind is not bool)


def _restored(
    vocabulary: Vocabulary,
    pretokenizer: str | Splitter,
    rule: Rule,
    options: dict[str, Any],
    drawn: dict[str, Any] | None,
) -> Encoder:
    """The inverse of `Encoder.__reduce__`."""
    encoder = Encoder(vocabulary, pretokenizer, rule, **options)
    return encoder if drawn is None else encoder.sampling(**drawn)


@checked
def _number_of(threads: Threads) -> int:
    return threads


def _check_special(special: str) -> None:
    if not isinstance(special, str) or special not in get_args(Special):
        raise InputError(f"special is {shown(special)}: use 'text', 'parse' or 'error'")


def _as_bytes(text: object, what: str) -> bytes:
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise InputError(f"{what} is {shown(text)}: str or bytes is expected")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise InputError(f"{what} has a lone surrogate, not UTF-8") from None


def _mark(mark: str | None, others: Iterable[str | None]) -> bytes:
    """What stands for a space in front of a word; a space where nothing does."""
    if any(other not in (None, " ") for other in others):
        raise InputError("space-prefix must be the first rule, or its mark cannot be undone")
    data = _as_bytes(mark or " ", "the mark of space-prefix")
    if data != b" " and (b" " in data or any(data[:n] == data[-n:] for n in range(1, len(data)))):
        raise InputError(
            f"the mark {mark!r} cannot be told from text (it holds a space, or overlaps itself): "
            "use a single character"
        )
    return data


def _exchange(text: bytes, mark: bytes) -> bytes:
    """Mark and space exchanged: its own inverse, as a mark neither overlaps itself nor a space."""
    return b" ".join(part.replace(b" ", mark) for part in text.split(mark))


def _placed(parts: Iterable[_Text], first: int = 0) -> Iterator[tuple[int, _Text]]:
    """Parts, each with the bytes of text before it; a special token is none."""
    for part in parts:
        yield first, part
        first += len(part) if isinstance(part, bytes) else 0


def _joined(found: Sequence[Numbers]) -> Numbers:
    if len(found) == 1:
        return found[0]
    return np.concatenate([np.zeros(0, np.int32), *found])


def _npy_header(dtype: np.dtype[Any], size: int) -> bytes:
    """NumPy's header, which has the same length for any size."""
    header = io.BytesIO()
    described = {"descr": dtype.str, "fortran_order": False, "shape": (size,)}
    np.lib.format.write_array_header_1_0(header, described)
    return header.getvalue()
