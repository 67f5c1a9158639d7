r"""Cuts text into words: the pre-tokenizers.

A pre-tokenizer is named by one rule, or by several joined with ``+``; a later rule cuts the
words of the one before it, each word taken as a text of its own.

==============  ====================================================================
rule            words
==============  ====================================================================
space-prefix    cut before each space (U+0020 only); the space that starts a word is
                replaced by a mark, by default ``Ġ``: ``space-prefix:_`` marks with
                ``_`` (any string without ``+``)
first-space     cut before each space, which is kept: PathPiece's FirstSpace
space           each space is a word, and so is the text between spaces: Space
digit           each decimal digit (Unicode Nd) is a word, and so is the text
                between digits: Digit
gpt2            GPT-2's pattern
cl100k          the pattern of cl100k_base
o200k           the pattern of o200k_base
none            the text is one word
==============  ====================================================================

PathPiece's three are ``first-space``, ``space+digit`` and ``first-space+digit``.  Under
`space-prefix` the text ``"a  b"`` (two spaces) becomes ``a``, ``Ġ``, ``Ġb``; line feeds and tabs
stay inside words.  Words are never empty, and their concatenation is the text (with mark and
space exchanged, if the text has no mark of its own).

How a long text is counted
--------------------------
Counting does not run a rule over the whole text.  It first cuts the text into *pieces* at
places where the rule cuts in any case, counts the distinct pieces in compiled code, and runs
the rule once for each distinct piece.  That is exact because of these places:

* ``space-prefix``, ``first-space``, ``space``: before every space, by definition.
* the three patterns, (a): before a space that follows a character ``x`` which is not white
  space.  In each pattern a space is consumed only as the first character of a match or by
  ``\s``, and what ``\s`` precedes or follows inside a match is white space again or the match's
  end; so no match, nor any part of one that the engine tries, holds ``x`` and then a space.
* the three patterns, (b): between a letter ``x`` and a character ``y`` that is neither letter
  nor mark nor apostrophe.  After a letter a match can only go on with letters, marks and (in
  o200k) an apostrophe.

At such a place the engine, on the whole text, tries no path that consumes ``x`` and ``y``
together; and the one look-ahead, ``\s+(?!\S)``, looks one character past white space, whereas
``x`` is none.  So every match that starts before the place is found alike when the text ends
there.  Each pattern matches every character, so a new match starts exactly at the place, and
as no pattern looks behind, what follows is found alike when the text starts there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import regex

from ..errors import InputError
from ..kernels import _encoder, _word_table
from ..runtime.arguments import shown

__all__ = [
    "PATTERNS",
    "PRETOKENIZER_RULES",
    "Pretokenizer",
    "PretokenizerRule",
    "Splitter",
    "character_kinds",
]

#: A pre-tokenizer given as a function: it returns all words of a text, in order.
Splitter: TypeAlias = Callable[[str], Iterable[str]]

# The patterns as published: GPT-2's encoder.py, and tiktoken's first releases of the other two
# (later releases rewrite them for speed).
PATTERNS = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
        r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "o200k": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}

# Place (b) above, searched from the end.  A character that is cut by the end of the text decodes
# to surrogates (Cs), whose kind is not known yet.
_LETTER_END = regex.compile(r"(?r)(?<=\p{L})[^\p{L}\p{M}\p{Cs}']")


@dataclass(frozen=True)
class PretokenizerRule:
    """One rule of a pre-tokenizer.

    Parameters
    ----------
    words : callable
        Returns all words of a text.
    pieces : int
        Where the word table may cut before the rule is run: `EVERY_SPACE`, `AFTER_WORD` or
        `NOWHERE` of the kernel; `AFTER_WORD` is (a), and (b) if both characters are ASCII.
    finder : int
        The mode in which the encoder's kernel finds the same words: ``FIRST_SPACE``, ``GPT2``, …
    mark : str, optional
        The replacement of a leading space, for rules whose pieces are the words otherwise.
    given : bool
        Whether it is a function given by the caller.
    """

    words: Callable[[str], list[str]]
    pieces: int
    finder: int
    mark: str | None = None
    given: bool = False

    def last_cut(self, text: bytes) -> int:
        """Returns the last place > 0 where `text`, a prefix of a longer text, may be cut, or -1."""
        place = _word_table.last_cut(text, self.pieces)
        if place < 0 and self.pieces == _word_table.AFTER_WORD:
            decoded = text.decode("utf-8", "surrogateescape")
            if match := _LETTER_END.search(decoded):
                return len(decoded[: match.start()].encode("utf-8", "surrogateescape"))
        return place


def _pattern(pattern: str, pieces: int, finder: int) -> PretokenizerRule:
    return PretokenizerRule(regex.compile(pattern).findall, pieces, finder)


_SPACED = regex.compile(" [^ ]*|[^ ]+").findall


def _space_prefix(mark: str) -> PretokenizerRule:
    def words(text: str) -> list[str]:
        return [mark + word[1:] if word[0] == " " else word for word in _SPACED(text)]

    return PretokenizerRule(words, _word_table.EVERY_SPACE, _encoder.FIRST_SPACE, mark)


def _whole(text: str) -> list[str]:
    return [text] if text else []


_FINDERS = {"gpt2": _encoder.GPT2, "cl100k": _encoder.CL100K, "o200k": _encoder.O200K}

PRETOKENIZER_RULES: dict[str, PretokenizerRule] = {
    "space-prefix": _space_prefix("Ġ"),
    "first-space": PretokenizerRule(_SPACED, _word_table.EVERY_SPACE, _encoder.FIRST_SPACE, " "),
    "space": _pattern(" |[^ ]+", _word_table.EVERY_SPACE, _encoder.SPACE),
    "digit": _pattern(r"\p{Nd}|\P{Nd}+", _word_table.NOWHERE, _encoder.DIGIT),
    **{
        name: _pattern(pattern, _word_table.AFTER_WORD, _FINDERS[name])
        for name, pattern in PATTERNS.items()
    },
    "none": PretokenizerRule(_whole, _word_table.NOWHERE, _encoder.WHOLE),
}

_KINDS = {
    _encoder.LETTER: r"\p{L}+",
    _encoder.NUMBER: r"\p{N}+",
    _encoder.WHITE: r"\s+",
    _encoder.UPPER: r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+",
    _encoder.LOWER: r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    _encoder.DECIMAL: r"\p{Nd}+",
}


@cache
def character_kinds() -> npt.NDArray[np.uint8]:
    """Returns the kinds of each code point, as bits of the encoder's kernel.

    They come from the library that runs the patterns, so that both have the same Unicode version.

    Returns
    -------
    ndarray of uint8, shape (0x110000,)
        Read-only.
    """
    kinds = np.zeros(0x110000, np.uint8)
    text = np.arange(len(kinds), dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    for bit, pattern in _KINDS.items():
        for match in regex.finditer(pattern, text):
            kinds[match.start() : match.end()] |= bit
    kinds.setflags(write=False)
    return kinds


@dataclass(frozen=True)
class Pretokenizer:
    """A pre-tokenizer: rules applied one after another.

    Parameters
    ----------
    name : str
        The rules' names joined by ``+``; `space-prefix` takes its mark after a colon.
    rules : tuple of PretokenizerRule
        The rules.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers import Pretokenizer
    >>> Pretokenizer.from_name("first-space+digit").split("in 1984")
    ['in', ' ', '1', '9', '8', '4']
    """

    name: str
    rules: tuple[PretokenizerRule, ...]

    @classmethod
    def from_name(cls, name: str) -> Pretokenizer:
        """Returns the pre-tokenizer of a name.

        Raises
        ------
        InputError
            For an unknown rule (the message lists the known ones), or an empty mark.
        """
        return cls(name, tuple(map(_find, name.split("+"))))

    @classmethod
    def of(cls, given: str | Splitter) -> Pretokenizer:
        """Returns the pre-tokenizer of a name, or of a function that returns all words of a text.

        When words are counted, a function may leave text out (``str.split``: white space); empty
        words are skipped.

        Raises
        ------
        InputError
            As `from_name` does; later, when the function returns anything but texts.
        """
        if isinstance(given, str):
            return cls.from_name(given)
        name = getattr(given, "__qualname__", type(given).__name__)
        own = PretokenizerRule(
            _CheckedSplitter(given, name), _word_table.NOWHERE, _encoder.WHOLE, given=True
        )
        return cls(name, (PRETOKENIZER_RULES["none"], own))

    def split(self, text: str) -> list[str]:
        """Returns all words of a text, in order."""
        words = self.rules[0].words(text)
        for rule in self.rules[1:]:
            words = [part for word in words for part in rule.words(word)]
        return words

    @property
    def mark(self) -> str | None:
        """The mark of the only rule, if its pieces become words by the mark alone."""
        return self.rules[0].mark if len(self.rules) == 1 else None


@dataclass(frozen=True)
class _CheckedSplitter:
    """Calls a function of the caller's and checks the words that it returns."""

    function: Splitter
    name: str

    def __call__(self, text: str) -> list[str]:
        words = self.function(text)
        if isinstance(words, str) or not isinstance(words, Iterable):
            raise InputError(
                f"the pre-tokenizer {self.name} gives {shown(words)}: a list of texts is expected"
            )
        kept = []
        for word in words:
            if not isinstance(word, str):
                raise InputError(
                    f"the pre-tokenizer {self.name} gives {shown(word)} as a word: text is expected"
                )
            try:
                word.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:
                raise InputError(
                    f"the pre-tokenizer {self.name} gives a lone surrogate, not UTF-8"
                ) from None
            if word:
                kept.append(word)
        return kept


def _find(name: str) -> PretokenizerRule:
    base, colon, mark = name.partition(":")
    if base == "space-prefix" and colon:
        if not mark:
            raise InputError("pre-tokenizer 'space-prefix:' has an empty mark; leave out the colon")
        return _space_prefix(mark)
    if name not in PRETOKENIZER_RULES:
        raise InputError(
            f"unknown pre-tokenizer {name!r}: use {', '.join(PRETOKENIZER_RULES)}, or several "
            "joined by '+'"
        )
    return PRETOKENIZER_RULES[name]
