"""Defines the steps of normalizers, which `partcover.corpus.normalizers.normalizer` describes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, NamedTuple, TypeAlias

import regex

from ...errors import InputError
from ..pretokenizers import unicode_tables as tables
from ..pretokenizers.oniguruma import translated
from ..pretokenizers.timed_patterns import Matches, TimedPattern, timed_pattern
from .character_map import CharacterMap
from .sentencepiece_text import SentencePieceText, SpaceRules

__all__ = [
    "NEEDED",
    "NORMALIZERS",
    "AnyChange",
    "Edit",
    "joining_characters",
    "writes_a_space",
]


class Edit(NamedTuple):
    """A part of a text that is replaced."""

    begin: int
    end: int
    new: str


OfBytes: TypeAlias = Callable[[bytes], bytes]


@dataclass(frozen=True)
class Change:
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
    of_bytes : callable, optional
        Does the same to a whole text in UTF-8, faster.
    """

    pattern: Any
    new: Callable[[str], str]
    reach: int = 0
    keeps: bool = True
    quick: Callable[[str], str] | None = field(default=None, compare=False)
    of_bytes: OfBytes | None = field(default=None, compare=False)

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


def _always(pattern: str, new: str, **how: Any) -> Change:
    return Change(regex.compile(pattern), lambda _: new, **how)


# ---- the steps


@cache
def _inert() -> re.Pattern[str]:
    return re.compile(f"([{tables.INERT}]+)")  # faster than `regex` for a class


@dataclass(frozen=True)
class NormalForm:
    """One of Unicode's normal forms; as `Change`."""

    form: Any
    reach = 1
    keeps = True
    of_bytes = None

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


def _lower(text: str) -> str:
    # Python looks at what is around a Σ alone
    text = text.replace("Σ", "σ").lower()
    return text if text.isascii() else text.translate(tables.LOWER)


def _lowercase() -> list[Change]:
    return [Change(regex.compile(r"[A-Z]|[^\x00-\x7F]"), _lower, quick=_lower)]


def _strip(left: bool, right: bool) -> list[Change]:
    white = f"[{tables.WHITE}]+"
    # from the end, so that white space inside is not looked at again and again
    return [
        *([_always(rf"\A{white}", "", reach=2)] if left else []),
        *([_always(rf"(?r){white}\Z", "", reach=2)] if right else []),
    ]


@dataclass(frozen=True)
class _Replace:
    """Writes a text for each match of a pattern; as `Change`."""

    find: TimedPattern
    content: str
    reach: int = 2
    keeps: bool = False
    of_bytes = None

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
_SPACES = regex.compile(
    r"(?:\\s|[ ]|\\[nrt]|\[(?:\\s|[ ]|\\[nrt])+\])(?:[+]|\{[1-9][0-9]*,[0-9]*\})?"
)


def writes_a_space(step: Mapping[str, Any]) -> bool:
    """Returns whether a step writes a space for white space, and does nothing else."""
    pattern = step.get("pattern", {}).get("Regex", "")
    return step["type"] == "Replace" and step["content"] == " " and bool(_SPACES.fullmatch(pattern))


def _replace(pattern: Mapping[str, str], content: str) -> list[AnyChange]:
    ((kind, text),) = pattern.items()
    if not text:
        raise InputError("the normalizer Replace has an empty pattern")
    if kind == "Regex":
        try:
            find = timed_pattern(text, translated(text))
        except InputError as error:
            raise InputError(f"the normalizer Replace: {error}") from None
        if _SPACES.fullmatch(text):
            keeps = content[:1] in (" ", "\n")
            quick = partial(find.compiled.sub, content.replace("\\", r"\\"))
            return [_always(translated(text), content, reach=1, keeps=keeps, quick=quick)]
        return [_Replace(find, content)]
    reach = 0 if len(text) == 1 else 2 if " " in text or "\n" in text else 1
    plain = lambda given: given.replace(text, content)  # noqa: E731
    return [_always(regex.escape(text), content, reach=reach, keeps=False, quick=plain)]


