"""Unicode's normal forms, as Hugging Face's tokenizers have them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, Literal

from ...kernels.texts._character_edits import CHANGES, JOINS, first_change
from ...runtime.arrays import Int64, UInt8, np
from ...runtime.patterns import regex
from ..pretokenizers import unicode_tables as tables
from ..pretokenizers.character_kinds import PLACES, first_bytes
from .changes import Edit, characters, utf8

_BLOCK = 1 << 8  # bytes behind a change that are normalized with it
_HANGUL = 0xAC00, 0xD7A4  # the syllables


@cache
def _inert() -> re.Pattern[str]:
    return re.compile(f"([{tables.INERT}]+)")  # faster than `regex` for a class


@dataclass(frozen=True)
class NormalForm:
    """One of Unicode's normal forms; as `Change`."""

    form: Any
    reach = 1
    keeps = True

    def apply(self, text: str) -> str:
        """Returns the normal form."""
        if unicodedata.is_normalized(self.form, text):
            return text
        # a line feed stays as it is, and parts what is beside it
        return "\n".join(map(self._line, text.split("\n")))

    def of_bytes(self, text: bytes) -> bytes:
        """Returns the normal form of a text in UTF-8; other bytes are kept."""
        parts: list[bytes] = []
        done = 0
        while (at := first_change(text, done, *_tables(self.form))) >= 0:
            # a line feed parts what is beside it
            begin = text.rfind(b"\n", done, at) + 1 or done
            end = text.find(b"\n", at + _BLOCK) + 1 or len(text)
            parts += [text[done:begin], utf8(self.apply(characters(text[begin:end])))]
            done = end
        return b"".join([*parts, text[done:]]) if parts else text

    def _line(self, text: str) -> str:
        if unicodedata.is_normalized(self.form, text):
            return text
        parts = _inert().split(text)
        parts[::2] = [unicodedata.normalize(self.form, part) for part in parts[::2]]
        return "".join(parts)

    def edits(self, text: str) -> Iterator[Edit]:
        """Yields what is replaced, in order."""
        for match in _clusters().finditer(text):
            if (new := self.apply(match[0])) == match[0]:
                continue
            at, end = match.span()
            traced = _traced(self.form, match[0])
            if "".join(character for character, _ in traced) != new:  # of a younger Unicode
                yield Edit(at, end, new)
                continue
            for character, more in traced:
                if more > 0:
                    yield Edit(at, at, character, (max(at - 1, 0), at))
                else:
                    yield Edit(at, at + 1 - more, character, (at, at + 1))
                    at += 1 - more


def _traced(form: str, text: str) -> list[tuple[str, int]]:
    """Returns the characters of a normal form as Hugging Face's tokenizers trace them.

    Each has a number: 0 where it stands for one character of the text, −n where the n behind that
    one are gone in it, 1 where it stands behind the one before as a part of the same.
    """
    parts: list[tuple[str, int]] = []
    whole: Literal["NFKD", "NFD"] = "NFKD" if "K" in form else "NFD"
    for character in text:
        parts += [(c, int(n > 0)) for n, c in enumerate(unicodedata.normalize(whole, character))]
    classes = [unicodedata.combining(character) for character, _ in parts]
    begin = 0
    for place in range(len(parts) + 1):  # marks in a row by their class
        if place == len(parts) or classes[place] == 0:
            order = sorted(range(begin, place), key=classes.__getitem__)
            parts[begin:place] = [parts[n] for n in order]
            classes[begin:place] = [classes[n] for n in order]
            begin = place + 1
    return parts if form.endswith("D") else _composed(parts, classes)


