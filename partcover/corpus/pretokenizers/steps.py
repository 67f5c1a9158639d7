r"""Splits text as the pre-tokenizers of Hugging Face's tokenizers do, step by step.

A step is written as in a tokenizer.json, as one JSON object:

===================  ===========================================================================
type                 what it does
===================  ===========================================================================
Split                finds ``pattern`` (``{"Regex": …}`` or ``{"String": …}``) and by `behavior`
                     takes each match as a word (Isolated), leaves it out (Removed), adds it to
                     the word before (MergedWithPrevious) or behind (MergedWithNext), or takes
                     matches in a row as one word (Contiguous); `invert` exchanges matches and
                     what is between
Digits               isolates runs of numbers (Unicode N); with `individual_digits`, each one
Punctuation          splits at punctuation by `behavior`
Whitespace           ``\w+|[^\w\s]+``; what is between is left out
WhitespaceSplit      splits at white space, which is left out
BertPreTokenizer     splits at white space, which is left out, and isolates punctuation
CharDelimiterSplit   splits at `delimiter`, which is left out
Metaspace            writes `replacement` for spaces, and in front of a text that does not begin
                     with it, by `prepend_scheme`: always, first (only where all text begins) or
                     never; with `split`, splits before each; with `again`, which the library
                     lacks, in front of every text, and twice for each that a text has
ByteLevel            with `add_prefix_space`, puts a space in front of a text that begins with
                     none; with `use_regex`, splits by GPT-2's pattern
EndOfWord            no step of the library's but of its model BPE, `end_of_word_suffix`: puts a
                     space behind each word, so that a token says whether it ends one.  The last
                     step, behind one that leaves spaces out
Phrases              no step of the library's: joins `words` words in a row at most, or all (null),
                     see `partcover.corpus.pretokenizers.phrases`.  The last step, behind steps
                     that keep the text
LeaveOut             no step of the library's but of its model BPE, which leaves out what it has no
                     piece for: leaves out of each word `bytes`, or characters but for `others`
InsideWord           no step of the library's but of its model WordPiece, which takes a piece inside
                     a word, spelled with `prefix`, for the begin of a word that has the prefix
                     itself: removes `mark` and `prefix` from the begin of a word that goes on with
                     one of `begins` and has at most `longest` characters without the mark.  The
                     last step
Sequence             its `pretokenizers`, each on the words of the one before
===================  ===========================================================================

ByteLevel's spelling of bytes as characters is no part of a step here: words are text.  What stands
behind it, as in Falcon's, splits that spelling, and so a word may begin or end inside a character:
its bytes are lone surrogates then (``surrogateescape``).  A step there may only split.  What is
punctuation and what a word's character is agrees with the library.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, islice
from typing import Any, NamedTuple

from ...errors import InputError
from ...runtime.arguments import shown
from ...runtime.patterns import regex
from ..files.joining import ALL_WORDS, checked_phrases, join_words, phrase_sizes
from .byte_spelling import spelled_bytes
from .oniguruma import translated
from .timed_patterns import Matches, Span, TimedPattern, check_sizes, timed_pattern

#: The step that puts a space behind each word.
END_OF_WORD = {"type": "EndOfWord"}
#: The type of the step that joins words.
PHRASES = "Phrases"
#: The type of the step that removes the prefix of pieces inside a word.
INSIDE_WORD = "InsideWord"

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_BEHAVIOURS = ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")
_SCHEMES = ("always", "first", "never")
#: What words are made of, as a part of a class of characters.
WORD_CHARACTER = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}"
# the library's table of numbers is that of Unicode 17
_NUMBERS = r"[\p{N}\U00011DE0-\U00011DE9\U00016FF4-\U00016FF6]"
# the library's table of punctuation is that of Unicode 8
_YOUNGER = (
    r"\u061D\u09FD\u0A76\u0C77\u0C84\u1B4E-\u1B4F\u1B7D-\u1B7F\u2E43-\u2E4F\u2E52-\u2E5D"
    r"\u2E60-\u2E63\U00010D6E\U00010EAD\U00010ED0\U00010F55-\U00010F59\U00010F86-\U00010F89"
    r"\U000113D4-\U000113D5\U000113D7-\U000113D8\U0001144B-\U0001144F\U0001145A-\U0001145B"
    r"\U0001145D\U00011660-\U0001166C\U000116B9\U0001183B\U00011944-\U00011946\U000119E2"
    r"\U00011A3F-\U00011A46\U00011A9A-\U00011A9C\U00011A9E-\U00011AA2\U00011B00-\U00011B09"
    r"\U00011BE1\U00011C41-\U00011C45\U00011C70-\U00011C71\U00011EF7-\U00011EF8"
    r"\U00011F43-\U00011F4F\U00011FFF\U00012FF1-\U00012FF2\U00016D6D-\U00016D6F"
    r"\U00016E97-\U00016E9A\U00016FE2\U0001E5FF\U0001E95E-\U0001E95F"
)
#: A punctuation mark.
PUNCTUATION = rf"[[\p{{P}}!-/:-@\[-`{{-~\u166D\U000111C9]--[{_YOUNGER}]]"


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
    >>> from partcover.corpus.pretokenizers.steps import read_steps
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


def _choice(step: Mapping[str, Any], key: str, default: str, known: tuple[str, ...]) -> str:
    value = step.get(key, default)
    if value not in known:
        raise InputError(f"{key} is {shown(value)}: use {', '.join(known)}")
    return str(value)


def _flag(step: Mapping[str, Any], key: str, default: bool) -> bool:
    value = step.get(key, default)
    if not isinstance(value, bool):
        raise InputError(f"{key} is {shown(value)}: use true or false")
    return value


def _character(step: Mapping[str, Any], key: str, default: str | None) -> str:
    value = step.get(key, default)
    if not isinstance(value, str) or len(value) != 1 or "\ud800" <= value < "\ue000":
        raise InputError(f"{key} is {shown(value)}: it must be one character")
    return value


def _split(step: Mapping[str, Any]) -> Step:
    given = step.get("pattern")
    if not isinstance(given, dict) or len(given) != 1 or not given.keys() <= {"String", "Regex"}:
        raise InputError(f'pattern is {shown(given)}: use {{"Regex": …}} or {{"String": …}}')
    ((kind, source),) = given.items()
    if not isinstance(source, str) or not source:
        raise InputError(f"pattern is {shown(source)}: it must be a text that is not empty")
    behaviour = _choice(step, "behavior", "Isolated", _BEHAVIOURS)
    invert = _flag(step, "invert", False)
    pattern = translated(source) if kind == "Regex" else regex.escape(source)
    cut = Cut(timed_pattern(source, pattern), behaviour, invert)
    data = {"type": "Split", "pattern": given, "behavior": behaviour, "invert": invert}
    return Step(data, cut, keeps=behaviour != "Removed")


def _digits(step: Mapping[str, Any]) -> Step:
    each = _flag(step, "individual_digits", False)
    cut = Cut(timed_pattern("N", _NUMBERS), "Isolated" if each else "Contiguous")
    return Step({"type": "Digits", "individual_digits": each}, cut)


def _punctuation(step: Mapping[str, Any]) -> Step:
    behaviour = _choice(step, "behavior", "Isolated", _BEHAVIOURS)
    cut = Cut(timed_pattern("punctuation", PUNCTUATION), behaviour)
    return Step({"type": "Punctuation", "behavior": behaviour}, cut, keeps=behaviour != "Removed")


def _removing(pattern: str, invert: bool = False) -> Callable[[Mapping[str, Any]], Step]:
    def step(given: Mapping[str, Any]) -> Step:
        cut = Cut(timed_pattern(pattern, pattern), "Removed", invert)
        return Step({"type": given["type"]}, cut, keeps=False)

    return step


def _bert(_: Mapping[str, Any]) -> Step:
    # a match is white space, which is left out; of the rest each punctuation mark is a word
    pattern = rf"{PUNCTUATION}|[[^\s]--{PUNCTUATION}]+"
    cut = Cut(timed_pattern(pattern, pattern), "Removed", True)
    return Step({"type": "BertPreTokenizer"}, cut, keeps=False)


def _delimiter(step: Mapping[str, Any]) -> Step:
    delimiter = _character(step, "delimiter", None)
    cut = Cut(timed_pattern(delimiter, regex.escape(delimiter)), "Removed")
    return Step({"type": "CharDelimiterSplit", "delimiter": delimiter}, cut, keeps=False)


def _metaspace(step: Mapping[str, Any]) -> Step:
    mark = _character(step, "replacement", "▁")
    older = "always" if _flag(step, "add_prefix_space", True) else "never"
    scheme = _choice(step, "prepend_scheme", older, _SCHEMES)
    split = _flag(step, "split", True)
    again = _flag(step, "again", False)
    data = {"type": "Metaspace", "replacement": mark, "prepend_scheme": scheme, "split": split}
    return Step(
        {**data, "again": True} if again else data,
        Cut(timed_pattern(mark, regex.escape(mark)), "MergedWithNext") if split else None,
        prefix="" if scheme == "never" else mark,
        only_first=scheme == "first",
        replacement=mark,
        keeps=False,
        again=again,
    )


def _byte_level(step: Mapping[str, Any]) -> Step:
    spaced = _flag(step, "add_prefix_space", True)
    cuts = _flag(step, "use_regex", True)
    data = {
        "type": "ByteLevel",
        "add_prefix_space": spaced,
        "trim_offsets": _flag(step, "trim_offsets", True),
        "use_regex": cuts,
    }
    cut = Cut(timed_pattern(GPT2, GPT2), "Isolated") if cuts else None
    return Step(data, cut, prefix=" " if spaced else "", keeps=not spaced)


def _end_of_word(_: Mapping[str, Any]) -> Step:
    return Step(END_OF_WORD, suffix=" ", keeps=False)


def leave_out(without: Iterable[int]) -> dict[str, Any]:
    """Returns, as JSON, the step that removes bytes from each word."""
    return {"type": "LeaveOut", "bytes": sorted(without)}


def leave_others_out(only: Iterable[str]) -> dict[str, Any]:
    """Returns, as JSON, the step that leaves characters out of each word, but for these."""
    return {"type": "LeaveOut", "others": "".join(sorted(only))}


def leaving_out(name: str | None, only: Callable[[str], bool] | None = None) -> str | None:
    """Returns a pre-tokenizer that leaves out more characters, those that `only` is false of.

    Without `only`, it is without the steps that leave any out.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.steps import leaving_out
    >>> leaving_out('{"type":"LeaveOut","others":"abc"}', "ab".__contains__)
    '{"type":"LeaveOut","others":"ab"}'
    """
    if name is None or '"LeaveOut"' not in name:
        return name
    steps: list[Step] = []
    for step in read_steps(name).steps:
        if not step.leaves_out or (only is not None and step.without):
            steps.append(step)
        elif only is not None:
            steps.append(_leave_out(leave_others_out(filter(only, step.only))))
    return Steps(tuple(steps)).name


def _leave_out(step: Mapping[str, Any]) -> Step:
    given = step.get("bytes")
    if isinstance(others := step.get("others"), str) and others and given is None:
        return Step(leave_others_out(set(others)), keeps=False, only=frozenset(others))
    known = isinstance(given, list) and all(type(n) is int and 0 <= n < 256 for n in given)
    if not known or not given:
        raise InputError(f"bytes is {shown(given)}: a list of numbers from 0 to 255 is expected")
    return Step(leave_out(set(given)), keeps=False, without=bytes(sorted(set(given))))


def inside_word(
    mark: str, prefix: str, begins: Iterable[str], longest: int | None
) -> dict[str, Any]:
    """Returns, as JSON, the step that removes mark and prefix from the begin of some words.

    Of what words go on with, only what does not begin with another is kept.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.steps import inside_word
    >>> inside_word("▁", "##", ["ab", "b", "a"], 100)["begins"]
    ['a', 'b']
    """
    kept: list[str] = []
    for text in sorted(begins):
        if not kept or not text.startswith(kept[-1]):
            kept.append(text)
    own = {"mark": mark, "prefix": prefix, "begins": kept, "longest": longest}
    return {"type": INSIDE_WORD, **own}


def _inside_word(step: Mapping[str, Any]) -> Step:
    mark = _character(step, "mark", None)
    prefix, begins, longest = (step.get(key) for key in ("prefix", "begins", "longest"))
    if not isinstance(prefix, str) or not prefix:
        raise InputError(f"prefix is {shown(prefix)}: it must be a text that is not empty")
    if not isinstance(begins, list) or not all(isinstance(one, str) and one for one in begins):
        raise InputError("begins must be a list of texts, none of them empty")
    if longest is not None and (type(longest) is not int or longest < 1):
        raise InputError(f"longest is {shown(longest)}: it must be a positive number, or null")
    data = inside_word(mark, prefix, begins, longest)
    most = None if longest is None else longest + len(mark)
    return Step(data, keeps=False, inside=Inside(mark + prefix, frozenset(data["begins"]), most))


def _phrases(step: Mapping[str, Any]) -> Step:
    words = step.get("words")
    if words is not None and (isinstance(words, bool) or not isinstance(words, int)):
        raise InputError(f"words is {shown(words)}: it must be a whole number, or null for all")
    joins = ALL_WORDS if words is None else checked_phrases(words)
    return Step({"type": PHRASES, "words": words}, joins=joins)


_STEPS: dict[str, Callable[[Mapping[str, Any]], Step]] = {
    "Split": _split,
    "Digits": _digits,
    "Punctuation": _punctuation,
    "Whitespace": _removing(rf"[{WORD_CHARACTER}]+|[^{WORD_CHARACTER}\s]+", invert=True),
    "WhitespaceSplit": _removing(r"\s"),
    "BertPreTokenizer": _bert,
    "CharDelimiterSplit": _delimiter,
    "Metaspace": _metaspace,
    "ByteLevel": _byte_level,
    "EndOfWord": _end_of_word,
    "LeaveOut": _leave_out,
    INSIDE_WORD: _inside_word,
    PHRASES: _phrases,
}


def read_steps(given: str | Mapping[str, Any]) -> Steps:
    """Reads a pre-tokenizer as a tokenizer.json has it.

    Behind ByteLevel, which is there once at most, stand steps that only split, as they split its
    spelling of bytes; EndOfWord, InsideWord or Phrases are the last.

    Raises
    ------
    InputError
        For what is no JSON object, a step that is not known here, a pattern that cannot be
        translated, or patterns that are too large.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.steps import read_steps
    >>> read_steps('{"type": "Digits"}').name
    '{"type":"Digits","individual_digits":false}'
    """
    try:
        data = json.loads(given) if isinstance(given, str) else given
        flat = _flat(data)
        check_sizes(step.get("pattern") for step in flat if step.get("type") == "Split")
        steps = tuple(map(_step, flat))
    except (ValueError, RecursionError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"a pre-tokenizer as JSON: {what}") from None
    except InputError as error:
        raise InputError(f"a pre-tokenizer as JSON: {error}") from None
    kinds = [step.data["type"] for step in steps]
    for last in ("EndOfWord", INSIDE_WORD, PHRASES):
        if last in kinds[:-1]:
            raise InputError(f"a pre-tokenizer as JSON: {last} must be the last step")
    steps = _behind_bytes(steps)
    if kinds[-1:] == [PHRASES] and not (
        all(step.keeps for step in steps) and any(step.cut for step in steps)
    ):
        raise InputError(
            "a pre-tokenizer as JSON: words can be joined to phrases only after steps that split "
            "text, and remove or insert nothing"
        )
    # a ByteLevel that splits nothing is left out, if nothing splits its spelling
    spelled = any(step.spelled for step in steps)
    return Steps(tuple(s for s in steps if spelled or s.cut or not s.keeps or s.joins > 1))


def _behind_bytes(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Returns the steps, of which those behind ByteLevel split its spelling.

    Raises
    ------
    InputError
        If one of those does more.
    """
    kinds = [step.data["type"] for step in steps]
    if "ByteLevel" not in kinds:
        return steps
    at = kinds.index("ByteLevel") + 1
    behind = tuple(
        step if step.suffix or step.joins > 1 or step.leaves_out else replace(step, spelled=True)
        for step in steps[at:]
    )
    for step in behind:
        if step.spelled and (step.cut is None or not step.keeps):
            kind = step.data["type"]
            raise InputError(f"a pre-tokenizer as JSON: {kind} after ByteLevel is not supported")
    return (*steps[:at], *behind)


def split_steps(patterns: Iterable[str]) -> dict[str, Any]:
    """Returns, as JSON, the steps that isolate the matches of each pattern, one after another."""
    steps = [
        {"type": "Split", "pattern": {"Regex": each}, "behavior": "Isolated", "invert": False}
        for each in patterns
    ]
    return {"type": "Sequence", "pretokenizers": steps}


def _flat(data: Any) -> list[Mapping[str, Any]]:
    if not isinstance(data, Mapping):
        raise InputError(f"{shown(data)} is not an object")
    if data.get("type") != "Sequence":
        return [data]
    inner = data.get("pretokenizers")
    if not isinstance(inner, list):
        raise InputError(f"pretokenizers is {shown(inner)}: it must be a list")
    return [step for part in inner for step in _flat(part)]


def _step(data: Mapping[str, Any]) -> Step:
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in _STEPS:
        raise InputError(f"type is {shown(kind)}: use {', '.join(_STEPS)}, or Sequence")
    return _STEPS[kind](data)