def _prepend(text: str) -> list[Change]:
    return [_always(r"(?s)\A(?=.)", text, reach=2)] if text else []


def _bert(
    clean_text: bool, handle_chinese_chars: bool, strip_accents: bool | None, lowercase: bool
) -> list[AnyChange]:
    changes: list[AnyChange] = []
    if clean_text:
        changes.append(_always(f"[{tables.CONTROLS}]+", ""))
        changes.append(_always(f"[{tables.WHITE}]", " "))
    if handle_chinese_chars:
        around = Change(regex.compile(f"[{tables.IDEOGRAPHS}]"), lambda found: f" {found} ")
        changes.append(around)
    if lowercase if strip_accents is None else strip_accents:
        changes += [NormalForm("NFD"), _always(f"[{tables.NONSPACING}]+", "")]
    return [*changes, *_lowercase()] if lowercase else changes


_NMT_GONE = r"\x01-\x08\x0B\x0E-\x1F\x7F\x8F\x9F"
_NMT_SPACE = r"\t\n\f\r\u1680\u200B-\u200F\u2028\u2029\u2581\uFEFF\uFFFD"


def _nmt() -> list[Change]:
    return [_always(f"[{_NMT_GONE}]+", ""), _always(f"[{_NMT_SPACE}]", " ")]


def _precompiled(data: str) -> list[Change]:
    map_ = CharacterMap.from_base64(data)
    clusters = regex.compile(r"\X")
    return [Change(clusters, map_.of_cluster, reach=1, keeps=False, of_bytes=map_.of_bytes)]


def _sentencepiece(
    precompiled_charsmap: str, user_defined: list[str], **rules: bool
) -> list[AnyChange]:
    table = CharacterMap.from_base64(precompiled_charsmap) if precompiled_charsmap else None
    return [SentencePieceText(table, SpaceRules(**rules), user_defined)]


def _pattern(value: Any) -> bool:
    known = isinstance(value, dict) and value.keys() <= {"String", "Regex"}
    return known and list(map(type, value.values())) == [str]


def _written(value: Any) -> bool:
    """Returns whether a value is text that UTF-8 can write: without lone surrogates."""
    return isinstance(value, str) and not _SURROGATE.search(value)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(_written(text) and text for text in value)


def _is(kind: Any) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


AnyChange: TypeAlias = Change | NormalForm | _Replace | SentencePieceText
_FLAG = True, _is(bool)
NEEDED = object()
_SURROGATE = re.compile("[\ud800-\udfff]")

# for each type its parameters, with their defaults and checks, and what it does
NORMALIZERS: dict[str, tuple[dict[str, tuple[Any, Callable[[Any], bool]]], Any]] = {
    **{form: ({}, lambda form=form: [NormalForm(form)]) for form in ("NFC", "NFD", "NFKC", "NFKD")},
    "Lowercase": ({}, _lowercase),
    "StripAccents": ({}, lambda: [_always(f"[{tables.MARKS}]+", "")]),
    "Strip": (
        {"strip_left": _FLAG, "strip_right": _FLAG},
        lambda strip_left, strip_right: _strip(strip_left, strip_right),
    ),
    "Replace": ({"pattern": (NEEDED, _pattern), "content": (NEEDED, _written)}, _replace),
    "Prepend": ({"prepend": (NEEDED, _written)}, lambda prepend: _prepend(prepend)),
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
        {"precompiled_charsmap": (NEEDED, _is(str))},
        lambda precompiled_charsmap: _precompiled(precompiled_charsmap),
    ),
    "SentencePiece": (
        {
            "precompiled_charsmap": ("", _is(str)),
            "user_defined": ([], _texts),
            "add_dummy_prefix": _FLAG,
            "remove_extra_whitespaces": _FLAG,
            "escape_whitespaces": _FLAG,
            "treat_whitespace_as_suffix": (False, _is(bool)),
        },
        _sentencepiece,
    ),
}
