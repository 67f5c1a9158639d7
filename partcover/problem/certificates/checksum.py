"""Computes the checksum of a certificate, and reads what its file holds, which is not trusted."""

from __future__ import annotations

import base64
import json
import operator
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

from ...corpus import symbols as sym
from ...corpus.symbols import Symbols, Token
from ...errors import InputError
from ...runtime.arguments import closest, shown

_Part = TypeVar("_Part")
# unions, as in `bytes | str`, are made anew at each call: these are asked a million times
_TOKENS = (bytes, str, tuple)
_LISTS = (list, tuple)


def digest(content: Mapping[str, Any]) -> str:
    """Returns the SHA-256 of JSON content, its keys sorted."""
    import hashlib  # OpenSSL takes 4 MiB

    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def whole(value: Any, name: str, least: int | None = None, most: int | None = None) -> int:
    """Returns an untrusted number as an integer; refuses what is none, or beyond the limits."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise InputError(f"{name} is {shown(value)}: it must be a whole number")
    if (least is not None and number < least) or (most is not None and number > most):
        limits = f"at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{name} is {number}: it must be {limits}")
    return number


def token(value: Any, about: str) -> Token:
    """Returns a token of Python that is not trusted; refuses what is of another type."""
    if not isinstance(value, _TOKENS):
        raise InputError(f"{about} {shown(value)}, which is not a token")
    return value


def all_of(parts: Any, kind: type[_Part], name: str) -> tuple[_Part, ...]:
    """Returns a list of Python that is not trusted; refuses what is none, or of another type."""
    for part in listed(parts, name):
        if not isinstance(part, kind):
            raise InputError(f"{name} have {shown(part)}: each must be a {kind.__name__}")
    return tuple(parts)


def listed(value: Any, name: str, *, pairs: bool = False) -> Sequence[Any]:
    """Returns an untrusted list, or one of `pairs`; refuses what is none."""
    if not isinstance(value, _LISTS):
        raise InputError(f"{name} are not a list")
    if pairs and not all(isinstance(each, list | tuple) and len(each) == 2 for each in value):
        raise InputError(f"{name} are not pairs")
    return value


def unpacked_bytes(text: Any, name: str) -> bytes:
    """Returns untrusted text in base64 as bytes; refuses what is none."""
    try:
        return base64.b64decode(text, validate=True)
    except (TypeError, ValueError):
        raise InputError(f"{name} cannot be unpacked: the file is damaged") from None


def inflated(packed: bytes, size: int, name: str) -> tuple[bytes, bool]:
    """Returns the first bytes of untrusted data that zlib compressed, and whether there are more.

    No more than these are unpacked.
    """
    inflater = zlib.decompressobj()
    try:
        raw = inflater.decompress(packed, size) if size else b""
        more = inflater.decompress(inflater.unconsumed_tail if size else packed, 1)
    except zlib.error:
        raise InputError(f"{name} cannot be unpacked") from None
    if len(raw) < size:
        raise InputError(f"{name} cannot be unpacked: the data ends too early")
    return raw, bool(more) or not inflater.eof


def symbols_of(data: Mapping[str, Any], kind: str) -> Symbols:
    """Returns the symbols of a file of partcover; refuses other kinds and newer versions."""
    if data.get("format") != f"partcover-{kind}":
        raise InputError(f'not a partcover {kind} (no "format": "partcover-{kind}")')
    version, symbols = data.get("version"), data.get("symbols", "bytes")
    if version != 1:
        raise InputError(f"the version {version!r} of {kind}s is not supported: update")
    if symbols not in sym.SYMBOLS:
        raise InputError(f"unknown symbols {shown(symbols)}: {closest(symbols, sym.SYMBOLS)}")
    return cast("Symbols", symbols)
