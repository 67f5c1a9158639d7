"""Finds the words of a text and segments the new ones, in one or several threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..corpus.normalizers.normalizer import Normalizer
from ..corpus.pretokenizers.rules import PretokenizerRule
from ..errors import InputError
from ..kernels.encoding._encoder import TokenTable, WordCache
from ..kernels.encoding._shares import utf8_place
from ..kernels.segmentation._segment import SINGLE
from ..kernels.words._word_ends import MARKED, WHOLE
from ..runtime.arguments import shown
from ..runtime.processes.parallel import shared_in_order
from .collected import Collected, Counted
from .text import Numbers, UnknownNumbers, exchange, placed
from .utf8 import about_bytes, utf8

_Sink = TypeVar("_Sink", Collected, Counted)

SECTION = 1 << 19  # bytes of text after which new words are segmented
PART = 1 << 18  # bytes or characters that a thread processes at once; twice that beside others
_LEAST = 4  # the smallest parts that threads share are this fraction of one
_WINDOWS = (1 << 12, 1 << 16)  # bytes or characters that are searched for a place to split
_SPACES = 64  # runs of spaces that are tried as a place to split
_MARKS = 32  # characters before such a place that are normalized to check it
_LONGER = 64  # most bytes that steps write for a byte


class Worker:
    """Encodes text in one thread, with a table of words.

    Parameters
    ----------
    rules : sequence of PretokenizerRule
        The rules that split text into words.
    cut : callable
        The function that segments words into tokens.
    lacks : ndarray of bool, shape (256,)
        Whether each byte lacks an id.
    unknown : UnknownNumbers, optional
        Replaces such bytes; if not given, they are an error.
    mark : bytes
        The mark that represents a space.
    new_cache : callable
        Returns an empty table of words.
    drawn : bool
        Whether `cut` is random and needs a number for each word.
    following : Worker, optional
        Encodes the text after a special token, if its words are split differently.
    """

    def __init__(
        self,
        rules: Sequence[PretokenizerRule],
        cut: Callable[..., None],
        lacks: npt.NDArray[np.bool_],
        unknown: UnknownNumbers | None,
        mark: bytes,
        new_cache: Callable[[], WordCache],
        *,
        drawn: bool,
        following: Worker | None = None,
    ) -> None:
        self.following = following
        self.rules = rules
        self.cut = cut
        self.drawn = drawn
        self.lacks = lacks
        self.lacking = bool(lacks.any())
        self.unknown = unknown
        self.mark = mark
        # marks the words for the cache
        self.compiled = rules[0].compiled if rules[0].finder == MARKED else None
        # words that differ from the text may be longer than it
        self.longest = len(mark) if all(rule.keeps for rule in rules) else _LONGER
        self.cache = new_cache()

    def of(self, parts: Iterable[bytes | Numbers], first: int) -> list[Numbers]:
        """Returns the numbers of the parts of a text that starts at `first`, as one array each."""
        return [
            part
            if isinstance(part, np.ndarray)
            else ((self.following if place else None) or self).numbers(part, at)
            for place, (at, part) in enumerate(placed(parts, first))
        ]

    def numbers(self, text: bytes, first: int) -> Numbers:
        """Returns the numbers of a text whose first byte has position `first` in all text."""
        self.cache.start_text()
        out = Collected(len(text), np.int32)
        self.collect(out, text, first, 0, len(text))
        return out.result()

    def collect(self, out: _Sink, text: bytes | str, first: int, begin: int, end: int) -> None:
        """Adds the numbers of the text from `begin` to `end`, places where the first rule splits.

        A text of type str must be ASCII.
        """
        self.mark_words(text, begin, end)
        while begin < end:
            at, misses = self.cache.find(text, begin, min(begin + SECTION, end))
            if misses:
                self.learn(text, first)
            out.add(self.cache, at - begin)
            begin = at

    def texts(
        self, data: bytes, offsets: npt.NDArray[np.int64], kind: npt.DTypeLike
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        """Returns the numbers of consecutive texts, and the end of each text among them."""
        if self.compiled is not None:
            self.cache.set_marks(self.compiled.marks(np.frombuffer(data, np.uint8), offsets))
        if self.cache.find_texts(data, offsets):
            self.learn(data, 0)
        return self.cache.array_of_words(kind), self.cache.ends()

    def mark_words(self, text: bytes | str, begin: int, end: int) -> None:
        """Marks the words from `begin` to `end`, if the first rule does not find them."""
        if self.compiled is not None:
            part = memoryview(text)[begin:end] if isinstance(text, bytes) else text[begin:end]
            data = part.encode() if isinstance(part, str) else part
            self.cache.set_marks(self.compiled.marks(np.frombuffer(data, np.uint8)), begin)

    def learn(self, text: bytes | str, first: int) -> None:
        """Segments the words that `find` did not know."""
        data, offsets = self.cache.new_words(text)
        words = offsets
        if len(self.rules) > 1:
            data, offsets, words = self.cut_further(data, offsets)
        if len(data) >= 2**31 - 1 and int(np.diff(words).max()) >= 2**31 - 1:
            raise InputError("a word has 2^31 bytes or more: use another pre-tokenizer")
        which = np.empty(len(data), np.int32)
        draws = (self.occurrences(offsets, words, first),) if self.drawn else ()
        if len(data):
            self.cut(data, words, 0, len(words) - 1, which, *draws)
        if self.unknown is not None:
            lacking = (which == SINGLE) & self.lacks[data]
            if self.unknown.longest is not None:
                lacking |= self.unknown.too_long(data, words)
            if lacking.any():
                self.unknown.mark(which, data, words, lacking)
        elif self.lacking:
            bad = np.flatnonzero((which == SINGLE) & self.lacks[data])
            if len(bad):
                word = int(np.searchsorted(words, bad[0], "right"))
                shown = sym.show(data[words[word - 1] : words[word]][:80].tobytes())
                raise InputError(
                    f"byte 0x{int(data[bad[0]]):02X}, in the word '{shown}', has no id in the "
                    "vocabulary"
                )
        self.cache.add_pieces(offsets, data, which)

    def occurrences(
        self, offsets: npt.NDArray[np.int64], words: npt.NDArray[np.int64], first: int
    ) -> npt.NDArray[np.int64]:
        """Returns a distinct number for each word, from its start in all text.

        When mark and space are exchanged, a byte becomes at most one mark.  So with starts
        multiplied by the length of the longest mark, the parts of a word have smaller numbers than
        the next word.
        """
        place = np.searchsorted(offsets, words[:-1], "right") - 1
        starts = first + self.cache.uncached_starts()[place]
        return starts * self.longest + words[:-1] - offsets[place]

    def cut_further(
        self, data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Applies the rules after the first.

        Returns
        -------
        data, offsets : ndarray
            The given words after these rules.
        words : ndarray of int64
            The starts of their parts in `data`.
        """
        if len(self.rules) == 2 and (compiled := self.rules[1].compiled) is not None:
            return compiled.cut(data, offsets)
        text, ends = data.tobytes(), offsets.tolist()
        cut = [[text[a:b].decode("utf-8", "surrogateescape")] for a, b in pairwise(ends)]
        for rule in self.rules[1:]:
            given = iter(rule.words_of([word for words in cut for word in words]))
            parts = [[part for _ in words for part in next(given)] for words in cut]
            if rule.given and rule.keeps:
                _check_kept(cut, parts)
            cut = parts
        encoded = [[word.encode("utf-8", "surrogateescape") for word in words] for words in cut]
        lengths = [len(word) for words in encoded for word in words]
        changed = list(map(b"".join, encoded))
        if not all(rule.keeps for rule in self.rules):
            data = np.frombuffer(b"".join(changed), np.uint8)
            offsets = _starts(list(map(len, changed)))
        return data, offsets, _starts(lengths)


