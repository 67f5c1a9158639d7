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

import copy
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count
from os import PathLike
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.columns import values_of
from ..corpus.pretokenizers import Pretokenizer, Splitter
from ..errors import InputError
from ..runtime.arguments import Threads, Whole, checked, shown
from ..runtime.notebook import brief
from ..runtime.parallel import batches, ordered_map
from ..runtime.progress import Progress
from ..segmentation.cutters import cutter, sampler
from ..segmentation.protocols import Draw
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .decoding import Decoder
from .file_encoding import Block, Encoded, FileFormat, FileText, checked_dtype, format_of, write_ids
from .offsets import character_lengths, spans, token_spans
from .text import (
    Numbers,
    Special,
    SpecialTokens,
    as_bytes,
    check_special,
    is_integer_type,
    joined,
    naming,
    placed,
    space_mark,
)
from .worker import PART, SECTION, Workers

__all__ = ["Encoded", "Encoder", "Ids", "Special", "Unit"]

Unit: TypeAlias = Literal["bytes", "chars"]
Ids: TypeAlias = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]

_CACHE = 1 << 26


class Encoder(Decoder):
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
        rule: SegmentationRule | None = None,
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
        self.rule: SegmentationRule = rule or vocabulary.rule
        self.threads = threads
        #: uint16 where every id fits, else uint32.
        self.dtype = np.dtype(np.uint16 if max(ids) < 1 << 16 else np.uint32)
        self._rules = rules.rules
        mark = space_mark(self._rules[0].mark, [rule.mark for rule in self._rules[1:]])
        self._cut = cutter(vocabulary, self.rule, seed=seed)
        self._draw: Callable[..., None] | None = None
        self._samplers: dict[str, Draw] = {}
        self._cache = cache

        texts: list[bytes] = [bytes((byte,)) for byte in range(256)]
        texts += [token for token in vocabulary if isinstance(token, bytes)]
        self._special = SpecialTokens(vocabulary.special, len(texts))
        texts += self._special.numbers
        self._lengths = np.array([len(text) for text in texts], np.int64)
        self._lacks = np.array(ids[:256]) < 0
        self._ids = np.maximum(ids, 0).astype(self.dtype)
        self._plain = ids == list(range(len(ids)))
        text_of = dict(zip(ids, texts, strict=True))
        text_of.pop(-1, None)
        super().__init__(text_of, vocabulary.special.values(), mark)
        self._workers = self._new_workers()

    def __repr__(self) -> str:
        tokens = f"{len(self.vocabulary):,} tokens"
        drawn = None if self._drawn is None else f"drawn with seed {self._drawn['seed']}"
        return brief("Encoder", tokens, self.pretokenizer, self.rule, drawn)

    def __copy__(self) -> Encoder:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._samplers = dict(self._samplers)
        other._workers = other._new_workers()
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
        parts = self._special.cut(as_bytes(text, "the text"), special)
        found = [
            part if isinstance(part, np.ndarray) else self._workers.numbers(part, at, self.threads)
            for at, part in placed(parts)
        ]
        return self._to_ids(joined(found))

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

        check_special(special)
        called = iter(names) if names is not None else map("text {}".format, count(1))

        def checked() -> Iterator[tuple[tuple[str, int, bytes], int]]:
            at = 0
            for text in texts:
                name = next(called, None)
                if name is None:
                    raise InputError("there are fewer names than texts")
                data = as_bytes(text, name)
                yield (name, at, data), len(data)
                at += len(data)

        def work(job: list[tuple[str, int, bytes]]) -> list[Ids]:
            done = []
            with self._workers.one() as worker:
                for name, at, text in job:
                    with naming(name):
                        done.append(
                            self._to_ids(joined(worker.of(self._special.cut(text, special), at)))
                        )
            return done

        share = self.threads if threads is None else thread_count(threads)
        for done in ordered_map(work, batches(checked(), SECTION), share):
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
        if not is_integer_type(type(seed)):
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
        drawn._workers = drawn._new_workers()
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
        data = as_bytes(text, "the text")
        numbers: list[Numbers] = []
        starts: list[npt.NDArray[np.int64]] = []
        ends: list[npt.NDArray[np.int64]] = []
        base = 0
        for at, part in placed(self._special.cut(data, special), after):
            if isinstance(part, np.ndarray):
                numbers.append(part)
                size = int(self._lengths[part[0]])
                span = np.array([0]), np.array([size])
            else:
                numbers.append(self._workers.numbers(part, at, self.threads))
                span = token_spans(part, self._lengths[numbers[-1]], self._mark)
                size = len(part)
            starts.append(span[0] + base)
            ends.append(span[1] + base)
            base += size
        start, end = (np.concatenate([np.zeros(0, np.int64), *found]) for found in (starts, ends))
        if unit == "chars":
            start, end = spans(character_lengths(data), start, end)
        offsets = list(zip(start.tolist(), end.tolist(), strict=True))
        return self._to_ids(joined(numbers)).tolist(), offsets

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
        progress : Progress, optional
            Gets the bytes read and their total (None where unknown).
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
        file_format = format_of(out, file_format)
        kind = checked_dtype(dtype, self.dtype, max(self._text_of))
        share = self.threads if threads is None else thread_count(threads)
        check_special(special)
        ending = [] if end_of_document is None else [self._special.ending(end_of_document)]
        text = FileText(
            paths, self._rules[0], key=key, whole=special != "text", all_files=all_files,
            progress=progress or Progress(),
        )  # fmt: skip

        def work(job: list[Block]) -> npt.NDArray[Any]:
            found: list[Numbers] = []
            with self._workers.one() as worker:
                for where, at, block, last in job:
                    with naming(where):
                        found += worker.of(self._special.cut(block, special), at)
                    if last:
                        found += ending
            return self._to_ids(joined(found)).astype(kind, copy=False)

        arrays = ordered_map(work, batches(text.blocks(), PART), share)
        written = write_ids(arrays, out, file_format, kind)
        return Encoded(text.document_count, text.bytes, written, kind.name)

    def _new_workers(self) -> Workers:
        cut, lacks = self._draw or self._cut, self._lacks
        drawn = self._draw is not None
        return Workers(self._rules, cut, lacks, self._mark, self._cache, drawn=drawn)

    def _to_ids(self, numbers: Numbers) -> Ids:
        return numbers.astype(self.dtype) if self._plain else self._ids[numbers]


def _restored(
    vocabulary: Vocabulary,
    pretokenizer: str | Splitter,
    rule: SegmentationRule,
    options: dict[str, Any],
    drawn: dict[str, Any] | None,
) -> Encoder:
    """The inverse of `Encoder.__reduce__`."""
    encoder = Encoder(vocabulary, pretokenizer, rule, **options)
    return encoder if drawn is None else encoder.sampling(**drawn)


@checked
def thread_count(threads: Threads) -> int:
    return threads