def _composed(parts: list[tuple[str, int]], classes: list[int]) -> list[tuple[str, int]]:
    """Returns characters, in the canonical order, of which some become one."""
    done: list[tuple[str, int]] = []
    starter, last = -1, -1  # the place of the one to join, and the class behind it
    for (character, more), class_ in zip(parts, classes, strict=True):
        if starter >= 0 and (last < class_ or last == -1):
            both = unicodedata.normalize("NFC", done[starter][0] + character)
            if len(both) == 1:
                done[starter] = both, done[starter][1] + more - 1
                continue
        if class_ == 0:
            starter, last = len(done), -1
        else:
            last = class_
        done.append((character, more))
    return done


@cache
def joining_characters(end: int = 0x110000) -> str:
    """Returns, as the inside of a class, what may become one with, or move before, what precedes.

    Takes the end of the code points that are looked at, 0x10000 or all.
    """
    second = set()
    joins = set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3))  # Hangul's vowels and finals
    decomposed = []
    for point in range(end):
        decomposition = unicodedata.decomposition(chr(point))
        if unicodedata.combining(chr(point)):
            joins.add(point)
        elif decomposition:
            decomposed.append(point)
        parts = decomposition.split()
        if len(parts) == 2 and parts[0][0] != "<":
            second.add(int(parts[1], 16))
    joins |= second
    joins |= {p for p in decomposed if ord(unicodedata.normalize("NFKD", chr(p))[0]) in joins}
    return "".join(f"\\U{point:08X}" for point in sorted(joins))


@cache
def _clusters() -> regex.Pattern[str]:
    """Finds the parts of a text whose normal forms, joined, are the normal form of the text."""
    joins = joining_characters()
    return regex.compile(rf"(?s)[^\x00-\x7F][{joins}]*|[\x00-\x7F][{joins}]+")


@cache
def _tables(form: Any) -> tuple[UInt8, UInt8, Int64]:
    """Returns the tables of `first_change`.

    Unicode's quick check (UAX 15, section 9) with one more rule: of two characters that do not
    become one, and neither of which stands for several, none changes.
    """
    composes = form.endswith("C")
    kinds = np.zeros(0x110000, np.uint8)
    classes, several, firsts = _characters()
    order = sorted({0, *classes.values()})
    pairs = []
    for point in classes.keys() | firsts.keys() if composes else classes:
        kinds[point] = order.index(classes.get(point, 0))
        for first in firsts.get(point, ()) if composes else ():
            kinds[point] |= JOINS
            both = chr(first) + chr(point)
            if unicodedata.normalize("NFC", both) != both:
                pairs.append((first, point))
    for point in several:
        if kinds[point] or not unicodedata.is_normalized(form, chr(point)):
            kinds[point] = CHANGES
    for point in map(ord, filter(_inert().match, map(chr, np.flatnonzero(kinds)))):
        kinds[point] = CHANGES
    for begin, end in ((0x1161, 0x1176), (0x11A8, 0x11C3)) if composes else (_HANGUL,):
        kinds[begin:end] = CHANGES
    pairs += [(point, 0) for point in (*several, *range(*_HANGUL))]
    joined = np.array(sorted(pairs) if composes else [], np.int64).reshape(-1, 2)
    return kinds, first_bytes(kinds), joined[:, 0] << 32 | joined[:, 1]


@cache
def _characters() -> tuple[dict[int, int], list[int], dict[int, list[int]]]:
    """Returns what a normal form may change or move; Hangul, which follows rules, is left out.

    Returns
    -------
    classes : dict
        The combining classes that are not 0.
    several : list
        The characters that stand for others.
    firsts : dict
        What a character may become one with, if that precedes it.
    """
    classes: dict[int, int] = {}
    several: list[int] = []
    firsts: dict[int, list[int]] = {}
    for point in chain(*PLACES):
        character = chr(point)
        if class_ := unicodedata.combining(character):
            classes[point] = class_
        if decomposition := unicodedata.decomposition(character):
            several.append(point)
            parts = decomposition.split()
            if len(parts) == 2 and parts[0][0] != "<":
                firsts.setdefault(int(parts[1], 16), []).append(int(parts[0], 16))
    return classes, several, firsts
