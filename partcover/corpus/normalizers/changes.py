"""Replaces matches of a pattern in a text, and reports where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

OfBytes: TypeAlias = Callable[[bytes], bytes]


class Edit(NamedTuple):
    """A part of a text that is replaced.

    `part` is the part of the text that the new characters stand for, by default all of it.
    """

    begin: int
    end: int
    new: str
    part: tuple[int, int] | None = None


def characters(text: str | bytes) -> str:
    """Returns a text as characters; U+DC80 to U+DCFF stand for bytes that are not UTF-8."""
    return text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")


def utf8(text: str | bytes) -> bytes:
    """Returns a text in UTF-8."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


@dataclass(frozen=True)
class Change:
    """A step that changes a text.

    Parameters
    ----------
    pattern : pattern
        Finds what may change.
    new : callable
        Returns what is written for a match.
    reach : int
        0 where it changes each character by itself; 1 where it does not look across a visible
        ASCII character that a space or line feed follows; 2 where it may.
    keeps : bool
        Whether such a place stays one.
    last : bool
        Whether what is written stands for the last character of a match alone.
    quick : callable, optional
        Does the same to a whole text, faster.
    of_bytes : callable, optional
        Does the same to a whole text in UTF-8, faster.
    """

    pattern: Any
    new: Callable[[str], str]
    reach: int = 0
    keeps: bool = True
    last: bool = False
    quick: Callable[[str], str] | None = field(default=None, compare=False)
    of_bytes: OfBytes | None = field(default=None, compare=False)

    def apply(self, text: str) -> str:
        """Returns the changed text."""
        if self.quick is not None:
            return self.quick(text)
        if self.of_bytes is not None:
            return characters(self.of_bytes(utf8(text)))
        changed: str = self.pattern.sub(lambda match: self.new(match[0]), text)
        return changed

    def edits(self, text: str) -> Iterator[Edit]:
        """Yields what is replaced, in order."""
        for match in self.pattern.finditer(text):
            if (new := self.new(match[0])) != match[0]:
                begin, end = match.span()
                yield Edit(begin, end, new, (max(end - 1, 0), end) if self.last else None)
