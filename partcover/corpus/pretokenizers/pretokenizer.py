r"""Splits text into words: the pre-tokenizers.

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
`partcover.corpus.pretokenizers.steps` describes: ``{"type": "Whitespace"}``.  Its name is that of
the rules
above where they split in the same way, and else the object, complete and without spaces.

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
from typing import Any

from ...errors import InputError
from ...kernels.encoding import _encoder
from ...kernels.words import _word_table
from ...runtime.arrays import UInt8
from ...runtime.patterns import regex
from ..files.joining import ALL_WORDS, join_words
from .character_kinds import character_kinds as character_kinds
from .compiled_steps import CompiledSteps
from .oniguruma import translated
from .phrases import APART, name_of_pattern, phrase_of
from .published_patterns import CLIP, CUTTING, DEEPSEEK, NAME_OF_SPLIT, PATTERNS, SPACE_RUNS, SPLITS
from .splitters import CheckedSplitter
from .splitters import Splitter as Splitter
from .steps import PHRASES, Step, Steps, read_steps, split_steps
from .unicode_tables import compiled

__all__ = [
    "CLIP",
    "DEEPSEEK",
    "PATTERNS",
    "PRETOKENIZER_RULES",
    "SPLITS",
    "Pretokenizer",
    "PretokenizerRule",
    "Splitter",
    "character_kinds",
    "published_pattern",
    "rule_names",
]

# One class of characters, once or several times.
_CLASS = (
    r"(\\[pP]\{\^?\w+\}|\\d|\[(?!\^)(?:[^\[\]\\&]|\\p\{\w+\})*\])(?:\+|\{[0-9]+(?:,[0-9]+)?\})?"
)

_WHITE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

# Place (b) above, searched from the end.  A character that is split by the end of the text decodes
# to surrogates (Cs), whose kind is not known yet.
_LETTER_END = r"(?r)(?<=\p{L})[^\p{L}\p{M}\p{Cs}']"
# Place (a) likewise.
_WORD_END = r"(?r)(?<=\S) "
# The same where words are joined.
_SIGN_END = r"(?r)(?<=[^\s\p{L}\p{M}\p{Cs}]) "
_PHRASE_END = r"(?r)(?<=\p{L})[^\p{L}\p{M}\p{Cs}'’ ]|(?<=[^\s\p{L}\p{M}\p{Cs}]) "


_CUT_AT_SPACES = (
    _encoder.AFTER_WORD_SPACE, _encoder.DEEPSEEK, _encoder.SPACE_RUNS, _encoder.CLASSES,
    _encoder.CLIP,
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
        place = _word_table.last_cut(text, self.pieces)
        if place >= 0 or self.place is None:
            return place
        decoded = text.decode("utf-8", "surrogateescape")
        match = self.place.search(decoded)
        return len(decoded[: match.start()].encode("utf-8", "surrogateescape")) if match else -1

    @property
    def place(self) -> regex.Pattern[str] | None:
        """The pattern that finds a last place to split at where the word table finds none."""
        place: regex.Pattern[str] | None = self.between
        if self.phrase > 1:
            ends = self.pieces == _word_table.AFTER_PHRASE
            place = compiled(_PHRASE_END if ends else _SIGN_END)
        elif self.finder in _CUT_AT_SPACES:
            place = compiled(_WORD_END)
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


def _pattern(pattern: str, pieces: int, finder: int) -> PretokenizerRule:
    return PretokenizerRule(_Matches(pattern), pieces, finder)


_SPACED = _Matches(SPLITS["first-space"])


def _space_prefix(mark: str) -> PretokenizerRule:
    def words(text: str) -> list[str]:
        return [mark + word[1:] if word[0] == " " else word for word in _SPACED(text)]

    return PretokenizerRule(words, _word_table.EVERY_SPACE, _encoder.FIRST_SPACE, mark)


def _whole(text: str) -> list[str]:
    return [text] if text else []


@cache
def _deepseek() -> Steps:
    return read_steps(split_steps(DEEPSEEK))


def _deepseek_words(text: str) -> list[str]:
    return _deepseek().words(text)


_FINDERS = {
    "gpt2": _encoder.GPT2,
    "cl100k": _encoder.CL100K,
    "o200k": _encoder.O200K,
    "qwen2": _encoder.QWEN2,
    "qwen3.5": _encoder.QWEN35,
    "tekken": _encoder.TEKKEN,
}

PRETOKENIZER_RULES: dict[str, PretokenizerRule] = {
    "space-prefix": _space_prefix("Ġ"),
    "first-space": PretokenizerRule(_SPACED, _word_table.EVERY_SPACE, _encoder.FIRST_SPACE, " "),
    "space": _pattern(SPLITS["space"], _word_table.EVERY_SPACE, _encoder.SPACE),
    "digit": _pattern(SPLITS["digit"], _word_table.NOWHERE, _encoder.DIGIT),
    **{
        name: _pattern(pattern, _word_table.AFTER_WORD, _FINDERS[name])
        for name, pattern in PATTERNS.items()
    },
    "none": PretokenizerRule(_whole, _word_table.NOWHERE, _encoder.WHOLE),
    "deepseek": PretokenizerRule(_deepseek_words, _word_table.NOWHERE, _encoder.DEEPSEEK),
}

# steps that have no name, and are run in compiled code
_SPACE_RUNS = _pattern(SPACE_RUNS, _word_table.NOWHERE, _encoder.SPACE_RUNS)

# what other steps are run over where they allow it
_AFTER_WORDS = PretokenizerRule(
    _Matches(r"(?s).+?(?:(?<=\S)(?= )|\Z)"),
    _word_table.NOWHERE,
    _encoder.AFTER_WORD_SPACE,
)


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
    >>> from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
    >>> Pretokenizer.from_name("first-space+digit").split("in 1984")
    ['in', ' ', '1', '9', '8', '4']
    """

    name: str
    rules: tuple[PretokenizerRule, ...]
    steps: Steps | None = None

    @classmethod
    def from_name(cls, name: str) -> Pretokenizer:
        """Returns the pre-tokenizer of a name, or of a JSON object.

        Raises
        ------
        InputError
            For an unknown rule (the message lists the known ones), an empty mark, or JSON that
            `read_steps` refuses.

        Examples
        --------
        >>> from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
        >>> Pretokenizer.from_name('{"type": "Whitespace"}').split("a tip, a rule")
        ['a', 'tip', ',', 'a', 'rule']
        """
        if name.lstrip().startswith("{"):
            return cls.from_steps(read_steps(name))
        return cls(name, tuple(map(_find, rule_names(name))))

    @classmethod
    def from_steps(cls, steps: Steps) -> Pretokenizer:
        """Returns the pre-tokenizer of steps; the named one, if its rules split in the same way."""
        named = _name_of(steps)
        if named is not None:
            return cls.from_name(named)
        if [step.data for step in steps.steps] == split_steps([SPACE_RUNS])["pretokenizers"]:
            return cls(steps.name, (_SPACE_RUNS,), steps)
        programs = CompiledSteps.of(steps)
        own = PretokenizerRule(
            steps.words, _word_table.NOWHERE, _encoder.WHOLE, given=True, keeps=steps.keeps,
            compiled=programs,
        )  # fmt: skip
        in_words = _in_words(steps)
        if programs is not None and not programs.writes:
            between = compiled(_WORD_END) if in_words else programs.place
            return cls(steps.name, (replace(own, finder=_encoder.MARKED, between=between),), steps)
        front = _AFTER_WORDS if in_words else PRETOKENIZER_RULES["none"]
        if steps.joins > 1 and front is _AFTER_WORDS:  # where no words are joined
            front = _joining(front, ALL_WORDS)
        return cls(steps.name, (front, own), steps)

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
            CheckedSplitter(given, name), _word_table.NOWHERE, _encoder.WHOLE, given=True
        )
        return cls(name, (PRETOKENIZER_RULES["none"], own))

    def split(self, text: str) -> list[str]:
        """Returns all words of a text, in order."""
        if self.steps is not None:
            return self.steps.words(text)
        words = self.rules[0].words(text)
        for rule in self.rules[1:]:
            words = [part for word in words for part in rule.words(word)]
        return words

    @property
    def mark(self) -> str | None:
        """The mark of the only rule, if its pieces become words by the mark alone."""
        only = len(self.rules) == 1 and self.rules[0].phrase == 1
        return self.rules[0].mark if only else None


