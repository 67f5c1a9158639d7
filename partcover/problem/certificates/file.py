"""What all certificates do with their files: format, version, checksum, and errors."""

from __future__ import annotations

import hashlib
import json
import operator
from abc import ABC, abstractmethod
from collections.abc import Mapping
from os import PathLike, fspath
from types import UnionType
from typing import Any, ClassVar, Self

from ...errors import InputError, VerificationError
from ...runtime.arguments import checked, shown
from ...runtime.files.kinds import Kind, likely_mistake
from ...runtime.files.writing import read_json, write_atomic

__all__ = ["SavedCertificate", "digest", "whole", "with_checksum"]


def digest(content: Mapping[str, Any]) -> str:
    """Returns the SHA-256 of JSON content, its keys sorted.

    Examples
    --------
    >>> from partcover.problem.certificates.file import digest
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def with_checksum(content: dict[str, Any]) -> dict[str, Any]:
    """Returns the content of a file with its checksum.

    Examples
    --------
    >>> from partcover.problem.certificates.file import with_checksum
    >>> list(with_checksum({"format": "f"}))
    ['format', 'sha256']
    """
    return {**content, "sha256": digest(content)}


def whole(value: Any, name: str, least: int | None = None, most: int | None = None) -> int:
    """Returns a number of a certificate, which may come from anywhere, as an integer.

    Raises
    ------
    InputError
        If it is no whole number, or not within the limits.

    Examples
    --------
    >>> from partcover.problem.certificates.file import whole
    >>> whole(-1, "a fee", 0)
    Traceback (most recent call last):
        ...
    partcover.errors.InputError: a fee is -1: at least 0 is expected
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise InputError(f"{name} is {shown(value)}: a whole number is expected")
    if (least is not None and number < least) or (most is not None and number > most):
        limits = f"at least {least} is" if most is None else f"{least} to {most} are"
        raise InputError(f"{name} is {number}: {limits} expected")
    return number


class SavedCertificate(ABC):
    """A certificate that is saved in a file of JSON, with a format, a version and a checksum.

    A subclass says what else is in the file.

    Examples
    --------
    >>> from partcover.problem.certificates.file import SavedCertificate
    >>> class Promise(SavedCertificate):
    ...     _KIND, _ABOUT, _FIELDS = "certificate", "a promise", {"k": int}
    ...     def __init__(self, k):
    ...         self.k = k
    ...     def _content(self):
    ...         return {"k": self.k}
    ...     @classmethod
    ...     def _of_content(cls, data):
    ...         return cls(data["k"])
    >>> Promise(3).save("P.cert")
    >>> Promise.load("P.cert").k
    3
    >>> Promise.from_json({**Promise(3).to_json(), "k": 4})
    Traceback (most recent call last):
    partcover.errors.VerificationError: the certificate is not what was written: its checksum ...
    """

    _KIND: ClassVar[Kind]
    """The name of the format, after ``partcover-``."""
    _ABOUT: ClassVar[str]
    """What the file should be, in errors."""
    _FIELDS: ClassVar[Mapping[str, type | UnionType]]
    """What `_content` returns."""

    @property
    def _indent(self) -> int | None:
        """The spaces before what is inside; None for all in one line."""
        return None

    @abstractmethod
    def _content(self) -> dict[str, Any]:
        """Returns the content of a file but for format, version and checksum."""

    @classmethod
    @abstractmethod
    def _of_content(cls, data: dict[str, Any]) -> Self:
        """Makes a certificate from fields that are there, each of its type."""

    def to_json(self) -> dict[str, Any]:
        """Returns the content of a certificate file."""
        about = {"format": f"partcover-{self._KIND}", "version": 1}
        return with_checksum(about | self._content())

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the certificate file, aside and then renamed."""
        text = json.dumps(self.to_json(), ensure_ascii=False, indent=self._indent)
        write_atomic(path, text + "\n")

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Makes a certificate from the content of its file.

        Raises
        ------
        InputError
            If it is of another format or of a later version, or a field is missing or broken.
        VerificationError
            If its checksum differs.
        """
        name = f"partcover-{cls._KIND}"
        if data.get("format") != name:
            raise InputError(f'not {cls._ABOUT} (no "format": "{name}")')
        if data.get("version") != 1:
            raise InputError(f"certificate version {data.get('version')!r} is not known; update")
        for field, kind in cls._FIELDS.items():
            if not isinstance(data.get(field), kind) or isinstance(data[field], bool):
                raise InputError(f"{field!r} is missing or broken: the file is damaged")
        if data.get("sha256") != digest({n: value for n, value in data.items() if n != "sha256"}):
            raise VerificationError("the certificate is not what was written: its checksum differs")
        return cls._of_content(data)

    @classmethod
    @checked
    def load(cls, path: str | PathLike[str]) -> Self:
        """Reads a certificate file.

        Raises
        ------
        InputError
            Naming the file, if it cannot be read, is cut short, is of a later version, or holds
            something else.
        VerificationError
            If its checksum differs.
        """
        mistake = likely_mistake(path, cls._KIND)
        try:
            data = read_json(path)
        except InputError as error:
            raise InputError(f"{error}{mistake}") from None
        try:
            return cls.from_json(data)
        except (InputError, VerificationError) as error:
            raise type(error)(f"{fspath(path)}: {error}{mistake}") from None
