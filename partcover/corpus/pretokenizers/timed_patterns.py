"""Finds matches of untrusted patterns, within limits on their size and on time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ...errors import InputError
from ...runtime.arguments import shown
from ...runtime.patterns import regex
from .oniguruma import translated
from .unicode_tables import compiled

Span: TypeAlias = tuple[int, int]
Matches: TypeAlias = list[tuple[int, int, bool]]  # all of a text: begin, end, whether it matches

_SECONDS, _PER_SECOND = 10.0, 50_000  # a pattern may take ten seconds, and one for so many more
# Characters of the patterns of a tokenizer whose repetitions are written out, as the library does
# to compile them. It took up to 25 microseconds and 1,900 bytes for each.
_LARGEST = 100_000
_LONG = 500  # characters of a pattern; with so many letters alone, its first search took 0.03 s
# a quantifier with its mark, the beginning of a group, and any other item of a pattern
_ITEM = re.compile(
    r"(?P<repeat>[*+?]|\{(?P<least>[0-9]+)(?P<range>,[0-9]*)?\})[?+]?|"
    r"(?P<group>\((?:\?(?:[:=!>]|<[=!]|-?i:))?)|\\[pP]\{[^}]*\}|\\.|.",
    re.DOTALL,
)


@dataclass(frozen=True)
class TimedPattern:
    """A compiled pattern with a time limit; `timed_pattern` makes one.

    Parameters
    ----------
    source : str
        The pattern as it was given, for errors.
    pattern : str
        What it is for `regex`.
    compiled : pattern
        The same, with the properties of Unicode 16.
    """

    source: str
    pattern: str = field(compare=False)
    compiled: Any = field(compare=False)

    def __call__(self, text: str) -> Matches:
        """Returns the matches of a text and what is between them, in order.

        Raises
        ------
        InputError
            If it takes longer than ten seconds, and a second for every 50,000 characters.
        """
        seconds = _seconds_for(text)
        try:
            spans = [m.span() for m in self.compiled.finditer(text, timeout=seconds)]
            if any(begin == end for begin, end in spans):
                spans = list(self._stepwise(text, seconds))
        except TimeoutError:
            raise self._too_slow(text) from None
        return _with_gaps(spans, len(text))

    def replaced(self, text: str, new: str) -> str:
        """Returns a text with `new` for each match.

        Raises
        ------
        InputError
            As for the matches.
        """
        try:
            if self.compiled.search(text, timeout=_seconds_for(text)) is None:
                return text
        except TimeoutError:
            raise self._too_slow(text) from None
        return "".join([new if match else text[a:b] for a, b, match in self(text)])

    def _too_slow(self, text: str) -> InputError:
        return InputError(
            f"the pattern {shown(self.source)} takes more than {_seconds_for(text):.0f} seconds on "
            f"a text of {len(text):,} characters"
        )

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


def _seconds_for(text: str) -> float:
    return _SECONDS + len(text) / _PER_SECOND


def timed_pattern(source: str, pattern: str) -> TimedPattern:
    """Compiles a pattern; `source` is what it was translated from.

    Raises
    ------
    InputError
        If it is none.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.timed_patterns import timed_pattern
    >>> timed_pattern("a+", "a+")("aab")
    [(0, 2, True), (2, 3, False)]
    """
    # `regex` prepares the search for a text that each match has, in time cubic in its length, and
    # the limit does not stop it; of alternatives there is none
    alternative = "(?!)|" if len(pattern) > _LONG else ""
    try:
        return TimedPattern(source, pattern, compiled(alternative + pattern))
    except (regex.error, RecursionError, MemoryError, OverflowError) as error:
        raise InputError(f"the pattern {shown(source)} is not valid: {error}") from None


def check_sizes(patterns: Iterable[Any]) -> None:
    """Checks before they are compiled that the patterns of one tokenizer are not too large.

    Parameters
    ----------
    patterns : iterable
        Patterns as in a tokenizer.json, ``{"Regex": …}`` or ``{"String": …}``; what is none of
        them does not count.

    Raises
    ------
    InputError
        If they are too large together, or one of them cannot be translated.
    """
    total = 0
    for given in patterns:
        pattern = given if isinstance(given, Mapping) else {}
        regex_, string = pattern.get("Regex"), pattern.get("String")
        total += _size(translated(regex_)) if isinstance(regex_, str) else 0
        total += len(string) if isinstance(string, str) else 0
        if total > _LARGEST:
            raise InputError(
                f"the patterns are too large: up to {shown(regex_ or string)}, they have more than "
                f"{_LARGEST:,} characters with their repetitions written out"
            )


def _size(pattern: str) -> int:
    """Returns the characters of a pattern, as `translated` writes it, with repetitions written out.

    The library compiles what is repeated once more than the least number of times, so that the
    sizes of nested groups multiply: ``((a+)+)+`` has eight copies of ``a``.  A size above the
    limit may be returned too small, but above it.
    """
    sizes = [0]  # of each open group, so far
    last = brackets = 0  # the size of the last item; how many brackets ``[`` are open
    for item in _ITEM.finditer(pattern):
        text = item[0]
        if brackets or text == "[":
            last = last + len(text) if brackets else 1
            brackets += {"[": 1, "]": -1}.get(text, 0)
            sizes[-1] += 0 if brackets else last
        elif item["repeat"]:
            least = int(item["least"] or text[0] == "+")
            sizes[-1] += last * least
            last += last * least
        elif item["group"]:
            sizes.append(len(text))
        elif text == ")" and len(sizes) > 1:
            last = sizes.pop() + 1
            sizes[-1] += last
        else:
            last = len(text)
            sizes[-1] += last
        if max(last, sizes[-1]) > _LARGEST:
            return _LARGEST + 1
    return sum(sizes)


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
