"""Runs the steps of a pre-tokenizer in compiled code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import accumulate, pairwise
from typing import Any

from ....kernels.texts import _step_cutter as kernel
from ....kernels.texts._step_cutter import StepCutter
from ....runtime.arrays import Int64, UInt8, np
from ....runtime.patterns import regex
from ..byte_spelling import spelled_bytes
from ..unicode_tables import compiled
from .pattern_programs import Programs, Unsupported, points_of
from .step import Inside, Step, Steps

_BEHAVIOURS = {
    "Isolated": kernel.ISOLATED,
    "Removed": kernel.REMOVED,
    "MergedWithPrevious": kernel.MERGED_WITH_PREVIOUS,
    "MergedWithNext": kernel.MERGED_WITH_NEXT,
    "Contiguous": kernel.CONTIGUOUS,
}


@dataclass(frozen=True)
class CompiledSteps:
    """Steps in compiled code, which split as `Steps` do.

    Examples
    --------
    >>> import numpy as np
    >>> from partcover.corpus.pretokenizers.steps.compiled_steps import CompiledSteps
    >>> from partcover.corpus.pretokenizers.steps.read import read_steps
    >>> compiled = CompiledSteps.of(read_steps('{"type": "Digits"}'))
    >>> compiled.marks(np.frombuffer(b"a12b", np.uint8)).tolist()
    [1, 1, 0, 1]
    """

    steps: Steps
    programs: Programs = field(repr=False)
    firsts: list[list[str]] = field(repr=False)
    made: Sequence[tuple[Any, ...]] = field(repr=False)
    behind: CompiledSteps | None = field(default=None, repr=False)
    inside: Inside | None = None

    @classmethod
    def of(cls, steps: Steps) -> CompiledSteps | None:
        """Returns steps compiled; None where one cannot be, or words are joined.

        Steps that split bytes as ByteLevel spells them are compiled for themselves: `behind`.  A
        last step that removes what few words begin with is not: `inside`.
        """
        if steps.inside is not None:
            made_before = cls.of(Steps(steps.steps[:-1]))
            return None if made_before is None else replace(made_before, inside=steps.inside)
        if any(step.spelled for step in steps.steps):
            head = cls.of(Steps(tuple(step for step in steps.steps if not step.spelled)))
            tail = [replace(step, spelled=False) for step in steps.steps if step.spelled]
            behind = cls.of(Steps(tuple(tail)))
            return None if head is None or behind is None else replace(head, behind=behind)
        programs = Programs()
        firsts: list[list[str]] = []
        made: list[tuple[Any, ...]] = []
        if steps.joins > 1 or any(step.only_first for step in steps.steps[1:]):
            return None
        if any(step.leaves_out for step in steps.steps):
            return None
        try:
            for step in steps.steps:
                if step.prefix or step.suffix or step.replacement is not None:
                    made.append(_written(step))
                if step.cut is not None:
                    start, first = programs.add(step.cut.find.pattern)
                    behaviour = _BEHAVIOURS[step.cut.behaviour]
                    made.append((start, len(firsts), behaviour, step.cut.invert))
                    firsts.append(first)
        except (Unsupported, UnicodeEncodeError):
            return None
        return cls(steps, programs, firsts, made) if programs.fits(len(firsts)) else None

    @property
    def writes(self) -> bool:
        """Whether words hold what the text does not, so that there are no marks."""
        return not all(isinstance(step[0], int) for step in self.made)

    @property
    def place(self) -> regex.Pattern[str] | None:
        """What finds, from the end, a place where any text is split, but for its begin; or None.

        It is before a character that the first step isolates wherever it stands.
        """
        first = self.steps.steps[0].cut if self.steps.steps else None
        if first is None or first.behaviour != "Isolated" or self.writes:
            return None
        source = first.find.pattern
        # one character; the bytes of one whose end is not there yet are none
        if source not in self.programs.sets or points_of(source)[0xDC80:0xDD00].any():
            return None
        place: regex.Pattern[str] = compiled(rf"(?rs)(?<=.){source}")
        return place

    @cached_property
    def cutter(self) -> StepCutter:
        """What splits, made when it is first needed: its tables take a while."""
        table = self.programs.table(self.firsts)
        bits = len(self.programs.sets)
        # a mask of 32 bits is a number without a sign there
        nodes = np.array(self.programs.nodes, np.int64).reshape(-1, 7).astype(np.int32)
        steps = [
            (step[0], 1 << bits + step[1], *step[2:]) if isinstance(step[0], int) else step
            for step in self.made
        ]
        return StepCutter(table, nodes, steps)

    def marks(self, data: UInt8, offsets: Int64 | None = None) -> UInt8:
        """Returns where the words of a text begin, or of texts one behind another.

        Returns
        -------
        ndarray of uint8, shape (len(data),)
            `WORD` where a word begins, `GAP` where what begins is left out, elsewhere 0.

        Raises
        ------
        InputError
            If a pattern takes too long.
        """
        offsets = np.array([0, len(data)], np.int64) if offsets is None else offsets
        marks = self.cutter.marks(data, offsets)
        marks = self._slow_marks(data, offsets) if marks is None else marks
        return marks if self.behind is None else self._marks_behind(self.behind, data, marks)

    def _marks_behind(self, behind: CompiledSteps, data: UInt8, marks: UInt8) -> UInt8:
        """Adds the marks of what splits the spelling of each word."""
        starts = np.flatnonzero(marks)
        spelled, places = _spelled(data)
        more = behind.marks(spelled, places[np.append(starts, len(data))])[places[:-1]]
        if (marks == kernel.GAP).any():
            more[marks[starts][np.cumsum(marks != 0) - 1] == kernel.GAP] = 0
        return np.where(marks != 0, marks, more)

    def _slow_marks(self, data: UInt8, offsets: Int64) -> UInt8:
        """Returns what `marks` does, by `regex`, which limits time instead of steps."""
        marks = np.zeros(len(data) + 1, np.uint8)
        for begin, end in pairwise(offsets.tolist()):
            text = _text(data[begin:end])
            starts = np.array([0, *accumulate(len(_bytes(c)) for c in text)]) + begin
            for piece in self.steps.pieces(text):
                marks[starts[piece.start]] = kernel.WORD
                after = starts[piece.start + len(piece.text)]
                marks[after] = marks[after] or kernel.GAP
            if begin < end:
                marks[begin] = marks[begin] or kernel.GAP
            marks[end] = 0
        return marks[:-1]

    def cut(self, data: UInt8, offsets: Int64) -> tuple[UInt8, Int64, Int64]:
        """Returns texts one behind another as the steps leave them, and where their words start.

        Returns
        -------
        data : ndarray of uint8
            The texts.
        offsets : ndarray of int64
            Where they start in `data`.
        words : ndarray of int64
            Where their words start, and where the last ends.

        Raises
        ------
        InputError
            If a pattern takes too long, or the steps refuse a word.
        """
        data, offsets, words = self.cutter.cut(data, offsets) or self._slow_cut(data, offsets)
        if self.inside is not None:
            data, offsets, words = _without_front(data, offsets, words, self.inside)
        if self.behind is not None:
            spelled, places = _spelled(data)
            _, _, cut = self.behind.cut(spelled, places[words])
            words = np.searchsorted(places, cut)
        return data, offsets, words

    def _slow_cut(self, data: UInt8, offsets: Int64) -> tuple[UInt8, Int64, Int64]:
        """Returns what `cut` does, by `regex`."""
        texts = [_text(data[begin:end]) for begin, end in pairwise(offsets.tolist())]
        cut = [list(map(_bytes, self.steps.words(text))) for text in texts]
        sizes = [sum(map(len, words)) for words in cut]
        lengths = [len(word) for words in cut for word in words]
        joined = b"".join(word for words in cut for word in words)
        return (
            np.frombuffer(joined, np.uint8),
            np.array([0, *accumulate(sizes)], np.int64),
            np.array([0, *accumulate(lengths)], np.int64),
        )


def _without_front(
    data: UInt8,
    offsets: Int64,
    words: Int64,
    inside: Inside,
) -> tuple[UInt8, Int64, Int64]:
    """Returns what `CompiledSteps.cut` does, without what `inside` removes from words."""
    front = inside.front.encode()
    places = [match.start() for match in re.finditer(re.escape(front), data.tobytes())]
    begun = np.flatnonzero(np.isin(words[:-1], places))
    gone = np.zeros(len(data), bool)
    for begin, end in zip(words[begun].tolist(), words[begun + 1].tolist(), strict=True):
        if inside.size_in(_text(data[begin:end])):
            gone[begin : begin + len(front)] = True
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(gone)])
    return data[~gone], offsets - before[offsets], words - before[words]


@cache
def _spelling() -> tuple[Int64, UInt8, UInt8]:
    """Returns how many bytes each byte is spelled as, one or two, the first one and the last."""
    spelled = [spelled_bytes(bytes([byte])).encode() for byte in range(256)]
    sizes = np.array([*map(len, spelled)], np.int64)
    first, last = (np.array([each[place] for each in spelled], np.uint8) for place in (0, -1))
    return sizes, first, last


def _spelled(data: UInt8) -> tuple[UInt8, Int64]:
    """Returns bytes as ByteLevel spells them, and where each begins there, and where all end."""
    sizes, first, last = _spelling()
    places = np.zeros(len(data) + 1, np.int64)
    np.cumsum(sizes[data], out=places[1:])
    spelled = np.empty(places[-1], np.uint8)
    spelled[places[1:] - 1] = last[data]
    spelled[places[:-1]] = first[data]
    return spelled, places


def _text(data: UInt8) -> str:
    return data.tobytes().decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _written(step: Step) -> tuple[bytes | None, bytes, bytes, bool]:
    """Returns what stands for a space, what is put around a word, and whether it is put again."""
    mark = None if step.replacement is None else step.replacement.encode()
    return mark, step.prefix.encode(), step.suffix.encode(), step.again
