"""Changes files at random, from a seed: values of JSON, bytes, what compressed data holds."""

from __future__ import annotations

import base64
import contextlib
import copy
import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

# what JSON may hold, as Python reads it, that nobody means
NASTY = [
    float("inf"), float("-inf"), float("nan"), 10**400, -(10**30), -1, 0, 2**31, 2**62, 2**63,
    1e308, 0.5, None, True, "", " ", "\ud800", "\x00", "é" * 50, "\U0010ffff", [], {}, [[]],
    [None], {"": None}, "a b c", "\\x", "9" * 5000,
]  # fmt: skip
BYTES = [
    b"\xff", b"\xed\xa0\x80", b"\x00", b"\n", b"\r\n", b"\r", b"\t", b" ", b"9" * 500, b"-",
    b"\x80" * 12, b"", b"\xef\xbb\xbf", b"\\", b"\\x", b"0", b"4611686018427387904", b"-1",
    b"1e999", b"nan", b"[" * 3000, b"\xf4\x8f\xbf\xbf", b"\x85", b"\xe2\x80\xa8", b"\x1c",
]  # fmt: skip
PACKED = ("eJ", "eN")  # how compressed numbers begin in base64
JSON_ENDINGS = (".json", ".cert", ".model.json")


def changed(raw: bytes, name: str, draw: Random, others: Sequence[bytes] = ()) -> bytes:
    """Returns a file with changes that its name makes sensible, or any.

    Parameters
    ----------
    raw : bytes
        The file.
    name : str
        Its name, whose ending says what is in it.
    draw : Random
        Draws the changes.
    others : sequence of bytes
        Files of the same kind, for parts to put in.
    """
    if name.endswith(".gz") and draw.random() < 0.5:
        return gzip.compress(change_bytes(_unpacked(raw), draw, others), 1)
    if name.endswith(".jsonl") and draw.random() < 0.5:
        lines = raw.split(b"\n")
        at = draw.randrange(len(lines))
        return b"\n".join([*lines[:at], change_json(lines[at], draw, others), *lines[at + 1 :]])
    if name.endswith(".cert") and draw.random() < 0.7:
        return change_certificate(raw, draw)
    if name.endswith(JSON_ENDINGS) and draw.random() < 0.7:
        return change_json(raw, draw, others)
    return change_bytes(raw, draw, others)


def change_json(raw: bytes, draw: Random, others: Sequence[bytes] = ()) -> bytes:
    """Returns JSON with some values replaced, dropped, doubled or given another key."""
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return change_bytes(raw, draw)
    for _ in range(draw.choice([1, 1, 2, 4])):
        where = _place(data, draw)
        if not where:
            return json.dumps(draw.choice(NASTY)).encode()
        inner = _value(data, where[:-1])
        action = draw.random()
        if action < 0.4:
            inner[where[-1]] = copy.deepcopy(draw.choice(NASTY))
        elif action < 0.6:
            inner[where[-1]] = _another(inner[where[-1]], where[-1], data, draw, others)
        elif action < 0.7 and isinstance(inner[where[-1]], int):
            inner[where[-1]] += draw.choice([-1, 1, 2**31, 2**62])
        elif action < 0.85:
            del inner[where[-1]]
        elif isinstance(inner, dict):
            inner[draw.choice(["", "\ud800", "a b", "Ġ", "日"])] = inner.pop(where[-1])
        else:
            inner.append(copy.deepcopy(inner[where[-1]]))
    return json.dumps(data).encode()


def _place(data: Any, draw: Random) -> tuple[Any, ...]:
    """Returns where a value stands: long lists inside weigh no more than what is beside them."""
    path: tuple[Any, ...] = ()
    while isinstance(data, dict | list) and data and (not path or draw.random() < 0.8):
        key = draw.choice(list(data) if isinstance(data, dict) else range(len(data)))
        path, data = (*path, key), data[key]
    return path


def _another(value: Any, key: Any, data: Any, draw: Random, others: Sequence[bytes]) -> Any:
    """Returns a value in place of one: text with other bytes in it, or what stands elsewhere.

    In another file that is, if it has one, the value of the same key.
    """
    if isinstance(value, str) and draw.random() < 0.5:
        return _changed_text(value, draw)
    if others:
        with contextlib.suppress(ValueError, RecursionError):
            data = json.loads(draw.choice(others))
    same = [path for path in _places(data) if path and path[-1] == key and isinstance(key, str)]
    return copy.deepcopy(_value(data, draw.choice(same) if same else _place(data, draw)))


def _changed_text(text: str, draw: Random) -> str:
    """Returns text with changes, in what it spells if it is base64."""
    try:
        inside = base64.b64decode(text, validate=True) if len(text) > 20 else b""
    except ValueError:
        inside = b""
    if inside:
        return base64.b64encode(change_bytes(inside, draw)).decode()
    return change_bytes(text.encode("utf-8", "surrogatepass"), draw).decode("utf-8", "replace")


def change_certificate(raw: bytes, draw: Random) -> bytes:
    """Returns a certificate with other values or other packed numbers, and the checksum of them."""
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return change_bytes(raw, draw)
    packed = [path for path in _places(data) if str(_value(data, path)).startswith(PACKED)]
    if packed and draw.random() < 0.4:
        *outer, key = draw.choice(packed)
        inner = _value(data, outer)
        try:
            numbers = zlib.decompress(base64.b64decode(inner[key]))
        except (ValueError, zlib.error):  # changed before
            return change_bytes(raw, draw)
        numbers = change_bytes(numbers, draw)
        inner[key] = base64.b64encode(zlib.compress(numbers)).decode()
    else:
        data = json.loads(change_json(raw, draw))
    return json.dumps(_signed(data)).encode()


def _signed(data: Any) -> Any:
    """Returns a certificate with its checksum, and with that of the one inside it."""
    if not isinstance(data, dict):
        return data
    content = {key: _signed(value) for key, value in data.items() if key != "sha256"}
    if "format" in content:
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        content["sha256"] = hashlib.sha256(text.encode("ascii")).hexdigest()
    return content


def change_bytes(raw: bytes, draw: Random, others: Sequence[bytes] = ()) -> bytes:
    """Returns bytes with some changed, cut out, doubled or put in."""
    made = bytearray(raw)
    for _ in range(draw.choice([1, 1, 2, 5])):
        at = draw.randrange(len(made) + 1)
        length = draw.choice([0, 1, 1, 2, 8, 100])
        action = draw.random()
        if action < 0.2:
            made[at:at] = made[at : at + length]
        elif action < 0.3 and others:
            other = draw.choice(others)
            place = draw.randrange(len(other) + 1)
            made[at : at + length] = other[place : place + draw.choice([1, 4, 20, 200])]
        elif action < 0.35:
            del made[at:]
        elif action < 0.45 and at < len(made):
            made[at] ^= 1 << draw.randrange(8)
        else:
            made[at : at + length] = draw.choice([*BYTES, bytes([draw.randrange(256)])])
    return bytes(made)


def _unpacked(raw: bytes) -> bytes:
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error):
        return raw


def _value(data: Any, path: Sequence[Any]) -> Any:
    """Returns the value of JSON at a place."""
    for key in path:
        data = data[key]
    return data


def _places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yields where the values of JSON stand."""
    yield path
    if isinstance(data, dict):
        items: list[tuple[Any, Any]] = list(data.items())
    elif isinstance(data, list):
        items = list(enumerate(data))
    else:
        items = []
    for key, value in items:
        yield from _places(value, (*path, key))