def rule_names(name: str | None) -> list[str]:
    """Returns the names of the rules of a pre-tokenizer; none for one that is JSON, or not known.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.pretokenizer import rule_names
    >>> rule_names("first-space+digit"), rule_names("gpt2+phrases:4+digit")
    (['first-space', 'digit'], ['gpt2+phrases:4', 'digit'])
    """
    if name is None or name.lstrip().startswith("{"):
        return []
    names: list[str] = re.split(r"\+(?!phrases(?::[0-9]*)?(?:\+|\Z))", name)
    return names


def published_pattern(name: str | None) -> str | None:
    """Returns the pattern of a pre-tokenizer that is one Split whose matches are all words."""
    steps = None if name is None else Pretokenizer.from_name(name).steps
    if steps is None or len(steps.steps) != 1 or not _cuts_after_words(steps.steps[0].data):
        return None
    pattern = steps.steps[0].data.get("pattern", {}).get("Regex")
    return pattern if isinstance(pattern, str) else None


def _name_of(steps: Steps) -> str | None:
    """Returns the names of rules that split as steps do, joined; None where there are none."""
    names: list[str] = []
    if any(step.spelled for step in steps.steps):
        return None
    # a ByteLevel that splits nothing is gone already
    if [step.data for step in steps.steps] == split_steps(DEEPSEEK)["pretokenizers"]:
        return "deepseek"
    for step in steps.steps:
        data = step.data
        if data["type"] == "Split" and (data["behavior"], data["invert"]) in (
            ("Isolated", False), ("Removed", True),
        ):  # fmt: skip
            name = name_of_pattern(data["pattern"].get("Regex", ""))
        elif data["type"] == "ByteLevel" and not data["add_prefix_space"]:
            if not data["use_regex"]:
                continue
            name = "gpt2"
        elif data["type"] == "Metaspace" and "".join(names[-1:]).startswith("first-space"):
            # first split, then put the mark
            mark = data["replacement"]
            name = "space-prefix" if mark == "Ġ" else f"space-prefix:{mark}"
            name += names[-1].removeprefix("first-space")
            if data["prepend_scheme"] != "never" or data["split"] or mark == "+":
                return None
            del names[-1]
        elif data["type"] == PHRASES and len(names) == 1 and names[0] not in APART:
            words = data["words"]
            name = names.pop() + ("+phrases" if words is None else f"+phrases:{words}")
        else:
            name = None
        if name is None:
            return None
        names.append(name)
    return "+".join(names) or "none"


