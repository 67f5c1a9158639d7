r"""Changes text before it is split into words: the normalizers of Hugging Face's tokenizers.

A normalizer is named by its steps, joined with ``+``, where they have no parameters (``NFKC``,
``NFD+StripAccents+Lowercase``; upper and lower case are alike), and otherwise by a JSON object as
in a tokenizer.json: ``{"type": "Prepend", "prepend": "▁"}``.

=====================  =========================================================================
type                   what it does
=====================  =========================================================================
NFC, NFD, NFKC, NFKD   Unicode's normal forms
Lowercase              lower case, character by character: a Σ is a σ at the end of a word, too
StripAccents           takes marks away (so put NFD before it)
Strip                  takes white space away, at the beginning (``strip_left``) and the end of
                       the text (``strip_right``)
Replace                writes ``content`` for each ``pattern``, ``{"String": …}`` or
                       ``{"Regex": …}``, one of Oniguruma's, see
                       `partcover.corpus.pretokenizers.oniguruma`
Prepend                puts ``prepend`` in front of a text that is not empty
BertNormalizer         ``clean_text`` takes control characters away and writes a space for other
                       white space; ``handle_chinese_chars`` puts spaces around ideographs;
                       ``strip_accents``, if null as ``lowercase``, is NFD without marks
Nmt                    sentencepiece's: takes control characters away, and writes a space for
                       other white space
Precompiled            sentencepiece's map of characters, ``precompiled_charsmap`` in base64, as
                       the library applies it: to grapheme clusters below six bytes, of which the
                       shortest entry stands for all, and to single characters
SentencePiece          what sentencepiece does before it splits, with the fields of its
                       `NormalizerSpec`, `treat_whitespace_as_suffix`, and `user_defined`
                       pieces, which the map leaves alone; it writes a space for ▁, too
Sequence               its ``normalizers``, one after another
=====================  =========================================================================

The normalized text is that of tokenizers 0.23, with its versions of Unicode.  Bytes that are not
UTF-8, which the library does not take, stay as they are.

A normalizer mostly loses something: what is decoded is the normalized text.  `Normalizer.changes`
says for each character of it which part of the original it stands for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...errors import InputError
from ...runtime.arguments import closest, shown
from ...runtime.patterns import regex
from ..pretokenizers.timed_patterns import check_sizes
from .changes import Edit, characters, utf8
from .normal_forms import NormalForm
from .sentencepiece_text import MARK, SentencePieceText
from .steps import NEEDED, NORMALIZERS, AnyChange

__all__ = ["NORMALIZERS", "Normalized", "Normalizer"]


class Normalized(NamedTuple):
    """A normalized text.

    Attributes
    ----------
    text : str
        The text.
    begin, end : list of int
        For each character of it the part of the original text that it stands for; what was
        put in front stands for the first character.
    """

    text: str
    begin: list[int]
    end: list[int]


_BY_NAME = {name.lower(): name for name in NORMALIZERS}


@dataclass(frozen=True)
class Normalizer:
    """A normalizer.

    Parameters
    ----------
    name : str
        The names of its steps joined with ``+``, or a JSON object without spaces; equal for equal
        normalizers.

    Raises
    ------
    InputError
        For an unknown step, or parameters that it does not have.

    Examples
    --------
    >>> from partcover.corpus.normalizers.normalizer import Normalizer
    >>> normalizer = Normalizer("nfkc+lowercase")
    >>> normalizer.name, normalizer("ﬁve Ⅷ")
    ('NFKC+Lowercase', 'five viii')
    """

    name: str
    steps: tuple[dict[str, Any], ...] = field(init=False, compare=False, repr=False)
    _changes: tuple[AnyChange, ...] = field(init=False, compare=False, repr=False)

    def __init__(self, name: str | Mapping[str, Any]) -> None:
        steps = [step for data in _read(name) for step in _flat(data)]
        if not steps:
            raise InputError("the normalizer has no steps: leave it out")
        try:
            check_sizes(step["pattern"] for step in steps if step["type"] == "Replace")
        except InputError as error:
            raise InputError(f"the normalizer Replace: {error}") from None
        set_ = object.__setattr__
        set_(self, "steps", tuple(steps))
        set_(self, "_changes", tuple(c for step in steps for c in _changes_of(step)))
        bare = [step["type"] for step in steps if step == _with_defaults(step["type"])]
        if len(bare) == len(steps):
            set_(self, "name", "+".join(bare))
        else:
            set_(
                self, "name", json.dumps(self.to_json(), ensure_ascii=False, separators=(",", ":"))
            )

    @classmethod
    def of(cls, given: str | None) -> Normalizer | None:
        """Returns the normalizer of a name; None for none."""
        return None if given is None else cls(given)

    def to_json(self) -> dict[str, Any]:
        """Returns the normalizer as in a tokenizer.json."""
        if len(self.steps) == 1:
            return dict(self.steps[0])
        return {"type": "Sequence", "normalizers": [dict(step) for step in self.steps]}

    def __call__(self, text: str) -> str:
        """Returns the normalized text."""
        return characters(self._changed(text))

    def of_bytes(self, text: bytes) -> bytes:
        """Returns the normalized text of a text in UTF-8; other bytes stay as they are."""
        return utf8(self._changed(text))

    def _changed(self, text: str | bytes) -> str | bytes:
        """Returns the normalized text, as characters or in UTF-8: as its last step makes it."""
        for change in self._changes:
            if isinstance(text, bytes) and change.of_bytes is not None:
                text = change.of_bytes(text)
            else:
                text = change.apply(characters(text))
        return text

    def of_token(self, name: str) -> str:
        """Returns what replaces an added token that is found in a normalized text.

        Hugging Face normalizes its text by itself; in sentencepiece only ▁ and a space are one.

        Examples
        --------
        >>> from partcover.corpus.normalizers.normalizer import Normalizer
        >>> Normalizer({"type": "SentencePiece"}).of_token("a▁b")
        'a b'
        """
        own = {"precompiled_charsmap": "", "add_dummy_prefix": False,
               "remove_extra_whitespaces": False}  # fmt: skip
        steps = [step | own if step["type"] == "SentencePiece" else step for step in self.steps]
        return Normalizer({"type": "Sequence", "normalizers": steps})(name)

    def changes(self, text: str) -> Normalized:
        """Returns the normalized text, and where each character of it comes from.

        Examples
        --------
        >>> from partcover.corpus.normalizers.normalizer import Normalizer
        >>> Normalizer("nfkc").changes("ﬁve")
        Normalized(text='five', begin=[0, 0, 1, 2], end=[1, 1, 2, 3])
        """
        done = Normalized(text, list(range(len(text))), list(range(1, len(text) + 1)))
        for change in self._changes:
            if isinstance(change, SentencePieceText):
                done = _traced(done, *change.traced(done.text))
            else:
                done = _edited(done, change.edits(done.text))
        return done

    @property
    def has_sentencepiece(self) -> bool:
        """Whether a step is sentencepiece's."""
        return any(step["type"] == "SentencePiece" for step in self.steps)

    @property
    def front_spaces(self) -> int | None:
        """How many spaces at the front decoding leaves out, at most; None for all."""
        own = next((step for step in self.steps if step["type"] == "SentencePiece"), None)
        if own is not None:
            return None if own["remove_extra_whitespaces"] else int(own["add_dummy_prefix"])
        # as Llama 2's, where a ▁ is a space in the end
        last = self.steps[-1]
        spaces = last["type"] == "Replace" and last["content"] == " "
        return int(spaces and any(step.get("prepend") == MARK for step in self.steps))

    @property
    def keeps_ascii(self) -> bool:
        """Whether it leaves ASCII as it is, and a text can be parted before characters of ASCII.

        So do normal forms.  But a mark of another script may change the character before it.
        """
        return all(isinstance(change, NormalForm) for change in self._changes)

    @property
    def in_blocks(self) -> bool:
        """Whether a text may be normalized in blocks, split at `last_cut`."""
        kept = True
        for change in self._changes:
            if change.reach > kept:
                return False
            kept = kept and change.keeps
        return True

    def last_cut(self, text: bytes) -> int:
        """Returns the last place > 0 to split `text`, a prefix of a longer text, or -1."""
        match = regex.search(_LAST_PLACE, text) if self.in_blocks else None
        return match.start() if match else -1


