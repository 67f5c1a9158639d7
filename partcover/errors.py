"""Defines the errors that partcover raises on purpose, each one clear line for a person."""

from __future__ import annotations

import re

QUOTED = 200  # characters of a quotation from the input in a message
_LINE = 800  # characters of a whole message
_QUOTATIONS = tuple(
    re.compile(rf"(?<![\w\\])(b?{mark})((?:[^\\{mark}]++|\\.)*+){mark}(?!\w)", re.DOTALL)
    for mark in "'\""
)
_UNBROKEN = re.compile(rf"[^\s'\"]{{{QUOTED + 1},}}")


def printable(text: str) -> str:
    r"""Escapes, as `repr` does, what a terminal acts on or does not show.

    Those are control characters and marks of direction; all else stays.

    Examples
    --------
    >>> from partcover.errors import printable
    >>> print(printable("red\x1b[31m"))
    red\x1b[31m
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def shorten(text: str, length: int = QUOTED) -> str:
    """Shortens a text to at most `length` characters, with an ellipsis near its end.

    Examples
    --------
    >>> from partcover.errors import shorten
    >>> shorten("supercalifragilistic", 12)
    'supercali…ic'
    """
    if len(text) <= length:
        return text
    tail = (length - 1) // 4
    return f"{text[: length - 1 - tail]}…{text[len(text) - tail :]}"


def message_line(message: str) -> str:
    r"""Returns a message as one line for a terminal, printable, with long quotations cut.

    Text between quotation marks, and other text without a space (a path, a name), is shortened to
    `QUOTED` characters, and then the whole line to 800.

    Examples
    --------
    >>> from partcover.errors import message_line
    >>> message_line("two\n lines")
    'two lines'
    """
    line = _cut(re.sub(r"[\r\n]+\s*", " ", message.expandtabs()).rstrip())
    return line if line.isprintable() else _cut(printable(line))


def _cut(line: str) -> str:
    if len(line) <= QUOTED:
        return line
    for pattern in _QUOTATIONS:
        line = pattern.sub(lambda match: f"{match[1]}{shorten(match[2])}{match[1][-1]}", line)
    return shorten(_UNBROKEN.sub(lambda match: shorten(match[0]), line), _LINE)


class PartcoverError(Exception):
    """Base class of all errors; the message is one line that says what, where and what to do.

    The message is made safe for a terminal, and what it repeats of an input is shortened
    (`message_line`).

    Examples
    --------
    >>> from partcover import PartcoverError, WordCounts
    >>> try:
    ...     WordCounts.from_counts({"hat": 0})
    ... except PartcoverError as error:
    ...     print(error)
    the count of 'hat' is 0: it must be a whole number of at least 1
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(message_line(str(message)))


class InputError(PartcoverError, ValueError):
    """Invalid usage or input, which the caller can correct.

    Examples
    --------
    >>> from partcover import InputError, Instance
    >>> try:
    ...     Instance({"hat": 2}, k=-1)
    ... except InputError as error:
    ...     print(error)
    k is -1: it must be a whole number from 0 to 2,147,483,647
    """


class MissingExtra(PartcoverError, ImportError):
    """An optional library is not installed, or cannot be loaded.

    Parameters
    ----------
    library : str
        Name of the package that could not be imported.
    extra : str or None
        The partcover extra that installs it; None where its dependencies conflict with
        partcover's, so that it is installed without them.
    purpose : str
        What needs the library, as a noun phrase.
    wrong : str
        What is wrong with it.
    remedy : str, optional
        What to do; by default to install the extra.

    Examples
    --------
    >>> from partcover.errors import MissingExtra
    >>> print(MissingExtra("matplotlib", "plot", "a plot"))
    a plot needs 'matplotlib', which is not installed: pip install 'partcover[plot]'
    """

    def __init__(
        self,
        library: str,
        extra: str | None,
        purpose: str,
        wrong: str = "is not installed",
        remedy: str | None = None,
    ) -> None:
        what = f"--no-deps {library}" if extra is None else f"'partcover[{extra}]'"
        remedy = remedy or f"pip install {what}"
        super().__init__(f"{purpose} needs {library!r}, which {wrong}: {remedy}")


class VerificationError(PartcoverError):
    """A claim that the independent check does not confirm.

    Examples
    --------
    >>> from partcover import Certificate, Instance, VerificationError, lower_bound
    >>> content = lower_bound(Instance({"hat": 2}, k=1)).certificate.to_json()
    >>> try:
    ...     Certificate.from_json({**content, "lower_bound": 1})
    ... except VerificationError as error:
    ...     print(error)
    the certificate was changed after it was written: its checksum differs
    """
