"""Holds counted words: the corpus as partcover sees it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..kernels import _word_lines
from ..runtime.arguments import Threads, Whole, checked, shown
from ..runtime.files import atomic_writer
from ..runtime.files import shown as shown_path
from ..runtime.notebook import brief, html_table
from ..runtime.pickling import by_fields
from . import symbols as sym
from . import tsv
from .columns import Table, pairs_of, values_of
from .counting import Progress, count_files, count_texts
from .pretokenizers import Pretokenizer, Splitter
from .symbols import Symbols, Token
from .tsv import Arrays, Header

__all__ = ["WordCounts"]

_MAX = 2**63 - 1
_AT_ONCE = 1 << 16  # words that are written to memory before they go on


@dataclass(frozen=True, eq=False)
class WordCounts:
    """Distinct non-empty words with counts of at least one, held as flat arrays.

    Attributes
    ----------
    data : ndarray, shape (total symbols,), uint8 | int32 | int64
        The symbols of all words, one word after another.
    offsets : ndarray of int64, shape (words + 1,)
        Word ``w`` is ``data[offsets[w]:offsets[w + 1]]``.
    counts : ndarray of int64, shape (words,)
        How often each word occurs.
    symbols : {"bytes", "chars", "ints"}
        The alphabet.
    pretokenizer : str or None
        How text was cut into these words (see `partcover.corpus.pretokenizers`), where that is
        known.

    Raises
    ------
    InputError
        If a word is empty, a count is below one, or the number of symbols in the counted
        corpus does not fit in int64.  (Words are distinct by construction: build with
        `from_counts` and its companions.)
    """

    data: npt.NDArray[Any]
    offsets: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    symbols: Symbols = "bytes"
    pretokenizer: str | None = None

    def __post_init__(self) -> None:
        if self.counts.size:
            if int(self.counts.min()) < 1:
                raise InputError("a count is below 1")
            if int(np.diff(self.offsets).min()) < 1:
                raise InputError("a word is empty")
        # a bound in floats first: exact big-int summation only where it is near the limit
        lengths = np.diff(self.offsets)
        if float(np.dot(self.counts.astype(float), lengths.astype(float))) > 2.0**62:
            exact = sum(c * n for c, n in zip(self.counts.tolist(), lengths.tolist(), strict=True))
            if exact > _MAX:
                raise InputError(
                    f"the counted corpus has {exact} symbols, more than int64 holds: scale the "
                    "counts down"
                )
        for array in (self.data, self.offsets, self.counts):
            array.setflags(write=False)

    __reduce__ = by_fields

    @classmethod
    @checked
    def from_counts(
        cls,
        counts: Mapping[Any, int] | Iterable[Any] | Table,
        symbols: Symbols = "bytes",
        *,
        pretokenizer: str | None = None,
    ) -> WordCounts:
        """Build from a mapping, or from (word, count) pairs; duplicates are summed.

        Parameters
        ----------
        counts : mapping, iterable of pairs, or table
            Words to counts; a series of pandas whose index is the words; a data frame of pandas
            or polars or an Arrow table, with columns ``word`` and ``count`` or with two columns,
            words first.
        symbols : {"bytes", "chars", "ints"}
            Words are bytes or text (taken as UTF-8) for ``"bytes"``, text for ``"chars"``, and
            sequences of non-negative integers for ``"ints"``.
        pretokenizer : str, optional
            What they were counted with, if it is known; it is only noted.

        Raises
        ------
        InputError
            For anything else, a word that is empty or not over the symbols, or a count below 1.
        """
        table: dict[Token, int] = {}
        for pair in pairs_of(counts):
            if not isinstance(pair, Sequence) or isinstance(pair, str | bytes) or len(pair) != 2:
                raise InputError(f"counts hold {shown(pair)}: pairs of a word and a count expected")
            word, count = pair
            token = sym.to_token(word, symbols)
            if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
                raise InputError(
                    f"the count of {sym.show(token)!r} is {shown(count)}: a whole number of at "
                    "least 1 is expected"
                )
            if not token:
                raise InputError("a word is empty")
            table[token] = table.get(token, 0) + int(count)
            if table[token] > _MAX:
                raise InputError(f"the count of {sym.show(token)!r} does not fit in int64")
        lengths = np.fromiter((len(word) for word in table), np.int64, len(table))
        offsets = np.zeros(len(table) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        data: npt.NDArray[Any]
        if symbols == "bytes":
            data = np.frombuffer(b"".join(table), np.uint8).copy()  # type: ignore[arg-type]
        elif table:
            data = np.concatenate([sym.to_array(word) for word in table])
        else:
            data = np.zeros(0, sym.DTYPES[symbols])
        sizes = np.fromiter(table.values(), np.int64, len(table))
        return cls(data, offsets, sizes, symbols, pretokenizer)

    @classmethod
    @checked
    def from_words(
        cls,
        words: Iterable[Any] | Table,
        symbols: Symbols = "bytes",
        *,
        pretokenizer: str | None = None,
    ) -> WordCounts:
        """Count an iterable of words; otherwise as `from_counts`.

        Raises
        ------
        InputError
            For a mapping, whose counts would be lost, one text, or a whole table.
        """
        if isinstance(words, Mapping):
            raise InputError(
                f"from_words counts words, and a {type(words).__name__} of words to counts is "
                "given: use WordCounts.from_counts"
            )
        table: dict[Token, int] = {}
        for word in values_of(words, "words", "a list of words"):
            token = sym.to_token(word, symbols)
            table[token] = table.get(token, 0) + 1
        return cls.from_counts(table, symbols, pretokenizer=pretokenizer)

    @classmethod
    @checked
    def from_files(
        cls,
        paths: str | PathLike[str] | Iterable[str | PathLike[str]],
        *,
        pretokenizer: str | Splitter = "space-prefix",
        symbols: Symbols = "bytes",
        key: str = "text",
        threads: Threads = 1,
        progress: Progress | None = None,
        all_files: bool = False,
        skipped: Counter[str] | None = None,
    ) -> WordCounts:
        """Count the words of text files.

        Text is streamed: memory follows the distinct words, not the text, unless the
        pre-tokenizer takes a whole document as one word.

        Parameters
        ----------
        paths : path or iterable of path
            Plain text, ``.jsonl``, ``.parquet``, each of the first two also ``.gz`` or ``.zst``;
            folders, searched recursively; ``-`` for standard input.  See
            `partcover.corpus.readers`.
        pretokenizer : str or callable
            How text is cut into words: see `partcover.corpus.pretokenizers`; or a function that
            gives all words of a text, a document at a time, in any thread.
        symbols : {"bytes", "chars"}
            The alphabet of the words; ``"chars"`` needs UTF-8.
        key : str
            Field (JSON lines) or column (Parquet) that holds the text.
        threads : int
            Threads; the result does not depend on it.
        progress : callable, optional
            ``progress(bytes_done, bytes_total_or_None)``, called by one thread at a time.
        all_files : bool
            Take the files of a folder whatever their names end in, what is not known as plain
            text; and a counts file as text.
        skipped : Counter, optional
            How many files of folders were passed over is added up here, by reason.

        Returns
        -------
        WordCounts
            Ordered by count descending, then word ascending.

        Raises
        ------
        InputError
            For a file that cannot be read, is damaged, is cut short while it is read or holds
            words that are counted already; bytes that are not UTF-8 where
            characters are asked for, an unknown pre-tokenizer, or no words at all.
        MissingExtra
            If Zstandard or Parquet is to be read and its library is not installed.
        """
        rules = Pretokenizer.of(pretokenizer)
        _need_text(symbols)
        listed = [paths] if isinstance(paths, str | PathLike) else list(paths)
        arrays = count_files(
            listed,
            rules,
            utf8=symbols == "chars",
            key=key,
            threads=threads,
            progress=progress,
            all_files=all_files,
            skipped=skipped,
        )
        source = ", ".join(map(shown_path, listed)) or "no files"
        return cls._counted(arrays, Header(_name(pretokenizer), symbols), source)

    @classmethod
    @checked
    def from_texts(
        cls,
        texts: Iterable[str | bytes] | Table,
        *,
        pretokenizer: str | Splitter = "space-prefix",
        symbols: Symbols = "bytes",
    ) -> WordCounts:
        """Count the words of texts, each a document of its own; otherwise as `from_files`."""
        if isinstance(texts, str | bytes):
            raise InputError("texts is one text: give a list of texts")
        _need_text(symbols)
        listed = values_of(texts, "texts", "a list of texts")
        arrays = count_texts(listed, Pretokenizer.of(pretokenizer), symbols == "chars")
        return cls._counted(arrays, Header(_name(pretokenizer), symbols), "texts")

    @classmethod
    def _counted(cls, arrays: Arrays, header: Header, source: str) -> WordCounts:
        data, offsets, counts = arrays
        pretokenizer, symbols = header.pretokenizer, header.symbols or "bytes"
        if not counts.size:
            raise InputError(f"{source}: empty corpus, there are no words")
        if symbols == "bytes":
            return cls(data, offsets, counts, symbols, pretokenizer)
        # a character starts at every byte that is not 10xxxxxx
        starts = np.concatenate([[0], np.cumsum((data & 0xC0) != 0x80)])
        points = np.frombuffer(data.tobytes().decode("utf-8").encode("utf-32-le"), np.int32)
        return cls(points, starts[offsets], counts, symbols, pretokenizer)

    @classmethod
    @checked
    def load(cls, path: str | PathLike[str], symbols: Symbols | None = None) -> WordCounts:
        """Read a counted-words TSV; ``-`` is standard input.

        Words keep the order in which the file first has them; duplicates are summed.  See
        `partcover.corpus.tsv` for the format.  Without `symbols` they are what the file says, or
        bytes.

        Raises
        ------
        InputError
            If the file cannot be read or has no words; for a line that does not parse, with its
            number; for symbols other than those the file says.
        """
        read, header = tsv.read(path, symbols)
        symbols, name = header.symbols or "bytes", header.pretokenizer
        if isinstance(read, dict):
            words = cls.from_counts(read, symbols, pretokenizer=name)
        else:
            words = cls(*read, symbols, name)
        if not len(words):
            raise InputError(f"{shown_path(path)}: empty corpus, there are no words")
        return words

    @checked
    def save(self, path: str | PathLike[str]) -> None:
        """Write a counted-words TSV (aside, then renamed); ``-`` is standard output.

        `load` gives the same words, in the same order, back, and how they were counted.
        """
        arrays = self._over_bytes()
        with atomic_writer(path) as file:
            file.write(tsv.format_header(Header(self.pretokenizer, self.symbols)))
            if arrays is None:
                file.writelines(tsv.format_line(word, count) for word, count in self)
            else:
                for begin in range(0, len(self), _AT_ONCE):
                    end = min(begin + _AT_ONCE, len(self))
                    file.write(_word_lines.tsv_lines(*arrays, begin, end))

    def _over_bytes(self) -> Arrays | None:
        """The words over bytes, of characters their UTF-8; None of integers."""
        if self.symbols == "ints":
            return None
        if self.symbols == "bytes":
            return np.ascontiguousarray(self.data, np.uint8), self.offsets, self.counts
        text = self.data.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        sizes = 1 + sum((self.data >= first).astype(np.int64) for first in (0x80, 0x800, 0x10000))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
        return data, starts[self.offsets], self.counts

    def counted_with(self, pretokenizer: str | None) -> WordCounts:
        """The same words, known to be counted with a pre-tokenizer; None says nothing.

        Raises
        ------
        InputError
            If they are known to be counted with another one, or there is none of that name.
        """
        if pretokenizer in (None, self.pretokenizer):
            return self
        Pretokenizer.from_name(str(pretokenizer))
        if self.pretokenizer is not None:
            raise InputError(
                f"the words were counted with {self.pretokenizer}, not with {pretokenizer}"
            )
        return replace(self, pretokenizer=pretokenizer)

    def __len__(self) -> int:
        """Number of distinct words."""
        return len(self.counts)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same words, equally often, over the same symbols, in any order."""
        if not isinstance(other, WordCounts):
            return NotImplemented
        if self is other:
            return True
        sizes = [(w.symbols, len(w), len(w.data), w.total_count) for w in (self, other)]
        return sizes[0] == sizes[1] and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return brief("WordCounts", *self._summary)

    @property
    def _summary(self) -> list[str]:
        parts = [f"{len(self):,} words", f"{self.total_count:,} counted", self.symbols]
        return parts if self.pretokenizer is None else [*parts, self.pretokenizer]

    def _repr_html_(self) -> str:
        """The most frequent words, for notebooks."""
        first = np.argsort(-self.counts, kind="stable")[:10].tolist()
        rows = [(sym.glance(self._begin(index)), int(self.counts[index])) for index in first]
        return html_table(", ".join(self._summary), ["word", "count"], rows)

    def _begin(self, index: int) -> Token:
        start, end = self.offsets[index : index + 2].tolist()
        return sym.from_array(self.data[start : min(end, start + 100)], self.symbols)

    @checked
    def word(self, index: Whole) -> Token:
        """The word at `index`, from 0 on."""
        if index >= len(self):
            raise InputError(f"word {index} is asked for, and there are {len(self)}")
        return self._word(index)

    def _word(self, index: int) -> Token:
        return sym.from_array(
            self.data[self.offsets[index] : self.offsets[index + 1]], self.symbols
        )

    def __iter__(self) -> Iterator[tuple[Token, int]]:
        """(word, count) pairs, in stored order."""
        words = sym.slices(self.data, self.offsets[:-1], self.offsets[1:], self.symbols)
        yield from zip(words, self.counts.tolist(), strict=True)

    def to_dict(self) -> dict[Token, int]:
        """Words to counts."""
        return dict(self)

    @cached_property
    def total_count(self) -> int:
        """Occurrences of all words."""
        return int(self.counts.sum())

    @cached_property
    def total_symbols(self) -> int:
        """Σ c(W)·|W|: the tokens needed without any vocabulary."""
        return int(np.dot(self.counts, np.diff(self.offsets)))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the sorted counted words: the same for any order of words."""
        sha = hashlib.sha256(self.symbols.encode())
        arrays = self._over_bytes()
        if arrays is None:
            for word, count in sorted(self):
                text = sym.show(word).encode()
                sha.update(b"\n%d:%b\t%d" % (len(text), text, count))
        else:  # in UTF-8 the order of bytes is that of characters
            order = _word_lines.order_of(*arrays, False)
            for begin in range(0, len(order), _AT_ONCE):
                sha.update(_word_lines.digest_lines(*arrays, order[begin : begin + _AT_ONCE]))
        return sha.hexdigest()

    @checked
    def most_frequent(self, n: Whole) -> WordCounts:
        """The `n` most frequent words; among equal counts the smaller word first."""
        arrays = self._over_bytes()
        if arrays is None:
            return self.subset(sorted(self, key=lambda pair: (-pair[1], pair[0]))[:n])
        order = _word_lines.order_of(*arrays, True)[:n]
        counts = self.counts.tolist()
        return self.subset((self._word(index), counts[index]) for index in order.tolist())

    def subset(self, counts: Mapping[Any, int] | Iterable[tuple[Any, int]]) -> WordCounts:
        """Some of the words, with counts of their own, counted with the same pre-tokenizer."""
        return self.from_counts(counts, self.symbols, pretokenizer=self.pretokenizer)

    @checked
    def weighted(self, weights: Mapping[Any, int]) -> WordCounts:
        """The same words, the cost of each token in them multiplied.

        Parameters
        ----------
        weights : mapping of word to int
            How much a token in that word costs, at least 1; other words cost 1.  A group of
            words has one weight by giving it to each.

        Raises
        ------
        InputError
            For a word that is not there, a weight below 1, or an overflow.
        """
        counts = self.to_dict()
        for word, weight in weights.items():
            token = sym.to_token(word, self.symbols)
            if token not in counts:
                raise InputError(f"a weight is given for {sym.show(token)!r}, which is no word")
            if isinstance(weight, bool) or not isinstance(weight, int | np.integer) or weight < 1:
                raise InputError(
                    f"the weight of {sym.show(token)!r} is {shown(weight)}: a whole number of at "
                    "least 1 is expected"
                )
            counts[token] *= int(weight)
        return self.subset(counts)

    def with_suffix(self, mark: Any) -> WordCounts:
        """Every word with an end-of-word mark, a string over the same symbols, appended.

        No pre-tokenizer gives such words, so none is noted.

        Raises
        ------
        InputError
            If the mark is not over the symbols, or the longer words have too many (see above).
        """
        end = sym.to_array(sym.to_token(mark, self.symbols))
        places = np.repeat(self.offsets[1:], len(end))
        data = np.insert(self.data, places, np.tile(end, len(self)))
        offsets = self.offsets + len(end) * np.arange(len(self) + 1)
        return type(self)(data, offsets, self.counts, self.symbols)

    def refuse_without(self, mark: Any) -> None:
        """Refuse words that do not all end in a mark, as a vocabulary of marked words does.

        Raises
        ------
        InputError
            Naming the first that does not.
        """
        end = sym.to_token(mark, self.symbols)
        lacking = next((word for word, _ in self if word[-len(end) :] != end), None)
        if lacking is not None:
            raise InputError(
                f"the vocabulary is of words that end in {sym.show(end)!r}, and "
                f"{sym.show(lacking)!r} does not: count words so marked (WordCounts.with_suffix)"
            )

    @checked
    def split_at(self, tokens: Iterable[Any]) -> WordCounts:
        """Words cut so that each occurrence of these tokens stands alone.

        At each position, left to right, the longest token that begins there is set apart.
        Splitting again changes nothing.  No pre-tokenizer gives such words, so none is noted.
        """
        known = {sym.to_token(token, self.symbols) for token in tokens}
        lengths = sorted({len(token) for token in known}, reverse=True)
        counts: dict[Token, int] = {}
        for word, count in self:
            begin = position = 0
            pieces = []
            while position < len(word):
                size = next((n for n in lengths if word[position : position + n] in known), 0)
                if size:
                    pieces += [word[begin:position], word[position : position + size]]
                    begin = position + size
                position += size or 1
            for piece in [*pieces, word[begin:]]:
                if piece:
                    counts[piece] = counts.get(piece, 0) + count
        return type(self).from_counts(counts, self.symbols)


def _name(pretokenizer: str | Splitter) -> str | None:
    """What is noted: a function has no name that others could use."""
    return pretokenizer if isinstance(pretokenizer, str) else None


def _need_text(symbols: Symbols) -> None:
    if symbols not in ("bytes", "chars"):
        raise InputError(f"text has no symbols {symbols!r}: use 'bytes' or 'chars'")