_LAST_PLACE = rb"(?r)(?<=[!-~])[ \n]"


def _edited(done: Normalized, edits: Iterable[Edit]) -> Normalized:
    """Returns a text with edits."""
    parts: list[str] = []
    begin: list[int] = []
    end: list[int] = []
    at = 0
    for edit in edits:
        parts += [done.text[at : edit.begin], edit.new]
        begin += done.begin[at : edit.begin]
        end += done.end[at : edit.begin]
        # what is put in stands for the character behind it, at the end for the last
        place, stop = (edit.begin, edit.end) if edit.part is None else edit.part
        first = min(place, len(done.text) - 1)
        span = (done.begin[first], done.end[max(stop - 1, first)]) if done.text else (0, 0)
        begin += [span[0]] * len(edit.new)
        end += [span[1]] * len(edit.new)
        at = edit.end
    return Normalized(
        "".join([*parts, done.text[at:]]), begin + done.begin[at:], end + done.end[at:]
    )


def _traced(done: Normalized, text: str, begin: list[int], end: list[int]) -> Normalized:
    """Returns what a text became, of whose characters each stands for a part of that text."""
    begins, ends = [*done.begin, *done.end[-1:]], [*done.begin[:1], *done.end]
    return Normalized(text, [begins[at] for at in begin], [ends[at] for at in end])


