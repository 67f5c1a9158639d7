"""Defines `WordCounts`, a corpus as distinct words with their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from ..errors import InputError
from ..kernels.words import _word_lines
from ..runtime.arguments import Threads, Whole, checked, shown
from ..runtime.arrays import np
from ..runtime.files.writing import atomic_writer, shown_path
from ..runtime.notebook import brief, html_table
from ..runtime.progress import Progress
from . import symbols as sym
from .counting.count import CountSettings, count_texts
from .counting.count_files import counted_words, workers_of
from .counting.counts_file import is_parquet, read_words, write_counts
from .files import tsv
from .files.columns import Table, pairs_of, values_of
from .files.sources import find_sources
from .files.tsv import Header
from .normalizers import glance
from .pretokenizers import DEFAULT_PRETOKENIZER
from .pretokenizers.pretokenizer import Pretokenizer
from .pretokenizers.splitters import Splitter
from .symbols import Symbols, Token
from .word_arrays import Arrays, Views, WordArrays, from_utf8, pack, sum_pairs


@dataclass(frozen=True, eq=False, init=False)
class WordCounts(WordArrays):
    """A corpus: distinct non-empty words, each with a count of at least one, in flat arrays.

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
        How text was split into these words (`partcover.corpus.pretokenizers.rules`), if that
        is known.
    normalizer : str or None
        What was done to the text before (see `partcover.corpus.normalizers.normalizer`), if
        anything.

    Raises
    ------
    InputError
        If a word is empty, a count is below one, offsets do not fit the other arrays, data are not
        over the symbols, or the number of counted symbols does not fit in int64.  That words are
        distinct is seen to by the constructors, not checked here.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> words = WordCounts.from_texts(["the cat and the hat"])
    >>> words
    WordCounts(5 words, 5 counted, bytes, gpt2)
    >>> words.to_dict()[b" the"]
    1
    """

    @classmethod
    @checked
    def from_counts(
        cls,
        counts: Mapping[Any, int] | Iterable[Any] | Table,
        symbols: Symbols = "bytes",
        *,
        pretokenizer: str | None = None,
        normalizer: str | None = None,
    ) -> WordCounts:
        """Builds a corpus from words with counts; the counts of equal words are summed.

        Parameters
        ----------
        counts : mapping, iterable of pairs, or table
            A mapping from words to counts, or (word, count) pairs; a pandas series whose index
            is the words; a pandas or polars data frame or an Arrow table with columns ``word``
            and ``count``, or with two columns, words first.
        symbols : {"bytes", "chars", "ints"}
            Words are bytes or text (taken as UTF-8) for ``"bytes"``, text for ``"chars"``, and
            sequences of non-negative integers for ``"ints"``.
        pretokenizer, normalizer : str, optional
            What the words were counted with, if it is known.  It is recorded, not applied.

        Raises
        ------
        InputError
            For anything else, a word that is empty or not over the symbols, or a count below 1.

        Examples
        --------
        >>> from partcover import WordCounts
        >>> WordCounts.from_counts({"low": 5, "lower": 2}).total_symbols
        25
        """
        arrays = pack(sum_pairs(pairs_of(counts), symbols), symbols)
        return cls(*arrays, symbols, pretokenizer, normalizer)

    @classmethod
    @checked
    def from_words(cls, words: Iterable[Any] | Table, symbols: Symbols = "bytes") -> WordCounts:
        """Counts an iterable of words; otherwise as `from_counts`.

        Raises
        ------
        InputError
            For a mapping, whose counts would be lost, one text, or a whole table.

        Examples
        --------
        >>> from partcover import WordCounts
        >>> WordCounts.from_words(["low", "low", "lower"]).to_dict()
        {b'low': 2, b'lower': 1}
        """
        if isinstance(words, Mapping):
            raise InputError(
                f"from_words counts words, but a {type(words).__name__} of words to counts was "
                "given: use WordCounts.from_counts"
            )
        table: dict[Token, int] = {}
        for word in values_of(words, "words", "a list of words"):
            token = sym.to_token(word, symbols)
            table[token] = table.get(token, 0) + 1
        return cls.from_counts(table, symbols)

    @classmethod
    @checked
    def from_files(
        cls,
        paths: str | PathLike[str] | Iterable[str | PathLike[str]],
        *,
        pretokenizer: str | Splitter = DEFAULT_PRETOKENIZER,
        normalizer: str | None = None,
        symbols: Symbols = "bytes",
        key: str = "text",
        threads: Threads = 1,
        executor: Executor | None = None,
        scratch: str | PathLike[str] | None = None,
        progress: Progress | None = None,
        all_files: bool = False,
        skipped: Counter[str] | None = None,
    ) -> WordCounts:
        """Counts the words of text files.

        Text is streamed: memory grows with the distinct words, not with the text, unless the
        pre-tokenizer takes a whole document as one word.

        Parameters
        ----------
        paths : path or iterable of path
            Plain text, ``.jsonl``, ``.parquet``, each of the first two also ``.gz`` or ``.zst``;
            folders, searched recursively; patterns; URLs; ``-`` for standard input.  See
            `partcover.corpus.files.sources`.
        pretokenizer : str or callable
            How text is split into words: a name from `partcover.corpus.pretokenizers.rules`,
            or a
            function that returns all words of a document; it is called from any thread.
        normalizer : str, optional
            What is done to each document before: a name from
            `partcover.corpus.normalizers.normalizer`.
        symbols : {"bytes", "chars"}
            The alphabet of the words; ``"chars"`` needs UTF-8.
        key : str
            The field (JSON lines) or column (Parquet) that holds the text.
        threads : int
            Number of threads; the result does not depend on it.
        executor : concurrent.futures.Executor, optional
            Who counts in place of threads: processes, or workers on machines that see the same
            files (``dask.distributed.Client.get_executor``, ``mpi4py.futures.MPIPoolExecutor``).
        scratch : path, optional
            A folder that all workers see, for the words of parts of the text.
        progress : Progress, optional
            Gets the bytes read and their total (None where unknown), from one thread at a time.
        all_files : bool
            Whether to read all files of a folder whatever their names end in, those of unknown
            kind as plain text, and counts files as text.
        skipped : Counter, optional
            Receives, by reason, how many files of folders were skipped.

        Returns
        -------
        WordCounts
            Ordered by count descending, then word ascending.

        Raises
        ------
        InputError
            For a file that cannot be read, is damaged, is truncated while it is read or holds
            words that are counted already; bytes that are not UTF-8 where `symbols` is
            ``"chars"``, an unknown pre-tokenizer, or no words at all.
        MissingExtra
            If Zstandard or Parquet is to be read and its library is not installed.

        Examples
        --------
        >>> from partcover import WordCounts
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "text.txt")
        ...     _ = path.write_text("to be or not to be")
        ...     words = WordCounts.from_files(path, pretokenizer="gpt2")
        >>> words.most_frequent(1).to_dict()
        {b' be': 2}
        """
        _need_text(symbols)
        settings = CountSettings(pretokenizer, normalizer, symbols, key, all_files)
        header = settings.header  # names that are not known are refused first
        listed = [paths] if isinstance(paths, str | PathLike) else list(paths)
        sources = find_sources(listed, all_files=all_files, skipped=skipped)
        with workers_of(executor, threads) as workers:
            arrays = counted_words(sources, settings, workers, scratch, progress or Progress())
        return cls._counted(arrays, header, ", ".join(map(shown_path, listed)) or "no files")

    @classmethod
    @checked
    def from_texts(
        cls,
        texts: Iterable[str | bytes] | Table,
        *,
        pretokenizer: str | Splitter = DEFAULT_PRETOKENIZER,
        normalizer: str | None = None,
        symbols: Symbols = "bytes",
    ) -> WordCounts:
        """Counts the words of texts, each a document of its own; otherwise as `from_files`.

        Examples
        --------
        >>> from partcover import WordCounts
        >>> WordCounts.from_texts(["a b", "b"], pretokenizer="gpt2").to_dict()
        {b' b': 1, b'a': 1, b'b': 1}
        """
        if isinstance(texts, str | bytes):
            raise InputError("texts is a single text: give a list of texts")
        _need_text(symbols)
        listed = values_of(texts, "texts", "a list of texts")
        settings = CountSettings(pretokenizer, normalizer, symbols)
        return cls._counted(count_texts(listed, settings), settings.header, "texts")

    @classmethod
    def _counted(cls, counted: Arrays | Views, header: Header, source: str) -> WordCounts:
        """Returns words over bytes or characters, which are given in UTF-8."""
        data, offsets, counts = counted
        symbols, how = header.symbols or "bytes", (header.pretokenizer, header.normalizer)
        if not len(counts):
            raise InputError(f"{source}: the corpus is empty: it has no words")
        if symbols == "bytes":
            return cls(data, offsets, counts, symbols, *how)  # type: ignore[arg-type]
        data, offsets, counts = map(np.asarray, counted)
        return cls(*from_utf8(data, offsets), counts, symbols, *how)

    @classmethod
    @checked
    def load(cls, path: str | PathLike[str], symbols: Symbols | None = None) -> WordCounts:
        r"""Reads a counted-words file, TSV or Parquet; ``-`` is a TSV on standard input.

        Words keep the order of their first lines, and the counts of equal words are summed.  See
        `partcover.corpus.files.tsv` and `partcover.corpus.counting.counts_file` for the formats.

        Parameters
        ----------
        path : path
            The file.
        symbols : {"bytes", "chars", "ints"}, optional
            The alphabet; by default the one the file states, or bytes.

        Raises
        ------
        InputError
            If the file cannot be read or has no words; for a line that does not parse, with its
            number; for symbols other than those the file states.

        Examples
        --------
        >>> from partcover import WordCounts
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "counts.tsv")
        ...     WordCounts.from_counts({"low": 5}).save(path)
        ...     path.read_text().splitlines()
        ...     WordCounts.load(path).to_dict()
        ['#partcover counts 1 symbols=bytes', 'low\t5']
        {b'low': 5}
        """
        read, header = read_words(path, symbols)
        if not isinstance(read, dict):
            return cls._counted(read, header, shown_path(path))
        symbols, how = header.symbols or "bytes", (header.pretokenizer, header.normalizer)
        words = cls(*pack(sum_pairs(read.items(), symbols), symbols), symbols, *how)
        if not len(words):
            raise InputError(f"{shown_path(path)}: the corpus is empty: it has no words")
        return words

    @checked
    def save(self, path: str | PathLike[str]) -> None:
        """Writes a counted-words file (aside, then renamed): Parquet if the path ends so, else TSV.

        ``-`` is standard output.  `load` returns the same words in the same order, with what is
        recorded.
        """
        arrays = self.utf8_arrays()
        header = Header(self.pretokenizer, self.symbols, self.normalizer)
        if arrays is not None:
            write_counts(path, header, [arrays])
            return
        if is_parquet(path):
            raise InputError(f"{shown_path(path)}: words of integers can only be stored as TSV")
        with atomic_writer(path) as file:
            file.write(tsv.format_header(header))
            file.writelines(tsv.format_line(word, count) for word, count in self)

    @checked
    def counted_with(self, pretokenizer: str | None) -> WordCounts:
        """Returns the same words with the pre-tokenizer they were counted with recorded.

        Raises
        ------
        InputError
            If another pre-tokenizer is recorded already, or there is none of that name.

        Examples
        --------
        >>> from partcover import WordCounts
        >>> words = WordCounts.from_counts({"low": 5})
        >>> words.counted_with("gpt2").pretokenizer
        'gpt2'
        """
        if pretokenizer in (None, self.pretokenizer):
            return self
        pretokenizer = Pretokenizer.from_name(pretokenizer).name
        if self.pretokenizer == pretokenizer:
            return self
        if self.pretokenizer is not None:
            raise InputError(
                f"the words were counted with {self.pretokenizer}, not with {pretokenizer}"
            )
        return replace(self, pretokenizer=pretokenizer)

    def __repr__(self) -> str:
        return brief("WordCounts", *self.summary)

    @property
    def summary(self) -> list[str]:
        """The facts that `repr` shows: numbers of words, the symbols, the pre-tokenizer."""
        parts = [f"{len(self):,} words", f"{self.total_count:,} counted", self.symbols]
        how = (self.normalizer and glance(self.normalizer), self.pretokenizer)
        return [*parts, *filter(None, how)]

    def _repr_html_(self) -> str:
        """Returns a table of the most frequent words, for notebooks."""
        top = np.argsort(-self.counts, kind="stable")[:10].tolist()
        rows = [(sym.glance(self._prefix(index)), int(self.counts[index])) for index in top]
        return html_table(", ".join(self.summary), ["word", "count"], rows)

    def _prefix(self, index: int) -> Token:
        start, end = self.offsets[index : index + 2].tolist()
        return sym.from_array(self.data[start : min(end, start + 100)], self.symbols)

    @checked
    def most_frequent(self, n: Whole) -> WordCounts:
        """Returns the `n` most frequent words; among equal counts the smaller word is first.

        Examples
        --------
        >>> from partcover import WordCounts
        >>> words = WordCounts.from_counts({"low": 5, "new": 6, "wide": 3})
        >>> words.most_frequent(2).to_dict()
        {b'new': 6, b'low': 5}
        """
        arrays = self.utf8_arrays()
        if arrays is None:
            return self.subset(sorted(self, key=lambda pair: (-pair[1], pair[0]))[:n])
        order = _word_lines.order_of(*arrays, True)[:n]
        counts = self.counts.tolist()
        return self.subset((self._word(index), counts[index]) for index in order.tolist())

    def subset(self, counts: Mapping[Any, int] | Iterable[tuple[Any, int]]) -> WordCounts:
        """Returns words with new counts, recorded as counted with the same pre-tokenizer."""
        return self.from_counts(counts, self.symbols, **self.how)

    @checked
    def weighted(self, weights: Mapping[Any, int]) -> WordCounts:
        """Returns the same words with the cost of their tokens multiplied.

        Parameters
        ----------
        weights : mapping of word to int
            What each token of that word costs, at least 1; tokens of other words cost 1.

        Raises
        ------
        InputError
            For a word that is not there, a weight below 1, or an overflow.

        Examples
        --------
        >>> from partcover import WordCounts
        >>> WordCounts.from_counts({"low": 5, "new": 6}).weighted({"low": 2}).to_dict()
        {b'low': 10, b'new': 6}
        """
        counts = self.to_dict()
        for word, weight in weights.items():
            token = sym.to_token(word, self.symbols)
            if token not in counts:
                raise InputError(
                    f"a weight is given for {sym.show(token)!r}, which is not a word of the corpus"
                )
            if isinstance(weight, bool) or not isinstance(weight, int | np.integer) or weight < 1:
                raise InputError(
                    f"the weight of {sym.show(token)!r} is {shown(weight)}: it must be a whole "
                    "number of at least 1"
                )
            counts[token] *= int(weight)
        return self.subset(counts)

    def with_suffix(self, mark: Any) -> WordCounts:
        """Returns every word with an end-of-word mark over the same symbols appended.

        No pre-tokenizer makes such words, so none is recorded.

        Raises
        ------
        InputError
            If the mark is not over the symbols, or the corpus then has too many symbols for
            int64.

        Examples
        --------
        >>> from partcover import WordCounts
        >>> WordCounts.from_counts({"low": 5}).with_suffix("</w>").to_dict()
        {b'low</w>': 5}
        """
        end, _ = sym.packed([sym.to_token(mark, self.symbols)], self.symbols)
        places = np.repeat(self.offsets[1:], len(end))
        data = np.insert(self.data, places, np.tile(end, len(self)))
        offsets = self.offsets + len(end) * np.arange(len(self) + 1)
        return type(self)(data, offsets, self.counts, self.symbols)

    def refuse_without(self, mark: Any) -> None:
        """Checks that every word ends in an end-of-word mark.

        Raises
        ------
        InputError
            Naming the first word that does not.
        """
        end = sym.to_token(mark, self.symbols)
        lacking = next((word for word, _ in self if word[-len(end) :] != end), None)
        if lacking is not None:
            raise InputError(
                f"the vocabulary is for words that end in {sym.show(end)!r}, but "
                f"{sym.show(lacking)!r} does not: add it to the counted words "
                "(WordCounts.with_suffix)"
            )

    @checked
    def split_at(self, tokens: Iterable[Any]) -> WordCounts:
        """Splits the words so that each occurrence of these tokens is a word of its own.

        At each position, from left to right, the longest token that begins there is taken out.
        Splitting again changes nothing.  No pre-tokenizer makes such words, so none is recorded.

        Examples
        --------
        >>> from partcover import WordCounts
        >>> WordCounts.from_counts({"unhappy": 2}).split_at(["un"]).to_dict()
        {b'un': 2, b'happy': 2}
        """
        known = {sym.to_token(token, self.symbols) for token in tokens}
        return type(self).from_counts(split_words(self, known), self.symbols)


def split_words(words: WordCounts, tokens: Collection[Token]) -> Iterator[tuple[Token, int]]:
    """Yields what `WordCounts.split_at` makes of each word, one piece after another.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.corpus.word_counts import split_words
    >>> list(split_words(WordCounts.from_counts({"ab": 2, "bab": 1}), [b"ab"]))
    [(b'ab', 2), (b'b', 1), (b'ab', 1)]
    """
    known, lengths = set(tokens), sorted({len(token) for token in tokens}, reverse=True)
    for word, count in words:
        begin = position = 0
        while position < len(word):
            size = next((n for n in lengths if word[position : position + n] in known), 0)
            if size:
                if begin < position:
                    yield word[begin:position], count
                yield word[position : position + size], count
                begin = position + size
            position += size or 1
        if begin < len(word):
            yield word[begin:], count


def _need_text(symbols: Symbols) -> None:
    if symbols not in ("bytes", "chars"):
        raise InputError(f"text cannot be split into symbols {symbols!r}: use 'bytes' or 'chars'")
