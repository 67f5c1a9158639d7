"""Maps of characters, built and applied in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import regex

KEY = 256  # bytes of a key that are looked at


class Rules(NamedTuple):
    """What is done with spaces, as the kernel is told."""

    front: bool
    behind: bool
    extra: bool
    escaped: bool


class Written(NamedTuple):
    """A character that is written, and the part of the text that it stands for."""

    character: str
    begin: int
    end: int


def built(entries: Mapping[bytes, bytes]) -> tuple[list[int], bytes]:
    """Returns the trie of a map, and its texts."""
    tree: dict[int, Any] = {}
    texts = b""
    for key, text in entries.items():
        node = tree
        for byte in key:
            node = node.setdefault(byte, {})
        node[0] = len(texts)  # no key has a zero byte
        texts += text + b"\0"
    units = {0: 0}
    taken = {0}  # bases
    todo = [(0, tree)]
    while todo:
        place, node = todo.pop()
        base = next(
            base
            for base in range(1, 1 << 20)
            if base not in taken and not any(base ^ label in units for label in node)
        )
        taken.add(base)
        units[place] |= (place ^ base) << 10 | (0 in node) << 8
        for label, child in node.items():
            units[base ^ label] = label if label else child | 1 << 31
        todo += [(base ^ label, child) for label, child in node.items() if label]
    return [units.get(place, 0) for place in range(max(units) + 1)], texts


def packed(units: Sequence[int], texts: bytes) -> bytes:
    """Returns a map as models have it."""
    data = np.array(units, "<u4").tobytes()
    return len(data).to_bytes(4, "little") + data + texts


def prefixes(units: Sequence[int], texts: bytes, key: bytes) -> list[tuple[int, str]]:
    """Returns the entries that a text begins with, the shortest first, as length and text."""

    def offset(unit: int) -> int:
        return unit >> 10 << ((unit & 1 << 9) >> 6)

    found = []
    try:
        place = offset(units[0])
        for length, byte in enumerate(key[:KEY], 1):
            unit = units[place ^ byte]
            if byte == 0 or unit & 0x800000FF != byte:
                break
            place ^= byte ^ offset(unit)
            if unit >> 8 & 1:
                start = units[place] & 0x7FFFFFFF
                text = texts[start:].partition(b"\0")[0].decode("utf-8", "surrogateescape")
                found.append((length, regex.sub("[\udc80-\udcff]", "\ufffd", text)))
    except IndexError:  # a trie that leads nowhere
        pass
    return found


def of_text(
    units: Sequence[int], texts: bytes, kept: Iterable[bytes], rules: Rules, data: bytes
) -> list[Written]:
    """Returns what sentencepiece makes of a text, with places in bytes."""
    longest = sorted(kept, key=len, reverse=True)

    def place(at: int) -> tuple[str, int]:
        for text in longest:
            if data.startswith(text, at):
                return text.decode(), len(text)
        if found := prefixes(units, texts, data[at:]):
            return found[-1][1], found[-1][0]
        character = data[at:].decode("utf-8", "surrogateescape")[0]
        return regex.sub("[\udc80-\udcff]", "\ufffd", character), size_of(character)

    out: list[Written] = []
    at = 0
    while rules.extra and at < len(data) and place(at)[0] == " ":
        at += place(at)[1]
    if at == len(data):
        return []
    if rules.front:
        first = size_of(data[at:].decode("utf-8", "surrogateescape")[0])
        out.append(Written(" ", at, at + first))
    spaced = rules.extra
    while at < len(data):
        whole, size = place(at)
        new = whole.lstrip(" ") if spaced else whole
        if not new and out:
            out[-1] = out[-1]._replace(end=at + size)
        if new:
            spaced = rules.extra and new[-1] == " "
        out += [Written(character, at, at + size) for character in new]
        at += size
    last = len(data)
    if rules.extra:
        while out and out[-1].character in (" ▁" if rules.escaped else " "):
            last = out.pop().begin
    if rules.behind:
        last = out[-1].end if out else last
        out.append(Written(" ", last, last))
    if rules.escaped:
        out = [each._replace(character=each.character.replace("▁", " ")) for each in out]
    return out


def of_clusters(units: Sequence[int], texts: bytes, text: str) -> str:
    """Returns what tokenizers makes of a text: see `Precompiled`."""
    new = ""
    for cluster in regex.findall(r"\X", text):
        found = prefixes(units, texts, utf8(cluster)) if size_of(cluster) < 6 else []
        for part in cluster if not found else ():
            alone = prefixes(units, texts, utf8(part))
            new += alone[0][1] if alone else part
        new += found[0][1] if found else ""
    return new


def utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def size_of(text: str) -> int:
    return len(utf8(text))
