"""Splits text by steps of pre-tokenizers, one after another."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, islice
from typing import Any, NamedTuple

from ....errors import InputError
from ....runtime.arguments import shown
from ...files.joining import join_words, phrase_sizes
from ..byte_spelling import spelled_bytes
from ..timed_patterns import Matches, Span, TimedPattern


class Piece(NamedTuple):
    """A part of a text.

    `origin` has for each character the span of the text that it stands for; None where it is
    `text[start : start + len(text)]` itself.
    """

    text: str
    start: int
    origin: list[Span] | None = None

    def of(self, begin: int, end: int) -> Piece:
        """Returns a part of the piece."""
        origin = None if self.origin is None else self.origin[begin:end]
        return Piece(self.text[begin:end], self.start + begin, origin)

    def spans(self) -> list[Span]:
        """Returns for each character the span of the text that it stands for."""
        if self.origin is not None:
            return self.origin
        return [(at, at + 1) for at in range(self.start, self.start + len(self.text))]


@dataclass(frozen=True)
class Inside:
    """What a word begins with that goes on with a piece inside a word.

    Parameters
    ----------
    front : str
        The mark of words and the prefix of pieces inside them.
    begins : set of str
        What such a word goes on with.
    longest : int, optional
        The most characters of such a word.
    """

    front: str
    begins: frozenset[str]
    longest: int | None

    @cached_property
    def _lengths(self) -> frozenset[int]:
        return frozenset(map(len, self.begins))

    def size_in(self, word: str) -> int:
        """Returns how many characters of a word are removed."""
        size = len(self.front)
        if not word.startswith(self.front) or (self.longest and len(word) > self.longest):
            return 0
        return size if any(word[size : size + n] in self.begins for n in self._lengths) else 0


@dataclass(frozen=True)
class Step:
    """One step.

    Parameters
    ----------
    data : dict
        The step as JSON, complete.
    cut : Cut, optional
        Finds the words of a text.
    prefix : str
        What is put in front of a text that does not begin with it; empty for nothing.
    again : bool
        Whether it is put in front of a text that begins with it, too, and twice for each that the
        text has, so that no text can have the prefix of a word inside.
    only_first : bool
        Whether it is put only where all text begins.
    replacement : str, optional
        What is written for a space.
    suffix : str
        What is put behind each word; no word may hold it.
    keeps : bool
        Whether the words joined are the text.
    joins : int
        The most words in a row that are joined then.
    spelled : bool
        Whether it splits bytes as ByteLevel spells them.
    without : bytes
        The bytes that are left out.
    only : set of str
        The characters that are not left out; all where it is empty.
    inside : Inside, optional
        What is removed from the begin of words.
    """

    data: dict[str, Any]
    cut: Cut | None = None
    prefix: str = ""
    only_first: bool = False
    replacement: str | None = None
    suffix: str = ""
    keeps: bool = True
    joins: int = 1
    spelled: bool = False
    again: bool = False
    without: bytes = b""
    only: frozenset[str] = frozenset()
    inside: Inside | None = None

    @property
    def leaves_out(self) -> bool:
        """Whether it leaves parts of words out."""
        return bool(self.without or self.only)

    def words(self, text: str, at_start: bool) -> list[str]:
        """Returns the words of a text, in order; some may be empty."""
        if self.only:
            return ["".join(filter(self.only.__contains__, text))]
        if self.without:
            return [_text(_bytes(text).translate(None, self.without))]
        if self.inside:
            return [text[self.inside.size_in(text) :]]
        if self.spelled:
            return [part for part, _ in self._parts(text)]
        text = self._front(text, at_start) + self._replaced(text) + self._behind(text)
        return [text] if self.cut is None else [text[a:b] for a, b in self.cut(text)]

    def pieces(self, piece: Piece) -> list[Piece]:
        """Returns the words of a piece with their places, in order; some may be empty."""
        spans = piece.spans()
        if self.only:
            kept = [at for at, letter in enumerate(piece.text) if letter in self.only]
            return [Piece("".join(piece.text[at] for at in kept), 0, [spans[at] for at in kept])]
        if self.inside:
            size = self.inside.size_in(piece.text)
            if not size:
                return [piece]
            whole = (spans[0][0], spans[size][1])  # the token there is for all of that
            return [Piece(piece.text[size:], 0, [whole, *spans[size + 1 :]])]
        if self.spelled or self.without:
            sizes = [len(_bytes(letter)) for letter in piece.text]
            of_byte = [span for span, size in zip(spans, sizes, strict=True) for _ in range(size)]
        if self.without:
            data = _bytes(piece.text)
            left = [at for at, byte in enumerate(data) if byte not in self.without]
            text = _text(bytes(data[at] for at in left))
            return [Piece(text, 0, [of_byte[left[at]] for at in _starts(text)])]
        if self.spelled:
            return [
                Piece(part, 0, [of_byte[begin + at] for at in _starts(part)])
                for part, begin in self._parts(piece.text)
            ]
        begin = spans[0][0] if spans else piece.start
        front, behind = self._front(piece.text, begin == 0), self._behind(piece.text)
        if front or behind or self.replacement is not None:
            text = front + self._replaced(piece.text) + behind
            if self.again:
                sizes = [1 + (letter == self.prefix) for letter in piece.text]
                spans = [span for span, n in zip(spans, sizes, strict=True) for _ in range(n)]
            piece = Piece(text, 0, spans[:1] * len(front) + spans + spans[-1:] * len(behind))
        if self.cut is None:
            return [piece]
        return [piece.of(a, b) for a, b in self.cut(piece.text)]

    def _parts(self, text: str) -> list[tuple[str, int]]:
        """Returns the words of a text that is spelled byte by byte, and where they begin in it."""
        data = _bytes(text)
        cut = self.cut(spelled_bytes(data)) if self.cut else []
        return [(_text(data[a:b]), a) for a, b in cut]

    def _replaced(self, text: str) -> str:
        if self.again:
            text = text.replace(self.prefix, 2 * self.prefix)
        return text if self.replacement is None else text.replace(" ", self.replacement)

    def _front(self, text: str, at_start: bool) -> str:
        if not self.prefix or not text or (self.only_first and not at_start):
            return ""
        there = not self.again and self._replaced(text).startswith(self.prefix)
        return "" if there else self.prefix

    def _behind(self, text: str) -> str:
        if self.suffix and self.suffix in text:
            raise InputError(
                f"the word {shown(text)} contains a space, but a space marks the end of a word: "
                "EndOfWord needs a step before it that removes spaces"
            )
        return self.suffix


@dataclass(frozen=True)
class Steps:
    """A pre-tokenizer of several steps.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.steps.read import read_steps
    >>> read_steps('{"type": "BertPreTokenizer"}').words("Don't panic!")
    ['Don', "'", 't', 'panic', '!']
    """

    steps: tuple[Step, ...]

    @property
    def name(self) -> str:
        """The steps as JSON, the same for equal steps."""
        parts = [step.data for step in self.steps]
        data = parts[0] if len(parts) == 1 else {"type": "Sequence", "pretokenizers": parts}
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))

    @property
    def keeps(self) -> bool:
        """Whether the words joined are the text."""
        return all(step.keeps for step in self.steps)

    @property
    def only_first(self) -> bool:
        """Whether a text is split otherwise where it does not begin a document."""
        return any(step.only_first for step in self.steps)

    def following(self) -> Steps:
        """Returns the steps for a text that does not begin a document."""
        return Steps(tuple(replace(s, prefix="") if s.only_first else s for s in self.steps))

    @property
    def ends_words(self) -> bool:
        """Whether a space is put behind each word."""
        return any(step.suffix for step in self.steps)

    @property
    def replacement(self) -> str | None:
        """What is written for a space; None where nothing is."""
        return next((s.replacement for s in self.steps if s.replacement is not None), None)

    @property
    def mark(self) -> str:
        """What is put in front of each word for a WordPiece model; empty for nothing."""
        return next((step.prefix for step in self.steps if step.again), "")

    @property
    def inside(self) -> Inside | None:
        """What is removed from the begin of words; None for nothing."""
        return self.steps[-1].inside if self.steps else None

    @property
    def joins(self) -> int:
        """The most words in a row that are joined."""
        return self.steps[-1].joins if self.steps else 1

    def words(self, text: str) -> list[str]:
        """Returns all words of a text, in order."""
        if any(step.only_first for step in self.steps[1:]):
            return [piece.text for piece in self.pieces(text)]
        words = [text] if text else []
        for step in self.steps:
            words = [part for word in words for part in step.words(word, True) if part]
        return words if self.joins == 1 else join_words(words, self.joins)

    def pieces(self, text: str) -> list[Piece]:
        """Returns all words of a text with their places, in order."""
        pieces = [Piece(text, 0)] if text else []
        for step in self.steps:
            pieces = [part for piece in pieces for part in step.pieces(piece) if part.text]
        if self.joins == 1:
            return pieces
        rest = iter(pieces)
        sizes = phrase_sizes([piece.text for piece in pieces], self.joins)
        return [_joined(list(islice(rest, size))) for size in sizes]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _starts(text: str) -> list[int]:
    """Returns the byte that each character begins at."""
    return [0, *accumulate(len(_bytes(letter)) for letter in text)][: len(text)]


def _joined(pieces: list[Piece]) -> Piece:
    """Returns neighbours as one piece."""
    text = "".join(piece.text for piece in pieces)
    return Piece(text, pieces[0].start, [span for piece in pieces for span in piece.spans()])


def _merged(matches: Matches) -> list[Span]:
    """Adds each match to what stands before it, unless that is a match, too."""
    spans: list[Span] = []
    before = False
    for begin, end, match in matches:
        if match and not before and spans:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((begin, end))
        before = match
    return spans


def _contiguous(matches: Matches) -> list[Span]:
    spans: list[Span] = []
    before = False
    for begin, end, match in matches:
        if match == before and spans:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((begin, end))
        before = match
    return spans


@dataclass(frozen=True)
class Cut:
    """Splits a text at the matches of a pattern.

    Parameters
    ----------
    find : TimedPattern
        The pattern.
    behaviour : {"Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"}
        What becomes of a match.
    invert : bool
        Whether what is between matches is taken for the matches.
    """

    find: TimedPattern
    behaviour: str
    invert: bool = False

    def __call__(self, text: str) -> list[Span]:
        """Returns the spans of the words of a text, in order."""
        matches = self.find(text)
        if self.invert:
            matches = [(begin, end, not match) for begin, end, match in matches]
        if self.behaviour == "Removed":
            return [(begin, end) for begin, end, match in matches if not match]
        if self.behaviour == "MergedWithPrevious":
            return _merged(matches)
        if self.behaviour == "MergedWithNext":
            turned = [(-end, -begin, match) for begin, end, match in reversed(matches)]
            return [(-end, -begin) for begin, end in reversed(_merged(turned))]
        if self.behaviour == "Contiguous":
            return _contiguous(matches)
        return [(begin, end) for begin, end, _ in matches]
