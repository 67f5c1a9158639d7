"""Computes the checksum of a certificate, and reads what its file holds, which is not trusted."""

from __future__ import annotations

import base64
import json
import operator
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import InputError
from ...runtime.arguments import shown

__all__ = ["Unpacker", "digest", "listed", "unpacked_bytes", "whole"]


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


def listed(value: Any, name: str, *, pairs: bool = False) -> Sequence[Any]:
    """Returns an untrusted list, or one of `pairs`; refuses what is none."""
    if not isinstance(value, list | tuple):
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


class Unpacker:
    """Unpacks untrusted bytes that zlib compressed, exactly as many as are asked for."""

    def __init__(self, packed: bytes, name: str) -> None:
        self._inflater = zlib.decompressobj()
        self._packed = packed
        self._name = name

    def read(self, size: int) -> bytes:
        """Returns the next bytes."""
        raw = self._unpacked(size) if size else b""
        if len(raw) < size:
            raise InputError(f"{self._name} cannot be unpacked: the data ends too early")
        return raw

    @property
    def is_at_end(self) -> bool:
        """Whether nothing follows."""
        return not self._unpacked(1) and self._inflater.eof

    def _unpacked(self, size: int) -> bytes:
        try:
            raw = self._inflater.decompress(self._packed, size)
        except zlib.error:
            raise InputError(f"{self._name} cannot be unpacked") from None
        self._packed = self._inflater.unconsumed_tail
        return raw
