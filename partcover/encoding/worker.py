"""A worker finds the words of a text and cuts those that it has not met, for one thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..corpus.counting import blocks
from ..corpus.pretokenizers import PretokenizerRule, character_kinds
from ..errors import InputError
from ..kernels._encoder import WordCache
from ..kernels._segment import SINGLE
from ..runtime.arguments import shown
from ..runtime.parallel import ordered_map
from .text import Numbers, joined, placed

__all__ = ["Worker", "Workers"]

SECTION = 1 << 18  # bytes of text between two turns of cutting what is new
PART = 1 << 20  # bytes of text that one thread takes at a time


class Worker:
    """What one thread encodes with.

    Parameters
    ----------
    rules : sequence of PretokenizerRule
        How text becomes words.
    cut : callable
        Cuts words into tokens.
    lacks : ndarray of bool, shape (256,)
        Bytes that have no id.
    mark : bytes
        What stands for a space.
    cache : int
        Bytes that the table of words may hold.
    drawn : bool
        Whether `cut` draws, and takes a number for each word.
    """

    def __init__(
        self,
        rules: Sequence[PretokenizerRule],
        cut: Callable[..., None],
        lacks: npt.NDArray[np.bool_],
        mark: bytes,
        cache: int,
        *,
        drawn: bool,
    ) -> None:
        self.rules = rules
        self.cut = cut
        self.drawn = drawn
        self.lacks = lacks if lacks.any() else None
        self.mark = mark
        self.cache = WordCache(rules[0].finder, character_kinds(), mark, cache)

    def of(self, parts: Iterable[bytes | Numbers], first: int) -> list[Numbers]:
        """The numbers of parts of a text that starts at `first`, one array for each."""
        return [
            part if isinstance(part, np.ndarray) else self.numbers(part, at)
            for at, part in placed(parts, first)
        ]

    def numbers(self, text: bytes, first: int) -> Numbers:
        """The numbers of a text, whose first byte is byte `first` of all."""
        found = []
        at = 0
        while at < len(text):
            at, misses = self.cache.find(text, at, at + SECTION)
            if misses:
                self.learn(text, first)
            found.append(self.cache.numbers_of_words())
        return joined(found)

    def learn(self, text: bytes, first: int) -> None:
        """Cut the words that `find` did not know."""
        data, offsets = self.cache.new_words(text)
        words = offsets if len(self.rules) == 1 else self.cut_further(data, offsets)
        if int(np.diff(words).max()) >= 2**31 - 1:
            raise InputError("a word has 2^31 bytes or more: use another pre-tokenizer")
        which = np.empty(len(data), np.int32)
        draws = (self.occurrences(offsets, words, first),) if self.drawn else ()
        self.cut(data, words, 0, len(words) - 1, which, *draws)
        if self.lacks is not None:
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
        """A number for each word, by where it starts: no other has it.

        A word grows by less than a mark when mark and space are exchanged, so its parts stay
        below the next one's number if all are that far apart.
        """
        place = np.searchsorted(offsets, words[:-1], "right") - 1
        starts = first + self.cache.uncached_starts()[place]
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


class Workers:
    """Keeps workers for as many threads as ask at a time.

    Parameters
    ----------
    rules, cut, lacks, mark, cache, drawn
        As for `Worker`.
    """

    def __init__(
        self,
        rules: Sequence[PretokenizerRule],
        cut: Callable[..., None],
        lacks: npt.NDArray[np.bool_],
        mark: bytes,
        cache: int,
        *,
        drawn: bool,
    ) -> None:
        self.rules = rules
        self.make = partial(Worker, rules, cut, lacks, mark, cache, drawn=drawn)
        self.idle: deque[Worker] = deque()

    @contextmanager
    def one(self) -> Iterator[Worker]:
        """A worker that no other thread has."""
        try:
            worker = self.idle.pop()
        except IndexError:
            worker = self.make()
        yield worker
        self.idle.append(worker)  # one that has failed is not used again

    def numbers(self, text: bytes, at: int, threads: int) -> Numbers:
        """The numbers of a text that starts at `at`, by several threads where it is long."""

        def work(job: tuple[int, bytes]) -> Numbers:
            with self.one() as worker:
                return worker.numbers(job[1], job[0])

        if threads == 1 or len(text) <= PART:
            return work((at, text))
        chunks = (text[at : at + PART] for at in range(0, len(text), PART))
        jobs = placed(blocks(chunks, self.rules[0]), at)
        return joined(list(ordered_map(work, jobs, threads)))
