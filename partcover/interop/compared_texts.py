"""Compares an exported tokenizer with the vocabulary on whole texts."""

from __future__ import annotations

import random
from collections.abc import Set
from itertools import islice
from typing import Any

from ..encoding.encoder import Encoder
from ..errors import InputError
from ..vocabulary.vocabulary import Vocabulary
from .format import WholeTexts
from .splitting import patterns

_TEXTS = (
    "",
    " ",
    "   ",
    "\n",
    "Hello, world!",
    " hello  world ",
    "I'll say it isn't, they've 12345.6 % — don't!",
    "two  spaces,\ttab\r\nand\n\n  a new line",
    "naïve café Ünïcödé ﬁ ½ İ e\u0301",
    "日本語テキスト 한국어 हिन्दी עברית العربية",
    "🙂 👩‍👩‍👧 \U0001f1e9\U0001f1ea",
    "def f(x):\n    return x_1 ** 2  # ok",
    "…“quoted” ‘text’ a\u00a0b\u200bc\u3000d\ufeff",
    "ALL CAPS, CamelCase and snake_case",
)
_DRAWN = 100
_LINES, _LONGEST = 200, 1000  # of a text: lines, and characters of one
_SPECIAL = 8


def built_in_texts(vocabulary: Vocabulary) -> list[str]:
    """Makes texts, the same ones each time: some of many kinds, and strings of the tokens."""
    draw = random.Random(20260102)
    marks = {mark for _, mark in patterns(vocabulary.pretokenizer) or () if mark}
    # a mark is read as a space there, as a remark says
    spelled = [_text(token, marks) for token in vocabulary]
    tokens = [text for text in spelled if text] or ["a"]
    strings = (
        draw.choice(("", " ")).join(draw.choice(tokens)[:100] for _ in range(draw.randrange(1, 9)))
        for _ in range(_DRAWN)
    )
    return [*_TEXTS, *strings]


def compare_texts(whole: WholeTexts, vocabulary: Vocabulary, text: str | None) -> list[str]:
    """Compares ids, decoding, offsets, special tokens and templates; returns what to remark.

    Parameters
    ----------
    whole : WholeTexts
        The exported tokenizer.
    vocabulary : Vocabulary
        The vocabulary.
    text : str, optional
        A text whose lines are compared besides `built_in_texts`.
    """
    try:
        encoder = Encoder(vocabulary)
    except InputError:  # an unknown pre-tokenizer, or a mark that cannot be undone
        return []
    texts = built_in_texts(vocabulary)
    lines = (line[:_LONGEST] for line in (text or "").splitlines(keepends=True))
    texts += islice(lines, _LINES)
    compared = _Compared(whole, encoder)
    read = sum(compared.text(one) for one in texts)
    names = list(vocabulary.special)
    for name in {**dict.fromkeys(names[:_SPECIAL]), **dict.fromkeys(names[-_SPECIAL:])}:
        compared.special(f"a{name}b {name} c")
    return compared.remarks(read)


class _Compared:
    """Counts what is equal."""

    def __init__(self, whole: WholeTexts, encoder: Encoder) -> None:
        self._whole, self._encoder = whole, encoder
        vocabulary = encoder.vocabulary
        self._frame = None if whole.frame is None else whole.frame(vocabulary)
        self._trim = "nothing" if whole.trim is None else whole.trim(vocabulary)
        self._tried: dict[str, int] = {}
        self._differing: dict[str, list[tuple[Any, Any, Any]]] = {}

    def text(self, text: str) -> bool:
        """Compares a text; returns whether it could be encoded."""
        whole, encoder = self._whole, self._encoder
        try:
            ids, offsets = encoder.encode_with_offsets(text, unit="chars", trim=self._trim)
        except InputError:  # a byte has no id
            return False
        there = whole.encode(text)
        self._compare("ids", text, there, ids)
        if there != ids:
            return True  # of which all else follows
        self._decoding(text, ids)
        if whole.offsets is not None:
            self._compare("offsets", text, [*map(tuple, whole.offsets(text))], offsets)
        if whole.framed is not None and self._frame is not None:
            before, behind = self._frame
            self._compare("templates", text, whole.framed(text), [*before, *ids, *behind])
        return True

    def special(self, text: str) -> None:
        """Compares a text with special tokens."""
        if self._whole.parse is None:
            return
        try:
            ids = self._encoder.encode(text, special="parse")
        except InputError:
            return
        there = self._whole.parse(text)
        self._compare("special tokens", text, there, ids)
        if there == ids:
            self._decoding(text, ids)

    def _decoding(self, text: str, ids: list[int]) -> None:
        for skip, decode in ((False, self._whole.decode), (True, self._whole.decode_bare)):
            if decode is not None:
                here = self._encoder.decode(ids, "replace", skip_special=skip)
                self._compare("decoding", text, decode(ids), here)

    def _compare(self, what: str, text: str, there: Any, here: Any) -> None:
        self._tried[what] = self._tried.get(what, 0) + 1
        if there != here:
            self._differing.setdefault(what, []).append((text, there, here))

    def remarks(self, count: int) -> list[str]:
        """Reports what was compared and what differs, with an example of each."""
        equal = [what for what in self._tried if what not in self._differing]
        found = []
        if equal:
            found.append(f"equal on {count:,} test texts: {_listed(equal)}")
        for what, differing in self._differing.items():
            text, there, here = min(differing, key=lambda one: len(one[0]))
            verb = "differs" if what == "decoding" else "differ"
            found.append(
                f"{what} {verb} in {len(differing):,} of {self._tried[what]:,} cases, for example "
                f"for {_short(text)}: {_short(there)} in the library, {_short(here)} in partcover"
            )
        return found


def _text(token: Any, marks: Set[str]) -> str | None:
    """Returns a token as text, a mark of a space as a space; None where it is none."""
    try:
        text = token if isinstance(token, str) else bytes(token).decode("utf-8")
    except UnicodeDecodeError:
        return None
    for mark in marks:
        text = text.replace(mark, " ")
    return text


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"
