"""Defines the steps of normalizers, which `partcover.corpus.normalizers.normalizer` describes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from operator import methodcaller
from typing import Any, TypeAlias

from ...errors import InputError
from ...kernels.texts._character_edits import APART, DELETED, SPACE, edited, holds
from ...runtime.arrays import UInt8, np
from ...runtime.patterns import regex
from ..pretokenizers import unicode_tables as tables
from ..pretokenizers.character_kinds import code_points, first_bytes
from ..pretokenizers.oniguruma import translated
from ..pretokenizers.timed_patterns import Matches, TimedPattern, timed_pattern
from .changes import Change, Edit, OfBytes, characters, utf8
from .character_map import CharacterMap
from .normal_forms import NormalForm
from .sentencepiece_text import SentencePieceText, SpaceRules


def _always(pattern: str, new: str, **how: Any) -> Change:
    return Change(regex.compile(pattern), lambda _: new, **how)


# ---- the steps


@cache
def _younger() -> tuple[UInt8, UInt8]:
    """Returns which code points Python may not know as letters in upper case, for `holds`."""
    kinds = np.zeros(0x110000, np.uint8)
    kinds[list(tables.LOWER)] = 1
    return kinds, first_bytes(kinds)


def _lower(text: str) -> str:
    return characters(_lower_bytes(utf8(text)))


def _lower_bytes(text: bytes) -> bytes:
    if text.isascii():
        return text.lower()
    # Python looks at what is around a Σ alone
    lower = characters(text).replace("Σ", "σ").lower()
    return utf8(lower.translate(tables.LOWER) if holds(text, *_younger()) else lower)


def _lowercase() -> list[Change]:
    return [Change(regex.compile(r"[A-Z]|[^\x00-\x7F]"), _lower, of_bytes=_lower_bytes)]


@cache
def _edited(*edits: tuple[str, int]) -> Change:
    """Edits characters by themselves, those of several classes as the first one says."""
    table = np.zeros(0x110000, np.uint8)
    for ranges, edit in reversed(edits):
        for first, last in tables.ranges_of(ranges):
            table[first : last + 1] = edit

    def of_bytes(text: bytes) -> bytes:
        return edited(text, table)

    pattern = re.compile(f"[{''.join(ranges for ranges, _ in edits)}]")
    return Change(pattern, lambda found: characters(of_bytes(utf8(found))), of_bytes=of_bytes)


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
        return self.find.replaced(text, self.content) if text else text  # as in `_found`

    def edits(self, text: str) -> Iterator[Edit]:
        """Yields what is replaced, in order."""
        for begin, end, match in self._found(text):
            if match and text[begin:end] != self.content:
                yield Edit(begin, end, self.content, (max(end - 1, 0), end))

    def _found(self, text: str) -> Matches:
        return self.find(text) if text else []  # nothing is found in nothing, as in the library


# matches white space alone, and looks at nothing else
_SPACES = r"(?:\\s|[ ]|\\[nrt]|\[(?:\\s|[ ]|\\[nrt])+\])(?:[+]|\{[1-9][0-9]*,[0-9]*\})?"


def writes_a_space(step: Mapping[str, Any]) -> bool:
    """Returns whether a step writes a space for white space, and does nothing else."""
    pattern = step.get("pattern", {}).get("Regex", "")
    replaces = step["type"] == "Replace" and step["content"] == " "
    return replaces and regex.fullmatch(_SPACES, pattern) is not None


def _replace(pattern: Mapping[str, str], content: str) -> list[AnyChange]:
    ((kind, text),) = pattern.items()
    if not text:
        raise InputError("the normalizer Replace has an empty pattern")
    if kind == "Regex":
        try:
            find = timed_pattern(text, translated(text))
        except InputError as error:
            raise InputError(f"the normalizer Replace: {error}") from None
        if regex.fullmatch(_SPACES, text):
            keeps = content[:1] in (" ", "\n")
            template = content.replace("\\", r"\\")
            how: dict[str, Any] = {"quick": partial(find.compiled.sub, template), "last": True}
            if r"\s" not in text:  # characters of ASCII
                how["of_bytes"] = _replacing_spaces(text, template)
            return [_always(translated(text), content, reach=1, keeps=keeps, **how)]
        if regex.fullmatch(_ONE, text) and (content == "" or (content == " " and text[-1] != "+")):
            return [_of_class(find.compiled, content)]
        return [_Replace(find, content)]
    reach = 0 if len(text) == 1 else 2 if " " in text or "\n" in text else 1
    how = {"quick": methodcaller("replace", text, content), "last": True}
    if _written(text):
        how["of_bytes"] = methodcaller("replace", utf8(text), utf8(content))
    find = timed_pattern(text, regex.escape(text))
    return [Change(find.compiled, lambda _: content, reach=reach, keeps=False, **how)]


# matches a character, or several, of a class that has none where `code_points` does not look
_ITEM = r"(?:[^\[\]\\^&~|\-\U00040000-\U0010FFFF]|\\u[0-9A-Fa-f]{4}|\\[nrt])"
_CLASS = r"\\p\{[LMNPSZ][a-z]?\}"
_ONE = rf"(?:{_CLASS}|\[(?:{_ITEM}(?:-{_ITEM})?|{_CLASS})+\])\+?"


def _of_class(pattern: Any, content: str) -> Change:
    """Writes nothing, or a space, for each character of a class."""
    edit = SPACE if content else DELETED

    def of_bytes(text: bytes) -> bytes:
        return edited(text, _class_edits(pattern.pattern, edit))

    return Change(pattern, lambda _: content, keeps=False, last=True, of_bytes=of_bytes)


# strangers may have many classes: what a class holds is found out when a text needs it
@lru_cache(64)
def _class_edits(pattern: str, edit: int) -> UInt8:
    edits = code_points({f"(?V1)(?:{pattern})+": edit}).copy()
    if edit == SPACE:
        edits[ord(" ")] = 0  # which stays one
    return edits


def _replacing_spaces(pattern: str, template: str) -> OfBytes:
    """Replaces what a pattern of `_SPACES` finds, in UTF-8: one of characters of ASCII."""
    sub, new = re.compile(pattern.encode()).sub, template.encode()
    least = re.fullmatch(r"(?: |\[ \])\{([0-9]+),[0-9]*\}", pattern)
    spaces = b" " * int(least[1]) if least else b""
    # mostly there are none of so many, which is found out faster so
    return lambda given: sub(new, given) if spaces in given else given


def _prepend(text: str) -> list[Change]:
    front = utf8(text)

    def of_bytes(given: bytes) -> bytes:
        return front + given if given else given

    return [_always(r"(?s)\A(?=.)", text, reach=2, of_bytes=of_bytes)] if text else []


def _bert(
    clean_text: bool, handle_chinese_chars: bool, strip_accents: bool | None, lowercase: bool
) -> list[AnyChange]:
    changes: list[AnyChange] = []
    edits = [(tables.CONTROLS, DELETED), (tables.WHITE, SPACE)] if clean_text else []
    if handle_chinese_chars:
        edits.append((tables.IDEOGRAPHS, APART))
    if edits:
        changes.append(_edited(*edits))
    if lowercase if strip_accents is None else strip_accents:
        changes += [NormalForm("NFD"), _edited((tables.NONSPACING, DELETED))]
    return [*changes, *_lowercase()] if lowercase else changes


@dataclass(frozen=True)
class _Mapped:
    """Applies a map of characters; as `Change`."""

    table: CharacterMap
    reach: int = 1
    keeps: bool = False

    def of_bytes(self, text: bytes) -> bytes:
        """Returns the changed text, all in UTF-8."""
        return self.table.of_bytes(text)

    def apply(self, text: str) -> str:
        """Returns the changed text."""
        return characters(self.of_bytes(utf8(text)))

    def edits(self, text: str) -> Iterator[Edit]:
        """Yields what is replaced, in order.

        Characters stand for those at their places, and further ones for the last one.  What is
        deleted belongs to no character, unless further ones are before it, as in the library.
        """
        written: list[tuple[str, int]] = []  # characters, each with how many more that makes
        at = 0
        for old, new in self.table.replaced(text):
            more = len(new) - len(old)
            written += [(character, 0) for character in new]
            if more > 0:
                written[-more:] = [(character, 1) for character in new[-more:]]
            elif more < 0 and written:
                written[-1] = written[-1][0], written[-1][1] + more
            elif more < 0:
                at -= more
        if at:
            yield Edit(0, at, "")
        for character, more in written:
            if more > 0:
                yield Edit(at, at, character, (at - 1, at))
                continue
            if text[at : at + 1 - more] != character:
                yield Edit(at, at + 1 - more, character, (at, at + 1))
            at += 1 - more


def _precompiled(data: str) -> list[AnyChange]:
    return [_Mapped(CharacterMap.from_base64(data))]


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


AnyChange: TypeAlias = Change | NormalForm | _Mapped | _Replace | SentencePieceText
_FLAG = True, _is(bool)
NEEDED = object()
_SURROGATE = re.compile("[\ud800-\udfff]")

# for each type its parameters, with their defaults and checks, and what it does
NORMALIZERS: dict[str, tuple[dict[str, tuple[Any, Callable[[Any], bool]]], Any]] = {
    **{form: ({}, lambda form=form: [NormalForm(form)]) for form in ("NFC", "NFD", "NFKC", "NFKD")},
    "Lowercase": ({}, _lowercase),
    "StripAccents": ({}, lambda: [_edited((tables.MARKS, DELETED))]),
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
    "Nmt": ({}, lambda: [_edited((tables.NMT_GONE, DELETED), (tables.NMT_SPACE, SPACE))]),
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
