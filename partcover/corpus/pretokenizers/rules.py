r"""Holds the named rules that split text into words.

A pre-tokenizer is named by one rule, or by several joined with ``+``; a later rule splits the
words of the one before it, each word taken as a text of its own.

==============  ====================================================================
rule            words
==============  ====================================================================
space-prefix    split before each space (U+0020 only); the space that starts a word is
                replaced by a mark, by default ``Ġ``: ``space-prefix:_`` marks with
                ``_`` (any string without ``+``)
first-space     split before each space, which is kept: PathPiece's FirstSpace
space           each space is a word, and so is the text between spaces: Space
digit           each decimal digit (Unicode Nd) is a word, and so is the text
                between digits: Digit
gpt2            GPT-2's pattern; the default
cl100k          the pattern of cl100k_base
o200k           the pattern of o200k_base
qwen2           the pattern of Qwen 2 and 3: cl100k's, with one digit at a time
qwen3.5         the pattern of Qwen 3.5: qwen2's, with marks as letters
tekken          the pattern of Mistral's tekken: o200k's, with one digit at a time
deepseek        the three patterns of DeepSeek 2 and 3, one after another
none            the text is one word
…+phrases:4     up to four words of the rule before in a row:
                `partcover.corpus.pretokenizers.phrases`
==============  ====================================================================

Or it is a JSON object as in the tokenizer.json of Hugging Face's tokenizers, which
`partcover.corpus.pretokenizers.steps.read` describes: ``{"type": "Whitespace"}``.  Its name is that
of the rules above where they split in the same way, and else the object, complete and without
spaces.

PathPiece's three are ``first-space``, ``space+digit`` and ``first-space+digit``.  Under
`space-prefix` the text ``"a  b"`` (two spaces) becomes ``a``, ``Ġ``, ``Ġb``; line feeds and tabs
stay inside words.  Words are never empty, and their concatenation is the text (with mark and
space exchanged, if the text has no mark of its own).

How a long text is counted
--------------------------
Counting does not run a rule over the whole text.  It first splits the text into *pieces* at
places where the rule splits in any case, counts the distinct pieces in compiled code, and runs
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

Phrases are split at those of these places where no words are joined: (a) where x is neither letter
nor mark, (b) where y is no space and no ``’``; and so is ``first-space`` before a space of (a).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from ...errors import InputError
from ...kernels.words import _word_ends, _word_table
from ...runtime.arguments import closest
from ...runtime.arrays import UInt8
from ...runtime.patterns import regex
from ..files.joining import join_words
from .phrases import phrase_of
from .published_patterns import DEEPSEEK, PATTERNS, SPLITS
from .unicode_tables import compiled

if TYPE_CHECKING:
    from .steps.compiled_steps import CompiledSteps
    from .steps.step import Steps

# Place (b) above, searched from the end.  A character that is split by the end of the text decodes
# to surrogates (Cs), whose kind is not known yet.
_LETTER_END = r"(?r)(?<=\p{L})[^\p{L}\p{M}\p{Cs}']"
#: Place (a) likewise.
WORD_END = r"(?r)(?<=\S) "
# The same where words are joined.
_SIGN_END = r"(?r)(?<=[^\s\p{L}\p{M}\p{Cs}]) "
_PHRASE_END = r"(?r)(?<=\p{L})[^\p{L}\p{M}\p{Cs}'’ ]|(?<=[^\s\p{L}\p{M}\p{Cs}]) "


_CUT_AT_SPACES = (
    _word_ends.AFTER_WORD_SPACE, _word_ends.DEEPSEEK, _word_ends.SPACE_RUNS, _word_ends.CLASSES,
    _word_ends.CLIP,
)  # fmt: skip


@dataclass(frozen=True)
class PretokenizerRule:
    """One rule of a pre-tokenizer.

    Parameters
    ----------
    words : callable
        Returns all words of a text.
    pieces : int
        Where the word table may split before the rule is run: `EVERY_SPACE`, `AFTER_WORD` or
        `NOWHERE` of the kernel; `AFTER_WORD` is (a), and (b) if both characters are ASCII.
        `AFTER_SIGN` is (a) for phrases, and `AFTER_PHRASE` both, of ASCII characters.
    finder : int
        The mode in which the encoder's kernel finds the same words: ``FIRST_SPACE``, ``GPT2``, …
    mark : str, optional
        The replacement of spaces, for rules whose pieces are the words otherwise.
    given : bool
        Whether it is a function given by the caller, or steps: run in Python.
    keeps : bool
        Whether its words, joined, are to be the text.
    kinds : ndarray of uint8, optional
        What the finder takes each code point for, by default `character_kinds`.
    raw : callable, optional
        Of rules over text that is not normalized: returns the part whose one word is a given one,
        or None.
    each : callable, optional
        Returns what `words` does for each of several texts, sooner.
    phrase : int
        The most words that `finder` joins.
    compiled : CompiledSteps, optional
        What splits as `words` does, in compiled code; where `finder` is ``MARKED`` it says where
        words are.
    between : pattern, optional
        What finds, from the end, a place where a text is split in any case.
    """

    words: Callable[[str], list[str]]
    pieces: int
    finder: int
    mark: str | None = None
    given: bool = False
    keeps: bool = True
    kinds: UInt8 | None = field(default=None, compare=False, repr=False)
    raw: Callable[[str], str | None] | None = None
    each: Callable[[Sequence[str]], list[list[str]]] | None = None
    phrase: int = 1
    compiled: CompiledSteps | None = field(default=None, compare=False, repr=False)
    between: regex.Pattern[str] | None = None

    def words_of(self, texts: Sequence[str]) -> list[list[str]]:
        """Returns all words of each text."""
        return self.each(texts) if self.each is not None else list(map(self.words, texts))

    def last_cut(self, text: bytes) -> int:
        """Returns the last place > 0 to split `text`, a prefix of a longer text, or -1."""
        place = self.last_quick_cut(text)
        if place >= 0 or self.place is None:
            return place
        decoded = text.decode("utf-8", "surrogateescape")
        match = self.place.search(decoded)
        return len(decoded[: match.start()].encode("utf-8", "surrogateescape")) if match else -1

    def last_quick_cut(self, text: bytes) -> int:
        """Returns the last place that the word table finds; it needs no pattern to be compiled."""
        return _word_table.last_cut(text, self.pieces)

    @property
    def place(self) -> regex.Pattern[str] | None:
        """The pattern that finds a last place to split at where the word table finds none."""
        place: regex.Pattern[str] | None = self.between
        if self.phrase > 1:
            ends = self.pieces == _word_table.AFTER_PHRASE
            place = compiled(_PHRASE_END if ends else _SIGN_END)
        elif self.finder in _CUT_AT_SPACES:
            place = compiled(WORD_END)
        elif place is None and self.pieces == _word_table.AFTER_WORD:
            place = compiled(_LETTER_END)
        return place


@dataclass(frozen=True)
class _Matches:
    """Finds the matches of a pattern, which is compiled when it is first needed."""

    pattern: str

    def __call__(self, text: str) -> list[str]:
        found: list[str] = compiled(self.pattern).findall(text)
        return found


def pattern_rule(pattern: str, pieces: int, finder: int) -> PretokenizerRule:
    """Returns the rule whose words are the matches of a pattern."""
    return PretokenizerRule(_Matches(pattern), pieces, finder)


_SPACED = _Matches(SPLITS["first-space"])


def _space_prefix(mark: str) -> PretokenizerRule:
    def words(text: str) -> list[str]:
        return [mark + word[1:] if word[0] == " " else word for word in _SPACED(text)]

    return PretokenizerRule(words, _word_table.EVERY_SPACE, _word_ends.FIRST_SPACE, mark)


def _whole(text: str) -> list[str]:
    return [text] if text else []


@cache
def _deepseek() -> Steps:
    from .steps.read import read_steps, split_steps  # slow to import, rarely needed

    return read_steps(split_steps(DEEPSEEK))


def _deepseek_words(text: str) -> list[str]:
    return _deepseek().words(text)


_FINDERS = {
    "gpt2": _word_ends.GPT2,
    "cl100k": _word_ends.CL100K,
    "o200k": _word_ends.O200K,
    "qwen2": _word_ends.QWEN2,
    "qwen3.5": _word_ends.QWEN35,
    "tekken": _word_ends.TEKKEN,
}

PRETOKENIZER_RULES: dict[str, PretokenizerRule] = {
    "space-prefix": _space_prefix("Ġ"),
    "first-space": PretokenizerRule(_SPACED, _word_table.EVERY_SPACE, _word_ends.FIRST_SPACE, " "),
    "space": pattern_rule(SPLITS["space"], _word_table.EVERY_SPACE, _word_ends.SPACE),
    "digit": pattern_rule(SPLITS["digit"], _word_table.NOWHERE, _word_ends.DIGIT),
    **{
        name: pattern_rule(pattern, _word_table.AFTER_WORD, _FINDERS[name])
        for name, pattern in PATTERNS.items()
    },
    "none": PretokenizerRule(_whole, _word_table.NOWHERE, _word_ends.WHOLE),
    "deepseek": PretokenizerRule(_deepseek_words, _word_table.NOWHERE, _word_ends.DEEPSEEK),
}


def rule_names(name: str | None) -> list[str]:
    """Returns the names of the rules of a pre-tokenizer; none for one that is JSON, or not known.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.rules import rule_names
    >>> rule_names("first-space+digit"), rule_names("gpt2+phrases:4+digit")
    (['first-space', 'digit'], ['gpt2+phrases:4', 'digit'])
    """
    if name is None or name.lstrip().startswith("{"):
        return []
    names: list[str] = re.split(r"\+(?!phrases(?::[0-9]*)?(?:\+|\Z))", name)
    return names


def rule_of_name(name: str) -> PretokenizerRule:
    """Returns the rule of a name."""
    name, phrase = phrase_of(name)
    rule = _find_words(name)
    return rule if phrase == 1 else joining(rule, phrase)


def joining(rule: PretokenizerRule, phrase: int) -> PretokenizerRule:
    """Returns a rule that joins up to so many words of a rule."""
    pieces = _PIECES_OF_PHRASES[rule.pieces]
    return replace(rule, words=_Phrases(rule, phrase), pieces=pieces, phrase=phrase, each=None)


@dataclass(frozen=True)
class _Phrases:
    """Joins the words of a rule, with its mark for spaces."""

    rule: PretokenizerRule
    most: int

    def __call__(self, text: str) -> list[str]:
        mark = self.rule.mark
        if mark is None:
            return join_words(self.rule.words(text), self.most)
        return [phrase.replace(" ", mark) for phrase in join_words(_SPACED(text), self.most)]


_PIECES_OF_PHRASES = {
    _word_table.EVERY_SPACE: _word_table.AFTER_SIGN,
    _word_table.AFTER_WORD: _word_table.AFTER_PHRASE,
    _word_table.NOWHERE: _word_table.NOWHERE,
}


def _find_words(name: str) -> PretokenizerRule:
    base, colon, mark = name.partition(":")
    if base == "space-prefix" and colon:
        if not mark:
            raise InputError(
                "pre-tokenizer 'space-prefix:' has an empty mark: give a mark, or leave out the "
                "colon"
            )
        return _space_prefix(mark)
    if name not in PRETOKENIZER_RULES:
        every = f"use {', '.join(PRETOKENIZER_RULES)}, several joined by '+', or JSON as in a "
        hint = closest(name, PRETOKENIZER_RULES, f"{every}tokenizer.json")
        raise InputError(f"unknown pre-tokenizer {name!r}: {hint}")
    return PRETOKENIZER_RULES[name]
