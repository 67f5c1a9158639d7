r"""Changes text before it is cut into words: the normalizers of Hugging Face's tokenizers.

A normalizer is named by its steps, joined with ``+``, where they have no parameters (``NFKC``,
``NFD+StripAccents+Lowercase``; upper and lower case are alike), and otherwise by a JSON object as
in a tokenizer.json: ``{"type": "Prepend", "prepend": "▁"}``.

=====================  =========================================================================
type                   what it does
=====================  =========================================================================
NFC, NFD, NFKC, NFKD   Unicode's normal forms
Lowercase              lower case, character by character: a Σ is a σ at the end of a word, too
StripAccents           takes marks away (so put NFD before it)
Strip                  takes white space away, at the beginning (``strip_left``) and the end of
                       the text (``strip_right``)
Replace                writes ``content`` for each ``pattern``, ``{"String": …}`` or
                       ``{"Regex": …}``, one of Oniguruma's, see `partcover.corpus.oniguruma`
Prepend                puts ``prepend`` in front of a text that is not empty
BertNormalizer         ``clean_text`` takes control characters away and writes a space for other
                       white space; ``handle_chinese_chars`` puts spaces around ideographs;
                       ``strip_accents``, if null as ``lowercase``, is NFD without marks
Nmt                    sentencepiece's: takes control characters away, and writes a space for
                       other white space
Precompiled            sentencepiece's map of characters, ``precompiled_charsmap`` in base64, as
                       the library applies it: to grapheme clusters below six bytes, of which the
                       shortest entry stands for all, and to single characters
Sequence               its ``normalizers``, one after another
=====================  =========================================================================

The normalized text is that of tokenizers 0.23, with its versions of Unicode.  Bytes that are not
UTF-8, which the library does not take, stay as they are.

A normalizer mostly loses something: what is decoded is the normalized text.  `Normalizer.changes`
says for each character of it which part of the original it stands for.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import regex

from ..errors import InputError
from ..runtime.arguments import shown
from . import unicode_tables as tables
from .character_map import CharacterMap
from .oniguruma import translated
from .timed_patterns import Matches, TimedPattern, timed_pattern

__all__ = ["NORMALIZERS", "Normalized", "Normalizer", "glance"]


class Edit(NamedTuple):
    """A part of a text that is replaced."""

    begin: int
    end: int
    new: str


class Normalized(NamedTuple):
    """A normalized text.

    Attributes
    ----------
    text : str
        The text.
    begin, end : list of int
        For each character of it the part of the original text that it stands for; what was
        put in front stands for the first character.
    """

    text: str
    begin: list[int]
    end: list[int]


@dataclass(frozen=True)
class _Change:
    """Something that is done to a text.

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
    quick : callable, optional
        Does the same to a whole text, faster.
    """

    pattern: regex.Pattern[str]
    new: Callable[[str], str]
    reach: int = 0
    keeps: bool = True
    quick: Callable[[str], str] | None = field(default=None, compare=False)

    def apply(self, text: str) -> str:
        """Returns the changed text."""
        if self.quick is not None:
            return self.quick(text)
        changed: str = self.pattern.sub(lambda match: self.new(match[0]), text)
        return changed

    def edits(self, text: str) -> Iterator[Edit]:
        """Yields what is replaced, in order."""
        for match in self.pattern.finditer(text):
            if (new := self.new(match[0])) != match[0]:
                yield Edit(match.start(), match.end(), new)


def _always(pattern: str, new: str, **how: Any) -> _Change:
    return _Change(regex.compile(pattern), lambda _: new, **how)


# ---- the steps


@cache
def _inert() -> re.Pattern[str]:
    return re.compile(f"([{tables.INERT}]+)")  # faster than `regex` for a class


@dataclass(frozen=True)
class _NormalForm:
    """One of Unicode's normal forms; as `_Change`."""

    form: Any
    reach = 1
    keeps = True

    def apply(self, text: str) -> str:
        """Returns the normal form."""
        if unicodedata.is_normalized(self.form, text):
            return text
        # a line feed stays as it is, and parts what is beside it
        return "\n".join(map(self._line, text.split("\n")))

    def _line(self, text: str) -> str:
        if unicodedata.is_normalized(self.form, text):
            return text
        parts = _inert().split(text)
        parts[::2] = [unicodedata.normalize(self.form, part) for part in parts[::2]]
        return "".join(parts)

    def edits(self, text: str) -> Iterator[Edit]:
        """Yields what is replaced, in order."""
        for match in _clusters().finditer(text):
            if (new := self.apply(match[0])) != match[0]:
                yield Edit(match.start(), match.end(), new)


