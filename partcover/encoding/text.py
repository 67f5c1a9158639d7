"""Text, special tokens and the mark of a space are taken as bytes and put together here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, TypeAlias, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..runtime.arguments import shown

__all__ = [
    "Numbers",
    "Special",
    "SpecialTokens",
    "as_bytes",
    "check_special",
    "exchange",
    "is_integer_type",
    "joined",
    "naming",
    "placed",
    "space_mark",
]

Special: TypeAlias = Literal["text", "parse", "error"]
Numbers: TypeAlias = npt.NDArray[np.int32]
Part = TypeVar("Part", bytes, bytes | Numbers)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Name the text in what is wrong with it."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def is_integer_type(kind: type) -> bool:
    """Whether values of a type are integers; True and 1.0 would pass for ids 1."""
    return kind is int or (issubclass(kind, int | np.integer) and kind is not bool)


def as_bytes(text: object, what: str) -> bytes:
    """A text as bytes, in UTF-8; `what` is what errors call it."""
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise InputError(f"{what} is {shown(text)}: str or bytes is expected")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise InputError(f"{what} has a lone surrogate, not UTF-8") from None


def space_mark(mark: str | None, others: Iterable[str | None]) -> bytes:
    """What stands for a space in front of a word; a space where nothing does."""
    if any(other not in (None, " ") for other in others):
        raise InputError("space-prefix must be the first rule, or its mark cannot be undone")
    data = as_bytes(mark or " ", "the mark of space-prefix")
    if data != b" " and (b" " in data or any(data[:n] == data[-n:] for n in range(1, len(data)))):
        raise InputError(
            f"the mark {mark!r} cannot be told from text (it holds a space, or overlaps itself): "
            "use a single character"
        )
    return data


def exchange(text: bytes, mark: bytes) -> bytes:
    """Mark and space exchanged: its own inverse, as a mark neither overlaps itself nor a space."""
    return b" ".join(part.replace(b" ", mark) for part in text.split(mark))


def placed(parts: Iterable[Part], first: int = 0) -> Iterator[tuple[int, Part]]:
    """Parts, each with the bytes of text before it; a special token is none."""
    for part in parts:
        yield first, part
        first += len(part) if isinstance(part, bytes) else 0


def joined(found: Sequence[Numbers]) -> Numbers:
    """Arrays of numbers as one."""
    if len(found) == 1:
        return found[0]
    return np.concatenate([np.zeros(0, np.int32), *found])


def check_special(special: str) -> None:
    """Refuse what is no way to take special tokens."""
    if not isinstance(special, str) or special not in get_args(Special):
        raise InputError(f"special is {shown(special)}: use 'text', 'parse' or 'error'")


class SpecialTokens:
    """The special tokens of a vocabulary, each with its number.

    Parameters
    ----------
    texts : iterable of str
        The special tokens.
    first : int
        The number of the first of them.
    """

    def __init__(self, texts: Iterable[str], first: int) -> None:
        self.texts = list(texts)
        self.numbers = {as_bytes(text, f"special token {text!r}"): first + place
                        for place, text in enumerate(self.texts)}  # fmt: skip
        by_length = sorted(self.numbers, key=len, reverse=True)
        self.pattern = re.compile(b"(" + b"|".join(map(re.escape, by_length)) + b")")

    def cut(self, text: bytes, special: Special) -> list[bytes | Numbers]:
        """A text cut at its special tokens, each a number already."""
        check_special(special)
        if special == "text" or not self.numbers:
            return [text]
        if special == "error":
            if found := self.pattern.search(text):
                raise InputError(
                    f"the text has the special token {found[0].decode('utf-8', 'replace')!r} at "
                    f"byte {found.start()}: --special parse (special='parse') takes it as such, "
                    "text as text"
                )
            return [text]
        return [
            np.array([self.numbers[part]], np.int32) if place % 2 else part
            for place, part in enumerate(self.pattern.split(text))
        ]

    def ending(self, text: str) -> Numbers:
        """The special token that ends documents."""
        place = self.numbers.get(as_bytes(text, "the end of documents"))
        if place is None:
            known = ", ".join(map(repr, self.texts)) or "none"
            raise InputError(
                f"end of document {text!r} is no special token of the vocabulary; there is {known}"
            )
        return np.array([place], np.int32)