def _in_words(steps: Steps) -> bool:
    """Returns whether steps may be run over pieces split at the places (a)."""
    if any(step.spelled for step in steps.steps):
        return False
    for place, step in enumerate(steps.steps):
        if _cuts_after_words(step.data):
            # what is put in front of the text alone would be put in front of each piece
            later = steps.steps[place + 1 :]
            return all(each.data.get("prepend_scheme") != "first" for each in later)
        if not _within_words(step):
            return False
    return False


def _cuts_after_words(data: dict[str, Any]) -> bool:
    """Returns whether a step splits at the places (a) in any case, and between them alike."""
    if data["type"] == "Split":
        known = CUTTING | {pattern for pattern, name in NAME_OF_SPLIT.items() if name in PATTERNS}
        how, pattern = (data["behavior"], data["invert"]), data["pattern"].get("Regex")
        if how == ("Removed", True):
            return bool(pattern == CLIP)
        return how == ("Isolated", False) and pattern in known
    if data["type"] in ("ByteLevel", "Metaspace"):
        # what follows a place begins with a space: nothing is put in front of it
        return bool(data.get("use_regex", data.get("split")))
    return data["type"] in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer")


def _within_words(step: Step) -> bool:
    """Returns whether no match of a step holds white space, or depends on what is around it."""
    data = step.data
    if data["type"] == "Digits":
        return True
    if data["type"] == "Punctuation":
        return bool(data["behavior"] == "Isolated")
    if data["type"] != "Split" or (data["behavior"], data["invert"]) != ("Isolated", False):
        return False
    found = regex.fullmatch(_CLASS, data["pattern"].get("Regex", ""))
    return found is not None and not compiled(translated(found[1])).search(_WHITE)


def _find(name: str) -> PretokenizerRule:
    name, phrase = phrase_of(name)
    rule = _find_words(name)
    return rule if phrase == 1 else _joining(rule, phrase)


def _joining(rule: PretokenizerRule, phrase: int) -> PretokenizerRule:
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
        raise InputError(
            f"unknown pre-tokenizer {name!r}: use {', '.join(PRETOKENIZER_RULES)}, several "
            "joined by '+', or JSON as in a tokenizer.json"
        )
    return PRETOKENIZER_RULES[name]