@cache
def _clusters() -> regex.Pattern[str]:
    """Finds the parts of a text whose normal forms, joined, are the normal form of the text."""
    second = set()
    joins = set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3))  # Hangul's vowels and finals
    decomposed = []
    for point in range(0x110000):
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
    class_ = "".join(f"\\U{point:08X}" for point in sorted(joins))
    return regex.compile(rf"(?s)[^\x00-\x7F][{class_}]*|[\x00-\x7F][{class_}]+")


def _lower(text: str) -> str:
    # Python looks at what is around a Σ alone
    text = text.replace("Σ", "σ").lower()
    return text if text.isascii() else text.translate(tables.LOWER)


def _lowercase() -> list[_Change]:
    return [_Change(regex.compile(r"[A-Z]|[^\x00-\x7F]"), _lower, quick=_lower)]


def _strip(left: bool, right: bool) -> list[_Change]:
    white = f"[{tables.WHITE}]+"
    # from the end, so that white space inside is not looked at again and again
    return [
        *([_always(rf"\A{white}", "", reach=2)] if left else []),
        *([_always(rf"(?r){white}\Z", "", reach=2)] if right else []),
    ]


@dataclass(frozen=True)
class _Replace:
    """Writes a text for each match of a pattern; as `_Change`."""

    find: TimedPattern
    content: str
    reach: int = 2
    keeps: bool = False

    def apply(self, text: str) -> str:
        """Returns the changed text."""
        found = self._found(text)
        return "".join(self.content if match else text[a:b] for a, b, match in found)

    def edits(self, text: str) -> Iterator[Edit]:
        """Yields what is replaced, in order."""
        for begin, end, match in self._found(text):
            if match and text[begin:end] != self.content:
                yield Edit(begin, end, self.content)

    def _found(self, text: str) -> Matches:
        return self.find(text) if text else []  # nothing is found in nothing, as in the library


# matches white space alone, and looks at nothing else
_SPACES = regex.compile(r"(?:\\s|[ ]|\\[nrt]|\[(?:\\s|[ ]|\\[nrt])+\])(?:[+]|\{\d+,\d*\})?")


def _replace(pattern: Mapping[str, str], content: str) -> list[_AnyChange]:
    ((kind, text),) = pattern.items()
    if not text:
        raise InputError("the normalizer Replace has an empty pattern")
    if kind == "Regex":
        try:
            find = timed_pattern(text, translated(text))
        except InputError as error:
            raise InputError(f"the normalizer Replace: {error}") from None
        if _SPACES.fullmatch(text):
            return [_Replace(find, content, 1, content[:1] in (" ", "\n"))]
        return [_Replace(find, content)]
    reach = 0 if len(text) == 1 else 2 if " " in text or "\n" in text else 1
    quick = lambda given: given.replace(text, content)  # noqa: E731
    change = _always(regex.escape(text), content, reach=reach, keeps=False, quick=quick)
    return [change]


def _prepend(text: str) -> list[_Change]:
    return [_always(r"(?s)\A(?=.)", text, reach=2)] if text else []


def _bert(
    clean_text: bool, handle_chinese_chars: bool, strip_accents: bool | None, lowercase: bool
) -> list[_AnyChange]:
    changes: list[_AnyChange] = []
    if clean_text:
        changes.append(_always(f"[{tables.CONTROLS}]+", ""))
        changes.append(_always(f"[{tables.WHITE}]", " "))
    if handle_chinese_chars:
        around = _Change(regex.compile(f"[{tables.IDEOGRAPHS}]"), lambda found: f" {found} ")
        changes.append(around)
    if lowercase if strip_accents is None else strip_accents:
        changes += [_NormalForm("NFD"), _always(f"[{tables.NONSPACING}]+", "")]
    return [*changes, *_lowercase()] if lowercase else changes


_NMT_GONE = r"\x01-\x08\x0B\x0E-\x1F\x7F\x8F\x9F"
_NMT_SPACE = r"\t\n\f\r\u1680\u200B-\u200F\u2028\u2029\u2581\uFEFF\uFFFD"


