"""Computes the checksum of a certificate, and reads its numbers, which are not trusted."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping
from typing import Any

from ...errors import InputError
from ...runtime.arguments import shown

__all__ = ["digest", "whole", "with_checksum"]


def digest(content: Mapping[str, Any]) -> str:
    """Returns the SHA-256 of JSON content, its keys sorted.

    Examples
    --------
    >>> from partcover.problem.certificates.checksum import digest
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    import hashlib  # OpenSSL takes 4 MiB

    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def with_checksum(content: dict[str, Any]) -> dict[str, Any]:
    """Returns the content of a file with its checksum.

    Examples
    --------
    >>> from partcover.problem.certificates.checksum import with_checksum
    >>> list(with_checksum({"format": "f"}))
    ['format', 'sha256']
    """
    return {**content, "sha256": digest(content)}


def whole(value: Any, name: str, least: int | None = None, most: int | None = None) -> int:
    """Returns an untrusted number of a certificate as an integer.

    Raises
    ------
    InputError
        If it is not an integer, or is outside the limits.

    Examples
    --------
    >>> from partcover.problem.certificates.checksum import whole
    >>> whole(-1, "a weight", 0)
    Traceback (most recent call last):
        ...
    partcover.errors.InputError: a weight is -1: it must be at least 0
    """
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
