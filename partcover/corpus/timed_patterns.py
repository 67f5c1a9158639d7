"""Finds matches of patterns that strangers wrote, within a time limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import regex

from ..errors import InputError
from ..runtime.arguments import shown

__all__ = ["Matches", "Span", "TimedPattern", "timed_pattern"]

Span: TypeAlias = tuple[int, int]
Matches: TypeAlias = list[tuple[int, int, bool]]  # all of a text: begin, end, whether it matches

_SECONDS, _PER_SECOND = 10.0, 50_000  # a pattern may take ten seconds, and one for so many more


@dataclass(frozen=True)
class TimedPattern:
    """A compiled pattern that may take only so long; `timed_pattern` makes one.

    Parameters
    ----------
    source : str
        The pattern as it was given, for errors.
    compiled : pattern
        The pattern.
    """

    source: str
    compiled: Any = field(compare=False)

    def __call__(self, text: str) -> Matches:
        """Returns the matches of a text and what is between them, in order.

        Raises
        ------
        InputError
            If it takes longer than ten seconds, and a second for every 50,000 characters.
        """
        seconds = _SECONDS + len(text) / _PER_SECOND
        try:
            spans = [m.span() for m in self.compiled.finditer(text, timeout=seconds)]
            if any(begin == end for begin, end in spans):
                spans = list(self._stepwise(text, seconds))
        except TimeoutError:
            raise InputError(
                f"the pattern {shown(self.source)} takes more than {seconds:.0f} seconds on a text "
                f"of {len(text):,} characters"
            ) from None
        return _with_gaps(spans, len(text))

    def _stepwise(self, text: str, seconds: float) -> Iterator[Span]:
        """Yields matches as the library does where some are empty: none behind another's end."""
        at, last = 0, -1
        while at <= len(text):
            match = self.compiled.search(text, at, timeout=seconds)
            if match is None:
                return
            begin, end = match.span()
            if begin == end == last:
                at = end + 1
                continue
            yield begin, end
            at = last = end


def timed_pattern(source: str, pattern: str) -> TimedPattern:
    """Compiles a pattern; `source` is what it was translated from.

    Raises
    ------
    InputError
        If it is none.

    Examples
    --------
    >>> from partcover.corpus.timed_patterns import timed_pattern
    >>> timed_pattern("a+", "a+")("aab")
    [(0, 2, True), (2, 3, False)]
    """
    try:
        return TimedPattern(source, regex.compile(pattern, regex.VERSION1))
    except (regex.error, RecursionError, MemoryError, OverflowError) as error:
        raise InputError(f"the pattern {shown(source)} is none: {error}") from None


def _with_gaps(spans: Iterable[Span], length: int) -> Matches:
    matches = []
    at = 0
    for begin, end in spans:
        if at != begin:
            matches.append((at, begin, False))
        matches.append((begin, end, True))
        at = end
    if at != length:
        matches.append((at, length, False))
    return matches
