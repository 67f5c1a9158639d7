r"""Keeps how a JSON file is laid out, so that changed data can be written in the same way.

`kept` shortens the text of a file: of its long lists it leaves two entries, which show the white
space, and those that are spelled in another way than `rewritten` would spell them.  `rewritten`
writes data as a text has them: what is equal in both is copied, spelling and all, and what is new
is laid out as its neighbors are.

Numbers are read and spelled as `decimals` has it.

Examples
--------
>>> from partcover.interop.huggingface.layout import kept, rewritten
>>> text = '{"v" : {"a":1, "b":2, "c":3, "\\u0064":4}, "n": -2.50}\n'
>>> short = kept(text, {("v",): {"a": 1, "b": 2, "c": 3, "d": 4}})
>>> print(short.replace("\n", "|"))
{"v" : {"a":1, "b":2, "\u0064":4}, "n": -2.50}|
>>> print(rewritten(short, {"v": {"a": 1, "c": 2, "d": 4}, "n": -2.5}).replace("\n", "|"))
{"v" : {"a":1, "c":2, "\u0064":4}, "n": -2.50}|
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from .decimals import as_read, spell_number

_SPACE = " \t\n\r"
_BLANK = re.compile(r"[ \t\n\r]*")
_GAP = re.compile(r"[ \t\n\r]*,[ \t\n\r]*")
_COLON = re.compile(r"[ \t\n\r]*:[ \t\n\r]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u(?!00[01])")
_SHOWN = 2  # entries show what stands before the first, and between two
_DEEPEST = 16  # levels whose layout is kept: each is read once more
_WIDEST = 256  # characters of white space that new entries get

Spell = Callable[[str], str]
Lists = Mapping[tuple[str, ...], Any]


def _number(text: str) -> float:
    value = float(text)
    read = as_read(value) if math.isfinite(value) else value
    return read if math.isfinite(read) else value


_DECODER = json.JSONDecoder(parse_float=_number)
_PLAIN = json.JSONDecoder()  # where numbers do not matter


class _Entry(NamedTuple):
    """An entry of a list or an object: what stands in the text, and what that means."""

    gap: str  # what stands before it; of the first one empty
    key: str  # with the colon; empty in a list
    value: str
    name: Any
    data: Any
    at: int  # where the value begins


class _Layout(NamedTuple):
    """The white space of a list or an object with its brackets, commas and colons."""

    begin: str = "["
    between: str = ", "
    colon: str = ": "
    end: str = "]"
    inner: Any = None  # the layout of the first entry that is a list or an object


def parsed(text: str) -> Any:
    """Reads JSON, with numbers as Hugging Face's library reads them."""
    return _DECODER.decode(text)


def escapes(text: str) -> bool:
    """Returns whether a JSON text escapes the characters that are not ASCII."""
    return text.isascii() and _ESCAPED.search(text) is not None


def kept(text: str, lists: Lists, *, escaped: bool = False) -> str:
    """Returns the text of a JSON object without what `rewritten` spells in the same way.

    Parameters
    ----------
    text : str
        The text.
    lists : dict
        The lists and objects to shorten, by the keys that lead to them, each with the data that
        `rewritten` gets if nothing changes.
    escaped : bool
        Whether the characters that are not ASCII are escaped.
    """
    return _inside(text, lambda object_: _kept(object_, lists, _speller(escaped)))


def rewritten(text: str, data: Any, *, escaped: bool = False) -> str:
    """Returns data as JSON in the layout of a text, and spelled as there where it is equal."""
    found = _inside(text, lambda value: _rewritten(value, data, _speller(escaped)))
    # half of a surrogate pair can only be written as an escape
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", found)


def _inside(text: str, change: Spell) -> str:
    """Changes the value of a text, and leaves the white space around it."""
    begin, end = _blank(text, 0), len(text.rstrip(_SPACE))
    return text[:begin] + change(text[begin:end]) + text[end:]


def _blank(text: str, at: int) -> int:
    """Returns where white space ends."""
    return _BLANK.match(text, at).end()  # type: ignore[union-attr]


def _speller(escaped: bool) -> Spell:
    return json.encoder.encode_basestring_ascii if escaped else json.encoder.encode_basestring


def _kept(text: str, lists: Lists, spell: Spell) -> str:
    if () in lists:
        return _shortened(text, lists[()], spell)
    parts, done = [], 0
    for entry in _entries(text):
        below = {path[1:]: data for path, data in lists.items() if path[0] == entry.name}
        if below and entry.value[0] in "{[":
            parts += [text[done : entry.at], _kept(entry.value, below, spell)]
            done = entry.at + len(entry.value)
    return "".join([*parts, text[done:]])


