"""What the files of all certificates share: format, version, checksum, and errors."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from typing import Any, TypeVar

from ..errors import InputError, VerificationError
from ..runtime.file_kinds import Kind, likely_mistake
from ..runtime.files import read_json

__all__ = ["check_checksum", "check_fields", "check_format", "digest", "load", "with_checksum"]

C = TypeVar("C")


def digest(content: Mapping[str, Any]) -> str:
    """Returns the SHA-256 of JSON content, its keys sorted.

    Examples
    --------
    >>> from partcover.problem.certificate_file import digest
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def with_checksum(content: dict[str, Any]) -> dict[str, Any]:
    """Returns the content of a file with its checksum.

    Examples
    --------
    >>> from partcover.problem.certificate_file import check_checksum, with_checksum
    >>> check_checksum(with_checksum({"format": "f"}))
    """
    return {**content, "sha256": digest(content)}


def check_format(data: Mapping[str, Any], name: str, about: str, versions: tuple[int, ...]) -> None:
    """Refuses content of another format or of a later version.

    Examples
    --------
    >>> from partcover.problem.certificate_file import check_format
    >>> check_format({"format": "f", "version": 1}, "f", "a certificate", (1,))
    """
    if data.get("format") != name:
        raise InputError(f'not {about} (no "format": "{name}")')
    if data.get("version") not in versions:
        raise InputError(f"certificate version {data.get('version')!r} is not known; update")


def check_fields(data: Mapping[str, Any], kinds: Mapping[str, type]) -> None:
    """Refuses content in which a field is missing or of another kind.

    Examples
    --------
    >>> from partcover.problem.certificate_file import check_fields
    >>> check_fields({"k": 3}, {"k": int})
    """
    for name, kind in kinds.items():
        value = data.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InputError(f"{name!r} is missing or broken: the file is damaged")


def check_checksum(data: Mapping[str, Any]) -> None:
    """Refuses content whose checksum differs.

    Examples
    --------
    >>> from partcover.problem.certificate_file import check_checksum
    >>> check_checksum({"format": "f", "sha256": "0"})
    Traceback (most recent call last):
    partcover.errors.VerificationError: the certificate is not what was written: its checksum ...
    """
    if data.get("sha256") != digest({n: value for n, value in data.items() if n != "sha256"}):
        raise VerificationError("the certificate is not what was written: its checksum differs")


def load(
    path: str | PathLike[str], from_json: Callable[[dict[str, Any]], C], kind: Kind = "certificate"
) -> C:
    """Reads a certificate file.

    Parameters
    ----------
    path : path
        The file.
    from_json : callable
        Makes the certificate from the content.
    kind : str
        What the file should be, for `likely_mistake`.

    Raises
    ------
    InputError, VerificationError
        Those of `from_json`, and where the file cannot be read: with the name of the file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover.problem.certificate_file import load
    >>> _ = Path("c.cert").write_text('{"k": 3}')
    >>> load("c.cert", lambda data: data["k"])
    3
    """
    mistake = likely_mistake(path, kind)
    try:
        data = read_json(path)
    except InputError as error:
        raise InputError(f"{error}{mistake}") from None
    try:
        return from_json(data)
    except (InputError, VerificationError) as error:
        raise type(error)(f"{fspath(path)}: {error}{mistake}") from None