def _same(one: str, other: str) -> bool:
    """Returns whether two texts have the same bytes; words may end inside a character."""
    if one == other:
        return True
    try:
        return one.encode("utf-8", "surrogateescape") == other.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False


def _check_kept(cut: list[list[str]], parts: list[list[str]]) -> None:
    """Checks that a function from the caller preserves the text."""
    for before, after in zip(cut, parts, strict=True):
        if not _same("".join(after), text := "".join(before)):
            raise InputError(
                "the words of the pre-tokenizer, joined, are not the original text: an encoder's "
                "pre-tokenizer must not remove or change anything "
                f"(text {shown(text)}, words {shown(' | '.join(after[:3]))})"
            )


def _starts(lengths: list[int]) -> npt.NDArray[np.int64]:
    """Returns the starts of items with these lengths, and the end of the last one."""
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def token_table(
    rules: Sequence[PretokenizerRule],
    cut: Callable[..., None],
    tokens: Sequence[bytes],
    mark: bytes,
    longest: int | None = None,
) -> TokenTable | None:
    """Returns the words that are a single token; None if the rules have a limit on word length.

    Words with more than `longest` characters are left out.
    """
    raw = rules[-1].raw
    if (len(rules) > 1 and raw is None) or rules[0].finder == WHOLE:
        return None
    data = np.frombuffer(b"".join(tokens), np.uint8)
    offsets = _starts(list(map(len, tokens)))
    which = np.empty(len(data), np.int32)
    cut(data, offsets, 0, len(tokens), which)
    places = np.flatnonzero(which[offsets[1:] - 1] == np.arange(len(tokens)))
    found = {}
    for place in places.tolist():
        token = tokens[place]
        word = exchange(token, mark) if raw is None else _raw(token, raw)
        if word is not None and (longest is None or _characters(token) <= longest):
            found[word] = 256 + place
    data = np.frombuffer(b"".join(found), np.uint8)
    return TokenTable(
        data, _starts(list(map(len, found))), np.array(list(found.values()), np.int32)
    )


