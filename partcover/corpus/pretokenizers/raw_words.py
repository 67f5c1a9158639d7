r"""Finds the words of normalized text in the text before: for tokenizers such as BERT's and CLIP's.

Normalizing a whole text and splitting it step by step takes longer than encoding it.  Where nothing
else of a text has a say in what a part of it becomes, an encoder finds such parts in compiled code,
and only those that it has not seen are normalized and split.  For that each character has a class,
by what it becomes when it stands alone:

* white: white space, which is left out;
* single: one word, whatever stands beside it;
* run, other run: a word together with its neighbours of the same class;
* gone: nothing; it belongs to the part before it;
* joining: all else, and what may become one with the character before it, as accents do.

A part with a joining character in it or behind it goes on to the next white space.  So two parts
meet where the normalizer changes nothing across, and where the steps split in any case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import regex

from ...kernels.words import _word_ends, _word_table
from ..normalizers.normal_forms import joining_characters
from ..normalizers.normalizer import Normalizer
from ..normalizers.steps import writes_a_space
from .published_patterns import CLIP
from .rules import PretokenizerRule
from .steps.read import BEGIN_OF_WORD, PUNCTUATION, WORD_CHARACTER
from .steps.step import Inside, Steps
from .unicode_tables import compiled

_WHITE, _SINGLE, _RUN, _OTHER_RUN, _GONE, _JOINING = (
    _word_ends.WHITE, _word_ends.NUMBER, _word_ends.LETTER,
    _word_ends.SIGN, _word_ends.UPPER, _word_ends.MARK,
)  # fmt: skip

# the classes that a first step makes; what is in none of these is a run
_CLASSES = {
    "BertPreTokenizer": {_SINGLE: PUNCTUATION, _WHITE: r"\s"},
    "Whitespace": {_OTHER_RUN: rf"[^{WORD_CHARACTER}\s]", _WHITE: rf"[\s--[{WORD_CHARACTER}]]"},
    "WhitespaceSplit": {_WHITE: r"\s"},
    "Split": {_SINGLE: r"\p{N}", _OTHER_RUN: r"[^\s\p{L}\p{N}]", _WHITE: r"\s"},  # CLIP's
}
_LOCAL = {"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "BertNormalizer"}
# characters of which one stands for all: Han and Hangul
_ALIKE = [range(0x3400, 0x4DC0), range(0x4E00, 0xA000), range(0xAC00, 0xD7A4)]
_SURROGATES_AND_PRIVATE = range(0xD800, 0xF900)
_SEPARATOR = "!~!"
_WORD_BETWEEN = "qzxqz"  # no word that is likely; where it is one, words are found part by part


def raw_rules(
    normalizer: Normalizer | None, steps: Steps | None
) -> tuple[PretokenizerRule, PretokenizerRule] | None:
    """Returns rules that find and split the words of text that is not normalized yet.

    The first finds parts of the text; the second returns the words of a part, as the steps do
    after the normalizer.  None where that is not known to be the same.
    """
    frame = None if steps is None else _frame(steps)
    if steps is None or frame is None:
        return None
    local = () if normalizer is None else normalizer.steps
    if any(step["type"] not in _LOCAL and not writes_a_space(step) for step in local):
        return None
    kind = steps.steps[0].data["type"]
    found = _characters("" if normalizer is None else normalizer.name, kind)
    if found is None or (kind == "Split" and found[1]["S"] != "s"):
        return None  # contractions are found in any case
    classes, becomes = found
    finder = _word_ends.CLIP if kind == "Split" else _word_ends.CLASSES
    front = PretokenizerRule(
        partial(_parts, finder, classes), _word_table.NOWHERE, finder, kinds=classes
    )
    words = _RawWords(normalizer, steps, becomes, *frame)
    own = PretokenizerRule(
        words, _word_table.NOWHERE, _word_ends.WHOLE, given=True, keeps=False, raw=words.raw,
        each=words.each,
    )  # fmt: skip
    return front, own


@dataclass(frozen=True)
class _RawWords:
    """Returns the words of a part of a text that is not normalized.

    Parameters
    ----------
    normalizer, steps
        What is done to a part with joining characters.
    becomes : dict
        What each other character becomes.
    prefix, suffix : str
        What is put in front of and behind each word.
    again : bool
        Whether the prefix is put in front of a word that begins with it, too, and twice for each
        that a word has.
    inside : Inside, optional
        What is removed from the begin of words then.
    """

    normalizer: Normalizer | None
    steps: Steps
    becomes: Mapping[str, str]
    prefix: str
    suffix: str
    again: bool
    inside: Inside | None

    def __call__(self, part: str) -> list[str]:
        word = self._word(part)
        if word is not None:
            return [word]
        return self.steps.words(part if self.normalizer is None else self.normalizer(part))

    def each(self, parts: Sequence[str]) -> list[list[str]]:
        """Returns the words of each part."""
        found = [None if (word := self._word(part)) is None else [word] for part in parts]
        joining = [place for place, words in enumerate(found) if words is None]
        # together, since each call of a step takes longer than the step
        text = f" {_WORD_BETWEEN} ".join(parts[place] for place in joining)
        normalized = text if self.normalizer is None else self.normalizer(text)
        words: list[list[str]] = [[]]
        for word in self.steps.steps[0].words(normalized, True):
            if word == _WORD_BETWEEN:
                words.append([])
            else:
                words[-1].append(self._framed(word))
        if len(words) != len(joining):
            words = [self(parts[place]) for place in joining]
        given = iter(words)
        return [next(given) if each is None else each for each in found]

    def _word(self, part: str) -> str | None:
        """Returns the only word of a part; None where it has joining characters."""
        try:
            return self._framed("".join(map(self.becomes.__getitem__, part)))
        except KeyError:
            return None

    def _framed(self, word: str) -> str:
        if self.again:
            word = word.replace(self.prefix, 2 * self.prefix)
        there = not self.again and word.startswith(self.prefix)
        prefix = "" if there else self.prefix
        framed = f"{prefix}{word}{self.suffix}"
        return framed if self.inside is None else framed[self.inside.size_in(framed) :]

    def raw(self, word: str) -> str | None:
        """Returns the part whose one word is this, where it is the word without what is put on."""
        part = word.removeprefix(self.prefix).removesuffix(self.suffix)
        if self.again:
            part = part.replace(2 * self.prefix, self.prefix)
        return part if part and self(part) == [word] else None


def _parts(finder: int, classes: npt.NDArray[np.uint8], text: str) -> list[str]:
    """Returns the parts of a text, in order; white space is one as well."""
    data = text.encode("utf-8", "surrogateescape")
    ends = [0, *_word_ends.word_ends(data, finder, classes)]
    return [data[a:b].decode("utf-8", "surrogateescape") for a, b in pairwise(ends)]


def _frame(steps: Steps) -> tuple[str, str, bool, Inside | None] | None:
    """Returns what is put around the words of the first step, `Step.again`, and `Step.inside`.

    None where it has no classes, or another step does more than that.
    """
    first = steps.steps[0].data
    if first["type"] not in _CLASSES or (
        first["type"] == "Split"
        and (first["pattern"], first["behavior"], first["invert"])
        != ({"Regex": CLIP}, "Removed", True)
    ):
        return None
    prefix = suffix = ""
    again = False
    for step in steps.steps[1:]:
        kind = step.data["type"]
        marks = kind in ("Metaspace", BEGIN_OF_WORD)
        if marks and not (step.cut or step.only_first or prefix or suffix):
            prefix, again = step.prefix, step.again
        elif kind == "EndOfWord":
            suffix = step.suffix
        elif step.inside is not None:
            continue  # the last
        # GPT-2's pattern splits no word of CLIP's
        elif kind != "ByteLevel" or first["type"] != "Split" or step.prefix or prefix:
            return None
    return prefix, suffix, again, steps.inside


@cache
def _characters(name: str, kind: str) -> tuple[npt.NDArray[np.uint8], dict[str, str]] | None:
    """Returns the class of each code point, and what those become that are not joining.

    Takes the names of the normalizer, if any, and of the first step.
    """
    points = [*_points()]
    characters = [*map(chr, points)]
    text = _SEPARATOR.join(characters)
    normalized = (Normalizer(name)(text) if name else text).split(_SEPARATOR)
    if len(normalized) != len(characters):
        return None
    seen = "".join(sorted(set("".join(normalized))))
    of = dict.fromkeys(seen, _RUN)
    for number, pattern in _CLASSES[kind].items():
        of.update(dict.fromkeys(compiled(pattern).findall(seen), number))
    classes = np.full(0x110000, _JOINING, np.uint8)
    becomes = {}
    joining = regex.compile(f"[{joining_characters(0x10000)}]")
    composing = regex.search("NFK?C", name) is not None
    for point, character, text in zip(points, characters, normalized, strict=True):
        if not text and not composing and kind != "Split":  # nor between the parts of contractions
            class_ = _GONE
        else:
            class_ = _JOINING if joining.match(character) else _class(text, of)
        classes[point] = class_
        if class_ not in (_JOINING, _WHITE):
            becomes[character] = text.strip(" ")
    for alike in _ALIKE:
        classes[alike.start : alike.stop] = classes[alike.start]
    classes.setflags(write=False)
    return classes, becomes


def _points() -> Iterator[int]:
    """Yields the code points that are looked at: others are alike, or joining."""
    skipped = {point for alike in _ALIKE for point in alike[1:]}.union(_SURROGATES_AND_PRIVATE)
    return (point for point in range(0x10000) if point not in skipped)


def _class(text: str, of: Mapping[str, int]) -> int:
    """Returns the class of what becomes `text`."""
    classes = {of[character] for character in text}
    if len(classes) == 1:
        [class_] = classes
        return _JOINING if class_ == _SINGLE and len(text) > 1 else class_
    # as BertNormalizer does with Han characters
    inside = {of[character] for character in text[1:-1]}
    apart = text[:1] == text[-1:] == " " and len(inside) == 1
    return _SINGLE if apart and inside <= {_RUN, _OTHER_RUN} else _JOINING