def _nmt() -> list[_Change]:
    return [_always(f"[{_NMT_GONE}]+", ""), _always(f"[{_NMT_SPACE}]", " ")]


def _precompiled(data: str) -> list[_Change]:
    table = CharacterMap.from_base64(data)
    return [_Change(regex.compile(r"\X"), table.of_cluster, reach=1, keeps=False)]


def _pattern(value: Any) -> bool:
    known = isinstance(value, dict) and value.keys() <= {"String", "Regex"}
    return known and list(map(type, value.values())) == [str]


def _is(kind: Any) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


_AnyChange: TypeAlias = _Change | _NormalForm | _Replace
_FLAG = True, _is(bool)
_NEEDED = object()

# for each type its parameters, with their defaults and checks, and what it does
NORMALIZERS: dict[str, tuple[dict[str, tuple[Any, Callable[[Any], bool]]], Any]] = {
    **{
        form: ({}, lambda form=form: [_NormalForm(form)]) for form in ("NFC", "NFD", "NFKC", "NFKD")
    },
    "Lowercase": ({}, _lowercase),
    "StripAccents": ({}, lambda: [_always(f"[{tables.MARKS}]+", "")]),
    "Strip": (
        {"strip_left": _FLAG, "strip_right": _FLAG},
        lambda strip_left, strip_right: _strip(strip_left, strip_right),
    ),
    "Replace": ({"pattern": (_NEEDED, _pattern), "content": (_NEEDED, _is(str))}, _replace),
    "Prepend": ({"prepend": (_NEEDED, _is(str))}, lambda prepend: _prepend(prepend)),
    "BertNormalizer": (
        {
            "clean_text": _FLAG,
            "handle_chinese_chars": _FLAG,
            "strip_accents": (None, _is(bool | None)),
            "lowercase": _FLAG,
        },
        _bert,
    ),
    "Nmt": ({}, _nmt),
    "Precompiled": (
        {"precompiled_charsmap": (_NEEDED, _is(str))},
        lambda precompiled_charsmap: _precompiled(precompiled_charsmap),
    ),
}
_BY_NAME = {name.lower(): name for name in NORMALIZERS}