def _raw(token: bytes, raw: Callable[[str], str | None]) -> bytes | None:
    """Returns the part of a text that becomes a token."""
    part = raw(token.decode("utf-8", "surrogateescape"))
    return None if part is None else part.encode("utf-8", "surrogateescape")


def _characters(token: bytes) -> int:
    return sum(byte & 0xC0 != 0x80 for byte in token)


class Workers:
    """Lends workers to threads, and creates as many as are used at the same time.

    Parameters
    ----------
    rules, cut, lacks, unknown, mark, new_cache, drawn
        As for `Worker`.
    following : sequence of PretokenizerRule, optional
        The rules for the text after a special token, if they differ.
    normal : Normalizer, optional
        A normalizer of characters before the text is split; it must not change ASCII.
    running : bool
        Whether the segmentation of a word depends on the text before it.  Then a text is split by
        one thread.
    """

    def __init__(
        self,
        rules: Sequence[PretokenizerRule],
        cut: Callable[..., None],
        lacks: npt.NDArray[np.bool_],
        unknown: UnknownNumbers | None,
        mark: bytes,
        new_cache: Callable[[], WordCache],
        *,
        drawn: bool,
        following: Sequence[PretokenizerRule] | None = None,
        normal: Normalizer | None = None,
        running: bool = False,
    ) -> None:
        self.rules = rules
        self.running = running
        self._normal = normal
        self._make = partial(
            Worker, cut=cut, lacks=lacks, unknown=unknown, mark=mark, new_cache=new_cache,
            drawn=drawn,
        )  # fmt: skip
        self._following = following
        self.idle: deque[Worker] = deque()

    @contextmanager
    def one(self) -> Iterator[Worker]:
        """Lends a worker that no other thread has."""
        try:
            worker = self.idle.pop()
        except IndexError:
            worker = self.new()
        yield worker
        self.idle.append(worker)  # after an error the worker is not used again

    def new(self) -> Worker:
        """Returns another worker."""
        following = None if self._following is None else self._make(self._following)
        return self._make(self.rules, following=following)

    def numbers(
        self,
        text: bytes | str,
        at: int,
        threads: int,
        new: Callable[[int], _Sink],
        take: Callable[[_Sink], object],
        *,
        follows: bool = False,
    ) -> None:
        """Collects a text's numbers in what `new` makes; `take` gets it; threads share a long text.

        `at` is the start of the text, and `follows` says whether it follows a special token.
        Characters are converted to UTF-8 and normalized part by part, by the thread that processes
        the part, so that they stay in its cache.  Words must not be segmented at random, since
        draws depend on the position of each byte.
        """
        plain = isinstance(text, bytes) or text.isascii()
        if self.running or len(text) <= PART // _LEAST:  # no thread is begun for a single part
            threads = 1
        places: Iterable[int] = (0, len(text))
        if len(text) > PART and not (plain and threads == 1):
            places = self._places(text, threads)

        def collect(worker: Worker, out: _Sink, begin: int, end: int) -> None:
            if plain:
                worker.collect(out, text, at, begin, end)
                return
            assert isinstance(text, str)
            data = utf8(text, begin, end)
            if self._normal is not None:
                data = self._normal.of_bytes(data)
            worker.collect(out, data, at, 0, len(data))

        def collected(worker: Worker, out: _Sink, parts: Iterable[tuple[int, int]]) -> _Sink:
            worker = (worker.following if follows else None) or worker
            worker.cache.start_text()
            for begin, end in parts:
                collect(worker, out, begin, end)
            return out

        parts = pairwise(places)
        if threads == 1:
            out = new(len(text) if isinstance(text, bytes) else about_bytes(text))
            with self.one() as worker:
                collected(worker, out, parts)
            take(out)
            return

        def work(worker: Worker, job: tuple[tuple[int, int], _Sink]) -> _Sink:
            return collected(worker, job[1], [job[0]])

        jobs = ((part, new(part[1] - part[0])) for part in parts)
        shared_in_order(self.one, work, jobs, threads, take)

    def _places(self, text: bytes | str, threads: int) -> Iterator[int]:
        """Yields the borders of the parts of a text, places where the first rule splits.

        Parts are smaller toward the end of the text, so that threads end at about the same time.
        """
        most = PART if threads == 1 else 2 * PART  # larger buffers are slow in one thread
        at, factor = 0, 1
        yield at
        while True:
            left = len(text) - at
            size = factor * min(most, max(-(-PART // _LEAST), left // (2 * threads)))
            if size >= left:
                break
            end = at + size
            for window in _WINDOWS:
                begin = max(end - window, at)
                cut = self._last_cut(text[begin:end])
                # the whole character before a place must be known
                if cut > (4 if begin > at else 0):
                    at, factor = begin + cut, 1
                    yield at
                    break
            else:
                factor *= 2  # so that only a few windows are searched
        if text:
            yield len(text)

    def _last_cut(self, text: bytes | str) -> int:
        """Returns the last place > 0 where the first rule splits a text that continues, or -1."""
        last_cut = self.rules[0].last_cut
        if isinstance(text, bytes):
            return last_cut(text)
        if self._normal is not None:
            return self._last_normal_cut(text)
        data = text.encode("utf-8", "surrogateescape")
        cut = last_cut(data)
        if cut < 0 or len(data) == len(text):
            return cut
        return utf8_place(text, cut)

    def _last_normal_cut(self, text: str) -> int:
        """Returns a late place > 0 where the first rule splits the normalized text, or -1.

        The place is before spaces that stay spaces, so that both sides are normalized separately.
        """
        assert self._normal is not None
        for last_cut in (self.rules[0].last_quick_cut, self.rules[0].last_cut):
            at = len(text)
            for _ in range(_SPACES):
                # the first space of a run, since few rules split between two
                at = len(text[: text.rfind(" ", 1, at) + 1].rstrip(" "))
                if at < 1:
                    break
                # a character has only a few marks; the rules treat further ones alike
                before = self._normal(text[max(at - _MARKS, 0) : at])
                beside = f"{before} ".encode("utf-8", "surrogateescape")
                if last_cut(beside) == len(beside) - 1:
                    return at
        return -1