def _read(given: str | Mapping[str, Any]) -> list[Any]:
    if not isinstance(given, str):
        return [given]
    if given.lstrip().startswith("{"):
        try:
            return [json.loads(given)]
        except (ValueError, RecursionError) as error:
            raise InputError(f"the normalizer {shown(given)} is not JSON: {error}") from None
    return [{"type": _BY_NAME.get(name.lower(), name)} for name in given.split("+")]


def _flat(data: Any) -> list[dict[str, Any]]:
    """Returns the steps of a normalizer, each with all its parameters."""
    if not isinstance(data, Mapping):
        raise InputError(f"the normalizer {shown(data)} is not a JSON object with a type")
    kind = data.get("type")
    if kind == "Sequence":
        inner = data.get("normalizers")
        if not isinstance(inner, list):
            raise InputError("the normalizer Sequence has no list 'normalizers'")
        try:
            return [step for part in inner for step in _flat(part)]
        except RecursionError:
            raise InputError("the normalizer's Sequences are nested too deeply") from None
    if not isinstance(kind, str) or kind not in NORMALIZERS:
        hint = closest(
            kind,
            NORMALIZERS,
            f"use {', '.join(NORMALIZERS)}, several joined by '+', or JSON as in a tokenizer.json",
        )
        raise InputError(f"unknown normalizer {shown(kind)}: {hint}")
    step = _with_defaults(kind) | dict(data)
    parameters = NORMALIZERS[kind][0]
    for key, value in step.items():
        if key != "type" and key not in parameters:
            raise InputError(f"the normalizer {kind} has no parameter {shown(key)}")
        if key != "type" and (value is NEEDED or not parameters[key][1](value)):
            given = "is missing" if value is NEEDED else f"is {shown(value)}"
            raise InputError(f"the normalizer {kind}: {key} {given}")
    return [step]


def _with_defaults(kind: str) -> dict[str, Any]:
    return {"type": kind} | {key: value for key, (value, _) in NORMALIZERS[kind][0].items()}


def _changes_of(step: Mapping[str, Any]) -> list[AnyChange]:
    parameters = {key: value for key, value in step.items() if key != "type"}
    changes: list[AnyChange] = NORMALIZERS[step["type"]][1](**parameters)
    return changes
