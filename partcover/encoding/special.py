"""Finds special tokens in a text, as Hugging Face's tokenizers and tiktoken do."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import regex

from ..corpus.normalizers.normalizer import Normalizer
from ..corpus.pretokenizers.steps.read import WORD_CHARACTER
from ..corpus.pretokenizers.unicode_tables import compiled
from ..errors import InputError
from ..kernels.segmentation._segment import Segmenter
from ..runtime.arguments import plain, shown
from ..vocabulary.vocabulary import Vocabulary
from .text import Numbers, as_bytes

Mode: TypeAlias = Literal["text", "parse", "error"]
Special: TypeAlias = Mode | Sequence[str] | Set[str]
_MODES = get_args(Mode)

_WHITE = (
    rb"(?:[\t-\r ]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|"
    rb"\xe3\x80\x80)*+"
)
_BEHIND = regex.compile(_WHITE)
_BEFORE = regex.compile(b"(?r)" + _WHITE)
_IN_WORD = f"[{WORD_CHARACTER}]"
_FEW = 256  # up to this many tokens are listed one by one in a pattern
# characters between two places that are looked at one by one, on average; and how many always are
_RARE, _TRIED = 1024, 16


class Part(NamedTuple):
    """A part of a text; for a special token, including the white space that belongs to it.

    Attributes
    ----------
    text : bytes
        The part.
    number : int or None
        The number of the special token, if it is one.
    """

    text: bytes
    number: int | None = None


def check_special(special: Special) -> None:
    """Checks the option for special tokens in a text."""
    if isinstance(special, str):
        if special not in _MODES:
            known = ", ".join(map(repr, _MODES))
            raise InputError(f"special is {shown(special)}: use {known}, or a list of tokens")
    elif not isinstance(special, Sequence | Set) or not all(isinstance(t, str) for t in special):
        raise InputError(f"special is {shown(special)}: it must be a mode or a list of tokens")


class SpecialTokens:
    """The special tokens of a vocabulary and their numbers.

    Parameters
    ----------
    vocabulary : Vocabulary
        The vocabulary.
    first : int
        The number of the first one; the others follow.
    normal : Normalizer, optional
        The vocabulary's normalizer.
    """

    def __init__(self, vocabulary: Vocabulary, first: int, normal: Normalizer | None) -> None:
        self.numbers = {text: first + place for place, text in enumerate(vocabulary.special)}
        self._flags = vocabulary.special_flags
        self._normal = normal
        self._added = frozenset(
            text for text, flags in vocabulary.special_flags.items() if "added" in flags
        )
        self._finders: dict[object, tuple[_Finder, _Finder]] = {}  # for the last mode

    def cut(self, text: bytes, special: Special) -> list[Part]:
        """Splits an original text at its special tokens."""
        return self._cut(text, special, 0)

    def cut_normalized(self, text: bytes, special: Special) -> list[Part]:
        """Splits a normalized text at the special tokens that are searched for there."""
        return self._cut(text, special, 1)

    def _cut(self, text: bytes, special: Special, stage: int) -> list[Part]:
        if not self.finds(special):
            return [Part(text)]
        parts = self._finders_of(special)[stage].parts(text)
        if special == "error":
            at = 0
            names = list(self.numbers)
            for part in parts:
                if part.number is not None:
                    name = names[part.number - self.numbers[names[0]]]
                    if name not in self._added:
                        raise InputError(
                            f"the text has the special token {name!r} at byte {at}: --special "
                            "parse (special='parse') encodes it as the special token, text as "
                            "ordinary text"
                        )
                at += len(part.text)
        return parts

    def finds(self, special: Special) -> bool:
        """Returns whether any token is searched for."""
        check_special(special)
        return bool(self._wanted(special))

    def finds_normalized(self, special: Special) -> bool:
        """Returns whether any token is searched for in normalized text."""
        return self.finds(special) and bool(self._finders_of(special)[1].tokens)

    def absent(self, text: str | bytes, special: Special) -> bool:
        """Returns True only if an original text has none of the tokens that are searched for."""
        if not self.finds(special):
            return True
        given, normalized = self._finders_of(special)
        if normalized.tokens and (self._normal is not None or not normalized.absent(text)):
            return False
        return given.absent(text)

    def _wanted(self, special: Special) -> Collection[str]:
        """Returns the tokens that are searched for; they always include the added ones."""
        if special == "text":
            return self._added
        if special in ("parse", "error"):
            return self.numbers
        chosen = {*map(plain, special)}
        for text in chosen:
            self.number_of(text, "special:")
        return self._added.union(chosen)

    def _finders_of(self, special: Special) -> tuple[_Finder, _Finder]:
        key = special if isinstance(special, str) else frozenset(special)
        finders = self._finders.get(key)
        if finders is None:
            # of several tokens with the same spelling, those that are not special come last
            order = sorted(
                self._wanted(special), key=lambda name: (name in self._added, self.numbers[name])
            )
            found: tuple[dict[bytes, _Token], dict[bytes, _Token]] = ({}, {})
            for name in order:
                spelled, normalized = self._spelled(name)
                if spelled:
                    token = _Token(self.numbers[name], self._flags.get(name, ()))
                    found[normalized].setdefault(spelled, token)
            if special == "text":  # inside those that are text none is found, as in the library
                rest = [self._spelled(name) for name in self.numbers if name not in self._added]
                for stage, tokens in enumerate(found):
                    for text in _hiding(tokens, [t for t, where in rest if where == stage]):
                        tokens.setdefault(text, _Token(None, ()))
            finders = _Finder(found[0]), _Finder(found[1])
            self._finders = {key: finders}
        return finders

    def _spelled(self, name: str) -> tuple[bytes, bool]:
        """Returns what is searched for, and whether it is in normalized text."""
        normalized = "normalized" in self._flags.get(name, ())
        normal = self._normal if normalized else None
        return (name if normal is None else normal.of_token(name)).encode(), normalized

    def number_of(self, text: str, what: str) -> int:
        """Returns the number of a special token; `what` names it in errors."""
        if not isinstance(text, str) or text not in self.numbers:
            known = ", ".join(map(repr, self.numbers)) or "none"
            raise InputError(
                f"{what} {shown(text)} is not a special token of the vocabulary; it has {known}"
            )
        return self.numbers[text]

    def ending(self, text: str) -> Numbers:
        """Returns the number of the special token that ends documents."""
        return np.array([self.number_of(text, "end of document")], np.int32)


class _Token(NamedTuple):
    """The number of a special token, None for one that is text, and its flags for finding it."""

    number: int | None
    flags: Iterable[str]


class _Finder:
    """Finds tokens in a text from the left; of several that begin at a place the longest."""

    def __init__(self, tokens: Mapping[bytes, _Token]) -> None:
        self.tokens = tokens
        self._pattern: re.Pattern[bytes] | None = None
        self._first = sorted({token.decode()[0] for token in tokens})
        if 0 < len(tokens) <= _FEW:
            # `re` finds a common prefix nearly at the speed of memory
            by_length = sorted((token.decode() for token in tokens), key=len, reverse=True)
            alternatives = []
            for first in self._first:
                rest = "|".join(re.escape(token[1:]) for token in by_length if token[0] == first)
                alternatives.append(f"{re.escape(first)}(?:{rest})")
            self._characters = re.compile("|".join(alternatives))
            self._pattern = re.compile("|".join(alternatives).encode())
            return
        self._listed = list(tokens)
        offsets = np.cumsum([0, *map(len, tokens)], dtype=np.int64)
        data = np.frombuffer(b"".join(tokens), np.uint8)
        self._segmenter = Segmenter(data.astype(np.int32), offsets)

    def absent(self, text: str | bytes) -> bool:
        """Returns whether a text contains none of the tokens."""
        if not self.tokens:
            return True
        if isinstance(text, str):
            if self._pattern is not None:
                return not self._begins_in(text)
            if not any(first in text for first in self._first):
                return True
        data = as_bytes(text, "the text")
        return not self._found(data) if self._pattern is None else not self._pattern.search(data)

    def _begins_in(self, text: str) -> bool:
        """Returns whether one of a few tokens is in a text."""
        # a character is found several times as fast as a pattern that begins with it
        hits = 0
        for first in self._first:
            at = text.find(first)
            while at >= 0:
                if self._characters.match(text, at):
                    return True
                hits += 1
                if at < _RARE * (hits - _TRIED):
                    return self._characters.search(text) is not None
                at = text.find(first, at + 1)
        return False

    def _found(self, text: bytes) -> list[tuple[int, int, _Token]]:
        """Returns the begin, the end and the token of each match."""
        if self._pattern is not None:
            return [(*m.span(), self.tokens[m[0]]) for m in self._pattern.finditer(text)]
        data = np.frombuffer(text, np.uint8)
        which = np.empty(len(data), np.int32)
        whole, nothing = np.array([0, len(data)], np.int64), np.zeros(0, np.int64)
        no_bytes = np.zeros(0, np.uint8)
        self._segmenter.longest_match(data, whole, 0, 1, which, nothing, 0.0, 0, nothing, no_bytes)
        found = []
        for last in np.flatnonzero(which >= 0).tolist():
            token = self._listed[which[last]]
            found.append((last + 1 - len(token), last + 1, self.tokens[token]))
        return found

    def parts(self, text: bytes) -> list[Part]:
        """Splits a text at the tokens; no part is empty, except for an empty text."""
        if not self.tokens:
            return [Part(text)]
        parts: list[Part] = []
        at = 0
        for begin, end, (number, flags) in self._found(text):
            if number is None:
                continue
            if flags:
                if "single_word" in flags and _inside_word(text, begin, end):
                    continue
                if "lstrip" in flags:
                    begin = _start(_BEFORE, text, at, begin) if at < begin else at
                if "rstrip" in flags:
                    end = _end(_BEHIND, text, end)
                if begin >= end:  # the token before includes it
                    continue
            if at < begin:
                parts.append(Part(text[at:begin]))
            elif begin < at:  # the token is a part of the white space of the one before
                parts[-1] = parts[-1]._replace(text=text[at - len(parts[-1].text) : begin])
            parts.append(Part(text[begin:end], number))
            at = end
        if at < len(text) or not text:
            parts.append(Part(text[at:]))
        return parts


def _hiding(tokens: Iterable[bytes], texts: Collection[bytes]) -> list[bytes]:
    """Returns the texts inside which a token may begin, and those inside which such a text may."""
    new, found = [*tokens], []
    while new:
        by_first: dict[int, list[bytes]] = {}
        for token in new:
            by_first.setdefault(token[0], []).append(token)
        new = [
            text
            for text in texts
            if any(
                text.startswith(token, at) or token.startswith(text[at:])
                for at, byte in enumerate(text)
                for token in by_first.get(byte, ())
            )
        ]
        found += new
        texts = {*texts}.difference(found)
    return found


def _start(pattern: regex.Pattern[bytes], text: bytes, at: int, end: int) -> int:
    found = pattern.match(text, at, end)
    return found.start() if found else end


def _end(pattern: regex.Pattern[bytes], text: bytes, begin: int) -> int:
    found = pattern.match(text, begin)
    return found.end() if found else begin


def _inside_word(text: bytes, begin: int, end: int) -> bool:
    """Returns whether there is a word character on either side."""
    before = text[max(begin - 4, 0) : begin].decode("utf-8", "surrogateescape")[-1:]
    behind = text[end : end + 4].decode("utf-8", "surrogateescape")[:1]
    return any(compiled(_IN_WORD).match(character) for character in (before, behind))