@dataclass(frozen=True)
class Normalizer:
    """A normalizer.

    Parameters
    ----------
    name : str
        The names of its steps joined with ``+``, or a JSON object without spaces; equal for equal
        normalizers.

    Raises
    ------
    InputError
        For an unknown step, or parameters that it does not have.

    Examples
    --------
    >>> from partcover.corpus.normalizers import Normalizer
    >>> normalizer = Normalizer("nfkc+lowercase")
    >>> normalizer.name, normalizer("ﬁve Ⅷ")
    ('NFKC+Lowercase', 'five viii')
    """

    name: str
    steps: tuple[dict[str, Any], ...] = field(init=False, compare=False, repr=False)
    _changes: tuple[_AnyChange, ...] = field(init=False, compare=False, repr=False)

    def __init__(self, name: str | Mapping[str, Any]) -> None:
        steps = [step for data in _read(name) for step in _flat(data)]
        if not steps:
            raise InputError("the normalizer has no steps: leave it out")
        set_ = object.__setattr__
        set_(self, "steps", tuple(steps))
        set_(self, "_changes", tuple(c for step in steps for c in _changes_of(step)))
        bare = [step["type"] for step in steps if step == _with_defaults(step["type"])]
        if len(bare) == len(steps):
            set_(self, "name", "+".join(bare))
        else:
            set_(
                self, "name", json.dumps(self.to_json(), ensure_ascii=False, separators=(",", ":"))
            )

    @classmethod
    def of(cls, given: str | None) -> Normalizer | None:
        """Returns the normalizer of a name; None for none."""
        return None if given is None else cls(given)

    def to_json(self) -> dict[str, Any]:
        """Returns the normalizer as in a tokenizer.json."""
        if len(self.steps) == 1:
            return dict(self.steps[0])
        return {"type": "Sequence", "normalizers": [dict(step) for step in self.steps]}

    def __call__(self, text: str) -> str:
        """Returns the normalized text."""
        for change in self._changes:
            text = change.apply(text)
        return text

    def of_bytes(self, text: bytes) -> bytes:
        """Returns the normalized text of a text in UTF-8; other bytes stay as they are."""
        return self(text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def changes(self, text: str) -> Normalized:
        """Returns the normalized text, and where each character of it comes from.

        Examples
        --------
        >>> from partcover.corpus.normalizers import Normalizer
        >>> Normalizer("nfkc").changes("ﬁve")
        Normalized(text='five', begin=[0, 0, 1, 2], end=[1, 1, 2, 3])
        """
        done = Normalized(text, list(range(len(text))), list(range(1, len(text) + 1)))
        for change in self._changes:
            done = _edited(done, change.edits(done.text))
        return done

    @property
    def in_blocks(self) -> bool:
        """Whether a text may be normalized in blocks, cut at `last_cut`."""
        kept = True
        for change in self._changes:
            if change.reach > kept:
                return False
            kept = kept and change.keeps
        return True

    def last_cut(self, text: bytes) -> int:
        """Returns the last place > 0 where `text`, a prefix of a longer text, may be cut, or -1."""
        match = _LAST_PLACE.search(text) if self.in_blocks else None
        return match.start() if match else -1


_LAST_PLACE = regex.compile(rb"(?r)(?<=[!-~])[ \n]")


def glance(name: str) -> str:
    """Returns the name of a normalizer for people, who read no maps in base64.

    Examples
    --------
    >>> from partcover.corpus.normalizers import glance
    >>> glance("NFKC")
    'NFKC'
    """
    return name if len(name) <= 100 else f"{name[:99]}…"


def _edited(done: Normalized, edits: Iterable[Edit]) -> Normalized:
    """Returns a text with edits."""
    parts: list[str] = []
    begin: list[int] = []
    end: list[int] = []
    at = 0
    for edit in edits:
        parts += [done.text[at : edit.begin], edit.new]
        begin += done.begin[at : edit.begin]
        end += done.end[at : edit.begin]
        # what is put in stands for the character behind it, at the end for the last
        first = min(edit.begin, len(done.text) - 1)
        span = (done.begin[first], done.end[max(edit.end - 1, first)]) if done.text else (0, 0)
        begin += [span[0]] * len(edit.new)
        end += [span[1]] * len(edit.new)
        at = edit.end
    return Normalized(
        "".join([*parts, done.text[at:]]), begin + done.begin[at:], end + done.end[at:]
    )


def _read(given: str | Mapping[str, Any]) -> list[Any]:
    if not isinstance(given, str):
        return [given]
    if given.lstrip().startswith("{"):
        try:
            return [json.loads(given)]
        except (ValueError, RecursionError) as error:
            raise InputError(f"the normalizer {shown(given)} is no JSON: {error}") from None
    return [{"type": _BY_NAME.get(name.lower(), name)} for name in given.split("+")]


def _flat(data: Any) -> list[dict[str, Any]]:
    """Returns the steps of a normalizer, each with all its parameters."""
    if not isinstance(data, Mapping):
        raise InputError(f"the normalizer {shown(data)} is no JSON object with a type")
    kind = data.get("type")
    if kind == "Sequence":
        inner = data.get("normalizers")
        if not isinstance(inner, list):
            raise InputError("the normalizer Sequence has no list of normalizers")
        try:
            return [step for part in inner for step in _flat(part)]
        except RecursionError:
            raise InputError("the normalizer's Sequences are nested too deeply") from None
    if not isinstance(kind, str) or kind not in NORMALIZERS:
        raise InputError(
            f"unknown normalizer {shown(kind)}: use {', '.join(NORMALIZERS)}, several joined by "
            "'+', or JSON as in a tokenizer.json"
        )
    step = _with_defaults(kind) | dict(data)
    parameters = NORMALIZERS[kind][0]
    for key, value in step.items():
        if key != "type" and key not in parameters:
            raise InputError(f"the normalizer {kind} has no parameter {shown(key)}")
        if key != "type" and (value is _NEEDED or not parameters[key][1](value)):
            given = "is missing" if value is _NEEDED else f"is {shown(value)}"
            raise InputError(f"the normalizer {kind}: {key} {given}")
    return [step]


def _with_defaults(kind: str) -> dict[str, Any]:
    return {"type": kind} | {key: value for key, (value, _) in NORMALIZERS[kind][0].items()}


def _changes_of(step: Mapping[str, Any]) -> list[_AnyChange]:
    parameters = {key: value for key, value in step.items() if key != "type"}
    changes: list[_AnyChange] = NORMALIZERS[step["type"]][1](**parameters)
    return changes