def _shortened(text: str, data: Any, spell: Spell) -> str:
    layout = _layout(text)
    if type(data) is not (list if text[0] == "[" else dict) or len(data) <= _SHOWN:
        return text
    usual = _spelled_entries(data, layout, spell)
    if _joined(usual, layout) == text:
        return _joined(usual[:_SHOWN], layout)
    entries = list(_entries(text))
    there = [entry.key + entry.value for entry in entries]
    names = [entry.name for entry in entries]
    if len(there) != len(usual) or _joined(there, layout) != text:
        return text  # with white space of many kinds, or what is there twice
    if isinstance(data, dict) and names != list(data):
        return text
    both = enumerate(zip(there, usual, strict=True))
    return _joined([one for n, (one, other) in both if n < _SHOWN or one != other], layout)


def _rewritten(text: str, data: Any, spell: Spell, level: int = 0) -> str:
    old = parsed(text)
    if old == data:
        return text
    alike = isinstance(old, list | dict) and type(old) is type(data) and old and data
    if not alike or level == _DEEPEST:
        return _spelled(data, None, spell)
    layout = _layout(text)
    entries = list(_entries(text, _DECODER))
    known = {_hashable(entry.data): entry for entry in entries}
    named = {entry.name: entry for entry in entries} if isinstance(old, dict) else {}
    parts: list[str] = []
    for name, one in data.items() if isinstance(data, dict) else ((None, one) for one in data):
        if (entry := named.get(name)) is not None:
            value = entry.key + _rewritten(entry.value, one, spell, level + 1)
        else:
            again = name is None or isinstance(one, dict)
            entry = known.get(_hashable(one)) if again else None
            value = "" if name is None else spell(name) + layout.colon
            value += _spelled(one, layout.inner, spell) if entry is None else entry.value
        parts.append(((entry and entry.gap) or layout.between) + value if parts else value)
    return layout.begin + "".join(parts) + layout.end


def _hashable(data: Any) -> Any:
    """Returns what is equal for equal data, to look them up."""
    if isinstance(data, str | int | float):
        return data
    if isinstance(data, list) and all(isinstance(part, str | int | float) for part in data):
        return tuple(data)
    return json.dumps(data, sort_keys=True), None  # which is no list of strings and numbers


def _spelled(data: Any, layout: _Layout | None, spell: Spell) -> str:
    """Returns data as JSON."""
    if isinstance(data, str):
        return spell(data)
    if isinstance(data, float) and math.isfinite(data):
        return spell_number(data)[0]
    if not isinstance(data, list | dict):
        return json.dumps(data)
    if not data:
        return "{}" if isinstance(data, dict) else "[]"
    layout = layout or _Layout()
    begin, end = ("{", "}") if isinstance(data, dict) else ("[", "]")
    layout = layout._replace(begin=begin + layout.begin[1:], end=layout.end[:-1] + end)
    return _joined(_spelled_entries(data, layout, spell), layout)


def _spelled_entries(data: Any, layout: _Layout, spell: Spell) -> list[str]:
    inner, colon = layout.inner, layout.colon
    if isinstance(data, list):
        return [_spelled(one, inner, spell) for one in data]
    return [spell(name) + colon + _spelled(one, inner, spell) for name, one in data.items()]


def _joined(parts: Iterable[str], layout: _Layout) -> str:
    return layout.begin + layout.between.join(parts) + layout.end


def _layout(text: str, level: int = 0) -> _Layout:
    """Returns the white space of a list or an object, as its first entries have it."""
    begin = text[: _blank(text, 1)]
    end = text[len(text[:-1].rstrip(_SPACE)) :] if begin != text[:-1] else text[-1]
    first = list(islice(_entries(text), _SHOWN))
    between = "," + begin[1:] if "\n" in begin else ", "
    colon = ": "
    if first and first[0].key:
        colon = first[0].key[_PLAIN.raw_decode(first[0].key)[1] :]
        between = between if colon != ":" else ","
    if len(first) > 1:
        between = first[1].gap
    texts = [entry.value for entry in first if entry.value[0] in "{["]
    inner = _layout(texts[0], level + 1) if texts and level < _DEEPEST else None
    if max(map(len, (begin, between, colon, end))) > _WIDEST:
        return _Layout(begin[0], ", ", ": ", end[-1], inner)
    return _Layout(begin, between, colon, end, inner)


def _entries(text: str, decoder: json.JSONDecoder = _PLAIN) -> Iterator[_Entry]:
    """Yields the entries of a list or an object."""
    at, end = _blank(text, 1), len(text) - 1
    gap = ""
    while at < end:
        name, begin = None, at
        if text[0] == "{":
            name, stop = decoder.raw_decode(text, at)
            at = _COLON.match(text, stop).end()  # type: ignore[union-attr]
        data, stop = decoder.raw_decode(text, at)
        yield _Entry(gap, text[begin:at], text[at:stop], name, data, at)
        following = _GAP.match(text, stop)
        if following is None:
            return
        gap, at = following[0], following.end()
